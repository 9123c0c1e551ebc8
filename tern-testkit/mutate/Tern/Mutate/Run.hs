{-# LANGUAGE OverloadedStrings #-}

-- | Some cases of a suite, run with one planted bug, and whether they saw it.
--
-- A suite says what it found by its tally and its exit code. One that dies without a
-- tally, that does not end in time or that takes all memory has seen the bug as well:
-- each is said apart.
module Tern.Mutate.Run
  ( Outcome (..),
    isCaught,
    renderOutcome,
    Limits (..),
    Command (..),
    runCases,
    countedSeconds,
    outcomeOf,
  )
where

import Control.Concurrent (threadDelay)
import Control.Exception (IOException, finally, try)
import Data.ByteString qualified as B
import Data.Maybe (listToMaybe, mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Encoding.Error (lenientDecode)
import Data.Text.Read qualified as T
import GHC.Clock (getMonotonicTime)
import System.Environment (getEnvironment)
import System.Exit (ExitCode (..))
import System.IO (IOMode (..), withBinaryFile)
import System.Posix.Signals (sigKILL, signalProcessGroup)
import System.Process
  ( CreateProcess (..),
    ProcessHandle,
    StdStream (..),
    getPid,
    getProcessExitCode,
    proc,
    waitForProcess,
    withCreateProcess,
  )

-- | How a run of some cases ended.
data Outcome
  = -- | The first case that failed.
    Caught Text
  | -- | It ended with this status and without a tally.
    Crashed Int
  | -- | It did not end within the limit, in seconds.
    Hung Int
  | -- | It took more memory than the limit, in megabytes.
    Grew Int
  | -- | The number of cases that ran, all of which passed.
    Missed Int
  deriving stock (Eq, Show)

-- | Was the bug seen? It was, unless all cases passed.
isCaught :: Outcome -> Bool
isCaught = \case
  Caught _ -> True
  Crashed _ -> True
  Hung _ -> True
  Grew _ -> True
  Missed _ -> False

-- | For people, on one line, which is the same in each run that ends alike.
renderOutcome :: Outcome -> Text
renderOutcome = \case
  Caught name -> "caught by " <> name
  Crashed status -> "caught: ended with status " <> shown status
  Hung _ -> "caught: did not end in time"
  Grew _ -> "caught: took too much memory"
  Missed n -> "MISSED by " <> shown n <> " cases"
  where
    shown = T.pack . show

-- | What a run may use.
data Limits = Limits
  { limitSeconds :: Int,
    limitMegabytes :: Int
  }

-- | A program, its arguments, its folder, and what is set in its environment.
data Command = Command
  { program :: FilePath,
    arguments :: [String],
    folder :: FilePath,
    surroundings :: [(String, String)]
  }

data Ending = Exited Int | OutOfTime | OutOfMemory

-- | Run it, with all that it says going to a file, and kill what it started when it
-- goes beyond a limit or this thread is interrupted. Also its time, in seconds.
runCases :: Limits -> FilePath -> Command -> IO (Outcome, Double)
runCases limits output Command {..} = do
  inherited <- getEnvironment
  let set = filter ((`notElem` map fst surroundings) . fst) inherited <> surroundings
  begin <- getMonotonicTime
  ending <- withBinaryFile output WriteMode $ \out ->
    withBinaryFile "/dev/null" ReadMode $ \nothing ->
      withCreateProcess
        (proc program arguments)
          { cwd = Just folder,
            env = Just set,
            std_in = UseHandle nothing,
            std_out = UseHandle out,
            std_err = UseHandle out,
            create_group = True
          }
        (\_ _ _ process -> watch limits process `finally` killAll process)
  end <- getMonotonicTime
  said <- T.decodeUtf8With lenientDecode <$> B.readFile output
  let outcome = case ending of
        OutOfTime -> Hung (limitSeconds limits)
        OutOfMemory -> Grew (limitMegabytes limits)
        Exited status -> outcomeOf status said
  pure (outcome, end - begin)

watch :: Limits -> ProcessHandle -> IO Ending
watch limits process = getMonotonicTime >>= go 5_000 0
  where
    go :: Int -> Double -> Double -> IO Ending
    go pause spent before = do
      ended <- getProcessExitCode process
      now <- getMonotonicTime
      used <- getPid process >>= maybe (pure 0) (residentMegabytes . show)
      let passed = spent + countedSeconds (now - before)
      case ended of
        Just ExitSuccess -> pure (Exited 0)
        Just (ExitFailure status) -> pure (Exited status)
        Nothing
          | passed > fromIntegral (limitSeconds limits) -> pure OutOfTime
          | used > limitMegabytes limits -> pure OutOfMemory
          | otherwise -> threadDelay pause >> go (min 100_000 (pause * 2)) passed now

-- | What of the seconds from one look to the next counts for the limit: one at most. They are
-- a tenth of a second apart, so that more than one went by while the machine, and the
-- program with it, stood still; a program is not to be blamed for that.
countedSeconds :: Double -> Double
countedSeconds = min 1

-- | The process leads a group of its own.
killAll :: ProcessHandle -> IO ()
killAll process =
  getPid process >>= \case
    Nothing -> pure ()
    Just leader -> do
      killed <- try (signalProcessGroup sigKILL leader)
      case killed of
        Left e -> let _ = e :: IOException in pure ()
        Right () -> pure ()
      _ <- waitForProcess process
      pure ()

-- | Zero where the system does not say, or the process has ended.
residentMegabytes :: String -> IO Int
residentMegabytes pid = do
  status <- try (B.readFile ("/proc/" <> pid <> "/status"))
  pure $ case status of
    Left e -> let _ = e :: IOException in 0
    Right bytes ->
      maybe 0 (`div` 1024) . listToMaybe $
        mapMaybe resident (T.lines (T.decodeUtf8With lenientDecode bytes))
  where
    resident line =
      either (const Nothing) (Just . fst) . T.decimal . T.strip =<< T.stripPrefix "VmRSS:" line

-- | From a suite's exit status and all that it said.
outcomeOf :: Int -> Text -> Outcome
outcomeOf status said = case (failures, tallied) of
  (name : _, Just _) -> Caught name
  (_, Just passed) | status == 0 -> Missed passed
  _ -> Crashed status
  where
    ls = T.lines said
    failures = [fst (T.breakOn ": " rest) | Just rest <- map (T.stripPrefix "failed: ") ls]
    tallied = listToMaybe (mapMaybe passedOf (reverse ls))
    passedOf line = either (const Nothing) (Just . fst) . T.decimal =<< T.stripPrefix "tally: " line
