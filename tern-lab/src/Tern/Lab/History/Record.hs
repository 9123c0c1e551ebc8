{-# LANGUAGE OverloadedStrings #-}

-- | What became of each commit.
--
-- Its one idea: a commit that does not build or run has a record like every
-- other. A record is complete in itself and is saved as soon as it is made;
-- flags and reports are functions of the list of records.
--
-- Start at 'Record'. How it is written as JSON is in
-- "Tern.Lab.History.Record.Json".
module Tern.Lab.History.Record
  ( Results (..),
    Record (..),
    Built (..),
    Executable (..),
    Ran (..),
    Measurement (..),
    Source (..),
    Failure (..),
    Stage (..),
    renderFailure,
    failureWords,
    whyLines,
    figure,
    sight,
    figuresOf,
  )
where

import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.History.Git (Commit)
import Tern.Lab.History.Metric (Metric (..), Sight, Spread (..), sighted)
import Tern.Lab.Process (Ending (..), renderEnding)

-- | A whole history, as it is kept and merged.
data Results = Results
  { resultsRange :: !Text,
    -- | Results of equal fingerprints can be merged.
    resultsFingerprint :: !Text,
    -- | The web page of the repository.
    resultsWeb :: !(Maybe Text),
    -- | Name and command.
    resultsBenchmarks :: ![(Text, Text)],
    -- | Oldest first.
    resultsRecords :: ![Record]
  }
  deriving stock (Eq, Show)

-- | What became of one commit.
data Record = Record
  { recordCommit :: !Commit,
    -- | Where it was measured; times of different machines say nothing.
    recordMachine :: !Text,
    recordBuilt :: !Built,
    -- | One for each benchmark, by name; none when the build failed.
    recordRuns :: ![(Text, Ran)],
    -- | Where the bytes went since the commit that this one is compared with, and what the
    -- optimiser did differently there, in lines; for flagged commits, where it was asked for.
    recordWhy :: !(Maybe Text)
  }
  deriving stock (Eq, Show)

-- | What is said of why, line by line; none where nothing is.
whyLines :: Record -> [Text]
whyLines = maybe [] T.lines . recordWhy

-- | What the build of a commit gave, or why it gave nothing. The prepare command is a part of it.
data Built
  = Built
      { -- | Seconds; Nothing where builds start from what the last one left.
        builtSeconds :: !(Maybe Double),
        builtExecutable :: !(Maybe Executable)
      }
  | NotBuilt !Failure
  deriving stock (Eq, Show)

-- | The executable that a build left. On equal ones, with equal input, a benchmark is measured
-- once.
data Executable = Executable
  { -- | Of the stripped file, without its build identity.
    executableHash :: !Text,
    -- | Bytes, stripped.
    executableSize :: !Int
  }
  deriving stock (Eq, Show)

-- | What came of one benchmark at a commit.
data Ran
  = Ran !Measurement
  | NotRun !Failure
  deriving stock (Eq, Show)

-- | The figures of one benchmark, over all of its runs.
data Measurement = Measurement
  { measuredSpreads :: !(Map Metric Spread),
    measuredSource :: !Source,
    -- | How many there were; of records that are older than the field it is unknown.
    measuredRuns :: !(Maybe Int),
    -- | Of standard output; of the first run.
    measuredOutput :: !Text,
    -- | Was the output the same in all runs?
    measuredStable :: !Bool,
    -- | Taken over from an equal executable on the same input: nothing ran.
    measuredCached :: !Bool
  }
  deriving stock (Eq, Show)

-- | Where the figures come from.
data Source
  = -- | The runtime's file of exact figures.
    RuntimeFile
  | -- | The runtime's page on standard error: the program's link does not
    -- allow the file. Times are to a millisecond.
    RuntimePage
  | -- | No Haskell runtime answered: processor time and memory of the process.
    ProcessOnly
  deriving stock (Eq, Ord, Show, Enum, Bounded)

-- | Which command of the plan was run: prepare, build, or one of the benchmarks.
data Stage = Preparing | Building | Running
  deriving stock (Eq, Ord, Show, Enum, Bounded)

-- | Why a commit was not built, or a benchmark has no figures.
data Failure
  = -- | The step, how its command ended, the last lines that it wrote.
    Failure !Stage !Ending !Text
  | -- | The build succeeded, but its executable is not where it should be.
    NoExecutable !Text
  | -- | The output was not the expected one; its hash.
    WrongOutput !Text
  deriving stock (Eq, Show)

-- | In one line, without the command's own words.
renderFailure :: Failure -> Text
renderFailure = \case
  Failure step how _ -> T.concat [stepName step, " ", renderEnding how]
  NoExecutable place -> T.concat ["the build left no executable at ", place]
  WrongOutput _ -> "the output is not the expected one"
  where
    stepName = \case
      Preparing -> "the prepare command"
      Building -> "the build"
      Running -> "the run"

-- | What the command itself said, in one line: its first line about an error, or
-- else its last.
failureWords :: Failure -> Maybe Text
failureWords = \case
  Failure _ _ said -> case (filter about rows, reverse rows) of
    (row : _, _) -> Just row
    ([], row : _) -> Just row
    ([], []) -> Nothing
    where
      rows = filter (not . T.null) (map T.strip (T.lines said))
      about row = any (`T.isInfixOf` T.toLower row) ["error", "not found", "cannot"]
  _ -> Nothing

-- | The figure that decides or informs: the minimum over the runs.
figure :: Metric -> Text -> Record -> Maybe Double
figure metric name record = spreadLeast <$> Map.lookup metric (figuresOf name record)

-- | How a figure changed that wanders from run to run; nothing where it is missing.
sight :: Metric -> Text -> Record -> Record -> Maybe Sight
sight metric name older newer = do
  before <- Map.lookup metric (figuresOf name older)
  after <- Map.lookup metric (figuresOf name newer)
  pure (sighted (minimum (5 : mapMaybe runsOf [older, newer])) before after)
  where
    -- Older records did not say; there were five unless somebody asked for others.
    runsOf record = case lookup name (recordRuns record) of
      Just (Ran measurement) -> measuredRuns measurement
      _ -> Nothing

-- | All figures of a benchmark at a commit, those of the build among them.
figuresOf :: Text -> Record -> Map Metric Spread
figuresOf name record = case (recordBuilt record, lookup name (recordRuns record)) of
  (Built seconds executable, Just (Ran measurement)) ->
    measuredSpreads measurement
      -- Older records have the parts alone.
      <> Map.fromList
        [ (ProcessTime, both a b)
          | Just a <-
              [part MutatorTime measurement],
            Just b <- [part CollectorTime measurement]
        ]
      <> Map.fromList
        ( [(CompileTime, single s) | Just s <- [seconds]]
            <> [(ExecutableSize, single (fromIntegral (executableSize e))) | Just e <- [executable]]
        )
  _ -> Map.empty
  where
    single x = Spread x x x
    part metric = Map.lookup metric . measuredSpreads
    both (Spread a b c) (Spread a' b' c') = Spread (a + a') (b + b') (c + c')
