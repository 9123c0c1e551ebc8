-- | The last line of every test suite: how many tests passed, failed and were
-- skipped.
--
-- A test that cannot run here (an external suite is absent, a tool is missing)
-- says so by 'skip', passes, and is counted apart: a reader of the tally sees
-- what was not proved. @./dev test@ sums the tallies of all suites.
module Tern.Testkit.Tally
  ( runSuite,
    skip,
  )
where

import Control.Concurrent.STM (atomically, readTVar, retry)
import Data.Foldable (toList)
import Data.List (isPrefixOf)
import Test.Tasty
import Test.Tasty.HUnit (testCaseInfo)
import Test.Tasty.Ingredients
import Test.Tasty.Ingredients.Basic (consoleTestReporter, listingTests)
import Test.Tasty.Runners (Outcome (..), Result (..), Status (..), resultSuccessful)

-- | Run a tree of tests, report to the console, and end with the tally line.
runSuite :: TestTree -> IO ()
runSuite = defaultMainWithIngredients [listingTests, composeReporters consoleTestReporter tally]

-- | A test that stands for others which cannot run here, and why.
skip :: TestName -> String -> TestTree
skip name reason = testCaseInfo name (pure (skipMark <> reason))

skipMark :: String
skipMark = "skipped: "

data Kind = Passed | Failed | Skipped
  deriving stock (Eq)

tally :: Ingredient
tally = TestReporter [] $ \_ _ -> Just $ \statuses -> do
  kinds <- mapM (fmap kind . finished) (toList statuses)
  let count k = length (filter (== k) kinds)
  pure $ \_ -> do
    putStrLn
      ( "tally: "
          <> show (count Passed)
          <> " passed, "
          <> show (count Failed)
          <> " failed, "
          <> show (count Skipped)
          <> " skipped"
      )
    pure (count Failed == 0)
  where
    finished status = atomically $ do
      readTVar status >>= \case
        Done result -> pure result
        _ -> retry
    kind result
      | not (resultSuccessful result) = Failed
      | Success <- resultOutcome result,
        skipMark `isPrefixOf` resultDescription result =
          Skipped
      | otherwise = Passed
