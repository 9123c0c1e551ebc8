{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab diff@: what changed between two results that were kept, or between one
-- and now.
module Tern.Lab.Verb.Diff
  ( verb,
  )
where

import Control.Monad (unless, when)
import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Except (ExceptT, except, throwE)
import Data.Bifunctor (first)
import Data.ByteString qualified as B
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.List (nub)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Options.Applicative (action, argument, help, long, metavar, optional, str, switch)
import Tern.Lab.Compare (Plan (..), Workload (..), runPlan)
import Tern.Lab.Complaint (Complaint (..), readingFile)
import Tern.Lab.Machine (thisMachine)
import Tern.Lab.Measure (Settings (..), defaultSettings)
import Tern.Lab.Peak (Peaks)
import Tern.Lab.Programs.Run qualified as Programs
import Tern.Lab.Progress qualified as Progress
import Tern.Lab.Result qualified as Result
import Tern.Lab.Sample.Catalogue (subjectNamed)
import Tern.Lab.Saved (Programs (..), Saved (..), machineOf, placeOf, readSaved, sheetsOf)
import Tern.Lab.Sheet (Sheet, ofComparison)
import Tern.Lab.Sheet.Difference (differences, missing, renderDifferences, worse)
import Tern.Lab.Verb (Verb (..))

-- | Peaks are of the program that is named.
verb :: Peaks -> Verb
verb peaks =
  Verb
    { verbName = "diff",
      verbSummary = "What changed between two results that --save kept, or since one",
      verbLesson =
        [ "Names are those of --save; of one result alone, what it measured is measured again now:",
          "  tern-lab compare --save before -- './program a' './program b'",
          "  tern-lab diff before",
          "  tern-lab diff before after --check",
          "Bytes and counts are exact, so that any change of them is one. A time changed where \
          \an interval excludes that it did not, and the floors of both do not cover it. Both \
          \results hold how long work of the laboratory's own took in the same rounds: by as \
          \much as the machine itself was slower or faster, nothing is said of times. So take \
          \both on the same machine, close together, while it does nothing else."
        ],
      verbOptions =
        Options
          <$> argument str (metavar "BEFORE" <> help "a name or a file" <> action "file")
          <*> optional
            ( argument
                str
                ( metavar "AFTER"
                    <> help "a name or a file; without one it is measured now"
                    <> action "file"
                )
            )
          <*> switch (long "check" <> help "end with 1 where a figure got worse for certain"),
      verbPlan = Right,
      verbRun = run peaks
    }

data Options = Options
  { before :: FilePath,
    after :: Maybe FilePath,
    check :: Bool
  }

run :: Peaks -> Options -> ExceptT Complaint IO ()
run peaks Options {..} = do
  old <- kept before
  (machine, new) <- case after of
    Just name -> (\saved -> (machineOf saved, sheetsOf saved)) <$> kept name
    Nothing -> (,) <$> liftIO thisMachine <*> measuredNow peaks before old
  let found = differences (sheetsOf old) new
      (gone, come) = missing (sheetsOf old) new
  when (null found) (throwE (DataComplaint (before <> ": nothing in it is in the other result")))
  liftIO $ do
    when
      (machineOf old /= machine)
      ( T.putStrLn
          "These were taken on different machines, or with other libraries: of their times \
          \nothing is said that can be relied on.\n"
      )
    mapM_ T.putStrLn (renderDifferences found)
    unless (null gone) (T.putStrLn ("Only before: " <> T.intercalate "; " gone <> "."))
    unless (null come) (T.putStrLn ("Only after: " <> T.intercalate "; " come <> "."))
  when
    (check && not (null (worse found)))
    ( throwE
        ( DataComplaint
            ( show (length (worse found))
                <> " figures got worse since "
                <> before
            )
        )
    )

kept :: FilePath -> ExceptT Complaint IO Saved
kept name = do
  bytes <- readingFile (placeOf name) "results that --save has kept" (B.readFile (placeOf name))
  except
    ( first
        ( \message ->
            DataComplaint (placeOf name <> ": " <> T.unpack message)
        )
        (readSaved bytes)
    )

-- | The same once more.
measuredNow :: Peaks -> FilePath -> Saved -> ExceptT Complaint IO [Sheet]
measuredNow peaks name saved = do
  progress <- liftIO Progress.onTerminal
  sheets <- case saved of
    OfPrograms programs -> Programs.measure progress programs.plan [] (\_ _ -> pure ())
    OfCodecs results -> do
      done <- liftIO (newIORef [])
      mapM_
        ( \one ->
            runPlan subjectNamed peaks progress (planOf one) (\found -> modifyIORef' done (found :))
        )
        results.comparisons
      concatMap ofComparison . reverse <$> liftIO (readIORef done)
    OfBenchmarks _ ->
      throwE
        ( UsageComplaint
            ( name
                <> ": it is of a benchmark program; run that with --save, and give both results"
            )
        )
  liftIO (Progress.clear progress)
  pure sheets

-- | What a comparison measured. How long its batches were it does not say.
planOf :: Result.Comparison -> Plan
planOf comparison =
  Plan
    { workloads = [workload],
      onlyCodecs = concatMap named comparison.rows,
      settings = defaultSettings {rounds = comparison.rounds}
    }
  where
    workload = case (comparison.input, comparison.records) of
      (Just path, _) -> Document (T.unpack path) comparison.subject
      (Nothing, Just count) -> Many comparison.subject count
      (Nothing, Nothing) -> BuiltIn comparison.subject
    -- One that was named again has a number after its name.
    named row = nub [fst (T.breakOn " (" row.codec)]
