{-# LANGUAGE OverloadedStrings #-}

-- | The command @tern-wasm@: run, call, check and show WebAssembly modules.
module Main (main) where

import Options.Applicative
import System.Exit (exitWith)
import Tern.Wasm.Command

main :: IO ()
main = customExecParser (prefs (showHelpOnEmpty <> helpLongEquals)) (info (helper <*> plan) about) >>= execute >>= exitWith
  where
    about = fullDesc <> failureCode 2 <> header "tern-wasm - WebAssembly, validated and metered" <> footer exits
    exits = "A module's file may be - for the standard input. Exit codes: 0 well, 1 the module or the run failed, 2 usage; run ends with the program's own."
