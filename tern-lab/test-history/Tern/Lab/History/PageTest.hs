{-# LANGUAGE OverloadedStrings #-}

-- | The reports as their readers use them.
module Tern.Lab.History.PageTest (tests) where

import Data.List (isInfixOf)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import System.Directory (doesFileExist, findExecutable)
import System.Exit (ExitCode (..))
import System.FilePath ((</>))
import System.Process (CreateProcess (..), proc, readCreateProcessWithExitCode)
import Tern.Lab.Browser (inBrowser)
import Tern.Lab.Fixture (withFixture)
import Tern.Lab.History.Metric (defaultThresholds)
import Tern.Lab.History.Report.Graph (graph, pgfplots)
import Tern.Lab.History.Report.Page (page)
import Tern.Lab.Stories (halved, measured, plan, within)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "reports"
    [ testCaseInfo "the page in a browser" browsed,
      testCaseInfo "the source for pgfplots compiles" typeset
    ]

-- | A reader hovers, drags a range and goes back to the whole.
browsed :: IO String
browsed = withFixture halved $ \folder -> do
  results <- measured (within folder) plan
  inBrowser
    (page defaultThresholds results)
    script
    ( @?= "series 3, bands 2, tip begin true, range 2, rows 2, whole 3, escaped true"
    )
  where
    script =
      T.unlines
        [ "const said = [];",
          "const area = () => document.querySelector('.area');",
          "const at = part => { const box = area().getBoundingClientRect(); return { clientX: \
          \box.left + box.width * part, clientY: box.top + 20, bubbles: true }; };",
          "const shown = () => document.querySelectorAll('.chart \
          \text[font-family=monospace]').length;",
          "said.push('series ' + document.querySelectorAll('path.series').length);",
          "said.push('bands ' + document.querySelectorAll('.chart \
          \rect[opacity=\"0.15\"]').length);",
          "area().dispatchEvent(new MouseEvent('mousemove', at(0.1)));",
          "const tip = document.querySelector('.tip');",
          "said.push('tip begin ' + (!tip.hidden && tip.textContent.includes('begin') && \
          \tip.textContent.includes('Allocations')));",
          "area().dispatchEvent(new MouseEvent('mousedown', at(0.5)));",
          "area().dispatchEvent(new MouseEvent('mouseup', at(0.9)));",
          "said.push('range ' + shown());",
          "said.push('rows ' + document.querySelectorAll('table.list tbody tr').length);",
          "[...document.querySelectorAll('button')].find(b => b.textContent === 'Whole \
          \range').click();",
          "said.push('whole ' + shown());",
          "said.push('escaped ' + [...document.querySelectorAll('td')].some(c => c.textContent \
          \=== 'halve <it> & more'));",
          "return said.join(', ');"
        ]

typeset :: IO String
typeset =
  findExecutable "pdflatex" >>= \case
    Nothing -> pure "skipped: no pdflatex on PATH"
    Just latex -> withFixture halved $ \folder -> do
      results <- measured (within folder) plan
      T.writeFile (folder </> "graph.tex") (pgfplots (graph defaultThresholds "run" results))
      (code, out, _) <-
        readCreateProcessWithExitCode
          ( ( proc
                latex
                [ "-interaction=nonstopmode",
                  "-halt-on-error",
                  "graph.tex"
                ]
            )
              { cwd = Just folder
              }
          )
          ""
      let missing = "File `" `isInfixOf` out && "' not found" `isInfixOf` out
      if missing
        then pure "skipped: pgfplots or standalone is not installed"
        else do
          assertBool (unlines (reverse (take 25 (reverse (lines out))))) (code == ExitSuccess)
          made <- doesFileExist (folder </> "graph.pdf")
          assertBool "a page" made
          pure latex
