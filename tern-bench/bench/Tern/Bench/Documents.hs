{-# LANGUAGE DeriveAnyClass #-}

-- | Typed models of two well-known documents: the fields that a program would
-- ask for, by the names they have there; what else there is, is stepped over.
module Tern.Bench.Documents
  ( -- * Messages
    Twitter (..),
    Status (..),
    User (..),

    -- * Coordinates
    Canada (..),
    Feature (..),
    Geometry (..),
  )
where

import Control.DeepSeq (NFData)
import Data.Aeson (FromJSON, ToJSON)
import Data.Text (Text)
import GHC.Generics (Generic)
import Tern (Wire)

newtype Twitter = Twitter {statuses :: [Status]}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (FromJSON, NFData, ToJSON, Wire)

data Status = Status
  { id_str :: !Text,
    text :: !Text,
    user :: !User,
    retweet_count :: !Int,
    favorite_count :: !Int,
    created_at :: !Text,
    lang :: !Text
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (FromJSON, NFData, ToJSON, Wire)

data User = User
  { id :: !Int,
    screen_name :: !Text,
    name :: !Text,
    followers_count :: !Int
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (FromJSON, NFData, ToJSON, Wire)

newtype Canada = Canada {features :: [Feature]}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (FromJSON, NFData, ToJSON, Wire)

newtype Feature = Feature {geometry :: Geometry}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (FromJSON, NFData, ToJSON, Wire)

newtype Geometry = Geometry {coordinates :: [[[Double]]]}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (FromJSON, NFData, ToJSON, Wire)
