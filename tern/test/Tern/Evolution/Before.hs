{-# LANGUAGE DeriveAnyClass #-}

-- | Types as they were.
module Tern.Evolution.Before where

import Data.Int (Int8)
import Data.Map.Strict (Map)
import Data.Text (Text)
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)
import Tern

data Sighting = Sighting
  { species :: Text,
    number :: Word16,
    place :: (Float, Float),
    colours :: [Colour],
    outline :: Maybe Outline,
    family :: Tree,
    seen :: Map Text Word8,
    remark :: Text
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Colour = Red | Green | Grey
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Outline = Circle {radius :: Float} | Polygon [Word16]
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Tree = Leaf | Node {left :: Tree, label :: Int8, right :: Tree}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | One constructor, whose name nobody wrote.
data Point = Plane {x :: Double, y :: Double}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

newtype Metres = Metres Double
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)
