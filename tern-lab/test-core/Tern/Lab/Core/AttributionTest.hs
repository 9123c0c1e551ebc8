{-# LANGUAGE OverloadedStrings #-}

-- | What a run spent is laid to the functions that spent it, and to no others.
--
-- What the findings were given must be what the comments say, of the programs of
-- "Tern.Lab.Core.Ambiguity" and of several packages together. The reports of builds that count
-- otherwise are in "Tern.Lab.Core.OtherReportTest".
module Tern.Lab.Core.AttributionTest (tests) where

import Control.Monad (forM_, unless)
import Data.List (sort)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory (createDirectoryIfMissing, doesDirectoryExist, getTemporaryDirectory)
import System.Environment (getEnvironment)
import System.Exit (ExitCode (..))
import System.FilePath (takeDirectory, takeFileName, (</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (CreateProcess (..), proc, readCreateProcessWithExitCode)
import Tern.Lab.Core.Ambiguity (programs)
import Tern.Lab.Core.Attribution (Attribution (..), attributed)
import Tern.Lab.Core.Command (cacheWithPlugin)
import Tern.Lab.Core.Facts (Place (..))
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..), Spent (..))
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Measured (measuredBy)
import Tern.Lab.Core.Problem (CoreProblem, renderCoreProblem)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Ticky (Counter (..), allocatedIn, parseTicky)
import Tern.Lab.Core.Workbench (Build (..), Run (..), gatherTicky)
import Tern.Lab.Process (Job (..), job, runJob, succeeded, textIn)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "whose counters they are"
    ( [testCase name (attribution [("Main.hs", rows)]) | (name, rows) <- programs]
        <> [ testCase "two packages with modules of one name" twoPackages,
             testCase "two programs of a package" twoPrograms,
             testCase "marks change neither what runs nor what it allocates" marksAreHarmless
           ]
    )

-- | What the comments of the files say: by file and line, entries; none for
-- @never@.
expected :: [(FilePath, [Text])] -> Map (FilePath, Int) Double
expected files =
  Map.fromList
    [ ((takeFileName file, line), read (T.unpack count))
      | (file, rows) <- files,
        (line, row) <- zip [1 ..] rows,
        (_, comment) <- [T.breakOn " -- " row],
        count <- [T.drop 4 comment],
        not (T.null count),
        count /= "never"
    ]

-- | The functions that say something.
commented :: [(FilePath, [Text])] -> Set.Set (FilePath, Int)
commented files =
  Set.fromList
    [ (takeFileName file, line)
      | (file, rows) <-
          files,
        (line, row) <- zip [1 ..] rows,
        " -- " `T.isInfixOf` row
    ]

write :: FilePath -> [(FilePath, [Text])] -> IO ()
write folder files = forM_ files $ \(name, rows) -> do
  createDirectoryIfMissing True (takeDirectory (folder </> name))
  T.writeFile (folder </> name) (T.unlines rows)

-- | Entries of the findings that append, by file and line; all must be certain.
given :: [Finding] -> Map (FilePath, Int) [Spent]
given every =
  Map.fromListWith
    (<>)
    [ ((takeFileName (T.unpack (placeFile p)), placeLine p), [s])
      | f <-
          every,
        AppendsRecursively _ <- [findingKind f],
        Just s <- [findingMeasured f],
        Just p <- [findingPlace f]
    ]

right :: Either CoreProblem a -> IO a
right = either (assertFailure . T.unpack . renderCoreProblem) pure

building :: IO Build
building = do
  temporary <- getTemporaryDirectory
  pure (Build "ghc" [] [] False False (temporary </> "tern-lab-core-test"))

attribution :: [(FilePath, [Text])] -> Assertion
attribution files = withSystemTempDirectory "tern-lab-attribution" $ \folder -> do
  write folder files
  build <- building
  (modules, counters, _) <-
    gatherTicky build (SourceFile (folder </> "Main.hs")) (Run "{exe} </dev/null" Nothing) >>= right
  let plain =
        Set.fromList
          [ (takeFileName (T.unpack (placeFile p)), placeLine p)
            | f <-
                findings modules,
              AppendsRecursively _ <- [findingKind f],
              Just p <- [findingPlace f]
          ]
  -- There is a finding in each of them.
  Set.difference (commented files) plain @?= Set.empty
  let found = given (measuredBy Nothing modules counters (findings modules))
  Map.map (map spentEntries) found @?= Map.map pure (expected files)
  Set.fromList (map spentAmong (concat (Map.elems found))) @?= Set.singleton 1
  -- Each counter in which there are bytes is somebody's.
  [c | c <- attributionStray (attributed modules counters), counterBytes c > 0] @?= []

-- | Both packages have a module @Util@ that only they see.
twoPackages :: Assertion
twoPackages = withSystemTempDirectory "tern-lab-attribution" $ \folder -> do
  write folder files
  (code, out, err) <-
    lab folder ["core", "exe:both", "--run", "{exe} </dev/null", "--json", "--all", "--count", "99"]
  assertEqual err ExitSuccess code
  -- Entries by file, of what appends.
  sort (appending out) @?= sort [("one/Util.hs", 101), ("two/Util.hs", 202), ("two/Two.hs", 1)]
  where
    files =
      [ ("cabal.project", ["packages: one two"]),
        ( "one/one.cabal",
          [ "cabal-version: 2.4",
            "name: one",
            "version: 1",
            "library",
            "  default-language: Haskell2010",
            "  exposed-modules: One",
            "  other-modules: Util",
            "  build-depends: base"
          ]
        ),
        ( "two/two.cabal",
          [ "cabal-version: 2.4",
            "name: two",
            "version: 1",
            "library",
            "  default-language: Haskell2010",
            "  exposed-modules: Two",
            "  other-modules: Util",
            "  build-depends: base",
            "executable both",
            "  default-language: Haskell2010",
            "  hs-source-dirs: app",
            "  main-is: Main.hs",
            "  build-depends: base, one, two"
          ]
        ),
        ( "one/One.hs",
          [ "module One (one) where",
            "import Util",
            "one :: Int -> [Int]",
            "one n = util n"
          ]
        ),
        ( "two/Two.hs",
          [ "module Two (two) where",
            "import Util",
            "two :: Int -> [Int]",
            "two n = util n ++ never n",
            "never :: Int -> [Int]",
            "never n = if n > 0 then [] else never (n - 1) ++ [n]",
            "{-# NOINLINE never #-}"
          ]
        ),
        ("one/Util.hs", util "[n]"),
        ("two/Util.hs", util "[n, 1]"),
        ( "two/app/Main.hs",
          [ "module Main (main) where",
            "import One",
            "import Two",
            "main :: IO ()",
            "main = print (sum (one 100) + sum (two 201))"
          ]
        )
      ]
    util end =
      [ "module Util (util, other) where",
        "util, other :: Int -> [Int]",
        "util n = go n where",
        "  go 0 = []",
        "  go k = go (k - 1) ++ " <> end,
        "{-# NOINLINE util #-}",
        "other n = go n where",
        "  go 0 = []",
        "  go k = go (k - 2) ++ " <> end,
        "{-# NOINLINE other #-}"
      ]

-- | Both have a module @Main@, and GHC calls the unit of both @main@.
twoPrograms :: Assertion
twoPrograms = withSystemTempDirectory "tern-lab-attribution" $ \folder -> do
  write folder files
  (code, out, err) <- lab folder ["core", "all", "--json", "--count", "99"]
  assertEqual err ExitSuccess code
  sort (map fst (appending out)) @?= ["a/Main.hs", "b/Main.hs"]
  (code', out', err') <- lab folder ["core", "exe:b", "--run", "{exe}", "--json", "--count", "99"]
  assertEqual err' ExitSuccess code'
  appending out' @?= [("b/Main.hs", 51)]
  (code'', out'', err'') <-
    lab folder ["core", "exe:a", "--run", "{exe}", "--json", "--count", "99"]
  assertEqual err'' ExitSuccess code''
  appending out'' @?= [("a/Main.hs", 41)]
  where
    files =
      [ ( "x.cabal",
          ["cabal-version: 2.4", "name: x", "version: 1"]
            <> concat
              [ [ "executable "
                    <> n,
                  "  default-language: Haskell2010",
                  "  hs-source-dirs: " <> n,
                  "  main-is: Main.hs",
                  "  build-depends: base"
                ]
                | n <-
                    ["a", "b"]
              ]
        ),
        ("a/Main.hs", program "40"),
        ("b/Main.hs", program "50")
      ]
    program n =
      [ "module Main (main) where",
        "work :: Int -> [Int]",
        "work 0 = []",
        "work k = work (k - 1) ++ [k]",
        "main :: IO ()",
        "main = print (sum (work "
          <> n
          <> "))"
      ]

lab :: FilePath -> [String] -> IO (ExitCode, String, String)
lab folder arguments = do
  there <- doesDirectoryExist (folder </> "cache")
  unless there (cacheWithPlugin (folder </> "cache"))
  inherited <- getEnvironment
  let environment =
        ("XDG_CACHE_HOME", folder </> "cache") : filter ((/= "XDG_CACHE_HOME") . fst) inherited
  readCreateProcessWithExitCode
    ( (proc "tern-lab" arguments)
        { cwd = Just folder,
          env = Just environment
        }
    )
    ""

-- | Files and entries of the findings that append, in a report for programs.
appending :: String -> [(FilePath, Int)]
appending out =
  [ ( T.unpack
        (field "\"file\":\"" '"' piece),
      maybe 0 fst (readDigits (field "\"entries\":" ',' piece))
    )
    | piece <- T.splitOn "{\"kind\"" (T.pack out),
      "\"appends-recursively\"" `T.isInfixOf` piece
  ]
  where
    field name end piece =
      T.takeWhile (/= end) (T.drop (T.length name) (snd (T.breakOn name piece)))
    readDigits text = case reads (T.unpack text) of
      (n, rest) : _ -> Just (round (n :: Double), rest)
      [] -> Nothing

-- | The same program compiled with counters and without marks.
marksAreHarmless :: Assertion
marksAreHarmless =
  withSystemTempDirectory "tern-lab-attribution" $ \folder ->
    forM_ (zip [1 :: Int ..] (map snd programs)) $ \(i, rows) -> do
      let here = folder </> show i
      write here [("Main.hs", rows)]
      build <- building
      (_, counters, whole) <-
        gatherTicky build (SourceFile (here </> "Main.hs")) (Run "{exe} </dev/null" Nothing)
          >>= right
      ended <-
        runJob
          ( job
              here
              "ghc -v0 -O -ticky -ticky-dyn-thunk -ticky-LNE -rtsopts -o program Main.hs && \
              \./program +RTS -rticky -tstatistics --machine-readable </dev/null >out"
          )
            { jobOutput = here </> "log",
              jobErrors = here </> "log"
            }
      assertBool "compiled and ran" (succeeded ended)
      plain <- T.readFile (here </> "statistics")
      others <- parseTicky <$> textIn (here </> "ticky")
      whole @?= allocatedIn plain
      -- Only what has no counter without marks, values at the top, is more.
      let rowsOf' cs =
            Map.fromListWith
              (+)
              [ ((counterEntries c, counterBytes c), 1 :: Int)
                | c <-
                    cs,
                  counterBytes c > 0
              ]
          missing =
            Map.filter
              (> 0)
              ( Map.unionWith
                  (+)
                  (rowsOf' others)
                  (Map.map negate (rowsOf' counters))
              )
      missing @?= Map.empty
