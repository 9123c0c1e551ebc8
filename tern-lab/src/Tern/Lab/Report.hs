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
    times,
    intoPage,
  )
where

import Data.Foldable (minimumBy)
import Data.List qualified as List
import Data.List.NonEmpty (NonEmpty)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (fromMaybe, isJust, isNothing, listToMaybe)
import Data.Ord (comparing)
import Data.Text (Text)
import Data.Text qualified as T
import System.Environment (lookupEnv)
import System.IO (hIsTerminalDevice, stdout)
import Tern.Lab.Interval (Interval (..), fewestRounds, interval, seen)
import Tern.Lab.Result
  ( Comparison (..),
    Cost (..),
    Decoded (..),
    Library (..),
    Machine (..),
    Results (..),
    Row (..),
  )
import Tern.Lab.Stats (Spread (..))
import Tern.Lab.Table
  ( Align (..),
    bar,
    bytes,
    columns,
    duration,
    grouped,
    markdown,
    memory,
    percent,
    ratio,
  )
import Tern.Lab.Winner (quickest)

-- | How the terminal may be used.
newtype Style = Style
  { -- | Whether escape codes for colours are understood and wanted.
    colours :: Bool
  }
  deriving stock (Eq, Show)

-- | Without escape codes, as for a file.
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
-- in each further format, beside the other library's codec with the least median; of
-- JSON beside one of JSON, else beside one of any binary format. Further results, of
-- other compilers, give a column each: how many times as long their other codec
-- takes. And where it was measured.
renderSummary :: Results -> [Results] -> Text
renderSummary first others =
  T.unlines $
    markdown
      (ToLeft : replicate (length headers - 1) ToRight)
      (headers : concatMap lines' (comparisons first))
      <> [ "",
           T.concat
             [ "Medians of CPU time of one operation and the bytes that it allocates; in \
               \brackets the other library's codec with the least median. *Kept*: as many \
               \different records, one after the other, of which all results stay in memory; \
               \the figures are those of one. Where no number of times is shown, ",
               noDifference,
               "."
             ]
         ]
      <> map measuredWith (first : others)
  where
    headers =
      ["", "time", "of it collector", "other", "of it collector", "times"]
        <> map (("times, " <>) . versionsOf . machine) others
        <> ["allocated", "other"]
    versionsOf Machine {compiler, libraries} =
      T.intercalate
        ", "
        ( compiler
            : [named one | one@(Library "aeson" _) <- fromMaybe [] libraries]
        )
    lines' comparison@Comparison {rows} =
      [ line comparison direction name own other (map (elsewhere comparison name own) others)
        | one : _ <- [rows],
          own <- firsts (filter (\row -> row == one || kin one row) rows),
          Just _ <- [beside one own rows],
          (name, direction) <- directions,
          Just other <- [fastest direction <$> beside one own rows]
      ]
    directions :: [(Text, Row -> Cost)]
    directions = [("encode", encode), ("decode", decode)]
    line Comparison {subject, records, floorOfTime} direction name own other further =
      [ T.concat
          [ name,
            " ",
            subject,
            kept records,
            if isText own
              then ""
              else ", " <> formatOf own
          ],
        duration (middleOf own),
        maybe "" duration (collector (direction own)),
        T.concat [duration (middleOf other), " (", codec other, ")"],
        maybe "" duration (collector (direction other)),
        times floorOfTime direction own other
      ]
        <> further
        <> [ bytes (round (allocated (direction own))),
             bytes (round (allocated (direction other)))
           ]
      where
        middleOf = median . time . direction
    -- The same line of results of another compiler.
    elsewhere Comparison {subject, records} name own results =
      fromMaybe "" . listToMaybe $
        [ times (floorOfTime there) direction again other
          | there <- comparisons results,
            sameLine there,
            one : _ <- [rows there],
            again <- take 1 (filter ((== codec own) . codec) (rows there)),
            Just direction <- [lookup name directions],
            Just other <- [fastest direction <$> beside one again (rows there)]
        ]
      where
        sameLine (Comparison {subject = subject', records = records'}) =
          subject' == subject && records' == records
    kept = maybe "" (\n -> T.concat [", ", grouped n, " kept"])
    firsts = List.nubBy (\a b -> formatOf a == formatOf b)
    -- What a row is compared with, if there is anything.
    beside one own rows =
      NonEmpty.nonEmpty
        ( filter
            ( \row ->
                not (kin one row) && row /= one && comparable own row
            )
            rows
        )
    fastest direction = minimumBy (comparing (median . time . direction))
    formatOf = fromMaybe "json" . codecFormat
    isText row = formatOf row == "json"
    comparable a b = isText a == isText b
    -- Of one library: its name is followed by a dash.
    kin own row = row == own || T.isPrefixOf (codec own <> "-") (codec row)

-- | How many times as long as the first row the second one takes, above a floor of time.
times :: Double -> (Row -> Cost) -> Row -> Row -> Text
times floorOfTime direction own other
  | noneKept = ratio (median (time (direction other))) (median (time (direction own)))
  | otherwise =
      maybe
        noDifference
        (\found -> ratio (middle found) 1)
        (seenIn floorOfTime (samplesOf direction) other own)
  where
    noneKept = isNothing (samples (direction own)) || isNothing (samples (direction other))

noDifference :: Text
noDifference = "no difference is seen"

-- | Where and with what it was measured, and what cannot be seen there.
measuredWith :: Results -> Text
measuredWith Results {machine = Machine {..}, comparisons} =
  T.concat
    [ "Measured with ",
      T.intercalate ", " (filter (not . T.null) [compiler, system, processor]),
      ", ",
      T.pack (show cores),
      if cores == 1 then " core" else " cores",
      maybe "" ((" and " <>) . T.intercalate ", " . map named) libraries,
      "; differences below ",
      percent (List.foldl' max 0 (map floorOfTime comparisons)),
      " may be noise."
    ]

named :: Library -> Text
named Library {..} = T.concat [name, " ", version]

-- | The times of each round, where they were kept.
samplesOf :: (Row -> Cost) -> Row -> Maybe (NonEmpty Double)
samplesOf direction row = samples (direction row) >>= NonEmpty.nonEmpty

-- | How many times as long the first row takes as the second, if that is certain.
seenIn :: Double -> (Row -> Maybe (NonEmpty Double)) -> Row -> Row -> Maybe Interval
seenIn floorOfTime figures a b = do
  first <- figures a
  second <- figures b
  seen floorOfTime first second

-- | The page with the text between the lines @\<!-- NAME --\>@ and
-- @\<!-- \/NAME --\>@ replaced. Nothing where they are not there.
--
-- >>> intoPage "results" "new\n" "a\n<!-- results -->\nold\n<!-- /results -->\nb\n"
-- Just "a\n<!-- results -->\n\nnew\n\n<!-- /results -->\nb\n"
intoPage :: Text -> Text -> Text -> Maybe Text
intoPage name text page = case (T.breakOn open page, T.breakOn close page) of
  ((before, rest), (upTo, after))
    | not (T.null rest),
      not (T.null after),
      T.length before < T.length upTo ->
        Just (T.concat [before, open, "\n", text, "\n", after])
  _ -> Nothing
  where
    open = T.concat ["<!-- ", name, " -->\n"]
    close = T.concat ["<!-- /", name, " -->\n"]

heading :: Comparison -> Text
heading Comparison {..} =
  T.concat
    [ subject,
      ": ",
      about,
      maybe "" (" in " <>) input,
      maybe
        ""
        ( \n ->
            T.concat ["; ", grouped n, " different ones, all results kept"]
        )
        records
    ]

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
  zipWith
    (<>)
    ( map
        ("  " <>)
        (padded (columns aligns (headers : map cells entries)))
    )
    ("" : zipWith drawn [0 :: Int ..] entries)
    <> [""]
  where
    padded cellLines
      | any (isJust . part) entries =
          map (T.justifyLeft (maximum (map T.length cellLines)) ' ') cellLines
      | otherwise = cellLines
    drawn index Entry {part} = case part of
      Nothing -> ""
      Just p
        | colours ->
            T.concat ["  \ESC[", if index == 0 then "32" else "34", "m", bar 20 p, "\ESC[0m"]
        | otherwise -> "  " <> bar 20 p

tables :: Comparison -> [Section]
tables comparison@Comparison {rows} =
  [costs "encode" encode [] comparison, costs "decode" decode reads' comparison, sizes rows]
  where
    -- Where a document was given, what of the rows' is its own bytes.
    reads' = [("reads", whatIsRead) | any (maybe False fromFile . decodes) rows]
    whatIsRead row = case decodes row of
      Just Decoded {..} -> T.concat [if fromFile then "the file, " else "its own, ", bytes size]
      Nothing -> "-"

-- | The table of one direction, with further columns.
costs :: Text -> (Row -> Cost) -> [(Text, Row -> Text)] -> Comparison -> Section
costs name direction further Comparison {rows, records} =
  Section
    { headers =
        [name, "best", "median", "quartiles"] <> map fst shown <> ["allocated", ratioHead rows],
      aligns = ToLeft : replicate (5 + length shown) ToRight,
      entries = map entry rows
    }
  where
    slowest = List.foldl' max 0 (map middleOf rows)
    middleOf = median . time . direction
    shown = [("collector", maybe "-" duration . collector . direction) | isJust records] <> further
    entry row =
      Entry
        { cells =
            [ codec row,
              duration best,
              duration median,
              T.concat [duration lowerQuartile, " … ", duration upperQuartile]
            ]
              <> map (($ row) . snd) shown
              <> [ bytes (round (allocated (direction row))),
                   maybe "-" (timesThat row) (listToMaybe rows)
                 ],
          part = Just (if slowest > 0 then median / slowest else 0)
        }
      where
        Spread {..} = time (direction row)
    -- Of the ratios of the rounds the middle one, where they were kept.
    timesThat row one = case interval <$> samplesOf direction row <*> samplesOf direction one of
      Just (Just found) -> ratio (middle found) 1
      _ -> ratio (middleOf row) (middleOf one)

ratioHead :: [Row] -> Text
ratioHead = \case
  first : _ -> "times " <> codec first
  [] -> "times"

sizes :: [Row] -> Section
sizes rows =
  Section
    { headers = ["size", "payload", "gzipped"] <> ["zstd" | known] <> ["peak"],
      aligns = ToLeft : replicate (if known then 4 else 3) ToRight,
      entries = map entry rows
    }
  where
    known = any (isJust . zstandard) rows
    entry Row {..} =
      Entry
        { cells =
            [codec, bytes payload, bytes gzipped]
              <> [maybe "-" bytes zstandard | known]
              <> [maybe "-" memory peak],
          part = Nothing
        }

-- | The three questions that article 002 asked of two codecs, asked of all: how fast,
-- how much memory, how compact? Nothing where there is one codec only.
answers :: Comparison -> [Text]
answers Comparison {rows, floorOfTime} = case rows of
  _ : _ : _ ->
    [ "How fast? "
        <> together
          [ ("Encoding", fast (samplesOf encode)),
            ("Decoding", fast (samplesOf decode)),
            ("Both", fast bothWays)
          ],
      T.concat
        [ "How much memory? Encoding allocates least in ",
          least 1 (allocated . encode) whole rows,
          ", decoding in ",
          least 1 (allocated . decode) whole rows,
          ", both in ",
          least
            1
            ( \row ->
                allocated (encode row) + allocated (decode row)
            )
            whole
            rows,
          "."
        ],
      T.concat
        [ "How compact? The payload is smallest in ",
          least 1 (fromIntegral . payload) whole rows,
          ", gzipped in ",
          least 1 (fromIntegral . gzipped) whole rows,
          case traverse zstandard rows of
            Just _ ->
              ", by Zstandard in " <> least 1 (maybe 0 fromIntegral . zstandard) whole rows
            Nothing -> "",
          "."
        ]
    ]
  _ -> []
  where
    whole = bytes . round
    fast figures = quickest floorOfTime [(codec row, figures row) | row <- rows]
    together answered = case answered of
      (_, one) : rest
        | all ((== one) . snd) rest ->
            T.concat [T.toUpper (T.take 1 one), T.drop 1 one, "."]
      _ -> T.unwords [T.concat [what, ": ", one, "."] | (what, one) <- answered]
    -- In the same round, one after the other.
    bothWays row = NonEmpty.zipWith (+) <$> samplesOf encode row <*> samplesOf decode row

-- | The codecs with the least figure, and all whose figures are less than a unit above
-- it.
least :: Double -> (Row -> Double) -> (Double -> Text) -> [Row] -> Text
least unit figure render rows = case NonEmpty.nonEmpty rows of
  Nothing -> "none"
  Just some ->
    let smallest = minimum (NonEmpty.map figure some)
     in T.concat
          [ T.intercalate
              " and "
              [codec row | row <- rows, figure row < smallest + unit],
            " (",
            render smallest,
            ")"
          ]

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
    : [ T.concat
          [ "Of fewer than ",
            T.pack (show fewestRounds),
            " rounds no verdict on times is given."
          ]
        | rounds < fewestRounds
      ]
      <> [ "It was busy with something else: wall time is much above CPU time, so expect a wide \
           \spread."
           | any busy rows
         ]
  where
    busy Row {encode, decode} = any (\Cost {..} -> wall > 1.5 * median time) [encode, decode]
