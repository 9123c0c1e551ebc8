{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DerivingStrategies #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | The declared types of the vectors in @docs\/spec\/vectors@.
module Tern.Container.Vectors
  ( Colour (..),
    Point (..),
    Event (..),
    Tree (..),
    Wrapped (..),
    Only (..),
    Reading (..),
    Zoned (..),
    Ringing (..),
  )
where

import Data.Map.Strict (Map)
import Data.Set (Set)
import Data.Text (Text)
import Data.Time.Clock (DiffTime, UTCTime)
import Data.Time.LocalTime (ZonedTime, timeZoneMinutes, zonedTimeToLocalTime, zonedTimeZone)
import Data.UUID.Types (UUID)
import Data.Word (Word8)
import GHC.Generics (Generic)
import Tern
import Tern.Codec qualified as Codec

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

data Reading = Reading
  { hour ::
      Word8,
    celsius :: Double,
    note :: Maybe Text,
    colours :: [Colour],
    counts :: Map Text Int
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | Two are equal where their texts are.
newtype Zoned = Zoned ZonedTime
  deriving stock (Show)

instance Eq Zoned where
  a == b = seen a == seen b
    where
      seen (Zoned z) = (zonedTimeToLocalTime z, timeZoneMinutes (zonedTimeZone z))

instance Wire Zoned where
  codec = Codec.mapCodec Zoned (\(Zoned z) -> z) codec

data Ringing = Ringing {ring :: UUID, at :: UTCTime, after :: Maybe DiffTime, others :: Set UUID}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)
