{-# LANGUAGE OverloadedStrings #-}

-- | Which processor times were taken on.
--
-- The idea: the name alone does not say. A virtual machine may call each of its processors by
-- the maker's name for all of them, of which the oldest takes four times as long as the newest.
-- So the name has what tells generations apart after it.
module Tern.Lab.Processor
  ( Processors (..),
    processors,
    processorsIn,
  )
where

import Control.Exception (IOException, try)
import Data.List (find)
import Data.Maybe (mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T

-- | The first processor's name, and how many the system told of.
data Processors = Processors
  { -- | As Linux tells it, with the generation: @AMD EPYC (family 23, model 1)@, or
    -- @implementer 0x41, part 0xd0c@ where it tells no name. Empty where it tells nothing.
    processorName :: Text,
    -- | 0 where the system tells nothing.
    processorCount :: Int
  }
  deriving stock (Eq, Show)

-- | The processors of this machine.
processors :: IO Processors
processors = either nothing processorsIn <$> try (T.readFile "/proc/cpuinfo")
  where
    nothing :: IOException -> Processors
    nothing _ = Processors "" 0

-- | The processors that a text as Linux's @/proc/cpuinfo@ tells of, a line for each property,
-- with a colon between its name and its value. Linear in the text's length.
--
-- >>> processorsIn "processor: 0\ncpu family: 23\nmodel: 1\nmodel name: AMD EPYC\n"
-- Processors {processorName = "AMD EPYC (family 23, model 1)", processorCount = 1}
processorsIn :: Text -> Processors
processorsIn told =
  Processors
    { processorName = case property "model name" of
        Nothing -> generation
        Just name | T.null generation -> name
        Just name -> name <> " (" <> generation <> ")",
      processorCount = length (filter ((== "processor") . fst) properties)
    }
  where
    properties =
      [(T.strip key, T.strip (T.drop 1 value)) | (key, value) <- T.breakOn ":" <$> T.lines told]
    property key = snd <$> find ((== key) . fst) properties
    generation = T.intercalate ", " (mapMaybe part parts)
    part (word, key) = (\value -> word <> " " <> value) <$> property key
    parts =
      [ ("family", "cpu family"),
        ("model", "model"),
        ("implementer", "CPU implementer"),
        ("part", "CPU part")
      ]
