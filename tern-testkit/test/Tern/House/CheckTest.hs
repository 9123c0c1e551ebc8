-- | What the check finds in small made-up houses.
module Tern.House.CheckTest (tests) where

import Tern.House.Check (Complaint (..), complaints)
import Tern.House.Rules (Pattern (..), Room (..), parseTable, roomOf)
import Tern.House.Source (Module (..), parseModule)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "check"
    [ testCase "a module's head is read" $
        parseModule
          "p/src/A/B.hs"
          "{-# LANGUAGE X #-}\n-- | import No\n{- import No\n-}\nmodule A.B (c) where\nimport \
          \C\nimport qualified D\nimport E.F qualified as F\nimport safe G (h)\n  where import No\n"
          @?= Module "A.B" "p/src/A/B.hs" ["C", "D", "E.F", "G"],
      testCase "a Main is called by its path" $
        moduleName (parseModule "p/app/Main.hs" "module Main (main) where\n") @?= "p/app/Main",
      testCase "a house in order" $
        complaints table [low, middle, top] @?= [],
      testCase "an arrow upwards" $
        complaints table [low {moduleImports = ["A.Top"]}, middle, top {moduleImports = []}]
          @?= [Forbidden "p/src/A/Low/X.hs" "A.Low.X" "A.Top"],
      testCase "rooms in a circle, though no module is" $
        complaints table [low, Module "A.Low.Y" "p/src/A/Low/Y.hs" ["A.Mid"], middle, top]
          @?= [Forbidden "p/src/A/Low/Y.hs" "A.Low.Y" "A.Mid", RoomCycle ["A.Low.*", "A.Mid"]],
      testCase "two modules of one room that import each other" $
        complaints
          table
          [ low
              { moduleImports = ["A.Low.Y"]
              },
            Module "A.Low.Y" "p/src/A/Low/Y.hs" ["A.Low.X"],
            middle,
            top
          ]
          @?= [ModuleCycle ["A.Low.X", "A.Low.Y"]],
      testCase "an arrow over a room that may not be passed" $
        complaints table [low, middle, top {moduleImports = ["A.Low.X"]}]
          @?= [Forbidden "p/src/A/Top.hs" "A.Top" "A.Low.X"],
      testCase "a module without a row" $
        complaints table [low, middle, top, Module "B" "p/src/B.hs" []]
          @?= [Homeless "p/src/B.hs" "B"],
      testCase "a row without a module" $
        complaints table [middle {moduleImports = []}, top]
          @?= [EmptyRoom "A.Low.*", DeadPattern "A.Mid" "A.Low.*"],
      testCase "two folders that import each other" $
        complaints (parseTable "| module or folder | may |\n|---|---|\n| `p/` | |\n") mutual
          @?= [FolderCycle ("p/a", "A.X", "B.X") ("p/b", "B.Y", "A.Y")],
      testCase "the longest pattern is a module's row" $
        fmap
          roomPatterns
          ( roomOf
              ( parseTable
                  "| module or folder | x |\n|---|---|\n| `A.*` | |\n| `A.Low.*`, `A.Mid` | |\n"
              )
              low
          )
          @?= Just [Below "A.Low", Exactly "A.Mid"]
    ]
  where
    table =
      parseTable
        "# Title\n\n| module or folder | may depend on | why |\n|---|---|---|\n| `A.Low.*` | \
        \nothing | |\n| `A.Mid` | `A.Low.*` | |\n| `A.Top` | `A.Mid` | |\n\nMore.\n"
    low = Module "A.Low.X" "p/src/A/Low/X.hs" []
    middle = Module "A.Mid" "p/src/A/Mid.hs" ["A.Low.X"]
    top = Module "A.Top" "p/src/A/Top.hs" ["A.Mid"]
    mutual =
      [ Module "A.X" "p/a/X.hs" ["B.X"],
        Module "A.Y" "p/a/Y.hs" [],
        Module "B.X" "p/b/X.hs" [],
        Module "B.Y" "p/b/Y.hs" ["A.Y"]
      ]
