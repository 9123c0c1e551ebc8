{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Hostile CBOR: what claims more than there is, what is deeper than allowed,
-- frames without a length in each other; and that errors say where.
module Tern.Cbor.SafetyTest (tests) where

import Control.Exception (evaluate)
import Control.Monad (void, when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Either (fromLeft, isRight)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import GHC.Exts (Int (I#), minusAddr#, plusAddr#, (<#))
import Tern.Cbor.Value
  ( Value (..),
    checkDeterministic,
    decodeValue,
    decodeValueWith,
    diagnostic,
    encodeValue,
    toDeterministic,
    valueR,
  )
import Tern.Error
  ( Error (..),
    Exceeded (..),
    Expected (..),
    Path,
    Reason (..),
    Segment (..),
    renderBinaryError,
  )
import Tern.Internal.Ahead qualified as Ahead
import Tern.Internal.Cbor.Document (afterSelfDescribed, decodeWith, encodeWith, selfDescribed)
import Tern.Internal.Cbor.Read qualified as Read
import Tern.Internal.Cbor.Write qualified as Write
import Tern.Internal.Read (Reader (Reader), Step)
import Tern.Internal.Write (Writer (..), toFill)
import Tern.Limits (Limits (..), defaultLimits, unlimited)
import Tern.Prim.Cbor (constantSize, matchesConstant)
import Tern.Testkit.Allocation (allocatedBy, optimised)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "CBOR, hostile"
    [ testGroup
        "a length that is claimed allocates nothing for it"
        [ testCase (name <> " by " <> how) $ do
            let input = bytes <> B.replicate 100 0
            isRefused (run input) @? "accepted"
            used <- allocatedBy (isRefused . run) input
            assertBool (show used <> " bytes") (used < 2000)
          | (name, bytes) <- bombs,
            (how, run) <- runs
        ],
      testCase "nested claims do not add up" $ do
        -- Each head claims no more than what is left, and there are many.
        let deep = B.concat (replicate 500 "\x9a\x00\x01\x86\xa0") <> B.replicate 100000 0x80
            wide = "\x9a\x00\x00\x4e\x20" <> B.concat (replicate 20000 "\x99\x27\x10")
            maps = B.concat (replicate 500 "\xba\x00\x00\xc3\x50") <> B.replicate 100000 0xa0
        mapM_ (atMost 12) [deep, wide, maps],
      testCase "claims that add up to the whole document are no bombs" $ do
        let flat = "\x9a\x00\x01\x86\xa0" <> B.replicate 100000 0x80
            inside = B.replicate 400 0x81 <> "\x80"
            pairs = "\xa2" <> B.replicate 4 0xa0
            open = "\x9f" <> B.replicate 100000 0x80 <> "\xff"
            openInside = B.replicate 400 0x9f <> B.replicate 400 0xff
            chunks = "\x7f" <> B.replicate 100000 0x60 <> "\xff"
        mapM_ accepted [flat, inside, pairs, "\x82\x81\x80\x81\x80", open, openInside, chunks],
      testGroup
        "frames without a length in each other are not counted again and again"
        [ testCase name $ do
            works <-
              mapM (\levels -> work (document levels (400000 `div` levels))) [32, 64, 128, 256, 500]
            assertBool
              (show works)
              ( and
                  ( zipWith
                      (\few more -> 4 * more <= 5 * few)
                      works
                      (drop 1 works)
                  )
              )
          | (name, document) <- openFrames
        ],
      testGroup
        "levels of a few bytes cost in proportion to them"
        [ testCase name $ do
            works <- mapM (work . (`document` 0)) [500, 5000, 50000]
            let sizes = [B.length (document n 0) | n <- [500, 5000, 50000]]
            assertBool (show (works, sizes)) (and (zipWith (\n size -> n <= 8 * size) works sizes))
          | (name, document) <- openFrames
        ],
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
        let levels = B.replicate 10000000 0x81 <> "\xf6"
            tags = B.replicate 10000000 0xc1 <> "\xf6"
        void (decodeValue levels)
          @?= Left (Error 512 (replicate 512 (Index 0)) (LimitExceeded (TooDeep 512)))
        void (decodeValue tags) @?= Left (Error 512 [] (LimitExceeded (TooDeep 512)))
        decodeWith (Reader Read.skip) unlimited levels @?= Right ()
        decodeWith (Reader Read.skip) unlimited tags @?= Right (),
      testCase "an empty string without an address is not looked at" $ do
        failed B.empty @?= Error 0 [] (UnexpectedEnd AValue)
        decodeWith (Reader Read.skip) defaultLimits B.empty
          @?= Left (Error 0 [] (UnexpectedEnd AValue)),
      testCase "maxBytes" $ do
        void (decodeValueWith defaultLimits {maxBytes = 2} "\x81\x01") @?= Right ()
        void (decodeValueWith defaultLimits {maxBytes = 1} "\x81\x01")
          @?= Left (Error 1 [Index 0] (LimitExceeded (TooManyBytes 1))),
      testGroup
        "errors"
        [ testCase (T.unpack text) (renderBinaryError input (failed input) @?= text)
          | (input, text) <-
              errors
        ],
      testCase "an error of a text is at its first bad byte" $
        decodeWith (Reader Read.text) defaultLimits "\x63\&ab\xff"
          @?= Left (Error 3 [] InvalidUtf8),
      testCase "a character that two chunks share is no character" $ do
        decodeWith (Reader Read.text) defaultLimits "\x7f\x62\xc3\xbc\x60\xff" @?= Right "\xfc"
        decodeWith (Reader Read.text) defaultLimits "\x7f\x61\xc3\x61\xbc\xff"
          @?= Left (Error 2 [] InvalidUtf8)
        decodeWith (Reader Read.skip) defaultLimits "\x7f\x61\xc3\x61\xbc\xff"
          @?= Left (Error 2 [] InvalidUtf8),
      testCase "a path through ten thousand keys is found in one walk" $ do
        let input = "\xb9\x27\x11" <> B.concat (replicate 10000 "\x61k\x80") <> "\x61z\x1c"
        void (decodeValue input)
          @?= Left (Error (B.length input - 1) [Key "z"] (Unexpected AValue)),
      testCase "constants" $ do
        encodeWith constants () @?= "\x83\x63key\x78\x28" <> B.replicate 40 0x61 <> "\xa2"
        decodeWith (Reader key) defaultLimits "\x63key" @?= Right True
        decodeWith (Reader key) defaultLimits "\x63kez" @?= Left (Error 0 [] TrailingInput)
        decodeWith (Reader key) defaultLimits "\x63ke" @?= Left (Error 0 [] TrailingInput)
        decodeWith (Reader key) defaultLimits "\x78\x03key" @?= Left (Error 0 [] TrailingInput)
        decodeWith (Reader key40) defaultLimits ("\x78\x28" <> B.replicate 40 0x61) @?= Right True
        decodeWith (Reader key40) defaultLimits ("\x78\x28" <> B.replicate 39 0x61)
          @?= Left (Error 0 [] TrailingInput)
        decodeWith (Reader key) defaultLimits "" @?= Right False,
      testCase "counts, lengths and tags of constants" $
        [ encodeWith
            ( FillWriter
                ( \k ->
                    toFill (Write.arrayOf k <> Write.mapOf k <> Write.tagOf (fromIntegral k))
                )
            )
            n
          | n <-
              [0, 23, 24, 255, 256, 65535, 65536]
        ]
          @?= [ "\x80\xa0\xc0",
                "\x97\xb7\xd7",
                "\x98\x18\xb8\x18\xd8\x18",
                "\x98\xff\xb8\xff\xd8\xff",
                "\x99\x01\x00\xb9\x01\x00\xd9\x01\x00",
                "\x99\xff\xff\xb9\xff\xff\xd9\xff\xff",
                "\x9a\x00\x01\x00\x00\xba\x00\x01\x00\x00\xda\x00\x01\x00\x00"
              ],
      testCase "encoding a value allocates little beside its bytes" $ do
        used <- allocatedBy encodeValue (Array (pure (Unsigned 5)))
        assertBool (show used <> " bytes") (used < 200),
      testCase "a document that says what it is" $ do
        decodeWith (afterSelfDescribed (Reader Read.int)) defaultLimits (selfDescribed <> "\x05")
          @?= Right 5
        decodeWith (afterSelfDescribed (Reader Read.int)) defaultLimits "\x05" @?= Right 5
        decodeWith (afterSelfDescribed (Reader Read.int)) defaultLimits selfDescribed
          @?= Left (Error 0 [] (Unexpected AnInteger))
        decodeValue (selfDescribed <> "\x05") @?= Right (Tag 55799 (Unsigned 5)),
      testGroup
        "diagnostic notation"
        [ testCase (T.unpack text) (diagnostic input @?= Right text)
          | (input, text) <-
              shown
        ],
      testGroup
        "what is not deterministic"
        [ testCase
            (show input)
            ( checkDeterministic defaultLimits input
                @?= maybe (Right ()) (\(at, path, reason) -> Left (Error at path reason)) found
            )
          | (input, found) <- documents
        ],
      testCase "a key twice has no deterministic form" $ do
        isRight (toDeterministic defaultLimits "\xa2\x01\x00\x61\x61\x00") @? "refused"
        errorPath
          ( fromLeft
              (Error 0 [] TrailingInput)
              ( toDeterministic
                  defaultLimits
                  "\x81\xa2\x18\x01\x00\x01\x00"
              )
          )
          @?= [Index 0]
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

-- | Heads with lengths of four and eight bytes.
bombs :: [(String, ByteString)]
bombs =
  [ (kind <> " of " <> size, B.cons (major + info) n)
    | (kind, major) <- [("bytes", 0x40), ("text", 0x60), ("an array", 0x80), ("a map", 0xa0)],
      (size, info, n) <-
        [ ("2^32 - 1", 26, "\xff\xff\xff\xff"),
          ("2^64 - 1", 27, "\xff\xff\xff\xff\xff\xff\xff\xff"),
          ("2^63", 27, "\x80\0\0\0\0\0\0\0"),
          ("2^63 - 1", 27, "\x7f\xff\xff\xff\xff\xff\xff\xff"),
          ("2^62", 27, "\x40\0\0\0\0\0\0\0"),
          ("101", 24, "\x65")
        ]
  ]
    <> [ ("arrays of 2^31 in each other", B.concat (replicate 100 "\x9a\x80\x00\x00\x00")),
         ("a map of half as many pairs and one", "\xb9\x00\x33"),
         ("a chunk of 2^64 - 1", "\x5f\x5b\xff\xff\xff\xff\xff\xff\xff\xff"),
         ("an array of 2^32 in one without a length", "\x9f\x9a\xff\xff\xff\xff")
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
  -- takes some 110 bytes, without optimisation some 1,600.
  when
    (used > (if optimised then 200 else 3000) * B.length input + 70000)
    ( assertFailure
        (show used <> " bytes for " <> show (B.length input))
    )

-- | How many bytes were stepped over by notes when a value was read.
work :: ByteString -> IO Int
work input = case decodeWith counting unlimited input of
  Right n -> n <$ assertBool "nothing was counted" (n > 0)
  Left failure -> assertFailure (show failure)
  where
    counting = case valueR of
      Reader step -> Reader $ \ctx e c s -> case step ctx e c s of
        (# s1, c1, !_ #) -> case Ahead.stepped ctx s1 of (# s2, n #) -> (# s2, c1, n #)

-- | Frames that end with a break, by their levels and the bytes in each.
openFrames :: [(String, Int -> Int -> ByteString)]
openFrames =
  [ ( "arrays",
      \levels padding ->
        B.replicate levels 0x9f <> B.concat (replicate levels (padded padding <> "\xff"))
    ),
    ( "maps",
      \levels padding ->
        B.concat (replicate levels "\xbf\x01")
          <> "\x02"
          <> B.concat (replicate levels ("\x03" <> padded padding <> "\xff"))
    ),
    ( "arrays in arrays of one",
      \levels padding ->
        B.concat (replicate levels "\x9f\x81")
          <> "\x00"
          <> B.concat (replicate levels (padded padding <> "\xff"))
    ),
    ( "tagged arrays",
      \levels padding ->
        B.concat (replicate levels "\xc6\x9f")
          <> B.concat (replicate levels (padded padding <> "\xff"))
    )
  ]
  where
    padded n =
      let size =
            max 0 (n - 6)
       in B.pack
            [ 0x5a,
              fromIntegral (size `div` 16777216),
              fromIntegral (size `div` 65536),
              fromIntegral (size `div` 256),
              fromIntegral size
            ]
            <> B.replicate size 7

-- | What can be nested, by the number of levels.
frames :: [(String, Int -> ByteString)]
frames =
  [ ("arrays", \n -> B.replicate (n - 1) 0x81 <> "\x80"),
    ("arrays of two", \n -> B.concat (replicate (n - 1) "\x82\xf6") <> "\x80"),
    ("maps", \n -> B.concat (replicate (n - 1) "\xa1\x61k") <> "\xa0"),
    ("keys of maps", \n -> B.replicate (n - 1) 0xa1 <> "\xa0" <> B.replicate (n - 1) 0xf6),
    ("long arrays", \n -> B.concat (replicate (n - 1) "\x9a\x00\x00\x00\x01") <> "\x99\x00\x00"),
    ("arrays without a length", \n -> B.replicate n 0x9f <> B.replicate n 0xff),
    ( "maps without a length",
      \n ->
        B.concat (replicate (n - 1) "\xbf\x01") <> "\xbf" <> B.replicate n 0xff
    ),
    ("tags", \n -> B.replicate n 0xc6 <> "\xf6"),
    ( "tagged arrays without a length",
      \n ->
        B.concat (replicate (n `div` 2) "\xc6\x9f")
          <> (if odd n then "\x80" else "")
          <> B.replicate (n `div` 2) 0xff
    )
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
    ("\xf6\xf6", "byte 1, at $: expected the end of the input, found f6"),
    ("\xa2\x61\&a\x01\x61\&b\x1c", "byte 6, at $.b: expected a value, found 1c"),
    ("\x83\x01\x82\x02\x1c", "byte 4, at $[1][1]: expected a value, found 1c"),
    ("\xa1\x07\x81\x19\x01", "byte 3, at $.7[0]: expected an integer, found the end of the input"),
    ("\xa1\x2f\xfc", "byte 2, at $[\"-16\"]: expected a value, found fc"),
    ("\xa1\x81\x1c\x01", "byte 2, at $: expected a value, found 1c 01"),
    ("\xa1\x81\x01\x1c", "byte 3, at $.array: expected a value, found 1c"),
    ( "\x81\x9a\xff\xff\xff\xff\x00",
      "byte 1, at $[0]: claims 4294967295 bytes or values, but only 1 bytes are left"
    ),
    ("\x81\x65\&abc", "byte 1, at $[0]: claims 5 bytes or values, but only 3 bytes are left"),
    ("\x81\xf8\x18", "byte 1, at $[0]: expected a value, found f8 18"),
    ("\x82\x62\&ab\x62\xc3\x28", "byte 5, at $[1]: these bytes are not UTF-8"),
    ("\x9f\x01\xbf\x61\&a\xff", "byte 5, at $[1].a: expected a value, found ff"),
    ("\x9f\x01\x9f\x01\xff\x1c\xff", "byte 5, at $[2]: expected a value, found 1c ff"),
    ("\x9f\x01", "byte 2, at $[1]: expected a value, found the end of the input"),
    ("\xbf\x7f\x61\&a\x61\&b\xff\x81\xff\xff", "byte 8, at $.ab[0]: expected a value, found ff ff"),
    ( "\x81\x7f\x61\&a\x41\&b\xff",
      "byte 4, at $[0]: expected a chunk of the same string, or its end, found 41 62 ff"
    ),
    ("\x81\x5f\x41", "byte 2, at $[0]: claims 1 bytes or values, but only 0 bytes are left"),
    ("\x81\xc1\x82\x01\xfe", "byte 4, at $[0][1]: expected a value, found fe"),
    ("\xa1\xc1\x01\xfe", "byte 3, at $.1: expected a value, found fe"),
    ("\xff", "byte 0, at $: expected a value, found ff"),
    ("\x82\x00\xff", "byte 2, at $[1]: expected a value, found ff")
  ]

shown :: [(ByteString, Text)]
shown =
  [ ("\x5f\xff", "''_"),
    ("\x7f\xff", "\"\"_"),
    ("\x9f\xff", "[_ ]"),
    ("\xbf\xff", "{_ }"),
    ("\x5f\x41\x01\x40\xff", "(_ h'01', h'')"),
    ("\x9f\x01\x82\x02\x03\xff", "[_ 1, [2, 3]]"),
    ("\xbf\x01\x02\xf9\x7e\x00\xf8\x20\xff", "{_ 1: 2, NaN: simple(32)}"),
    ("\x3b\xff\xff\xff\xff\xff\xff\xff\xff", "-18446744073709551616"),
    ("\x67\&a\"\\\n\t\x01z", "\"a\\\"\\\\\\n\\t\\u0001z\""),
    ("\xf9\x80\x00", "-0.0"),
    ("\xfb\x7e\x37\xe4\x3c\x88\x00\x75\x9c", "1.0e300"),
    ("\xd9\xd9\xf7\xc2\x41\xff", "55799(2(h'ff'))")
  ]

-- | Documents and where they are not deterministic.
documents :: [(ByteString, Maybe (Int, Path, Reason))]
documents =
  [ ("\xa2\x61\&a\x01\x61\&b\x02", Nothing),
    ("\xa2\x61\&b\x01\x61\&a\x02", Just (4, [], KeyOutOfOrder)),
    ("\xa2\x61\&a\x01\x61\&a\x02", Just (4, [], KeyOutOfOrder)),
    -- By their bytes: numbers before texts, shorter texts before longer ones.
    ("\xa3\x0a\x00\x61z\x00\x62\&aa\x00", Nothing),
    ("\xa2\x62\&aa\x00\x61z\x00", Just (5, [], KeyOutOfOrder)),
    ("\x81\x18\x17", Just (1, [Index 0], NotDeterministic)),
    ("\x81\x19\x00\xff", Just (1, [Index 0], NotDeterministic)),
    ("\x81\x1a\x00\x00\xff\xff", Just (1, [Index 0], NotDeterministic)),
    ("\x81\x1b\x00\x00\x00\x00\xff\xff\xff\xff", Just (1, [Index 0], NotDeterministic)),
    ("\x82\x00\x9f\xff", Just (2, [Index 1], NotDeterministic)),
    ("\xbf\xff", Just (0, [], NotDeterministic)),
    ("\x7f\xff", Just (0, [], NotDeterministic)),
    ("\x5f\xff", Just (0, [], NotDeterministic)),
    ("\xfa\x3f\x80\x00\x00", Just (0, [], NotDeterministic)),
    ("\xfa\x3f\x80\x00\x01", Nothing),
    ("\xfb\x7f\xf8\x00\x00\x00\x00\x00\x00", Just (0, [], NotDeterministic)),
    ("\xfb\x7f\xf8\x00\x00\x00\x00\x00\x01", Nothing),
    ("\xc2\x48\xff\xff\xff\xff\xff\xff\xff\xff", Just (0, [], NotDeterministic)),
    ("\xc2\x49\x00\xff\xff\xff\xff\xff\xff\xff\xff", Just (0, [], NotDeterministic)),
    ("\xc3\x49\x01\x00\x00\x00\x00\x00\x00\x00\x00", Nothing),
    ("\x82\x00\xc6\x18\x01", Just (3, [Index 1], NotDeterministic)),
    ("\x82\x00\x1c", Just (2, [Index 1], Unexpected AValue))
  ]
