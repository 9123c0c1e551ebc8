{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Where results go: what is printed, the file that keeps them, the page that shows
-- them.
module Tern.Lab.Verb.Output
  ( Output (..),
    Printed (..),
    onTerminal,
    outputOptions,
    printedOption,
    savedOption,
    writable,
    writtenSoFar,
    written,
    writePage,
    bounded,
  )
where

import Control.Monad (filterM)
import Control.Monad.Trans.Except (ExceptT)
import Data.ByteString.Lazy qualified as L
import Data.Foldable (toList)
import Data.Maybe (listToMaybe)
import Data.Text (Text)
import Data.Text.Encoding qualified as T
import Options.Applicative
import System.IO.Error (ioeSetFileName, modifyIOError)
import Tern.File (isReplaced, writeWhole)
import Tern.Lab.Complaint (Complaint, writingFile)
import Tern.Lab.Outlet (ready)
import Tern.Lab.Saved (Saved, keep, laidOut, machineOf, makeRoom, placeOf, sheetsOf)
import Tern.Lab.Sheet.Page (page)
import Tern.Lab.Sheet.Picture (pictures)

-- | How results are printed, and the files that they are written to.
data Output = Output
  { printed :: Printed,
    -- | A name or a path, for results as JSON.
    saved :: Maybe FilePath,
    -- | For a page.
    html :: Maybe FilePath,
    -- | For a picture.
    svg :: Maybe FilePath
  }
  deriving stock (Eq, Show)

-- | How results are printed.
data Printed = ForTerminal | ForMarkdown | ForPrograms
  deriving stock (Eq, Show)

-- | Tables, and no files.
onTerminal :: Output
onTerminal = Output {printed = ForTerminal, saved = Nothing, html = Nothing, svg = Nothing}

-- | Without any of these options it is 'onTerminal'.
outputOptions :: Parser Output
outputOptions =
  Output
    <$> printedOption
    <*> optional savedOption
    <*> optional
      ( strOption
          ( long "html"
              <> metavar "FILE"
              <> help "write a page that shows everything and needs nothing else"
              <> action "file"
          )
      )
    <*> optional
      ( strOption
          ( long "svg"
              <> metavar "FILE"
              <> help "draw times and sizes, for white and for black pages, as of a README"
              <> action "file"
          )
      )

-- | @--markdown@ or @--json@, of which only one may be given.
printedOption :: Parser Printed
printedOption =
  flag' ForMarkdown (long "markdown" <> help "print tables in Markdown")
    <|> flag'
      ForPrograms
      ( long "json"
          <> help "print one line of JSON (nanoseconds, bytes) at the end"
      )
    <|> pure ForTerminal

-- | @--save@: what 'placeOf' makes a path of.
savedOption :: Parser FilePath
savedOption =
  strOption
    ( long "save"
        <> metavar "NAME"
        <> help
          "keep what there is, after each step, as tern-lab-saved/NAME.json; with a slash or a \
          \dot in it NAME is a path"
        <> action "file"
    )

-- | Now, and not after the first measurement: can they be written? Nothing that is there
-- is touched.
writable :: Output -> ExceptT Complaint IO ()
writable output = do
  mapM_
    ( \name ->
        writingFile (placeOf name) (makeRoom name >> ready (placeOf name))
    )
    output.saved
  mapM_ (\path -> writingFile path (ready path)) (toList output.html <> toList output.svg)

-- | What there is after a step. What is no regular file, as a pipe, gets all at the end.
writtenSoFar :: Output -> Text -> Saved -> IO ()
writtenSoFar output title it = do
  saved <- filterM (isReplaced . placeOf) (toList output.saved)
  html <- filterM isReplaced (toList output.html)
  svg <- filterM isReplaced (toList output.svg)
  written
    output {saved = listToMaybe saved, html = listToMaybe html, svg = listToMaybe svg}
    title
    it

-- | All files, whole: what is kept, the page of a title, and the picture.
written :: Output -> Text -> Saved -> IO ()
written output title it = do
  mapM_ (\name -> naming (placeOf name) (keep name (laidOut it))) output.saved
  mapM_ (\path -> naming path (writePage path title it)) output.html
  mapM_
    ( \path ->
        naming path (writeWhole path (L.fromStrict (T.encodeUtf8 (pictures title (sheetsOf it)))))
    )
    output.svg
  where
    -- What a full disk says does not name the file.
    naming path = modifyIOError (`ioeSetFileName` path)

-- | Whole or not at all.
writePage :: FilePath -> Text -> Saved -> IO ()
writePage path title it =
  writeWhole path (L.fromStrict (T.encodeUtf8 (page title (machineOf it) (sheetsOf it))))

-- | A number between two others.
bounded :: String -> Int -> Int -> ReadM Int
bounded what low high =
  auto >>= \n ->
    if n < low || n > high
      then
        readerError
          ( concat
              [ "expected ",
                show low,
                " to ",
                show high,
                " ",
                what,
                ", got ",
                show n
              ]
          )
      else pure n
