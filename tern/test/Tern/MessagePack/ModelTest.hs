{-# LANGUAGE OverloadedStrings #-}

-- | Tern against the slow model, on documents of any shape.
--
-- > bytes --model--> Item
-- >   |                |
-- >  Tern             the same?
-- >   v                |
-- > Value ----view-----+
module Tern.MessagePack.ModelTest
  ( tests,
    item,
    value,
  )
where

import Control.Monad (void)
import Data.Bifunctor (bimap)
import Data.ByteString qualified as B
import Data.Int (Int8)
import Data.Maybe (fromMaybe)
import Data.Text qualified as T
import Data.Vector qualified as V
import Data.Word (Word8)
import GHC.Float
  ( castDoubleToWord64,
    castFloatToWord32,
    castWord32ToFloat,
    castWord64ToDouble,
    double2Float,
    float2Double,
  )
import Tern
import Tern.Internal.MessagePack.Document (decodeWith, encodeWith)
import Tern.Internal.MessagePack.Read qualified as Read
import Tern.Internal.MessagePack.Timestamp qualified as Timestamp
import Tern.Internal.MessagePack.Write qualified as Write
import Tern.Internal.Read (Reader (Reader))
import Tern.Json.Seeded (seeded)
import Tern.MessagePack.Model (Item)
import Tern.MessagePack.Model qualified as Model
import Tern.MessagePack.Value (Value (..))
import Tern.MessagePack.Value qualified as Value
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "MessagePack against the model"
    [ testGroup
        "reading"
        [ seeded "documents in any formats" 4000 $ forAll item $ \i ->
            forAll (Model.spelled i) $ \bytes ->
              conjoin [sameReading bytes, Model.readDocument 512 bytes === Just i],
          seeded "documents with faults" 40000 $
            forAll (mutated =<< Model.spelled =<< item) sameReading,
          seeded "documents cut short at every byte" 1000 $
            forAll (Model.spelled =<< item) $ \bytes ->
              conjoin
                [ counterexample (show n) (isRefused (take n bytes))
                  | n <-
                      [0 .. length bytes - 1]
                ],
          seeded "something after" 1000 $ forAll (Model.spelled =<< item) $ \bytes ->
            forAll arbitrary $ \b -> isRefused (bytes <> [b]),
          seeded "bytes that look like MessagePack" 40000 $ forAll (listOf likely) sameReading,
          seeded "any bytes" 10000 $ forAll (listOf arbitrary) sameReading,
          seeded "levels" 2000 $ forAll (choose (0, 6)) $ \levels ->
            forAll (Model.spelled =<< item) $ \bytes ->
              fmap view (Value.decodeValueWith defaultLimits {maxDepth = levels} (B.pack bytes))
                `agrees` Model.readDocument levels bytes
        ],
      testGroup
        "writing"
        [ seeded "documents, shortest" 4000 $ forAll item $ \i ->
            Value.encodeValue (value i) === B.pack (Model.shortest i),
          testCaseInfo "lists of each length" $ do
            let lengths = [0 .. 300] <> [65535, 65536]
            sequence_
              [ do
                  let ints = [i * i - 100 | i <- [1 .. n]]
                      texts = [T.replicate (i `mod` 7) "e" | i <- ints]
                  assertEqual
                    (show n)
                    (Value.encodeValue (Array (V.fromList (map Int ints))))
                    (encodeMessagePack ints)
                  assertEqual
                    (show n)
                    (Value.encodeValue (Array (V.fromList (map Str texts))))
                    (encodeMessagePack texts)
                | n <- lengths
              ]
            pure (show (2 * length lengths) <> " cases ran"),
          seeded "what is read is written again" 4000 $ forAll item $ \i ->
            forAll (Model.spelled i) $ \bytes ->
              fmap Value.encodeValue (Value.decodeValue (B.pack bytes))
                === Right (B.pack (Model.shortest i)),
          seeded "integers" 20000 $ forAll integer $ \n ->
            fmap Value.encodeValue (Value.integer n)
              === Just (B.pack (Model.shortest (Model.Integer n))),
          seeded "formats of a fixed width" 2000 $ \(a, b, c, d) ->
            B.concat
              [ encodeWith
                  Write.int8
                  a,
                encodeWith Write.int16 b,
                encodeWith Write.int32 c,
                encodeWith Write.int64 d
              ]
              === B.pack (concat [0xd0 : low 1 a, 0xd1 : low 2 b, 0xd2 : low 4 c, 0xd3 : low 8 d]),
          seeded "unsigned formats of a fixed width" 2000 $ \(a, b, c, d) ->
            B.concat
              [ encodeWith
                  Write.uint8
                  a,
                encodeWith Write.uint16 b,
                encodeWith Write.uint32 c,
                encodeWith Write.uint64 d
              ]
              === B.pack (concat [0xcc : low 1 a, 0xcd : low 2 b, 0xce : low 4 c, 0xcf : low 8 d]),
          seeded "a value is read as it was" 4000 $ forAll item $ \i ->
            Value.decodeValue (Value.encodeValue (value i)) === Right (value i)
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
                Model.Single w ->
                  Just (castDoubleToWord64 (float2Double (castWord32ToFloat (fromInteger w))))
                Model.Double w -> Just (fromInteger w)
                _ -> Nothing,
          seeded "Float" 10000 $ number $ \i bytes ->
            fmap castFloatToWord32 (decodeWith (Reader Read.float) defaultLimits bytes)
              `agrees` case i of
                Model.Integer n -> Just (castFloatToWord32 (fromRational (toRational n)))
                Model.Single w -> Just (fromInteger w)
                Model.Double w ->
                  Just (castFloatToWord32 (double2Float (castWord64ToDouble (fromInteger w))))
                _ -> Nothing
        ]
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
  Nil -> Model.Nil
  Bool b -> Model.Bool b
  Int i -> Model.Integer (toInteger i)
  Word w -> Model.Integer (toInteger w)
  Float32 x -> Model.Single (toInteger (castFloatToWord32 x))
  Float64 x -> Model.Double (toInteger (castDoubleToWord64 x))
  Str t -> Model.Str (T.unpack t)
  Bin b -> Model.Bin (B.unpack b)
  Array vs -> Model.Array (map view (V.toList vs))
  Map pairs -> Model.Map (map (bimap view view) (V.toList pairs))
  Ext kind b -> Model.Ext (toInteger kind) (B.unpack b)
  Timestamp t -> Model.Time (toInteger (Timestamp.seconds t)) (toInteger (Timestamp.nanoseconds t))

-- | The other way round.
value :: Item -> Value
value = \case
  Model.Nil -> Nil
  Model.Bool b -> Bool b
  Model.Integer n -> fromMaybe Nil (Value.integer n)
  Model.Single w -> Float32 (castWord32ToFloat (fromInteger w))
  Model.Double w -> Float64 (castWord64ToDouble (fromInteger w))
  Model.Str t -> Str (T.pack t)
  Model.Bin b -> Bin (B.pack b)
  Model.Array items -> Array (V.fromList (map value items))
  Model.Map pairs -> Map (V.fromList (map (bimap value value) pairs))
  Model.Ext kind b -> Ext (fromInteger kind) (B.pack b)
  Model.Time s n -> maybe Nil Timestamp (Timestamp.timestamp (fromInteger s) (fromInteger n))

-- | A number in any of its formats, or something else.
number :: (Item -> B.ByteString -> Property) -> Property
number check =
  forAll (frequency [(6, Model.Integer <$> integer), (2, single), (2, double), (1, item)]) $ \i ->
    forAll (Model.spelled i) $ \bytes -> check i (B.pack bytes)

fitting :: forall a. (Bounded a, Integral a) => a -> Item -> Maybe Integer
fitting _ = \case
  Model.Integer n | n >= toInteger (minBound :: a), n <= toInteger (maxBound :: a) -> Just n
  _ -> Nothing

low :: (Integral a) => Int -> a -> [Word8]
low width n = [fromIntegral (toInteger n `div` 256 ^ k) | k <- reverse [0 .. width - 1]]

-- * Documents

item :: Gen Item
item = sized (go . min 30)
  where
    go :: Int -> Gen Item
    go n =
      frequency
        ( [ (1, pure Model.Nil),
            (1, Model.Bool <$> arbitrary),
            (4, Model.Integer <$> integer),
            (1, single),
            (1, double),
            (3, Model.Str <$> text),
            (1, Model.Bin <$> bytes),
            (1, Model.Ext <$> kind <*> bytes),
            (1, time)
          ]
            <> if n > 0
              then
                [ (3, Model.Array <$> some n (go (n `div` 3))),
                  ( 3,
                    Model.Map
                      <$> some n ((,) <$> key n <*> go (n `div` 3))
                  )
                ]
              else []
        )
    some n g = frequency [(6, choose (0, min 6 n)), (1, choose (14, 17))] >>= \k -> vectorOf k g
    key n =
      frequency
        [ (3, Model.Str <$> elements ["", "a", "b", "key"]),
          (2, Model.Integer <$> integer),
          (1, go (n `div` 4))
        ]
    kind = choose (-128, 127) `suchThat` (/= -1)
    bytes =
      frequency
        [ (4, resize 20 (listOf arbitrary)),
          ( 1,
            elements [1, 2, 4, 8, 16, 255, 256] >>= \n ->
              vectorOf n arbitrary
          )
        ]
    text =
      frequency
        [ (6, resize 12 (listOf character)),
          ( 1,
            elements [31, 32, 33, 255, 256] >>= \n ->
              vectorOf n (elements "abc")
          )
        ]
    character =
      oneof [choose ('a', 'z'), elements "\0\x7f\x80\x7ff\x800\xd7ff\xe000\xffff\x10000\x10ffff"]
    time =
      Model.Time
        <$> oneof
          [ elements
              [ -1,
                0,
                1,
                2
                  ^ (32 :: Int)
                  - 1,
                2 ^ (32 :: Int),
                2 ^ (34 :: Int) - 1,
                2 ^ (34 :: Int),
                -(2 ^ (63 :: Int)),
                2 ^ (63 :: Int) - 1
              ],
            choose (-(2 ^ (40 :: Int)), 2 ^ (40 :: Int))
          ]
        <*> oneof [pure 0, choose (0, 999999999)]

single, double :: Gen Item
single =
  Model.Single
    <$> oneof
      [ toInteger . castFloatToWord32
          <$> arbitrary,
        elements [0, 0x80000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7fc00123, 1]
      ]
double =
  Model.Double
    <$> oneof
      [ toInteger . castDoubleToWord64
          <$> arbitrary,
        elements
          [ 0,
            2
              ^ (63 :: Int),
            0x7ff0000000000000,
            0xfff0000000000000,
            0x7ff8000000000000,
            0x7ff8000000000123,
            1
          ]
      ]

-- | Most of them at an edge of a format.
integer :: Gen Integer
integer =
  oneof [choose (-40, 140), edges, choose (-(2 ^ (63 :: Int)), 2 ^ (64 :: Int) - 1)]
    `suchThat` \n ->
      n >= -(2 ^ (63 :: Int)) && n < 2 ^ (64 :: Int)
  where
    edges = do
      k <- elements [5, 7, 8, 15, 16, 31, 32, 53, 62, 63, 64 :: Int]
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

-- | A byte that begins something, or a small number, or any.
likely :: Gen Word8
likely =
  frequency
    [ (3, choose (0xc0, 0xdf)),
      (3, choose (0, 4)),
      (1, choose (0x80, 0x84)),
      (1, choose (0x90, 0x94)),
      (1, choose (0xa0, 0xa3)),
      (1, pure 0xff),
      (1, arbitrary)
    ]
