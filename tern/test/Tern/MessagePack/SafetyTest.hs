{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Hostile MessagePack: what claims more than there is, what is deeper than
-- allowed; and that errors say where.
module Tern.MessagePack.SafetyTest (tests) where

import Control.Exception (evaluate)
import Control.Monad (void, when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Either (fromLeft)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import GHC.Exts (Int (I#), minusAddr#, plusAddr#, (<#))
import Tern
import Tern.Internal.MessagePack.Document (decodeWith, encodeWith)
import Tern.Internal.MessagePack.Read qualified as Read
import Tern.Internal.MessagePack.Write qualified as Write
import Tern.Internal.Read (Reader (Reader), Step)
import Tern.Internal.Write (Writer (..), toFill)
import Tern.MessagePack.Value (Value (..), decodeValue, decodeValueWith, encodeValue)
import Tern.Prim.MessagePack (constantSize, matchesConstant)
import Tern.Testkit.Allocation (allocatedBy, optimised)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "MessagePack, hostile"
    [ testGroup
        "a length of 2^32 - 1 allocates nothing for it"
        [ testCase (name <> " by " <> how) $ do
            let input = bytes <> B.replicate 100 0
            isRefused (run input) @? "accepted"
            used <- allocatedBy (isRefused . run) input
            assertBool (show used <> " bytes") (used < 2000)
          | (name, bytes) <- bombs,
            (how, run) <- runs
        ],
      testCase "nested claims do not add up" $ do
        -- Each header claims no more than what is left, and there are many.
        let deep = B.concat (replicate 500 "\xdd\x00\x01\x86\xa0") <> B.replicate 100000 0x90
            wide = "\xdd\x00\x00\x4e\x20" <> B.concat (replicate 20000 "\xdc\x27\x10")
            maps = B.concat (replicate 500 "\xdf\x00\x00\xc3\x50") <> B.replicate 100000 0x80
        mapM_ (atMost 12) [deep, wide, maps],
      testCase "claims that add up to the whole document are no bombs" $ do
        let flat = "\xdd\x00\x01\x86\xa0" <> B.replicate 100000 0x90
            inside = B.replicate 400 0x91 <> "\x90"
            pairs = "\x82" <> B.replicate 4 0x80
        mapM_ accepted [flat, inside, pairs, "\x92\x91\x90\x91\x90"],
      testGroup
        "maxDepth"
        [ testCase name $
            sequence_
              [ nested most levels (document levels)
                | most <-
                    [1, 2, 3, 511, 512, 513, 1023, 2048, 2049, 5000],
                  levels <- [most - 1, most, most + 1],
                  levels > 0
              ]
          | (name, document) <- frames
        ],
      testCase "ten million levels are stepped over in constant stack, or refused" $ do
        let levels = B.replicate 10000000 0x91 <> "\xc0"
        void (decodeValue levels)
          @?= Left (Error 512 (replicate 512 (Index 0)) (LimitExceeded (TooDeep 512)))
        decodeWith (Reader Read.skip) unlimited levels @?= Right (),
      testCase "an empty string without an address is not looked at" $ do
        failed B.empty @?= Error 0 [] (UnexpectedEnd AValue)
        decodeWith (Reader Read.skip) defaultLimits B.empty
          @?= Left (Error 0 [] (UnexpectedEnd AValue)),
      testCase "maxBytes" $ do
        void (decodeValueWith defaultLimits {maxBytes = 2} "\x91\x01") @?= Right ()
        void (decodeValueWith defaultLimits {maxBytes = 1} "\x91\x01")
          @?= Left (Error 1 [Index 0] (LimitExceeded (TooManyBytes 1))),
      testGroup
        "errors"
        [ testCase (T.unpack text) (renderBinaryError input (failed input) @?= text)
          | (input, text) <-
              errors
        ],
      testCase "an error of a string is at its first bad byte" $
        decodeWith (Reader Read.text) defaultLimits "\xa3\&ab\xff"
          @?= Left (Error 3 [] InvalidUtf8),
      testCase "a path through ten thousand keys is found in one walk" $ do
        let input = "\xde\x27\x11" <> B.concat (replicate 10000 "\xa1k\x90") <> "\xa1z\xc1"
        void (decodeValue input)
          @?= Left (Error (B.length input - 1) [Key "z"] (Unexpected AValue)),
      testCase "constants" $ do
        encodeWith constants () @?= "\x93\xa3key\xd9\x28" <> B.replicate 40 0x61 <> "\x82"
        decodeWith (Reader key) defaultLimits "\xa3key" @?= Right True
        decodeWith (Reader key) defaultLimits "\xa3kez" @?= Left (Error 0 [] TrailingInput)
        decodeWith (Reader key) defaultLimits "\xa3ke" @?= Left (Error 0 [] TrailingInput)
        decodeWith (Reader key) defaultLimits "\xd9\x03key" @?= Left (Error 0 [] TrailingInput)
        decodeWith (Reader key40) defaultLimits ("\xd9\x28" <> B.replicate 40 0x61) @?= Right True
        decodeWith (Reader key40) defaultLimits ("\xd9\x28" <> B.replicate 39 0x61)
          @?= Left (Error 0 [] TrailingInput)
        decodeWith (Reader key) defaultLimits "" @?= Right False,
      testCase "counts and lengths of constants" $
        [ encodeWith (FillWriter (\k -> toFill (Write.arrayOf k <> Write.mapOf k))) n
          | n <-
              [0, 15, 16, 65535, 65536]
        ]
          @?= [ "\x90\x80",
                "\x9f\x8f",
                "\xdc\x00\x10\xde\x00\x10",
                "\xdc\xff\xff\xde\xff\xff",
                "\xdd\x00\x01\x00\x00\xdf\x00\x01\x00\x00"
              ],
      testCase "encoding a value allocates little beside its bytes" $ do
        used <- allocatedBy encodeValue (Array (pure (Int 5)))
        assertBool (show used <> " bytes") (used < 200)
    ]
  where
    constants =
      FillWriter
        ( \() ->
            toFill
              ( Write.arrayOf 3
                  <> Write.constant "key"
                  <> Write.constant "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
                  <> Write.mapOf 2
              )
        )
    key, key40 :: Step Bool
    key = isConstant "key"
    key40 = isConstant "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
    isConstant :: String -> Step Bool
    isConstant name _ e c s = case constantSize name of
      I# n -> case minusAddr# e c <# n of
        1# -> (# s, c, False #)
        _ -> case matchesConstant name c s of
          (# s1, 0# #) -> (# s1, c, False #)
          (# s1, _ #) -> (# s1, plusAddr# c n, True #)
    {-# INLINE isConstant #-}

failed :: ByteString -> Error
failed input = fromLeft (Error 0 [] TrailingInput) (decodeValue input)

isRefused :: Either Error () -> Bool
isRefused = \case
  Left (Error _ _ Overclaimed {}) -> True
  _ -> False

-- | A header of each format with a length of four bytes.
bombs :: [(String, ByteString)]
bombs =
  [ ("str 32", "\xdb\xff\xff\xff\xff"),
    ("bin 32", "\xc6\xff\xff\xff\xff"),
    ("ext 32", "\xc9\xff\xff\xff\xff\x01"),
    ("array 32", "\xdd\xff\xff\xff\xff"),
    ("map 32", "\xdf\xff\xff\xff\xff"),
    ("array 32 of 2^31", "\xdd\x80\x00\x00\x00"),
    ("map 32 of 2^31", "\xdf\x80\x00\x00\x00"),
    ("arrays of 2^31 in each other", B.concat (replicate 100 "\xdd\x80\x00\x00\x00")),
    ("array 16", "\xdc\xff\xff"),
    ("map 16 of half as many pairs and one", "\xde\x00\x33")
  ]

runs :: [(String, ByteString -> Either Error ())]
runs =
  [ ("any value", void . decodeValue),
    ("stepping over", decodeWith (Reader Read.skip) defaultLimits)
  ]

allocated :: ByteString -> IO (Either Error (), Int)
allocated input = do
  _ <- evaluate (B.length input)
  setAllocationCounter 0
  result <- evaluate (void (decodeValue input))
  used <- negate <$> getAllocationCounter
  pure (result, fromIntegral used)

-- | Refused, and with no more than @factor@ bytes for each byte of input.
atMost :: Int -> ByteString -> Assertion
atMost factor input = do
  (result, used) <- allocated input
  isRefused result @? show result
  assertBool
    (show used <> " bytes for " <> show (B.length input))
    (used <= factor * B.length input + 200000)

accepted :: ByteString -> Assertion
accepted input = do
  (result, used) <- allocated input
  result @?= Right ()
  -- The stack takes a chunk of 32 KiB at a time. An empty array of one byte
  -- takes 112 bytes, without optimisation 1,568.
  when
    (used > (if optimised then 200 else 3000) * B.length input + 70000)
    ( assertFailure
        (show used <> " bytes for " <> show (B.length input))
    )

-- | What can be nested, by the number of levels.
frames :: [(String, Int -> ByteString)]
frames =
  [ ("arrays", \n -> B.replicate (n - 1) 0x91 <> "\x90"),
    ("arrays of two", \n -> B.concat (replicate (n - 1) "\x92\xc0") <> "\x90"),
    ("maps", \n -> B.concat (replicate (n - 1) "\x81\xa1k") <> "\x80"),
    ("keys of maps", \n -> B.replicate (n - 1) 0x81 <> "\x80" <> B.replicate (n - 1) 0xc0),
    ("long arrays", \n -> B.concat (replicate (n - 1) "\xdd\x00\x00\x00\x01") <> "\xdc\x00\x00")
  ]

-- | Allowed up to the limit, and an error beyond that names it.
nested :: Int -> Int -> ByteString -> Assertion
nested most levels input = mapM_ (check . snd) ways
  where
    limits = defaultLimits {maxDepth = most}
    ways =
      [ ("any value", void (decodeValueWith limits input)),
        ( "stepping over",
          decodeWith (Reader Read.skip) limits input
        )
      ] ::
        [(String, Either Error ())]
    check = \case
      Right () -> assertBool (show levels <> " levels were read") (levels <= most)
      Left (Error _ _ (LimitExceeded (TooDeep n))) -> (n, levels > most) @?= (most, True)
      Left other -> assertFailure (show other)

errors :: [(ByteString, Text)]
errors =
  [ ("", "byte 0, at $: expected a value, found the end of the input"),
    ("\xc0\xc0", "byte 1, at $: expected the end of the input, found c0"),
    ("\x82\xa1\&a\x01\xa1\&b\xc1", "byte 6, at $.b: expected a value, found c1"),
    ("\x93\x01\x92\x02\xc1", "byte 4, at $[1][1]: expected a value, found c1"),
    ("\x81\x07\x91\xcd\x01", "byte 3, at $.7[0]: expected an integer, found the end of the input"),
    ("\x81\xd0\xf0\xc1", "byte 3, at $[\"-16\"]: expected a value, found c1"),
    ("\x81\x91\xc1\x01", "byte 2, at $: expected a value, found c1 01"),
    ("\x81\x91\x01\xc1", "byte 3, at $.array: expected a value, found c1"),
    ( "\x91\xdd\xff\xff\xff\xff\x00",
      "byte 1, at $[0]: claims 4294967295 bytes or values, but only 1 bytes are left"
    ),
    ("\x91\xa5\&abc", "byte 1, at $[0]: claims 5 bytes or values, but only 3 bytes are left"),
    ( "\x91\xd4\xff\x00",
      "byte 1, at $[0]: not a timestamp: 4, 8 or 12 bytes with less than a second of nanoseconds"
    ),
    ("\x92\xa2\&ab\xa2\xc3\x28", "byte 5, at $[1]: these bytes are not UTF-8")
  ]
