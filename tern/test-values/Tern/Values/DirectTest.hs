{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Values and documents of any shape without bytes between them: types that have nothing said of
-- them, templates with each layout, codecs by hand; and what it costs.
--
-- > value --toValue---> document --fromValue--> value
-- >   |                    |                      |
-- >   +--encodeJson--> bytes <--decodeJson--------+
module Tern.Values.DirectTest (tests) where

import Control.Exception (evaluate)
import Data.ByteString qualified as B
import Data.Int (Int8)
import Data.Map qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Data.Word (Word64)
import GHC.Generics (Generic)
import System.Mem (getAllocationCounter, setAllocationCounter)
import Tern
import Tern.Codec ((<+>), (<.), (<.>))
import Tern.Codec qualified as Codec
import Tern.Json (fromValue, raw, toValue)
import Tern.Laws (Law (..), documents, documentsBy)
import Tern.Value (Value (..), members, object)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCase, (@?=))

-- * By generics

data Reading = Reading {hour :: Int, celsius :: Double, note :: Maybe Text}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Sky = Clear | Clouds Int | Fog {sight :: Int, below :: Maybe Sky} | Wind Double Text
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Colour = Red | Green | Blue
  deriving stock (Bounded, Enum, Eq, Generic, Ord, Show)
  deriving anyclass (Wire)

newtype Wrapped = Wrapped Text
  deriving stock (Eq, Generic, Ord, Show)
  deriving anyclass (Wire)

data Nothing' = Nothing'
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Pair a = Pair a Sky
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- * By templates

data T = TNone | TOne Int | TTwo Int Text | TRecord {tA :: Int, tB :: Maybe Text, tC :: Maybe T}
  deriving stock (Eq, Show)

deriveWire
  defaultOptions
    { omitNothingFields = True,
      fieldLabelModifier = drop 1,
      fieldAliases = \name -> if name == "tA" then ["a", "x\0y"] else [],
      fieldDefaults = [("tA", [|7|])]
    }
  ''T

data S = SNone | SOne Int | STwo Int Text | SRecord {sA :: Int, sB :: Maybe Text}
  deriving stock (Eq, Show)

deriveWire defaultOptions {sumEncoding = ObjectWithSingleField, rejectUnknownFields = True} ''S

data P = PNone | POne Int | PTwo Int Text | PRecord {pA :: Int, pB :: Maybe Text}
  deriving stock (Eq, Show)

deriveWire defaultOptions {sumEncoding = TwoElemArray} ''P

data U = UNone | UOne Int | UTwo Int Text | URecord {uA :: Int, uB :: Maybe Text}
  deriving stock (Eq, Show)

deriveWire defaultOptions {sumEncoding = UntaggedValue} ''U

data C = CNone | COne Int | CRecord {cA :: Int}
  deriving stock (Eq, Show)

deriveWire
  defaultOptions {rejectUnknownFields = True, fieldLabelModifier = \name -> '\0' : name}
  ''C

newtype O = O {oA :: Sky}
  deriving stock (Eq, Show)

deriveWire defaultOptions {unwrapUnaryRecords = True} ''O

data Several = Several {first :: Maybe Double, second :: Maybe Double, third :: Maybe Int}
  deriving stock (Eq, Show)

deriveWire defaultOptions {omitNothingFields = True} ''Several

-- | Which type a field has is told by the whole alone.
data Ring f a b = Ring {ringOne :: a, ringTwo :: Maybe b, ringThree :: f a} | RingNone
  deriving stock (Eq, Show)

deriveWire defaultOptions ''Ring

-- * By hand

data Bird = Bird {name :: Text, wings :: Maybe Int, legs :: Int, at :: (Int, Int), rank :: Colour}
  deriving stock (Eq, Show)

instance Wire Bird where
  codec =
    Codec.object
      ( Bird
          <$> Codec.alias @'["called"] (Codec.field @"name" name codec)
            <.> Codec.optional @"wings" wings codec
            <.> Codec.fieldWithDefault @"legs" 2 legs codec
            <.> Codec.flatten at ((,) <$> Codec.field @"x" fst codec <.> Codec.field @"y" snd codec)
            <.> Codec.ignored Green
            <. Codec.computed @"flies" (\bird -> wings bird /= Just 0) codec
      )

newtype Closed = Closed Int
  deriving stock (Eq, Show)

instance Wire Closed where
  codec =
    Codec.object . Codec.rejectUnknownFields $
      Closed
        <$> Codec.field @"n" (\(Closed n) -> n) codec
          <. Codec.computed @"twice" (\(Closed n) -> 2 * n) codec

data Hand = Neither | Holds Int | Fielded Int Text
  deriving stock (Eq, Show)

type Choices = '[ '("neither", ()), '("holds", Int), '("fielded", (Int, Text))]

which :: Hand -> Codec.OneOf Choices
which = \case
  Neither -> Codec.is @"neither" ()
  Holds n -> Codec.is @"holds" n
  Fielded n t -> Codec.is @"fielded" (n, t)

alternatives :: Codec.Alternatives Choices Hand
alternatives =
  Codec.constant @"neither" Neither
    <+> Codec.contents @"holds" Holds codec
    <+> Codec.fields @"fielded"
      (Fielded <$> Codec.field @"n" fst codec <.> Codec.field @"t" snd codec)

instance Wire Hand where
  codec = Codec.oneOf which alternatives

newtype Shut = Shut Hand
  deriving stock (Eq, Show)

instance Wire Shut where
  codec =
    Codec.mapCodec Shut (\(Shut hand) -> hand) $
      Codec.oneOf which (Codec.rejectUnknownFields alternatives)

newtype Bare = Bare Hand
  deriving stock (Eq, Show)

instance Wire Bare where
  codec = Codec.mapCodec Bare (\(Bare hand) -> hand) (Codec.untagged which alternatives)

newtype Renamed = Renamed Colour
  deriving stock (Eq, Show)

instance Wire Renamed where
  codec =
    Codec.mapCodec Renamed (\(Renamed colour) -> colour) (Codec.enum @'["red", "green", "blue"])

newtype Nest = Nest [Nest]
  deriving stock (Eq, Show)

instance Wire Nest where
  codec = Codec.recursive (Codec.mapCodec Nest (\(Nest inner) -> inner) . Codec.listOf)

newtype Even = Even Int
  deriving stock (Eq, Show)

instance Wire Even where
  codec =
    Codec.refine
      (\n -> if even n then Right (Even n) else Left "an odd number")
      (\(Even n) -> n)
      codec

tests :: TestTree
tests =
  testGroup
    "values and documents, directly"
    [ testGroup
        "by generics"
        [ lawful "a record" [Reading 6 7.5 Nothing, Reading (-1) 1e300 (Just "\"\n")],
          lawful "a sum" [Clear, Clouds 3, Fog 40 (Just (Fog 1 (Just Clear))), Wind 0.1 "NW"],
          lawful "names" [Red ..],
          lawful "a newtype" [Wrapped "x"],
          lawful "one constructor of nothing" [Nothing'],
          lawful "a parameter" [Pair (Just (Pair 'x' Clear)) (Clouds 2)],
          lawful "keys" [Map.fromList [(Wrapped "b", [Red]), (Wrapped "a", [])]],
          lawful "keys of names" [Map.fromList [(Red, 1 :: Int), (Blue, 2)]],
          lawful "keys that are none" [Map.fromList [((1 :: Int, Red), True), ((0, Blue), False)]]
        ],
      testGroup
        "by templates"
        [ lawful "tagged objects" [TNone, TOne 1, TTwo 2 "x", TRecord 3 Nothing (Just TNone), t],
          lawful "single fields" [SNone, SOne 1, STwo 2 "x", SRecord 3 Nothing],
          lawful "two elements" [PNone, POne 1, PTwo 2 "x", PRecord 3 (Just "y")],
          lawful "untagged" [UNone, UOne 1, UTwo 2 "x", URecord 3 Nothing, URecord 3 (Just "y")],
          lawful "closed, and names with a NUL" [CNone, COne 1, CRecord 2],
          lawful "unwrapped" [O Clear, O (Clouds 1)],
          lawful
            "parameters"
            [Ring 1 (Just True) [2], Ring 3 Nothing [], RingNone :: Ring [] Int Bool],
          lawful "fields left away" . map (\(a, b, c) -> Several a b c) $
            [(a, b, c) | a <- [Nothing, Just 1], b <- [Nothing, Just 2], c <- [Nothing, Just 3]]
        ],
      testGroup
        "by hand"
        [ lawful
            "a record"
            [Bird "auk" (Just 2) 2 (1, 2) Green, Bird "egg" Nothing 0 (-1, 0) Green],
          lawful "a closed record" [Closed 3],
          lawful "a sum" [Neither, Holds 1, Fielded 2 "x"],
          lawful "a closed sum" [Shut Neither, Shut (Holds 1), Shut (Fielded 2 "x")],
          lawful "a sum without tags" [Bare Neither, Bare (Holds 1), Bare (Fielded 2 "x")],
          lawful "names" [Renamed Red, Renamed Blue],
          lawful "a type within itself" [Nest [Nest [], Nest [Nest []]]],
          lawful "a check" [Even 2]
        ],
      testGroup
        "scalars"
        [ lawful "integers" [minBound, -1, 0, 1, maxBound :: Int],
          lawful "eight bits" [minBound .. maxBound :: Int8],
          lawful "without a sign" [0, 1, maxBound - 1, maxBound, 2 ^ (63 :: Int) :: Word64],
          lawful
            "of any size"
            [0, -1, 2 ^ (63 :: Int) - 1, 2 ^ (63 :: Int), -(2 ^ (200 :: Int)) :: Integer],
          lawful
            "doubles"
            ( [0, -0.0, 1, 0.1, 1 / 3, 5e-324, 1.7976931348623157e308, 1 / 0]
                <> [2 ^ (53 :: Int) + 2 :: Double]
            ),
          lawful "truth" [(True, ()), (False, ())],
          lawful "texts" [("" :: Text, "\0" :: String), ("a\x10FFFF", "\"")],
          lawful "nothing in nothing" [Nothing, Just Nothing, Just (Just True)],
          lawful "either" [Left (1 :: Int), Right ("x" :: Text)],
          lawful "five in an array" [(1 :: Int, True, "x" :: Text, Just 'c', [0.5 :: Double])],
          testCase "what is no number" $
            broken (documentsBy (\_ _ -> True)) [0 / 0 :: Double] @?= Nothing
        ],
      testCase "a null that is written is not left away" $
        fmap encodeJson (toValue (Several (Just (0 / 0)) (Just 1) Nothing))
          @?= Right "{\"first\":null,\"second\":1.0}",
      testCase "a piece is what it says" $
        (toValue . (: []) =<< raw defaultLimits "{ \"a\" :1.50}") @?= decodeJson "[{\"a\":1.50}]",
      testCase "repeated names of a document stay" $
        fmap (map fst . inside) (toValue (Object (object [("a", Null), ("a", Null)])))
          @?= Right ["a", "a"],
      testCase "of repeated fields the last counts, and each is read" $ do
        fromValue (reading [("hour", "1"), ("celsius", "2"), ("hour", "3")])
          @?= Right (Reading 3 2 Nothing)
        assertBool "the first is read" $
          refused . fromValue @Reading $
            reading [("hour", "null"), ("celsius", "2"), ("hour", "3")],
      testCase "an error has its path" $
        either (show . errorPath) show (fromValue @[Reading] (list [reading [("hour", "true")]]))
          @?= "[Index 0,Key \"hour\"]",
      testCase "a million levels" $ do
        let deep = iterate (\v -> list [v]) (list []) !! 1000000
        assertBool "read" (not (refused (fromValue @Nest deep))),
      testCase "a hundred thousand members, none of them known" $
        fromValue @Closed (Object (object [(T.pack (show i), Null) | i <- [0 .. 99999 :: Int]]))
          @?= decodeJson (encodeJson (object' 100000)),
      testGroup
        "allocates less than over bytes"
        [ testCase "to documents" $ do
            directly <- allocated (\rs -> either (const 0) size (toValue rs)) readings
            bytes <- allocated (\rs -> either (const 0) size (decodeJson (encodeJson rs))) readings
            assertBool (show (directly, bytes)) (directly < bytes),
          testCase "from documents" $ do
            document <- either (fail . show) pure (toValue readings)
            directly <- allocated (either (const 0) (length @[]) . fromValue @[Reading]) document
            let overBytes = decodeJson @[Reading] . encodeJson
            bytes <- allocated (either (const 0) (length @[]) . overBytes) document
            assertBool (show (directly, bytes)) (4 * directly < 3 * bytes)
        ]
    ]
  where
    t = TRecord 7 (Just "y") (Just (TRecord 1 Nothing Nothing))
    readings =
      [ Reading i (fromIntegral i / 4) (if even i then Nothing else Just "fog")
        | i <- [1 .. 1000]
      ]
    refused = either (const True) (const False)
    inside = \case
      Object o -> members o
      _ -> []
    reading pairs = Object (object [(key, json v) | (key, v) <- pairs])
    list vs = Array (V.fromList vs)
    json v = either (error . show) id (decodeJson (v :: B.ByteString)) :: Value
    object' n = Object (object [(T.pack (show i), Null) | i <- [0 .. n - 1 :: Int]])
    size = \case
      Array vs -> length vs
      _ -> 0

lawful :: (Eq a, Wire a) => String -> [a] -> TestTree
lawful what values = testCase what $ map (broken documents) values @?= map (const Nothing) values

-- | The bytes that a function allocates once its argument is there.
allocated :: (a -> Int) -> a -> IO Int
allocated f a = do
  _ <- evaluate (f a)
  setAllocationCounter 0
  _ <- evaluate (f a)
  fromIntegral . negate <$> getAllocationCounter
{-# NOINLINE allocated #-}
