{-# LANGUAGE OverloadedStrings #-}

-- | One history of many processes, machines and branches.
module Tern.Lab.History.SharingTest (tests) where

import Data.ByteString.Lazy qualified as L
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.List (isInfixOf)
import Data.Text qualified as T
import System.Directory (doesFileExist)
import System.Environment (getExecutablePath)
import System.Exit (ExitCode (..))
import System.FilePath (takeDirectory, (</>))
import System.Process (CreateProcess (..), proc, readCreateProcessWithExitCode)
import Tern.Lab.Fixture (sh, withFixture)
import Tern.Lab.History
import Tern.Lab.History.Plan (Plan (..))
import Tern.Lab.History.Problem (renderProblem)
import Tern.Lab.History.Record (Results (..))
import Tern.Lab.History.Record.Json (decodeResults)
import Tern.Lab.Process (shellWord)
import Tern.Lab.Stories (halved, measured, sameStory, story, withoutCompiler)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "sharing"
    [ testCaseInfo "processes of their own share a range" shared,
      testCase "records are shared by git notes" noted,
      testCase "a branch against where it left another" compared
    ]

-- | Each part in a process of its own, all at once, in one cache; then put
-- together, all by the command line.
shared :: IO String
shared =
  getProgram >>= \case
    Nothing -> pure "skipped: tern-lab was not built beside this suite"
    Just tool -> withFixture story $ \folder -> do
      let history' cache build out =
            concat
              [ "'" <> tool <> "' history begin..main -C repository --runs 2 --run ./main --cache ",
                cache <> " -o " <> out <> " --build ",
                T.unpack (shellWord build)
              ]
          part i =
            unwords
              [ history' "cache" (planBuild withoutCompiler) ("part" <> show i),
                "--shard " <> show i <> "/3",
                "> log" <> show i,
                "2>&1"
              ]
      sh
        ( concat [part i <> " & p" <> show i <> "=$!; " | i <- [1 .. 3 :: Int]]
            <> "wait $p1 && wait $p2 && wait $p3"
        )
        folder
      sh
        ( "'"
            <> tool
            <> "' merge part3/history.json part1/history.json part2/history.json -o whole > log"
        )
        folder
      -- From which change on a figure is flagged is said again.
      sh
        ( "'"
            <> tool
            <> "' merge --threshold 1000000 part1/history.json part2/history.json \
               \part3/history.json -o whole > loose; ! cmp -s log loose"
        )
        folder
      bytes <- L.readFile (folder </> "whole" </> "history.json")
      either (assertFailure . T.unpack) sameStory (decodeResults (L.toStrict bytes))
      -- A process that is killed leaves what it had; the next goes on.
      -- Each build takes long enough to be killed before the last.
      let long = history' "killed" ("sleep 0.3\n" <> planBuild withoutCompiler) "killed-out"
      sh
        ( long
            <> " & p=$!; while [ $(ls killed/*/kept/* 2>/dev/null | wc -l) -lt 3 ]; do sleep \
               \0.05; done; kill -9 $p; wait $p || true"
        )
        folder
      sh (long <> " --verbose > again 2> said; test $(grep -c . said) -le 8") folder
      again <- L.readFile (folder </> "killed-out" </> "history.json")
      either (assertFailure . T.unpack) sameStory (decodeResults (L.toStrict again))
      pure "three parts at once, and one killed and gone on with"

-- | The program itself, where this suite was built beside it.
getProgram :: IO (Maybe FilePath)
getProgram = do
  own <- getExecutablePath
  let up n = iterate takeDirectory own !! n
      candidate = up 5 </> "x" </> "tern-lab" </> "build" </> "tern-lab" </> "tern-lab"
  present <- doesFileExist candidate
  pure (if present then Just candidate else Nothing)

noted :: Assertion
noted = withFixture halved $ \folder -> do
  builds <- newIORef (0 :: Int)
  let count = \case
        BuildBegan _ -> modifyIORef' builds (+ 1)
        _ -> pure ()
      shared' = withoutCompiler {planNotes = Just "performance"}
      at name = Site (folder </> "repository") (folder </> name)
      ask place =
        history count False place shared' >>= either (assertFailure . T.unpack . renderProblem) pure
  first <- ask (at "cache")
  readIORef builds >>= (@?= 3)
  -- Another machine of the team, with nothing of its own.
  second <- ask (at "another cache")
  readIORef builds >>= (@?= 3)
  resultsRecords second @?= resultsRecords first
  -- Another plan is not answered by these.
  _ <-
    history count False (at "a third") shared' {planRuntime = "-A2m"}
      >>= either (assertFailure . T.unpack . renderProblem) pure
  readIORef builds >>= (@?= 6)
  third <- ask (at "a fourth")
  resultsRecords third @?= resultsRecords first
  -- What was measured without notes is shared as soon as they are asked for,
  -- by a machine that has nobody's name too.
  sh
    "git config --unset user.name; git config --unset user.email; git config user.useConfigOnly \
    \true"
    (folder </> "repository")
  let late = withoutCompiler {planRuntime = "-A4m"}
  unshared <- measured (at "a fifth") late
  _ <-
    history count False (at "a fifth") late {planNotes = Just "late"}
      >>= either (assertFailure . T.unpack . renderProblem) pure
  readIORef builds >>= (@?= 6)
  fourth <-
    history count False (at "a sixth") late {planNotes = Just "late"}
      >>= either (assertFailure . T.unpack . renderProblem) pure
  readIORef builds >>= (@?= 6)
  resultsRecords fourth @?= resultsRecords unshared

compared :: Assertion
compared = withFixture halved $ \folder -> do
  let lab arguments =
        readCreateProcessWithExitCode
          ( ( proc
                "tern-lab"
                ( [ "check",
                    "--build",
                    T.unpack (planBuild withoutCompiler),
                    "--run",
                    "./main",
                    "--runs",
                    "2",
                    "--cache",
                    folder
                      </> "cache"
                  ]
                    <> arguments
                )
            )
              { cwd = Just (folder </> "repository")
              }
          )
          ""
  sh "git checkout --quiet -b topic main~1" (folder </> "repository")
  (better, out, _) <- lab ["--against", "begin"]
  better @?= ExitSuccess
  assertBool out ("**Performance got better** against `begin`" `isInfixOf` out)
  assertBool out ("| run | Allocations |" `isInfixOf` out)
  sh "git checkout --quiet main" (folder </> "repository")
  (worse, out', err) <- lab ["--against", "topic"]
  worse @?= ExitFailure 1
  assertBool out' ("**Performance got worse** against `topic`" `isInfixOf` out')
  assertBool err ("1 figure is worse than at topic" `isInfixOf` err)
  (same, out'', _) <- lab ["--against", "main"]
  (same, "nothing to compare" `isInfixOf` out'') @?= (ExitSuccess, True)
