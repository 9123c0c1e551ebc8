{-# LANGUAGE OverloadedStrings #-}

-- | Why a target's Core cannot be looked at.
--
-- Prose is made by 'renderCoreProblem' alone.
module Tern.Lab.Core.Problem
  ( CoreProblem (..),
    renderCoreProblem,
    guarded,
  )
where

import Control.Exception (IOException, try)
import Data.Text (Text)
import Data.Text qualified as T

-- | What can go wrong from the name of a target to the facts of its modules or the counters of a
-- run.
data CoreProblem
  = NoTarget !FilePath
  | NoFile !FilePath
  | -- | The components that there are.
    NoComponent !Text ![Text]
  | NoCompiler !FilePath
  | -- | A program that does not answer as GHC does, and what it says.
    NotGhc !FilePath !Text
  | -- | The version, which is too old.
    OldCompiler !Text
  | -- | The version of one that is linked so that it can load no plugin.
    StaticCompiler !Text
  | -- | The version of one whose own library is not installed.
    NoGhcLibrary !Text
  | -- | The version, and why.
    PluginNotBuilt !Text !Text
  | -- | What was run, and what it wrote.
    TargetNotBuilt !Text !Text
  | -- | How the program ended, and what it wrote.
    RunFailed !Text !Text
  | NoFacts
  | -- | The run left no counters.
    NoCounters
  | -- | A target that was to be run has no program.
    NoProgram !FilePath
  | CannotUse !FilePath !Text
  | -- | A commit and what git says of it.
    NoCommit !Text !Text
  deriving stock (Eq, Show)

-- | In one line, but for what a compiler wrote.
renderCoreProblem :: CoreProblem -> Text
renderCoreProblem = \case
  NoTarget name ->
    T.concat
      [ T.pack
          name,
        ": expected a Haskell file, a folder with a cabal file, or a component such as exe:NAME \
        \inside a cabal project; or one of these after COMMIT:"
      ]
  NoFile name -> T.concat [T.pack name, ": no such file or folder"]
  NoComponent name there ->
    T.concat
      [ name,
        ": no component, package, file or commit has this name; ",
        if null there
          then "no cabal file here describes a component"
          else T.concat ["the components here are ", T.intercalate ", " there]
      ]
  NoCompiler name -> T.concat [T.pack name, " was not found: give the compiler with --ghc"]
  NotGhc name said ->
    T.concat
      [ T.pack
          name,
        " is no GHC: asked for its version it says '",
        said,
        "'; give the compiler with --ghc"
      ]
  OldCompiler version ->
    T.concat
      [ "GHC ",
        version,
        " is too old: 9.6 to 9.12 are read. Give one with --ghc; docs/compilers.md says where \
        \they come from, and how 9.4 says its findings itself"
      ]
  StaticCompiler version ->
    T.concat
      [ "GHC ",
        version,
        " cannot load a plugin, since it is linked without shared libraries: take one that is \
        \(docs/compilers.md), and give it with --ghc"
      ]
  NoGhcLibrary version ->
    T.concat
      [ "GHC ",
        version,
        " is here without its own library, which the plugin uses: install the package ghc for it; \
        \some distributions have it apart from the compiler (docs/compilers.md)"
      ]
  PluginNotBuilt version written ->
    T.concat
      [ "the plugin does not compile with GHC ",
        version,
        " (9.6 and 9.10 are tested, 9.8 and 9.12 expected; docs/compilers.md):\n",
        written
      ]
  TargetNotBuilt what written -> T.concat [what, " failed", quoted written]
  RunFailed how written -> T.concat ["the run ", how, quoted written]
  NoCounters ->
    "the run wrote no counters: is {exe} in the command, and is it the program of the target?"
  NoProgram name ->
    T.concat
      [ T.pack
          name,
        ": a library has nothing to run; give a file with main, or an executable's component \
        \such as exe:NAME"
      ]
  NoFacts -> "no module was compiled: is there Haskell code in the target?"
  NoCommit commit reason -> T.concat ["commit ", commit, ": ", reason]
  CannotUse place reason -> T.concat ["cannot use ", T.pack place, ": ", reason]
  where
    quoted written
      | T.null (T.strip written) = ", and wrote nothing"
      | otherwise = ":\n" <> T.stripEnd written

-- | What the system refuses becomes a problem.
guarded :: FilePath -> IO (Either CoreProblem a) -> IO (Either CoreProblem a)
guarded place act =
  try act >>= \case
    Right result -> pure result
    Left e -> pure (Left (CannotUse place (T.pack (show (e :: IOException)))))
