{-# LANGUAGE OverloadedStrings #-}

-- | What can be known of a history without running anything.
module Tern.Lab.History.PureTest (tests) where

import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.List (isInfixOf, sort)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Tern (decodeJson, renderError)
import Tern.Json.Canonical (canonical)
import Tern.Lab.History.Git (Commit (..))
import Tern.Lab.History.Metric
  ( Direction (..),
    Metric (..),
    Sight (..),
    Spread (..),
    Threshold (..),
    defaultThresholds,
    direction,
    sighted,
    spreads,
    steady,
  )
import Tern.Lab.History.Plan
  ( Benchmark (..),
    Plan (..),
    Shard (..),
    benchmark,
    defaultPlan,
    fingerprint,
    inShard,
    shard,
  )
import Tern.Lab.History.Problem (Problem (..))
import Tern.Lab.History.Record
  ( Built (..),
    Executable (..),
    Failure (..),
    Measurement (..),
    Ran (..),
    Record (..),
    Results (..),
    Source (..),
    Stage (..),
  )
import Tern.Lab.History.Record.Json
  ( decodeMeasurement,
    decodeRecord,
    decodeResults,
    encodeMeasurement,
    encodeRecord,
    encodeResults,
  )
import Tern.Lab.History.Report.Graph (Axis (..), Graph (..), graph, ticks)
import Tern.Lab.History.Report.Table (markdown)
import Tern.Lab.History.RuntimeStatistics (humanReadable, machineReadable)
import Tern.Lab.History.Verdict (Change (..), Flag (..), flags)
import Tern.Lab.Process (Ending (..))
import Tern.Lab.Quantity (renderRough)
import Tern.Lab.Random (below, seed, several)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (Failure)

tests :: TestTree
tests =
  testGroup
    "figures and plans"
    [ testCase "the runtime's file" $
        machineReadable
          ( T.unlines
              [ " [(\"bytes allocated\", \"10\")",
                " ,(\"num_GCs\", \"5\")",
                " ,(\"allocated_bytes\", \"19606128\")",
                " ,(\"mut_cpu_seconds\", \"0.125\")",
                " ,(\"GC_cpu_seconds\", \"0.0625\")",
                " ,(\"mut_wall_seconds\", \"0.25\")",
                " ,(\"GC_wall_seconds\", \"0.5\")",
                " ]"
              ]
          )
          @?= Just
            ( Map.fromList
                [ (Collections, 5),
                  (Allocated, 19606128),
                  (MutatorTime, 0.125),
                  (CollectorTime, 0.0625),
                  (TotalTime, 0.75),
                  (ProcessTime, 0.1875)
                ]
            ),
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
                  (TotalTime, 0.005),
                  (ProcessTime, 0.004)
                ]
            ),
      testCase "other text has no figures" $
        (machineReadable "hello\n(\"a\")", humanReadable "1,2 bytes") @?= (Nothing, Nothing),
      testCase "minimum and median" $
        spreads
          ( Map.fromList [(TotalTime, 3)]
              :| [ Map.fromList
                     [(TotalTime, 1), (Peak, 4)],
                   Map.fromList [(TotalTime, 8)],
                   Map.fromList [(TotalTime, 5)]
                 ]
          )
          @?= Map.fromList [(TotalTime, Spread 1 4 8)],
      testCase "thresholds need the fraction and the floor" $
        [ direction (Threshold 0.01 100) a b
          | (a, b) <-
              [(1000, 1090), (1000, 1101), (100000, 100900), (100000, 98000)]
        ]
          @?= [Nothing, Just Regression, Nothing, Just Improvement],
      testCase "a wandering figure is not steady" $
        map
          (steady (Threshold 0.01 0))
          [ Spread
              100
              100
              100,
            Spread 1000 1000 1004,
            Spread 1000 1003 1006
          ]
          @?= [True, True, False],
      testCase "a time is only changed where it does not wander so far by itself" $ do
        -- A disturbed run is not what the program takes.
        sighted 5 (Spread 1 1.25 9) (Spread 3 3.25 4) @?= Seen 2 1
        map
          (\(runs, a, b) -> sighted runs a b)
          [ (5, Spread 1 1.1 1.2, Spread 1.3 1.4 1.5),
            (5, Spread 1 1 1, Spread 1.015 1.015 1.015),
            (5, Spread 0.001 0.001 0.001, Spread 0.002 0.002 0.002)
          ]
          @?= replicate 3 NotSeen
        [sighted n (Spread 1 1 1) (Spread 9 9 9) | n <- [1, 2]] @?= replicate 2 TooFewRuns,
      testCase "equal programs have equal times in all but a few of a thousand histories" $ do
        -- Five runs each, most of them around the same, some of them disturbed.
        let seenTimes =
              length [() | n <- [1 .. 1000], Seen _ _ <- [uncurry (sighted 5) (fiveRunsTwice n)]]
        assertBool (show seenTimes) (seenTimes <= 10),
      testProperty "a change in two digits" $ \(Positive x) ->
        let text = T.unpack (renderRough (x / 100))
         in counterexample text (length (filter (`elem` ['1' .. '9']) text) <= 2),
      testCase "a line about a regression shows what regressed" $ do
        let line = T.unpack (markdown defaultThresholds worseLive)
        assertBool
          line
          ( "**Regression**: Maximum live: +200.00%  Allocations: -9.08%"
              `isInfixOf` line
          )
        assertBool line ("Time: no difference seen" `isInfixOf` line),
      testCase "a time flags where somebody asks for it, and only where it changed for certain" $ do
        let asked = Map.insert ProcessTime (Threshold 0.05 0) defaultThresholds
            timesIn some thresholds =
              [ changeDirection change
                | (_, found) <- flags thresholds some,
                  Changed _ change <- found,
                  changeMetric change == ProcessTime
              ]
        timesIn (timed (Spread 1 1.01 1.02) (Spread 1.5 1.51 1.52)) asked @?= [Regression]
        timesIn (timed (Spread 1.5 1.51 1.52) (Spread 1 1.01 1.02)) asked @?= [Improvement]
        timesIn (timed (Spread 1 1.01 1.02) (Spread 1.5 1.51 1.52)) defaultThresholds @?= []
        -- It wanders as far, or changed by less than was asked for.
        timesIn (timed (Spread 1 1.3 2) (Spread 1.5 1.8 2)) asked @?= []
        timesIn (timed (Spread 1 1.001 1.002) (Spread 1.04 1.041 1.042)) asked @?= [],
      testCase "figures that do not change do not lie over each other" $ do
        let same =
              [ (Allocated, Spread 1e9 1e9 1e9),
                (Peak, Spread 1e6 1e6 1e6),
                (ProcessTime, Spread 1 1 1)
              ]
            heights =
              [ (log value - log (axisLow axis)) / (log (axisHigh axis) - log (axisLow axis))
                | axis <- graphAxes (graph defaultThresholds "run" (twice same)),
                  Just value <- take 1 (axisValues axis)
              ]
        length heights @?= 3
        and [abs (a - b) > 0.05 | (i, a) <- zip [0 :: Int ..] heights, b <- drop (i + 1) heights]
          @? show heights,
      testCase "names of benchmarks" $
        map benchmark ["sort: ./main 1", "./main 1", "X=1 ./main a: b"]
          @?= [ Benchmark
                  "sort"
                  "./main 1",
                Benchmark "run" "./main 1",
                Benchmark "run" "X=1 ./main a: b"
              ],
      testCase "shards" $
        map shard ["1/1", "2/5", "0/3", "4/3", "a/b", "3"]
          @?= [Right (Shard 1 1), Right (Shard 2 5)]
            <> map (Left . BadShard) ["0/3", "4/3", "a/b", "3"],
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
      testGroup
        "the file that is kept"
        [ testCase "one that an older program wrote is read" $ do
            bytes <- B.readFile "test-history/older.json"
            decodeResults bytes @?= Right older,
          testCase "and written again with the same members" $ do
            bytes <- B.readFile "test-history/older.json"
            let known =
                  T.replace
                    ",\"of-a-newer-program\":{\"least\":1,\"median\":1,\"most\":1}"
                    ""
                    (T.decodeUtf8Lenient bytes)
                -- Older ones lack what is null now.
                whole =
                  T.replace
                    "\"time\":-1}"
                    "\"time\":-1,\"why\":null}"
                    ( T.replace
                        "\"output\":\"\",\"source\""
                        "\"output\":\"\",\"runs\":null,\"source\""
                        known
                    )
            canonicalOf (T.encodeUtf8 whole) @?= canonicalOf (L.toStrict (encodeResults older)),
          testCase "what is written is read" $
            decodeResults (L.toStrict (encodeResults older)) @?= Right older,
          testCase "each record and measurement by itself" $ do
            map (decodeRecord . L.toStrict . encodeRecord) (resultsRecords older)
              @?= map Right (resultsRecords older)
            let measured = [m | record <- resultsRecords older, (_, Ran m) <- recordRuns record]
            map (decodeMeasurement . L.toStrict . encodeMeasurement) measured
              @?= map Right measured,
          testCase "one of another format says so, whatever else it has" $
            decodeResults "{\"commits\":7,\"format\":2}"
              @?= Left "it is of format 2, this program reads format 1",
          testCase "an error says where" $ do
            bytes <- B.readFile "test-history/older.json"
            let wrong old new =
                  either
                    (snd . T.breakOn "$")
                    (const "read")
                    ( decodeResults
                        ( T.encodeUtf8
                            (T.replace old new (T.decodeUtf8Lenient bytes))
                        )
                    )
            wrong "\"signal\":9," ""
              @?= "$.commits[1].runs[2].result.failure: a failure has a status, a signal or a \
                  \timeout"
            wrong "\"no-executable\"" "\"none\""
              @?= "$.commits[4].build.failure: unknown kind of failure: none"
            wrong "runtime-file" "page"
              @?= "$.commits[0].runs[0].result.source: unknown source: page"
            wrong "\"output\":\"o\"," ""
              @?= "$.commits[0].runs[0].result: neither a failure nor a measurement, which has \
                  \the field \"output\""
        ],
      testCase "equal plans have equal fingerprints, and each part counts" $ do
        let plan = defaultPlan "a..b"
            others =
              [ plan
                  { planBuild = "x"
                  },
                plan {planRuntime = "-A1m"},
                plan {planRuns = 6},
                plan {planPrepare = Just "x"},
                plan {planInput = Just "x"}
              ]
        fingerprint plan "" @?= fingerprint plan {planRange = "c..d", planJobs = 3} ""
        length (Map.fromList [(fingerprint p "", ()) | p <- plan : others]) @?= 1 + length others
    ]

canonicalOf :: B.ByteString -> Either Text B.ByteString
canonicalOf bytes =
  either (Left . renderError bytes) Right (decodeJson bytes)
    >>= either (Left . T.pack . show) Right . canonical

-- | What @test-history\/older.json@ has: each kind of record.
older :: Results
older =
  Results
    { resultsRange = "a..b",
      resultsFingerprint = "f",
      resultsWeb = Nothing,
      resultsBenchmarks = [("run", "./main 1")],
      resultsRecords =
        [ Record
            (Commit "c1" [] 1700000000 "A" "S")
            "m"
            (Built (Just 1.5) (Just (Executable "e" 12)))
            [ ( "run",
                Ran
                  ( Measurement
                      ( Map.fromList
                          [(Allocated, Spread 1e9 1000000000.5 2e9)]
                      )
                      RuntimeFile
                      (Just 5)
                      "o"
                      True
                      False
                  )
              )
            ]
            Nothing,
          Record
            (Commit "c2" ["c1", "c0"] 0 "" "")
            ""
            (Built Nothing Nothing)
            [ ( "run",
                Ran
                  ( Measurement
                      Map.empty
                      ProcessOnly
                      Nothing
                      ""
                      False
                      True
                  )
              ),
              ("b", NotRun (WrongOutput "h")),
              ("c", NotRun (Failure Running (Signalled 9) "killed"))
            ]
            (Just "because"),
          Record
            (Commit "c3" [] (-1) "" "")
            ""
            (NotBuilt (Failure Building (Exited 2) "no"))
            []
            Nothing,
          Record
            (Commit "c4" [] 0 "" "")
            ""
            (NotBuilt (Failure Preparing (TimedOut 0.25) ""))
            []
            Nothing,
          Record (Commit "c5" [] 0 "" "") "" (NotBuilt (NoExecutable "dist/x")) [] Nothing
        ]
    }

-- | Two commits of one machine, with their times.
timed :: Spread -> Spread -> Results
timed old new = ofTwo [(ProcessTime, old)] [(ProcessTime, new)]

twice :: [(Metric, Spread)] -> Results
twice figures = ofTwo figures figures

ofTwo :: [(Metric, Spread)] -> [(Metric, Spread)] -> Results
ofTwo old new =
  worseLive
    { resultsRecords =
        [ record
            { recordRuns =
                [ (name, Ran m {measuredSpreads = Map.fromList figures})
                  | (name, Ran m) <- recordRuns record
                ]
            }
          | (record, figures) <- zip (resultsRecords worseLive) [old, new]
        ]
    }

-- | A commit that allocates less, keeps more alive, and of whose times nothing can be
-- said.
worseLive :: Results
worseLive =
  Results
    { resultsRange = "a..b",
      resultsFingerprint = "",
      resultsWeb = Nothing,
      resultsBenchmarks = [("run", "./main")],
      resultsRecords =
        [ record
            "aaaaaaaaaa"
            []
            [ (Allocated, Spread 1e9 1e9 1e9),
              (MaxLive, Spread 1e6 1e6 1e6),
              (ProcessTime, Spread 0.1 0.3 0.5)
            ],
          record
            "bbbbbbbbbb"
            ["aaaaaaaaaa"]
            [ (Allocated, Spread 9.092e8 9.092e8 9.092e8),
              (MaxLive, Spread 3e6 3e6 3e6),
              (ProcessTime, Spread 0.3 0.35 0.6)
            ]
        ]
    }
  where
    record hash parents figures =
      Record
        (Commit hash parents 0 "" "")
        ""
        (Built Nothing Nothing)
        [ ( "run",
            Ran
              ( Measurement
                  (Map.fromList figures)
                  RuntimeFile
                  (Just 5)
                  ""
                  True
                  False
              )
          )
        ]
        Nothing

-- | The spreads of two times five runs of a program, a fifth of them disturbed.
fiveRunsTwice :: Int -> (Spread, Spread)
fiveRunsTwice n = case several 10 one (seed n) of
  (times, _) -> (spreadOf (take 5 times), spreadOf (drop 5 times))
  where
    spreadOf times = case sort times of
      [a, _, b, _, c] -> Spread a b c
      _ -> Spread 0 0 0
    one s0 =
      let (parts, s1) = several 12 (below 1000) s0
          (hit, s2) = below 5 s1
          (far, s3) = below 1000 s2
          around = fromIntegral (sum parts - 6000) / 1000
       in (1 + 0.03 * around + (if hit == 0 then fromIntegral far / 1000 else 0), s3)
