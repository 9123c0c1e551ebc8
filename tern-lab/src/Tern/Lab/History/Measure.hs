{-# LANGUAGE OverloadedStrings #-}

-- | One benchmark of one built commit, measured.
--
-- Its one idea: a measurement is kept under everything that can change it (the
-- stripped executable, the command, the inputs' contents, the runtime's
-- options, the machine), so an executable that was seen before is not run
-- again.
--
-- Start at 'measure'; how a program is asked for its figures is said in
-- "Tern.Lab.History.Program".
module Tern.Lab.History.Measure
  ( measure,
    machineName,

    -- * What is run
    toSubject,
    jobOf,
  )
where

import Data.List.NonEmpty (NonEmpty (..))
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isJust)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Fingerprint (fingerprintString)
import System.Directory (copyFileWithMetadata, removePathForcibly)
import System.Environment (lookupEnv)
import System.FilePath (takeFileName, (</>))
import System.Info (arch, os)
import Tern.Lab.History.Build (OnBench (..), fileHash)
import Tern.Lab.History.Metric (Figures, Metric (..), Spread (..), spreads)
import Tern.Lab.History.Plan (Benchmark (..), Plan (..))
import Tern.Lab.History.Problem (Problem)
import Tern.Lab.History.Program (instructionsOf)
import Tern.Lab.History.Program qualified as Program
import Tern.Lab.History.Record
  ( Built (..),
    Executable (..),
    Failure (..),
    Measurement (..),
    Ran (..),
    Source (..),
    Stage (..),
  )
import Tern.Lab.History.Record.Json (decodeMeasurement, encodeMeasurement)
import Tern.Lab.History.Workshop (Bench (..), Workshop (..), keep, kept, whileMeasuring)
import Tern.Lab.Process (Ending (..), Job (..), job, shellWord, succeeded)
import Tern.Lab.Processor (Processors (..), processors)

-- | Measure a benchmark on the bench that its commit was built on, or take the
-- figures of an equal executable.
measure :: Workshop -> Plan -> Text -> Bench -> OnBench -> Benchmark -> IO (Either Problem Ran)
measure workshop plan machine bench built b = do
  key <- traverse (cacheKey plan machine bench b) hash
  known <-
    maybe
      (pure Nothing)
      ( fmap (>>= either (const Nothing) Just . decodeMeasurement)
          . kept workshop
          . place
      )
      key
  case known of
    Just measurement ->
      Right . expected plan measurement {measuredCached = True} <$> expectedHash plan
    Nothing -> do
      ran <- whileMeasuring workshop (runs workshop plan bench built b)
      case ran of
        Left failure -> pure (Right (NotRun failure))
        Right measurement -> do
          saved <-
            maybe
              (pure (Right ()))
              ( \k ->
                  keep workshop (place k) (encodeMeasurement measurement)
              )
              key
          wanted <- expectedHash plan
          pure (expected plan measurement wanted <$ saved)
  where
    place k = "cache" </> T.unpack k
    hash = case onBenchBuilt built of
      Built _ (Just executable) -> Just (executableHash executable)
      _ -> Nothing

expectedHash :: Plan -> IO (Maybe Text)
expectedHash plan = maybe (pure Nothing) fileHash (planExpected plan)

-- | Is the output the one that the plan demands?
expected :: Plan -> Measurement -> Maybe Text -> Ran
expected plan measurement wanted
  | isJust (planExpected plan),
    wanted /= Just (measuredOutput measurement) =
      NotRun (WrongOutput (measuredOutput measurement))
  | otherwise = Ran measurement

-- | Everything that can change the figures.
cacheKey :: Plan -> Text -> Bench -> Benchmark -> Text -> IO Text
cacheKey plan machine bench b executable = do
  input <- traverse fileHash (planInput plan)
  used <- traverse (fileHash . (benchPath bench </>)) (planUses plan)
  pure . T.pack . show . fingerprintString . show $
    ( executable,
      benchmarkCommand b,
      (input, used),
      planRuntime plan,
      planRuns plan,
      planInstructions plan,
      machine
    )

-- * Running

-- | All runs of a benchmark.
runs :: Workshop -> Plan -> Bench -> OnBench -> Benchmark -> IO (Either Failure Measurement)
runs workshop plan bench built b = do
  program <- traverse (toSubject workshop) (onBenchExecutable built)
  attempt RuntimeFile program >>= \case
    Left failure -> pure (Left failure)
    Right (first, source) ->
      more source program (planRuns plan - 1) [first]
        >>= traverse (counted program . summary source)
  where
    attempt source program =
      once workshop plan bench b program source >>= \case
        Refused | source /= ProcessOnly -> attempt (succ source) program
        Refused -> pure (Left (Failure Running (Exited 1) "the runtime refused its options"))
        Measured run -> pure (Right (run, runSource run))
        Failed failure -> pure (Left failure)
    more _ _ n done | n <= 0 = pure (Right (reverse done))
    more source program n done =
      once workshop plan bench b program source >>= \case
        Measured run -> more source program (n - 1 :: Int) (run : done)
        Failed failure -> pure (Left failure)
        Refused -> pure (Left (Failure Running (Exited 1) "the runtime refused its options"))
    summary source done =
      Measurement
        { measuredSpreads = case map runFigures done of
            figures : rest -> spreads (figures :| rest)
            [] -> Map.empty,
          measuredSource = source,
          measuredRuns = Just (length done),
          measuredOutput = case map runOutput done of
            output : _ -> output
            [] -> T.empty,
          measuredStable = case map runOutput done of
            output : rest -> all (== output) rest
            [] -> True,
          measuredCached = False
        }
    counted program measurement
      | planInstructions plan = do
          count <- instructions workshop plan bench b program
          pure
            measurement
              { measuredSpreads =
                  maybe
                    id
                    (\n -> Map.insert Instructions (Spread n n n))
                    count
                    (measuredSpreads measurement)
              }
      | otherwise = pure measurement

-- | The same place for every commit: a program's own path can be part of what
-- it allocates.
toSubject :: Workshop -> FilePath -> IO FilePath
toSubject workshop path = do
  let target = workshopPath workshop </> "subject" </> takeFileName path
  removePathForcibly target
  copyFileWithMetadata path target
  pure target

data Run = Run
  { runFigures :: !Figures,
    runOutput :: !Text,
    runSource :: !Source
  }

data Attempt
  = Measured !Run
  | Refused
  | Failed !Failure

once :: Workshop -> Plan -> Bench -> Benchmark -> Maybe FilePath -> Source -> IO Attempt
once workshop plan bench b program source = do
  removePathForcibly output
  ran <-
    Program.once
      (subjectFolder workshop)
      (planRuntime plan)
      source
      succeeded
      (jobOf workshop plan bench b program)
  case ran of
    Program.Refused -> pure Refused
    Program.Failed how said -> pure (Failed (Failure Running how said))
    Program.Measured _ from figures -> do
      hash <- fromMaybe T.empty <$> fileHash output
      pure (Measured (Run figures hash from))
  where
    output = subjectFolder workshop </> "output"

subjectFolder :: Workshop -> FilePath
subjectFolder workshop = workshopPath workshop </> "subject"

-- | A benchmark as a job, on the bench of its commit.
jobOf :: Workshop -> Plan -> Bench -> Benchmark -> Maybe FilePath -> Job
jobOf workshop plan bench b program =
  (job (benchPath bench) (withProgram program (benchmarkCommand b)))
    { jobInput = planInput plan,
      jobOutput = subjectFolder workshop </> "output",
      jobErrors = subjectFolder workshop </> "errors",
      jobTimeout = planTimeout plan
    }

-- | The command with @{exe}@ filled in.
withProgram :: Maybe FilePath -> Text -> Text
withProgram program = T.replace "{exe}" (maybe "{exe}" (shellWord . T.pack) program)

-- | Instructions of one run, its children left out.
instructions :: Workshop -> Plan -> Bench -> Benchmark -> Maybe FilePath -> IO (Maybe Double)
instructions workshop plan bench b program =
  instructionsOf
    (subjectFolder workshop)
    (planRuntime plan)
    succeeded
    command
    (jobOf workshop plan bench b program) {jobOutput = "/dev/null", jobErrors = "/dev/null"}
  where
    command valgrind
      | "{exe}" `T.isInfixOf` benchmarkCommand b =
          withProgram program (T.replace "{exe}" (valgrind <> "{exe}") (benchmarkCommand b))
      | otherwise = valgrind <> benchmarkCommand b

-- | What distinguishes this machine where times are concerned: system,
-- architecture, processor with its generation, and the processors' number.
machineName :: IO Text
machineName = lookupEnv "TERN_LAB_MACHINE" >>= maybe (named <$> processors) (pure . T.pack)
  where
    named told =
      T.intercalate
        ", "
        ( [T.pack os <> "-" <> T.pack arch]
            <> [processorName told | not (T.null (processorName told))]
            <> [T.pack (show (processorCount told)) <> " processors" | processorCount told > 0]
        )
