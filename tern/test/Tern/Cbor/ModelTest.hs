{-# LANGUAGE OverloadedStrings #-}

-- | Tern against the slow model, on documents of any shape.
--
-- > bytes --model--> Item
-- >   |                |
-- >  Tern             the same?
-- >   v                |
-- > Value ----view-----+
module Tern.Cbor.ModelTest
  ( tests,
    item,
    value,
    view,
  )
where

import Control.Monad (void)
import Data.Bifunctor (bimap)
import Data.ByteString qualified as B
import Data.Either (isLeft)
import Data.Int (Int8)
import Data.List (nub)
import Data.Maybe (isNothing)
import Data.Text qualified as T
import Data.Vector qualified as V
import Data.Word (Word32, Word64, Word8)
import GHC.Float
  ( castDoubleToWord64,
    castFloatToWord32,
    castWord32ToFloat,
    castWord64ToDouble,
    double2Float,
  )
import Tern.Cbor.Model (Item)
import Tern.Cbor.Model qualified as Model
import Tern.Cbor.Value
  ( Value (..),
    checkDeterministic,
    deterministic,
    diagnostic,
    diagnosticValue,
    simple,
    simpleNumber,
    toDeterministic,
  )
import Tern.Cbor.Value qualified as Value
import Tern.Error (Error (..))
import Tern.Internal.Cbor.Document (decodeWith, encodeWith)
import Tern.Internal.Cbor.Read qualified as Read
import Tern.Internal.Cbor.Write qualified as Write
import Tern.Internal.Read (Reader (Reader))
import Tern.Json.Seeded (seeded)
import Tern.Limits (Limits (..), defaultLimits)
import Tern.Prim.Cbor (doubleToHalf, halfToDouble)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (Negative)

tests :: TestTree
tests =
  testGroup
    "CBOR against the model"
    [ testGroup
        "reading"
        [ seeded "documents in any encoding" 4000 $ forAll item $ \i ->
            forAll (Model.spelled i) $ \bytes ->
              conjoin [sameReading bytes, Model.readDocument 512 bytes === Just i],
          seeded "documents with faults" 20000 $
            forAll (mutated =<< Model.spelled =<< item) sameReading,
          seeded "documents cut short at every byte" 500 $
            forAll (Model.spelled =<< item) $ \bytes ->
              conjoin
                [ counterexample (show n) (isRefused (take n bytes))
                  | n <-
                      [0 .. length bytes - 1]
                ],
          seeded "something after" 1000 $ forAll (Model.spelled =<< item) $ \bytes ->
            forAll arbitrary $ \b -> isRefused (bytes <> [b]),
          seeded "bytes that look like CBOR" 40000 $ forAll (listOf likely) sameReading,
          seeded "any bytes" 10000 $ forAll (listOf arbitrary) sameReading,
          testCaseInfo "all of one and two bytes" $ do
            let short = [[b] | b <- [0 ..]] <> [[a, b] | a <- [0 ..], b <- [0 ..]]
            sequence_ [assertBool (show bytes) (agreed bytes) | bytes <- short]
            pure (show (length short) <> " cases ran"),
          seeded "levels" 2000 $ forAll (choose (0, 6)) $ \levels ->
            forAll (Model.spelled =<< item) $ \bytes ->
              fmap view (Value.decodeValueWith defaultLimits {maxDepth = levels} (B.pack bytes))
                `agrees` Model.readDocument levels bytes
        ],
      testGroup
        "writing"
        [ seeded "documents, shortest" 4000 $ forAll item $ \i ->
            Value.encodeValue (value i) === B.pack (Model.shortest i),
          seeded "what is read is written again" 4000 $ forAll item $ \i ->
            forAll (Model.spelled i) $ \bytes ->
              fmap Value.encodeValue (Value.decodeValue (B.pack bytes))
                === Right (B.pack (Model.shortest i)),
          seeded "a value is read as it was" 4000 $ forAll item $ \i ->
            Value.decodeValue (Value.encodeValue (value i)) === Right (value i),
          seeded "integers of any size" 20000 $ forAll integer $ \n ->
            conjoin
              [ Value.asInteger (Value.integer n)
                  === Just n,
                (view (Value.integer n) == Model.Integer n)
                  === (n >= -(2 ^ (64 :: Int)) && n < 2 ^ (64 :: Int))
              ],
          seeded "Int" 10000 $ forAll arbitraryBoundedIntegral $ \n ->
            encodeWith Write.int n
              === B.pack (Model.shortest (Model.Integer (toInteger (n :: Int)))),
          testCaseInfo "every number of two bytes, to a double and back" $ do
            sequence_
              [ do
                  castDoubleToWord64 (halfToDouble h) @?= Model.fromHalf (toInteger h)
                  doubleToHalf (halfToDouble h) @?= Just h
                | h <- [minBound .. maxBound]
              ]
            pure "65536 cases ran",
          seeded "Float in as few bytes as hold it" 20000 $ forAll singles $ \w ->
            encodeWith Write.float (castWord32ToFloat w)
              === B.pack (Model.shortest (Model.Float (Model.fromSingle (toInteger w))))
        ],
      testGroup
        "deterministic"
        [ seeded "as the model's" 4000 $ forAll item $ \i ->
            Value.encodeValue (deterministic (value i)) === B.pack (Model.deterministic i),
          seeded "just those documents pass" 20000 $ forAll (oneof [small, item]) $ \i ->
            forAll
              ( oneof
                  [ Model.spelled
                      i,
                    pure (Model.shortest i),
                    pure (Model.deterministic i)
                  ]
              )
              $ \bytes ->
                (checkDeterministic defaultLimits (B.pack bytes) == Right ())
                  === (bytes == Model.deterministic i && unrepeated i),
          seeded "made, it passes" 4000 $ forAll (Model.spelled =<< item) $ \bytes ->
            case (toDeterministic defaultLimits (B.pack bytes), Model.readDocument 512 bytes) of
              (Right made, Just i) ->
                conjoin
                  [ made
                      === B.pack (Model.deterministic i),
                    checkDeterministic defaultLimits made === Right ()
                  ]
              (Left _, Just i) -> property (not (unrepeated i))
              (made, Nothing) -> property (isLeft made)
        ],
      testGroup
        "diagnostic notation"
        [ seeded "of every document, and of no other" 4000 $
            forAll (mutated =<< Model.spelled =<< item) $ \bytes ->
              isLeft (diagnostic (B.pack bytes)) === isNothing (Model.readDocument 512 bytes),
          seeded "of two documents with lengths it is the same if they say the same" 4000 $
            forAll item $ \i ->
              Right (diagnosticValue (value i)) === diagnostic (B.pack (Model.shortest i))
        ],
      testGroup
        "reading numbers"
        [ seeded "Int" 10000 $ number $ \i bytes ->
            decodeWith (Reader Read.int) defaultLimits bytes
              `agrees` (fromInteger <$> fitting (minBound :: Int) i),
          seeded "Word" 10000 $ number $ \i bytes ->
            decodeWith (Reader Read.word) defaultLimits bytes
              `agrees` (fromInteger <$> fitting (minBound :: Word) i),
          seeded "Int8" 10000 $ number $ \i bytes ->
            decodeWith (Reader (Read.intWithin "Int8" (-128) 127)) defaultLimits bytes
              `agrees` (fromInteger <$> fitting (minBound :: Int8) i),
          seeded "Word8" 10000 $ number $ \i bytes ->
            decodeWith (Reader (Read.wordWithin "Word8" 255)) defaultLimits bytes
              `agrees` (fromInteger <$> fitting (minBound :: Word8) i),
          seeded "Double" 10000 $ number $ \i bytes ->
            fmap castDoubleToWord64 (decodeWith (Reader Read.double) defaultLimits bytes)
              `agrees` case i of
                Model.Integer n -> Just (castDoubleToWord64 (fromRational (toRational n)))
                Model.Float w -> Just w
                _ -> Nothing,
          seeded "Float" 10000 $ number $ \i bytes ->
            fmap castFloatToWord32 (decodeWith (Reader Read.float) defaultLimits bytes)
              `agrees` case i of
                Model.Integer n -> Just (castFloatToWord32 (fromRational (toRational n)))
                Model.Float w -> case [s | s <- guesses w, Model.fromSingle (toInteger s) == w] of
                  s : _ -> Just s
                  [] -> Just (castFloatToWord32 (double2Float (castWord64ToDouble w)))
                _ -> Nothing
        ]
    ]
  where
    guesses w =
      [ castFloatToWord32 (double2Float (castWord64ToDouble w)),
        fromIntegral (w `div` 2 ^ (32 :: Int) `mod` 2 ^ (32 :: Int) `div` 2 ^ (31 :: Int))
          * 2147483648
          + 0x7f800000
          + fromIntegral (w `div` 2 ^ (29 :: Int) `mod` 8388608)
      ]

-- * Reading

-- | Both accept and understand the same, or both refuse; stepping over does as
-- reading does; an error lies in the input.
sameReading :: [Word8] -> Property
sameReading bytes =
  conjoin
    [ fmap view ours `agrees` theirs,
      counterexample
        "stepped over"
        ( decodeWith (Reader Read.skip) defaultLimits input
            `agrees` void theirs
        ),
      case ours of
        Left (Error offset path _) ->
          counterexample
            (show offset)
            ( offset >= 0
                && offset <= B.length input
                && length path <= offset
            )
        Right _ -> property True
    ]
  where
    input = B.pack bytes
    ours = Value.decodeValue input
    theirs = Model.readDocument 512 bytes

agreed :: [Word8] -> Bool
agreed bytes =
  either (const Nothing) (Just . view) (Value.decodeValue input) == theirs
    && either
      (const Nothing)
      Just
      (decodeWith (Reader Read.skip) defaultLimits input)
      == void theirs
  where
    input = B.pack bytes
    theirs = Model.readDocument 512 bytes

agrees :: (Eq a, Show a) => Either Error a -> Maybe a -> Property
agrees ours theirs = counterexample (show ours) (either (const Nothing) Just ours === theirs)

isRefused :: [Word8] -> Bool
isRefused bytes = case ( Value.decodeValue
                           (B.pack bytes),
                         decodeWith (Reader Read.skip) defaultLimits (B.pack bytes)
                       ) of
  (Left _, Left _) -> True
  _ -> False

view :: Value -> Item
view = \case
  Unsigned w -> Model.Integer (toInteger w)
  Negative w -> Model.Integer (-1 - toInteger w)
  Float x -> Model.Float (castDoubleToWord64 x)
  Bool b -> Model.Simple (if b then 21 else 20)
  Null -> Model.Simple 22
  Undefined -> Model.Simple 23
  Simple v -> Model.Simple (toInteger (simpleNumber v))
  Bytes b -> Model.Bytes (B.unpack b)
  Text t -> Model.Text (T.unpack t)
  Array vs -> Model.Array (map view (V.toList vs))
  Map pairs -> Model.Map (map (bimap view view) (V.toList pairs))
  Tag n v -> Model.Tag (toInteger n) (view v)

-- | The other way round.
value :: Item -> Value
value = \case
  Model.Integer n
    | n >= 0 -> Unsigned (fromInteger n)
    | otherwise -> Negative (fromInteger (-1 - n))
  Model.Float w -> Float (castWord64ToDouble w)
  Model.Simple 20 -> Bool False
  Model.Simple 21 -> Bool True
  Model.Simple 22 -> Null
  Model.Simple n -> maybe Undefined Simple (simple (fromInteger n))
  Model.Bytes b -> Bytes (B.pack b)
  Model.Text t -> Text (T.pack t)
  Model.Array items -> Array (V.fromList (map value items))
  Model.Map pairs -> Map (V.fromList (map (bimap value value) pairs))
  Model.Tag n i -> Tag (fromInteger n) (value i)

-- | Has no map a key twice, once all are in deterministic form?
unrepeated :: Item -> Bool
unrepeated = \case
  Model.Array items -> all unrepeated items
  Model.Map pairs ->
    length (nub (map (Model.deterministic . fst) pairs)) == length pairs
      && all (\(k, v) -> unrepeated k && unrepeated v) pairs
  Model.Tag _ i -> unrepeated i
  _ -> True

-- | A number in any encoding, or something else.
number :: (Item -> B.ByteString -> Property) -> Property
number check =
  forAll
    ( frequency
        [ (6, Model.Integer <$> integer64),
          (4, Model.Float <$> double),
          (1, item)
        ]
    )
    $ \i ->
      forAll (Model.spelled i) $ \bytes -> check i (B.pack bytes)

fitting :: forall a. (Bounded a, Integral a) => a -> Item -> Maybe Integer
fitting _ = \case
  Model.Integer n | n >= toInteger (minBound :: a), n <= toInteger (maxBound :: a) -> Just n
  _ -> Nothing

-- * Documents

-- | Of few kinds, so that many are deterministic as they are.
small :: Gen Item
small = resize 3 item

item :: Gen Item
item = sized (go . min 30)
  where
    go :: Int -> Gen Item
    go n =
      frequency
        ( [ ( 2,
              Model.Simple
                <$> elements ([0 .. 23] <> [32, 33, 254, 255])
            ),
            (4, Model.Integer <$> integer64),
            (3, Model.Float <$> double),
            (3, Model.Text <$> text),
            (2, Model.Bytes <$> bytes)
          ]
            <> if n > 0
              then
                [ (3, Model.Array <$> some n (go (n `div` 3))),
                  (3, Model.Map <$> some n ((,) <$> key n <*> go (n `div` 3))),
                  (2, Model.Tag <$> tag <*> go (n - 1)),
                  ( 1,
                    Model.Tag
                      <$> elements [2, 3]
                      <*> (Model.Bytes <$> magnitude)
                  )
                ]
              else []
        )
    some n g = frequency [(6, choose (0, min 6 n)), (1, choose (22, 25))] >>= \k -> vectorOf k g
    key n =
      frequency
        [ (3, Model.Text <$> elements ["", "a", "b", "aa", "key"]),
          (2, Model.Integer <$> integer64),
          (1, go (n `div` 4))
        ]
    tag =
      oneof
        [ elements [0 .. 5],
          elements
            [ 24,
              32,
              258,
              55799,
              2
                ^ (32 :: Int),
              2 ^ (64 :: Int) - 1
            ],
          choose (0, 2 ^ (64 :: Int) - 1)
        ]
    bytes =
      frequency
        [ (4, resize 20 (listOf arbitrary)),
          ( 1,
            elements [23, 24, 25, 255, 256] >>= \n ->
              vectorOf n arbitrary
          )
        ]
    magnitude =
      (<>)
        <$> (choose (0, 2) >>= \k -> pure (replicate k 0))
        <*> (choose (0, 12) >>= \k -> vectorOf k arbitrary)
    text =
      frequency
        [ (6, resize 12 (listOf character)),
          ( 1,
            elements [23, 24, 25, 255, 256] >>= \n ->
              vectorOf n (elements "abc")
          )
        ]
    character =
      oneof
        [ choose
            ('a', 'z'),
          elements "\0\x7f\x80\x7ff\x800\xd7ff\xe000\xffff\x10000\x10ffff\"\\\n"
        ]

double :: Gen Word64
double =
  oneof
    [ castDoubleToWord64 <$> arbitrary,
      castDoubleToWord64 . fromIntegral <$> (arbitrary :: Gen Int8),
      Model.fromHalf <$> choose (0, 65535),
      Model.fromSingle <$> choose (0, 2 ^ (32 :: Int) - 1),
      -- Beside what two or four bytes can hold.
      (\w d -> w + fromInteger d) . Model.fromHalf <$> choose (0, 65535) <*> choose (-1, 1),
      (\w d -> w + fromInteger d) . Model.fromSingle
        <$> choose (0, 2 ^ (32 :: Int) - 1)
        <*> choose (-1, 1),
      elements
        [ 0,
          2
            ^ (63 :: Int),
          0x7ff0000000000000,
          0xfff0000000000000,
          0x7ff8000000000000,
          0x7ff8000000000123,
          0x7ff0000000000001,
          1,
          0x47efffffe0000000,
          0x47effffff0000000,
          0x3690000000000000,
          0x36a0000000000000
        ]
    ]

-- | Bits of four bytes.
singles :: Gen Word32
singles =
  oneof
    [ fromInteger
        <$> choose (0, 2 ^ (32 :: Int) - 1),
      fromInteger . (* 8192) <$> choose (0, 524287),
      fromIntegral . castFloatToWord32 . fromIntegral <$> (arbitrary :: Gen Int8)
    ]

integer64 :: Gen Integer
integer64 = integer `suchThat` \n -> n >= -(2 ^ (64 :: Int)) && n < 2 ^ (64 :: Int)

-- | Most of them at an edge of a width.
integer :: Gen Integer
integer =
  oneof
    [ choose
        (-40, 140),
      edges,
      choose (-(2 ^ (64 :: Int)), 2 ^ (64 :: Int) - 1),
      choose (-(2 ^ (130 :: Int)), 2 ^ (130 :: Int))
    ]
  where
    edges = do
      k <- elements [4, 5, 7, 8, 15, 16, 31, 32, 53, 62, 63, 64, 72, 128 :: Int]
      sign <- elements [1, -1]
      d <- choose (-2, 2)
      pure (sign * 2 ^ k + d)

-- * Faults

-- | A few bytes changed, taken out, put in or said twice.
mutated :: [Word8] -> Gen [Word8]
mutated bytes = do
  count <- choose (1, 3) :: Gen Int
  go count bytes
  where
    go 0 now = pure now
    go n now = do
      at <- choose (0, length now)
      b <- likely
      let (before, after) = splitAt at now
      next <-
        elements
          [ before <> (b : after),
            before <> drop 1 after,
            before <> (b : drop 1 after),
            before <> take 3 after <> after
          ]
      go (n - 1) next

-- | A byte that begins something or ends it, or a small number, or any.
likely :: Gen Word8
likely =
  frequency
    [ (3, elements [0x5f, 0x7f, 0x9f, 0xbf]),
      (4, pure 0xff),
      (3, choose (0, 4)),
      (1, choose (0x40, 0x43)),
      (1, choose (0x60, 0x63)),
      (1, choose (0x80, 0x84)),
      (1, choose (0xa0, 0xa3)),
      (1, choose (0xc0, 0xc5)),
      (1, choose (0xf4, 0xfb)),
      ( 1,
        elements [0x18, 0x38, 0x58, 0x78, 0x98, 0xb8, 0xd8, 0x1c, 0x7e]
      ),
      (1, arbitrary)
    ]
