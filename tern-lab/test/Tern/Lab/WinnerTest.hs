{-# LANGUAGE OverloadedStrings #-}

-- | What is said of several times.
module Tern.Lab.WinnerTest (tests) where

import Data.List.NonEmpty (NonEmpty (..))
import Data.Text (Text)
import Tern.Lab.Winner (quickest)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "winner"
    [ testCase "one that is told from all others takes the least time" $
        said [("a", steady 100), ("b", steady 150), ("c", steady 300)]
          @?= "a (100 ns) takes the least time, 1.50 times less than b (1.50 to 1.50)",
      -- b wanders around 155: it is told neither from a nor from c.
      testCase "what is told of the least is not told of those that cannot be told from it" $
        said [("a", steady 100), ("b", wandering), ("c", steady 150)]
          @?= "no difference is seen between a (100 ns) and b (155 ns); a takes 1.50 times less \
              \than c \
              \(1.50 to 1.50)",
      testCase "where none is told from the least, none is named" $
        said [("a", steady 100), ("b", wandering)] @?= "no difference is seen",
      testCase "results without rounds have no verdict" $
        quickest 0 [("a", Nothing), ("b", Nothing)]
          @?= "no verdict, since these results kept no rounds"
    ]
  where
    said :: [(Text, NonEmpty Double)] -> Text
    said some = quickest 0.01 [(name, Just times) | (name, times) <- some]
    steady x = x :| replicate 39 x
    -- In half of the rounds less than a's time, in half far above it.
    wandering = 90 :| take 39 (cycle [220, 90])
