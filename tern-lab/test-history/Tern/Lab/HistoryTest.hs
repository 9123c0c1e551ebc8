{-# LANGUAGE OverloadedStrings #-}

-- | A repository with a known story must come out exactly.
module Tern.Lab.HistoryTest (tests) where

import Control.Exception (Exception, throwIO, try)
import Control.Monad (when)
import Data.ByteString.Lazy qualified as L
import Data.Either (fromLeft)
import Data.IORef
import Data.List (isInfixOf)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory
import System.Environment (getExecutablePath)
import System.Exit (ExitCode (..))
import System.FilePath (takeDirectory, (</>))
import System.Process (CreateProcess (..), proc, readCreateProcessWithExitCode)
import Tern.Lab.Browser
import Tern.Lab.Core.Workbench (Build (..))
import Tern.Lab.Fixture
import Tern.Lab.History
import Tern.Lab.History.Bisect (Found (..), bisect)
import Tern.Lab.History.Explain (explainChanges)
import Tern.Lab.History.Git (Commit (..))
import Tern.Lab.History.Metric
import Tern.Lab.History.Plan
import Tern.Lab.History.Problem
import Tern.Lab.History.Record
import Tern.Lab.History.Record.Json
import Tern.Lab.History.Report
import Tern.Lab.History.Report.Graph
import Tern.Lab.History.Report.Page
import Tern.Lab.History.Verdict
import Tern.Lab.Process
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "history"
    [ testCase "the known story comes out exactly" knownStory,
      testCase "a stopped history goes on where it was" stopped,
      testCase "builds side by side and shards give the same records" sideBySide,
      testCase "what a command does wrong is a fact of its commit" wrongs,
      testCase "programs without options or without a Haskell runtime" otherPrograms,
      testCase "prepare patches a commit that does not build" prepared,
      testCase "bisect finds a commit behind a merge, around a broken one" bisected,
      testCase "a flagged commit says what the optimiser did differently" explained,
      testCaseInfo "processes of their own share a range" shared,
      testCase "records are shared by git notes" noted,
      testCase "a branch against where it left another" compared,
      testCaseInfo "the page in a browser" browsed,
      testCaseInfo "the source for pgfplots compiles" typeset,
      testCase "what cannot be measured at all" problems
    ]

-- | An improvement, a comment, a commit that does not build and its repair, a
-- side branch that improves, a regression beside it, their merge, a commit that
-- does not run, and one that writes something else.
story :: [Story]
story =
  [ program,
    commit "begin",
    sh "git tag begin",
    write "Rounds.hs" ["module Rounds (rounds) where", "-- How often.", "rounds :: Int", "rounds = 100"],
    commit "comment",
    write "Rounds.hs" ["module Rounds (rounds) where", "-- How often.", "rounds :: Int", "rounds = 50"],
    commit "improve",
    sh "git branch side",
    write "Size.hs" ["module Size (size) where", "size :: Int", "size ="],
    commit "break",
    write "Size.hs" ["module Size (size) where", "size :: Int", "size = 1000"],
    commit "repair",
    sh "git checkout --quiet side",
    write "Size.hs" ["module Size (size) where", "size :: Int", "size = 500"],
    commit "side",
    sh "git checkout --quiet main",
    write "Rounds.hs" ["module Rounds (rounds) where", "-- How often.", "rounds :: Int", "rounds = 100"],
    commit "regress",
    sh "git merge --quiet -m merge side",
    sh "sed -i 's/putStrLn .*/ioError (userError \"no\")/' Main.hs",
    commit "crash",
    sh "sed -i 's/ioError .*/putStrLn \"finished\"/' Main.hs",
    commit "other output"
  ]

plan :: Plan
plan =
  (defaultPlan "begin..main")
    { planBuild = "ghc -v0 -O -rtsopts Main.hs -o main",
      planBenchmarks = [benchmark "./main"],
      planRuns = 2
    }

within :: FilePath -> Place
within folder = Place (folder </> "repository") (folder </> "cache")

quiet :: Event -> IO ()
quiet _ = pure ()

measured :: Place -> Plan -> IO Results
measured place p = history quiet False place p >>= either (assertFailure . T.unpack . renderProblem) pure

-- | Flags as short words, by subject.
told :: Results -> [(Text, [Text])]
told results = [(commitSubject (recordCommit r), map word fs) | (r, fs) <- flags defaultThresholds results]
  where
    word = \case
      Changed _ c -> T.concat [T.pack (show (changeDirection c)), " ", metricName (changeMetric c)]
      OutputChanged _ _ -> "output"
      OutputUnstable _ -> "unstable"
      DidNotBuild f -> renderFailure f
      DidNotRun _ f -> renderFailure f

expectedStory :: [(Text, [Text])]
expectedStory =
  [ ("begin", []),
    ("comment", []),
    ("improve", ["Improvement allocated"]),
    ("break", ["the build failed with status 1"]),
    ("repair", []),
    ("regress", ["Regression allocated"]),
    ("side", ["Improvement allocated"]),
    ("merge", []),
    ("crash", ["the run failed with status 1"]),
    ("other output", ["output"])
  ]

-- | Commits of two branches may come in either order.
sameStory :: Results -> Assertion
sameStory results = Map.toList (Map.fromList (told results)) @?= Map.toList (Map.fromList expectedStory)

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
  sequence_ [assertBool "parents first" (all (`notElem` drop i hashes) (commitParents (recordCommit r))) | (i, r) <- zip [0 ..] (resultsRecords results)]
  -- The regression makes the first program again: it is known, and flagged.
  [commitSubject (recordCommit r) | r <- resultsRecords results, (_, Ran m) <- recordRuns r, measuredCached m] @?= ["comment", "repair", "regress"]
  figure Allocated "run" (named "comment" results) @?= figure Allocated "run" (named "begin" results)
  -- Saved results read back as they are, and the reports are all there.
  decodeResultsOf results @?= Right results
  written <- writeReports (folder </> "out") defaultThresholds results
  written @?= Right ()
  names <- listDirectory (folder </> "out")
  Map.fromList [(n, ()) | n <- names] @?= Map.fromList [(n, ()) | n <- ["history.json", "history.md", "history.html", "run.csv", "run.svg", "run.tex"]]
  csvText <- T.readFile (folder </> "out" </> "run.csv")
  map (T.intercalate ";" . take 4 . T.splitOn ";") (take 1 (T.lines csvText)) @?= ["commit;allocations;memory;time"]
  length (T.lines csvText) @?= 1 + length expectedStory
  markdownText <- T.readFile (folder </> "out" </> "history.md")
  length (filter ("**Improvement**: Allocations: -" `T.isPrefixOf`) (T.lines markdownText)) @?= 2
  length (filter ("**Regression**: Allocations: +" `T.isPrefixOf`) (T.lines markdownText)) @?= 1
  where
    decodeResultsOf = decodeResults . L.toStrict . encodeResults

-- | All that the user could see change.
stateOf :: FilePath -> IO (Text, Text, [FilePath])
stateOf repository = do
  (_, status, _) <- capture repository "git" ["status", "--porcelain"]
  (_, trees, _) <- capture repository "git" ["worktree", "list"]
  files <- listDirectory (repository </> ".git")
  pure (status, trees, files)

named :: Text -> Results -> Record
named subject results = case [r | r <- resultsRecords results, commitSubject (recordCommit r) == subject] of
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
  outcome <- try (history stopping False (within folder) plan)
  case outcome of
    Left Stop -> pure ()
    Right _ -> assertFailure "it was not stopped"
  began <- newIORef []
  let watching = \case
        Began n old -> modifyIORef' began ((n, old) :)
        _ -> pure ()
  results <- history watching False (within folder) plan >>= either (assertFailure . T.unpack . renderProblem) pure
  readIORef began >>= (@?= [(10, 3)])
  sameStory results

sideBySide :: Assertion
sideBySide = withFixture story $ \folder -> do
  whole <- measured (within folder) plan {planJobs = 2}
  sameStory whole
  let elsewhere = (within folder) {placeCache = folder </> "other"}
  parts <- mapM (\i -> measured elsewhere plan {planShard = Just (Shard i 3)}) [1, 2, 3]
  map (length . resultsRecords) parts @?= [3, 3, 4]
  case merge (zip ["a", "b", "c"] (reverse parts)) of
    Left problem -> assertFailure (T.unpack (renderProblem problem))
    Right merged -> do
      told merged `sameSet` told whole
      allocations merged `sameSet` allocations whole
  where
    allocations results = [(commitHash (recordCommit r), figure Allocated "run" r) | r <- resultsRecords results]
    sameSet a b = Map.fromList a @?= Map.fromList b

wrongs :: Assertion
wrongs = withFixture [write "a" ["1"], commit "one", sh "git tag one", write "a" ["2"], commit "two"] $ \folder -> do
  let run p = map snd . told <$> measured (within folder) p
      slow = (defaultPlan "one..main") {planBuild = "sleep 60", planBenchmarks = [benchmark "true"], planTimeout = Just 0.5}
  run slow >>= (@?= replicate 2 ["the build took more than 500.0 ms"])
  run slow {planBuild = "true", planBenchmarks = [benchmark "sleep 60"]} >>= (@?= replicate 2 ["the run took more than 500.0 ms"])
  run slow {planBuild = "true", planExecutable = Just "nothing"} >>= \case
    [[a], [_]] -> assertBool (T.unpack a) ("the build left no executable at " `T.isPrefixOf` a)
    other -> assertFailure (show other)
  run slow {planBuild = "true", planBenchmarks = [benchmark "kill -SEGV $$"]} >>= (@?= replicate 2 ["the run was ended by signal 11"])
  T.writeFile (folder </> "wanted") "1\n"
  run slow {planBuild = "true", planBenchmarks = [benchmark "cat a"], planExpected = Just (folder </> "wanted")} >>= (@?= [[], ["the output is not the expected one"]])
  run slow {planBuild = "true", planBenchmarks = [benchmark "date +%N"]} >>= (@?= replicate 2 ["unstable"])

otherPrograms :: Assertion
otherPrograms = withFixture [program, commit "one", sh "git tag one", write "b" [], commit "two"] $ \folder -> do
  let source p = do
        results <- measured (within folder) (p {planRange = "one..main"})
        pure ([measuredSource m | r <- resultsRecords results, (_, Ran m) <- recordRuns r], [Map.keys (figuresOf "run" r) | r <- resultsRecords results])
      runtimeMetrics = [Allocated, Collections, Copied, MaxLive, Peak, ExecutableSize, MutatorTime, CollectorTime, TotalTime, CompileTime]
  source plan >>= (@?= (replicate 2 RuntimeFile, replicate 2 runtimeMetrics))
  source plan {planBuild = "ghc -v0 -O Main.hs -o main"} >>= (@?= (replicate 2 RuntimePage, replicate 2 runtimeMetrics))
  let processMetrics = [ExecutableSize, TotalTime, ProcessTime, Resident, CompileTime]
  source plan {planBuild = "ghc -v0 -O -rtsopts=none Main.hs -o main"} >>= (@?= (replicate 2 ProcessOnly, replicate 2 processMetrics))
  source plan {planBuild = "printf '#!/bin/sh\\necho done\\n' > main; chmod +x main"} >>= (@?= (replicate 2 ProcessOnly, replicate 2 processMetrics))

prepared :: Assertion
prepared = withFixture [program, write "Size.hs" ["module Size (size) where", "size ="], commit "old", sh "git tag begin", write "Size.hs" ["module Size (size) where", "size :: Int", "size = 1000"], commit "new"] $ \folder -> do
  results <- measured (within folder) plan {planPrepare = Just "sed -i 's/^size =$/size = 1000 :: Int/' Size.hs"}
  told results @?= [("old", []), ("new", [])]

bisected :: Assertion
bisected = withFixture story $ \folder -> do
  found <- bisect quiet (within folder) plan {planRange = "begin..main~4"} Allocated
  fmap summary found @?= Right (["comment", "improve"], True)
  -- Along first parents the merge is where it fell; its side branch has why.
  merged <- bisect quiet (within folder) plan {planRange = "main~3..main~2"} Allocated
  fmap summary merged @?= Right (["improve", "side"], True)
  none <- bisect quiet (within folder) plan {planRange = "begin..begin~0"} Allocated
  none @?= Left (EmptyRange "begin..begin~0")
  where
    summary f = (map commitSubject (foundPiece f), foundNewer f < foundOlder f)

explained :: Assertion
explained = withFixture lists $ \folder -> do
  let p = plan {planBenchmarks = [benchmark "./main"]}
  results <- measured (within folder) p
  temporary <- getTemporaryDirectory
  let build = Build "ghc" [] [] False False (temporary </> "tern-lab-core-test")
  with <- explainChanges build (within folder) results p >>= either (assertFailure . T.unpack . renderProblem) pure
  [T.takeWhile (/= ';') why | r <- resultsRecords with, Just why <- [recordWhy r]] @?= ["Main.flatten no longer appends to its own result"]
  map (commitSubject . recordCommit) (filter ((/= Nothing) . recordWhy) (resultsRecords with)) @?= ["difference lists"]
  where
    lists =
      [ source "flatten Leaf = []\nflatten (Node l x r) = flatten l ++ (x : flatten r)",
        commit "lists",
        sh "git tag begin; echo '-- a comment' >> Main.hs",
        commit "comment",
        source "flatten tree = go tree []\n  where\n    go Leaf = id\n    go (Node l x r) = go l . (x :) . go r",
        commit "difference lists"
      ]
    source body =
      write
        "Main.hs"
        [ "module Main (main) where",
          "data Tree = Leaf | Node Tree Int Tree",
          "build :: Int -> Int -> Tree",
          "build a b | a > b = Leaf | otherwise = let m = (a + b) `div` 2 in Node (build a (m - 1)) m (build (m + 1) b)",
          "flatten :: Tree -> [Int]",
          body,
          "main :: IO ()",
          "main = print (sum (flatten (build 1 20000)))"
        ]

-- | Each part in a process of its own, all at once, in one cache; then put
-- together, all by the command line.
shared :: IO String
shared =
  getProgram >>= \case
    Nothing -> pure "skipped: tern-lab was not built beside this suite"
    Just tool -> withFixture story $ \folder -> do
      let part i = unwords ["'" <> tool <> "'", "history begin..main -C repository --cache cache --runs 2 --build 'ghc -v0 -O -rtsopts Main.hs -o main' --run ./main --shard", show i <> "/3", "-o", "part" <> show i, "> log" <> show i, "2>&1"]
      sh (concat [part i <> " & p" <> show i <> "=$!; " | i <- [1 .. 3 :: Int]] <> "wait $p1 && wait $p2 && wait $p3") folder
      sh ("'" <> tool <> "' merge part3/history.json part1/history.json part2/history.json -o whole > log") folder
      bytes <- L.readFile (folder </> "whole" </> "history.json")
      either (assertFailure . T.unpack) sameStory (decodeResults (L.toStrict bytes))
      -- A process that is killed leaves what it had; the next goes on.
      let long = unwords ["'" <> tool <> "'", "history begin..main -C repository --cache killed --runs 2 --build 'ghc -v0 -O -rtsopts Main.hs -o main' --run ./main -o killed-out"]
      sh (long <> " & p=$!; while [ $(ls killed/*/kept/* 2>/dev/null | wc -l) -lt 3 ]; do sleep 0.05; done; kill -9 $p; wait $p || true") folder
      sh (long <> " --verbose > again 2> said; test $(grep -c . said) -le 8") folder
      again <- L.readFile (folder </> "killed-out" </> "history.json")
      either (assertFailure . T.unpack) sameStory (decodeResults (L.toStrict again))
      pure "three parts at once, and one killed and gone on with"

-- | The program itself, where this suite was built beside it.
getProgram :: IO (Maybe FilePath)
getProgram = do
  own <- getExecutablePath
  let up n = iterate takeDirectory own !! n
      candidate = up 5 </> "x" </> "tern-lab" </> "build" </> "tern-lab" </> "tern-lab"
  present <- doesFileExist candidate
  pure (if present then Just candidate else Nothing)

-- | Two commits, the second of which allocates half.
halved :: [Story]
halved =
  [ program,
    commit "begin",
    sh "git tag begin",
    write "Rounds.hs" ["module Rounds (rounds) where", "rounds :: Int", "rounds = 50"],
    commit "halve <it> & more",
    write "Rounds.hs" ["module Rounds (rounds) where", "rounds :: Int", "rounds = 200"],
    commit "worse"
  ]

noted :: Assertion
noted = withFixture halved $ \folder -> do
  builds <- newIORef (0 :: Int)
  let count = \case
        BuildBegan _ -> modifyIORef' builds (+ 1)
        _ -> pure ()
      shared' = plan {planNotes = Just "performance"}
      at name = Place (folder </> "repository") (folder </> name)
      ask place = history count False place shared' >>= either (assertFailure . T.unpack . renderProblem) pure
  first <- ask (at "cache")
  readIORef builds >>= (@?= 3)
  -- Another machine of the team, with nothing of its own.
  second <- ask (at "another cache")
  readIORef builds >>= (@?= 3)
  resultsRecords second @?= resultsRecords first
  -- Another plan is not answered by these.
  _ <- history count False (at "a third") shared' {planRuntime = "-A2m"} >>= either (assertFailure . T.unpack . renderProblem) pure
  readIORef builds >>= (@?= 6)
  third <- ask (at "a fourth")
  resultsRecords third @?= resultsRecords first

compared :: Assertion
compared = withFixture halved $ \folder -> do
  let lab arguments = readCreateProcessWithExitCode ((proc "tern-lab" (["check", "--build", T.unpack (planBuild plan), "--run", "./main", "--runs", "2", "--cache", folder </> "cache"] <> arguments)) {cwd = Just (folder </> "repository")}) ""
  sh "git checkout --quiet -b topic main~1" (folder </> "repository")
  (better, out, _) <- lab ["--against", "begin"]
  better @?= ExitSuccess
  assertBool out ("**Performance got better** against `begin`" `isInfixOf` out)
  assertBool out ("| run | Allocations |" `isInfixOf` out)
  sh "git checkout --quiet main" (folder </> "repository")
  (worse, out', err) <- lab ["--against", "topic"]
  worse @?= ExitFailure 1
  assertBool out' ("**Performance got worse** against `topic`" `isInfixOf` out')
  assertBool err ("1 figure is worse than at topic" `isInfixOf` err)
  (same, out'', _) <- lab ["--against", "main"]
  (same, "nothing to compare" `isInfixOf` out'') @?= (ExitSuccess, True)

-- | A reader hovers, drags a range and goes back to the whole.
browsed :: IO String
browsed = withFixture halved $ \folder -> do
  results <- measured (within folder) plan
  inBrowser (page defaultThresholds results) script (@?= "series 3, bands 2, tip begin true, range 2, rows 2, whole 3, escaped true")
  where
    script =
      T.unlines
        [ "const said = [];",
          "const area = () => document.querySelector('.area');",
          "const at = part => { const box = area().getBoundingClientRect(); return { clientX: box.left + box.width * part, clientY: box.top + 20, bubbles: true }; };",
          "const shown = () => document.querySelectorAll('.chart text[font-family=monospace]').length;",
          "said.push('series ' + document.querySelectorAll('path.series').length);",
          "said.push('bands ' + document.querySelectorAll('.chart rect[opacity=\"0.15\"]').length);",
          "area().dispatchEvent(new MouseEvent('mousemove', at(0.1)));",
          "const tip = document.querySelector('.tip');",
          "said.push('tip begin ' + (!tip.hidden && tip.textContent.includes('begin') && tip.textContent.includes('Allocations')));",
          "area().dispatchEvent(new MouseEvent('mousedown', at(0.5)));",
          "area().dispatchEvent(new MouseEvent('mouseup', at(0.9)));",
          "said.push('range ' + shown());",
          "said.push('rows ' + document.querySelectorAll('table.list tbody tr').length);",
          "[...document.querySelectorAll('button')].find(b => b.textContent === 'Whole range').click();",
          "said.push('whole ' + shown());",
          "said.push('escaped ' + [...document.querySelectorAll('td')].some(c => c.textContent === 'halve <it> & more'));",
          "return said.join(', ');"
        ]

typeset :: IO String
typeset =
  findExecutable "pdflatex" >>= \case
    Nothing -> pure "skipped: no pdflatex on PATH"
    Just latex -> withFixture halved $ \folder -> do
      results <- measured (within folder) plan
      T.writeFile (folder </> "graph.tex") (pgfplots (graph defaultThresholds "run" results))
      (code, out, _) <- readCreateProcessWithExitCode ((proc latex ["-interaction=nonstopmode", "-halt-on-error", "graph.tex"]) {cwd = Just folder}) ""
      let missing = "File `" `isInfixOf` out && "' not found" `isInfixOf` out
      if missing
        then pure "skipped: pgfplots or standalone is not installed"
        else do
          assertBool (unlines (reverse (take 25 (reverse (lines out))))) (code == ExitSuccess)
          made <- doesFileExist (folder </> "graph.pdf")
          assertBool "a page" made
          pure latex

problems :: Assertion
problems = withFixture [write "a" [], commit "one", write "a" ["2"], commit "two"] $ \folder -> do
  let ask place p = fromLeft (NotARepository "it was measured") <$> history quiet False place p
      p0 = (defaultPlan "main~1..main") {planBuild = "true", planBenchmarks = [benchmark "true"]}
  createDirectory (folder </> "plain")
  ask (within folder) {placeRepository = folder </> "plain"} p0 >>= (@?= NotARepository (folder </> "plain"))
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
