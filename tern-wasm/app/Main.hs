{-# LANGUAGE OverloadedStrings #-}

-- | The command @tern-wasm@: run, call, check and show WebAssembly modules.
module Main (main) where

import Control.Exception (catch, try)
import Control.Monad (unless)
import Data.Version (showVersion)
import Options.Applicative
import Paths_tern_wasm (version)
import System.Exit (ExitCode (..), exitWith)
import System.IO (hFlush, hPutStrLn, hSetEncoding, mkTextEncoding, stderr, stdout)
import System.IO.Error (isResourceVanishedError)
import System.Info (compilerName, fullCompilerVersion)
import Tern.Wasm.Command (execute, plan)

main :: IO ()
main = do
  -- Modules are shown in UTF-8 whatever the locale, and paths as the bytes that they are.
  shown <- mkTextEncoding "UTF-8//ROUNDTRIP"
  mapM_ (`hSetEncoding` shown) [stdout, stderr]
  -- The parser ends the program itself where it shows help.
  code <-
    (customExecParser preferences (info (helper <*> versioner <*> plan) about) >>= execute)
      `catch` pure
  -- Later nobody says that what was written did not arrive.
  arrived <- try (hFlush stdout)
  case arrived of
    Left failure | code == ExitSuccess -> do
      -- Who read the output may have had enough.
      unless (isResourceVanishedError failure) (hPutStrLn stderr ("tern-wasm: " <> show failure))
      exitWith (ExitFailure 1)
    _ -> exitWith code
  where
    preferences = prefs (showHelpOnEmpty <> helpLongEquals)
    versioner =
      infoOption
        ( unwords
            [ "tern-wasm",
              showVersion version
                <> ", compiled by",
              compilerName <> "-" <> showVersion fullCompilerVersion
            ]
        )
        (long "version" <> help "Say which version this is")
    about =
      fullDesc
        <> failureCode 2
        <> header "tern-wasm - WebAssembly, validated and metered"
        <> footer exits
    exits =
      "A module's file may be - for the standard input. Exit codes: 0 well, 1 the module or the \
      \run failed, 2 usage; run ends with the program's own."
