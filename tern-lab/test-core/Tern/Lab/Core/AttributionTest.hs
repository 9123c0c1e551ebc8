{-# LANGUAGE OverloadedStrings #-}

-- | What a run spent is laid to the functions that spent it, and to no others.
--
-- Each program below says in a comment how often a function is entered, on the
-- line where the function begins. All those functions append to their own
-- result, so that there is a finding in each; what the findings were given must
-- be what the comments say. @never@ means that there is nothing to be given.
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
import Tern.Lab.Core.Attribution (Attribution (..), attributed)
import Tern.Lab.Core.Command (cacheWithPlugin)
import Tern.Lab.Core.Facts
  ( Binding (..),
    ModuleFacts (..),
    Origin (..),
    Part (..),
    Place (..),
    Pragma (..),
    Sight (..),
    Spot (..),
    Unfolding (..),
  )
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..), Spent (..))
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Measured (measuredBy)
import Tern.Lab.Core.Problem (CoreProblem, renderCoreProblem)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Ticky (Counter (..), Sort (..), allocatedIn, parseTicky)
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
             testCase "marks change neither what runs nor what it allocates" marksAreHarmless,
             testCase
               "in a report of another build, functions of one name are said together"
               otherBuild,
             testCase "a profile's centres of one name are said together" profile
           ]
    )

programs :: [(TestName, [Text])]
programs =
  [ ( "two instances with a local go, one of which never runs",
      [ "module Main (main) where",
        "class Slow a where",
        "  slow :: a -> Int -> [Int]",
        "data A = A Int",
        "data B = B Int",
        "instance Slow A where",
        "  slow (A a) = go",
        "    where",
        "      go 0 = [] -- 301",
        "      go k = go (k - 1) ++ [a]",
        "instance Slow B where",
        "  slow (B b) = go",
        "    where",
        "      go 0 = [] -- never",
        "      go k = go (k - 1) ++ [b, b]",
        "use :: (Slow a) => a -> Int",
        "use x = sum (slow x 300)",
        "{-# NOINLINE use #-}",
        "main :: IO ()",
        "main = do",
        "  text <- getContents",
        "  print (if null text then use (A 3) else use (B 2))"
      ]
    ),
    ( "local functions of one name in several parents",
      [ "module Main (main) where",
        "one, two, three :: Int -> Int -> [Int]",
        "one a = go",
        "  where",
        "    go 0 = [] -- 11",
        "    go k = go (k - 1) ++ [a]",
        "{-# NOINLINE one #-}",
        "two a = go",
        "  where",
        "    go 0 = [] -- 22",
        "    go k = go (k - 1) ++ [a, a]",
        "{-# NOINLINE two #-}",
        "three a = go",
        "  where",
        "    go 0 = [] -- never",
        "    go k = go (k - 1) ++ [a, a, a]",
        "{-# NOINLINE three #-}",
        "main :: IO ()",
        "main = do",
        "  text <- getContents",
        "  print (sum (if null text then one 1 10 ++ two 2 21 else three 3 5))"
      ]
    ),
    ( "a go in a go, and two beside each other",
      [ "module Main (main) where",
        "nested :: Int -> Int -> [Int]",
        "nested a b = go b ++ other",
        "  where",
        "    go 0 = [] -- 6",
        "    go k = go (k - 1) ++ inner k",
        "    inner j = go j",
        "      where",
        "        go 0 = [j] -- 20",
        "        go i = go (i - 1) ++ [a, j]",
        "    other = go (b + 2)",
        "      where",
        "        go 0 = [] -- 8",
        "        go i = go (i - 1) ++ [b]",
        "{-# NOINLINE nested #-}",
        "main :: IO ()",
        "main = print (sum (nested 1 5))"
      ]
    ),
    ( "operators, primes and letters of other alphabets",
      [ "module Main (main, (\8728\8728), gr\246\223e, na\239ve') where",
        "(\8728\8728), (.+.), (.+.+) :: Int -> Int -> [Int]",
        "_ \8728\8728 0 = [] -- 4",
        "a \8728\8728 b = a \8728\8728 (b - 1) ++ [a]",
        "{-# NOINLINE (\8728\8728) #-}",
        "_ .+. 0 = [] -- 6",
        "a .+. b = a .+. (b - 1) ++ [a, a]",
        "{-# NOINLINE (.+.) #-}",
        "_ .+.+ 0 = [] -- never",
        "a .+.+ b = a .+.+ (b - 1) ++ [a, a]",
        "{-# NOINLINE (.+.+) #-}",
        "gr\246\223e, gr\246sse, na\239ve, na\239ve' :: Int -> [Int]",
        "gr\246\223e 0 = [] -- 8",
        "gr\246\223e n = gr\246\223e (n - 1) ++ [n]",
        "gr\246sse 0 = [] -- 10",
        "gr\246sse n = gr\246sse (n - 1) ++ [n, n]",
        "na\239ve 0 = [] -- never",
        "na\239ve n = na\239ve (n - 1) ++ [n, 2]",
        "{-# NOINLINE na\239ve #-}",
        "na\239ve' 0 = [] -- 12",
        "na\239ve' n = na\239ve' (n - 1) ++ [n, 1]",
        "{-# NOINLINE na\239ve' #-}",
        "main :: IO ()",
        "main = do",
        "  text <- getContents",
        "  print (sum (1 \8728\8728 3 ++ 1 .+. 5 ++ gr\246\223e 7 ++ gr\246sse 9 ++ na\239ve' 11))",
        "  if null text then pure () else print (na\239ve 3 ++ 1 .+.+ 2)"
      ]
    ),
    ( "versions for known types, and dictionaries with arguments",
      [ "module Main (main) where",
        "class Weigh a where",
        "  weigh :: a -> Int -> [Int]",
        "instance Weigh Int where",
        "  weigh 0 _ = [] -- 30",
        "  weigh n k = weigh (n - 1) k ++ [k]",
        "instance (Weigh a) => Weigh [a] where",
        "  weigh xs = go xs",
        "    where",
        "      go [] _ = [] -- 14",
        "      go (y : ys) k = go ys k ++ weigh y k",
        "instance (Weigh a, Weigh b) => Weigh (a, b) where",
        "  weigh (a, b) = go",
        "    where",
        "      go 0 = [] -- never",
        "      go k = go (k - 1) ++ weigh a k ++ weigh b k",
        "spread :: (Integral n) => n -> [n]",
        "spread = go",
        "  where",
        "    go 0 = [] -- 42",
        "    go k = go (k - 1) ++ [k]",
        "main :: IO ()",
        "main = do",
        "  text <- getContents",
        "  print (sum (weigh [[3, 4, 5], [3, 4 :: Int]] 2) + sum (weigh [1, 1, 1 :: Int] 2))",
        "  print (sum (spread (20 :: Int)), sum (spread (20 :: Integer)))",
        "  if null text then pure () else print (weigh (1 :: Int, [2 :: Int]) 3)"
      ]
    ),
    ( "values at the top that are evaluated once",
      [ "module Main (main) where",
        "table, unused :: [Int]",
        "table = go 30",
        "  where",
        "    go 0 = [] -- 31",
        "    go k = go (k - 1) ++ [length text]",
        "    text = show (product [1 .. 20 :: Integer])",
        "{-# NOINLINE table #-}",
        "unused = go 40",
        "  where",
        "    go 0 = [] -- never",
        "    go k = go (k - 1) ++ [length table, 2]",
        "{-# NOINLINE unused #-}",
        "main :: IO ()",
        "main = do",
        "  text <- getContents",
        "  print (sum (if null text then table else unused))"
      ]
    )
  ]

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

-- | Without marks a local @go@ could be any of the module's.
otherBuild :: Assertion
otherBuild = do
  let modules = [facts]
      counters =
        parseTicky
          ( T.unlines
              ( header
                  <> [ "  11  480  0  1 L  Main.clear{v r1} (fun)",
                       "  12  240  0  1 L  go{v s1} (Main) (LNE) in r1",
                       "   5  100  0  0    sat_s9{v} (Main) (thk) in s1"
                     ]
              )
          )
      spent =
        [ ( findingBinding
              f,
            fmap (\s -> (spentEntries s, spentBytes s, spentAmong s)) (findingMeasured f)
          )
          | f <- measuredBy Nothing modules counters (findings modules)
        ]
  sort spent
    @?= [("clear", Just (11, 480, 1)), ("one", Just (12, 240, 2)), ("two", Just (12, 240, 2))]
  where
    header = ["    Entries      Alloc    Alloc'd  Non-void Arguments      STG Name", "------"]

profile :: Assertion
profile = do
  let counters =
        [ Counter
            "Main"
            "one.go"
            Nothing
            ""
            Nothing
            CostCentre
            12
            240,
          Counter "Main" "clear" Nothing "" Nothing CostCentre 11 480
        ]
      spent =
        [ ( findingBinding
              f,
            fmap (\s -> (spentEntries s, spentBytes s, spentAmong s)) (findingMeasured f)
          )
          | f <- measuredBy Nothing [facts] counters (findings [facts])
        ]
  sort spent @?= [("clear", Just (11, 480, 1)), ("one", Just (12, 240, 1)), ("two", Nothing)]

-- | Two functions with a local @go@, and one without.
facts :: ModuleFacts
facts =
  ModuleFacts
    "unit"
    "Main"
    "3f"
    "Main.hs"
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
    [ binding
        "one"
        0
        2
        (Just (10, 3)),
      binding "two" 1 6 (Just (11, 7)),
      binding "clear" 2 9 Nothing
    ]
  where
    binding name key line inner =
      Binding
        { bindingName = name,
          bindingKey = key,
          bindingUnique = "",
          bindingParts = [Part k "go" (Just (Place "Main.hs" l 3)) | Just (k, l) <- [inner]],
          bindingPlace = Just (Place "Main.hs" line 1),
          bindingOrigin = Written,
          bindingOwner = Nothing,
          bindingArity = 1,
          bindingRecursive = True,
          bindingSpecialised = False,
          bindingPragma = NoPragma,
          bindingUnfolding = NoUnfolding,
          bindingSize = 0,
          bindingUses = 1,
          bindingGeneric = [],
          bindingGenericType = False,
          bindingSpots =
            [ Spot
                (RecursiveAppend "go")
                ("go" <$ inner)
                ((\(_, l) -> Place "Main.hs" l 3) <$> inner)
                (maybe key fst inner)
                1
                1
            ]
        }
