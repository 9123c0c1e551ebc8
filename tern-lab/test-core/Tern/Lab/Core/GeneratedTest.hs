{-# LANGUAGE OverloadedStrings #-}

-- | Modules that a generator wrote: nobody is told to change them, and what people wrote for the
-- generator is theirs.
--
-- The fixture @golden/generated@ has the input of a lexer and of a parser, which alex and happy
-- make into modules when the tests run; without those tools these cases are skipped. What other
-- generators say of themselves is a table, beside what says nothing.
module Tern.Lab.Core.GeneratedTest (tests) where

import Control.Monad (forM_)
import Data.List (nub, sort)
import Data.Maybe (fromMaybe, isJust)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory
  ( copyFile,
    findExecutable,
    getCurrentDirectory,
    listDirectory,
    removeFile,
  )
import System.Exit (ExitCode (..))
import System.FilePath (takeFileName, (</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process (CreateProcess (..), proc, readCreateProcessWithExitCode)
import Tern.Lab.Core.Account (Entry (..), Post (..), accountOf, renderAccount)
import Tern.Lab.Core.Advice (kindName)
import Tern.Lab.Core.Command (sharedCache)
import Tern.Lab.Core.Facts (ModuleFacts, Place (..))
import Tern.Lab.Core.Finding (Finding (..), worthShowing)
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Generator (Generator (..), generatorOf)
import Tern.Lab.Core.Generator.Brace (Braced (..), bracesOf)
import Tern.Lab.Core.Generator.Line (linesOf, ownLine)
import Tern.Lab.Core.Measured (measuredBy)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Ticky (Counter)
import Tern.Lab.Core.Workbench (Build (..), Run (..), gatherFacts, gatherTicky)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "what generators wrote"
    [ byTools "what people wrote for alex and happy is theirs, where they wrote it" theirs,
      byTools "all bytes of generated code have a row" accounted,
      byTools "without its input nothing of a parser is anybody's" withoutInput,
      testCase "a file that says so was generated, and no other" said,
      testCase "a module that mentions a generator keeps its findings" mentions,
      testCase "lines that a preprocessor keeps are people's" preprocessed,
      testCase "equal actions have their own places, in order" equalActions,
      testCase "braces in texts, characters and comments are none" braces
    ]

-- | A case for who has alex and happy.
byTools :: TestName -> Assertion -> TestTree
byTools name act = testCaseInfo name $ do
  tools <- mapM findExecutable ["alex", "happy"]
  if all isJust tools then act >> pure "" else pure "skipped: no alex or no happy on PATH"

-- | The fixture's files in a folder, and what generators make of them; then without some.
fixture :: [FilePath] -> (FilePath -> IO a) -> IO a
fixture without use = withSystemTempDirectory "tern-lab-generated" $ \folder -> do
  from <- (</> "test-core" </> "golden" </> "generated") <$> getCurrentDirectory
  listDirectory from >>= mapM_ (\name -> copyFile (from </> name) (folder </> name))
  forM_ [("alex", ["-g", "Lexer.x"]), ("happy", ["-agc", "Parser.y"])] $ \(tool, arguments) -> do
    (code, _, said') <-
      readCreateProcessWithExitCode ((proc tool arguments) {cwd = Just folder}) ""
    assertEqual (tool <> ": " <> said') ExitSuccess code
  mapM_ (removeFile . (folder </>)) without
  use folder

measured :: FilePath -> IO ([ModuleFacts], [Counter], Double)
measured folder = do
  build <- plainly
  (modules, counters, whole) <-
    gatherTicky build (SourceFile (folder </> "Main.hs")) (Run "{exe}" Nothing)
      >>= either (assertFailure . T.unpack . renderCoreProblem) pure
  pure (modules, counters, fromMaybe 0 whole)

plainly :: IO Build
plainly = Build "ghc" [] [] False False <$> sharedCache

found :: FilePath -> IO [Finding]
found folder = do
  build <- plainly
  gatherFacts build (SourceFile (folder </> "Main.hs"))
    >>= either (assertFailure . T.unpack . renderCoreProblem) (pure . findings)

-- | Kind, file and line.
placesOf :: [Finding] -> [(Text, FilePath, Int)]
placesOf every =
  [ (kindName (findingKind f), takeFileName (T.unpack (placeFile p)), placeLine p)
    | f <- every,
      Just p <- [findingPlace f]
  ]

theirs :: Assertion
theirs = fixture [] $ \folder -> do
  (modules, counters, whole) <- measured folder
  let every = measuredBy (Just whole) modules counters (findings modules)
      known = placesOf every
      files = nub (sort [file | (_, file, _) <- known])
  -- Also no detail is said of a file that the next run of the generator writes over.
  files @?= ["Lexer.x", "Main.hs", "Parser.y"]
  [m | m <- map findingModule (filter ((== Nothing) . findingPlace) every), m /= "Main"] @?= []
  let at kind = [(file, line) | (k, file, line) <- known, k == kind]
  -- Of an action of each, and of what stands at the end of each.
  -- The second was gone before anybody looked.
  sort (at "read") @?= [("Lexer.x", 15), ("Lexer.x", 17)]
  at "nub" @?= [("Parser.y", 21)]
  at "lazy-fields" @?= [("Lexer.x", 39)]
  at "show" @?= [("Parser.y", 30)]
  let worth = [kindName (findingKind f) | f <- every, worthShowing f]
  assertBool (show worth) (all (`elem` worth) ["read", "show"])

accounted :: Assertion
accounted = fixture [] $ \folder -> do
  (modules, counters, whole) <- measured folder
  let entries = accountOf whole modules counters []
      made = [(tool, takeFileName (T.unpack f), o) | OfGenerated tool f o <- map entryPost entries]
  sort made @?= [("alex", "Lexer.x", ""), ("happy", "Parser.y", "--strict")]
  assertBool "no bytes" (all (> 0) [entryBytes e | e@(Entry OfGenerated {} _ _) <- entries])
  let all' = sum (map entryBytes entries)
  assertBool (show (all', whole)) (abs (all' - whole) < 1)
  let rows = renderAccount Nothing whole entries
  assertBool
    (T.unpack (T.unlines rows))
    (any ("Parser.y); happy --strict may make it allocate less" `T.isInfixOf`) rows)
  -- What people's own actions call is no row of the generator's.
  let mine = [place | OfLibrary _ _ (Just place) _ <- map entryPost entries]
  assertBool (show mine) (("Lexer.x", 15) `elem` [(placeName p, placeLine p) | p <- mine])
  where
    placeName = takeFileName . T.unpack . placeFile

withoutInput :: Assertion
withoutInput = fixture ["Parser.y", "Lexer.x"] $ \folder -> do
  every <- found folder
  let files = nub (sort [file | (_, file, _) <- placesOf every])
  -- Alex says which lines are of its input, and happy does not.
  assertBool (show files) (files == ["Lexer.x", "Main.hs"])
  assertBool "the end of the lexer" ("lazy-fields" `elem` map (kindName . findingKind) every)

said :: Assertion
said = do
  forM_ generated $ \(file, rows, tool) ->
    assertEqual (unlines (map T.unpack rows)) (Just tool) (name file rows)
  forM_ written $ \rows -> assertEqual (unlines (map T.unpack rows)) Nothing (name "M.hs" rows)
  where
    name file rows = generatorName <$> generatorOf file (T.unlines rows)
    generated =
      [ ("dist/build/x/autogen/Paths_x.hs", ["module Paths_x where"], "cabal"),
        ( "Proto/Bird.hs",
          ["{- This file was auto-generated from bird.proto by the proto-lens-protoc program. -}"],
          "proto-lens"
        ),
        ( "AbsC.hs",
          ["-- File generated by the BNF Converter (bnfc 2.9.5).", "module AbsC where"],
          "BNFC"
        ),
        ( "C.hs",
          ["-- GENERATED by C->Haskell Compiler, version 0.28.8", "module C where"],
          "c2hs"
        ),
        ("H.hs", ["{-# LINE 1 \"src/H.hsc\" #-}", "module H where"], "hsc2hs"),
        ("A.hs", ["", "-- UUAGC 0.9.53 (src/A.ag)", "module A where"], "uuagc"),
        ( "G.hs",
          [ "{-# LANGUAGE CPP #-}",
            "-----",
            "-- | Code generated by ffigen. DO NOT EDIT.",
            "module G where"
          ],
          "a generator"
        )
      ]
    written =
      [ ["-- | Words of a lexer.", "-- Generated by alex, edited since.", "module M where"],
        ["{- A table. It is", "  Automatically generated by a script. -}", "module M where"],
        ["module M where", "-- Generated by alex", "x = 1"],
        ["-- | Generators of test data.", "module M where"],
        ["module M where", "f = \"{-# LINE 1 \\\"x.y\\\" #-}\""],
        ["{-# LINE 3 \"Other.hs\" #-}", "module M where"]
      ]

mentions :: Assertion
mentions = forM_ heads $ \(head', times) ->
  withSystemTempDirectory "tern-lab-generated" $ \folder -> do
    T.writeFile (folder </> "Sums.hs") (T.unlines (head' <> sums))
    T.writeFile (folder </> "Main.hs") (T.unlines main')
    every <- found folder
    assertEqual
      (show head')
      (times :: Int)
      ( length
          [ ()
            | f <- every,
              findingModule f == "Sums",
              kindName (findingKind f) == "lazy-fields"
          ]
      )
    -- Not even a detail.
    assertBool (show head') (times == 1 || "Sums" `notElem` map findingModule every)
  where
    heads =
      [ (["-- | Sums.", "--", "-- Generated by hand."], 1),
        (["-- Generated by sums 1.0."], 0)
      ]
    sums =
      [ "module Sums (both) where",
        "import Data.List (foldl')",
        "both :: [Int] -> (Int, Int)",
        "both = foldl' (\\(a, b) x -> (a + x, b * x)) (0, 1)",
        "{-# NOINLINE both #-}"
      ]

-- | Who imports @Sums@.
main' :: [Text]
main' =
  [ "module Main (main) where",
    "import Sums",
    "main :: IO ()",
    "main = print (both [1 .. 100])"
  ]

-- | As hsc2hs leaves a file: all but what it puts in has a line of the input.
preprocessed :: Assertion
preprocessed = withSystemTempDirectory "tern-lab-generated" $ \folder -> do
  T.writeFile (folder </> "Sums.hsc") (T.unlines source)
  T.writeFile (folder </> "Sums.hs") (T.unlines ("{-# LINE 1 \"Sums.hsc\" #-}" : source))
  T.writeFile (folder </> "Main.hs") (T.unlines main')
  every <- found folder
  let known = [(file, line) | ("lazy-fields", file, line) <- placesOf every]
  known @?= [("Sums.hsc", 5)]
  where
    source =
      [ "module Sums (both) where",
        "import Data.List (foldl')",
        "",
        "both :: [Int] -> (Int, Int)",
        "both = foldl' (\\(a, b) x -> (a + x, b * x)) (0, 1)",
        "{-# NOINLINE both #-}"
      ]

equalActions :: Assertion
equalActions =
  map (ownLine known) [(2, 1), (4, 3), (6, 1), (8, 1), (1, 1)]
    @?= [Just (2, 11), Just (3, 11), Just (4, 11), Just (7, 1), Nothing]
  where
    known = linesOf "happy" made input
    input =
      T.unlines
        [ "%%",
          "a : b c { $1 ++ $2 }",
          "  | c b { $1 ++ $2 }",
          "  | c c { $2 ++ $1 ++ $2 }",
          "{",
          "",
          "end :: Int",
          "}"
        ]
    made =
      T.unlines
        [ "happySeq = happyDontSeq",
          "happyReduce_1 = x (happyIn4 (happy_var_1 ++ happy_var_2))",
          "",
          "happyReduction_2 a = (happy_var_1 ++",
          "    happy_var_2)",
          "happyReduce_3 = (happy_var_2 ++ happy_var_1 ++ happy_var_2)",
          "#endif",
          "end :: Int"
        ]

braces :: Assertion
braces = do
  map bracedText (bracesOf "'{' \"{\" x' { a '}' \"\\\"}\" } -- { b }\n{- { c } -} { d' }")
    @?= ["a '}' \"\\\"}\" ", "d' "]
  Set.fromList [(bracedLine b, bracedColumn b) | b <- bracesOf "<0> {\n  $x { a }\n  {\n    b }\n}"]
    @?= Set.fromList [(2, 3), (2, 8), (4, 5)]
