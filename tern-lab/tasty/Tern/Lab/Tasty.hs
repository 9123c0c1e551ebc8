{-# LANGUAGE OverloadedStrings #-}

-- | Budgets as cases of a test suite.
--
-- Its one idea: the file @tern-lab.budget@ that @tern-lab check@ reads is the
-- only list of limits; a suite makes one case of each. What a binding does is
-- read from the optimised Core of a target, and what an operation allocates is
-- measured in the suite's own process, exactly.
--
-- > main = do
-- >   bindings <- bindingBudget "tern-lab.budget" "src/Codec.hs"
-- >   operations <- operationBudget "tern-lab.budget" [("encode", operation encode rnf sample)]
-- >   defaultMain (testGroup "budget" [bindings, operations])
--
-- Start at 'bindingBudget' and 'operationBudget'; 'allocatesAtMost' needs no
-- file. 'benchmarks' shows benchmarks among the cases.
module Tern.Lab.Tasty
  ( bindingBudget,
    operationBudget,
    allocatesAtMost,

    -- * Benchmarks
    benchmarks,

    -- * Operations
    Operation,
    operation,
  )
where

import Data.ByteString qualified as B
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.List (intercalate, nub)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory (XdgDirectory (..), getXdgDirectory)
import Tern.Lab.Benchmark (Benchmark)
import Tern.Lab.Benchmark.Definition (names)
import Tern.Lab.Benchmark.Run (Found (threw), renderFound)
import Tern.Lab.Benchmark.Run qualified as Run
import Tern.Lab.Core.Budget
  ( Budget (..),
    Excess,
    decodeBudget,
    exceeded,
    exceededBytes,
    renderExcess,
  )
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Target (targetNamed)
import Tern.Lab.Core.Workbench (Build (..), gatherFacts)
import Tern.Lab.Measure (Operation, Settings (..), allocatedBy, operation)
import Tern.Lab.Progress (silent)
import Test.Tasty
import Test.Tasty.HUnit

-- | A case for each binding that the budget names, of a target as @tern-lab
-- core@ takes it: a file, a folder, a component. The target is built when the
-- first case runs, by the @ghc@ on the path.
bindingBudget :: FilePath -> FilePath -> IO TestTree
bindingBudget file target =
  fmap (testGroup ("budget of " <> target)) $
    readBudget file >>= \case
      Left reason -> pure [testCase file (assertFailure reason)]
      Right budget ->
        pure
          [ withResource (gathered target) (const (pure ())) $ \modules ->
              testGroup
                "bindings"
                [ testCase (T.unpack name) $ do
                    facts <- modules >>= either assertFailure pure
                    complain (exceeded budget {budgetBindings = Map.singleton name limits} facts)
                  | (name, limits) <- Map.toList (budgetBindings budget)
                ]
          ]
  where
    gathered name = do
      cache <- getXdgDirectory XdgCache "tern-lab/core"
      targetNamed name >>= \case
        Left problem -> pure (Left (T.unpack (renderCoreProblem problem)))
        Right found ->
          either (Left . T.unpack . renderCoreProblem) Right
            <$> gatherFacts (Build "ghc" [] [] False False cache) found

-- | A case for each operation that the budget names, and one that fails for
-- each name that has no operation here.
operationBudget :: FilePath -> [(Text, Operation)] -> IO TestTree
operationBudget file operations =
  testGroup "budget of operations"
    <$> ( readBudget file >>= \case
            Left reason -> pure [testCase file (assertFailure reason)]
            Right budget ->
              pure
                [ testCase (T.unpack name) $ do
                    measured <-
                      traverse allocatedBy (Map.fromList (filter ((== name) . fst) operations))
                    complain
                      ( exceededBytes
                          budget {budgetOperations = Map.singleton name limit}
                          measured
                      )
                  | (name, limit) <- Map.toList (budgetOperations budget)
                ]
        )

-- | The operation allocates at most @limit@ bytes each time.
allocatesAtMost :: TestName -> Int -> Operation -> TestTree
allocatesAtMost name limit work = testCase name $ do
  bytes <- allocatedBy work
  complain
    ( exceededBytes
        ( Budget
            Map.empty
            (Map.singleton (T.pack name) (fromIntegral limit))
        )
        (Map.singleton (T.pack name) bytes)
    )

-- | A case for each group of benchmarks, as 'Tern.Lab.Benchmark.labMain' has them: it says what
-- was found, and fails where one of them throws. Times are no reason to fail.
--
-- > main = defaultMain (testGroup "all" [laws, benchmarks sorting])
-- > sorting = [group "sort" [bench "lists" (nf sort [3, 1, 2])]]
benchmarks :: [Benchmark] -> TestTree
benchmarks given =
  testGroup
    "benchmarks"
    [ testCaseInfo (if null path then "of no group" else intercalate "/" path) $ do
        done <- newIORef []
        Run.measured patience (\_ _ -> pure) silent ((== path) . dropLast) given $ \found ->
          modifyIORef' done (found :)
        found <- reverse <$> readIORef done
        let shown = T.unpack (T.concat (map renderFound found))
        if all (null . threw) found then pure shown else assertFailure shown
      | path <- nub (map dropLast (concatMap names given))
    ]
  where
    dropLast path = take (length path - 1) path
    -- A suite is run often: enough to see what is twice as slow.
    patience = Settings {rounds = 10, batch = 1e6}

complain :: [Excess] -> Assertion
complain = \case
  [] -> pure ()
  excess -> assertFailure (T.unpack (T.intercalate "\n" (map renderExcess excess)))

readBudget :: FilePath -> IO (Either String Budget)
readBudget file =
  either (Left . ((file <> ": ") <>) . T.unpack) Right . decodeBudget <$> B.readFile file
