{-# LANGUAGE OverloadedStrings #-}

-- | Findings where people work: as files for code hosts and editors, without those
-- that were there before or that the source allows, and on a page with their lines.
module Tern.Lab.Core.NoticeTest (tests) where

import Data.ByteString qualified as B
import Data.List (isInfixOf, isPrefixOf)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.IO qualified as T
import System.Directory (findExecutable)
import System.FilePath ((</>))
import System.Process (callProcess)
import Tern (Error, decodeJson)
import Tern.Lab.Browser (inBrowser)
import Tern.Lab.Core.Command (lab)
import Tern.Value (Value)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "where people work"
    [ testCase "SARIF, annotations and warnings name the place" noticed,
      testCase "only what a change brought" since,
      testCase "what the source allows with a reason, and not without" allowed,
      testCase "what was inlined into another function is its own" inlined,
      testCase "what its one user took is its own after a run too" taken,
      testCaseInfo "the page has lines, bars and an overview" paged
    ]

program :: [Text] -> [(FilePath, [Text])]
program above =
  [ ( "Main.hs",
      [ "module Main (main) where",
        "",
        "import Data.IORef",
        "",
        "main :: IO ()",
        "main = count 20000 >>= print",
        ""
      ]
        <> above
        <> [ "count :: Int -> IO Int",
             "count n = do",
             "  cell <- newIORef 0",
             "  mapM_ (\\x -> modifyIORef cell (+ x)) [1 .. n]",
             "  readIORef cell",
             "{-# NOINLINE count #-}"
           ]
    )
  ]

noticed :: Assertion
noticed = lab (program []) $ \(run, folder) -> do
  (out, _) <- run ["Main.hs", "--github", "--sarif", "x.sarif", "--diagnostics", "x.log"]
  assertBool
    out
    ( "::warning file=Main.hs,line=11,col=" `isPrefixOf` out
        && "title=lazy-state::" `isInfixOf` out
    )
  sarif <- B.readFile (folder </> "x.sarif")
  either
    (assertFailure . const "no JSON")
    (const (pure ()))
    (decodeJson sarif :: Either Error Value)
  let text = T.unpack (T.decodeUtf8 sarif)
  assertBool
    text
    ( all
        (`isInfixOf` text)
        [ "\"2.1.0\"",
          "\"ruleId\":\"lazy-state\"",
          "\"startLine\":11",
          "\"uri\":\"Main.hs\""
        ]
    )
  said <- T.readFile (folder </> "x.log")
  assertBool
    (T.unpack said)
    ( "Main.hs:11:" `T.isPrefixOf` said
        && "warning: [-Wtern-lazy-state]" `T.isInfixOf` said
    )

since :: Assertion
since =
  findExecutable "git" >>= \case
    Nothing -> pure ()
    Just _ -> lab (program []) $ \(run, folder) -> do
      let git words' =
            callProcess
              "git"
              ( ["-C", folder, "-c", "user.name=x", "-c", "user.email=x@x"]
                  <> words'
              )
      git ["init", "-q"]
      git ["add", "."]
      git ["commit", "-q", "-m", "first"]
      T.appendFile
        (folder </> "Main.hs")
        "\nother :: Int -> Int\nother n = iterate (\\x -> (x * 3 + 1) `mod` 7) 1 !! n\n{-# \
        \NOINLINE other #-}\n"
      source <- T.readFile (folder </> "Main.hs")
      T.writeFile
        (folder </> "Main.hs")
        ( T.replace
            "count 20000 >>= print"
            "count (other 20000) >>= print"
            source
        )
      (all', _) <- run ["Main.hs"]
      assertBool all' ("modifyIORef" `isInfixOf` all' && "iterate" `isInfixOf` all')
      (new, _) <- run ["Main.hs", "--since", "HEAD"]
      assertBool new (not ("modifyIORef" `isInfixOf` new) && "iterate" `isInfixOf` new)

allowed :: Assertion
allowed = do
  lab (program ["-- tern-lab: lazy-state: it is read at once"]) $ \(run, _) -> do
    (out, err) <- run ["Main.hs"]
    assertBool
      out
      ( not ("why:" `isInfixOf` out)
          && "Main.count, lazy-state: it is read at once" `isInfixOf` out
      )
    err @?= ""
    (every, _) <- run ["Main.hs", "--all"]
    assertBool every ("why:" `isInfixOf` every)
  lab (program ["-- tern-lab: lazy-state"]) $ \(run, _) -> do
    (out, err) <- run ["Main.hs"]
    assertBool out ("why:" `isInfixOf` out)
    assertBool err ("Main.hs:8: nothing is allowed without a reason" `isPrefixOf` err)

-- | No variable says where the first stood, and the second makes its array where it was taken.
taken :: Assertion
taken = lab [("Main.hs", rows)] $ \(run, _) -> do
  (out, _) <- run ["Main.hs", "--run", "{exe}"]
  assertBool out ("Main.hs:9:15  main (in seen)" `isInfixOf` out && "OldList.nub" `isInfixOf` out)
  assertBool
    out
    ("Main.hs:13:8  main (in marked)" `isInfixOf` out && "newArray for numbers" `isInfixOf` out)
  where
    rows =
      [ "module Main (main) where",
        "",
        "import Control.Monad (forM_)",
        "import Data.Array (Array, elems)",
        "import Data.Array.ST (newArray, runSTArray, writeArray)",
        "import Data.List (nub)",
        "",
        "seen :: [(Int, Int)] -> [Int]",
        "seen events = nub (map fst events)",
        "",
        "marked :: Int -> Array Int Bool",
        "marked n = runSTArray $ do",
        "  a <- newArray (2, n) True",
        "  forM_ [2, 4 .. n] $ \\i -> writeArray a i False",
        "  pure a",
        "",
        "main :: IO ()",
        "main = do",
        "  print (length (seen [((i * 7919) `mod` 1500, i) | i <- [1 .. 5000]]))",
        "  print (length (filter id (elems (marked 300000))))"
      ]

-- | Both loops are in @main@ when the optimiser begins.
inlined :: Assertion
inlined = lab [("Gr\246\223e one.hs", rows)] $ \(run, folder) -> do
  (out, err) <- run ["Gr\246\223e one.hs", "--sarif", "x.sarif"]
  assertBool out ("(in second)" `isInfixOf` out && "Gr\246\223e one.hs:15:" `isInfixOf` out)
  assertBool out (not ("(in third)" `isInfixOf` out) && "it is short" `isInfixOf` out)
  err @?= ""
  sarif <- T.unpack . T.decodeUtf8 <$> B.readFile (folder </> "x.sarif")
  assertBool sarif ("\"uri\":\"Gr%C3%B6%C3%9Fe%20one.hs\"" `isInfixOf` sarif)
  assertBool
    sarif
    ( all
        (`isInfixOf` sarif)
        ["\"Main/main/first/lazy-state\"", "\"Main/main/second/lazy-state\""]
    )
  where
    rows =
      ["module Main (main) where", "import Data.IORef"]
        <> concatMap loop [("first", ""), ("second", ""), ("third", "it is short")]
        <> [ "main :: IO ()",
             "main = do",
             "  first 20000 >>= print",
             "  second 20000 >>= print",
             "  third 20000 >>= print"
           ]
    loop :: (Text, Text) -> [Text]
    loop (name, reason) =
      [ "",
        if T.null reason then "-- A loop." else "-- tern-lab: lazy-state: " <> reason,
        name <> " :: Int -> IO Int",
        name <> " n = do",
        "  cell <- newIORef 0",
        "  mapM_ (\\x -> modifyIORef cell (+ x)) [1 .. n]",
        "  readIORef cell"
      ]

paged :: IO String
paged = lab (program []) $ \(run, folder) -> do
  _ <- run ["Main.hs", "--run", "{exe}"]
  _ <- run ["try", "1"]
  _ <- run ["Main.hs", "--run", "{exe}", "--html", "x.html"]
  text <- T.readFile (folder </> "x.html")
  assertBool "the line" ("<em>   11  " `T.isInfixOf` text && "modifyIORef cell" `T.isInfixOf` text)
  inBrowser text script (@?= "bar true, line true, tried true, modules true, numbered true")
  where
    script =
      T.unlines
        [ "const first = document.querySelector('#listed > li'), said = [];",
          "const bar = first.querySelector('.bar'), part = bar.querySelector('i');",
          "said.push('bar ' + (part.offsetWidth > 0 && part.offsetWidth <= bar.offsetWidth));",
          "said.push('line ' + first.querySelector('.source \
          \em').textContent.includes('modifyIORef'));",
          "said.push('tried ' + first.querySelector('.good').textContent.includes('% bytes'));",
          "const modules = [...document.querySelectorAll('.flame .module')];",
          "const width = modules.reduce((n, m) => n + m.offsetWidth, 0);",
          "said.push('modules ' + (modules.length > 0 && width > 500 && \
          \document.querySelector('.flame').scrollWidth <= window.innerWidth));",
          "said.push('numbered ' + (first.value === 1));",
          "return said.join(', ');"
        ]
