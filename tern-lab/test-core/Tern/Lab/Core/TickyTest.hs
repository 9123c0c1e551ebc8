{-# LANGUAGE OverloadedStrings #-}

-- | Findings in the order of what a run did.
module Tern.Lab.Core.TickyTest (tests) where

import Data.List (nub)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory (getTemporaryDirectory)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Lab.Core.Advice (kindName, renderAdvice, renderWhat)
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..), Spent (..), worthShowing)
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Library (Cost (..))
import Tern.Lab.Core.Measured (measuredBy)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Ticky (Counter (..), Sort (..), parseProfile, parseTicky)
import Tern.Lab.Core.Workbench (Build (..), Run (..), gatherFacts, gatherTicky)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "ranking by counters"
    [ testCase "rows of a report" $
        parseTicky
          ( T.unlines
              [ "    Entries       Alloc     Alloc'd  Non-void Arguments      STG Name",
                "--------------------------------------------------------------------------------",
                "         17           0           0   1 L        sat_s1Ri{v} (Main) (fun,se) \
                \in s1Rj",
                "    3300000           0           0   0          sat_s1QW{v} (Main) (thk) in r1Ob",
                "     100001     5600000           0   3 IIL      $wgo{v r1Ob} (Main) (fun)",
                "         12           0           0   2 ii       go`3f.17`{v s2lv} (Main) \
                \(LNE) in r1Ob",
                "          1          24           0   1 L        Data.Rose..+.{v rgU} (fun)",
                "          1          24           0   1 L        Data.Rose.mean{v rgT} (fun)",
                "",
                "**************************************************",
                "     300028 ALLOC_HEAP_ctr"
              ]
          )
          @?= [ Counter "Main" "sat" Nothing "s1Ri" (Just "s1Rj") Code 17 0,
                Counter "Main" "sat" Nothing "s1QW" (Just "r1Ob") Data 3300000 0,
                Counter "Main" "$wgo" Nothing "r1Ob" Nothing Code 100001 5600000,
                Counter "Main" "go" (Just ("3f", 17)) "s2lv" (Just "r1Ob") Code 12 0,
                Counter "Data.Rose" ".+." Nothing "rgU" Nothing Code 1 24,
                Counter "Data.Rose" "mean" Nothing "rgT" Nothing Code 1 24
              ],
      testCase "a leak in a helper that is gone is the first finding" inHelper,
      testCase "rows of a profile" $
        parseProfile
          ( T.unlines
              [ "\ttotal time  =        0.02 secs   (20 ticks @ 1000 us, 1 processor)",
                "\ttotal alloc =   1,000,200 bytes  (excludes profiling overheads)",
                "",
                "COST CENTRE MODULE SRC                    %time %alloc",
                "mean.go     Main   Main.hs:(5,5)-(7,50)   80.0   60.0",
                "",
                "                                                individual      inherited",
                "COST CENTRE MODULE  SRC                    no.  entries  %time %alloc   %time \
                \%alloc",
                "",
                "MAIN        MAIN    <built-in>             118        0    0.0    0.5   100.0  \
                \100.0",
                " mean       Main    Main.hs:4:1-20         236        1    0.0   10.0   100.0  \
                \ 70.0",
                "  mean.go   Main    Main.hs:(5,5)-(7,50)   237   100001   80.0   60.0    80.0  \
                \ 60.0"
              ]
          )
          @?= [ Counter "MAIN" "MAIN" Nothing "" Nothing CostCentre 0 5001,
                Counter "Main" "mean" Nothing "" Nothing CostCentre 1 100020,
                Counter "Main" "mean.go" Nothing "" Nothing CostCentre 100001 600120
              ],
      testCase "a part that was renamed after the optimiser is known again" renamed,
      testCase "what runs more comes first, what never runs is left out" hotAndCold,
      testCase
        "a lazy accumulator in a library's inlined loop is shown, with a run and without"
        inlined
    ]

-- | The loop of two exported functions is named after one of them.
renamed :: Assertion
renamed = withSystemTempDirectory "tern-lab-ticky" $ \folder -> do
  temporary <- getTemporaryDirectory
  writeFile (folder </> "Main.hs") . unlines $
    [ "module Main (main) where",
      "import Trees",
      "main :: IO ()",
      "main = print (sum (up (grow 400)) + length (down (grow 300)))"
    ]
  writeFile (folder </> "Trees.hs") . unlines $
    [ "module Trees (Tree, grow, up, down) where",
      "data Tree = Tree Int [Tree]",
      "grow :: Int -> Tree",
      "grow n = Tree n [grow (n - 1) | n > 0]",
      "up, down :: Tree -> [Int]",
      "up t = 1 : post t",
      "down t = reverse (post t)",
      "post :: Tree -> [Int]",
      "post (Tree n ts) = concatMap post ts ++ [n]"
    ]
  let build = Build "ghc" [] [] False False (temporary </> "tern-lab-core-test")
  (modules, counters, whole) <-
    gatherTicky build (SourceFile (folder </> "Main.hs")) (Run "{exe}" Nothing)
      >>= either (assertFailure . T.unpack . renderCoreProblem) pure
  case measuredBy whole modules counters (findings modules) of
    first : _ | AppendsRecursively _ <- findingKind first -> pure ()
    others -> assertFailure (unlines (map (show . findingKind) others))

-- | The loop of @foldl'@ is a library's; the tuple's parts are this program's.
inlined :: Assertion
inlined = withSystemTempDirectory "tern-lab-ticky" $ \folder -> do
  temporary <- getTemporaryDirectory
  writeFile (folder </> "Main.hs") . unlines $
    [ "module Main (main) where",
      "import Data.List (foldl')",
      "totals :: [Int] -> (Int, Int)",
      "totals = foldl' (\\(a, b) x -> (a + x, b + x * x)) (0, 0)",
      "{-# NOINLINE totals #-}",
      "main :: IO ()",
      "main = print (totals [1 .. 20000])"
    ]
  let build = Build "ghc" [] [] False False (temporary </> "tern-lab-core-test")
  (modules, counters, whole) <-
    gatherTicky build (SourceFile (folder </> "Main.hs")) (Run "{exe}" Nothing)
      >>= either (assertFailure . T.unpack . renderCoreProblem) pure
  let every = findings modules
      accumulators fs =
        [findingBinding f | f <- fs, worthShowing f, CallsLibrary _ KeepsFields <- [findingKind f]]
  -- Without a run too.
  nub (accumulators every) @?= ["totals"]
  nub (accumulators (measuredBy whole modules counters every)) @?= ["totals"]

hotAndCold :: Assertion
hotAndCold = withSystemTempDirectory "tern-lab-ticky" $ \folder -> do
  temporary <- getTemporaryDirectory
  writeFile (folder </> "Main.hs") . unlines $
    [ "module Main (main) where",
      "import Appends",
      "main :: IO ()",
      "main = print (sum (cold [1 .. 5]) + sum (hot [1 .. 3000]))"
    ]
  writeFile (folder </> "Appends.hs") . unlines $
    "module Appends (hot, cold, never) where"
      : concat
        [ [ f
              <> " :: [Int] -> [Int]",
            f <> " [] = []",
            f <> " (x : xs) = " <> f <> " xs ++ [" <> show n <> " * x]"
          ]
          | (f, n) <-
              [("cold", 1), ("never", 2), ("hot", 3 :: Int)]
        ]
  let build = Build "ghc" [] [] False False (temporary </> "tern-lab-core-test")
      target = SourceFile (folder </> "Main.hs")
      appends every = nub [findingBinding f | f <- every, AppendsRecursively _ <- [findingKind f]]
  plain <- gatherFacts build target >>= either (assertFailure . T.unpack . renderCoreProblem) pure
  length (appends (findings plain)) @?= 3
  (modules, counters, whole) <-
    gatherTicky build target (Run "{exe}" Nothing)
      >>= either (assertFailure . T.unpack . renderCoreProblem) pure
  appends (measuredBy whole modules counters (findings modules)) @?= ["hot", "cold"]
  case [ m
         | f <-
             measuredBy whole modules counters (findings modules),
           findingBinding f == "hot",
           AppendsRecursively _ <- [findingKind f],
           Just m <- [findingMeasured f]
       ] of
    spent : _ -> spentEntries spent @?= 3001
    [] -> assertFailure "no counters for hot"
  assertBool
    "the whole run allocates more than what is counted"
    (maybe False (> sum (map counterBytes counters)) whole)

-- | Nothing of @tick@ is left: its callers' counters are its own, and the loop that GHC made of
-- @forM_@ is not spoken of by a name.
inHelper :: Assertion
inHelper = withSystemTempDirectory "tern-lab-helper" $ \folder -> do
  temporary <- getTemporaryDirectory
  T.writeFile (folder </> "Main.hs") . T.unlines $
    [ "module Main (main) where",
      "import Control.Monad.State.Strict",
      "import Control.Monad (forM_, when)",
      "tick :: StateT Int IO ()",
      "tick = modify (+ 1)",
      "handle :: Int -> StateT Int IO ()",
      "handle i = do",
      "  when (i `mod` 3 /= 0) tick",
      "  when (i `mod` 5000 == 0) (lift (putStrLn \"on\"))",
      "main :: IO ()",
      "main = execStateT (forM_ [1 .. 20000] handle) 0 >>= print"
    ]
  (modules, counters, whole) <-
    gatherTicky
      (Build "ghc" [] [] False False (temporary </> "tern-lab-core-test"))
      (SourceFile (folder </> "Main.hs"))
      (Run "{exe}" Nothing)
      >>= either (assertFailure . T.unpack . renderCoreProblem) pure
  let shown = filter worthShowing (measuredBy whole modules counters (findings modules))
  case shown of
    first : _ ->
      (findingBinding first, kindName (findingKind first)) @?= ("tick", "lazy-state")
    [] -> assertFailure "nothing is found"
  sequence_
    [ assertBool (T.unpack text) (not ("go3" `T.isInfixOf` text || "argument" `T.isInfixOf` text))
      | f <- shown,
        text <- [renderWhat f, renderAdvice f]
    ]
