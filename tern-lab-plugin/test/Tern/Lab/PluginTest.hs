{-# LANGUAGE OverloadedStrings #-}

-- | Packages of strangers that name the plugin in their cabal file: what they are told, and that
-- they are built as without it.
module Tern.Lab.PluginTest (tests) where

import Control.Monad (forM_)
import Data.List (isInfixOf)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory (createDirectoryIfMissing)
import System.Environment (getEnvironment, lookupEnv)
import System.Exit (ExitCode (..))
import System.FilePath (takeDirectory, (</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (CreateProcess (..), proc, readCreateProcessWithExitCode)
import Tern.Testkit.Tally (skip)
import Test.Tasty
import Test.Tasty.HUnit

tests :: IO TestTree
tests = maybe (skip "plugin" "no package environment; run ./dev test") all' <$> databases
  where
    all' known =
      testGroup
        "plugin"
        [ testCase "a stranger's package is told what costs it, and is built" (told known),
          testCase "a module that is not compiled again still gives the reason" (again known),
          testCase "what the source allows is not said" (allowed known),
          testCase "nothing is said of what a generator wrote" (ofGenerator known),
          testCase "details are said where they are asked for" (details known),
          testCase "an unknown option is refused by name" (unknownOption known),
          testCase "without -O it says so once" (unoptimised known),
          testCase "while the laboratory looks on it is silent" (silent known)
        ]

-- | The package databases in which this build's packages are.
databases :: IO (Maybe [Text])
databases = lookupEnv "GHC_ENVIRONMENT" >>= traverse (fmap named . T.readFile)
  where
    named content =
      [T.strip db | row <- T.lines content, Just db <- [T.stripPrefix "package-db " row]]

-- | What happened to a build.
data Built = Built
  { builtCode :: !ExitCode,
    -- | What was said, in one line, so that no margin matters.
    builtSaid :: !Text
  }

-- | A package in a folder, and a way to build it again with other options of GHC and
-- environment.
stranger ::
  [Text] ->
  [Text] ->
  [(FilePath, [Text])] ->
  ((FilePath, [(String, String)] -> IO Built) -> IO a) ->
  IO a
stranger known options files use = withSystemTempDirectory "tern-lab-plugin" $ \folder -> do
  forM_ (described <> files) $ \(name, rows) -> do
    createDirectoryIfMissing True (takeDirectory (folder </> name))
    T.writeFile (folder </> name) (T.unlines rows)
  let build more = do
        around <- getEnvironment
        let here = [("CABAL_CONFIG", "/dev/null"), ("GHC_ENVIRONMENT", "-")] <> more
        (code, out, err) <-
          readCreateProcessWithExitCode
            (proc "cabal" ["build", "--offline", "-v1", "all"])
              { cwd = Just folder,
                env = Just (here <> [pair | pair@(name, _) <- around, name `notElem` map fst here])
              }
            ""
        pure (Built code (T.unwords (T.words (T.pack (out <> err)))))
  use (folder, build)
  where
    described =
      [ ( "cabal.project",
          ["packages: .", "package-dbs: " <> T.intercalate ", " ("clear" : "global" : known)]
        ),
        ( "stranger.cabal",
          [ "cabal-version: 2.4",
            "name: stranger",
            "version: 0.1",
            "build-type: Simple",
            "executable stranger",
            "  default-language: Haskell2010",
            "  main-is: Main.hs",
            "  other-modules: Weigh",
            "  build-depends: base, containers, tern-lab-plugin",
            "  ghc-options: " <> T.unwords options
          ]
        )
      ]

usual :: [Text]
usual = ["-Wall", "-Werror", "-fplugin=Tern.Lab.Plugin"]

withOption :: Text -> [Text]
withOption option = usual <> ["-fplugin-opt=Tern.Lab.Plugin:" <> option]

weigh, main' :: [Text]
weigh =
  [ "module Weigh (weigh, counted) where",
    "import qualified Data.Map as Map",
    "",
    "counted :: [Int] -> Map.Map Int Int",
    "counted = go Map.empty",
    "  where",
    "    go m [] = m",
    "    go m (x : xs) = go (Map.insertWith (+) x 1 m) xs",
    "",
    "weigh :: (Num a, Ord a) => a -> [a] -> a",
    "weigh best [] = best",
    "weigh best (x : xs) = weigh (if x > best then x + 1 else best) xs"
  ]
main' =
  [ "module Main (main) where",
    "import Data.IORef",
    "import Weigh (counted, weigh)",
    "",
    "main :: IO ()",
    "main = do",
    "  print (sum [weigh 0 [1 .. n] | n <- [1 .. 100 :: Int]])",
    "  print (length (counted [1 .. 100]))",
    "  count 1000 >>= print",
    "",
    "-- Counts.",
    "count :: Int -> IO Int",
    "count n = do",
    "  cell <- newIORef 0",
    "  mapM_ (\\x -> modifyIORef cell (+ x)) [1 .. n]",
    "  readIORef cell",
    "{-# NOINLINE count #-}"
  ]

package :: [(FilePath, [Text])]
package = [("Weigh.hs", weigh), ("Main.hs", main')]

-- | Which only the facts of Weigh give.
reason :: Text
reason = "try: add {-# INLINABLE weigh #-} in Weigh"

says :: Built -> [Text] -> Assertion
says built parts =
  forM_ parts $ \part ->
    assertBool
      (T.unpack part <> " in " <> T.unpack (builtSaid built))
      (part `T.isInfixOf` builtSaid built)

-- | Though its warnings are errors.
told :: [Text] -> Assertion
told known = stranger known usual package $ \(folder, build) -> do
  built <- build []
  builtCode built @?= ExitSuccess
  built
    `says` [ "Weigh.hs:8:25: warning: lazy-container in counted: calls",
             "insertWith in a loop",
             "try: take insertWith from Data.Map.Strict",
             "Main.hs:15:16: warning: lazy-state in count: calls ",
             -- GHC.Internal.Data.IORef, by GHC 9.10.
             "Data.IORef.modifyIORef in a loop",
             "Main.hs:7:15: warning: not-specialised in main: calls the overloaded Weigh.weigh",
             reason,
             "| 15 | mapM_"
           ]
  (code, path, _) <-
    readCreateProcessWithExitCode
      (proc "cabal" ["list-bin", "--offline", "-v0", "exe:stranger"]) {cwd = Just folder}
      ""
  code @?= ExitSuccess
  (_, out, _) <- readCreateProcessWithExitCode (proc (filter (/= '\n') path) []) ""
  out @?= "5100\n100\n500500\n"

again :: [Text] -> Assertion
again known = stranger known usual package $ \(folder, build) -> do
  _ <- build []
  nothing <- build []
  assertBool (T.unpack (builtSaid nothing)) (not ("warning:" `T.isInfixOf` builtSaid nothing))
  T.appendFile (folder </> "Main.hs") "\nother :: Int\nother = 5\n{-# NOINLINE other #-}\n"
  T.writeFile
    (folder </> "Main.hs")
    . T.replace "count 1000" "count (1000 + other)"
    =<< T.readFile (folder </> "Main.hs")
  built <- build []
  builtCode built @?= ExitSuccess
  assertBool
    (T.unpack (builtSaid built))
    (not ("Weigh.hs:" `T.isInfixOf` builtSaid built))
  built `says` ["not-specialised in main: calls the overloaded Weigh.weigh", reason]

allowed :: [Text] -> Assertion
allowed known = stranger known usual files $ \(_, build) -> do
  built <- build []
  builtCode built @?= ExitSuccess
  built `says` ["lazy-container"]
  assertBool (T.unpack (builtSaid built)) (not ("lazy-state" `T.isInfixOf` builtSaid built))
  where
    files = [("Weigh.hs", weigh), ("Main.hs", map withReason main')]
    withReason row
      | row == "-- Counts." = "-- tern-lab: lazy-state: it is read at once"
      | otherwise = row

-- | Nor is anybody told to put a pragma there.
ofGenerator :: [Text] -> Assertion
ofGenerator known = stranger known usual files $ \(_, build) -> do
  built <- build []
  builtCode built @?= ExitSuccess
  built `says` ["Main.hs", "warning: lazy-state in count"]
  forM_ ["Weigh.hs:", "INLINABLE weigh"] $ \words' ->
    assertBool (T.unpack (builtSaid built)) (not (words' `T.isInfixOf` builtSaid built))
  where
    files =
      [ (name, if name == "Weigh.hs" then "-- Generated by weigher 1.0" : rows else rows)
        | (name, rows) <- package
      ]

details :: [Text] -> Assertion
details known = stranger known (withOption "all") package $ \(_, build) -> do
  built <- build []
  builtCode built @?= ExitSuccess
  built `says` ["warning: not-inlined in"]

unknownOption :: [Text] -> Assertion
unknownOption known = stranger known (withOption "every") package $ \(_, build) -> do
  built <- build []
  builtCode built @?= ExitFailure 1
  built `says` ["Tern.Lab.Plugin has no option 'every': expected -fplugin-opt=Tern.Lab.Plugin:all"]

unoptimised :: [Text] -> Assertion
unoptimised known = stranger known (usual <> ["-O0"]) package $ \(_, build) -> do
  built <- build []
  builtCode built @?= ExitSuccess
  let said = "says nothing of modules that are compiled without -O"
  T.count said (builtSaid built) @?= 1
  assertBool (T.unpack (builtSaid built)) (not ("warning:" `T.isInfixOf` builtSaid built))

silent :: [Text] -> Assertion
silent known = stranger known usual package $ \(folder, build) -> do
  built <- build [("TERN_LAB_FACTS", folder </> "facts")]
  builtCode built @?= ExitSuccess
  assertBool (T.unpack (builtSaid built)) (not ("warning:" `isInfixOf` T.unpack (builtSaid built)))
