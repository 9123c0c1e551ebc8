{-# LANGUAGE OverloadedStrings #-}

-- | Looking changes nothing and costs little.
module Tern.Lab.Core.HarmlessTest (tests) where

import Control.Monad (forM_, unless, zipWithM)
import Data.ByteString qualified as B
import Data.List (isPrefixOf)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory (createDirectoryIfMissing, getCurrentDirectory, getTemporaryDirectory)
import System.FilePath (takeDirectory, (</>))
import System.IO.Temp (withSystemTempDirectory)
import Tern.Lab.Core.PluginLibrary (pluginFor, pluginOptions)
import Tern.Lab.Core.PluginSource (sources)
import Tern.Lab.Core.Problem (renderCoreProblem)
import Tern.Lab.Core.Target (Target (..))
import Tern.Lab.Core.Workbench (Build (..), gatherFacts)
import Tern.Lab.History.Metric (Metric (Allocated))
import Tern.Lab.History.RuntimeStatistics (machineReadable)
import Tern.Lab.Process (Job (..), commandLine, job, runJob, succeeded)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "looking on"
    [ testCase "the same object code, for at most 5 % of the compiler's allocation" harmless,
      testCase "a Safe module may still import what is inferred to be safe" safe
    ]

safe :: Assertion
safe = do
  temporary <- getTemporaryDirectory
  here <- getCurrentDirectory
  outcome <-
    gatherFacts
      (Build "ghc" [] [] False False (temporary </> "tern-lab-core-test"))
      ( SourceFile
          ( here
              </> "test-core"
              </> "golden"
              </> "safe"
              </> "Main.hs"
          )
      )
  either (assertFailure . T.unpack . renderCoreProblem) (\modules -> length modules @?= 2) outcome

harmless :: Assertion
harmless =
  withSystemTempDirectory "tern-lab-harmless" $ \folder -> do
    temporary <- getTemporaryDirectory
    here <- getCurrentDirectory
    plugin <-
      pluginFor (temporary </> "tern-lab-core-test") "ghc"
        >>= either (assertFailure . T.unpack . renderCoreProblem) pure
    let option = commandLine (take 1 (pluginOptions plugin))
        derived = folder </> "Facts"
        -- Derived instances make many bindings of a short source.
        names =
          [ derived,
            "clean/before/Main",
            "separator/before/Separator",
            "export-list/before/Work",
            "specialise/after/Machine"
          ]
    mapM_ (T.writeFile (derived <> ".hs")) (lookup "Tern/Lab/Core/Facts.hs" sources)
    let imported = [source | source@(path, _) <- sources, "Tern/Lab/Core/Facts/" `isPrefixOf` path]
    forM_ imported $ \(path, text) -> do
      createDirectoryIfMissing True (folder </> takeDirectory path)
      T.writeFile (folder </> path) text
    before <-
      runJob
        ( job
            folder
            ( T.unwords
                ( "ghc -v0 -O -XGHC2021 -XDerivingStrategies -XLambdaCase -package-env -"
                    : map (T.pack . fst) imported
                )
            )
        )
          { jobOutput = folder </> "imported.log",
            jobErrors = folder </> "imported.log"
          }
    unless (succeeded before) (T.readFile (folder </> "imported.log") >>= assertFailure . T.unpack)
    costs <- zipWithM (compared folder here option) [0 ..] names
    let (without, with) = (sum (map fst costs), sum (map snd costs))
    unless
      (with <= 1.05 * without)
      ( assertFailure
          ( "it costs "
              <> show (100 * (with / without - 1))
              <> " %"
          )
      )

-- | The compiler's allocation without and with the plugin, after the objects
-- were seen to be equal.
compared :: FilePath -> FilePath -> Text -> Int -> FilePath -> IO (Double, Double)
compared folder here option i name = do
  without <- compiled "without" ""
  with <- compiled "with" option
  assertBool (name <> ": the object code differs") (fst without == fst with)
  pure (snd without, snd with)
  where
    compiled which more = do
      let place = folder </> (which <> show i)
          object = place <> ".o"
          output = place <> ".log"
          command =
            T.concat
              [ "ghc -v0 -O -XGHC2021 -package-env - -c -fforce-recomp -i. -ohi '",
                T.pack place,
                ".hi' -o '",
                T.pack object,
                "' '",
                T.pack (here </> "test-core" </> "golden" </> name),
                ".hs' ",
                more
              ]
      ended <-
        runJob
          (job folder command)
            { jobEnvironment =
                [ ( "GHCRTS",
                    "-t"
                      <> place
                      <> ".statistics --machine-readable"
                  ),
                  ("TERN_LAB_FACTS", folder </> "facts")
                ],
              jobOutput = output,
              jobErrors = output
            }
      written <- T.readFile output
      unless (succeeded ended) (assertFailure (T.unpack written))
      compiledTo <- B.readFile object
      statistics <- T.readFile (place <> ".statistics")
      case machineReadable statistics >>= Map.lookup Allocated of
        Just bytes -> pure (compiledTo, bytes)
        Nothing -> assertFailure "no statistics"
