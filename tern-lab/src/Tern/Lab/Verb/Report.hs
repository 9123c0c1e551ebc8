{-# LANGUAGE OverloadedStrings #-}

-- | @tern-lab report@: results that were kept, shown again or put into a page.
module Tern.Lab.Verb.Report
  ( verb,
    Options (..),
  )
where

import Control.Monad (forM)
import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Except (except)
import Data.Bifunctor (first)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.Foldable (for_)
import Data.Maybe (fromMaybe, isJust, mapMaybe)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.IO qualified as T
import Options.Applicative hiding (style)
import Tern.File (writeWhole)
import Tern.Lab.Complaint (Complaint (..), readingFile, writingFile)
import Tern.Lab.Front (front, proof)
import Tern.Lab.Report (intoPage, renderComparison, renderMarkdown, renderSummary, terminalStyle)
import Tern.Lab.Result (Results (..), decodeResults)
import Tern.Lab.Verb (Verb (..))

-- | @tern-lab report@. With @--into@ or @--svg@ files are written, and nothing is printed.
verb :: Verb
verb =
  Verb
    { verbName = "report",
      verbSummary = "Show results that compare --json printed, or put them into a page",
      verbLesson =
        [ "With --into, the lines of the page between <!-- results --> and <!-- /results --> \
          \are replaced by a summary; results of further compilers give it a column each; those \
          \between <!-- proof --> and <!-- /proof --> by sentences about the largest record:",
          "  tern-lab demo --json > results.json",
          "  tern-lab report results.json --into README.md",
          "With --svg, the codecs of the largest comparison are drawn as a picture for white \
          \and for black pages."
        ],
      verbOptions =
        Options
          <$> some
            ( argument
                str
                ( metavar "FILE.."
                    <> help "what tern-lab compare --json or demo --json printed"
                    <> action "file"
                )
            )
          <*> optional
            ( strOption
                ( long "into"
                    <> metavar "PAGE"
                    <> help "a Markdown page with a place for results"
                    <> action "file"
                )
            )
          <*> optional
            ( strOption
                ( long "svg"
                    <> metavar "PICTURE"
                    <> help "draw speed and size, of the first of the results"
                    <> action "file"
                )
            )
          <*> switch (long "markdown" <> help "print tables in Markdown"),
      verbPlan = Right,
      verbRun = \Options {..} -> do
        found <- forM results $ \path -> do
          bytes <- readingFile path "results of tern-lab compare --json" (B.readFile path)
          except (first (about path) (decodeResults bytes))
        for_ drawing $ \path -> case mapMaybe front (take 1 found) of
          drawn : _ -> writingFile path (writeWhole path (L.fromStrict (T.encodeUtf8 drawn)))
          [] -> except (Left (about path "nothing was compared that could be drawn"))
        case page of
          Nothing | isJust drawing -> pure ()
          Nothing
            | markdown ->
                liftIO (mapM_ (T.putStr . renderMarkdown) (concatMap comparisons found))
          Nothing -> do
            style <- liftIO terminalStyle
            liftIO (mapM_ (T.putStr . renderComparison style) (concatMap comparisons found))
          Just path -> do
            old <- readingFile path "a Markdown page" (B.readFile path)
            text <- except (first (about path . T.pack . show) (T.decodeUtf8' old))
            let summary = case found of
                  one : others -> renderSummary one others
                  [] -> T.empty
                summarised = intoPage "results" summary text
                proved = intoPage "proof" (proof found) (fromMaybe text summarised)
            new <- except (maybe (Left (about path noPlace)) Right (proved <|> summarised))
            writingFile path (writeWhole path (L.fromStrict (T.encodeUtf8 new)))
    }
  where
    about path message = DataComplaint (path <> ": " <> T.unpack message)
    noPlace =
      "no place for results; expected a line <!-- results --> and after it a line <!-- /results -->"

-- | What was given on the command line.
data Options = Options
  { results :: [FilePath],
    page :: Maybe FilePath,
    drawing :: Maybe FilePath,
    markdown :: Bool
  }
  deriving stock (Eq, Show)
