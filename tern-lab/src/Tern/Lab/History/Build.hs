{-# LANGUAGE OverloadedStrings #-}

-- | One commit, built on a bench.
--
-- Its one idea: what counts of a build is the stripped executable. Its hash
-- (without the build identity, which the symbols that were stripped still
-- colour) is the same for commits that differ in comments only, so it is the
-- key under which measurements are kept.
module Tern.Lab.History.Build
  ( buildOn,
    OnBench (..),
    fileHash,
  )
where

import Control.Exception (IOException, try)
import Data.ByteString qualified as B
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Encoding.Error (lenientDecode)
import GHC.Fingerprint (getFileHash)
import System.Directory (doesFileExist, getFileSize, removePathForcibly)
import System.Exit (ExitCode (..))
import System.FilePath ((<.>), (</>))
import System.IO (IOMode (..), SeekMode (..), hFileSize, hSeek, withBinaryFile)
import Tern.Lab.History.Git (Commit (..))
import Tern.Lab.History.Plan (Benchmark (..), Plan (..))
import Tern.Lab.History.Record (Built (..), Executable (..), Failure (..), Stage (..))
import Tern.Lab.History.Workshop (Bench (..), Workshop (..))
import Tern.Lab.Process (Ended (..), Job (..), capture, job, runJob, succeeded)

-- | What a build left: its record, and where the executable lies.
data OnBench = OnBench
  { onBenchBuilt :: !Built,
    onBenchExecutable :: !(Maybe FilePath)
  }
  deriving stock (Eq, Show)

-- | Prepare and build a commit that is on a bench already, with some variables
-- added to the environment.
buildOn :: Workshop -> Plan -> FilePath -> [(String, String)] -> Commit -> Bench -> IO OnBench
buildOn workshop plan origin environment commit bench =
  step Preparing (planPrepare plan) >>= \case
    Left failure -> pure (failed failure)
    Right _ ->
      step Building (Just (planBuild plan)) >>= \case
        Left failure -> pure (failed failure)
        Right seconds -> found (if planIncremental plan then Nothing else Just seconds)
  where
    failed failure = OnBench (NotBuilt failure) Nothing
    step _ Nothing = pure (Right 0)
    step which (Just command) = do
      let written =
            workshopPath workshop </> "logs" </> T.unpack (commitHash commit) <.> logName which
      ended <-
        runJob
          (job (benchPath bench) command)
            { jobEnvironment =
                [ ("TERN_LAB_COMMIT", T.unpack (commitHash commit)),
                  ("TERN_LAB_ORIGIN", origin)
                ]
                  <> environment,
              jobOutput = written,
              jobErrors = written,
              jobTimeout = planTimeout plan
            }
      if succeeded ended
        then pure (Right (endedElapsed ended))
        else Left . Failure which (ending ended) <$> lastLines written
    logName = \case
      Preparing -> "prepare"
      Building -> "build"
      Running -> "run"
    found seconds = do
      place <- executablePlace plan bench
      case place of
        Nothing -> pure (OnBench (Built seconds Nothing) Nothing)
        Just path -> do
          present <- doesFileExist path
          if present
            then do
              executable <- identify workshop path
              pure (OnBench (Built seconds (Just executable)) (Just path))
            else pure (failed (NoExecutable (T.pack path)))

-- | Where the plan says the executable is. The shell expands the plan's text,
-- so that a build tool can be asked.
executablePlace :: Plan -> Bench -> IO (Maybe FilePath)
executablePlace plan bench = case planExecutable plan of
  Just template -> do
    (code, out, _) <-
      capture (benchPath bench) "sh" ["-c", "printf %s \"" <> T.unpack template <> "\""]
    pure $ case code of
      ExitSuccess | not (T.null (T.strip out)) -> Just (below (T.unpack (T.strip out)))
      _ -> Just (T.unpack template)
  Nothing -> case map (T.words . benchmarkCommand) (planBenchmarks plan) of
    (word : _) : _ -> do
      present <- doesFileExist (below (T.unpack word))
      pure (if present then Just (below (T.unpack word)) else Nothing)
    _ -> pure Nothing
  where
    below path = benchPath bench </> path

-- | The hash and size of an executable as it is without symbols; of the file
-- itself where it cannot be stripped (a script).
identify :: Workshop -> FilePath -> IO Executable
identify workshop path = do
  let stripped = workshopPath workshop </> "subject" </> "stripped" <.> filter (/= '/') path
  (code, _, _) <-
    capture
      (workshopPath workshop)
      "strip"
      [ "-R",
        ".note.gnu.build-id",
        "-R",
        ".comment",
        "-R",
        ".debug-ghc-link-info",
        "-o",
        stripped,
        path
      ]
  let subject = if code == ExitSuccess then stripped else path
  hash <- fileHash subject
  size <- getFileSize subject
  removePathForcibly stripped
  pure (Executable (fromMaybe "" hash) (fromIntegral size))

-- | The hash of a file's contents, if it can be read.
fileHash :: FilePath -> IO (Maybe Text)
fileHash path =
  either (const Nothing :: IOException -> Maybe Text) (Just . T.pack . show)
    <$> try (getFileHash path)

-- | Of a log the lines from the first one about an error on, or else the last.
lastLines :: FilePath -> IO Text
lastLines path = do
  result <- try . withBinaryFile path ReadMode $ \handle -> do
    size <- hFileSize handle
    hSeek handle AbsoluteSeek (max 0 (size - 16384))
    B.hGet handle 16384
  pure $ case result of
    Left e -> T.pack (show (e :: IOException))
    Right bytes ->
      let rows = T.lines (T.decodeUtf8With lenientDecode bytes)
          about row = any (`T.isInfixOf` row) ["rror:", "*** "]
       in T.unlines . take 12 $ case dropWhile (not . about) rows of
            [] -> drop (length rows - 12) rows
            from -> from
