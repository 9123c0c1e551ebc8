{-# LANGUAGE DeriveAnyClass #-}

-- | Hostile clients by the thousand, in a process of their own, and what became of them.
--
-- The idea: the attack is this program once more, so that what it costs is not the
-- service's. It has the processors when nobody else wants them, as if its machines were
-- others. Its clients are all there at once; when the last of them is refused or dropped,
-- they come again, until the input ends.
--
-- Start at 'beside'.
module Tern.Bench.Http.Attack
  ( Attack (..),
    beside,
    attacking,
    hostileOnes,
    idly,
    manyFiles,
  )
where

import Control.Concurrent (forkIO, newEmptyMVar, putMVar, takeMVar)
import Control.Exception (IOException, try)
import Control.Monad (forM, forM_, unless, void, (>=>))
import Data.ByteString qualified as B
import Data.IORef (modifyIORef', newIORef, readIORef, writeIORef)
import GHC.Generics (Generic)
import System.Directory (findExecutable)
import System.Environment (getExecutablePath)
import System.IO (hClose, stdin)
import System.Posix.Process (nice)
import System.Posix.Resource
  ( Resource (..),
    ResourceLimits (..),
    getResourceLimit,
    setResourceLimit,
  )
import System.Process (CreateProcess (..), StdStream (..), proc, withCreateProcess)
import Tern (Wire, decodeJson, encodeJson)
import Tern.Testkit.Hostile (hostile)

-- | How many hostile clients were refused or answered as they should be, dropped as they
-- may be, and met with anything else.
data Attack = Attack {refused :: !Int, dropped :: !Int, otherwise' :: !Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | What an action gives while the clients attack a port, and what became of them.
beside :: Int -> IO a -> IO (a, Attack)
beside port act = do
  self <- getExecutablePath
  (command, arguments) <- idly self ["--attack", show port]
  withCreateProcess
    (proc command arguments) {std_in = CreatePipe, std_out = CreatePipe}
    $ \input output _ _ -> case (input, output) of
      (Just to, Just from) -> do
        a <- act
        hClose to
        said <- B.hGetContents from
        either (\_ -> ioError (userError "the attack said nothing")) (pure . (a,)) (decodeJson said)
      _ -> ioError (userError "a process without pipes")

-- | A command that has what nobody else wants of the processors, where the system has @chrt@.
idly :: FilePath -> [String] -> IO (FilePath, [String])
idly command arguments =
  maybe (command, arguments) (,["--idle", "0", command] <> arguments) <$> findExecutable "chrt"

-- | Be the attack: come until the input ends, and say what came of it.
attacking :: Int -> IO ()
attacking port = do
  -- Where there is no chrt.
  nice 19
  manyFiles
  over <- newIORef False
  void (forkIO (void (B.hGetContents stdin) >> writeIORef over True))
  seen <- newIORef (Attack 0 0 0)
  let wave = do
        running <- forM (concat (replicate each hostile)) $ \(_, expected, client) -> do
          box <- newEmptyMVar
          box <$ forkIO (try (client port) >>= putMVar box . judged expected)
        forM_ running (takeMVar >=> modifyIORef' seen . added)
        readIORef over >>= \stop -> unless stop wave
  wave
  readIORef seen >>= B.putStr . encodeJson
  where
    judged :: [Int] -> Either IOException Int -> Attack
    judged expected = \case
      Right 0 | 0 `elem` expected -> Attack 0 1 0
      Right status | status `elem` expected -> Attack 1 0 0
      _ -> Attack 0 0 1
    added (Attack a b c) (Attack a' b' c') = Attack (a + a') (b + b') (c + c')

-- | How many clients there are at once.
hostileOnes :: Int
hostileOnes = each * length hostile

-- | Of each sort.
each :: Int
each = 53

-- | Have as many files open as the system allows.
manyFiles :: IO ()
manyFiles = do
  limits <- getResourceLimit ResourceOpenFiles
  setResourceLimit ResourceOpenFiles limits {softLimit = hardLimit limits}
