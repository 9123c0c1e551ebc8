{-# LANGUAGE OverloadedStrings #-}

-- | What can be known of a history without running anything.
module Tern.Lab.History.PureTest (tests) where

import Data.List.NonEmpty (NonEmpty (..))
import Data.Map.Strict qualified as Map
import Data.Text qualified as T
import Tern.Lab.History.Metric
import Tern.Lab.History.Plan
import Tern.Lab.History.Problem
import Tern.Lab.History.Report.Graph (ticks)
import Tern.Lab.History.RuntimeStatistics
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "figures and plans"
    [ testCase "the runtime's file" $
        machineReadable (T.unlines [" [(\"bytes allocated\", \"10\")", " ,(\"num_GCs\", \"5\")", " ,(\"allocated_bytes\", \"19606128\")", " ,(\"mut_wall_seconds\", \"0.25\")", " ,(\"GC_wall_seconds\", \"0.5\")", " ]"])
          @?= Just (Map.fromList [(Collections, 5), (Allocated, 19606128), (TotalTime, 0.75)]),
      testCase "the runtime's page, among the program's own lines" $
        humanReadable
          ( T.unlines
              [ "MUT is a word",
                "      19,606,128 bytes allocated in the heap",
                "          13,080 bytes copied during GC",
                "          44,328 bytes maximum residency (2 sample(s))",
                "               6 MiB total memory in use (0 MiB lost due to fragmentation)",
                "  Gen  0         3 colls,     0 par    0.000s   0.000s     0.0000s    0.0000s",
                "  Gen  1         2 colls,     0 par    0.000s   0.000s     0.0002s    0.0002s",
                "  MUT     time    0.003s  (  0.004s elapsed)",
                "  GC      time    0.001s  (  0.001s elapsed)",
                "  Total   time    0.004s  (  0.010s elapsed)"
              ]
          )
          @?= Just
            ( Map.fromList
                [ (Allocated, 19606128),
                  (Copied, 13080),
                  (MaxLive, 44328),
                  (Peak, 6291456),
                  (Collections, 5),
                  (MutatorTime, 0.003),
                  (CollectorTime, 0.001),
                  (TotalTime, 0.005)
                ]
            ),
      testCase "other text has no figures" $ (machineReadable "hello\n(\"a\")", humanReadable "1,2 bytes") @?= (Nothing, Nothing),
      testCase "minimum and median" $
        spreads (Map.fromList [(TotalTime, 3)] :| [Map.fromList [(TotalTime, 1), (Peak, 4)], Map.fromList [(TotalTime, 8)], Map.fromList [(TotalTime, 5)]])
          @?= Map.fromList [(TotalTime, Spread 1 4 8)],
      testCase "thresholds need the fraction and the floor" $
        [direction (Threshold 0.01 100) a b | (a, b) <- [(1000, 1090), (1000, 1101), (100000, 100900), (100000, 98000)]]
          @?= [Nothing, Just Regression, Nothing, Just Improvement],
      testCase "a wandering figure is not steady" $
        map (steady (Threshold 0.01 0)) [Spread 100 100 100, Spread 1000 1000 1004, Spread 1000 1003 1006] @?= [True, True, False],
      testCase "names of benchmarks" $
        map benchmark ["sort: ./main 1", "./main 1", "X=1 ./main a: b"]
          @?= [Benchmark "sort" "./main 1", Benchmark "run" "./main 1", Benchmark "run" "X=1 ./main a: b"],
      testCase "shards" $ map shard ["1/1", "2/5", "0/3", "4/3", "a/b", "3"] @?= [Right (Shard 1 1), Right (Shard 2 5)] <> map (Left . BadShard) ["0/3", "4/3", "a/b", "3"],
      testProperty "shards are a partition in order" $ \(Positive n) items ->
        concat [inShard (Shard i n) items | i <- [1 .. n]] === (items :: [Int]),
      testProperty "ticks lie between the bounds and rise" $ \(Positive low) (Positive factor) ->
        let high = low * (1.5 + factor)
            marks = ticks low high
         in counterexample (show marks) $
              length marks >= 2
                && length marks <= 20
                && and (zipWith (<) marks (drop 1 marks))
                && all (\t -> t >= low * 0.99999 && t <= high * 1.00001) marks,
      testCase "equal plans have equal fingerprints, and each part counts" $ do
        let plan = defaultPlan "a..b"
            others = [plan {planBuild = "x"}, plan {planRuntime = "-A1m"}, plan {planRuns = 6}, plan {planPrepare = Just "x"}, plan {planInput = Just "x"}]
        fingerprint plan "" @?= fingerprint plan {planRange = "c..d", planJobs = 3} ""
        length (Map.fromList [(fingerprint p "", ()) | p <- plan : others]) @?= 1 + length others
    ]
