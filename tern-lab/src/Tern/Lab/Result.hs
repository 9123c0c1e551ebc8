{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What a comparison found, as data: for the reports, for files, for whoever
-- reads them later.
--
-- Units everywhere: times in nanoseconds, sizes in bytes. The JSON form has
-- these fields by these names and carries 'formatVersion'; it only grows.
module Tern.Lab.Result
  ( Results (..),
    formatVersion,
    Machine (..),
    Library (..),
    Comparison (..),
    Row (..),
    Decoded (..),
    Cost (..),
    encodeResults,
    decodeResults,
  )
where

import Control.Monad (when)
import Data.Bifunctor (first)
import Data.ByteString (ByteString)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Tern (Wire, decodeJson, encodeJson, renderError)
import Tern.Lab.Stats (Spread)

-- | A run of @tern-lab compare@.
data Results = Results
  { format :: !Text,
    machine :: !Machine,
    comparisons :: ![Comparison]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | What 'format' says.
formatVersion :: Text
formatVersion = "tern-lab compare 1"

-- | Where the figures were taken.
data Machine = Machine
  { compiler :: !Text,
    system :: !Text,
    processor :: !Text,
    cores :: !Int,
    -- | What is compared with what; of results that are older than the field it is
    -- unknown.
    libraries :: !(Maybe [Library])
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | A library that was compiled in.
data Library = Library
  { name :: !Text,
    version :: !Text
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | One subject, all of its codecs.
data Comparison = Comparison
  { subject :: !Text,
    about :: !Text,
    -- | The document's path, where it is one of the user's.
    input :: !(Maybe Text),
    -- | How many different records were encoded and decoded one after the other, the
    -- results all kept; the figures are those of one of them, sizes those of all.
    -- Absent: one value, again and again, and nothing kept.
    records :: !(Maybe Int),
    rounds :: !Int,
    -- | The A\/A floor: differences in time below this part may be noise.
    floorOfTime :: !Double,
    -- | What the laboratory's own work cost in the same rounds; of results that are older
    -- than the field it is unknown.
    pace :: !(Maybe Cost),
    -- | The first is what the others are compared with.
    rows :: ![Row]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | One codec.
data Row = Row
  { codec :: !Text,
    -- | Of results that are older than the field it is unknown, and was JSON.
    codecFormat :: !(Maybe Text),
    encode :: !Cost,
    decode :: !Cost,
    -- | What was decoded; of results that are older than the field it is unknown.
    decodes :: !(Maybe Decoded),
    payload :: !Int,
    gzipped :: !Int,
    -- | By Zstandard; of results that are older than the field it is unknown.
    zstandard :: !(Maybe Int),
    -- | The most memory that a process held which did nothing but decode the
    -- payload and encode the value again; absent where it could not be had.
    peak :: !(Maybe Int)
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | What a codec was given to decode.
data Decoded = Decoded
  { -- | The document of the user's as it is; else what the codec made of the value.
    fromFile :: !Bool,
    size :: !Int
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | One direction.
data Cost = Cost
  { -- | CPU time of one operation.
    time :: !Spread,
    -- | The same of each round, in their order; of results that are older than the
    -- field they are unknown.
    samples :: !(Maybe [Double]),
    -- | What of the median of the CPU time was collections; absent where the
    -- runtime did not say.
    collector :: !(Maybe Double),
    -- | Median wall time of one operation. Much above the CPU time's median,
    -- the machine was busy with something else.
    wall :: !Double,
    -- | Bytes allocated by one operation.
    allocated :: !Double,
    -- | Bytes that collections copied for one operation, and how many collections that
    -- took: means. Absent where the runtime did not say.
    copied :: !(Maybe Double),
    collections :: !(Maybe Double),
    -- | The same of each round, in their order; unknown in results that are older than
    -- the fields.
    copiedSamples :: !(Maybe [Double]),
    collectionsSamples :: !(Maybe [Double]),
    -- | Instructions of one operation, where they were asked for and valgrind is there.
    instructions :: !(Maybe Double),
    -- | The most bytes that were alive while it worked, above what was alive before, and
    -- the most memory of a process that did nothing else; where they were asked for.
    mostLive :: !(Maybe Double),
    mostHeld :: !(Maybe Double)
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | As JSON, in one line without its end.
encodeResults :: Results -> ByteString
encodeResults = encodeJson

-- | Results, or what is wrong with them, by line and column. Another format than 'formatVersion'
-- is refused.
decodeResults :: ByteString -> Either Text Results
decodeResults bytes = do
  results <- first (renderError bytes) (decodeJson bytes)
  when (format results /= formatVersion) . Left $
    T.concat ["its format is ", T.take 60 (format results), ", expected ", formatVersion]
  pure results
