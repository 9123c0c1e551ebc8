{-# LANGUAGE OverloadedStrings #-}

-- | Serve birds: @birds [--port N] [--database FILE]@.
module Main (main) where

import Birds.Service
import Birds.Store
import Network.Wai.Handler.Warp
import Options.Applicative
import System.IO (hFlush, stdout)

main :: IO ()
main = do
  (port, file) <- execParser (info (arguments <**> helper) (progDesc "What birds were seen, as a service in every format"))
  withStore file $ \store ->
    runSettings (setPort port (setHost "127.0.0.1" (setBeforeMainLoop (said port) defaultSettings))) (birds store)
  where
    said port = putStrLn ("http://127.0.0.1:" <> show port) >> hFlush stdout

arguments :: Parser (Int, FilePath)
arguments =
  (,)
    <$> option auto (long "port" <> metavar "N" <> value 8080 <> showDefault <> help "where it listens, on this machine alone")
    <*> strOption (long "database" <> metavar "FILE" <> value "/tmp/birds.sqlite" <> showDefault <> help "SQLite's file, made if it is not there")
