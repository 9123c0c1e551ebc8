{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DuplicateRecordFields #-}

-- | A typed model of @gsoc-2018.json@: proposals by number, with long texts. What the
-- document says of types (@\@context@, @\@type@) is stepped over.
module Tern.Bench.Documents.Proposals
  ( Proposals (..),
    Proposal (..),
    Organization (..),
    Author (..),
  )
where

import Control.DeepSeq (NFData)
import Data.Aeson (FromJSON, ToJSON)
import Data.Map.Strict (Map)
import Data.Text (Text)
import GHC.Generics (Generic)
import Tern (Wire)

newtype Proposals = Proposals (Map Text Proposal)
  deriving stock (Eq, Generic, Show)
  deriving newtype (FromJSON, NFData, ToJSON, Wire)

data Proposal = Proposal
  { name :: !Text,
    description :: !Text,
    sponsor :: !Organization,
    author :: !Author
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (FromJSON, NFData, ToJSON, Wire)

data Organization = Organization
  { name :: !Text,
    disambiguatingDescription :: !Text,
    description :: !Text,
    url :: !Text,
    logo :: !Text
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (FromJSON, NFData, ToJSON, Wire)

newtype Author = Author {name :: Text}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (FromJSON, NFData, ToJSON, Wire)
