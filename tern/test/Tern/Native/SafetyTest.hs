{-# LANGUAGE OverloadedStrings #-}

-- | Hostile native documents: what claims more than there is, what is deeper
-- than allowed, what has another spelling; and that errors say where.
module Tern.Native.SafetyTest (tests) where

import Control.Exception (evaluate)
import Control.Monad (forM, void, when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Char (GeneralCategory (Surrogate), generalCategory)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Data.Vector.Primitive qualified as P
import Data.Vector.Storable qualified as S
import Data.Vector.Unboxed qualified as U
import Data.Word (Word8)
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import Tern
import Tern.Internal.Native.Document (decodeWith, encodeWith)
import Tern.Internal.Native.Layout (Layout (..))
import Tern.Internal.Native.List (ascendingR, listR, maybeR)
import Tern.Internal.Native.Read qualified as Read
import Tern.Internal.Native.Reader (NativeReader)
import Tern.Internal.Native.Record
  ( alternative,
    field,
    oneOf,
    orElse,
    record,
    recursive,
    recursiveOneOf,
  )
import Tern.Internal.Native.Vector (primitiveR, vectorR)
import Tern.Internal.Native.Write qualified as Write
import Tern.Testkit.Allocation (allocatedBy, optimised)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "native, hostile"
    [ testGroup
        "a length of 2^60 allocates nothing for it"
        [ testCase name $ do
            let input = "\xff\x10\x00\x00\x00\x00\x00\x00\x00" <> B.replicate 100 0
            isRefused (run input) @? "accepted"
            used <- allocatedBy (isRefused . run) input
            assertBool (show used <> " bytes") (used < 1500)
          | (name, run) <- runs
        ],
      testGroup
        "a full chunk of which little is there allocates little"
        [ testCase name $ do
            let input = "\x90\x00" <> B.replicate 100 0
            isRefused (run input) @? "accepted"
            used <- allocatedBy (isRefused . run) input
            assertBool (show used <> " bytes") (used < 1500)
          | (name, run) <- runs
        ],
      testCase "claims do not add up" $ do
        -- Each chunk claims no more than what is left, and there are many: what
        -- is allocated for one is kept by the list around it. Without the budget it
        -- would be 130 MB.
        let input = "\x90\x00" <> B.concat (replicate 4096 "\x90\x00") <> B.replicate 4000 0xff
        atMost
          200
          input
          ( void
              . decodeWith
                (List (List Varint))
                ( listR
                    (vectorR Read.int :: NativeReader (V.Vector Int))
                )
                defaultLimits
          )
        -- And 160 MB here, where code without optimisation takes 40.
        atMost
          4000
          ( B.concat (replicate 5000 "\x90\x00")
              <> B.replicate 8192 0
          )
          (void . decodeWith nestLayout nestV unlimited),
      testCaseInfo "what lists and vectors allocate for a byte" $ do
        -- Elements of a byte or a few, which are lists themselves, in chunks without end.
        let chunked n x =
              B.concat (replicate n ("\x90\x00" <> B.concat (replicate 4096 x)) <> ["\0"])
            documents =
              [ chunked 10 x
                | x <-
                    ["\0", "\1\0", "\1\1\0", "\2\0\0", "\1\1\1\0", "\4\0\0\0\0", "\1\1\1"]
              ]
            inputs = documents <> map B.init documents <> [B.concat (replicate 40000 "\x90\x00")]
        most <- forM claimed $ \(name, run) -> do
          costs <- forM inputs $ \input -> do
            (_, used) <- allocated run input
            let each = (used - 200000) `quot` B.length input
            when (each > if optimised then 100 else 3000) $
              assertFailure
                ( name
                    <> ": "
                    <> show used
                    <> " bytes for "
                    <> show (B.length input)
                    <> " that begin with "
                    <> show (B.take 6 input)
                )
            pure (fromIntegral used / fromIntegral (B.length input) :: Double)
          pure (name <> " " <> show (ceiling (maximum costs) :: Int))
        pure (show most),
      testCase "claims that add up to the whole document are no bombs" $ do
        let inside = B.replicate 400 1 <> "\0"
            flat' = "\x90\x00" <> B.replicate 4096 0 <> "\0"
        void (decodeWith nestLayout nestV defaultLimits inside) @?= Right ()
        void (decodeWith nestLayout nestV defaultLimits flat') @?= Right (),
      testCase "units have a byte each, so that a list of them is no bomb" $ do
        let units = decodeWith (List (Bytes 1)) (listR unit) defaultLimits
        units "\x03\x00\x00\x00" @?= Right [(), (), ()]
        void (units "\x90\x00\x90\x00") @?= Left (Error 0 [] (Overclaimed 4096 2))
        void (units "\x01\x01") @?= Left (Error 1 [Index 0] (NoConstructor 1 1)),
      testGroup
        "maxDepth"
        [ testCase name $
            sequence_
              [ nested most levels (document levels) run
                | most <-
                    [1, 2, 511, 512, 513, 3000],
                  levels <- [most - 1, most, most + 1],
                  levels > 0
              ]
          | (name, document, run) <- recursions
        ],
      testCase "ten million levels are refused, or read in proportion to them" $ do
        let levels = B.replicate 10000000 1 <> "\0"
        void (decodeWith nestLayout nest defaultLimits levels)
          @?= Left (Error 512 (replicate 512 (Index 0)) (LimitExceeded (TooDeep 512)))
        fmap depthOf (decodeWith nestLayout nest unlimited levels) @?= Right 10000001,
      testCase "maxBytes" $ do
        void (decodeWith String Read.text defaultLimits {maxBytes = 2} "\x01\&a") @?= Right ()
        void (decodeWith String Read.text defaultLimits {maxBytes = 1} "\x01\&a")
          @?= Left (Error 1 [] (LimitExceeded (TooManyBytes 1))),
      testCase "time is linear: what is refused at its end is read once" $ do
        -- By the bytes that reading allocates, which are its list's.
        let input n =
              "\x90\x00" <> B.concat (replicate n ("\x90\x00" <> B.replicate 4096 7)) <> "\x01\x02"
            document n = B.concat (replicate n ("\x90\x00" <> B.replicate 4096 7)) <> "\x01\x07\x07"
            go = void . decodeWith (List (Bytes 1)) (listR Read.word8) defaultLimits
        isLeft (go (input 1)) @? "accepted"
        (_, one) <- allocated go (document 20)
        (_, two) <- allocated go (document 40)
        assertBool (show (one, two)) (two <= 2 * one + 200),
      testCase "every character of Unicode, and no half of a surrogate pair" $ do
        let written c = encodeWith Write.char c
            again = decodeWith Varint Read.char defaultLimits
        [ c
          | c <-
              [minBound .. maxBound],
            again (written c) /= Right (if isSurrogate c then '\xfffd' else c)
          ]
          @?= []
        [ n
          | n <-
              [0xd7fe .. 0xe001] <> [0x10fffe .. 0x110001] <> [0x11ffff, 2 ^ (32 :: Int)],
            isLeft (again (encodeWith Write.word n))
              /= (n >= 0xd800 && n <= 0xdfff || n > 0x10ffff)
          ]
          @?= [],
      testGroup
        "every byte of a varint"
        [ testCase (show input) (readsWord input @?= expected)
          | (input, expected) <-
              varints
        ],
      testGroup "errors" [testCase (T.unpack text) (render @?= text) | (render, text) <- errors]
    ]

isSurrogate :: Char -> Bool
isSurrogate c = generalCategory c == Surrogate

isLeft :: Either a b -> Bool
isLeft = either (const True) (const False)

unit :: NativeReader ()
unit = oneOf (alternative (pure ()))

isRefused :: Either Error () -> Bool
isRefused = \case
  Left (Error _ _ reason) -> case reason of
    Overclaimed {} -> True
    ChunkTooLong {} -> True
    UnexpectedEnd {} -> True
    _ -> False
  Right () -> False

runs :: [(String, ByteString -> Either Error ())]
runs =
  [ ("text", go String Read.text),
    ("bytes", go String Read.bytes),
    ("Integer", go Magnitude Read.integer . ("\xff" <>)),
    ("a list of bytes", go (List (Bytes 1)) (listR Read.word8)),
    ("a list of units", go (List (Bytes 1)) (listR unit)),
    ("a list of numbers", go (List Varint) (listR Read.int)),
    ("a list of texts", go (List String) (listR Read.text)),
    ("a vector of doubles", go (List (Bytes 8)) (primitiveR :: NativeReader (P.Vector Double))),
    ( "a boxed vector of numbers",
      go (List Varint) (vectorR Read.int :: NativeReader (V.Vector Int))
    ),
    ( "a boxed vector of texts",
      go (List String) (vectorR Read.text :: NativeReader (V.Vector Text))
    ),
    ("an ascending list", go (List Varint) (ascendingR (<) Read.int))
  ]
  where
    go :: Layout -> NativeReader a -> ByteString -> Either Error ()
    go layout r = void . decodeWith layout r defaultLimits

-- | Types whose values are small on the wire, and lists within each other.
claimed :: [(String, ByteString -> Either Error ())]
claimed =
  [ ("[[[()]]]", void . decodeNativeWith @[[[()]]] unlimited),
    ("V (V (V ()))", void . decodeNativeWith @(V.Vector (V.Vector (V.Vector ()))) unlimited),
    ("V (V Int)", void . decodeNativeWith @(V.Vector (V.Vector Int)) unlimited),
    ("V (V Text)", void . decodeNativeWith @(V.Vector (V.Vector Text)) unlimited),
    ("V (U Int)", void . decodeNativeWith @(V.Vector (U.Vector Int)) unlimited),
    ("V (U Double)", void . decodeNativeWith @(V.Vector (U.Vector Double)) unlimited),
    ( "V (U (FixedWidth Int))",
      void . decodeNativeWith @(V.Vector (U.Vector (FixedWidth Int))) unlimited
    ),
    ("V (U Word8)", void . decodeNativeWith @(V.Vector (U.Vector Word8)) unlimited),
    ("V (S Double)", void . decodeNativeWith @(V.Vector (S.Vector Double)) unlimited),
    ( "V (P Double)",
      void
        . decodeWith
          (List (List (Bytes 8)))
          ( vectorR primitiveR ::
              NativeReader (V.Vector (P.Vector Double))
          )
          unlimited
    ),
    ("V (Maybe (V Int))", void . decodeNativeWith @(V.Vector (Maybe (V.Vector Int))) unlimited),
    ("[Text]", void . decodeNativeWith @[Text] unlimited),
    ("[Map Int Int]", void . decodeNativeWith @[Map.Map Int Int] unlimited),
    ("V (V Integer)", void . decodeNativeWith @(V.Vector (V.Vector Integer)) unlimited)
  ]

-- | A tree of nothing but lists, and one of vectors.
newtype Nest = Nest [Nest]

newtype NestV = NestV (V.Vector NestV)

nest :: NativeReader Nest
nest = recursive (Nest <$> field (listR nest))

nestV :: NativeReader NestV
nestV = recursive (NestV <$> field (vectorR nestV))

nestLayout :: Layout
nestLayout = List nestLayout

depthOf :: Nest -> Int
depthOf = go 0
  where
    go n (Nest inner) = case inner of
      [] -> n + 1
      first : _ -> go (n + 1 :: Int) first

-- | A list in all but name.
data Chain = End | Link Word8 Chain

chain :: NativeReader Chain
chain =
  recursiveOneOf
    ( alternative (pure End)
        `orElse` alternative (Link <$> field Read.word8 <*> field chain)
    )

chainLayout :: Layout
chainLayout = Sum [[], [(Nothing, Bytes 1), (Nothing, chainLayout)]]

recursions :: [(String, Int -> ByteString, Limits -> ByteString -> Either Error ())]
recursions =
  [ ( "lists",
      \n ->
        B.replicate (n - 1) 1 <> "\0",
      \limits -> void . decodeWith nestLayout nest limits
    ),
    ( "vectors",
      \n ->
        B.replicate (n - 1) 1 <> "\0",
      \limits -> void . decodeWith nestLayout nestV limits
    ),
    ( "constructors",
      \n ->
        B.concat (replicate (n - 1) "\x01\x07") <> "\0",
      \limits -> void . decodeWith chainLayout chain limits
    )
  ]

-- | Allowed up to the limit, and an error beyond that names it.
nested :: Int -> Int -> ByteString -> (Limits -> ByteString -> Either Error ()) -> Assertion
nested most levels input run = case run defaultLimits {maxDepth = most} input of
  Right () -> assertBool (show levels <> " levels were read") (levels <= most)
  Left (Error _ _ (LimitExceeded (TooDeep n))) -> (n, levels > most) @?= (most, True)
  Left other -> assertFailure (show other)

allocated :: (ByteString -> Either Error ()) -> ByteString -> IO (Either Error (), Int)
allocated run input = do
  _ <- evaluate (B.length input)
  setAllocationCounter 0
  result <- evaluate (run input)
  used <- negate <$> getAllocationCounter
  pure (result, fromIntegral used)

-- | Refused, and with no more than @factor@ bytes for each byte of input.
atMost :: Int -> ByteString -> (ByteString -> Either Error ()) -> Assertion
atMost factor input run = do
  (result, used) <- allocated run input
  isRefused result @? show result
  -- The stack takes a chunk of 32 KiB at a time.
  when
    (used > factor * B.length input + 200000)
    ( assertFailure
        (show used <> " bytes for " <> show (B.length input))
    )

readsWord :: ByteString -> Either Error Word
readsWord = decodeWith Varint Read.word defaultLimits

varints :: [(ByteString, Either Error Word)]
varints =
  [ ("", cut 0),
    ("\x80", cut 1),
    ("\x80\x7f", Left (Error 0 [] Overlong)),
    ("\x80\x80", Right 128),
    ("\xc0\x3f\xff", Left (Error 0 [] Overlong)),
    ("\xc0\x40\x00", Right 16384),
    ("\xe0\x1f\xff\xff", Left (Error 0 [] Overlong)),
    ("\xe0\x20\x00\x00", Right 2097152),
    ("\xf0\x0f\xff\xff\xff", Left (Error 0 [] Overlong)),
    ("\xf8\x07\xff\xff\xff\xff", Left (Error 0 [] Overlong)),
    ("\xfc\x03\xff\xff\xff\xff\xff", Left (Error 0 [] Overlong)),
    ("\xfe\x01\xff\xff\xff\xff\xff\xff", Left (Error 0 [] Overlong)),
    ("\xff\x00\xff\xff\xff\xff\xff\xff\xff", Left (Error 0 [] Overlong)),
    ("\xff\xff\xff\xff\xff\xff\xff\xff", cut 8),
    ("\xff\xff\xff\xff\xff\xff\xff\xff\xff", Right maxBound),
    ("\x00\x00", Left (Error 1 [] TrailingInput))
  ]
  where
    cut n = Left (Error n [] (UnexpectedEnd AValue))

errors :: [(Text, Text)]
errors =
  [ ( failed
        person
        ( record
            ( (,,)
                <$> field Read.text
                <*> field Read.int
                <*> field (maybeR Read.char)
            )
        )
        "\x02\&ab\x80\x05\x00",
      "byte 3, at $.age: the number is not written in as few bytes as it could be"
    ),
    ( failed
        person
        ( record
            ( (,,)
                <$> field Read.text
                <*> field Read.int
                <*> field (maybeR Read.char)
            )
        )
        "\x02\&ab\x05\x02",
      "byte 4, at $.initial: the type has no constructor 2, only 0 to 1"
    ),
    ( failed
        person
        ( record
            ( (,,)
                <$> field Read.text
                <*> field Read.int
                <*> field (maybeR Read.char)
            )
        )
        "\x02\&ab\x05",
      "byte 4, at $.initial: expected a value, found the end of the input"
    ),
    ( failed
        person
        ( record
            ( (,,)
                <$> field Read.text
                <*> field Read.int
                <*> field (maybeR Read.char)
            )
        )
        "\x02\&a\xff\x05\x00",
      "byte 2, at $.name: these bytes are not UTF-8"
    ),
    ( failed
        (Map String (List Varint))
        ( ascendingR
            (\(a, _) (b, _) -> a < b)
            ( record
                ((,) <$> field Read.text <*> field (listR Read.int))
            )
        )
        "\x02\x01k\x01\x00\x01z\x02\x00\x80\x00",
      "byte 9, at $.z[1]: the number is not written in as few bytes as it could be"
    ),
    ( failed
        (Map String (Bytes 1))
        ( ascendingR
            (\(a, _) (b, _) -> a < b)
            (record ((,) <$> field Read.text <*> field Read.bool))
        )
        "\x02\x01k\x01\x01k\x01",
      "byte 4, at $: the key is not above the one before it"
    ),
    ( failed
        (List (Record []))
        ( listR
            (record ((,) <$> field Read.bool <*> field Read.bool))
        )
        "\x85\x00",
      "byte 0, at $: claims 1280 bytes or values, but only 0 bytes are left"
    ),
    (failed Varint Read.char "\xd1\x00\x00", "byte 0, at $: the number does not fit Char"),
    ( failed
        (List Varint)
        (listR Read.char)
        "\x03\x61\xc0\xd8\x00\x62",
      "byte 2, at $[1]: the number does not fit Char"
    ),
    ( failed
        person
        ( record
            ( (,,)
                <$> field Read.text
                <*> field Read.int
                <*> field (maybeR Read.char)
            )
        )
        "\x02\&ab\x05\x01\xc0\xdf\xff",
      "byte 5, at $.initial[0]: the number does not fit Char"
    )
  ]
  where
    person =
      Record
        [ (Just "name", String),
          (Just "age", Varint),
          (Just "initial", Sum [[], [(Nothing, Varint)]])
        ]
    failed :: Layout -> NativeReader a -> ByteString -> Text
    failed layout r input =
      either (renderBinaryError input) (const "") (decodeWith layout r defaultLimits input)
