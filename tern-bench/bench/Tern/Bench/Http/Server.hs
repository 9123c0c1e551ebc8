{-# LANGUAGE OverloadedStrings #-}

-- | A service in a process of its own, and what that process took at most.
--
-- The idea: this program is started again as the server, so that its memory is that of one
-- service under one load. It ends when its input does, so that none is left when this
-- program is ended.
--
-- Start at 'withServer'.
module Tern.Bench.Http.Server
  ( Server (..),
    withServer,
    withIdleServer,
    serving,
    peakMemory,
  )
where

import Control.Concurrent (forkIO, killThread)
import Control.Exception (IOException, bracket, try)
import Control.Monad (void)
import Data.ByteString qualified as B
import Network.Socket (SocketOption (SockOpt), setSocketOption)
import Network.Wai (Application)
import Network.Wai.Handler.Warp
  ( defaultSettings,
    openFreePort,
    runSettingsSocket,
    setOnException,
    setTimeout,
  )
import System.Environment (getExecutablePath)
import System.IO (hFlush, hGetLine, stdin, stdout)
import System.Process (CreateProcess (..), Pid, StdStream (..), getPid, proc, withCreateProcess)
import Tern.Bench.Http.Attack (idly, manyFiles)
import Tern.Bench.Resident (residentPeak)
import Text.Read (readMaybe)

-- | Where it listens, and its process.
data Server = Server {serverPort :: !Int, serverProcess :: !Pid}

-- | With this program as a server, started with these arguments.
withServer :: [String] -> (Server -> IO a) -> IO a
withServer arguments use = do
  self <- getExecutablePath
  withProgram self arguments use

-- | The same with what nobody else wants of the processors, where the system has @chrt@.
withIdleServer :: [String] -> (Server -> IO a) -> IO a
withIdleServer arguments use = do
  self <- getExecutablePath
  (command, arguments') <- idly self arguments
  withProgram command arguments' use

withProgram :: FilePath -> [String] -> (Server -> IO a) -> IO a
withProgram command arguments use =
  withCreateProcess
    (proc command arguments) {std_in = CreatePipe, std_out = CreatePipe}
    $ \input output _ process -> case (input, output) of
      (Just _, Just out) -> do
        line <- hGetLine out
        port <- maybe (ioError (userError ("the server said " <> line))) pure (readMaybe line)
        pid <- getPid process
        maybe (ioError (userError "the server ended")) (use . Server port) pid
      _ -> ioError (userError "a process without pipes")

-- | Be the server: say the port, and serve until the input ends. Who says nothing for
-- three seconds is dropped. For who does not read Linux keeps 64 KiB that are not sent yet
-- (TCP_NOTSENT_LOWAT, which connections have from the socket that listens), and not 4 MiB.
serving :: Application -> IO ()
serving app = do
  manyFiles
  (port, socket) <- openFreePort
  _ <- try (setSocketOption socket (SockOpt 6 25) 65536) :: IO (Either IOException ())
  print port >> hFlush stdout
  bracket
    (forkIO (runSettingsSocket settings socket app))
    killThread
    (\_ -> void (B.hGetContents stdin))
  where
    settings = setOnException (\_ _ -> pure ()) (setTimeout 3 defaultSettings)

-- | The most that a server had in memory, in bytes, where the kernel (Linux) says so.
peakMemory :: Server -> IO (Maybe Int)
peakMemory = residentPeak . show . serverProcess
