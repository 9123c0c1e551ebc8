-- | The program that the tests run as people do.
module Tern.Lab.Program
  ( lab,
    labProgram,
    complains,
  )
where

import Data.List (isInfixOf)
import System.Directory (doesFileExist, findExecutable)
import System.Environment (getExecutablePath)
import System.Exit (ExitCode (..))
import System.FilePath (joinPath, splitDirectories, takeFileName)
import System.Process (readProcessWithExitCode)
import Test.Tasty
import Test.Tasty.HUnit

-- | Run the program: the one that was built beside this suite, or the one that
-- cabal put on the path.
lab :: [String] -> IO (ExitCode, String, String)
lab arguments = do
  program <- labProgram
  readProcessWithExitCode program arguments ""

labProgram :: IO FilePath
labProgram = do
  self <- getExecutablePath
  let beside = joinPath (program (splitDirectories self))
  built <- doesFileExist beside
  found <- if built then pure (Just beside) else findExecutable "tern-lab"
  case found of
    Nothing -> assertFailure ("no tern-lab beside " <> takeFileName self <> " or on PATH")
    Just path -> pure path
  where
    program = \case
      "t" : "lab" : rest -> "x" : "tern-lab" : map renamed rest
      one : rest -> one : program rest
      [] -> []
    renamed = \case
      "lab" -> "tern-lab"
      other -> other

-- | A case: so called, these arguments end with this code, nothing in the output and
-- one line of complaint that has this in it.
complains :: String -> [String] -> Int -> String -> TestTree
complains name arguments expected needle = testCase (name <> " is refused in one line") $ do
  (code, out, err) <- lab arguments
  (code, out) @?= (ExitFailure expected, "")
  length (lines err) @?= 1
  assertBool err (needle `isInfixOf` unwords (words err))
