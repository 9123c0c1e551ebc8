{-# LANGUAGE OverloadedStrings #-}

-- | Serve birds: @birds [--port N] [--database FILE | --postgresql CONNECTION]@.
module Main (main) where

import Birds.Service (birds)
import Birds.Store (Database (..), withStore)
import Control.Exception (IOException, bracket, bracketOnError, handleJust, try)
import Control.Monad (guard)
import Network.Socket
  ( Family (AF_INET),
    SockAddr (SockAddrInet),
    Socket,
    SocketOption (ReuseAddr, SockOpt),
    SocketType (Stream),
    bind,
    close,
    defaultProtocol,
    listen,
    setSocketOption,
    socket,
    tupleToHostAddress,
  )
import Network.Wai.Handler.Warp (defaultSettings, runSettingsSocket, setBeforeMainLoop)
import Options.Applicative
import System.Exit (die)
import System.IO (hFlush, stdout)
import System.IO.Error (isAlreadyInUseError)
import Tern.Http qualified as Http

main :: IO ()
main = do
  (port, database) <-
    execParser
      ( info
          (arguments <**> helper)
          ( progDesc
              "What birds were seen, as a service in every format"
          )
      )
  withStore database $ \store ->
    handleJust
      (guard . isAlreadyInUseError)
      (\() -> die (concat ["birds: port ", show port, " is taken; choose another by --port"]))
      ( bracket (listening port) close $ \socket' ->
          runSettingsSocket
            (setBeforeMainLoop (said port) defaultSettings)
            socket'
            (birds Http.defaultSettings store)
      )
  where
    said port = putStrLn ("http://127.0.0.1:" <> show port) >> hFlush stdout

-- | A socket at this port of this machine alone. For a client that does not read Linux keeps
-- 64 KiB that are not sent yet (TCP_NOTSENT_LOWAT), where it would keep 4 MiB, and the service
-- would make as many: thousands of such clients would cost it its time.
listening :: Int -> IO Socket
listening port = bracketOnError (socket AF_INET Stream defaultProtocol) close $ \it -> do
  setSocketOption it ReuseAddr 1
  _ <- try (setSocketOption it (SockOpt 6 25) 65536) :: IO (Either IOException ())
  bind it (SockAddrInet (fromIntegral port) (tupleToHostAddress (127, 0, 0, 1)))
  it <$ listen it 1024

arguments :: Parser (Int, Database)
arguments =
  (,)
    <$> option
      aPort
      ( long "port"
          <> metavar "N"
          <> value 8080
          <> showDefault
          <> help "where it listens, on this machine alone"
      )
    <*> (server <|> file)
  where
    aPort = auto >>= \n -> if n > 0 && n < 65536 then pure n else readerError "expected 1 to 65535"
    server =
      Server
        <$> strOption
          ( long "postgresql"
              <> metavar "CONNECTION"
              <> help
                "a database of PostgreSQL, as libpq has it: \"host=/run/postgresql dbname=birds\""
          )
    file =
      File
        <$> strOption
          ( long "database"
              <> metavar "FILE"
              <> value "/tmp/birds.sqlite"
              <> showDefault
              <> help "SQLite's file, made if it is not there"
          )
