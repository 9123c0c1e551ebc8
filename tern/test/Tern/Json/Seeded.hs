-- | Properties that ask the same questions in every run.
module Tern.Json.Seeded
  ( seeded,
  )
where

import Tern.Testkit.Drawn (drawn)
import Test.QuickCheck (Args (..), Result (..), Testable, isSuccess, quickCheckWithResult, stdArgs)
import Test.QuickCheck.Random (mkQCGen)
import Test.Tasty
import Test.Tasty.HUnit

-- | A property of @count@ cases, or a part of them ('drawn'), from a fixed seed.
seeded :: (Testable p) => TestName -> Int -> p -> TestTree
seeded name count p = testCaseInfo name $ do
  cases <- drawn count
  result <-
    quickCheckWithResult
      stdArgs
        { replay =
            Just (mkQCGen 20240229, 0),
          maxSuccess = cases,
          maxSize = 60,
          chatty = False
        }
      p
  if isSuccess result
    then pure (show (numTests result) <> " cases ran")
    else assertFailure (output result)
