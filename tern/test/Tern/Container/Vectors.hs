{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingStrategies #-}

-- | The declared types of the vectors in @docs\/spec\/vectors@.
module Tern.Container.Vectors
  ( Colour (..),
    Point (..),
    Event (..),
    Tree (..),
    Wrapped (..),
    Only (..),
    Reading (..),
  )
where

import Data.Map.Strict (Map)
import Data.Text (Text)
import Data.Word (Word8)
import GHC.Generics (Generic)
import Tern

data Colour = Red | Green | Blue
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Point = Point Int Int
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Event
  = Quiet
  | Sighted {species :: Text, count :: Maybe Int}
  | Moved Point Point
  | Noted Text
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Tree = Leaf | Fork Tree Word8 Tree
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

newtype Wrapped a = Wrapped a
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Only = Only
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Reading = Reading {hour :: Word8, celsius :: Double, note :: Maybe Text, colours :: [Colour], counts :: Map Text Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)
