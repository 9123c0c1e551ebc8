{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Figures of things that were measured together, whatever they are: codecs,
-- benchmarks, programs.
--
-- The idea: a sheet has entries, an entry has figures, and a figure has a name, a unit
-- and what was found in each round. Pages, differences and growth know nothing more.
-- In every figure less is better.
--
-- Start at 'Sheet'.
module Tern.Lab.Sheet
  ( Sheet (..),
    Choice (..),
    Entry (..),
    Figure (..),
    Unit (..),
    Floor (..),

    -- * Looking at them
    sample,
    medianOf,
    figureNamed,
    isTime,
    isExact,
    floorOf,
    floorsOf,
    paceOf,
    renderFigure,
    heading,

    -- * Names of figures
    cpuTime,
    wallTime,

    -- * Of comparisons
    ofComparison,
    ofCost,
  )
where

import Control.Monad ((>=>))
import Data.List (find)
import Data.List.NonEmpty (NonEmpty (..))
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (catMaybes, fromMaybe, mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Tern (Wire)
import Tern.Lab.Result qualified as Result
import Tern.Lab.Stats (Spread (..), difference, spread, unseen)
import Tern.Lab.Table (bytes, duration, grouped, memory)

-- | What was measured together, in the same rounds.
data Sheet = Sheet
  { title :: !Text,
    -- | The parameters' values, where there are some.
    setting :: ![Choice],
    rounds :: !Int,
    -- | What cannot be seen of each time.
    floors :: ![Floor],
    -- | The first is what the others are compared with.
    entries :: ![Entry],
    -- | The first once more, where it was measured so: the same against itself.
    control :: !(Maybe Entry),
    -- | Work of the laboratory's own in the same rounds ("Tern.Lab.Pace"): how fast the
    -- machine was. Of results that are older than the field it is unknown.
    pace :: !(Maybe Entry),
    -- | What a reader must know besides.
    remarks :: ![Text]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | A parameter and its value.
data Choice = Choice
  { parameter :: !Text,
    value :: !Text
  }
  deriving stock (Eq, Generic, Ord, Show)
  deriving anyclass (Wire)

-- | One thing.
data Entry = Entry
  { name :: !Text,
    figures :: ![Figure]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | One kind of figure.
data Figure = Figure
  { name :: !Text,
    unit :: !Unit,
    -- | One a round, in their order; or one for all of them. At least one.
    samples :: ![Double]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | What the samples of a figure are in.
data Unit = Nanoseconds | Bytes | Count
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | Differences of a figure below this part of it may be noise.
data Floor = Floor
  { name :: !Text,
    part :: !Double
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- * Looking at them

-- | What was found, if anything.
sample :: Figure -> Maybe (NonEmpty Double)
sample figure = NonEmpty.nonEmpty figure.samples

-- | The median of its samples; 0 where it has none.
medianOf :: Figure -> Double
medianOf figure = maybe 0 (median . spread) (sample figure)

-- | The first figure of this name.
figureNamed :: Text -> Entry -> Maybe Figure
figureNamed wanted entry = find (\figure -> figure.name == wanted) entry.figures

-- | Times wander; bytes and counts are exact, or nearly so.
isTime :: Figure -> Bool
isTime figure = figure.unit == Nanoseconds

-- | Is it the same in every run of the same program? What depends on when collections
-- happen is not, whatever else it counts.
isExact :: Figure -> Bool
isExact figure = not (isTime figure) && figure.name `notElem` collectors
  where
    collectors =
      ["copied", "collections", "most live", "memory held", "peak memory", "process memory"]

-- | The floor of a figure; where none is known, 0.
floorOf :: Sheet -> Text -> Double
floorOf sheet wanted = maybe 0 (.part) (find (\one -> one.name == wanted) sheet.floors)

-- | The floors of all times: what parts halves of the rounds, or the first entry from
-- itself.
floorsOf :: [Entry] -> Maybe Entry -> [Floor]
floorsOf entries control =
  [ Floor {name = figure.name, part = maximum (unseen of' : catMaybes [apart figure])}
    | first : _ <- [entries],
      figure <- first.figures,
      isTime figure,
      let of' = mapMaybe (figureNamed figure.name >=> sample) (entries <> maybe [] pure control)
  ]
  where
    apart figure = difference (medianOf figure) . medianOf <$> (control >>= figureNamed figure.name)

-- | What the laboratory's own work took, where that is known.
paceOf :: Sheet -> Text -> Maybe Double
paceOf sheet wanted = medianOf <$> (sheet.pace >>= figureNamed wanted)

-- | With its unit.
renderFigure :: Unit -> Double -> Text
renderFigure = \case
  Nanoseconds -> duration
  Bytes -> \x -> if x >= 10000000 then memory (round x) else bytes (round x)
  -- Of one operation there may be less than one: collections are few.
  Count -> \x -> if x > 0 && x < 1 then "1 in " <> grouped (round (1 / x)) else grouped (round x)

-- | The title with the parameters' values.
heading :: Sheet -> Text
heading sheet =
  T.intercalate
    ", "
    ( filter
        (not . T.null)
        ( sheet.title
            : map (\choice -> T.concat [choice.parameter, " = ", choice.value]) sheet.setting
        )
    )

-- * Names of figures

-- | Figures of these names are the processor's time, and the time from start to end.
cpuTime, wallTime :: Text
cpuTime = "CPU time"
wallTime = "wall time"

-- * Of comparisons

-- | A sheet for each direction, and the sizes with the second.
ofComparison :: Result.Comparison -> [Sheet]
ofComparison comparison = [one "encode" (.encode) (const []), one "decode" (.decode) sizes]
  where
    one direction cost further =
      Sheet
        { title = T.concat [about, ": ", direction],
          setting = [],
          rounds = comparison.rounds,
          floors = [Floor cpuTime comparison.floorOfTime, Floor wallTime comparison.floorOfTime],
          entries = [Entry row.codec (ofCost (cost row) <> further row) | row <- comparison.rows],
          control = Nothing,
          pace = Entry "pace" . ofCost <$> comparison.pace,
          remarks = []
        }
    about =
      T.concat
        [ comparison.subject,
          maybe "" (" in " <>) comparison.input,
          maybe
            ""
            ( \n ->
                T.concat [", ", grouped n, " kept"]
            )
            comparison.records
        ]
    sizes row =
      [ single
          "payload"
          Bytes
          (fromIntegral row.payload),
        single "gzipped" Bytes (fromIntegral row.gzipped)
      ]
        <> [single "zstd" Bytes (fromIntegral size) | Just size <- [row.zstandard]]
        <> [single "peak memory" Bytes (fromIntegral peak) | Just peak <- [row.peak]]

-- | All figures of one cost.
ofCost :: Result.Cost -> [Figure]
ofCost cost =
  [ Figure cpuTime Nanoseconds (fromMaybe [median cost.time] cost.samples),
    single wallTime Nanoseconds cost.wall,
    single "allocated" Bytes cost.allocated
  ]
    <> [ Figure name unit (fromMaybe [found] rounds)
         | (name, unit, Just found, rounds) <-
             [ ("collector", Nanoseconds, cost.collector, Nothing),
               ("copied", Bytes, cost.copied, cost.copiedSamples),
               ("collections", Count, cost.collections, cost.collectionsSamples),
               ("instructions", Count, cost.instructions, Nothing),
               ("most live", Bytes, cost.mostLive, Nothing),
               ("memory held", Bytes, cost.mostHeld, Nothing)
             ]
       ]

single :: Text -> Unit -> Double -> Figure
single name unit found = Figure {name, unit, samples = [found]}
