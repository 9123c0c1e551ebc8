{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | The same types as they are now, and what is said of the changes.
module Tern.Evolution.After where

import Data.Int (Int16)
import Data.Map.Strict (Map)
import Data.Text (Text)
import Data.Word (Word8)
import Tern
import Tern.Evolution

data Colour = Grey | Crimson | Yellow | Green
  deriving stock (Eq, Show)

data Outline = Polygon [Int] | Triangle | Circle {centre :: Maybe Word8, radius :: Double}
  deriving stock (Eq, Show)

data Branch = Node {right :: Branch, weight :: Double, label :: Int16, left :: Branch} | Leaf
  deriving stock (Eq, Show)

data Sighting = Sighting
  { observer :: Text,
    family :: Branch,
    species :: Text,
    seen :: Map Text Int,
    count :: Maybe Int,
    place :: (Double, Double),
    colours :: [Colour],
    outline :: Maybe Outline,
    ring :: Maybe Text
  }
  deriving stock (Eq, Show)

data Point = Plane {y :: Double, x :: Double} | Space Double Double Double
  deriving stock (Eq, Show)

newtype Feet = Feet Double
  deriving stock (Eq, Show)

-- | It had no fields.
newtype Padded = Padded {text :: Text}
  deriving stock (Eq, Show)

fmap concat . sequence $
  [ deriveWire defaultOptions name
    | name <-
        [''Colour, ''Outline, ''Branch, ''Sighting, ''Point, ''Feet, ''Padded]
  ]

changes :: Evolution
changes =
  evolving @Sighting
    [ fieldDefault
        "observer"
        ("unknown" :: Text),
      fieldAlias "count" ["amount", "number"]
    ]
    <> evolving @Colour [constructorAlias "Crimson" ["Red"]]
    <> evolving @Branch [typeAlias ["Tree"], fieldDefault "weight" (1.5 :: Double)]
    <> evolving @Point [soleConstructor "Plane"]
