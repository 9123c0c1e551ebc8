{-# LANGUAGE OverloadedStrings #-}

-- | What is measured of a commit: the table of metrics.
--
-- Its one idea: a metric is either /decisive/ (it is the same in every run on
-- every machine, so a change in it is a change of the program) or it only
-- informs (times, which a busy machine moves by tens of per cent). Only
-- decisive metrics flag a commit, each by a stated 'Threshold'.
--
-- Start at 'Metric' and 'defaultThresholds'.
module Tern.Lab.History.Metric
  ( -- * The table
    Metric (..),
    metrics,
    metricName,
    metricTitle,
    metricNamed,
    Unit (..),
    metricUnit,
    decisive,

    -- * Thresholds
    Threshold (..),
    Thresholds,
    defaultThresholds,
    Direction (..),
    direction,

    -- * Spread over several runs
    Figures,
    Spread (..),
    spreads,
    steady,
    Sight (..),
    sighted,

    -- * For people
    renderQuantity,
    renderPercent,
    renderSight,
  )
where

import Data.List (find, sort)
import Data.List.NonEmpty (NonEmpty)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Quantity (Unit (..), renderPercent, renderQuantity, renderRough)

-- | In the order in which reports show them.
data Metric
  = -- | Bytes allocated on the heap by the whole run.
    Allocated
  | -- | Garbage collections.
    Collections
  | -- | Bytes copied by the collector.
    Copied
  | -- | Bytes that lived at the worst major collection.
    MaxLive
  | -- | Bytes that the runtime held at its peak.
    Peak
  | -- | Instructions, counted by valgrind.
    Instructions
  | -- | Bytes of the stripped executable.
    ExecutableSize
  | -- | Seconds of processor time outside the collector.
    MutatorTime
  | -- | Seconds of processor time in the collector.
    CollectorTime
  | -- | Seconds from start to end, without what the runtime does after the
    -- program has ended. What else the machine does counts.
    TotalTime
  | -- | Seconds of processor time, the collector's included.
    ProcessTime
  | -- | Bytes of memory of the process at its peak, likewise.
    Resident
  | -- | Seconds that the build command took.
    CompileTime
  deriving stock (Eq, Ord, Show, Enum, Bounded)

-- | All of them.
metrics :: [Metric]
metrics = [minBound .. maxBound]

-- | The name in options, CSV and JSON.
metricName :: Metric -> Text
metricName = \case
  Allocated -> "allocated"
  Collections -> "collections"
  Copied -> "copied"
  MaxLive -> "live"
  Peak -> "peak"
  Instructions -> "instructions"
  ExecutableSize -> "size"
  MutatorTime -> "mutator"
  CollectorTime -> "collector"
  TotalTime -> "total"
  ProcessTime -> "process"
  Resident -> "resident"
  CompileTime -> "compile"

-- | The name in running text.
metricTitle :: Metric -> Text
metricTitle = \case
  Allocated -> "Allocations"
  Collections -> "Collections"
  Copied -> "Copied by the collector"
  MaxLive -> "Maximum live"
  Peak -> "Memory"
  Instructions -> "Instructions"
  ExecutableSize -> "Executable size"
  MutatorTime -> "Mutator time"
  CollectorTime -> "Collector time"
  TotalTime -> "Wall time"
  ProcessTime -> "Time"
  Resident -> "Process memory"
  CompileTime -> "Compile time"

-- | The metric of a name; @allocation@, @allocations@ and @time@ are accepted too.
metricNamed :: Text -> Maybe Metric
metricNamed name
  | name == "time" = Just ProcessTime
  | name `elem` ["allocation", "allocations"] = Just Allocated
  | otherwise = find ((== name) . metricName) metrics

-- | What its figures are in, and the floor of its threshold.
metricUnit :: Metric -> Unit
metricUnit = \case
  Allocated -> Bytes
  Collections -> Count
  Copied -> Bytes
  MaxLive -> Bytes
  Peak -> Bytes
  Instructions -> Count
  ExecutableSize -> Bytes
  MutatorTime -> Seconds
  CollectorTime -> Seconds
  TotalTime -> Seconds
  ProcessTime -> Seconds
  Resident -> Bytes
  CompileTime -> Seconds

-- | Is it the same in every run of the same program on the same input?
decisive :: Metric -> Bool
decisive metric = case metricUnit metric of
  Seconds -> False
  _ -> metric /= Resident

-- | A change counts when it is larger than the fraction of the older figure
-- and larger than the absolute floor, in the metric's unit.
data Threshold = Threshold
  { thresholdFraction :: !Double,
    thresholdFloor :: !Double
  }
  deriving stock (Eq, Show)

-- | The metrics that flag a commit, and from which change on.
type Thresholds = Map Metric Threshold

-- | The floors are what the runtime itself moves by: some kilobytes of start-up
-- allocation, one block of memory more or less.
defaultThresholds :: Thresholds
defaultThresholds =
  Map.fromList
    [ (Allocated, Threshold 0.01 16_384),
      (MaxLive, Threshold 0.10 131_072),
      (Peak, Threshold 0.10 4_194_304),
      (Instructions, Threshold 0.01 200_000),
      (ExecutableSize, Threshold 0.10 65_536)
    ]

-- | Less is better in every metric of the table.
data Direction = Improvement | Regression
  deriving stock (Eq, Ord, Show)

-- | Which way a figure went from an older to a newer commit, if far enough.
--
-- >>> direction (Threshold 0.01 100) 10000 9800
-- Just Improvement
-- >>> direction (Threshold 0.01 100) 10000 10050
-- Nothing
direction :: Threshold -> Double -> Double -> Maybe Direction
direction (Threshold fraction least) older newer
  | abs change <= least || abs change <= fraction * older = Nothing
  | change < 0 = Just Improvement
  | otherwise = Just Regression
  where
    change = newer - older

-- | The figures of one run.
type Figures = Map Metric Double

-- | One metric over several runs.
data Spread = Spread
  { spreadLeast :: !Double,
    spreadMedian :: !Double,
    spreadMost :: !Double
  }
  deriving stock (Eq, Show)

-- | A metric that is missing in some run is left out.
spreads :: NonEmpty Figures -> Map Metric Spread
spreads runs = Map.mapMaybe spread (Map.unionsWith (<>) (map (fmap pure) (NonEmpty.toList runs)))
  where
    spread values
      | length values == length runs,
        least : _ <- ordered =
          Just (Spread least (median ordered) (last' least ordered))
      | otherwise = Nothing
      where
        ordered = sort values
    last' = foldl (\_ x -> x)
    median ordered = case drop ((length ordered - 1) `div` 2) ordered of
      a : b : _ | even (length ordered) -> (a + b) / 2
      a : _ -> a
      [] -> 0

-- | Did the metric stay within half of its threshold over the runs? What
-- wanders further by itself proves nothing about a commit.
steady :: Threshold -> Spread -> Bool
steady (Threshold fraction least) (Spread low _ high) =
  high - low <= max (least / 2) (fraction / 2 * low)

-- | What two spreads say of a figure that wanders.
data Sight
  = -- | The change, and by how much it may be off, as parts of the older figure.
    Seen !Double !Double
  | -- | What the figure wanders by itself covers the change.
    NotSeen
  | -- | Fewer than three runs do not say how far it wanders.
    TooFewRuns
  deriving stock (Eq, Show)

-- | The change of a figure that wanders, by the least of @runs@ runs of each commit. It
-- is seen where it is larger than what both wander (each twice the way
-- from the least to the median: about the whole range of five runs, but one run that
-- was disturbed does not count), than two per cent, and than a millisecond, to which
-- some programs tell their time.
--
-- >>> sighted 5 (Spread 1 1.25 2) (Spread 4 4.25 4.5)
-- Seen 3.0 1.0
-- >>> sighted 5 (Spread 1 1.25 2) (Spread 1.5 1.75 2)
-- NotSeen
sighted :: Int -> Spread -> Spread -> Sight
sighted runs older newer
  | runs < 3 = TooFewRuns
  | spreadLeast older > 0,
    abs change > hidden =
      Seen (change / spreadLeast older) (hidden / spreadLeast older)
  | otherwise = NotSeen
  where
    change = spreadLeast newer - spreadLeast older
    hidden = maximum [wandering older + wandering newer, 0.02 * spreadLeast older, 0.001]
    wandering (Spread least median most) = min (most - least) (2 * (median - least))

-- | In two digits.
--
-- >>> map renderSight [Seen (-0.3712) 0.04, NotSeen, TooFewRuns]
-- ["-37 % \177 4.0 %","no difference seen","too few runs to tell"]
renderSight :: Sight -> Text
renderSight = \case
  Seen change off -> T.concat [renderRough change, " \177 ", T.dropWhile (== '+') (renderRough off)]
  NotSeen -> "no difference seen"
  TooFewRuns -> "too few runs to tell"
