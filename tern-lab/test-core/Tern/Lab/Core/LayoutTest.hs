{-# LANGUAGE OverloadedStrings #-}

-- | Projects as people lay them out: several packages, internal libraries, a
-- Prelude of their own, modules that two components have, spaces in paths.
module Tern.Lab.Core.LayoutTest (tests) where

import Control.Concurrent (threadDelay)
import Control.Monad (forM_, unless)
import Data.List (isInfixOf, nub, sort)
import Data.Text qualified as T
import System.Directory
  ( copyFile,
    createDirectory,
    createDirectoryIfMissing,
    doesFileExist,
    getPermissions,
    removeFile,
    setOwnerExecutable,
    setPermissions,
  )
import System.Environment (getEnvironment)
import System.Exit (ExitCode (..))
import System.FilePath (takeDirectory, (</>))
import System.IO (IOMode (..), hGetLine, openFile)
import System.IO.Temp (withSystemTempDirectory)
import System.Process
  ( CreateProcess (..),
    StdStream (..),
    createProcess,
    proc,
    readCreateProcessWithExitCode,
    waitForProcess,
  )
import Tern.Lab.Core.Command (cacheWithPlugin)
import Tern.Lab.Core.Target (importRoot)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "layouts"
    [ testCase "components as cabal names them, from wherever one stands" named,
      testCase "what is deleted is no longer found" deleted,
      testCase "a run below a path with spaces" ranThere,
      testCase "names that are not ASCII, without a locale" unnamed,
      testCase "a second process says that it waits" waits,
      testCase "what cannot be looked at" refused,
      testCase "compilers that cannot load the plugin" otherCompilers,
      testCase "where a module's imports are" $
        [ importRoot
            "src/Data/Rose.hs"
            "-- x\nmodule Data.Rose\n  (rose) where",
          importRoot "Data/Rose.hs" "module Data.Rose(rose) where",
          importRoot "app/Main.hs" "main = print 1",
          importRoot "a/b/Other.hs" "module Data.Rose where"
        ]
          @?= ["src", ".", "app", "a/b"]
    ]

-- | Two packages in one project. The library @shared@ module of the second is
-- compiled into its executable too.
project :: FilePath -> IO ()
project folder =
  forM_
    [ ("cabal.project", ["packages: one two"]),
      ( "one/one.cabal",
        ["cabal-version: 3.4", "name: one", "version: 1", "build-type: Simple"]
          <> ["common all", "  default-language: GHC2021", "  build-depends: base"]
          <> [ "library",
               "  import: all",
               "  hs-source-dirs: lib more",
               "  exposed-modules: One, One.More",
               "  build-depends: one:inner"
             ]
          <> [ "library inner",
               "  import: all",
               "  hs-source-dirs: inner",
               "  default-extensions: NoImplicitPrelude",
               "  exposed-modules: Inner, Own"
             ]
          <> [ "executable first",
               "  import: all",
               "  hs-source-dirs: app",
               "  main-is: First.hs",
               "  build-depends: one"
             ]
      ),
      ( "one/lib/One.hs",
        [ "module One (flat, Tree (..), grow) where",
          "data Tree = L | N Tree Int Tree",
          "flat :: Tree -> [Int]",
          "flat L = []",
          "flat (N a x b) = flat a ++ [x] ++ flat b",
          "grow :: Int -> Tree",
          "grow n = if n < 1 then L else N (grow (n - 1)) n (grow (n - 2))"
        ]
      ),
      ( "one/more/One/More.hs",
        [ "module One.More (more) where",
          "import Inner",
          "more :: [Int] -> Int",
          "more = total"
        ]
      ),
      ("one/inner/Own.hs", ["module Own (module P) where", "import Prelude as P hiding (head)"]),
      ( "one/inner/Inner.hs",
        [ "module Inner (total) where",
          "import Own",
          "total :: (Num a) => [a] -> a",
          "total = go 0",
          "  where",
          "    go acc [] = acc",
          "    go acc (x : xs) = go (acc + x) xs"
        ]
      ),
      ( "one/app/First.hs",
        [ "module Main (main) where",
          "import One",
          "import One.More",
          "main :: IO ()",
          "main = print (more (flat (grow 15)))"
        ]
      ),
      ( "two/two.cabal",
        [ "cabal-version: 2.4",
          "name: two",
          "version: 1",
          "library",
          "  default-language: Haskell2010",
          "  hs-source-dirs: src",
          "  exposed-modules: Shared",
          "  build-depends: base",
          "executable two",
          "  default-language: Haskell2010",
          "  hs-source-dirs: src",
          "  main-is: Two.hs",
          "  other-modules: Shared",
          "  build-depends: base"
        ]
      ),
      ( "two/src/Shared.hs",
        [ "module Shared (back) where",
          "back :: [Int] -> [Int]",
          "back [] = []",
          "back (x : xs) = back xs ++ [x]"
        ]
      ),
      ( "two/src/Two.hs",
        [ "module Main (main) where",
          "import Shared",
          "main :: IO ()",
          "main = print (sum (back [1 .. 100]))"
        ]
      )
    ]
    $ \(name, rows) -> do
      createDirectoryIfMissing True (takeDirectory (folder </> name))
      writeFile (folder </> name) (unlines rows)

-- | The program in a folder of the project, with a cache beside it.
lab :: FilePath -> FilePath -> [String] -> IO (ExitCode, String, String)
lab = labWith []

labWith :: [(String, String)] -> FilePath -> FilePath -> [String] -> IO (ExitCode, String, String)
labWith variables folder at arguments = do
  inherited <- getEnvironment
  -- Each cabal configuration but the one given is another's.
  let environment =
        variables
          <> [("XDG_CACHE_HOME", folder </> "the cache")]
          <> filter ((`notElem` ("XDG_CACHE_HOME" : map fst variables)) . fst) inherited
  readCreateProcessWithExitCode
    ( (proc "tern-lab" arguments)
        { cwd =
            Just (folder </> "the project" </> at),
          env = Just environment
        }
    )
    ""

withProject :: (FilePath -> IO a) -> IO a
withProject use =
  withSystemTempDirectory "tern-lab-layout" $ \folder ->
    project (folder </> "the project") >> cacheWithPlugin (folder </> "the cache") >> use folder

-- | The places of findings, sorted, of one kind.
places :: String -> [String]
places out =
  sort
    ( nub
        [ takeWhile (/= ':') (T.unpack place)
          | row <-
              T.lines (T.pack out),
            (number, rest) <- [T.breakOn ". " row],
            T.all (`elem` (" 0123456789" :: String)) number,
            place <- [T.drop 2 rest],
            ":" `T.isInfixOf` place
        ]
    )

named :: Assertion
named = withProject $ \folder -> do
  let found at target = do
        (code, out, err) <- lab folder at ["core", target]
        assertEqual (at <> ", " <> target <> ": " <> err) ExitSuccess code
        pure (places out)
      ofOne prefix = map (prefix <>) ["inner/Inner.hs", "lib/One.hs"]
  found "." "." >>= (@?= ofOne "one/" <> ["two/src/Shared.hs"])
  found "." "exe:first" >>= (@?= ofOne "one/")
  found "." "one:exe:first" >>= (@?= ofOne "one/")
  found "." "one:inner" >>= (@?= ["one/inner/Inner.hs"])
  found "." "lib:inner" >>= (@?= ["one/inner/Inner.hs"])
  found "." "one" >>= (@?= ofOne "one/")
  found "one" "." >>= (@?= ofOne "")
  found "." "exe:two" >>= (@?= ["two/src/Shared.hs"])
  (_, out, _) <- lab folder "two/src" ["core", "all", "--json"]
  -- Of the two copies of a module one is said.
  length
    ( filter
        ("\"binding\":\"back\"" `isInfixOf`)
        (map T.unpack (T.splitOn "\"advice\"" (T.pack out)))
    )
    @?= 1
  found "." "two/src/Two.hs" >>= (@?= ["two/src/Shared.hs"])

deleted :: Assertion
deleted = withProject $ \folder -> do
  let here = folder </> "the project" </> "two"
      modules = do
        (code, out, err) <- lab folder "two" ["core", "lib:two", "--all"]
        assertEqual err ExitSuccess code
        pure [T.strip (T.takeWhile (/= ',') (last' (T.lines (T.pack out))))]
      last' = foldr (\row rest -> if T.null rest then row else rest) T.empty
  modules >>= (@?= ["1 module"])
  writeFile (here </> "src" </> "New.hs") "module New (new) where\nnew :: Int\nnew = 1\n"
  description <- readFile (here </> "two.cabal")
  _ <- pure $! length description
  writeFile
    (here </> "two.cabal")
    ( T.unpack
        ( T.replace
            "exposed-modules: Shared"
            "exposed-modules: Shared, New"
            (T.pack description)
        )
    )
  modules >>= (@?= ["2 modules"])
  writeFile (here </> "two.cabal") description
  removeFile (here </> "src" </> "New.hs")
  modules >>= (@?= ["1 module"])

ranThere :: Assertion
ranThere = withProject $ \folder -> do
  (code, out, err) <- lab folder "." ["core", "exe:first", "--run", "{exe}"]
  assertEqual err ExitSuccess code
  assertBool
    out
    ( "in the order of what a cure may save of a run with ticky counters"
        `isInfixOf` out
    )
  take 1 (filter ("One.hs" `isInfixOf`) (places out)) @?= ["one/lib/One.hs"]

unnamed :: Assertion
unnamed = withProject $ \folder -> do
  let at = folder </> "the project" </> "\252ber"
  createDirectory at
  copyFile (folder </> "the project" </> "two/src/Two.hs") (at </> "Two.hs")
  copyFile (folder </> "the project" </> "two/src/Shared.hs") (at </> "Shared.hs")
  (code, out, err) <- labWith [("LC_ALL", "C")] folder "\252ber" ["core", "Two.hs"]
  assertEqual err ExitSuccess code
  places out @?= ["Shared.hs"]
  (code', _, err') <- labWith [("LC_ALL", "C")] folder "." ["core", "\252ber/Two.hs"]
  assertEqual err' ExitSuccess code'

-- | The first holds the build until it is told to go on, and the second says
-- that it waits.
waits :: Assertion
waits = withProject $ \folder -> do
  let held =
        "touch '" <> folder
          </> "held" <> "'; until test -e '" <> folder
          </> "go" <> "'; do sleep 0.1; done; {exe}"
      begun = started folder ["core", "exe:first", "--run", held]
  first <- begun
  untilThere (folder </> "held")
  second <- begun
  (_, _, Just errors, _) <- pure second
  said <- hGetLine errors
  writeFile (folder </> "go") ""
  said @?= "waiting for another process that reads the Core of this target"
  codes <- mapM (\(_, _, _, process) -> waitForProcess process) [first, second]
  codes @?= [ExitSuccess, ExitSuccess]
  where
    started folder arguments = do
      inherited <- getEnvironment
      let environment =
            ("XDG_CACHE_HOME", folder </> "the cache")
              : filter ((/= "XDG_CACHE_HOME") . fst) inherited
      nowhere <- openFile "/dev/null" WriteMode
      createProcess
        (proc "tern-lab" arguments)
          { cwd =
              Just (folder </> "the project"),
            env = Just environment,
            std_out = UseHandle nowhere,
            std_err = CreatePipe
          }
    untilThere file = do
      there <- doesFileExist file
      unless there (threadDelay 50_000 >> untilThere file)

refused :: Assertion
refused = withProject $ \folder -> do
  let says at arguments expected = do
        (code, _, err) <- lab folder at ("core" : arguments)
        assertEqual err (ExitFailure 1) code
        assertBool err (expected `isInfixOf` err)
  says "." ["exe:first", "--binding", "fla"] "exe:first: no binding fla; there is One.flat"
  says "." ["lib:one", "--run", "{exe}"] "lib:one: a library has nothing to run"
  says "." ["one/lib/One.hs", "--run", "{exe}"] "One.hs: a library has nothing to run"
  says
    "."
    ["exe:first", "--run", "{exe} >/dev/null; exit 3"]
    "the run failed with status 3, and wrote nothing\n"
  says "." ["exe:first", "--run", "sleep 600; {exe}", "--timeout", "0.3"] "the run took more than"
  let components =
        "no component, package, file or commit has this name; the components here are lib:one, \
        \lib:inner, exe:first, lib:two, exe:two\n"
  says "." ["exe:frist"] ("exe:frist: " <> components)
  says "." ["v9:exe:first"] ("v9:exe:first: " <> components)
  says "." ["one/lib/Two.hs"] "one/lib/Two.hs: no such file or folder\n"
  says "." ["one/lib/One.hs", "--since", "nosuch"] "commit nosuch: it is neither a commit here"
  says "." ["exe:first", "--ghc", "echo"] "echo is no GHC"
  says "." ["exe:first", "--ghc", "no such ghc"] "no such ghc was not found"
  says "." ["exe:first", "--html", "/nosuch/page.html"] "/nosuch/page.html: does not exist"

-- | Each is the real one but for what it lacks.
otherCompilers :: Assertion
otherCompilers = withProject $ \folder -> do
  let says name rows expected = do
        let path = folder </> name
        writeFile path (unlines ("#!/bin/sh" : rows))
        getPermissions path >>= setPermissions path . setOwnerExecutable True
        (code, out, err) <- lab folder "." ["core", "exe:first", "--ghc", path]
        (code, out) @?= (ExitFailure 1, "")
        assertBool err (expected `isInfixOf` err && length (lines err) == 1)
      instead option answer =
        "[ \"$1\" != " <> option <> " ] || { echo '" <> answer <> "'; exit 0; }"
  says
    "old"
    [instead "--numeric-version" "9.4.7", "exec ghc \"$@\""]
    "GHC 9.4.7 is too old: 9.6 to 9.12 are read. Give one with --ghc; docs/compilers.md says"
  says
    "static"
    [instead "--info" " ,(\"GHC Dynamic\",\"NO\")", "exec ghc \"$@\""]
    "cannot load a plugin, since it is linked without shared libraries"
  says
    "bare"
    [ "case $1 in --info) echo bare ;; --numeric-version) exec ghc $1 ;;",
      "*) exec ghc -ignore-package ghc \"$@\" ;; esac"
    ]
    "is here without its own library, which the plugin uses: install the package ghc for it"
