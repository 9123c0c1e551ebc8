-- | The last line of a suite is a line of its own.
module Tern.Testkit.TallyTest (tests) where

import Control.Concurrent (threadDelay)
import Data.IORef (modifyIORef', newIORef, readIORef, writeIORef)
import Data.Maybe (fromMaybe)
import Tern.Testkit.Tally (endingWith, failureLine, tallied, untilFailure)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertFailure, testCase, (@?=))
import Test.Tasty.Ingredients (Ingredient (..), tryIngredients)
import Test.Tasty.Providers (testFailed, testPassed)

tests :: TestTree
tests =
  testGroup
    "tally"
    [ testCase "what ends a report comes after it, however long that takes" $ do
        (said, good) <- reported True True
        (said, good) @?= (["report", "tally"], True),
      testCase "it is said of failures too, and either fails the suite" $ do
        reported False True >>= (@?= (["report", "tally"], False))
        reported True False >>= (@?= (["report", "tally"], False)),
      testCase "what was skipped has not passed, and what failed has a line" $
        tallied
          [ ("a", testPassed ""),
            ("b.c", testFailed "expected: 1\n but got: 2"),
            ("d", testPassed "skipped: no such tool"),
            ("e", testPassed "12 cases")
          ]
          @?= ( [ "failed: b.c: expected: 1 but got: 2",
                  "tally: 2 passed, 1 failed, 1 skipped"
                ],
                False
              ),
      testCase "a suite without failures is well" $
        tallied [("a", testPassed ""), ("d", testPassed "skipped: no such tool")]
          @?= (["tally: 1 passed, 0 failed, 1 skipped"], True),
      testCase "who asks for the first failure alone does not wait for others" $ do
        said <- newIORef []
        good <-
          fromMaybe (assertFailure "nobody reports") $
            tryIngredients
              [untilFailure (writeIORef said)]
              mempty
              ( testGroup
                  "t"
                  [ testCase "a" (pure ()),
                    testCase "b" (assertFailure "no"),
                    testCase "c" (threadDelay 60000000)
                  ]
              )
        lines' <- readIORef said
        (map (take 11) lines', good)
          @?= (["failed: t.b", "tally: 1 pa"], False),
      testCase "the line of a failure has an end" $
        length (failureLine "a" (replicate 100000 'x')) @?= 414
    ]

-- | In which order a slow report and what ends it were said, and whether all was well.
reported :: Bool -> Bool -> IO ([String], Bool)
reported first second = do
  lines' <- newIORef []
  let say line = modifyIORef' lines' (line :)
      slow =
        TestReporter
          []
          ( \_ _ ->
              Just (\_ -> pure (\_ -> threadDelay 20000 >> say "report" >> pure first))
          )
      end _ _ _ = say "tally" >> pure second
  good <-
    fromMaybe
      (assertFailure "nobody reports")
      ( tryIngredients
          [endingWith end slow]
          mempty
          (testGroup "none" [])
      )
  said <- readIORef lines'
  pure (reverse said, good)
