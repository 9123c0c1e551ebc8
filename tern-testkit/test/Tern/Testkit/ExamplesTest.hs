-- | Which examples are found in modules and pages.
module Tern.Testkit.ExamplesTest (tests) where

import Tern.Testkit.Examples
  ( Example (..),
    Examples (..),
    Outcome (..),
    Program (..),
    readExamples,
    readPrograms,
    says,
  )
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "examples"
    [ testCase "a question ends its predecessor's answer, and so does an empty line" $
        shown
          ( readExamples
              "-- | One.\n--\n-- >>> 1 + 1\n-- 2\n-- >>> x\n-- a\n-- b\n--\n-- prose\nf = 1\n"
          )
          @?= [Example 3 ["1 + 1"] ["2"], Example 5 ["x"] ["a", "b"]],
      testCase "a question of several lines" $
        shown (readExamples "-- >>> :{\n-- let y = 1\n--  in y\n-- :}\n-- 1\n")
          @?= [Example 1 [":{", "let y = 1", " in y", ":}"] ["1"]],
      testCase "what is set up is not shown" $
        readExamples "-- $setup\n-- >>> import A\n\n-- >>> b\n-- c\n"
          @?= Examples [Example 2 ["import A"] []] [Example 4 ["b"] ["c"]],
      testCase "code is no example" $
        shown (readExamples "x = \">>> 1\"\n") @?= [],
      testCase "a page's answer may be broken at spaces, and nowhere else" $
        [ says ["[1, 2,", "3]", "4"] ["[1, 2, 3]", "4"],
          says ["a"] ["a"],
          says [] [],
          says ["[1,2,", "3]"] ["[1,2,3]"],
          says ["a b"] ["a", "b"],
          says ["a"] ["a", "b"],
          says ["a", "b"] ["a"],
          says [] ["a"],
          says ["a"] []
        ]
          @?= [True, True, True, False, False, False, False, False, False],
      testCase "a program and what it prints" $
        readPrograms
          "# T\n\n```haskell\nmain :: IO ()\nmain = print 1\n```\n\nIt prints\n\n```text\n1\n```\n"
          @?= [Program "main :: IO ()\nmain = print 1\n" (Prints "1\n")],
      testCase "a program that does not compile" $
        readPrograms "```haskell\nmain :: IO ()\nmain = 1\n```\n\n```refusal\nno\n```\n"
          @?= [Program "main :: IO ()\nmain = 1\n" (Refused "no\n")],
      testCase "a piece of code is no program" $
        readPrograms "```haskell\nf = 1\n```\n```text\n1\n```\n" @?= []
    ]
