{-# LANGUAGE OverloadedStrings #-}

-- | Results as a table, for a terminal and for a page.
module Tern.Bench.Report
  ( headers,
    linesOf,
    renderPage,
    renderTerminal,
    renderMoved,
    place,
  )
where

import Data.Maybe (listToMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Bench.Case (Result (..), Results (..), Role (..), Row (..))
import Tern.Bench.Page (Nursery, nurseryWords)
import Tern.Lab.Result (Machine (..))
import Tern.Lab.Stats (Spread (..))
import Tern.Lab.Table (Align (..), bytes, columns, duration, markdown, percent, ratio)

headers :: [Text]
headers =
  [ "case",
    "codec",
    "best",
    "median",
    "of it collector",
    "times the limit",
    "times as fast as the peer",
    "allocated",
    "promised"
  ]

aligns :: [Align]
aligns = [ToLeft, ToLeft, ToRight, ToRight, ToRight, ToRight, ToRight, ToRight, ToLeft]

-- | A case's rows; ratios are of the best runs. The limit is the fastest of what was
-- written by hand: others of it show what it costs to be safe for threads, or not to know
-- the record by heart.
linesOf :: Result -> [[Text]]
linesOf Result {..} = zipWith line (True : repeat False) rows
  where
    line first Row {..} =
      [ if first then name else "",
        contender,
        duration (best time),
        duration (median time),
        maybe "" duration (filter' (> 0.5) collector),
        case least (map snd byHand) of
          Just limit
            | part == Own || part == ByHand,
              (contender, limit) `notElem` byHand ->
                ratio (best time) limit
          _ -> "",
        if part == Peer then "" else maybe "" (\other -> ratio other (best time)) peer,
        bytes (round allocated),
        if first then goal else ""
      ]
    byHand = timesOf ByHand
    peer = listToMaybe (map snd (timesOf Peer))
    timesOf wanted = [(contender row, best (time row)) | row <- rows, part row == wanted]
    least found = if null found then Nothing else Just (minimum found)
    filter' keep found = if any keep found then found else Nothing

-- | Markdown, with where it was measured, and with which nursery.
renderPage :: Nursery -> Results -> Text
renderPage nursery Results {..} =
  T.unlines $
    markdown aligns (headers : concatMap linesOf results)
      <> [ "",
           T.concat
             [ "Best and median CPU time of one operation in interleaved rounds. ",
               place machine,
               maybe "" ("; " <>) (nurseryWords nursery),
               "; differences below ",
               percent (maximum (0 : map floorOfTime results)),
               " may be noise."
             ]
         ]

-- | What a document of pandoc-types takes to decode and to encode, in a sentence, where both
-- were measured; and statuses of twitter-types, where these were too.
renderMoved :: Results -> Maybe Text
renderMoved Results {..} = do
  decoded <- gain "decode a document of pandoc-types"
  encoded <- gain "encode a document of pandoc-types"
  pure $
    T.concat
      [ "Beside its own instances for aeson, by ",
        compiler machine,
        ", a document decodes ",
        decoded,
        " and encodes ",
        encoded,
        " times as fast",
        maybe "" besides statuses,
        ".\n"
      ]
  where
    statuses =
      (,)
        <$> gain "decode 1,000 statuses of twitter-types"
        <*> gain "encode 1,000 statuses of twitter-types"
    besides (decoded, encoded) =
      T.concat [", a thousand statuses of twitter-types ", decoded, " and ", encoded, " times"]
    gain wanted = listToMaybe $ do
      one <- filter ((== wanted) . name) results
      Row {time = ours} <- filter ((== Own) . part) (rows one)
      Row {time = theirs} <- filter ((== Peer) . part) (rows one)
      pure (ratio (best theirs) (best ours))

renderTerminal :: Results -> Text
renderTerminal Results {..} =
  T.unlines (columns aligns (headers : concatMap linesOf results) <> ["", place machine])

-- | By which compiler and on which machine.
place :: Machine -> Text
place Machine {..} =
  T.intercalate ", " (filter (not . T.null) ["Measured with " <> compiler, system, processor])
