{-# LANGUAGE MultiWayIf #-}
{-# LANGUAGE OverloadedStrings #-}

-- | One shell command, run to its end or to its time limit.
--
-- Its one idea: a command is a process group of its own, so that a build that
-- hangs is ended with everything it started; standard output and error go to
-- files, so that no pipe can fill; and the child is asked for in a way that
-- tells what it used.
--
-- Start at 'runJob'.
module Tern.Lab.Process
  ( Job (..),
    job,
    runJob,
    Ended (..),
    Ending (..),
    succeeded,
    renderEnding,
    capture,
    captureWith,
    textIn,

    -- * Words for the shell
    shellWord,
    commandLine,
  )
where

import Control.Concurrent (threadDelay)
import Control.Exception (IOException, SomeException, mask, onException, try)
import Control.Monad (void)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.Int (Int64)
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Encoding.Error (lenientDecode)
import Foreign (Ptr, allocaArray, peekArray)
import Foreign.C.Types (CInt (..))
import GHC.Clock (getMonotonicTime)
import System.Environment (getEnvironment)
import System.Exit (ExitCode (..))
import System.IO (IOMode (..), withBinaryFile)
import System.Posix.Signals (sigKILL, signalProcessGroup)
import System.Process (CreateProcess (..), StdStream (..), createProcess, shell)
import System.Process.Internals (ProcessHandle__ (..), withProcessHandle)
import System.Process.Typed qualified as Typed
import Tern.Lab.Quantity (Unit (..), renderQuantity)

-- | A command for @sh -c@.
data Job = Job
  { jobCommand :: !Text,
    jobDirectory :: !FilePath,
    -- | Added to the environment, or in place of what is there.
    jobEnvironment :: ![(String, String)],
    -- | Nothing: standard input is empty.
    jobInput :: !(Maybe FilePath),
    jobOutput :: !FilePath,
    -- | May be the same file as the output.
    jobErrors :: !FilePath,
    -- | Seconds.
    jobTimeout :: !(Maybe Double)
  }
  deriving stock (Eq, Show)

-- | A job that discards its output.
job :: FilePath -> Text -> Job
job directory command =
  Job
    { jobCommand = command,
      jobDirectory = directory,
      jobEnvironment = [],
      jobInput = Nothing,
      jobOutput = "/dev/null",
      jobErrors = "/dev/null",
      jobTimeout = Nothing
    }

-- | How a command ended. One that cannot be waited for counts as one of status 127.
data Ending
  = Exited !Int
  | -- | The number of the signal.
    Signalled !Int
  | -- | The seconds after which it was ended.
    TimedOut !Double
  deriving stock (Eq, Show)

-- | How a command ended, and what it used.
data Ended = Ended
  { ending :: !Ending,
    -- | Seconds from start to end.
    endedElapsed :: !Double,
    -- | Seconds of processor time, of the command and what it waited for.
    endedProcessor :: !Double,
    -- | Bytes at the peak of the largest process. A child's figure begins at
    -- what its parent held when it was made, so it is never below the lab's own.
    endedResident :: !Double
  }
  deriving stock (Eq, Show)

-- | Did it end by itself, in time and with status 0?
succeeded :: Ended -> Bool
succeeded ended = ending ended == Exited 0

-- | As the end of a sentence: the build …
renderEnding :: Ending -> Text
renderEnding = \case
  Exited code -> T.concat ["failed with status ", T.pack (show code)]
  Signalled number -> T.concat ["was ended by signal ", T.pack (show number)]
  TimedOut seconds -> T.concat ["took more than ", renderQuantity Seconds seconds]

-- | Run it; its whole process group is killed at the time limit and when this
-- thread is interrupted.
runJob :: Job -> IO Ended
runJob j = do
  inherited <- getEnvironment
  let environment = surroundings (jobEnvironment j) inherited
  withBinaryFile (fromMaybe "/dev/null" (jobInput j)) ReadMode $ \input ->
    withBinaryFile (jobOutput j) (modeFor (jobOutput j)) $ \output ->
      withErrors output $ \errors -> mask $ \restore -> do
        start <- getMonotonicTime
        (_, _, _, handle) <-
          createProcess
            (shell (T.unpack (jobCommand j)))
              { cwd = Just (jobDirectory j),
                env = Just environment,
                std_in = UseHandle input,
                std_out = UseHandle output,
                std_err = UseHandle errors,
                create_group = True
              }
        open <- withProcessHandle handle $ \case
          OpenHandle pid -> pure (Just pid)
          _ -> pure Nothing
        case open of
          Nothing -> pure (Ended (Exited 127) 0 0 0)
          Just pid -> do
            let kill = void (try (signalProcessGroup sigKILL pid) :: IO (Either SomeException ()))
                late now = maybe False (< now - start) (jobTimeout j)
            (timedOut, used) <-
              restore (waitFor start late (fromIntegral pid))
                `onException` (kill >> waitFor start (const False) (fromIntegral pid))
            rest <-
              if timedOut
                then kill >> snd <$> waitFor start (const False) (fromIntegral pid)
                else pure used
            end <- getMonotonicTime
            pure (summary timedOut (end - start) rest)
  where
    -- A device is not truncated.
    modeFor path = if path == "/dev/null" then AppendMode else WriteMode
    withErrors output act
      | jobErrors j == jobOutput j = act output
      | otherwise = withBinaryFile (jobErrors j) (modeFor (jobErrors j)) act
    summary timedOut elapsed used = case used of
      Just [how, code, user, kernel, resident] ->
        Ended
          { ending = case jobTimeout j of
              Just limit | timedOut -> TimedOut limit
              _ | how == 1 -> Signalled (fromIntegral code)
              _ -> Exited (fromIntegral code),
            endedElapsed = elapsed,
            endedProcessor = fromIntegral (user + kernel) / 1e6,
            endedResident = fromIntegral resident * 1024
          }
      _ -> Ended (Exited 127) elapsed 0 0

-- | Ask for the child until it has ended or it is late; says which, and what it
-- used. The pauses grow with the time that has gone by, so that they stay below
-- half a per cent of it.
waitFor :: Double -> (Double -> Bool) -> CInt -> IO (Bool, Maybe [Int64])
waitFor start late pid = allocaArray 5 $ \out -> do
  let go = do
        status <- wait pid out
        now <- getMonotonicTime
        if
          | status > 0 -> (,) False . Just <$> peekArray 5 out
          | status < 0 -> pure (False, Nothing)
          | late now -> pure (True, Nothing)
          | otherwise -> threadDelay (max 200 (min 50_000 (floor (5000 * (now - start))))) >> go
  go

-- unsafe: the call never blocks.
foreign import ccall unsafe "tern_lab_wait" wait :: CInt -> Ptr Int64 -> IO CInt

-- | With some variables set, and without those that tie git to one repository:
-- a hook sets them, and a command in another folder would write to the wrong one.
surroundings :: [(String, String)] -> [(String, String)] -> [(String, String)]
surroundings set inherited = set <> filter ((`notElem` (map fst set <> ofGit)) . fst) inherited
  where
    -- As git rev-parse --local-env-vars lists them.
    ofGit =
      map
        ("GIT_" <>)
        [ "ALTERNATE_OBJECT_DIRECTORIES",
          "CONFIG",
          "CONFIG_PARAMETERS",
          "CONFIG_COUNT",
          "OBJECT_DIRECTORY",
          "DIR",
          "WORK_TREE",
          "IMPLICIT_WORK_TREE",
          "GRAFT_FILE",
          "INDEX_FILE",
          "NO_REPLACE_OBJECTS",
          "REPLACE_REF_BASE",
          "PREFIX",
          "SHALLOW_FILE",
          "COMMON_DIR"
        ]

-- | A program with arguments, its exit code and what it wrote, for the short
-- questions that are put to git and its like. A program that is not there
-- ends with 127.
capture :: FilePath -> FilePath -> [String] -> IO (ExitCode, Text, Text)
capture = captureWith []

-- | The same with some variables set.
captureWith :: [(String, String)] -> FilePath -> FilePath -> [String] -> IO (ExitCode, Text, Text)
captureWith set directory program arguments = do
  environment <- surroundings set <$> getEnvironment
  result <-
    try
      ( Typed.readProcess
          ( Typed.setEnv
              environment
              ( Typed.setWorkingDir
                  directory
                  (Typed.proc program arguments)
              )
          )
      )
  pure $ case result of
    Right (code, out, err) -> (code, decoded out, decoded err)
    Left e -> (ExitFailure 127, T.empty, T.pack (show (e :: IOException)))
  where
    decoded = T.decodeUtf8With lenientDecode . L.toStrict

-- | What stands in a file that another program wrote, whatever its encoding;
-- nothing where it is not there.
textIn :: FilePath -> IO Text
textIn path = either nothing (T.decodeUtf8With lenientDecode) <$> try (B.readFile path)
  where
    nothing :: IOException -> Text
    nothing _ = T.empty

-- * Words for the shell

-- | One word, whatever is in it.
--
-- >>> shellWord "it's"
-- "'it'\\''s'"
shellWord :: Text -> Text
shellWord word = T.concat ["'", T.replace "'" "'\\''" word, "'"]

-- | Words as a shell reads them back: each is quoted, with a blank between each two.
commandLine :: [Text] -> Text
commandLine = T.unwords . map shellWord
