{-# LANGUAGE OverloadedStrings #-}

-- | Reports as files: each @x.json@ in @test\/golden@ is a result, and beside it
-- lie its report for a terminal and the one in Markdown.
--
-- With the environment variable @TERN_GOLDEN=write@ the reports are written
-- anew.
module Tern.Lab.ReportTest (tests) where

import Control.Monad (forM_)
import Data.ByteString qualified as B
import Data.List (isPrefixOf, sortOn)
import Data.Maybe (mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import System.Directory (listDirectory)
import System.Environment (lookupEnv)
import System.FilePath ((<.>), (</>))
import Tern.Lab.Front (front, proof)
import Tern.Lab.Report
  ( Style (..),
    intoPage,
    plain,
    renderComparison,
    renderMarkdown,
    renderSummary,
  )
import Tern.Lab.Result (Comparison, Results (..), decodeResults, encodeResults)
import Tern.Lab.Table (Align (..), bar, bytes, columns, duration)
import Tern.Testkit.Tally (inCheckout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (scale)
import Text.Read (readMaybe)

tests :: TestTree
tests =
  testGroup
    "report"
    [ golden "two-codecs" "txt" (T.concat . map (renderComparison plain)),
      golden "two-codecs" "colour.txt" (T.concat . map (renderComparison Style {colours = True})),
      testCase "the summary" $ do
        results <- load "two-codecs"
        check "two-codecs.summary.md" (renderSummary results []),
      golden "rounds" "txt" (T.concat . map (renderComparison plain)),
      golden "rounds" "md" (T.concat . map renderMarkdown),
      testCase "the summary beside another compiler's" $ do
        results <- load "rounds"
        others <- load "rounds-other"
        check "rounds.summary.md" (renderSummary results [others]),
      golden "two-codecs" "md" (T.concat . map renderMarkdown),
      inCheckout "the pages' figures are those of docs/measured" $ do
        kept <- filter ("demo-ghc-" `isPrefixOf`) <$> listDirectory "../docs/measured"
        measured <- mapM (B.readFile . ("../docs/measured/" <>)) (sortOn compilerVersion kept)
        results <- either (assertFailure . T.unpack) pure (traverse decodeResults measured)
        page <- T.decodeUtf8 <$> B.readFile "../docs/results.md"
        readme <- T.decodeUtf8 <$> B.readFile "../README.md"
        picture <- T.decodeUtf8 <$> B.readFile "../docs/figures.svg"
        case results of
          [] -> assertFailure "no figures"
          first : others -> do
            intoPage "results" (renderSummary first others) page @?= Just page
            front first @?= Just picture
            intoPage "proof" (proof results) readme @?= Just readme,
      testCase "a page without a place for results is left alone" $
        map
          (intoPage "results" "new")
          [ "",
            "<!-- results -->\n",
            "<!-- /results -->\n<!-- results -->\n"
          ]
          @?= [Nothing, Nothing, Nothing],
      testCase "results read back from their JSON" $ do
        results <- load "two-codecs"
        decodeResults (encodeResults results) @?= Right results,
      testCase "results of another format are refused" $ do
        results <- load "two-codecs"
        decodeResults (encodeResults results {format = "tern-lab 99"})
          @?= Left "its format is tern-lab 99, expected tern-lab compare 1",
      testCase "a result that is no result says so" $
        either (const True) (const False) (decodeResults "{\"format\":1}") @? "accepted",
      testProperty
        "a bar is never wider than its room and never empty"
        . forAll (choose (0, 1))
        $ \part ->
          let width =
                T.length (bar 20 part)
           in counterexample (show width) (width >= 1 && width <= 20),
      testProperty "a longer time is never shown shorter" $ \(Positive a) (Positive b) ->
        (a <= b) ==> inNanoseconds (duration a) <= inNanoseconds (duration (b :: Double)),
      testProperty "bytes are shown to the last digit" $ \(NonNegative n) ->
        T.filter (`notElem` (", B" :: String)) (bytes n) === T.pack (show n),
      testCase "rows line up" $
        columns [ToLeft, ToRight] [["a", "1"], ["long", "1,000"]] @?= ["a         1", "long  1,000"]
    ]

-- | @demo-ghc-9.10.json@ comes after @demo-ghc-9.6.json@.
compilerVersion :: FilePath -> [Int]
compilerVersion =
  mapMaybe (readMaybe . T.unpack) . T.splitOn "." . T.pack . drop (length ("demo-ghc-" :: String))

golden :: FilePath -> String -> ([Comparison] -> Text) -> TestTree
golden name extension render = testCase (name <.> extension) $ do
  results <- load name
  check (name <.> extension) (render (comparisons results))

-- | Against the file, which is written first where that was asked for.
check :: FilePath -> Text -> IO ()
check name rendered = do
  let path = "test/golden" </> name
  writing <- lookupEnv "TERN_GOLDEN"
  forM_ writing $ \_ -> B.writeFile path (T.encodeUtf8 rendered)
  expected <- B.readFile path
  rendered @?= T.decodeUtf8 expected

load :: FilePath -> IO Results
load name = do
  bytes' <- B.readFile ("test/golden" </> name <.> "json")
  either (assertFailure . T.unpack) pure (decodeResults bytes')

-- | What a shown duration stands for.
inNanoseconds :: Text -> Double
inNanoseconds text = case T.words text of
  [number, unit] -> read (T.unpack number) * scale unit
  _ -> -1
  where
    scale = \case
      "ns" -> 1
      "µs" -> 1e3
      "ms" -> 1e6
      _ -> 1e9 :: Double
