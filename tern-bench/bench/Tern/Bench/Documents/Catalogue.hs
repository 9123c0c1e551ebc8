{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DuplicateRecordFields #-}

-- | A typed model of the whole of @citm_catalog.json@: names by number, events by number,
-- and what is played when, for which prices, on which places.
module Tern.Bench.Documents.Catalogue
  ( Catalogue (..),
    Event (..),
    Performance (..),
    Price (..),
    Category (..),
    Area (..),
  )
where

import Control.DeepSeq (NFData)
import Data.Aeson (FromJSON, ToJSON)
import Data.Map.Strict (Map)
import Data.Text (Text)
import GHC.Generics (Generic)
import Tern (Wire)

data Catalogue = Catalogue
  { areaNames :: !(Map Text Text),
    audienceSubCategoryNames :: !(Map Text Text),
    blockNames :: !(Map Text Text),
    events :: !(Map Text Event),
    performances :: ![Performance],
    seatCategoryNames :: !(Map Text Text),
    subTopicNames :: !(Map Text Text),
    subjectNames :: !(Map Text Text),
    topicNames :: !(Map Text Text),
    topicSubTopics :: !(Map Text [Int]),
    venueNames :: !(Map Text Text)
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (FromJSON, NFData, ToJSON, Wire)

data Event = Event
  { description :: !(Maybe Text),
    id :: !Int,
    logo :: !(Maybe Text),
    name :: !Text,
    subTopicIds :: ![Int],
    subjectCode :: !(Maybe Int),
    subtitle :: !(Maybe Text),
    topicIds :: ![Int]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (FromJSON, NFData, ToJSON, Wire)

data Performance = Performance
  { eventId :: !Int,
    id :: !Int,
    logo :: !(Maybe Text),
    name :: !(Maybe Text),
    prices :: ![Price],
    seatCategories :: ![Category],
    seatMapImage :: !(Maybe Text),
    start :: !Int,
    venueCode :: !Text
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (FromJSON, NFData, ToJSON, Wire)

data Price = Price
  { amount :: !Int,
    audienceSubCategoryId :: !Int,
    seatCategoryId :: !Int
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (FromJSON, NFData, ToJSON, Wire)

data Category = Category
  { areas :: ![Area],
    seatCategoryId :: !Int
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (FromJSON, NFData, ToJSON, Wire)

data Area = Area
  { areaId :: !Int,
    blockIds :: ![Int]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (FromJSON, NFData, ToJSON, Wire)
