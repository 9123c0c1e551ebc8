{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What is exchanged: observations of birds.
--
-- The idea: a type is declared once and has every format by one word of deriving.
-- Nothing here knows of HTTP or of a database.
module Birds.Observation
  ( Observation (..),
    faultOf,
    Kept (..),
    Page (..),
    Correction (..),
    corrected,
    Change (..),
    What (..),
  )
where

import Control.Applicative ((<|>))
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Time (Day, defaultTimeLocale, parseTimeM)
import GHC.Generics (Generic)
import Tern (Wire)

-- | Birds that somebody has seen: a number of a species, at a place, on a day as
-- @2024-05-17@.
data Observation = Observation
  { species ::
      Text,
    place :: Text,
    day :: Text,
    count :: Int,
    note :: Maybe Text
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | What is wrong with an observation that has the right type: in which field, and why.
faultOf :: Observation -> Maybe (Text, Text)
faultOf it
  | Nothing <- parsed = Just ("day", "a day is written as 2024-05-17, and is one of the calendar")
  | count it < 1 = Just ("count", "at least one bird was seen")
  | otherwise = Nothing
  where
    parsed = parseTimeM False defaultTimeLocale "%Y-%m-%d" (T.unpack (day it)) :: Maybe Day

-- | With the number that it is kept under.
data Kept = Kept {number :: Int, observation :: Observation}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | Some of a list, and the number after which it goes on.
data Page = Page {items :: [Kept], next :: Maybe Int, total :: Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | What is to be another; what is nothing stays.
data Correction = Correction
  { newSpecies ::
      Maybe Text,
    newPlace :: Maybe Text,
    newDay :: Maybe Text,
    newCount :: Maybe Int,
    newNote :: Maybe Text
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | The old one, with what the correction has. A note can be replaced, but not taken away.
corrected :: Correction -> Observation -> Observation
corrected new old =
  Observation
    { species = fromMaybe (species old) (newSpecies new),
      place = fromMaybe (place old) (newPlace new),
      day = fromMaybe (day old) (newDay new),
      count = fromMaybe (count old) (newCount new),
      note = newNote new <|> note old
    }

-- | Something that happened, with its number in the order of all that did.
data Change = Change {change :: Int, what :: What, now :: Kept}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | How an observation changed. None is ever taken away.
data What = Added | Corrected
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)
