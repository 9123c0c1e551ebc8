{-# LANGUAGE OverloadedStrings #-}

-- | For each kind of finding a small program before and after its cure: the
-- finding is there and then gone, and the program allocates less.
module Tern.Lab.Core.FixtureTest (tests) where

import Control.Monad (unless)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory (createDirectoryIfMissing, getCurrentDirectory, getTemporaryDirectory)
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Lab.Core.Advice (kindName, renderAdvice, renderWhat, renderWhy)
import Tern.Lab.Core.Facts
  ( Binding (..),
    Callee (..),
    ModuleFacts (..),
    Origin (..),
    Place (..),
    Pragma (..),
    Reason (..),
    Round (..),
    Sight (..),
    Spot (..),
    Unfolding (..),
  )
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..), worthShowing)
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Index (sourceName)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Report (Chosen (..), Ranking (..), Wanted (..), chosen, terminal)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Workbench (Build (..), gatherFacts)
import Tern.Lab.History.Metric qualified as Metric
import Tern.Lab.History.RuntimeStatistics (machineReadable)
import Tern.Lab.Process (Job (..), job, runJob, succeeded)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  withResource
    ( getTemporaryDirectory >>= \t ->
        let c =
              t </> "tern-lab-core-test"
         in createDirectoryIfMissing True c >> pure c
    )
    (const (pure ()))
    $ \cache ->
      testGroup
        "before and after the cure"
        ( [ testCase
              (folder <> ", " <> T.unpack kind)
              (cured cache worthShowing "" folder kind binding)
            | (folder, kind, binding) <-
                fixtures
          ]
            <> [ testCase
                   (folder <> ", " <> T.unpack words')
                   (cured cache (const True) words' folder kind binding)
                 | (folder, kind, binding, words') <-
                     details
               ]
            <> [ testCase "clean code shows nothing" (clean cache),
                 testCase "advice for a part names its function" (ofPart cache),
                 testCase "a part that two bindings share is said of the first" shared,
                 testCase
                   "accumulators of lazy results are details"
                   ( accumulators
                       cache
                       "accumulator-harmless"
                       OnDemand
                       (< 10)
                   ),
                 testCase
                   "accumulators that some rounds look at come after those that none does"
                   ( accumulators
                       cache
                       "accumulator-looking"
                       Looking
                       (\w -> w >= 10 && w < 50)
                   ),
                 testCase
                   "accumulators that nothing looks at come first"
                   ( accumulators
                       cache
                       ("accumulator" </> "before")
                       AtOnce
                       (>= 50)
                   )
               ]
        )

-- | The folder, the kind of its finding, and where it must be found: a binding,
-- or a module.
fixtures :: [(FilePath, Text, Text)]
fixtures =
  [ -- Article 000: the recursive separator.
    ("separator", "not-unrolled", "encode"),
    -- Article 001, from its second optimisation to its sixth.
    ("specialise", "not-specialised", "main"),
    ("specialise", "unknown-instance", "run"),
    ("specialise-loop", "not-specialised", "main"),
    ("difference-lists", "appends-recursively", "flatten"),
    ("left-append", "copies-list", "squares"),
    ("export-list", "no-export-list", "Work"),
    ("reader", "arity-too-low", "step"),
    ("continuations", "unknown-calls", "step"),
    ("choice", "arity-too-low", "attempt"),
    ("equations", "growing-accumulator", "walk"),
    -- The others.
    ("accumulator", "growing-accumulator", "mean"),
    ("boxed-numbers", "loop-allocates", "loop"),
    ("generics", "generic-representation", "main"),
    ("noinline", "not-inlined", "main"),
    ("noinline-phase", "not-inlined", "main"),
    ("unoptimised", "not-inlined", "main"),
    ("lazy-cell", "lazy-state", "main"),
    ("list-index", "list-index", "dot"),
    ("nub", "nub", "different"),
    ("text-append", "copies-all", "joined"),
    ("printf", "printf", "main")
  ]

-- | Those that are details unless a reader asks for them, or that share their
-- kind with others: the folder, the kind, the binding, and words of the finding.
details :: [(FilePath, Text, Text, Text)]
details =
  [ ("noinline-phase", "not-inlined", "main", "it is marked NOINLINE [~1]"),
    ("passes", "passes-instances", "total", "passes the"),
    ("thunks", "loop-allocates", "loop", "thunk"),
    ("noinline", "loop-allocates", "main", "closure"),
    ("partial", "loop-allocates", "main", "partial application"),
    ("unsaturated", "not-inlined", "main", "fewer than its 3 arguments"),
    ("too-big", "not-inlined", "main", "too big: size"),
    ("recursive", "not-inlined", "main", "calls Times.$wtimes…it is recursive"),
    ("unoptimised", "not-inlined", "main", "compiled without -O")
  ]

gathered :: FilePath -> FilePath -> IO [Finding]
gathered cache file = do
  outcome <- gatherFacts (Build "ghc" [] [] False False cache) (SourceFile file)
  either (assertFailure . T.unpack . renderCoreProblem) (pure . findings) outcome

cured :: IO FilePath -> (Finding -> Bool) -> Text -> FilePath -> Text -> Text -> Assertion
cured getCache counts words' folder kind name = do
  cache <- getCache
  here <- getCurrentDirectory
  let file half = here </> "test-core" </> "golden" </> folder </> half </> "Main.hs"
  before <- gathered cache (file "before")
  let found = filter (\f -> kindName (findingKind f) == kind && counts f) before
  unless (any about found) (assertFailure ("not found: " <> shown (filter counts before)))
  later <- gathered cache (file "after")
  let left = filter (\f -> kindName (findingKind f) == kind && counts f && about f) later
  unless (null left) (assertFailure ("not gone: " <> shown left))
  (outputBefore, figuresBefore) <- run (file "before")
  (outputAfter, figuresAfter) <- run (file "after")
  outputAfter @?= outputBefore
  let helps metric least = case (Map.lookup metric figuresBefore, Map.lookup metric figuresAfter) of
        (Just old, Just new) ->
          unless
            (new < least * old)
            (assertFailure ("the cure does not help: " <> show (metric, old, new)))
        _ -> assertFailure ("no figure of " <> show metric)
  case kind of
    -- Who only walks to an element allocates nothing on the way.
    "list-index" -> pure ()
    -- Nor does who compares: a hundred million comparisons take time.
    "nub" -> helps Metric.ProcessTime 0.5
    _ -> helps Metric.Allocated 0.97
  where
    about f =
      name `elem` [sourceName (findingBinding f), findingModule f]
        && all (`T.isInfixOf` T.concat [renderWhat f, "\n", renderWhy f]) (T.splitOn "…" words')
    shown =
      concatMap
        ( \f ->
            "\n  "
              <> T.unpack
                ( T.unwords
                    [ kindName
                        (findingKind f),
                      findingModule f,
                      findingBinding f,
                      renderWhat f,
                      renderWhy f
                    ]
                )
        )

-- | What a program writes, and what the runtime says of it.
run :: FilePath -> IO (Text, Metric.Figures)
run file = withSystemTempDirectory "tern-lab-fixture" $ \folder -> do
  let command =
        T.pack
          ( "ghc -v0 -O -rtsopts -XGHC2021 -outputdir objects -o program -i'"
              <> reverse (dropWhile (/= '/') (reverse file))
              <> "' '"
              <> file
              <> "' && GHCRTS='-tstatistics --machine-readable' ./program"
          )
  ended <-
    runJob (job folder command) {jobOutput = folder </> "output", jobErrors = folder </> "output"}
  written <- T.readFile (folder </> "output")
  unless (succeeded ended) (assertFailure (T.unpack written))
  statistics <- T.readFile (folder </> "statistics")
  maybe (assertFailure "no statistics") (pure . (written,)) (machineReadable statistics)

-- | All growing accumulators of a program are of this sort and of this weight.
accumulators :: IO FilePath -> FilePath -> Round -> (Double -> Bool) -> Assertion
accumulators getCache folder sort' weight = do
  cache <- getCache
  here <- getCurrentDirectory
  every <- gathered cache (here </> "test-core" </> "golden" </> folder </> "Main.hs")
  let found =
        [(findingWeight f, sorts) | f <- every, GrowingAccumulator _ _ sorts <- [findingKind f]]
  assertBool (show found) (not (null found) && all (\(w, s) -> s == sort' && weight w) found)

clean :: IO FilePath -> Assertion
clean getCache = do
  cache <- getCache
  here <- getCurrentDirectory
  every <- gathered cache (here </> "test-core" </> "golden" </> "clean" </> "before" </> "Main.hs")
  let found = chosen (Wanted Nothing False 20) every
  map (\f -> (kindName (findingKind f), findingBinding f)) (chosenShown found) @?= []
  -- And says that there are details, such as calls that stayed.
  assertBool "details" (chosenDetails found > 0)
  let summary = T.unpack (terminal ByHeuristic [] found)
  assertBool summary ("--all" `T.isInfixOf` T.pack summary)

-- | A part of a function cannot be given a pragma: the advice is about the
-- function that stands in the source.
ofPart :: IO FilePath -> Assertion
ofPart getCache = do
  cache <- getCache
  here <- getCurrentDirectory
  every <-
    gathered
      cache
      ( here
          </> "test-core"
          </> "golden"
          </> "specialise-loop"
          </> "before"
          </> "Main.hs"
      )
  case [ f
         | f <-
             every,
           kindName (findingKind f) == "not-specialised",
           findingBinding f == "main"
       ] of
    [f] -> do
      renderWhat f
        @?= "calls the overloaded totals of Running.highest with the known instances Num Int \
            \and Ord Int"
      renderAdvice f
        @?= "add {-# INLINABLE highest #-} in Running, or there {-# SPECIALIZE highest :: … #-} \
            \for Num Int and Ord Int"
    found -> assertFailure (show found)

-- | As in a library's graph algorithms: a loop without a name and place of its
-- own that two bindings call.
shared :: Assertion
shared =
  [ (findingBinding f, findingIn f, placeLine <$> findingPlace f)
    | f <-
        findings [facts],
      worthShowing f
  ]
    @?= [("topsort", Just "poly_go1", Just 3)]
  where
    facts =
      ModuleFacts
        "unit"
        "Graph"
        "3f"
        "Graph.hs"
        Nothing
        ""
        "9.6.6"
        True
        True
        90
        True
        False
        []
        []
        []
        []
        []
        []
        []
        []
        [ binding
            "scc"
            (Just 7)
            [call],
          binding "topsort" (Just 3) [call],
          binding "poly_go1" Nothing [RecursiveAppend "poly_go1"]
        ]
    call = Stayed (CalleeHere "poly_go1") 1 Recursive
    binding name line sights =
      Binding
        { bindingName = name,
          bindingKey = 0,
          bindingUnique = "",
          bindingParts = [],
          bindingPlace = (\n -> Place "Graph.hs" n 1) <$> line,
          bindingOrigin = maybe Made (const Written) line,
          bindingOwner = Nothing,
          bindingArity = 1,
          bindingRecursive = null line,
          bindingSpecialised = False,
          bindingPragma = NoPragma,
          bindingUnfolding = NoUnfolding,
          bindingSize = 0,
          bindingUses = 1,
          bindingGeneric = [],
          bindingGenericType = False,
          bindingSpots = [Spot sight Nothing Nothing 0 1 1 | sight <- sights]
        }
