{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DerivingVia #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The laws hold of types with every option, and are broken by types that break them.
module Tern.Options.LawsTest (tests) where

import Data.Map (Map)
import Data.Map qualified as Map
import Data.Text (Text)
import GHC.Generics (Generic)
import Tern
import Tern.Codec qualified as Codec
import Tern.Deriving qualified as D
import Tern.Internal.Wire.Codec (CodecIn (codecShape))
import Tern.Laws (Law (..), alike, holds, laws, olderBytes)
import Tern.Options.Declarations
  ( Bird (..),
    BirdOptions,
    Place (..),
    Plumage,
    Sighting (..),
    Sky (..),
    SkyPair (..),
    SkySingle (..),
  )
import Tern.Value (Value)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCase, (@?=))
import Test.Tasty.QuickCheck (testProperty)

-- | It reads another number than it wrote.
newtype Forgetful = Forgetful Int
  deriving stock (Eq, Show)

instance Wire Forgetful where
  codec = Codec.mapCodec (Forgetful . (`div` 2)) (\(Forgetful n) -> n) codec

-- | Its shape says something else than its documents.
newtype Misdescribed = Misdescribed Int
  deriving stock (Eq, Show)

instance Wire Misdescribed where
  codec =
    ( Codec.mapCodec
        Misdescribed
        (\(Misdescribed n) -> n)
        codec
    )
      { codecShape = like (codecShape (codec :: Codec Text))
      }

data Both = Both {x :: Int, y :: Maybe Text, inner :: Map Text Both}
  deriving stock (Eq, Generic, Show)
  deriving (Wire) via (D.WithOptions '[D.OmitNothingFields] Both)

tests :: TestTree
tests =
  testGroup
    "laws"
    [ lawful "a record" [Bird "tern" (Just 80) [1, 2] Nothing],
      lawful "names" [minBound .. maxBound :: Plumage],
      lawful "tagged objects" [Clouds 3, Fog 40 (Just 2), Wind 2.5 "NW", Clear],
      lawful "single fields" [CloudsS 3, FogS 40 (Just 2), WindS 2.5 "NW", ClearS],
      lawful "two elements" [CloudsP 3, FogP 40 (Just 2), WindP 2.5 "NW", ClearP],
      lawful "flattened fields" [Sighting "tern" 2 (Place 1.5 (-3)) (Just "loud") 7],
      lawful
        "a type within itself"
        [ Both
            1
            Nothing
            (Map.fromList [("a", Both 2 (Just "b") Map.empty)])
        ],
      lawful
        "a document of any shape"
        ( either (error . show) pure (decodeJson "{\"b\":1,\"a\":[2.50,{\"d\":null,\"c\":1}]}") ::
            [Value]
        ),
      testGroup
        "by a framework"
        [ testProperty (lawName law) (\n -> holds law [(n :: Int, Just n)])
          | law <-
              laws
        ],
      testGroup
        "both derivations"
        [ testCase (lawName law) (broken law (Bird "tern" (Just 80) [1, 2] Nothing) @?= Nothing)
          | law <- alike (D.WithOptions @BirdOptions)
        ],
      testGroup
        "are broken by"
        [ testCase "a value that does not come back" $
            [lawName law | law <- laws, not (holds law (Forgetful 3))]
              @?= [ "JSON reads what it wrote",
                    "MessagePack reads what it wrote",
                    "CBOR reads what it wrote",
                    "the native format reads what it wrote",
                    "the order of fields does not matter"
                  ],
          testCase "a shape that is another's" $
            [lawName law | law <- laws, not (holds law (Misdescribed 3))]
              @?= ["the shape accepts the document"],
          testCase "other bytes" $
            assertBool "the bytes are different" (not (all (`holds` (3 :: Int)) (alike show))),
          testCase "a type that cannot be read as another" $
            holds (olderBytes mempty (const (0 :: Int))) ("x" :: Text) @?= False
        ],
      testCase "older bytes are read" $
        broken (olderBytes mempty (map (Just . toInteger))) [1 :: Int, 2] @?= Nothing
    ]

lawful :: (Eq a, Show a, Wire a) => String -> [a] -> TestTree
lawful name values =
  testGroup
    name
    [ testCase (lawName law) (map (broken law) values @?= map (const Nothing) values)
      | law <- laws
    ]
