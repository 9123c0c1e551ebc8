{-# LANGUAGE OverloadedStrings #-}

-- | Budgets: what a binding may do, what an operation may allocate, the
-- commands, and the cases for a test suite.
module Tern.Lab.Core.BudgetTest (tests) where

import Control.Concurrent.STM (atomically, readTVar, retry)
import Data.ByteString.Lazy qualified as L
import Data.Foldable (toList)
import Data.List (isInfixOf)
import Data.Map.Strict qualified as Map
import System.Directory (getCurrentDirectory, getTemporaryDirectory)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (readProcessWithExitCode)
import Tern.Lab.Core.Budget
  ( Budget (..),
    Excess (..),
    Quantity (..),
    accept,
    acceptBytes,
    decodeBudget,
    emptyBudget,
    encodeBudget,
    exceeded,
    exceededBytes,
    renderExcess,
    spentBy,
  )
import Tern.Lab.Core.Command (sharedCache)
import Tern.Lab.Core.Facts (ModuleFacts)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Workbench (Build (..), gatherFacts)
import Tern.Lab.Tasty (allocatesAtMost, bindingBudget, operation, operationBudget)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.Runners

tests :: TestTree
tests =
  testGroup
    "budgets"
    [ testCase "a budget is accepted, held and exceeded" held,
      testCase "a method of an unknown instance is a dictionary's call" $
        withSystemTempDirectory "tern-lab-method" $ \folder -> do
          writeFile (folder </> "Main.hs") . unlines $
            [ "module Main (main) where",
              "",
              "class Sized a where size :: a -> Int; none :: a",
              "instance Sized Int where size = id; none = 0",
              "instance Sized Bool where size = fromEnum; none = False",
              "",
              "total :: (Sized a) => [a] -> Int",
              "total = foldr (\\x n -> size x + n) 0",
              "{-# OPAQUE total #-}",
              "",
              "main :: IO ()",
              "main = print (total [1 :: Int, none] + total [True, none])"
            ]
          spent <- spentBy <$> facts (folder </> "Main.hs")
          (Map.lookup "Main.total" spent >>= Map.lookup Dictionaries) @?= Just 1,
      testCase "bytes of operations are held too" $ do
        let budget = acceptBytes ["a"] (Map.fromList [("a", 99.25), ("b", 7)]) emptyBudget
        budgetOperations budget @?= Map.fromList [("a", 100)]
        decodeBudget (L.toStrict (encodeBudget budget)) @?= Right budget
        exceededBytes budget (Map.fromList [("a", 100.25)]) @?= []
        exceededBytes budget (Map.fromList [("a", 108)]) @?= [ExcessBytes "a" 100 108]
        exceededBytes budget Map.empty @?= [NotMeasured "a"]
        renderExcess (ExcessBytes "a" 100 108) @?= "a: 108 B each time, the budget allows 100 B",
      testCase "a budget that is not one" $ do
        decodeBudget "{}" @?= Left "line 1, column 1, at $: the field \"format\" is missing"
        decodeBudget "{\"format\":2}"
          @?= Left "line 1, column 11, at $.format: only format 1 is known"
        decodeBudget "{\"format\":1,\"bindings\":{\"M.f\":{\"closure\":1}}}"
          @?= Left
            "line 1, column 31, at $.bindings[\"M.f\"]: unknown quantity closure: expected one \
            \of dictionaries, unknown-calls, closures, thunks, boxed-numbers, generic-types",
      testCase "the commands accept and check" commands,
      testCase "cases for a test suite pass and fail" cases
    ]

facts :: FilePath -> IO [ModuleFacts]
facts file = do
  temporary <- getTemporaryDirectory
  gatherFacts (Build "ghc" [] [] False False (temporary </> "tern-lab-core-test")) (SourceFile file)
    >>= either (assertFailure . show . renderCoreProblem) pure

fixture :: FilePath -> IO FilePath
fixture name = do
  here <- getCurrentDirectory
  pure (here </> "test-core" </> "golden" </> name)

held :: Assertion
held = do
  before <- fixture "noinline/before/Main.hs" >>= facts
  later <- fixture "noinline/after/Main.hs" >>= facts
  let budget = accept ["Main.main"] later emptyBudget
  decodeBudget (L.toStrict (encodeBudget budget)) @?= Right budget
  exceeded budget later @?= []
  [q | Excess "Main.main" q _ _ <- exceeded budget before] @?= [Closures, BoxedNumbers]
  exceeded emptyBudget {budgetBindings = Map.fromList [("Main.gone", Map.empty)]} later
    @?= [NoSuchBinding "Main.gone"]
  accept [] before budget @?= accept ["Main.main"] before emptyBudget

commands :: Assertion
commands = withSystemTempDirectory "tern-lab-budget" $ \folder -> do
  before <- fixture "noinline/before/Main.hs"
  later <- fixture "noinline/after/Main.hs"
  cache <- sharedCache
  let budget = folder </> "budget"
      lab arguments =
        readProcessWithExitCode
          "tern-lab"
          (arguments <> ["--budget", budget, "--core-cache", cache])
          ""
  (accepting, _, said) <- lab ["accept", later, "--binding", "Main.main"]
  (accepting, said) @?= (ExitSuccess, "")
  (good, _, _) <- lab ["check", later]
  good @?= ExitSuccess
  (bad, out, err) <- lab ["check", before]
  bad @?= ExitFailure 1
  assertBool out ("Main.main: 1 closures, the budget allows 0" `isInfixOf` out)
  assertBool err ("2 limits are exceeded" `isInfixOf` err)
  (nothing, _, why) <- lab ["check"]
  (nothing, "nothing to look at" `isInfixOf` why) @?= (ExitFailure 2, True)
  (absent, _, named) <- lab ["accept", later, "--binding", "Main.absent"]
  (absent, "no such binding" `isInfixOf` named) @?= (ExitFailure 1, True)

-- | Trees of cases are run inside a case: one that must pass and one that must
-- not.
cases :: Assertion
cases = withSystemTempDirectory "tern-lab-cases" $ \folder -> do
  before <- fixture "noinline/before/Main.hs"
  later <- fixture "noinline/after/Main.hs"
  spent <- accept ["Main.main"] <$> facts later <*> pure emptyBudget
  let budget = folder </> "budget"
      list n = operation (\m -> [1 .. m :: Int]) (foldr seq ()) (n :: Int)
  L.writeFile budget (encodeBudget spent {budgetOperations = Map.fromList [("list", 4_000)]})
  good <- bindingBudget budget later
  bad <- bindingBudget budget before
  outcomes good >>= (@?= [True])
  outcomes bad >>= (@?= [False])
  few <- operationBudget budget [("list", list 10)]
  many <- operationBudget budget [("list", list 10_000)]
  none <- operationBudget budget []
  outcomes few >>= (@?= [True])
  outcomes many >>= (@?= [False])
  outcomes none >>= (@?= [False])
  outcomes (allocatesAtMost "list" 100 (list 10_000)) >>= (@?= [False])

outcomes :: TestTree -> IO [Bool]
outcomes tree =
  launchTestTree mempty tree $ \statuses -> do
    results <- mapM finished (toList statuses)
    pure (const (pure results))
  where
    finished status = atomically $ do
      readTVar status >>= \case
        Done result -> pure (resultSuccessful result)
        _ -> retry
