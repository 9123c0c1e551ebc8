{-# LANGUAGE OverloadedStrings #-}

-- | A history while it runs: what is there of it, and how it ends.
module Tern.Lab.History.MeanwhileTest (tests) where

import Control.Concurrent (threadDelay)
import Control.Exception (bracket)
import Data.List (isInfixOf)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory (createDirectory, createDirectoryIfMissing, doesFileExist, listDirectory)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.Process
  ( CreateProcess (..),
    StdStream (..),
    cleanupProcess,
    createProcess,
    proc,
    rawSystem,
    readCreateProcessWithExitCode,
    terminateProcess,
    waitForProcess,
  )
import Tern.Lab.Fixture (Story, commit, sh, withFixture, write)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "meanwhile"
    [ testCase "the pages are written after each commit" eachCommit,
      testCase
        "it gives up after some that do not build, and the pages show their first errors"
        givesUp,
      testCase "a folder that takes no reports is said before anything is built" early,
      testCase "what it started ends with it" together,
      testCase "reports are left in the project that is measured" inProject
    ]

-- | Four commits, after the first.
numbered :: [Story]
numbered =
  [write "n" ["0"], commit "begin", sh "git tag begin"]
    <> concat [[write "n" [show n], commit ("number " <> show n)] | n <- [1 .. 4 :: Int]]

command :: FilePath -> [String] -> CreateProcess
command folder more =
  ( proc
      "tern-lab"
      ( ["history", "begin..main", "--cache", folder </> "cache", "--run", "cat n", "-n", "1"]
          <> more
      )
  )
    { cwd = Just (folder </> "repository")
    }

eachCommit :: Assertion
eachCommit = withFixture numbered $ \folder -> do
  let out = folder </> "out"
      -- Each build keeps what stood there of the commits before.
      build = "cp " <> out </> "history.json " <> folder </> "seen-$(cat n) 2>/dev/null || true"
  (code, _, err) <- readCreateProcessWithExitCode (command folder ["--build", build, "-o", out]) ""
  assertEqual err ExitSuccess code
  doesFileExist (folder </> "seen-0") >>= (@?= False)
  counts <-
    mapM
      ( \n ->
          T.count "\"subject\"" <$> T.readFile (folder </> ("seen-" <> show n))
      )
      [1 .. 4 :: Int]
  counts @?= [1, 2, 3, 4]

givesUp :: Assertion
givesUp = withFixture numbered $ \folder -> do
  let out = folder </> "out"
      build = "test $(cat n) = 0 || { echo 'Main.hs:7:1: error: no <such> thing'; exit 1; }"
  (code, _, err) <-
    readCreateProcessWithExitCode
      (command folder ["--build", build, "-o", out, "--give-up", "2"])
      ""
  code @?= ExitFailure 1
  assertBool
    err
    ( "gave up after 2 commits in a row that did not build, with 2 left"
        `isInfixOf` err
    )
  page <- T.readFile (out </> "history.html")
  "Main.hs:7:1: error: no " `T.isInfixOf` page @? "no error in the page"
  markdown <- T.readFile (out </> "history.md")
  assertBool (T.unpack markdown) ("Main.hs:7:1: error: no <such> thing" `T.isInfixOf` markdown)
  records <- T.readFile (out </> "history.json")
  T.count "\"subject\"" records @?= 3

early :: Assertion
early = withFixture numbered $ \folder -> do
  writeFile (folder </> "file") ""
  createDirectoryIfMissing True (folder </> "taken" </> "history.html")
  sequence_
    [ do
        (code, _, err) <-
          readCreateProcessWithExitCode
            (command folder ["--build", "touch " <> folder </> "built", "-o", folder </> out])
            ""
        (code, length (lines err)) @?= (ExitFailure 1, 1)
        doesFileExist (folder </> "built") >>= (@?= False)
      | out <- ["file", "taken", "file/below"]
    ]

-- | The build writes down who it is, and waits.
together :: Assertion
together = withFixture numbered $ \folder -> do
  let place = folder </> "pid"
      build = "echo $$ > " <> place <> ".part; mv " <> place <> ".part " <> place <> "; sleep 300"
      start =
        createProcess
          ( command
              folder
              ["--build", build, "-o", folder </> "out"]
          )
            { std_err = CreatePipe
            }
  bracket start cleanupProcess $ \(_, _, _, handle) -> do
    there <- waitUntil (doesFileExist place)
    there @? "the build did not begin"
    child <- filter (/= '\n') <$> readFile place
    terminateProcess handle
    code <- waitForProcess handle
    code @?= ExitFailure 143
    let alive = (== ExitSuccess) <$> rawSystem "sh" ["-c", "kill -0 " <> child <> " 2>/dev/null"]
    gone <- waitUntil (not <$> alive)
    gone @? "the build lives on"

inProject :: Assertion
inProject = withFixture numbered $ \folder -> do
  createDirectory (folder </> "elsewhere")
  (code, out, err) <-
    readCreateProcessWithExitCode
      (command folder ["--build", "true", "-C", folder </> "repository"])
        { cwd = Just (folder </> "elsewhere")
        }
      ""
  assertEqual err ExitSuccess code
  assertBool out ("repository/tern-lab-history/history.html" `isInfixOf` out)
  listDirectory (folder </> "elsewhere") >>= (@?= [])
  doesFileExist (folder </> "repository" </> "tern-lab-history" </> "history.html")
    >>= (@? "no page")

-- | For at most a minute.
waitUntil :: IO Bool -> IO Bool
waitUntil holds = go (600 :: Int)
  where
    go n =
      holds >>= \case
        True -> pure True
        False
          | n <= 0 -> pure False
          | otherwise -> threadDelay 100000 >> go (n - 1)
