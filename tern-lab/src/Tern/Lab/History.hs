{-# LANGUAGE OverloadedStrings #-}

-- | Every commit of a range, measured.
--
-- Its one idea: a history is a list of records, one a commit, each saved as
-- soon as it is made; everything else (flags, graphs, pages) is a function of
-- that list. Commits are built in batches, side by side, and measured one
-- after the other when no build is running.
--
-- Start at 'history'. The plan is in "Tern.Lab.History.Plan", what became of a
-- commit in "Tern.Lab.History.Record", what changed in
-- "Tern.Lab.History.Verdict".
module Tern.Lab.History
  ( -- * Where
    Site (..),
    Event (..),

    -- * Every commit
    history,
    comparison,
    merge,

    -- * One commit
    Session (..),
    openSession,
    recordOf,
  )
where

import Control.Applicative ((<|>))
import Control.Concurrent.Async (forConcurrently)
import Control.Monad (foldM, unless, zipWithM)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..), runExceptT, throwE)
import Data.Foldable (for_)
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.List (sortOn)
import Data.List qualified as List
import Data.Map.Strict qualified as Map
import Data.Maybe (listToMaybe, maybeToList)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory (doesFileExist)
import System.FilePath (isAbsolute, (<.>), (</>))
import Tern.Lab.History.Build (OnBench (..), buildOn, fileHash)
import Tern.Lab.History.Git
  ( Commit (..),
    Repository (..),
    commitNamed,
    commitsOf,
    firstParentsOf,
    openRepository,
    shortHash,
    webAddress,
  )
import Tern.Lab.History.Measure (machineName, measure)
import Tern.Lab.History.Notes (readNote, writeNote)
import Tern.Lab.History.Plan
  ( Benchmark (..),
    Plan (..),
    checkPlan,
    fingerprint,
    inShard,
    originFiles,
  )
import Tern.Lab.History.Problem (Problem (..))
import Tern.Lab.History.Record (Built (..), Failure (..), Ran (..), Record (..), Results (..))
import Tern.Lab.History.Record.Json (decodeRecord, encodeRecord)
import Tern.Lab.History.Workshop
  ( Bench,
    Workshop (..),
    keep,
    kept,
    openWorkshop,
    putOnBench,
    whileBuilding,
    withBenches,
  )
import Tern.Lab.Process (Ending (..), capture)
import Tern.Lab.Room (tooLittle)

-- | Where the work is done.
data Site = Site
  { -- | A folder inside the repository.
    placeRepository :: !FilePath,
    -- | The folder below which workshops are.
    placeCache :: !FilePath
  }
  deriving stock (Eq, Show)

-- | What happens, for a progress display.
data Event
  = -- | How many commits there are, and how many of them have records from before.
    Began !Int !Int
  | BuildBegan !Commit
  | RunBegan !Commit !Text
  | Recorded !Record
  | -- | All that is known after a record.
    SoFar !Results
  | -- | The number of commits in a row that did not build, and of those that are left.
    GaveUp !Int !Int
  deriving stock (Eq, Show)

-- | What all commits of one plan share.
data Session = Session
  { sessionRepository :: !Repository,
    sessionWorkshop :: !Workshop,
    sessionPlan :: !Plan,
    sessionMachine :: !Text,
    sessionFingerprint :: !Text
  }

-- | Open the workshop for a plan.
openSession :: Site -> Plan -> IO (Either Problem Session)
openSession place plan = runExceptT $ do
  repository <- ExceptT (openRepository (placeRepository place))
  workshop <- ExceptT (openWorkshop (placeCache place) repository)
  machine <- lift machineName
  for_ (maybeToList (planInput plan) <> maybeToList (planExpected plan)) $ \file -> do
    present <- lift (doesFileExist file)
    unless present (throwE (CannotRead file "no such file"))
  contents <-
    lift . traverse fileHash $
      maybeToList (planInput plan)
        <> maybeToList (planExpected plan)
        <> filter isAbsolute (planUses plan)
        <> map (repositoryRoot repository </>) (originFiles plan)
  -- Another compiler makes other programs of the same commits.
  (_, compiler, _) <- lift (capture "." "ghc" ["--numeric-version"])
  pure
    Session
      { sessionRepository = repository,
        sessionWorkshop = workshop,
        sessionPlan = plan,
        sessionMachine = machine,
        sessionFingerprint = fingerprint plan (T.pack (show (contents, compiler)))
      }

-- | Measure the plan's commits and give their records, oldest first. Records
-- from before are taken over; with @again@ those of failures are not.
history :: (Event -> IO ()) -> Bool -> Site -> Plan -> IO (Either Problem Results)
history tell again place unchecked = runExceptT $ do
  plan <- ExceptT (pure (checkPlan unchecked))
  session <- ExceptT (openSession place plan)
  let repository = sessionRepository session
  every <-
    ExceptT
      ( ( if planFirstParent plan
            then firstParentsOf
            else commitsOf
        )
          repository
          (planRange plan)
      )
  let commits = maybe id inShard (planShard plan) every
  before <- traverse (ExceptT . recordFromBefore session again) commits
  let missing = [commit | (commit, Nothing) <- zip commits before]
  lift (tell (Began (length commits) (length commits - length missing)))
  web <- lift (webAddress repository)
  recorded <- lift (newIORef Map.empty)
  let resultsOf new =
        Results
          { resultsRange = planRange plan,
            resultsFingerprint = sessionFingerprint session,
            resultsWeb = web,
            resultsBenchmarks = [(benchmarkName b, benchmarkCommand b) | b <- planBenchmarks plan],
            resultsRecords =
              [ r
                | (commit, old) <- zip commits before,
                  Just r <- [old <|> Map.lookup (commitHash commit) new]
              ]
          }
      telling event = do
        tell event
        case event of
          Recorded r -> do
            modifyIORef' recorded (Map.insert (commitHash (recordCommit r)) r)
            readIORef recorded >>= tell . SoFar . resultsOf
          _ -> pure ()
  made <-
    ExceptT
      ( withBenches
          (sessionWorkshop session)
          (planJobs plan)
          ( \benches ->
              runExceptT (batches telling session benches missing)
          )
      )
  pure (resultsOf (Map.fromList [(commitHash (recordCommit r), r) | r <- made]))
  where
    -- Until all are done, or too many in a row did not build.
    batches telling session benches = go 0
      where
        go _ [] = pure []
        go broken commits
          | Just most <- planGiveUp (sessionPlan session),
            broken >= most =
              [] <$ lift (telling (GaveUp broken (length commits)))
          | otherwise = do
              let (now, later) = splitAt (length benches) commits
              records <- ExceptT (batch telling session (zip benches now))
              (records <>) <$> go (List.foldl' after broken records) later
        after broken record = case recordBuilt record of
          NotBuilt _ -> broken + 1
          Built _ _ -> 0 :: Int

-- | Two commits, the newer as if it came right after the older.
comparison :: (Event -> IO ()) -> Site -> Plan -> Text -> Text -> IO (Either Problem Results)
comparison tell place unchecked older newer = runExceptT $ do
  plan <- ExceptT (pure (checkPlan unchecked))
  session <- ExceptT (openSession place plan)
  let repository = sessionRepository session
  first <- ExceptT (commitNamed repository older)
  second <- ExceptT (commitNamed repository newer)
  let commits = if commitHash first == commitHash second then [first] else [first, second]
  before <- traverse (ExceptT . recordFromBefore session False) commits
  lift (tell (Began (length commits) (length [() | Just _ <- before])))
  records <- traverse (ExceptT . recordOf tell session) commits
  web <- lift (webAddress repository)
  pure
    Results
      { resultsRange = T.concat [shortHash (commitHash first), "..", shortHash (commitHash second)],
        resultsFingerprint = sessionFingerprint session,
        resultsWeb = web,
        resultsBenchmarks = [(benchmarkName b, benchmarkCommand b) | b <- planBenchmarks plan],
        resultsRecords = case records of
          [a, b] -> [a, b {recordCommit = (recordCommit b) {commitParents = [commitHash first]}}]
          same -> same
      }

-- | The record of one commit, from before or made now.
recordOf :: (Event -> IO ()) -> Session -> Commit -> IO (Either Problem Record)
recordOf tell session commit =
  recordFromBefore session False commit >>= \case
    Left problem -> pure (Left problem)
    Right (Just record) -> pure (Right record)
    Right Nothing -> withBenches (sessionWorkshop session) 1 $ \benches -> do
      made <- batch tell session (zip benches [commit])
      pure $ case made of
        Right (record : _) -> Right record
        Right [] -> Left (UnknownCommit (commitHash commit))
        Left problem -> Left problem

recordFromBefore :: Session -> Bool -> Commit -> IO (Either Problem (Maybe Record))
recordFromBefore session again commit = do
  bytes <- kept (sessionWorkshop session) (recordPlace session commit)
  noted <-
    maybe
      (pure Nothing)
      ( \ref ->
          readNote (sessionRepository session) ref (sessionFingerprint session) commit
      )
      (planNotes (sessionPlan session))
  let own = [record | Just (Right record) <- [decodeRecord <$> bytes], usable record]
      shared = [record | Just record <- [noted], usable record]
  case (own, shared) of
    -- Measured before anybody asked for notes.
    (record : _, []) -> fmap (const (Just record)) <$> share session record
    _ -> pure (Right (listToMaybe (own <> shared)))
  where
    usable record = not (again && failed record) && not (any moreTime (failures record))
    -- It was stopped at a limit, and may go on for longer now.
    moreTime = \case
      Failure _ (TimedOut seconds) _ -> maybe True (> seconds) (planTimeout (sessionPlan session))
      _ -> False
    failed = not . null . failures
    failures record =
      [failure | NotBuilt failure <- [recordBuilt record]]
        <> [failure | (_, NotRun failure) <- recordRuns record]

-- | Into the notes, where the plan has any.
share :: Session -> Record -> IO (Either Problem ())
share session record = case planNotes (sessionPlan session) of
  Just ref -> writeNote (sessionRepository session) ref (sessionFingerprint session) record
  Nothing -> pure (Right ())

recordPlace :: Session -> Commit -> FilePath
recordPlace session commit =
  "kept" </> T.unpack (sessionFingerprint session) </> T.unpack (commitHash commit) <.> "json"

-- | Build a commit on each bench, side by side; then measure each and save its
-- record.
batch :: (Event -> IO ()) -> Session -> [(Bench, Commit)] -> IO (Either Problem [Record])
batch tell session pairs = runExceptT $ do
  lift (tooLittle (workshopPath workshop)) >>= mapM_ (throwE . CannotWrite (workshopPath workshop))
  mapM_
    ( \(bench, commit) ->
        ExceptT (putOnBench workshop (planIncremental plan) bench (commitHash commit))
    )
    pairs
  built <- lift . whileBuilding workshop . forConcurrently pairs $ \(bench, commit) -> do
    tell (BuildBegan commit)
    buildOn workshop plan (repositoryRoot (sessionRepository session)) [] commit bench
  zipWithM finish pairs built
  where
    workshop = sessionWorkshop session
    plan = sessionPlan session
    finish (bench, commit) onBench = do
      runs <- case onBenchBuilt onBench of
        NotBuilt _ -> do
          -- What fails for want of room says nothing about its commit.
          lift (tooLittle (workshopPath workshop))
            >>= mapM_ (throwE . CannotWrite (workshopPath workshop))
          pure []
        Built _ _ -> traverse (run bench commit onBench) (planBenchmarks plan)
      let record = Record commit (sessionMachine session) (onBenchBuilt onBench) runs Nothing
      ExceptT (keep workshop (recordPlace session commit) (encodeRecord record))
      ExceptT (share session record)
      lift (tell (Recorded record))
      pure record
    run bench commit onBench b = do
      lift (tell (RunBegan commit (benchmarkName b)))
      ran <- ExceptT (measure workshop plan (sessionMachine session) bench onBench b)
      pure (benchmarkName b, ran)

-- | Put results of several shards or machines together, oldest commit first.
-- A commit that several of them hold is taken from the first. Each record
-- names its machine, so that times of different ones are not compared.
merge :: [(FilePath, Results)] -> Either Problem Results
merge = \case
  [] -> Left (NotResults "no file" "expected at least one")
  (firstName, firstResults) : rest -> ordered <$> foldM (join firstName) firstResults rest
  where
    join firstName a (name, b)
      | resultsFingerprint a /= resultsFingerprint b = Left (DifferentPlans firstName name)
      | otherwise =
          let held = Set.fromList (map (commitHash . recordCommit) (resultsRecords a))
           in Right
                a
                  { resultsRecords =
                      resultsRecords a
                        <> filter
                          ((`Set.notMember` held) . commitHash . recordCommit)
                          (resultsRecords b)
                  }
    ordered results = results {resultsRecords = inOrder (resultsRecords results)}

-- | Parents before children; of what is free, the oldest first.
inOrder :: [Record] -> [Record]
inOrder records = go Set.empty (sortOn (commitTime . recordCommit) records)
  where
    present = Set.fromList (map (commitHash . recordCommit) records)
    ready done r =
      all (\p -> Set.member p done || Set.notMember p present) (commitParents (recordCommit r))
    go _ [] = []
    go done waiting = case break (ready done) waiting of
      (before, r : after) ->
        r : go (Set.insert (commitHash (recordCommit r)) done) (before <> after)
      -- Cannot be in a history that git made: nobody is their own ancestor.
      (rest, []) -> rest
