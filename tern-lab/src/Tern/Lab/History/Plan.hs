{-# LANGUAGE OverloadedStrings #-}

-- | What to measure and how, as a pure value that can be looked at without
-- running anything.
--
-- Its one idea: two plans with the same 'fingerprint' give the same decisive
-- figures for the same commit, so a result is kept under the fingerprint and
-- the commit, and a stopped run goes on where it was.
module Tern.Lab.History.Plan
  ( Plan (..),
    defaultPlan,
    Benchmark (..),
    benchmark,
    cabalComponent,
    Shard (..),
    shard,
    inShard,
    originFiles,
    fingerprint,
    checkPlan,
  )
where

import Data.Bifunctor (bimap)
import Data.Char (isAlphaNum)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Fingerprint (fingerprintString)
import Tern.Lab.History.Metric (Thresholds, defaultThresholds)
import Tern.Lab.History.Problem (Problem (..))
import Tern.Lab.Process (shellWord)
import Text.Read (readMaybe)

-- | Which commits are measured, and what is done with each.
data Plan = Plan
  { -- | @A..B@; A is measured too, to compare with.
    planRange :: !Text,
    planFirstParent :: !Bool,
    -- | Patches an old commit so that it builds.
    planPrepare :: !(Maybe Text),
    planBuild :: !Text,
    -- | Where the build leaves the executable: a path below the worktree, in
    -- which the shell's @$(…)@ works. Nothing: the first word of the first run
    -- command, where that is a file.
    planExecutable :: !(Maybe Text),
    planBenchmarks :: ![Benchmark],
    -- | Given to every run on standard input.
    planInput :: !(Maybe FilePath),
    -- | Other files that the runs read, relative ones below the worktree;
    -- their contents belong to the key of the cache.
    planUses :: ![FilePath],
    -- | Options for the runtime, beside those for its statistics.
    planRuntime :: !Text,
    -- | How often each program runs.
    planRuns :: !Int,
    -- | Seconds that one command may take.
    planTimeout :: !(Maybe Double),
    -- | Builds side by side.
    planJobs :: !Int,
    -- | Keep ignored files between builds; compile time is not comparable then.
    planIncremental :: !Bool,
    -- | Count instructions too, by valgrind.
    planInstructions :: !Bool,
    -- | Must be the output of every run.
    planExpected :: !(Maybe FilePath),
    planShard :: !(Maybe Shard),
    -- | After how many commits in a row that do not build no more are tried.
    planGiveUp :: !(Maybe Int),
    -- | The git notes that records are shared by.
    planNotes :: !(Maybe Text),
    planThresholds :: !Thresholds
  }
  deriving stock (Eq, Show)

-- | A name for reports and a command; @{exe}@ in it is the executable.
data Benchmark = Benchmark
  { benchmarkName :: !Text,
    benchmarkCommand :: !Text
  }
  deriving stock (Eq, Show)

-- | The plan of a range with nothing to build or run yet, which 'checkPlan' refuses: five runs of
-- each program, half an hour for a command, one build at a time.
defaultPlan :: Text -> Plan
defaultPlan range =
  Plan
    { planRange = range,
      planFirstParent = False,
      planPrepare = Nothing,
      planBuild = T.empty,
      planExecutable = Nothing,
      planBenchmarks = [],
      planInput = Nothing,
      planUses = [],
      planRuntime = T.empty,
      planRuns = 5,
      planTimeout = Just 1800,
      planJobs = 1,
      planIncremental = False,
      planInstructions = False,
      planExpected = Nothing,
      planShard = Nothing,
      planGiveUp = Nothing,
      planNotes = Nothing,
      planThresholds = defaultThresholds
    }

-- | @NAME: COMMAND@, or a command alone, which is called @run@.
--
-- >>> benchmark "sort: {exe} 1000"
-- Benchmark {benchmarkName = "sort", benchmarkCommand = "{exe} 1000"}
benchmark :: Text -> Benchmark
benchmark text = case T.breakOn ": " text of
  (name, rest)
    | not (T.null rest),
      not (T.null name),
      T.all plain name ->
        Benchmark name (T.strip (T.drop 2 rest))
  _ -> Benchmark "run" (T.strip text)
  where
    plain c = isAlphaNum c || c == '-' || c == '_' || c == '.'

-- | The build command and the executable of a component of a cabal project.
cabalComponent :: Text -> Plan -> Plan
cabalComponent component plan =
  plan
    { planBuild =
        if T.null (planBuild plan)
          then "GHC_ENVIRONMENT=- cabal build -v1 " <> quoted
          else planBuild plan,
      planExecutable = case planExecutable plan of
        Nothing -> Just (T.concat ["$(cabal list-bin -v0 ", quoted, ")"])
        given -> given
    }
  where
    quoted = shellWord component

-- | Part i of n, from 1.
data Shard = Shard !Int !Int
  deriving stock (Eq, Show)

-- | Reads @i/n@. It is refused where i is not from 1 to n.
shard :: Text -> Either Problem Shard
shard text = case bimap T.unpack (T.unpack . T.drop 1) (T.breakOn "/" text) of
  (i, n)
    | Just a <- readMaybe i, Just b <- readMaybe n, 1 <= a, a <= b -> Right (Shard a b)
  _ -> Left (BadShard text)

-- | The shard's share: a contiguous piece, so that builds stay similar.
--
-- >>> map (\i -> inShard (Shard i 3) [1 .. 7 :: Int]) [1, 2, 3]
-- [[1,2],[3,4],[5,6,7]]
inShard :: Shard -> [a] -> [a]
inShard (Shard i n) items = take (end - start) (drop start items)
  where
    total = length items
    start = (i - 1) * total `div` n
    end = i * total `div` n

-- | Of everything that can change a decisive figure, the machine and the
-- contents of the input given as text.
fingerprint :: Plan -> Text -> Text
fingerprint plan surroundings =
  T.pack . show . fingerprintString . show $
    ( (planPrepare plan, planBuild plan, planExecutable plan),
      (planBenchmarks plan, planInput plan, planUses plan, planRuntime plan),
      (planRuns plan, planIncremental plan, planInstructions plan, planExpected plan),
      surroundings
    )

-- | What is missing in a plan before anything is run.
checkPlan :: Plan -> Either Problem Plan
checkPlan plan
  | T.null (T.strip (planBuild plan)) = Left NothingToBuild
  | null (planBenchmarks plan) = case planExecutable plan of
      Just _ -> Right plan {planBenchmarks = [Benchmark "run" "{exe}"]}
      Nothing -> Left NothingToRun
  | any (T.null . benchmarkCommand) (planBenchmarks plan) = Left NothingToRun
  -- The first word of the first command would be the executable.
  | Nothing <- planExecutable plan,
    any
      ( ("{exe}" `T.isPrefixOf`)
          . T.stripStart
          . benchmarkCommand
      )
      (take 1 (planBenchmarks plan)) =
      Left NoExecutableKnown
  | otherwise = Right plan {planBenchmarks = numbered [] (planBenchmarks plan)}
  where
    -- A second one of a name gets a number.
    numbered _ [] = []
    numbered taken (b : rest) =
      let name =
            head'
              [ n
                | n <-
                    benchmarkName b
                      : [benchmarkName b <> "-" <> T.pack (show i) | i <- [2 :: Int ..]],
                  n `notElem` taken
              ]
          head' = foldr const (benchmarkName b)
       in b {benchmarkName = name} : numbered (name : taken) rest

-- | The files in the user's folder that the plan's own commands name, as in
-- @patch -p1 < "$TERN_LAB_ORIGIN\/old.patch"@: what is in them belongs to the
-- plan.
--
-- >>> originFiles (defaultPlan "A..B") {planBuild = "sh ${TERN_LAB_ORIGIN}/build.sh -v"}
-- ["build.sh"]
originFiles :: Plan -> [FilePath]
originFiles plan =
  [ T.unpack path
    | command <-
        maybe
          id
          (:)
          (planPrepare plan)
          ( planBuild plan
              : map benchmarkCommand (planBenchmarks plan)
          ),
      rest <- drop 1 (T.splitOn "TERN_LAB_ORIGIN" command),
      Just after <- [T.stripPrefix "/" (T.dropWhile (`elem` ['}', '"', '\'']) rest)],
      path <- [T.takeWhile (`notElem` (" \t\n\"';|&<>()$" :: String)) after],
      not (T.null path)
  ]
