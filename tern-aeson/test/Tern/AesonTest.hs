{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingVia #-}
{-# LANGUAGE OverloadedStrings #-}
-- What is tried is the library, which is optimised: the cases need not be.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Values are the same in both libraries, and so are instances of one class made from
-- the other's.
module Tern.AesonTest (tests) where

import Data.Aeson qualified as A
import Data.Aeson.Encoding (unsafeToEncoding)
import Data.Aeson.Types qualified as A
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Either (isLeft)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Scientific (Scientific, scientific)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Tern
import Tern.Aeson
  ( ViaAeson (..),
    ViaAesonKey (..),
    ViaTern (..),
    fromAeson,
    fromScientific,
    toAeson,
    toScientific,
  )
import Tern.Json (raw, rawBytes, rawValue)
import Tern.Testkit.Suites (labelled, suiteTest)
import Tern.Value (Value, renderNumber)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests = testGroup "both classes" [values, numbers, pieces, viaAeson, keys, viaTern]

-- * Values

values :: TestTree
values =
  testGroup
    "values"
    [ testProperty "there and back" $ \v -> toAeson defaultLimits (fromAeson v) === Right v,
      testProperty "Tern's document is aeson's value" $ \v ->
        A.decodeStrict (encodeJson (fromAeson v)) === Just v,
      testProperty "aeson's document is Tern's value" $ \v ->
        decodeJson (BL.toStrict (A.encode v)) === Right (fromAeson v),
      suiteTest "documents that both read, and what they say" "json/parsing" $ \folder -> do
        files <- labelled folder
        let found =
              [ (name, theirs, ours)
                | (_, name, bytes) <-
                    files,
                  Right ours <- [decodeJson bytes],
                  Just theirs <- [A.decodeStrict bytes]
              ]
        pure
          ( [ name
              | (name, theirs, ours) <-
                  found,
                toAeson defaultLimits ours /= Right theirs
            ],
            length found
          ),
      testCase "of a repeated name the last value counts" $
        (toAeson defaultLimits <$> decodeJson "{\"a\": 1, \"b\": 2, \"a\": 3}")
          @?= Right (Right (A.object [("a", A.Number 3), ("b", A.Number 2)])),
      testCase "what cannot be said is refused at its path" $
        (toAeson defaultLimits <$> decodeJson "{\"x\": [0, {\"y\": 1e99999999999999999999}]}")
          @?= Right (Left ([Key "x", Index 1, Key "y"], OutOfRange "Scientific"))
    ]

numbers :: TestTree
numbers =
  testGroup
    "numbers"
    [ testCase (T.unpack text) $ (toAeson defaultLimits <$> decodeJsonText text) @?= Right expected
      | (text, expected) <-
          [ ("0", right 0),
            ("-0", right 0),
            ("-0.0e5", right 0),
            ("1.50", right 1.5),
            ("0.001", right (scientific 1 (-3))),
            ("-12.34e-5", right (scientific (-1234) (-7))),
            ("1E+2", right 100),
            ("10e-1", right 1),
            ("1e9223372036854775807", right (scientific 1 maxBound)),
            ("1e9223372036854775808", Left ([], OutOfRange "Scientific")),
            ("0.1e-9223372036854775807", right (scientific 1 minBound)),
            ("0.01e-9223372036854775807", Left ([], OutOfRange "Scientific")),
            ("0e99999999999999999999", right 0),
            ("1e00000000000000000000000000000002", right 100)
          ]
    ]
    `also` testCase
      "digits have a limit, which can be raised"
      ( map (manyDigits defaultLimits) [4096, 4097]
          @?= [True, False]
      )
    `also` testCase "ten thousand digits" (manyDigits unlimited 10000 @?= True)
    `also` testCase
      "a power of ten is written out up to 1,024, and no further"
      ( map (T.length . renderNumber . fromScientific . scientific 1) [1024, 1025]
          @?= [1025, 6]
      )
    `also` testCase
      "up to sixteen digits stand after a point, and others have a power of ten"
      ( map
          (renderNumber . fromScientific . uncurry scientific)
          [ (15, -1),
            (-5, -2),
            (1, -16),
            (1, -17),
            (99999999999999999, -16),
            (-100000000000000000, -16),
            (123456789012345678901, -4)
          ]
          @?= [ "1.5",
                "-0.05",
                "0.0000000000000001",
                "1e-17",
                "9.9999999999999999",
                "-10.0000000000000000",
                "12345678901234567.8901"
              ]
      )
    `also` testProperty "exact, whatever the power of ten" exact
  where
    right = Right . A.Number
    also group' test = testGroup "numbers" [group', test]
    manyDigits limits n = case decodeJsonText (T.replicate n "9") of
      Right v -> toAeson limits v == right (scientific (10 ^ n - 1) 0)
      Left _ -> False

exact :: Integer -> Int -> Property
exact digits power =
  let n = scientific digits power
   in toScientific defaultLimits (fromScientific n)
        === Right n
        .&&. (decodeJsonText (renderNumber (fromScientific n)) === Right (fromAeson (A.Number n)))

-- * Pieces

pieces :: TestTree
pieces =
  testGroup
    "pieces of JSON"
    [ testProperty "what is stepped over is a value" $ \v ->
        let bytes =
              BL.toStrict (A.encode (v :: A.Value))
         in fmap rawValue (raw defaultLimits bytes) === Right (fromAeson v),
      suiteTest "a document is a piece where it is one value" "json/parsing" $ \folder -> do
        files <- labelled folder
        let disagree bytes = case ( raw defaultLimits bytes,
                                    decodeJson bytes ::
                                      Either Error Value
                                  ) of
              (Right piece, Right v) ->
                rawValue piece /= v || not (rawBytes piece `B.isInfixOf` bytes)
              (Left _, Left _) -> False
              _ -> True
        pure ([name | (_, name, bytes) <- files, disagree bytes], length files),
      testCase "not a piece" $
        mapM_
          (\bytes -> assertBool (show bytes) (isLeft (raw defaultLimits bytes)))
          ( ["", " ", "1 2", "[1,]", "\"\xff\"", "nul", "{\"a\"}", B.replicate 100000 0x5b] ::
              [ByteString]
          ),
      testCase "deep ones, where the limits allow them" $ do
        let deep = B.replicate 100000 0x5b <> B.replicate 100000 0x5d
        fmap rawBytes (raw unlimited deep) @?= Right deep
        fmap (encodeJson . rawValue) (raw unlimited deep) @?= Right deep
    ]

-- * Tern's class from aeson's

data Bird = Bird {species :: Text, wings :: Int, seen :: Map Text [Double]}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (A.ToJSON, A.FromJSON)
  deriving (Wire) via (ViaAeson Bird)

-- | Its bytes are nothing that JSON has, and its tree is something.
data Careless = Careless
  deriving stock (Eq, Show)
  deriving (Wire) via (ViaAeson Careless)

instance A.ToJSON Careless where
  toJSON Careless = A.String "careless"
  toEncoding Careless = unsafeToEncoding "{careless}"

instance A.FromJSON Careless where
  parseJSON = A.withText "Careless" (const (pure Careless))

viaAeson :: TestTree
viaAeson =
  testGroup
    "Tern's instance from aeson's"
    [ testProperty "the same bytes, and every format" $ \name n (pairs :: [(Int, [Double])]) ->
        let bird =
              Bird
                ( T.pack
                    (filter (`notElem` ['\xd800' .. '\xdfff']) name)
                )
                n
                (Map.fromList [(T.pack (show k), v) | (k, v) <- pairs])
         in conjoin
              [ encodeJson bird === BL.toStrict (A.encode bird),
                decodeJson (encodeJson bird) === Right bird,
                decodeMessagePack (encodeMessagePack bird) === Right bird,
                decodeNative (encodeNative bird) === Right bird
              ],
      testCase "refused in aeson's words, at the path" $
        ( decodeJson "{\"species\": \"tern\", \"wings\": 2, \"seen\": {\"a\": [1, true]}}" ::
            Either Error Bird
        )
          @?= Left
            ( Error
                0
                []
                ( Refused
                    "at $.seen.a[1]: parsing Double failed, unexpected Boolean"
                )
            ),
      testCase "bytes that are no JSON do not go out" $ encodeJson [Careless] @?= "[\"careless\"]",
      testCase "within Tern's limits" $ do
        let refused bytes = case decodeJson bytes :: Either Error (ViaAeson A.Value) of
              Left e -> show (errorReason e)
              Right _ -> "read"
        refused (B.replicate 100000 0x5b) @?= show (LimitExceeded (TooDeep 512))
        refused ("[" <> B.replicate 5000 0x39 <> "]")
          @?= show (Refused "at $[0]: the number has more than the 4096 digits allowed (maxDigits)")
    ]

-- * Keys

newtype Ring = Ring Int
  deriving stock (Eq, Ord, Show)
  deriving newtype (A.ToJSON, A.FromJSON, A.ToJSONKey, A.FromJSONKey)
  deriving (Wire) via (ViaAesonKey Ring)

newtype Name = Name Text
  deriving stock (Eq, Ord, Show)
  deriving newtype (A.ToJSON, A.FromJSON, A.ToJSONKey, A.FromJSONKey)
  deriving (Wire) via (ViaAesonKey Name)

newtype Place = Place (Int, Int)
  deriving stock (Eq, Ord, Show)
  deriving newtype (A.ToJSON, A.FromJSON, A.ToJSONKey, A.FromJSONKey)
  deriving (Wire) via (ViaAesonKey Place)

keys :: TestTree
keys =
  testGroup
    "keys"
    [ testCase "text" $ both (Map.fromList [(Name "a", 1), (Name "b", 2)]) "{\"a\":1,\"b\":2}",
      testCase "a number" $ both (Map.fromList [(Ring 7, 1), (Ring 12, 2)]) "{\"7\":1,\"12\":2}",
      testCase "no text" $ both (Map.fromList [(Place (1, 2), 3)]) "[[[1,2],3]]",
      testCase "a number that is none" $
        assertBool "" (isLeft (decodeJson "{\"x\":1}" :: Either Error (Map Ring Int)))
    ]

both ::
  (A.ToJSON k, A.ToJSONKey k, A.FromJSONKey k, Wire k, Ord k, Show k) =>
  Map k Int ->
  ByteString ->
  Assertion
both m bytes = do
  A.encode m @?= BL.fromStrict bytes
  encodeJson m @?= bytes
  decodeJson bytes @?= Right m

-- * Aeson's class from Tern's

data Egg = Egg {colour :: Text, grams :: Double, hatched :: Maybe Bool, ring :: Either Int Text}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Wire)
  deriving (A.ToJSON, A.FromJSON) via (ViaTern Egg)

viaTern :: TestTree
viaTern =
  testGroup
    "aeson's instance from Tern's"
    [ testProperty "the same bytes, the same tree, and back" $ \name g h r ->
        let egg =
              Egg
                ( T.pack
                    (filter (`notElem` ['\xd800' .. '\xdfff']) name)
                )
                g
                h
                (T.pack . show <$> (r :: Either Int Int))
         in conjoin
              [ BL.toStrict (A.encode egg) === encodeJson egg,
                A.decode (A.encode (A.toJSON egg)) === Just egg,
                A.fromJSON (A.toJSON egg) === A.Success egg
              ],
      testCase "refused in Tern's words, at the path" $
        (A.eitherDecode "{\"colour\": \"blue\", \"grams\": \"9\"}" :: Either String Egg)
          @?= Left "Error in $.grams: expected a number",
      testCase "a number that only Tern can say" $ do
        let n = decodeJson "[1e99999999999999999999]" :: Either Error Value
        fmap (A.toJSON . ViaTern) n @?= Right (A.toJSON [A.Null])
        fmap (A.encode . ViaTern) n @?= Right "[1e99999999999999999999]",
      testCase "keys: text, numbers, and none" $ do
        A.encode (Map.fromList [(ViaTern ("a" :: Text), 1 :: Int)]) @?= "{\"a\":1}"
        A.encode (Map.fromList [(ViaTern (7 :: Int), 1 :: Int)]) @?= "{\"7\":1}"
        A.encode (Map.fromList [(ViaTern [7 :: Int], 1 :: Int)]) @?= "[[[7],1]]"
        A.decode "{\"7\":1}" @?= Just (Map.fromList [(ViaTern (7 :: Int), 1 :: Int)])
        A.decode "[[[7],1]]" @?= Just (Map.fromList [(ViaTern [7 :: Int], 1 :: Int)])
        (A.decode "{\"x\":1}" :: Maybe (Map (ViaTern Int) Int)) @?= Nothing,
      testProperty
        "any number"
        $ \(digits :: Integer) power ->
          let n = scientific digits power :: Scientific
           in A.toJSON (ViaTern (fromAeson (A.Number n)))
                === A.Number
                  n,
      testCase "a tree from aeson's parser" $
        A.parseEither
          A.parseJSON
          ( A.object
              [ ("colour", "blue"),
                ("grams", A.Number 9),
                ("ring", A.object [("Left", A.Number 3)])
              ]
          )
          @?= Right (Egg "blue" 9 Nothing (Left 3))
    ]
