-- | A package's program, which its suites run as people do.
module Tern.Testkit.Program
  ( programCalled,
  )
where

import System.Directory (doesFileExist, findExecutable)
import System.Environment (getExecutablePath)
import System.FilePath (joinPath, splitDirectories, takeFileName)
import Test.Tasty.HUnit (assertFailure)

-- | Where a program of this name is: the one that cabal built beside this suite, or the one on
-- PATH. A failure where there is neither.
programCalled :: String -> IO FilePath
programCalled name = do
  self <- getExecutablePath
  let suite = takeFileName self
      beside = joinPath (besides suite (splitDirectories self))
  built <- doesFileExist beside
  found <- if built then pure (Just beside) else findExecutable name
  maybe (assertFailure ("no " <> name <> " beside " <> suite <> " or on PATH")) pure found
  where
    -- Cabal has a suite below t/SUITE and a program below x/NAME, both again by their names.
    besides suite = \case
      "t" : one : rest | one == suite -> "x" : map (renamed suite) (one : rest)
      one : rest -> one : besides suite rest
      [] -> []
    renamed suite one = if one == suite then name else one
