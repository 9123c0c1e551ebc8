-- | Inspections as tests, where the code was optimised at all.
module Tern.Inspect.Result
  ( inspected,
    whenOptimised,
  )
where

import Tern.Testkit.Allocation (optimised)
import Tern.Testkit.Tally (skip)
import Test.Inspection (Result (..))
import Test.Tasty
import Test.Tasty.HUnit

inspected :: TestName -> Result -> TestTree
inspected name result = testCase name $ case result of
  Success _ -> pure ()
  Failure complaint -> assertFailure complaint

-- | The tests, or one that says why they were skipped.
whenOptimised :: TestName -> [TestTree] -> TestTree
whenOptimised name tests
  | optimised = testGroup name tests
  | otherwise = skip name "compiled without optimisation"
