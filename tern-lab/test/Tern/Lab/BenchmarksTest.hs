{-# LANGUAGE OverloadedStrings #-}

-- | A program of benchmarks as its users run it: its page, and what goes wrong.
--
-- This suite is that program when it is started with @--benchmarks@.
module Tern.Lab.BenchmarksTest (tests, own) where

import Control.Concurrent (threadDelay)
import Control.Monad (when)
import Data.Bits (shiftR, xor)
import Data.ByteString.Char8 qualified as BC
import Data.List (isInfixOf)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory (doesFileExist, listDirectory)
import System.Environment (getExecutablePath)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.IO.Temp (withSystemTempDirectory)
import System.Process
  ( CreateProcess (..),
    StdStream (..),
    createProcess,
    interruptProcessGroupOf,
    proc,
    readProcessWithExitCode,
    terminateProcess,
    waitForProcess,
  )
import Tern (decodeJson)
import Tern.Lab.Benchmark (Benchmark, bench, group, nf, nfGiving, sizes)
import Tern.Lab.Benchmark.Run (Found (..), Results (..))
import Tern.Lab.Browser (inBrowser)
import Tern.Testkit.Allocation (optimised)
import Test.Tasty
import Test.Tasty.HUnit

-- | What is measured when this suite is started as a program.
own :: [Benchmark]
own =
  [ group "sums" [bench "strict <it>" (nf total 1000), bench "pairs" (nf pairs 1000)],
    sizes "square" [10, 20, 40, 80] (\n -> nf square n),
    group "throwing" [bench "bad" (nf failing 1), bench "good" (nf total 10)],
    group "wrong" [bench "sum" (nfGiving 7 total 3)],
    group "spinning" [bench "loop" (nf spinning 1)]
  ]

total, failing, spinning :: Int -> Int
total n = sum [1 .. n]
failing _ = errorWithoutStackTrace "oh dear"
-- It does not allocate, so that the runtime cannot interrupt it.
spinning n = if n == 0 then n else spinning ((n `xor` (n `shiftR` 7)) + (if n == 3 then 1 else 2))
{-# NOINLINE total #-}
{-# NOINLINE failing #-}
{-# NOINLINE spinning #-}

pairs :: Int -> [(Int, Int)]
pairs n = zip [1 .. n] [2 ..]
{-# NOINLINE pairs #-}

square :: Int -> [(Int, Int)]
square n = [(a, b) | a <- [1 .. n], b <- [1 .. n]]
{-# NOINLINE square #-}

tests :: TestTree
tests =
  testGroup
    "a program of benchmarks"
    [ testCaseInfo
        "--html writes a page that a browser shows"
        . withSystemTempDirectory "page"
        $ \folder -> do
          (code, _, err) <-
            run
              [ "--html",
                folder
                  </> "page.html",
                "sums",
                "square",
                "--rounds",
                "9",
                "--batch",
                "1"
              ]
          (code, err) @?= (ExitSuccess, "")
          page <- T.readFile (folder </> "page.html")
          inBrowser
            page
            ( T.unlines
                [ "const said = [];",
                  "const all = what => [...document.querySelectorAll(what)];",
                  "said.push(document.title);",
                  "said.push('sections ' + all('section').length);",
                  "said.push('bars ' + all('section')[0].querySelectorAll('.bar').length);",
                  "said.push('rounds ' + all('section')[0].querySelectorAll('.round').length);",
                  "said.push([...all('section')[0].querySelectorAll('tbody \
                  \td:first-child')].map(c => c.textContent).join(' '));",
                  "[...all('section')[0].querySelectorAll('.controls button')].find(b => \
                  \b.textContent.startsWith('allocated')).click();",
                  "said.push('then ' + \
                  \all('section')[0].querySelector('svg').getAttribute('aria-label'));",
                  "said.push('steep ' + all('b.worse').length);",
                  "said.push('loads ' + all('[src], link').length);",
                  "return said.join('; ');"
                ]
            )
            ( @?=
                "Benchmarks; sections 7; bars 2; rounds 18; strict &lt;it&gt; pairs; then \
                \allocated; steep 1; loads 0"
            ),
      testCase
        "a benchmark that throws and one with a wrong result are said, and it ends with 1"
        $ do
          (code, out, _) <- run (["throwing", "wrong"] <> quickly)
          code @?= ExitFailure 1
          assertBool
            out
            ( all
                (`isInfixOf` out)
                ["bad is left out: oh dear", "sum is left out: it gives a wrong result", "good"]
            ),
      testCase "a name that nothing has is refused in one line" $ do
        (code, out, err) <- run ["nonesuch"]
        (code, out, length (lines err)) @?= (ExitFailure 1, "", 1),
      testCaseInfo "what cannot be interrupted is ended with the program, and what was saved stays"
        . withSystemTempDirectory "saved"
        $ \folder ->
          if optimised
            then do
              let file = folder </> "saved.json"
              (code, _, err) <-
                run (["sums", "spinning", "--timeout", "0.2", "--save", file] <> quickly)
              (code, length (lines err)) @?= (ExitFailure 1, 1)
              assertBool err ("spinning/loop: took more than 0.2 s" `isInfixOf` err)
              saved file >>= (@?= [["sums"]])
              pure ""
            else pure "skipped: a loop that is not optimised can be interrupted",
      testCase "a file that may not become so large is one line, and nothing is left of it"
        . withSystemTempDirectory "full"
        $ \folder -> do
          self <- getExecutablePath
          let file = folder </> "page.html"
          -- A block has 512 or 1,024 bytes; a page has more.
          (code, _, err) <-
            readProcessWithExitCode
              "sh"
              ( [ "-c",
                  "ulimit -f 4; exec \"$@\"",
                  "sh",
                  self,
                  "--benchmarks",
                  "--html",
                  file,
                  "sums"
                ]
                  <> quickly
              )
              ""
          (code, length (lines err)) @?= (ExitFailure 1, 1)
          assertBool err ("page.html" `isInfixOf` err)
          listDirectory folder >>= (@?= []),
      testCase
        "an interrupt leaves the file whole"
        . withSystemTempDirectory "interrupted"
        $ \folder -> do
          self <- getExecutablePath
          let file = folder </> "saved.json"
          (_, _, _, handle) <-
            createProcess
              ( proc
                  self
                  ( ["--benchmarks", "--save", file, "sums", "spinning", "--timeout", "60"]
                      <> quickly
                  )
              )
                { std_out = NoStream,
                  create_group = True
                }
          let waiting :: Int -> IO ()
              waiting n = do
                there <- doesFileExist file
                so <- if there then saved file else pure []
                when (null so && n > 0) (threadDelay 100000 >> waiting (n - 1))
          waiting 600
          -- Twice, as people do: the loop does not look up.
          interruptProcessGroupOf handle
          threadDelay 100000
          terminateProcess handle
          code <- waitForProcess handle
          assertBool (show code) (code /= ExitSuccess)
          saved file >>= (@?= [["sums"]])
          listDirectory folder >>= (@?= ["saved.json"])
    ]
  where
    quickly = ["--rounds", "12", "--batch", "1"]
    saved file = do
      bytes <- BC.readFile file
      case decodeJson bytes of
        Right found -> pure (map path (groups found))
        Left message -> assertFailure (show message)

-- | This program as one of benchmarks.
run :: [String] -> IO (ExitCode, String, String)
run options = do
  self <- getExecutablePath
  readProcessWithExitCode self ("--benchmarks" : options) ""
