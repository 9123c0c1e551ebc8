{-# LANGUAGE OverloadedStrings #-}

-- | A comparison as people read it: tables with bars on a terminal, or
-- Markdown for a document.
--
-- The JSON form is "Tern.Lab.Result"'s own.
module Tern.Lab.Report
  ( -- * A terminal
    Style (..),
    plain,
    terminalStyle,
    renderComparison,

    -- * Markdown
    renderMarkdown,
    renderSummary,
    intoPage,
  )
where

import Data.Foldable (minimumBy)
import Data.List qualified as List
import Data.Maybe (fromMaybe, isJust, listToMaybe)
import Data.Ord (comparing)
import Data.Text (Text)
import Data.Text qualified as T
import System.Environment (lookupEnv)
import System.IO (hIsTerminalDevice, stdout)
import Tern.Lab.Result
import Tern.Lab.Stats (Spread (..))
import Tern.Lab.Table

-- | How the terminal may be used.
newtype Style = Style
  { -- | Whether escape codes for colours are understood and wanted.
    colours :: Bool
  }
  deriving stock (Eq, Show)

plain :: Style
plain = Style {colours = False}

-- | Colours on a terminal, unless the environment variable @NO_COLOR@ is there
-- and not empty.
terminalStyle :: IO Style
terminalStyle = do
  terminal <- hIsTerminalDevice stdout
  forbidden <- lookupEnv "NO_COLOR"
  pure Style {colours = terminal && fromMaybe "" forbidden == ""}

-- | The title, a table for each direction, one for sizes, what they answer, and what
-- the machine could not see.
renderComparison :: Style -> Comparison -> Text
renderComparison style comparison =
  T.unlines $
    [title style comparison, ""]
      <> concatMap (section style) (tables comparison)
      <> [line | found@(_ : _) <- [answers comparison], line <- map ("  " <>) found <> [""]]
      <> map ("  " <>) (notes comparison)
      <> [""]

-- | The same as Markdown.
renderMarkdown :: Comparison -> Text
renderMarkdown comparison =
  T.unlines $
    ["### " <> heading comparison, ""]
      <> concatMap one (tables comparison)
      <> [line | found@(_ : _) <- [answers comparison], line <- map ("- " <>) found <> [""]]
      <> notes comparison
      <> [""]
  where
    one Section {..} = markdown aligns (headers : map cells entries) <> [""]

-- | One table for all comparisons: the first codec, and the first of its library
-- in each further format, beside the fastest of another library; of JSON beside
-- one of JSON, else beside one of any binary format. And where it was measured.
renderSummary :: Results -> Text
renderSummary Results {machine = Machine {..}, comparisons} =
  T.unlines $
    markdown (ToLeft : replicate 5 ToRight) (headers : concatMap lines' comparisons)
      <> [ "",
           T.concat
             [ "Medians of CPU time of one operation and bytes that it allocates; the fastest codec of another library in brackets. Measured with ",
               T.intercalate ", " (filter (not . T.null) [compiler, system, processor]),
               ", ",
               T.pack (show cores),
               if cores == 1 then " core" else " cores",
               "; differences below ",
               percent (List.foldl' max 0 (map floorOfTime comparisons)),
               " may be noise."
             ]
         ]
  where
    headers = ["", "time", "other", "times", "allocated", "other"]
    lines' Comparison {subject, rows} =
      [ line name subject direction own (filter (not . kin first) (filter (comparable own) rows))
        | first : _ <- [rows],
          own <- firsts (filter (\row -> row == first || kin first row) rows),
          any (\row -> not (kin first row) && comparable own row) rows,
          (name, direction) <- [("encode", encode), ("decode", decode)]
      ]
    line name subject direction own others =
      let middle = median . time . direction
          other = minimumBy (comparing middle) others
       in [ T.concat [name, " ", subject, if isText own then "" else ", " <> formatOf own],
            duration (middle own),
            T.concat [duration (middle other), " (", codec other, ")"],
            ratio (middle other) (middle own),
            bytes (round (allocated (direction own))),
            bytes (round (allocated (direction other)))
          ]
    firsts = List.nubBy (\a b -> formatOf a == formatOf b)
    formatOf = fromMaybe "json" . codecFormat
    isText row = formatOf row == "json"
    comparable a b = isText a == isText b
    -- Of one library: its name is followed by a dash.
    kin own row = row == own || T.isPrefixOf (codec own <> "-") (codec row)

-- | The page with the text between the lines @\<!-- NAME --\>@ and
-- @\<!-- \/NAME --\>@ replaced. Nothing where they are not there.
--
-- >>> intoPage "results" "new\n" "a\n<!-- results -->\nold\n<!-- /results -->\nb\n"
-- Just "a\n<!-- results -->\n\nnew\n\n<!-- /results -->\nb\n"
intoPage :: Text -> Text -> Text -> Maybe Text
intoPage name text page = case (T.breakOn open page, T.breakOn close page) of
  ((before, rest), (upTo, after))
    | not (T.null rest), not (T.null after), T.length before < T.length upTo -> Just (T.concat [before, open, "\n", text, "\n", after])
  _ -> Nothing
  where
    open = T.concat ["<!-- ", name, " -->\n"]
    close = T.concat ["<!-- /", name, " -->\n"]

heading :: Comparison -> Text
heading Comparison {..} = T.concat [subject, ": ", about, maybe "" (" in " <>) input]

title :: Style -> Comparison -> Text
title Style {colours} comparison
  | colours = T.concat ["\ESC[1m", heading comparison, "\ESC[0m"]
  | otherwise = heading comparison

-- | One table.
data Section = Section
  { headers :: [Text],
    aligns :: [Align],
    entries :: [Entry]
  }

-- | One line of it, with the part of the longest bar that its own takes.
data Entry = Entry
  { cells :: [Text],
    part :: Maybe Double
  }

section :: Style -> Section -> [Text]
section Style {colours} Section {..} =
  zipWith (<>) (map ("  " <>) (padded (columns aligns (headers : map cells entries)))) ("" : zipWith drawn [0 :: Int ..] entries)
    <> [""]
  where
    padded cellLines
      | any (isJust . part) entries =
          map (T.justifyLeft (maximum (map T.length cellLines)) ' ') cellLines
      | otherwise = cellLines
    drawn index Entry {part} = case part of
      Nothing -> ""
      Just p
        | colours -> T.concat ["  \ESC[", if index == 0 then "32" else "34", "m", bar 20 p, "\ESC[0m"]
        | otherwise -> "  " <> bar 20 p

tables :: Comparison -> [Section]
tables Comparison {rows} =
  [costs "encode" encode rows, costs "decode" decode rows, sizes rows]

costs :: Text -> (Row -> Cost) -> [Row] -> Section
costs name direction rows =
  Section
    { headers = [name, "best", "median", "quartiles", "allocated", ratioHead rows],
      aligns = ToLeft : replicate 5 ToRight,
      entries = map entry rows
    }
  where
    slowest = List.foldl' max 0 (map middle rows)
    middle = median . time . direction
    entry row =
      Entry
        { cells =
            [ codec row,
              duration best,
              duration median,
              T.concat [duration lowerQuartile, " … ", duration upperQuartile],
              bytes (round (allocated (direction row))),
              maybe "-" (ratio median . middle) (listToMaybe rows)
            ],
          part = Just (if slowest > 0 then median / slowest else 0)
        }
      where
        Spread {..} = time (direction row)

ratioHead :: [Row] -> Text
ratioHead = \case
  first : _ -> "times " <> codec first
  [] -> "times"

sizes :: [Row] -> Section
sizes rows =
  Section
    { headers = ["size", "payload", "gzipped", "peak"],
      aligns = ToLeft : replicate 3 ToRight,
      entries = map entry rows
    }
  where
    entry Row {..} =
      Entry {cells = [codec, bytes payload, bytes gzipped, maybe "-" memory peak], part = Nothing}

-- | The three questions that article 002 asked of two codecs, asked of all: how fast,
-- how much memory, how compact? Nothing where there is one codec only.
answers :: Comparison -> [Text]
answers Comparison {rows} = case rows of
  _ : _ : _ ->
    [ asked "How fast" "takes the least time" (\direction -> median . time . direction) duration,
      asked "How much memory" "allocates least" (\direction -> allocated . direction) whole,
      T.concat ["How compact? The payload is smallest in ", least (fromIntegral . payload) whole, ", gzipped in ", least (fromIntegral . gzipped) whole, "."]
    ]
  _ -> []
  where
    asked :: Text -> Text -> ((Row -> Cost) -> Row -> Double) -> (Double -> Text) -> Text
    asked question does figure render =
      T.concat [question, "? Encoding ", does, " in ", least (figure encode) render, ", decoding in ", least (figure decode) render, ", both in ", least (\row -> figure encode row + figure decode row) render, "."]
    whole = bytes . round
    -- The codec, its figure, and how many times that the first codec has.
    least :: (Row -> Double) -> (Double -> Text) -> Text
    least figure render =
      let best' = minimumBy (comparing figure) rows
       in T.concat [codec best', " (", render (figure best'), T.concat [", " <> ratio (figure first) (figure best') <> " times less than " <> codec first | first <- take 1 rows, codec first /= codec best', figure best' > 0], ")"]

-- | What a reader must know to trust the figures.
notes :: Comparison -> [Text]
notes Comparison {..} =
  T.concat
    [ "This machine cannot see below ",
      percent floorOfTime,
      " here (the same code against itself, ",
      T.pack (show rounds),
      " interleaved rounds)."
    ]
    : [ "It was busy with something else: wall time is much above CPU time, so expect a wide spread."
        | any busy rows
      ]
  where
    busy Row {encode, decode} = any (\Cost {..} -> wall > 1.5 * median time) [encode, decode]
