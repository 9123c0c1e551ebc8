{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE NoFieldSelectors #-}

-- | Types as they were, and one that says so of itself.
module Tern.Options.Older
  ( OldSighting (..),
    OldestSighting (..),
    Counted (..),
    Numbered (..),
    Bare (..),
  )
where

import Data.Text (Text)
import GHC.Generics (Generic)
import Tern

data OldSighting = OldSighting
  { place_north ::
      Double,
    place_east :: Double,
    number :: Int,
    species :: Text
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

data OldestSighting = OldestSighting {place_north :: Double, species :: Text, place_east :: Double}
  deriving stock (Generic)
  deriving anyclass (Wire)

data Counted = Counted {species :: Text, count :: Int}
  deriving stock (Eq, Show)

data Numbered = Numbered {number :: Int, species :: Text}

newtype Bare = Bare {species :: Text}

deriveWire
  defaultOptions
    { fieldAliases =
        \name -> ["number" | name == "count"],
      fieldDefaults = [("count", [|1|])]
    }
  ''Counted

deriveWire defaultOptions ''Numbered

deriveWire defaultOptions ''Bare
