{-# LANGUAGE OverloadedStrings #-}

-- | The planted set: known leaks, and code beside them that has none.
--
-- Above each function of @golden/planted@ stands what it is: @Found: KIND@, or
-- @Healthy@. Each of the first sort must be found with that kind; of the second,
-- nothing may be said that is of any of those kinds. And the leaks are real: the
-- function of the same name and @Cured@ gives the same result, and allocates less.
-- (@for memory@: holds less; @for steps@: only walks less, which neither shows.)
module Tern.Lab.Core.PlantedTest (tests) where

import Control.Monad (unless)
import Data.List (sort)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (catMaybes)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory (getCurrentDirectory, getTemporaryDirectory, listDirectory)
import System.FilePath (takeBaseName, takeExtension, (</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Lab.Core.Advice (kindName)
import Tern.Lab.Core.Finding (Finding (..), worthShowing)
import Tern.Lab.Core.Findings (findings)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Workbench (Build (..), gatherFacts)
import Tern.Lab.History.Metric (Metric (Allocated, Peak))
import Tern.Lab.History.RuntimeStatistics (machineReadable)
import Tern.Lab.Process (Job (..), job, runJob, succeeded)
import Test.Tasty
import Test.Tasty.HUnit
import Text.Printf (printf)

tests :: TestTree
tests =
  testGroup
    "the planted set"
    [ testCaseInfo "leaks are found by their kind, and healthy code is left alone" found,
      testCase "each leak costs more than its cure" costly
    ]

-- | What a function is said to be.
data Label
  = -- | With the kind, and what its cure saves.
    Harmful !Text !Saving
  | Healthy
  deriving stock (Eq, Show)

data Saving = SavesBytes | SavesMemory | SavesSteps
  deriving stock (Eq, Show)

-- | The functions of the set, by module and name.
labels :: IO (Map (Text, Text) Label)
labels = do
  files <- filter ((== ".hs") . takeExtension) . sort <$> listDirectory folder
  Map.fromList . concat
    <$> mapM
      ( \file ->
          labelled (T.pack (takeBaseName file)) . T.lines <$> T.readFile (folder </> file)
      )
      files
  where
    labelled m rows = catMaybes (zipWith (label m) rows (drop 1 rows))
    label m row next = do
      meant <- meaning row
      pure ((m, T.takeWhile (/= ' ') next), meant)
    meaning row
      | row == "-- Healthy" = Just Healthy
      | Just rest <- T.stripPrefix "-- Found: " row = case T.breakOn ", for " rest of
          (kind, "") -> Just (Harmful kind SavesBytes)
          (kind, ", for memory") -> Just (Harmful kind SavesMemory)
          (kind, _) -> Just (Harmful kind SavesSteps)
      | otherwise = Nothing

folder :: FilePath
folder = "test-core" </> "golden" </> "planted"

found :: IO String
found = do
  temporary <- getTemporaryDirectory
  here <- getCurrentDirectory
  functions <- labels
  outcome <-
    gatherFacts
      ( Build
          "ghc"
          []
          []
          False
          False
          (temporary </> "tern-lab-core-test")
      )
      (SourceFile (here </> folder </> "Main.hs"))
  every <-
    either
      (assertFailure . T.unpack . renderCoreProblem)
      (pure . filter worthShowing . findings)
      outcome
  let kindsAt (m, name) =
        Set.fromList
          [ kindName (findingKind f)
            | f <- every,
              findingModule f == m,
              findingBinding f == name
          ]
      harmful = [(at, kind) | (at, Harmful kind _) <- Map.toList functions]
      kinds = Set.fromList (map snd harmful)
      missed = [at | (at, kind) <- harmful, Set.notMember kind (kindsAt at)]
      noise =
        [ (at, said)
          | (at, Healthy) <- Map.toList functions,
            let said = Set.intersection kinds (kindsAt at),
            not (Set.null said)
        ]
      table =
        Map.fromListWith
          (\(a, b) (c, d) -> (a + c, b + d))
          [ (kind, (if at `elem` missed then 0 else 1 :: Int, 1 :: Int))
            | (at, kind) <-
                harmful
          ]
      total = length harmful
      healthy = length (filter (== Healthy) (Map.elems functions))
      summary =
        printf
          "%d of %d leaks found, %d of %d healthy functions reported"
          (total - length missed)
          total
          (length noise)
          healthy
          <> concat
            [ printf "\n%-20s %2d of %2d" (T.unpack kind) a b
              | (kind, (a, b)) <-
                  Map.toList table
            ]
  assertBool (summary <> "\ntoo few leaks are planted") (total >= 40)
  unless
    (null noise)
    ( assertFailure
        ( summary
            <> concat
              [ printf
                  "\nhealthy, but reported: %s.%s: %s"
                  (T.unpack m)
                  (T.unpack name)
                  (show (Set.toList said))
                | ((m, name), said) <-
                    noise
              ]
        )
    )
  unless
    (null missed)
    ( assertFailure
        ( summary
            <> concat
              [ printf "\nnot found: %s.%s" (T.unpack m) (T.unpack name)
                | (m, name) <-
                    missed
              ]
        )
    )
  pure summary

costly :: Assertion
costly = withSystemTempDirectory "tern-lab-planted" $ \place -> do
  here <- getCurrentDirectory
  functions <- labels
  let build =
        T.pack
          ( "cd '" <> here
              </> folder <> "' && ghc -v0 -O -rtsopts -XGHC2021 -outputdir '" <> place
              </> "objects' -o '" <> place
              </> "program' Main.hs"
          )
  ended <- runJob (job place build) {jobOutput = place </> "log", jobErrors = place </> "log"}
  said <- T.readFile (place </> "log")
  unless (succeeded ended) (assertFailure (T.unpack said))
  complaints <-
    concat
      <$> mapM
        (one place)
        [ (m, name, saving)
          | ((m, name), Harmful _ saving) <-
              Map.toList functions
        ]
  unless (null complaints) (assertFailure (unlines complaints))
  where
    one place (m, name, saving) = do
      (outputBefore, before) <- run place m name
      (outputAfter, later) <- run place m (name <> "Cured")
      let full = T.unpack (T.concat [m, ".", name])
          less metric factor = case (Map.lookup metric before, Map.lookup metric later) of
            (Just a, Just b) ->
              [full <> ": the cure does not help: " <> show (metric, a, b) | b >= factor * a]
            _ -> [full <> ": no statistics"]
      pure $
        [full <> ": the cure's result is another" | outputBefore /= outputAfter] <> case saving of
          SavesBytes -> less Allocated (0.97 :: Double)
          SavesMemory -> less Peak 0.8
          SavesSteps -> []
    run place m name = do
      let command =
            T.concat ["GHCRTS='-tstatistics --machine-readable' ./program \"", m, ".", name, "\""]
      ended <-
        runJob (job place command) {jobOutput = place </> "output", jobErrors = place </> "output"}
      written <- T.readFile (place </> "output")
      unless (succeeded ended) (assertFailure (T.unpack (T.concat [m, ".", name, ": ", written])))
      statistics <- T.readFile (place </> "statistics")
      maybe
        (assertFailure "no statistics")
        (\figures -> pure (written, figures))
        (machineReadable statistics)
