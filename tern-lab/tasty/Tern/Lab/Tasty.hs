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
-- file.
module Tern.Lab.Tasty
  ( bindingBudget,
    operationBudget,
    allocatesAtMost,

    -- * Operations
    Operation,
    operation,
  )
where

import Data.ByteString qualified as B
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory (XdgDirectory (..), getXdgDirectory)
import Tern.Lab.Core.Budget
import Tern.Lab.Core.Problem
import Tern.Lab.Core.Target
import Tern.Lab.Core.Workbench
import Tern.Lab.Measure (Operation, allocatedBy, operation)
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

complain :: [Excess] -> Assertion
complain = \case
  [] -> pure ()
  excess -> assertFailure (T.unpack (T.intercalate "\n" (map renderExcess excess)))

readBudget :: FilePath -> IO (Either String Budget)
readBudget file =
  either (Left . ((file <> ": ") <>) . T.unpack) Right . decodeBudget <$> B.readFile file
