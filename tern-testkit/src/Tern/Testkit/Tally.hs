-- | The last line of every test suite: how many tests passed, failed and were
-- skipped.
--
-- A test that cannot run here (an external suite is absent, a tool is missing)
-- says so by 'skip', passes, and is counted apart: a reader of the tally sees
-- what was not proved. Above the tally each test that failed has a line of its
-- own. @./dev test@ sums the tallies of all suites, and repeats those lines.
--
-- >>> failureLine "tern.hash maps.repeated keys" "expected: 1\n but got: 2"
-- "failed: tern.hash maps.repeated keys: expected: 1 but got: 2"
module Tern.Testkit.Tally
  ( runSuite,
    skip,
    inCheckout,
    runInCheckout,
    failureLine,
    tallied,
    endingWith,
    untilFailure,
  )
where

import Control.Concurrent.STM (TVar, atomically, readTVar, retry)
import Data.Foldable (toList)
import Data.List (isPrefixOf)
import Data.Maybe (isJust)
import System.Directory (doesDirectoryExist)
import System.Environment (lookupEnv)
import Test.Tasty (TestName, TestTree, defaultMainWithIngredients)
import Test.Tasty.HUnit (Assertion, testCaseInfo)
import Test.Tasty.Ingredients (Ingredient (..))
import Test.Tasty.Ingredients.Basic (consoleTestReporter, listingTests)
import Test.Tasty.Options (OptionSet)
import Test.Tasty.Runners
  ( Outcome (..),
    Result (..),
    Status (..),
    StatusMap,
    resultSuccessful,
    testsNames,
  )

-- | Run a tree of tests, report to the console, and end with the tally line. Where
-- @TERN_FIRST_FAILURE@ is set, the suite ends with the first case that fails, and says no
-- more than its end: who only asks whether one fails need not wait for the others.
runSuite :: TestTree -> IO ()
runSuite tree = do
  hasty <- lookupEnv "TERN_FIRST_FAILURE"
  defaultMainWithIngredients
    [ listingTests,
      if isJust hasty
        then untilFailure (mapM_ putStrLn)
        else endingWith tally consoleTestReporter
    ]
    tree

-- | The same of tests that are about the checkout as a whole. Who has the package's sources alone
-- has not got that: there they are skipped.
runInCheckout :: TestName -> IO TestTree -> IO ()
runInCheckout name tree =
  isCheckout >>= \case
    True -> tree >>= runSuite
    False -> runSuite (skip name noCheckout)

isCheckout :: IO Bool
isCheckout = doesDirectoryExist "../docs"

noCheckout :: String
noCheckout = "this is no checkout of the repository"

-- | A test that stands for others which cannot run here, and why.
skip :: TestName -> String -> TestTree
skip name reason = testCaseInfo name (pure (skipMark <> reason))

-- | A test that reads what is beside the package in its checkout, skipped where there is none.
inCheckout :: TestName -> Assertion -> TestTree
inCheckout name act =
  testCaseInfo name $
    isCheckout >>= \case
      True -> "" <$ act
      False -> pure (skipMark <> noCheckout)

skipMark :: String
skipMark = "skipped: "

data Verdict = Passed | Failed | Skipped
  deriving stock (Eq)

-- | A reporter, and what is reported when it has said its last. Reporters that are
-- composed run side by side, and the line of the one may come within the other's.
endingWith :: (OptionSet -> TestTree -> StatusMap -> IO Bool) -> Ingredient -> Ingredient
endingWith final = \case
  TestReporter taken report -> TestReporter taken $ \options tree -> do
    begin <- report options tree
    pure $ \statuses -> do
      end <- begin statuses
      pure (\time -> (&&) <$> end time <*> final options tree statuses)
  TestManager taken manage -> TestManager taken manage

tally :: OptionSet -> TestTree -> StatusMap -> IO Bool
tally options tree statuses = do
  results <- mapM finished (toList statuses)
  let (said, good) = tallied (zip (testsNames options tree) results)
  good <$ mapM_ putStrLn said

-- | A reporter that says the lines of a suite's end, by an action, when a case has failed or
-- all are done; then no other goes on.
untilFailure :: ([String] -> IO ()) -> Ingredient
untilFailure say = TestReporter [] $ \options tree -> Just $ \statuses -> do
  results <- upTo (zip (testsNames options tree) (toList statuses))
  let (said, good) = tallied results
  const (pure good) <$ say said
  where
    upTo = \case
      [] -> pure []
      (name, status) : rest -> do
        result <- finished status
        ((name, result) :) <$> if resultSuccessful result then upTo rest else pure []

finished :: TVar Status -> IO Result
finished status = atomically $ do
  readTVar status >>= \case
    Done result -> pure result
    _ -> retry

-- | The lines that a suite with these results ends with, and whether all is well.
tallied :: [(TestName, Result)] -> ([String], Bool)
tallied results =
  ( [failureLine name (resultDescription result) | (name, result) <- results, kind result == Failed]
      <> [ concat
             [ "tally: ",
               show (count Passed),
               " passed, ",
               show (count Failed),
               " failed, ",
               show (count Skipped),
               " skipped"
             ]
         ],
    count Failed == 0
  )
  where
    count k = length (filter ((== k) . kind . snd) results)
    kind result
      | not (resultSuccessful result) = Failed
      | Success <- resultOutcome result,
        skipMark `isPrefixOf` resultDescription result =
          Skipped
      | otherwise = Passed

-- | What failed and why, on one line of some hundred characters.
failureLine :: TestName -> String -> String
failureLine name description = "failed: " <> name <> ": " <> brief (unwords (words description))
  where
    brief text = case splitAt 400 text of
      (_, "") -> text
      (start, _) -> start <> "..."
