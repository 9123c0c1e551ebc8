{-# LANGUAGE OverloadedStrings #-}

-- | For each kind of finding a small program before and after its cure: the
-- finding is there and then gone, and the program allocates less.
module Tern.Lab.Core.FixtureTest (tests) where

import Control.Monad (unless)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Lab.Core.Advice
import Tern.Lab.Core.Finding
import Tern.Lab.Core.Report
import Tern.Lab.Core.Workbench
import Tern.Lab.History.Metric (Metric (Allocated))
import Tern.Lab.History.RuntimeStatistics
import Tern.Lab.Process
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  withResource (getTemporaryDirectory >>= \t -> let c = t </> "tern-lab-core-test" in createDirectoryIfMissing True c >> pure c) (const (pure ())) $ \cache ->
    testGroup
      "before and after the cure"
      ( [testCase (folder <> ", " <> T.unpack kind) (cured cache folder kind binding) | (folder, kind, binding) <- fixtures]
          <> [testCase "clean code shows nothing" (clean cache)]
      )

-- | The folder, the kind of its finding, and where it must be found: a binding,
-- or a module.
fixtures :: [(FilePath, Text, Text)]
fixtures =
  [ ("separator", "not-unrolled", "encode"),
    ("specialise", "not-specialised", "main"),
    ("specialise", "unknown-instance", "run"),
    ("difference-lists", "appends-recursively", "flatten"),
    ("left-append", "appends-left", "squares"),
    ("export-list", "no-export-list", "Work"),
    ("reader", "arity-too-low", "step"),
    ("continuations", "unknown-calls", "step"),
    ("accumulator", "growing-accumulator", "mean"),
    ("boxed-numbers", "loop-allocates", "loop"),
    ("generics", "generic-representation", "main"),
    ("noinline", "not-inlined", "main")
  ]

gathered :: FilePath -> FilePath -> IO [Finding]
gathered cache file = do
  outcome <- gatherFacts (Build "ghc" [] [] False False cache) (SourceFile file)
  either (assertFailure . T.unpack . renderCoreProblem) (pure . findings) outcome

cured :: IO FilePath -> FilePath -> Text -> Text -> Assertion
cured getCache folder kind name = do
  cache <- getCache
  here <- getCurrentDirectory
  let file half = here </> "test-core" </> "golden" </> folder </> half </> "Main.hs"
  before <- gathered cache (file "before")
  let found = filter (\f -> kindName (findingKind f) == kind && worthShowing f) before
  unless (any about found) (assertFailure ("not found: " <> shown (filter worthShowing before)))
  later <- gathered cache (file "after")
  let left = filter (\f -> kindName (findingKind f) == kind && worthShowing f && about f) later
  unless (null left) (assertFailure ("not gone: " <> shown left))
  (outputBefore, allocatedBefore) <- run (file "before")
  (outputAfter, allocatedAfter) <- run (file "after")
  outputAfter @?= outputBefore
  unless (allocatedAfter < 0.97 * allocatedBefore) (assertFailure ("the cure does not help: " <> show (allocatedBefore, allocatedAfter)))
  where
    about f = name `elem` [sourceName (findingBinding f), findingModule f]
    shown = concatMap (\f -> "\n  " <> T.unpack (T.unwords [kindName (findingKind f), findingModule f, findingBinding f, renderWhat f]))

-- | What a program writes, and the bytes that it allocates.
run :: FilePath -> IO (Text, Double)
run file = withSystemTempDirectory "tern-lab-fixture" $ \folder -> do
  let command = T.pack ("ghc -v0 -O -rtsopts -XGHC2021 -outputdir objects -o program -i'" <> reverse (dropWhile (/= '/') (reverse file)) <> "' '" <> file <> "' && GHCRTS='-tstatistics --machine-readable' ./program")
  ended <- runJob (job folder command) {jobOutput = folder </> "output", jobErrors = folder </> "output"}
  written <- T.readFile (folder </> "output")
  unless (succeeded ended) (assertFailure (T.unpack written))
  statistics <- T.readFile (folder </> "statistics")
  case machineReadable statistics >>= Map.lookup Allocated of
    Just bytes -> pure (written, bytes)
    Nothing -> assertFailure "no statistics"

clean :: IO FilePath -> Assertion
clean getCache = do
  cache <- getCache
  here <- getCurrentDirectory
  every <- gathered cache (here </> "test-core" </> "golden" </> "clean" </> "before" </> "Main.hs")
  let (found, _) = chosen (Wanted Nothing False 20) every
  map (\f -> (kindName (findingKind f), findingBinding f)) found @?= []
