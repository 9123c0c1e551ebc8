{-# LANGUAGE OverloadedStrings #-}

-- | Results as a table, for a terminal and for a page.
module Tern.Bench.Report
  ( headers,
    linesOf,
    renderPage,
    renderTerminal,
  )
where

import Data.List (find)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Bench.Case (Result (..), Results (..), Role (..), Row (..))
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
    "times by hand",
    "times as fast as the peer",
    "allocated",
    "promised"
  ]

aligns :: [Align]
aligns = [ToLeft, ToLeft, ToRight, ToRight, ToRight, ToRight, ToRight, ToRight, ToLeft]

-- | A case's rows; ratios are of the best runs.
linesOf :: Result -> [[Text]]
linesOf Result {..} = zipWith line (True : repeat False) rows
  where
    line first Row {..} =
      [ if first then name else "",
        contender,
        duration (best time),
        duration (median time),
        maybe "" duration (filter' (> 0.5) collector),
        -- A second limit shows what it costs to be safe for threads.
        if part /= Peer && not (isLimit contender)
          then against ByHand (\other -> ratio (best time) other)
          else "",
        if part == Peer then "" else against Peer (\other -> ratio other (best time)),
        bytes (round allocated),
        if first then goal else ""
      ]
    isLimit who = take 1 [contender row | row <- rows, part row == ByHand] == [who]
    filter' keep found = if any keep found then found else Nothing
    against wanted f = maybe "" (f . best . time) (find ((== wanted) . part) rows)

-- | Markdown, with where it was measured.
renderPage :: Results -> Text
renderPage Results {..} =
  T.unlines $
    markdown aligns (headers : concatMap linesOf results)
      <> [ "",
           T.concat
             [ "Best and median CPU time of one operation in interleaved rounds. ",
               place machine,
               "; differences below ",
               percent (maximum (0 : map floorOfTime results)),
               " may be noise."
             ]
         ]

renderTerminal :: Results -> Text
renderTerminal Results {..} =
  T.unlines (columns aligns (headers : concatMap linesOf results) <> ["", place machine])

place :: Machine -> Text
place Machine {..} =
  T.intercalate ", " (filter (not . T.null) ["Measured with " <> compiler, system, processor])
