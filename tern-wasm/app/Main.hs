{-# LANGUAGE OverloadedStrings #-}

-- | The command @tern-wasm@: run, call, check and show WebAssembly modules.
module Main (main) where

import Data.Version (showVersion)
import Options.Applicative
import Paths_tern_wasm (version)
import System.Exit (exitWith)
import System.Info (compilerName, fullCompilerVersion)
import Tern.Wasm.Command (execute, plan)

main :: IO ()
main =
  customExecParser
    (prefs (showHelpOnEmpty <> helpLongEquals))
    (info (helper <*> versioner <*> plan) about)
    >>= execute
    >>= exitWith
  where
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
