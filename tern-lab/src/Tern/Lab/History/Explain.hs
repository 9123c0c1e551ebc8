{-# LANGUAGE OverloadedStrings #-}

-- | Why a flagged commit changed a figure: what the optimiser did differently.
--
-- Its one idea: the plan's own build command is run once more with a compiler
-- on the path that is the real one with the plugin of "Tern.Lab.Core.Workbench"
-- added, so that nothing need be known of how a project is built. The facts of
-- a commit are kept, so that it is built for this only once.
module Tern.Lab.History.Explain
  ( explainChanges,
  )
where

import Control.Monad (foldM, forM_, when)
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..), runExceptT)
import Data.Either (fromRight)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
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
import Tern.Lab.Core.Facts (ModuleFacts)
import Tern.Lab.Core.PluginLibrary (pluginFor, pluginOptions)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Traits (summary, traitsOf)
import Tern.Lab.Core.Workbench (Build (..), readFacts)
import Tern.Lab.History (Session (..), Site, openSession)
import Tern.Lab.History.Build (buildOn)
import Tern.Lab.History.Git (Commit (..), Repository (..))
import Tern.Lab.History.Metric (Direction (..))
import Tern.Lab.History.Plan (Plan (..))
import Tern.Lab.History.Problem (Problem)
import Tern.Lab.History.Record (Record (..), Results (..))
import Tern.Lab.History.Verdict (Change (..), Flag (..), flags)
import Tern.Lab.History.Workshop (Bench (..), Workshop (..), putOnBench, whileBuilding, withBenches)
import Tern.Lab.Process (commandLine, shellWord)

-- | The results with a line for each commit at which a decisive metric changed.
-- A commit whose build cannot be watched gets none.
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
    one session library (done, known) (record, raised) = case [c | Changed _ c <- raised] of
      change : _ | Just parent <- Map.lookup (changeSince change) commits -> do
        (old, known') <- facts session library known parent
        (new, known'') <- facts session library known' (recordCommit record)
        let why = case (old, new) of
              (a@(_ : _), b@(_ : _)) ->
                Just (summary (changeDirection change == Improvement) (traitsOf a) (traitsOf b))
              _ -> Nothing
        pure (record {recordWhy = why} : done, known'')
      _ -> pure (record : done, known)
    facts session library known commit = case Map.lookup (commitHash commit) known of
      Just modules -> pure (modules, known)
      Nothing -> do
        modules <- ExceptT (factsOf build session library commit)
        pure (modules, Map.insert (commitHash commit) modules known)

-- | The facts of one commit, gathered now or before; none when it does not
-- build.
factsOf :: Build -> Session -> FilePath -> Commit -> IO (Either Problem [ModuleFacts])
factsOf build session library commit = do
  present <- doesDirectoryExist folder
  if present then Right <$> gathered else watched
  where
    workshop = sessionWorkshop session
    folder =
      workshopPath workshop
        </> "facts"
        </> T.unpack (sessionFingerprint session)
        </> takeFileName (takeDirectory library)
        </> T.unpack (commitHash commit)
    part bench = workshopPath workshop </> "facts" </> takeFileName (benchPath bench)
    gathered = fromRight [] <$> readFacts folder
    watched = withBenches workshop 1 $ \benches -> runExceptT $ do
      tools <- lift (watchingCompiler build workshop library)
      path <- lift (fromMaybe "" <$> lookupEnv "PATH")
      forM_ (take 1 benches) $ \bench -> do
        lift (removePathForcibly (part bench) >> createDirectoryIfMissing True (part bench))
        ExceptT (putOnBench workshop False bench (commitHash commit))
        _ <-
          lift . whileBuilding workshop $
            buildOn
              workshop
              (sessionPlan session)
              (repositoryRoot (sessionRepository session))
              [ ("PATH", tools <> ":" <> path),
                ("TERN_LAB_FACTS", part bench)
              ]
              commit
              bench
        lift
          ( createDirectoryIfMissing True (takeDirectory folder)
              >> renameDirectory (part bench) folder
          )
      lift gathered

-- | A folder with a @ghc@ that adds the plugin whenever it compiles.
watchingCompiler :: Build -> Workshop -> FilePath -> IO FilePath
watchingCompiler build workshop library = do
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
    script found =
      unlines
        [ "#!/bin/sh",
          "# The real compiler; with the plugin when it compiles.",
          "for word in \"$@\"; do",
          "  case \"$word\" in",
          "    --make | -c | *.hs | *.lhs) exec "
            <> T.unpack (shellWord (T.pack found))
            <> " \"$@\" "
            <> T.unpack (commandLine (pluginOptions library))
            <> " ;;",
          "  esac",
          "done",
          "exec " <> T.unpack (shellWord (T.pack found)) <> " \"$@\""
        ]
