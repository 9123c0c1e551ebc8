{-# LANGUAGE OverloadedStrings #-}

-- | A repository with a known story must come out exactly.
module Tern.Lab.HistoryTest (tests) where

import Control.Exception (Exception, throwIO, try)
import Control.Monad (forM_, when, (>=>))
import Data.ByteString.Lazy qualified as L
import Data.Either (fromLeft)
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.List (nub)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory (createDirectory, listDirectory)
import System.FilePath ((</>))
import Tern.Lab.Fixture (commit, program, sh, withFixture, write)
import Tern.Lab.History (Event (..), Site (..), history, merge)
import Tern.Lab.History.Bisect (Found (..), bisect)
import Tern.Lab.History.Git (Commit (..))
import Tern.Lab.History.Metric (Metric (..), defaultThresholds)
import Tern.Lab.History.Plan (Plan (..), Shard (..), benchmark, defaultPlan)
import Tern.Lab.History.Problem (Problem (..), renderProblem)
import Tern.Lab.History.Record
  ( Built (..),
    Failure (..),
    Measurement (..),
    Ran (..),
    Record (..),
    Results (..),
    Source (..),
    figure,
    figuresOf,
  )
import Tern.Lab.History.Record.Json (decodeResults, encodeResults)
import Tern.Lab.History.Report (writeReports)
import Tern.Lab.Process (capture)
import Tern.Lab.Stories
  ( expectedStory,
    measured,
    plan,
    quiet,
    sameStory,
    story,
    told,
    within,
    withoutCompiler,
  )
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "history"
    [ testCase "the known story comes out exactly" knownStory,
      testCase "the story is the same of a build that compiles nothing" $
        withFixture story (\folder -> measured (within folder) withoutCompiler >>= sameStory),
      testCase "a merge may be as either of its parents is" merges,
      testCase "figures are kept under all that can change them" keys,
      testCase "a stopped history goes on where it was" stopped,
      testCase "builds side by side and shards give the same records" sideBySide,
      testCase "what a command does wrong is a fact of its commit" wrongs,
      testCase "programs without options or without a Haskell runtime" otherPrograms,
      testCase "prepare patches a commit that does not build" prepared,
      testCase "bisect finds a commit after a merge, around a broken one" bisected,
      testCase "what cannot be measured at all" problems
    ]

knownStory :: Assertion
knownStory = withFixture story $ \folder -> do
  let repository = folder </> "repository"
  write "Size.hs" ["not committed"] repository
  before <- stateOf repository
  results <- measured (within folder) plan
  later <- stateOf repository
  later @?= before
  sameStory results
  length (resultsRecords results) @?= length expectedStory
  -- Each comes after its parents.
  let hashes = map (commitHash . recordCommit) (resultsRecords results)
  sequence_
    [ assertBool "parents first" (all (`notElem` drop i hashes) (commitParents (recordCommit r)))
      | (i, r) <-
          zip [0 ..] (resultsRecords results)
    ]
  -- The regression makes the first program again: it is known, and flagged.
  [ commitSubject (recordCommit r)
    | r <-
        resultsRecords results,
      (_, Ran m) <- recordRuns r,
      measuredCached m
    ]
    @?= ["comment", "repair", "regress"]
  figure Allocated "run" (named "comment" results)
    @?= figure Allocated "run" (named "begin" results)
  -- Saved results read back as they are, and the reports are all there.
  decodeResultsOf results @?= Right results
  written <- writeReports (folder </> "out") defaultThresholds results
  written @?= Right ()
  names <- listDirectory (folder </> "out")
  Map.fromList [(n, ()) | n <- names]
    @?= Map.fromList
      [ (n, ())
        | n <-
            ["history.json", "history.md", "history.html", "run.csv", "run.svg", "run.tex"]
      ]
  csvText <- T.readFile (folder </> "out" </> "run.csv")
  map (T.intercalate "," . take 4 . T.splitOn ",") (take 1 (T.lines csvText))
    @?= ["commit,allocations,memory,time"]
  length (T.lines csvText) @?= 1 + length expectedStory
  markdownText <- T.readFile (folder </> "out" </> "history.md")
  length (filter ("**Improvement**: Allocations: -" `T.isPrefixOf`) (T.lines markdownText)) @?= 2
  length (filter ("**Regression**: Allocations: +" `T.isPrefixOf`) (T.lines markdownText)) @?= 1
  where
    decodeResultsOf = decodeResults . L.toStrict . encodeResults

-- | Each merge is as one of its sides, but for less than what counts.
merges :: Assertion
merges = forM_ [499, 5001] $ \merged ->
  withFixture
    [ program,
      commit "begin",
      sh "git tag begin",
      sh "git branch side",
      size 5000,
      commit "regress",
      sh "git checkout --quiet side",
      size 500,
      commit "improve",
      sh "git checkout --quiet main",
      sh "git merge --quiet --no-commit -s ours side",
      size merged,
      sh "git commit --quiet -a -m merge"
    ]
    $ \folder -> do
      results <- measured (within folder) withoutCompiler
      Map.fromList (told results)
        @?= Map.fromList
          [ ("begin", []),
            ("regress", ["Regression allocated"]),
            ("improve", ["Improvement allocated"]),
            ("merge", [])
          ]
  where
    size n =
      write
        "Size.hs"
        ["module Size (size) where", "size :: Int", "size = " <> show (n :: Int)]

-- | One executable, and in turn another input, another command and other options.
keys :: Assertion
keys = withFixture [write "a" ["1"], commit "one", sh "git tag one", commitNothing] $ \folder -> do
  let input = folder </> "input"
      used = folder </> "used"
      p0 =
        (defaultPlan "one..main")
          { planBuild = "printf '#!/bin/sh\\ncat; cat \"$USED\"\\n' > main; chmod +x main",
            planBenchmarks = [benchmark (T.pack ("USED='" <> used <> "' ./main"))],
            planExecutable = Just "main",
            planInput = Just input,
            planUses = [used],
            planRuns = 2
          }
      known p = do
        results <- measured (within folder) p
        pure
          [ (measuredCached m, measuredOutput m)
            | r <- resultsRecords results,
              (_, Ran m) <- recordRuns r
          ]
      asked p = map fst <$> known p
  T.writeFile input "1"
  T.writeFile used "1"
  first <- known p0
  -- The second commit's executable is the first one's.
  map fst first @?= [False, True]
  T.writeFile input "2"
  second <- known p0
  map fst second @?= [False, True]
  T.writeFile used "2"
  third <- known p0
  map fst third @?= [False, True]
  -- What was written is what each input gives.
  length (nub (map snd (first <> second <> third))) @?= 3
  forM_
    [ p0 {planRuntime = "-A1m"},
      p0 {planRuns = 3},
      p0 {planBenchmarks = [benchmark (T.pack ("USED='" <> used <> "' ./main again"))]}
    ]
    (asked >=> (@?= [False, True]))
  T.writeFile input "1"
  T.writeFile used "1"
  known p0 >>= (@?= first)
  where
    commitNothing = sh "git commit --quiet --allow-empty -m two"

-- | All that the user could see change.
stateOf :: FilePath -> IO (Text, Text, [FilePath])
stateOf repository = do
  (_, status, _) <- capture repository "git" ["status", "--porcelain"]
  (_, trees, _) <- capture repository "git" ["worktree", "list"]
  files <- listDirectory (repository </> ".git")
  pure (status, trees, files)

named :: Text -> Results -> Record
named subject results = case [ r
                               | r <-
                                   resultsRecords results,
                                 commitSubject (recordCommit r) == subject
                             ] of
  r : _ -> r
  [] -> Record (Commit subject [] 0 "" "") "" (NotBuilt (NoExecutable "no such commit")) [] Nothing

data Stop = Stop
  deriving stock (Show)

instance Exception Stop

stopped :: Assertion
stopped = withFixture story $ \folder -> do
  recorded <- newIORef (0 :: Int)
  let stopping = \case
        Recorded _ -> do
          modifyIORef' recorded (+ 1)
          n <- readIORef recorded
          when (n == 3) (throwIO Stop)
        _ -> pure ()
  outcome <- try (history stopping False (within folder) withoutCompiler)
  case outcome of
    Left Stop -> pure ()
    Right _ -> assertFailure "it was not stopped"
  began <- newIORef []
  let watching = \case
        Began n old -> modifyIORef' began ((n, old) :)
        _ -> pure ()
  results <-
    history watching False (within folder) withoutCompiler
      >>= either (assertFailure . T.unpack . renderProblem) pure
  readIORef began >>= (@?= [(10, 3)])
  sameStory results

sideBySide :: Assertion
sideBySide = withFixture story $ \folder -> do
  whole <- measured (within folder) withoutCompiler {planJobs = 2}
  sameStory whole
  let elsewhere = (within folder) {placeCache = folder </> "other"}
  parts <- mapM (\i -> measured elsewhere withoutCompiler {planShard = Just (Shard i 3)}) [1, 2, 3]
  map (length . resultsRecords) parts @?= [3, 3, 4]
  case merge (zip ["a", "b", "c"] (reverse parts)) of
    Left problem -> assertFailure (T.unpack (renderProblem problem))
    Right merged -> do
      told merged `sameSet` told whole
      allocations merged `sameSet` allocations whole
  where
    allocations results =
      [(commitHash (recordCommit r), figure Allocated "run" r) | r <- resultsRecords results]
    sameSet a b = Map.fromList a @?= Map.fromList b

wrongs :: Assertion
wrongs =
  withFixture
    [ write
        "a"
        ["1"],
      commit "one",
      sh "git tag one",
      write "a" ["2"],
      commit "two"
    ]
    $ \folder -> do
      let run p = map snd . told <$> measured (within folder) p
          slow =
            (defaultPlan "one..main")
              { planBuild =
                  "sleep 60",
                planBenchmarks = [benchmark "true"],
                planTimeout = Just 0.5
              }
      run slow >>= (@?= replicate 2 ["the build took more than 500.0 ms"])
      run slow {planBuild = "true", planBenchmarks = [benchmark "sleep 60"]}
        >>= (@?= replicate 2 ["the run took more than 500.0 ms"])
      -- A longer limit is another chance; a shorter one is none.
      let long = slow {planBuild = "sleep 0.7", planTimeout = Just 0.3}
      run long >>= (@?= replicate 2 ["the build took more than 300.0 ms"])
      run long {planTimeout = Just 0.2} >>= (@?= replicate 2 ["the build took more than 300.0 ms"])
      run long {planTimeout = Just 30} >>= (@?= [[], []])
      run long >>= (@?= [[], []])
      run slow {planBuild = "true", planExecutable = Just "nothing"} >>= \case
        [[a], [_]] -> assertBool (T.unpack a) ("the build left no executable at " `T.isPrefixOf` a)
        other -> assertFailure (show other)
      run slow {planBuild = "true", planBenchmarks = [benchmark "kill -SEGV $$"]}
        >>= (@?= replicate 2 ["the run was ended by signal 11"])
      T.writeFile (folder </> "wanted") "1\n"
      run
        slow
          { planBuild =
              "true",
            planBenchmarks = [benchmark "cat a"],
            planExpected = Just (folder </> "wanted")
          }
        >>= (@?= [[], ["the output is not the expected one"]])
      run slow {planBuild = "true", planBenchmarks = [benchmark "date +%N"]}
        >>= (@?= replicate 2 ["unstable"])

otherPrograms :: Assertion
otherPrograms =
  withFixture [program, commit "one", sh "git tag one", write "b" [], commit "two"] $ \folder -> do
    let source p = do
          results <- measured (within folder) (p {planRange = "one..main"})
          pure
            ( [ measuredSource m
                | r <-
                    resultsRecords results,
                  (_, Ran m) <- recordRuns r
              ],
              [Map.keys (figuresOf "run" r) | r <- resultsRecords results]
            )
        runtimeMetrics =
          [ Allocated,
            Collections,
            Copied,
            MaxLive,
            Peak,
            ExecutableSize,
            MutatorTime,
            CollectorTime,
            TotalTime,
            ProcessTime,
            CompileTime
          ]
    source plan >>= (@?= (replicate 2 RuntimeFile, replicate 2 runtimeMetrics))
    source plan {planBuild = "ghc -v0 -O Main.hs -o main"}
      >>= (@?= (replicate 2 RuntimePage, replicate 2 runtimeMetrics))
    let processMetrics = [ExecutableSize, TotalTime, ProcessTime, Resident, CompileTime]
    source plan {planBuild = "ghc -v0 -O -rtsopts=none Main.hs -o main"}
      >>= (@?= (replicate 2 ProcessOnly, replicate 2 processMetrics))
    source plan {planBuild = "printf '#!/bin/sh\\necho done\\n' > main; chmod +x main"}
      >>= (@?= (replicate 2 ProcessOnly, replicate 2 processMetrics))

prepared :: Assertion
prepared =
  withFixture
    [ program,
      write "Size.hs" ["module Size (size) where", "size ="],
      commit "old",
      sh "git tag begin",
      write
        "Size.hs"
        [ "module Size (size) where",
          "size :: Int",
          "size = 1000"
        ],
      commit "new"
    ]
    $ \folder -> do
      results <-
        measured
          (within folder)
          plan
            { planPrepare =
                Just "sed -i 's/^size =$/size = 1000 :: Int/' Size.hs"
            }
      told results @?= [("old", []), ("new", [])]

bisected :: Assertion
bisected = withFixture story $ \folder -> do
  found <- bisect quiet (within folder) withoutCompiler {planRange = "begin..main~4"} Allocated
  fmap summary found @?= Right (["comment", "improve"], True)
  -- Along first parents the merge is where it fell; its side branch has why.
  merged <- bisect quiet (within folder) withoutCompiler {planRange = "main~3..main~2"} Allocated
  fmap summary merged @?= Right (["improve", "side"], True)
  none <- bisect quiet (within folder) withoutCompiler {planRange = "begin..begin~0"} Allocated
  none @?= Left (EmptyRange "begin..begin~0")
  where
    summary f = (map commitSubject (foundPiece f), foundNewer f < foundOlder f)

problems :: Assertion
problems = withFixture [write "a" [], commit "one", write "a" ["2"], commit "two"] $ \folder -> do
  let ask place p = fromLeft (NotARepository "it was measured") <$> history quiet False place p
      p0 = (defaultPlan "main~1..main") {planBuild = "true", planBenchmarks = [benchmark "true"]}
  createDirectory (folder </> "plain")
  ask (within folder) {placeRepository = folder </> "nowhere"} p0
    >>= (@?= NoSuchFolder (folder </> "nowhere"))
  ask (within folder) {placeRepository = folder </> "plain"} p0
    >>= (@?= NotARepository (folder </> "plain"))
  ask (within folder) p0 {planRange = "main..main"} >>= (@?= EmptyRange "main..main")
  ask (within folder) p0 {planRange = "main"} >>= (@?= BadRange "main")
  ask (within folder) p0 {planRange = "main~1...main"} >>= (@?= BadRange "main~1...main")
  ask (within folder) p0 {planRange = "nothing..main"} >>= (@?= UnknownCommit "nothing")
  ask (within folder) p0 {planRange = "--output=x..main"} >>= (@?= UnknownCommit "--output=x")
  ask (within folder) p0 {planBuild = ""} >>= (@?= NothingToBuild)
  ask (within folder) p0 {planBenchmarks = []} >>= (@?= NothingToRun)
  writeFile (folder </> "file") ""
  ask (within folder) {placeCache = folder </> "file"} p0 >>= \case
    CannotWrite _ _ -> pure ()
    other -> assertFailure (show other)
