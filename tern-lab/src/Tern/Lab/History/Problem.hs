{-# LANGUAGE OverloadedStrings #-}

-- | Why a history cannot be measured at all.
--
-- What happens to one commit is never a 'Problem': that it does not build or
-- run is a fact of its record. Prose is made by 'renderProblem' alone.
module Tern.Lab.History.Problem
  ( Problem (..),
    renderProblem,
    isUsage,
  )
where

import Data.Text (Text)
import Data.Text qualified as T

-- | Why a verb about histories ends without what it was asked for.
data Problem
  = NoGit
  | -- | The folder that was named is not there.
    NoSuchFolder !FilePath
  | NotARepository !FilePath
  | -- | Not of the form @A..B@.
    BadRange !Text
  | -- | No commit lies between.
    EmptyRange !Text
  | UnknownCommit !Text
  | -- | What was asked of git, and its answer.
    GitRefused !Text !Text
  | -- | Neither a build command nor a cabal component to build.
    NothingToBuild
  | -- | No command to run, and no executable known.
    NothingToRun
  | -- | The run command names the built executable, and nobody knows where it is.
    NoExecutableKnown
  | -- | Several executables, and none was chosen.
    SeveralExecutables ![Text]
  | -- | A name of a metric that the table does not have.
    UnknownMetric !Text ![Text]
  | -- | A shard that is not @i/n@ with @1 <= i <= n@.
    BadShard !Text
  | -- | No room to write, or no right to: the place and the system's reason.
    CannotWrite !FilePath !Text
  | CannotRead !FilePath !Text
  | -- | A results file that is not one: the place and what is wrong.
    NotResults !FilePath !Text
  | -- | Results that were measured with different commands.
    DifferentPlans !FilePath !FilePath
  | -- | An end of the range could not be measured: the commit and why.
    EndNotMeasured !Text !Text
  | -- | The metric is on the same side at both ends.
    NoChange !Text !Text
  deriving stock (Eq, Show)

-- | One line: where, what was expected, what to do.
renderProblem :: Problem -> Text
renderProblem = \case
  NoGit -> "git was not found on PATH: install it"
  NoSuchFolder place ->
    T.concat [T.pack place, ": no such folder; expected one inside a git repository"]
  NotARepository place ->
    T.concat
      [ T.pack
          place,
        " is not in a git repository: run this inside one or name it with --repository"
      ]
  BadRange range ->
    T.concat ["'", range, "' is not a range of commits: expected A..B, for example v1.0..HEAD"]
  EmptyRange range ->
    T.concat ["no commits in ", range, ": the second must be newer than the first"]
  UnknownCommit name ->
    T.concat ["'", name, "' names no commit here: expected a hash, a branch or a tag"]
  GitRefused what answer -> T.concat ["git ", what, " failed: ", answer]
  NothingToBuild ->
    "no build command: give --build 'COMMAND' or, for a cabal project, --component exe:NAME"
  NothingToRun -> "no run command: give --run 'COMMAND', in which {exe} is the built executable"
  NoExecutableKnown ->
    "{exe} in the run command is not known: give --executable PATH, or --component NAME"
  SeveralExecutables names ->
    T.concat
      [ "which executable? give --component with one of ",
        T.intercalate ", " (map ("exe:" <>) names)
      ]
  UnknownMetric name names ->
    T.concat ["'", name, "' is not a metric: expected one of ", T.intercalate ", " names]
  BadShard text -> T.concat ["'", text, "' is not a shard: expected i/n, for example 2/5"]
  CannotWrite place reason ->
    T.concat
      [ "cannot write ",
        T.pack place,
        ": ",
        reason,
        "; what was measured so far is kept, run the same command again to go on"
      ]
  CannotRead place reason -> T.concat ["cannot read ", T.pack place, ": ", reason]
  NotResults place reason ->
    T.concat
      [ T.pack
          place,
        " does not hold results of tern-lab history: ",
        reason,
        "; expected a history.json"
      ]
  DifferentPlans a b ->
    T.concat
      [ T.pack
          a,
        " and ",
        T.pack b,
        " were measured with different commands and cannot be merged"
      ]
  EndNotMeasured commit reason ->
    T.concat ["the end ", commit, " of the range could not be measured: ", reason]
  NoChange metric detail ->
    T.concat ["no change of ", metric, " to look for between the two ends: ", detail]

-- | Is it the command line that is wrong (exit code 2), not the data (1)?
isUsage :: Problem -> Bool
isUsage = \case
  BadRange _ -> True
  NothingToBuild -> True
  NothingToRun -> True
  NoExecutableKnown -> True
  SeveralExecutables _ -> True
  UnknownMetric _ _ -> True
  BadShard _ -> True
  _ -> False
