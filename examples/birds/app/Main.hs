{-# LANGUAGE OverloadedStrings #-}

-- | Serve birds: @birds [--port N] [--database FILE | --postgresql CONNECTION]@.
module Main (main) where

import Birds.Service (birds)
import Birds.Store (Database (..), withStore)
import Control.Exception (handleJust)
import Control.Monad (guard)
import Network.Wai.Handler.Warp (defaultSettings, runSettings, setBeforeMainLoop, setHost, setPort)
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
      ( runSettings
          ( setPort
              port
              ( setHost
                  "127.0.0.1"
                  (setBeforeMainLoop (said port) defaultSettings)
              )
          )
          (birds Http.defaultSettings store)
      )
  where
    said port = putStrLn ("http://127.0.0.1:" <> show port) >> hFlush stdout

arguments :: Parser (Int, Database)
arguments =
  (,)
    <$> option
      auto
      ( long "port"
          <> metavar "N"
          <> value 8080
          <> showDefault
          <> help "where it listens, on this machine alone"
      )
    <*> (server <|> file)
  where
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
