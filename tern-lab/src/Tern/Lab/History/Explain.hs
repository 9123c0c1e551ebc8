{-# LANGUAGE OverloadedStrings #-}

-- | Why a flagged commit changed a figure: where its bytes went, and what the optimiser did
-- differently there.
--
-- Its one idea: the plan's own build command is run once more with a compiler
-- on the path that is the real one with the plugin of "Tern.Lab.Core.Workbench" and with
-- counters, so that nothing need be known of how a project is built; and the benchmark is
-- run once with these. A commit that does not build so is built with the plugin alone. What
-- was found of a commit is kept, so that it is built for this only once.
module Tern.Lab.History.Explain
  ( explainChanges,
  )
where

import Control.Monad (foldM, unless, void, when)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..), runExceptT)
import Data.Either (fromRight)
import Data.Foldable (for_)
import Data.List (find)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, listToMaybe)
import Data.Text qualified as T
import System.Directory
  ( createDirectoryIfMissing,
    createFileLink,
    doesDirectoryExist,
    doesFileExist,
    findExecutable,
    getPermissions,
    removePathForcibly,
    renameDirectory,
    setOwnerExecutable,
    setPermissions,
  )
import System.Environment (lookupEnv)
import System.FilePath (takeDirectory, takeFileName, (</>))
import Tern.Lab.Alias (withAlias)
import Tern.Lab.Core.Contribution (Side (..), contributions, renderContributions)
import Tern.Lab.Core.Kept (readFacts)
import Tern.Lab.Core.PluginLibrary (pluginFor, pluginOptions)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Ticky (allocatedIn, parseTicky)
import Tern.Lab.Core.Workbench (Build (..), countingOptions)
import Tern.Lab.History (Session (..), Site, openSession)
import Tern.Lab.History.Build (OnBench (..), buildOn)
import Tern.Lab.History.Git (Commit (..), Repository (..))
import Tern.Lab.History.Measure (jobOf, toSubject)
import Tern.Lab.History.Metric (Direction (..), Metric (..))
import Tern.Lab.History.Plan (Benchmark (..), Plan (..))
import Tern.Lab.History.Problem (Problem)
import Tern.Lab.History.Record (Built (..), Record (..), Results (..))
import Tern.Lab.History.Verdict (Change (..), Flag (..), flags)
import Tern.Lab.History.Workshop
  ( Bench (..),
    Workshop (..),
    putOnBench,
    whileBuilding,
    whileMeasuring,
    withBenches,
  )
import Tern.Lab.Process (Job (..), commandLine, runJob, shellWord, succeeded, textIn)

-- | The results with lines for each commit at which a decisive metric changed: where the
-- bytes went, the most first, and why. A commit whose build cannot be watched gets none.
explainChanges :: Build -> Site -> Results -> Plan -> IO (Either Problem Results)
explainChanges build place results plan = runExceptT $ do
  session <- ExceptT (openSession place plan)
  plugin <- lift (pluginFor (buildCache build) (buildGhc build))
  case plugin of
    Left problem -> lift (noted problem) >> pure results
    Right library -> do
      (records, _) <-
        foldM (one session library) ([], Map.empty) (flags (planThresholds plan) results)
      pure results {resultsRecords = reverse records}
  where
    noted = putStrLn . ("note: no reasons are attached: " <>) . T.unpack . renderCoreProblem
    commits =
      Map.fromList [(commitHash (recordCommit r), recordCommit r) | r <- resultsRecords results]
    one session library (done, known) (record, raised) = case mostTelling raised of
      Just (name, change)
        | Just parent <- Map.lookup (changeSince change) commits,
          Just b <- find ((== name) . benchmarkName) (planBenchmarks plan) -> do
            (old, known') <- side session library b known parent
            (new, known'') <- side session library b known' (recordCommit record)
            let better = changeDirection change == Improvement
                why
                  | null (sideModules old) || null (sideModules new) = Nothing
                  | otherwise =
                      Just (T.intercalate "\n" (renderContributions (contributions better old new)))
            pure (record {recordWhy = why} : done, known'')
      _ -> pure (record : done, known)
    -- A change of allocation, where there is one.
    mostTelling raised =
      let changed = [(name, c) | Changed name c <- raised]
       in listToMaybe ([one' | one'@(_, c) <- changed, changeMetric c == Allocated] <> changed)
    side
      session
      library
      b
      known
      commit = case Map.lookup (commitHash commit, benchmarkName b) known of
        Just found -> pure (found, known)
        Nothing -> do
          found <- ExceptT (sideOf build session library b commit)
          pure (found, Map.insert (commitHash commit, benchmarkName b) found known)

-- | The facts of one commit, and the counters of a run of one benchmark, gathered now or
-- before; no facts when it does not build.
sideOf :: Build -> Session -> FilePath -> Benchmark -> Commit -> IO (Either Problem Side)
sideOf build session library benchmark commit = do
  present <- doesDirectoryExist folder
  if present then Right <$> gathered else watched
  where
    workshop = sessionWorkshop session
    plan = sessionPlan session
    folder =
      workshopPath workshop
        </> "counted"
        </> T.unpack (sessionFingerprint session)
        </> takeFileName (takeDirectory library)
        </> T.unpack (commitHash commit)
        </> show (length (takeWhile (/= benchmark) (planBenchmarks plan)))
    part bench = workshopPath workshop </> "counted" </> takeFileName (benchPath bench)
    gathered =
      Side
        <$> (fromRight [] <$> readFacts (folder </> "facts"))
        <*> (parseTicky <$> textIn (folder </> "ticky"))
        <*> (allocatedIn <$> textIn (folder </> "statistics"))
    watched = withBenches workshop 1 $ \benches -> runExceptT $ do
      for_ (take 1 benches) $ \bench -> do
        built <- ExceptT (attempt bench Counting)
        unless built (void (ExceptT (attempt bench LookingOn)))
        lift $ do
          createDirectoryIfMissing True (takeDirectory folder)
          renameDirectory (part bench) folder
      lift gathered
    -- Did it build? A run that fails leaves no counters.
    attempt bench how = runExceptT $ do
      lift $ do
        removePathForcibly (part bench)
        createDirectoryIfMissing True (part bench </> "facts")
      tools <- lift (watchingCompiler how build workshop library)
      path <- lift (fromMaybe "" <$> lookupEnv "PATH")
      ExceptT (putOnBench workshop False bench (commitHash commit))
      built <-
        lift . whileBuilding workshop $
          buildOn
            workshop
            plan
            (repositoryRoot (sessionRepository session))
            [ ("PATH", tools <> ":" <> path),
              ("TERN_LAB_FACTS", part bench </> "facts"),
              ("TERN_LAB_COUNT", if how == Counting then "1" else "0")
            ]
            commit
            bench
      case (onBenchBuilt built, how) of
        (NotBuilt _, _) -> pure False
        (Built _ _, LookingOn) -> pure True
        (Built _ _, Counting) -> True <$ lift (whileMeasuring workshop (run bench built))
    run bench built = do
      program <- traverse (toSubject workshop) (onBenchExecutable built)
      ended <- withAlias (part bench) $ \alias ->
        runJob
          (jobOf workshop plan bench benchmark program)
            { jobEnvironment =
                [ ( "GHCRTS",
                    unwords
                      [ "-r" <> alias </> "ticky",
                        "-t" <> alias </> "statistics",
                        "--machine-readable",
                        T.unpack (planRuntime plan)
                      ]
                  )
                ]
            }
      unless (succeeded ended) $
        mapM_ (removePathForcibly . (part bench </>)) ["ticky", "statistics"]

-- | With the plugin, and with counters or without.
data Watching = Counting | LookingOn
  deriving stock (Eq, Show)

-- | A folder with a @ghc@ that adds the plugin whenever it compiles, and what counters need
-- whenever it compiles or links.
watchingCompiler :: Watching -> Build -> Workshop -> FilePath -> IO FilePath
watchingCompiler how build workshop library = do
  found <- fromMaybe (buildGhc build) <$> findExecutable (buildGhc build)
  removePathForcibly folder
  createDirectoryIfMissing True folder
  writeFile (folder </> "ghc") (script found)
  permissions <- getPermissions (folder </> "ghc")
  setPermissions (folder </> "ghc") (setOwnerExecutable True permissions)
  -- Build tools look for the package manager beside the compiler.
  let manager = takeDirectory found </> "ghc-pkg"
  there <- doesFileExist manager
  when there (createFileLink manager (folder </> "ghc-pkg"))
  pure folder
  where
    folder = workshopPath workshop </> "watching"
    counting = if how == Counting then countingOptions else []
    adding found options =
      "exec " <> T.unpack (shellWord (T.pack found)) <> " \"$@\" " <> T.unpack (commandLine options)
    script found =
      unlines
        [ "#!/bin/sh",
          "# The real compiler; with the plugin when it compiles.",
          "for word in \"$@\"; do",
          "  case \"$word\" in",
          "    --make | -c | *.hs | *.lhs) "
            <> adding found (pluginOptions library <> counting)
            <> " ;;",
          "  esac",
          "done",
          "for word in \"$@\"; do",
          "  case \"$word\" in",
          "    -o) " <> adding found counting <> " ;;",
          "  esac",
          "done",
          adding found []
        ]
