{-# LANGUAGE OverloadedStrings #-}

-- | Cures that are tried: leaks of the planted set, and programs whose cure is
-- known, in private copies. A cure must compile, leave the output as it is and
-- allocate less; one that does not is said to be no help. The sources stay.
module Tern.Lab.Core.TrialTest (tests) where

import Control.Monad (forM, unless)
import Data.ByteString qualified as B
import Data.List (isInfixOf)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import System.Directory (getCurrentDirectory, listDirectory)
import System.FilePath (takeExtension, (</>))
import Tern.Lab.Core.Advice (kindName)
import Tern.Lab.Core.Command (lab, sharedCache)
import Tern.Lab.Core.Cure (curesOf)
import Tern.Lab.Core.Cure.Call (evaluatedArguments)
import Tern.Lab.Core.Cure.Change (Cure (..))
import Tern.Lab.Core.Cure.Strict (strictParameters)
import Tern.Lab.Core.Edit
  ( Source (..),
    edited,
    headerPragma,
    importAlso,
    importInstead,
    pragmaAtEnd,
    sourceOf,
    withoutPragma,
  )
import Tern.Lab.Core.Finding (Finding (..))
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Problem (CoreProblem, renderCoreProblem)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Trial (Bench (..), Measurer, Ran (..), baseline, tryCure, withBench)
import Tern.Lab.Core.Tried (Costs (..), helped, renderTried)
import Tern.Lab.Core.Workbench (Build (..), gatherFacts)
import Tern.Lab.History.Metric (Metric (Allocated, Peak))
import Tern.Lab.History.Program (Attempt (..), once)
import Tern.Lab.History.Record (Source (RuntimeFile))
import Tern.Lab.Process (Job (..), commandLine, job, renderEnding, succeeded)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "cures that are tried"
    ( [ testCase (folder <> ", " <> T.unpack kind) (tries folder kind)
        | (folder, kind) <- fixtures
      ]
        <> [ testCaseInfo "leaks of the planted set are cured" planted,
             testCase "edits are made at once" editsAtOnce,
             testCase "a bang stands in each equation that decides" inEquations,
             testCase "arguments of a function that is given are evaluated" inCalls,
             testCase
               "what the advice says first is tried first, and says nothing of compiling if it is \
               \built already"
               adviceFirst,
             testCase
               "a number alone is of the last report, and its figure stays with the finding"
               byNumber,
             testCase "what does not help is said so and comes last" inVain,
             testCase "a counting build of a loop that has a rule with variables" ruled,
             testCase "what a module includes is copied with it" included,
             testCase
               "an edit that does not compile says why, and nothing is left of it"
               refusedEdit
           ]
    )

-- | A folder of the golden programs, and the kind whose cure is made there.
fixtures :: [(FilePath, Text)]
fixtures =
  [ ("accumulator", "growing-accumulator"),
    ("boxed-numbers", "loop-allocates"),
    ("equations", "growing-accumulator"),
    ("export-list", "no-export-list"),
    ("lazy-cell", "lazy-state"),
    ("noinline", "not-inlined"),
    ("specialise", "not-specialised"),
    ("specialise-loop", "not-specialised")
  ]

build :: FilePath -> Build
build = Build "ghc" [] [] False False

-- | A program that is given these words.
measuring :: Text -> Measurer
measuring words' place program = do
  attempt <-
    once
      place
      ""
      RuntimeFile
      succeeded
      (job "." (T.concat [commandLine [T.pack program], " ", words']))
        { jobOutput = place </> "output",
          jobErrors = place </> "errors",
          jobTimeout = Just 60
        }
  text <- B.readFile (place </> "output")
  pure $ case attempt of
    Measured _ _ figures
      | Just bytes <- Map.lookup Allocated figures ->
          Right (Ran (Costs bytes (fromMaybe 0 (Map.lookup Peak figures)) Nothing Nothing) text)
    Failed how said -> Left (renderEnding how <> said)
    _ -> Left "no figures"

good :: Either CoreProblem a -> IO a
good = either (assertFailure . T.unpack . renderCoreProblem) pure

-- | All sources of a folder, so that it can be seen that they stay.
texts :: FilePath -> IO [(FilePath, B.ByteString)]
texts folder = do
  names <- filter ((== ".hs") . takeExtension) <$> listDirectory folder
  forM names (\name -> (,) name <$> B.readFile (folder </> name))

tries :: FilePath -> Text -> Assertion
tries folder kind = do
  cache <- sharedCache
  here <- getCurrentDirectory
  let at = here </> "test-core" </> "golden" </> folder </> "before"
      target = SourceFile (at </> "Main.hs")
  as <- texts at
  modules <- gatherFacts (build cache) target >>= good
  let found = filter ((== kind) . kindName . findingKind) (findings modules)
  let all' bench = do
        base <- baseline bench (measuring "") >>= good
        concat
          <$> mapM
            (mapM (tryCure bench (measuring "") base) . curesOf (benchSources bench) modules)
            found
  results <- withBench (build cache) target modules all' >>= good
  texts at >>= (@?= as)
  unless
    (any helped results)
    (assertFailure (unlines ("none helped:" : map (T.unpack . renderTried) results)))

-- | Leaks of the planted set by module, function and kind.
leaks :: [(Text, Text, Text)]
leaks =
  [ ("LazyState", "counted", "lazy-state"),
    ("LazyState", "summed", "lazy-state"),
    ("LazyState", "strictState", "lazy-state"),
    ("LazyState", "inMVar", "lazy-state"),
    ("LazyState", "atomically'", "lazy-state"),
    ("LazyState", "pairState", "lazy-fields"),
    ("LazyState", "recordState", "lazy-fields"),
    ("LazyFields", "mean", "lazy-fields"),
    ("LazyFields", "totals", "lazy-fields"),
    ("LazyFields", "byHand", "growing-accumulator"),
    ("Strangers", "journeys", "lazy-fields"),
    ("Strangers", "served", "lazy-fields"),
    ("LazyFields", "upTo", "lazy-fields"),
    ("Specialised", "latest", "spec-constr"),
    ("Variants", "far", "iterate"),
    ("Variants", "told", "writer"),
    ("Variants", "slots", "lazy-container"),
    ("Variants", "looked", "lazy-container")
  ]

planted :: IO String
planted = do
  cache <- sharedCache
  here <- getCurrentDirectory
  let at = here </> "test-core" </> "golden" </> "planted"
      target = SourceFile (at </> "Main.hs")
      building = (build cache) {buildGhcOptions = ["-XGHC2021"]}
  as <- texts at
  modules <- gatherFacts building target >>= good
  let every = findings modules
  results <-
    withBench
      building
      target
      modules
      ( \bench ->
          forM leaks $ \(m, name, kind) -> do
            let measure =
                  measuring (T.concat ["'", T.replace "'" "'\\''" (T.concat [m, ".", name]), "'"])
                cures =
                  [ cure
                    | f <- every,
                      findingModule f == m,
                      findingBinding f == name,
                      kindName (findingKind f) == kind,
                      cure <- curesOf (benchSources bench) modules f
                  ]
            base <- baseline bench measure >>= good
            (,) (m, name, kind) <$> untilOne (tryCure bench measure base) cures
      )
      >>= good
  texts at >>= (@?= as)
  let lines' =
        [ T.unpack
            ( T.concat
                [ m,
                  ".",
                  name,
                  ", ",
                  kind,
                  ": ",
                  if null r
                    then "no cure"
                    else T.intercalate "; " (map renderTried r)
                ]
            )
          | ((m, name, kind), r) <- results
        ]
      missed = [line | (line, (_, r)) <- zip lines' results, not (any helped r)]
  unless (null missed) (assertFailure (unlines ("no cure helped:" : missed)))
  pure (unlines ("" : lines'))
  where
    -- Each builds a program: those after one that helped say nothing more.
    untilOne try_ = \case
      [] -> pure []
      cure : others -> do
        tried <- try_ cure
        (tried :) <$> if helped tried then pure [] else untilOne try_ others

editsAtOnce :: Assertion
editsAtOnce = do
  let source = sourceOf "A.hs" "module A where\nimport M (a, b)\n\nf x = a x\n{-# NOINLINE f #-}\n"
  edited
    ( headerPragma "LANGUAGE X" source
        : importAlso "a" "a'" source
          <> importInstead [("M", "N")] source
          <> withoutPragma "NOINLINE" "f" source
          <> [pragmaAtEnd "INLINE f" source]
    )
    "module A where\nimport M (a, b)\n\nf x = a x\n{-# NOINLINE f #-}\n"
    @?= "{-# LANGUAGE X #-}\nmodule A where\nimport N as M (a', a, b)\n\nf x = a x\n\n\n\
        \{-# INLINE f #-}\n"

-- | What a function becomes when its parameter is made strict.
inEquations :: Assertion
inEquations = mapM_ one cases
  where
    one (rows, name, parameter, wanted) = do
      let source = sourceOf "A.hs" (T.unlines rows)
          cured = case strictParameters source (sourceTokens source) name [parameter] of
            cure : _ -> edited (cureEdits cure) (sourceText source)
            [] -> sourceText source
      T.lines cured @?= "{-# LANGUAGE BangPatterns #-}" : wanted
    cases =
      [ -- No pattern before it can fail: whoever comes to the second has evaluated it.
        ( ["f acc [] = acc", "f acc (x : xs) = f (acc + x) xs"],
          "f",
          "acc",
          ["f !acc [] = acc", "f acc (x : xs) = f (acc + x) xs"]
        ),
        -- Each can be left before it comes to the second parameter, by its first.
        ( [ "f 0 acc = acc",
            "f 1 n",
            "  | n > 2 = n",
            "f k acc = f (k - 1) (acc + k)",
            "f _ acc = acc"
          ],
          "f",
          "acc",
          [ "f 0 !acc = acc",
            "f 1 !n",
            "  | n > 2 = n",
            "f k !acc = f (k - 1) (acc + k)",
            "f _ acc = acc"
          ]
        ),
        -- A pattern evaluates it; a name for nothing does not.
        ( ["f Nothing _ = 0", "f (Just k) (Just n) = k + n", "f (Just k) m = k"],
          "f",
          "m",
          ["f Nothing !_ = 0", "f (Just k) (Just n) = k + n", "f (Just k) !m = k"]
        ),
        -- Between its parameters, and local.
        ( ["g = (0 |>)", "  where", "    n |> [] = n", "    n |> (x : xs) = (n + x) |> xs"],
          "|>",
          "n",
          ["g = (0 |>)", "  where", "    !n |> [] = n", "    n |> (x : xs) = (n + x) |> xs"]
        ),
        ( ["[] `add` n = n", "(x : xs) `add` n = xs `add` (x + n)"],
          "add",
          "n",
          ["[] `add` !n = n", "(x : xs) `add` !n = xs `add` (x + n)"]
        ),
        -- Lambdas.
        ( ["f acc = \\case", "  [] -> acc", "  x : xs -> f (acc + x) xs"],
          "f",
          "acc",
          ["f !acc = \\case", "  [] -> acc", "  x : xs -> f (acc + x) xs"]
        ),
        ( ["f = \\acc xs -> case xs of", "  [] -> acc", "  x : more -> f (acc + x) more"],
          "f",
          "acc",
          ["f = \\ !acc xs -> case xs of", "  [] -> acc", "  x : more -> f (acc + x) more"]
        ),
        -- A record: its pattern binds what stands after the sign; a change of it is no equation.
        ( ["f (y : ys) T {at = n, to} =", "  f ys t {at = n + y}", "f [] t = t"],
          "f",
          "n",
          ["f (y : ys) T {at = !n, to} =", "  f ys t {at = n + y}", "f [] t = t"]
        ),
        ( ["f (y : ys) t@T {..} =", "  f ys t {at = at + y}", "f [] t = t"],
          "f",
          "at",
          ["f (y : ys) !t@T {..} =", "  f ys t {at = at + y}", "f [] t = t"]
        ),
        -- A field that is bound by its own name has no place for one: those beside it do.
        ( ["f (y : ys) T {at = n, to} =", "  f ys t {at = n + y}", "f [] t = t"],
          "f",
          "to",
          ["f (y : ys) T {at = !n, to} =", "  f ys t {at = n + y}", "f [] t = t"]
        ),
        -- A view: what is looked through is no parameter.
        ( ["f (g n -> Just m) = m"],
          "f",
          "n",
          ["f (g n -> Just !m) = m"]
        ),
        ( ["f (g n -> Just m) = m"],
          "f",
          "m",
          ["f (g n -> Just !m) = m"]
        )
      ]

-- | What calls of a function that is given become.
inCalls :: Assertion
inCalls = mapM_ one cases
  where
    one (rows, wanted) = do
      let source = sourceOf "A.hs" (T.unlines rows)
          cured = case evaluatedArguments source (sourceTokens source) ["f"] ["far"] of
            cure : _ -> edited (cureEdits cure) (sourceText source)
            [] -> sourceText source
      T.lines cured @?= wanted
    cases =
      [ (["f far = far (a ! 1) (b ! 2)"], ["f far = ((far $! (a ! 1)) $! (b ! 2))"]),
        -- What is there does not wait.
        (["f far = far 1 x + far x (g y)"], ["f far = far 1 x + ((far x) $! (g y))"]),
        (["f far = if far (g 1) then 2 else 3"], ["f far = if (far $! (g 1)) then 2 else 3"]),
        -- A parameter is no call.
        (["f far (x : xs) = x"], ["f far (x : xs) = x"]),
        ( ["f far x = do", "  y <- far (g x)", "  pure (h y)"],
          ["f far x = do", "  y <- (far $! (g x))", "  pure (h y)"]
        )
      ]

adviceFirst :: Assertion
adviceFirst = do
  cache <- sharedCache
  here <- getCurrentDirectory
  let target = SourceFile (here </> "test-core" </> "golden" </> "given" </> "before" </> "Main.hs")
  modules <- gatherFacts (build cache) target >>= good
  results <-
    withBench
      (build cache)
      target
      modules
      ( \bench -> do
          base <- baseline bench (measuring "") >>= good
          sequence
            [ tryCure bench (measuring "") base cure
              | f <- findings modules,
                kindName (findingKind f) == "unknown-calls",
                findingBinding f == "distances",
                cure <- take 1 (curesOf (benchSources bench) modules f),
                -- The second time the copy has it already.
                _ <- "ab"
            ]
      )
      >>= good
  let told = map (T.unpack . renderTried) results
  assertBool (unlines told) (any helped results && all ("$! before" `isInfixOf`) told)
  assertEqual
    (unlines told)
    [True, False]
    (map ("compiling" `isInfixOf`) told)

-- * The command

summing :: [(FilePath, [Text])]
summing =
  [ ( "Main.hs",
      [ "module Main (main) where",
        "import Data.IORef",
        "main :: IO ()",
        "main = do",
        "  cell <- newIORef (0 :: Int)",
        "  mapM_ (\\x -> modifyIORef cell (+ x)) [1 .. 10000]",
        "  readIORef cell >>= print"
      ]
    )
  ]

byNumber :: Assertion
byNumber = lab summing $ \(run, folder) -> do
  (report, _) <- run ["Main.hs", "--run", "{exe}"]
  assertBool report ("1. Main.hs" `isInfixOf` report && not ("tried:" `isInfixOf` report))
  (out, _) <- run ["try", "1"]
  assertBool out ("tried: -" `isInfixOf` out && "modifyIORef" `isInfixOf` out)
  (later, _) <- run ["Main.hs", "--run", "{exe}"]
  assertBool later ("tried: -" `isInfixOf` later)
  (json, _) <- run ["Main.hs", "--run", "{exe}", "--json"]
  assertBool json ("\"helped\":true" `isInfixOf` json)
  left <- listDirectory folder
  left @?= ["Main.hs"]

-- | GHC keeps a rule for the loop's specialisation, which binds the dictionary that it had.
ruled :: Assertion
ruled =
  lab
    [ ( "Main.hs",
        [ "module Main (main) where",
          "import qualified Data.Map as M",
          "main :: IO ()",
          "main = print (M.foldr (+) 0 (histogram 20000))",
          "histogram :: Int -> M.Map Int Int",
          "histogram n = go 0 M.empty",
          "  where",
          "    go k m",
          "      | k == n = m",
          "      | otherwise = go (k + 1) (M.insertWith (+) (k `mod` 16) k m)",
          "{-# NOINLINE histogram #-}"
        ]
      )
    ]
    $ \(run, _) -> do
      (out, _) <- run ["Main.hs", "--run", "{exe}"]
      assertBool out ("insertWith" `isInfixOf` out)
      (tried', _) <- run ["try", "1"]
      assertBool tried' ("tried: -" `isInfixOf` tried' && "strict module" `isInfixOf` tried')

-- | Beside the source, in a folder that is given, and what an included file includes; and an
-- interface that breaks a cycle.
included :: Assertion
included =
  lab
    [ ( "Main.hs",
        [ "{-# LANGUAGE CPP #-}",
          "module Main (main) where",
          "#include \"steps.h\"",
          "#  include <scale.h>",
          "import Data.IORef",
          "import One (one)",
          "scale :: Int",
          "scale = SCALE",
          "main :: IO ()",
          "main = do",
          "  cell <- newIORef (0 :: Int)",
          "  let steps = STEPS",
          "  mapM_ (\\x -> modifyIORef cell (+ (x * scale))) [1 .. steps]",
          "  readIORef cell >>= print . one"
        ]
      ),
      ("steps.h", ["#define STEPS 10000"]),
      ("given/scale.h", ["#include \"unit.h\"", "#define SCALE UNIT"]),
      ("given/unit.h", ["#define UNIT 3"]),
      ( "One.hs",
        [ "module One (one) where",
          "import Two (two)",
          "one :: Int -> Int",
          "one n = two n"
        ]
      ),
      ("One.hs-boot", ["module One (one) where", "one :: Int -> Int"]),
      ( "Two.hs",
        [ "module Two (two) where",
          "import {-# SOURCE #-} One (one)",
          "two :: Int -> Int",
          "two n = if n < 0 then one (n + 1) else n"
        ]
      )
    ]
    $ \(run, _) -> do
      (out, _) <-
        run ["try", "Main.hs", "--all", "--run", "{exe}", "--ghc-option=-Igiven"]
      assertBool out ("tried: -" `isInfixOf` out)

-- | The loop looks at what it adds up in each round already.
inVain :: Assertion
inVain =
  lab
    [ ( "Main.hs",
        [ "module Main (main) where",
          "import qualified Data.Map as M",
          "main :: IO ()",
          "main = print (M.foldl' (+) 0 (go (1 :: Int) M.empty) + fst (count (3 :: Int) (0 :: \
          \Int)))",
          "  where",
          "    go n m | n > 2000 = m",
          "           | otherwise = go (n + 1) (M.insertWith (+) n n m)",
          "count :: Int -> Int -> (Int, Int)",
          "count n acc = if n == 0 then (acc, n) else count (n - 1) (acc + n)",
          "{-# NOINLINE count #-}"
        ]
      )
    ]
    $ \(run, _) -> do
      (out, _) <- run ["try", "Main.hs", "--all"]
      assertBool out ("tried: no help" `isInfixOf` out)
      (later, _) <- run ["Main.hs"]
      let tried' = [row | row <- lines later, "tried:" `isInfixOf` row]
      assertBool later (not (null tried') && "no help" `isInfixOf` last tried')

refusedEdit :: Assertion
refusedEdit =
  lab
    [ ( "Main.hs",
        [ "module Main (main) where",
          "import qualified Data.Vector as V",
          "data Shape = Circle | Square deriving (Eq)",
          "main :: IO ()",
          "main = print (total (V.generate 50000 (* 3)) + V.length (V.filter (== Circle) \
          \(V.replicate 9 Square)))",
          "total :: V.Vector Int -> Int",
          "total v = V.sum v + V.maximum v",
          "{-# NOINLINE total #-}"
        ]
      )
    ]
    $ \(run, _) -> do
      (out, _) <- run ["try", "Main.hs", "--all"]
      assertBool out ("does not compile: " `isInfixOf` out && "Unbox" `isInfixOf` out)
