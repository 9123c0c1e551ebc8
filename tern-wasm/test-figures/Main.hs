{-# LANGUAGE OverloadedStrings #-}

-- | The tables of the README are made of what is kept in @docs/measured@.
module Main (main) where

import Data.ByteString qualified as B
import Data.List (isPrefixOf)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Figures
  ( Cost (..),
    Engine (..),
    Figures (..),
    Program (..),
    Ran (..),
    Row (..),
    Vectors (..),
    figuresVersion,
    renderCosts,
    renderFigures,
    renderProgram,
    renderVectors,
  )
import System.Directory (listDirectory)
import Tern (decodeJson, renderError)
import Tern.Lab.Report (intoPage)
import Tern.Testkit.Tally (inCheckout, runSuite)
import Test.Tasty (testGroup)
import Test.Tasty.HUnit

main :: IO ()
main =
  runSuite . testGroup "figures" $
    [ inCheckout "the README's tables are those of docs/measured" $ do
        figures <- kept
        page <- T.decodeUtf8 <$> B.readFile "README.md"
        intoPage "figures" (renderFigures figures) page @?= Just page
        intoPage "vectors" (renderVectors figures) page @?= Just page
        intoPage "costs" (renderCosts figures) page @?= Just page
        intoPage "program" (renderProgram figures) page @?= Just page,
      inCheckout "a time that changes changes its table" $ do
        figures <- kept
        let slower = figures {figuresRows = [r {rowSeconds = map (2 *) (rowSeconds r)} | r <- rows]}
            rows = figuresRows figures
            costing s = renderCosts figures {figuresCosts = Just [Cost "a call" s]}
        assertBool "the programs" (renderFigures slower /= renderFigures figures)
        let looped s =
              renderVectors
                figures {figuresVectors = Just (Vectors [Engine "node" "20"] [Row "dot" 1000 [s]])}
        take 4 (T.lines (looped 0.000000123))
          @?= [ "| program | node |",
                "| --- | ---: |",
                "| dot | 0.123 |",
                "| geometric mean | 0.123 |"
              ]
        map costing [0.0047, 0.00004, 0.00000025]
          @?= [ T.unlines ["| what | time |", "| --- | ---: |", "| a call | " <> t <> " |"]
                | t <- ["4.7 ms", "40 µs", "0.25 µs"]
              ]
        let ran = Ran (Engine "wasmtime" "50") 14.2 0.204 0.2 639.4
            program = Program (figuresMachine figures) 36018798 "puts 1" [ran]
        take 3 (T.lines (renderProgram figures {figuresProgram = Just program}))
          @?= [ "| engine | load | first run | next run | memory |",
                "| --- | ---: | ---: | ---: | ---: |",
                "| wasmtime | 14.20 s | 0.20 s | 0.20 s | 639 MB |"
              ]
    ]
  where
    kept = do
      files <- filter ("wasm-ghc-" `isPrefixOf`) <$> listDirectory "../docs/measured"
      case files of
        [file] -> do
          bytes <- B.readFile ("../docs/measured/" <> file)
          figures <- either (assertFailure . T.unpack . renderError bytes) pure (decodeJson bytes)
          figuresFormat figures @?= figuresVersion
          pure figures
        _ -> assertFailure ("not one file of figures: " <> unwords files)
