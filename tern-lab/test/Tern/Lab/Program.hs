-- | The program that the tests run as people do.
module Tern.Lab.Program
  ( lab,
    labProgram,
    complains,
  )
where

import Data.List (isInfixOf)
import System.Exit (ExitCode (..))
import System.Process (readProcessWithExitCode)
import Tern.Testkit.Program (programCalled)
import Test.Tasty
import Test.Tasty.HUnit

-- | Run the program.
lab :: [String] -> IO (ExitCode, String, String)
lab arguments = do
  program <- labProgram
  readProcessWithExitCode program arguments ""

labProgram :: IO FilePath
labProgram = programCalled "tern-lab"

-- | A case: so called, these arguments end with this code, nothing in the output and
-- one line of complaint that has this in it.
complains :: String -> [String] -> Int -> String -> TestTree
complains name arguments expected needle = testCase (name <> " is refused in one line") $ do
  (code, out, err) <- lab arguments
  (code, out) @?= (ExitFailure expected, "")
  length (lines err) @?= 1
  assertBool err (needle `isInfixOf` unwords (words err))
