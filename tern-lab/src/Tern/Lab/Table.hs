{-# LANGUAGE OverloadedStrings #-}

-- | Columns of text, and figures as people read them.
module Tern.Lab.Table
  ( -- * Columns
    Align (..),
    columns,
    markdown,
    bar,

    -- * Figures
    duration,
    bytes,
    grouped,
    counted,
    memory,
    ratio,
    percent,
  )
where

import Data.List (transpose)
import Data.Text (Text)
import Data.Text qualified as T
import Numeric (showFFloat)

-- | At which side of its column a cell stands.
data Align = ToLeft | ToRight
  deriving stock (Eq, Show)

-- | Rows of cells as lines with two spaces between the columns.
--
-- >>> columns [ToLeft, ToRight] [["a", "10"], ["bcd", "9"]]
-- ["a    10","bcd   9"]
columns :: [Align] -> [[Text]] -> [Text]
columns aligns rows = map (T.stripEnd . T.intercalate "  " . zipWith3 pad aligns widths) rows
  where
    widths = map (maximum . map T.length) (transpose rows)
    pad align width = case align of
      ToLeft -> T.justifyLeft width ' '
      ToRight -> T.justifyRight width ' '

-- | The same as a table in Markdown, whose first row is the head.
markdown :: [Align] -> [[Text]] -> [Text]
markdown aligns rows = case map line rows of
  [] -> []
  first : rest -> first : line (map rule aligns) : rest
  where
    line cells = T.concat ["| ", T.intercalate " | " cells, " |"]
    rule = \case
      ToLeft -> "---"
      ToRight -> "---:"

-- | A bar for @part@ (0 to 1) of @width@ columns, to an eighth of a column; never none.
--
-- >>> bar 4 0.5
-- "\9608\9608"
bar :: Int -> Double -> Text
bar width part = T.replicate whole "█" <> T.take rest' (T.drop (rest - 1) "▏▎▍▌▋▊▉")
  where
    (whole, rest) = max 1 (min (8 * width) (round (part * 8 * fromIntegral width))) `divMod` 8
    rest' = min 1 rest

-- | Nanoseconds, to three digits.
--
-- >>> map duration [48.25, 1234, 5678901]
-- ["48.2 ns","1.23 \181s","5.68 ms"]
duration :: Double -> Text
duration ns
  | ns < 999.5 = digits ns <> " ns"
  | ns < 999.5e3 = digits (ns / 1e3) <> " µs"
  | ns < 999.5e6 = digits (ns / 1e6) <> " ms"
  | otherwise = digits (ns / 1e9) <> " s"

-- | A number to three digits, or all digits before the point.
digits :: Double -> Text
digits x = fixed (if x < 9.995 then 2 else if x < 99.95 then 1 else 0) x

fixed :: Int -> Double -> Text
fixed places x = T.pack (showFFloat (Just places) x "")

-- | A count of bytes, exact, in groups of three digits.
--
-- >>> bytes 874782
-- "874,782 B"
bytes :: Int -> Text
bytes n = grouped n <> " B"

-- | A count in groups of three digits.
grouped :: Int -> Text
grouped n = T.intercalate "," (reverse (map T.reverse (T.chunksOf 3 (T.reverse (T.pack (show n))))))

-- | A count of things that have a name.
--
-- >>> map (`counted` "commit") [0, 1, 1200]
-- ["0 commits","1 commit","1,200 commits"]
counted :: Int -> Text -> Text
counted n what = T.concat [grouped n, " ", what, if n == 1 then "" else "s"]

-- | Memory in units of 1,024 and its powers.
--
-- >>> memory 5242880
-- "5.00 MiB"
memory :: Int -> Text
memory n
  | n < 1024 = T.pack (show n) <> " B"
  | n < 1024 * 1024 = digits (fromIntegral n / 1024) <> " KiB"
  | n < 1024 * 1024 * 1024 = digits (fromIntegral n / 1048576) <> " MiB"
  | otherwise = digits (fromIntegral n / 1073741824) <> " GiB"

-- | How many times as much.
--
-- >>> ratio 364 48
-- "7.58"
ratio :: Double -> Double -> Text
ratio a b
  | b > 0 = digits (a / b)
  | otherwise = "-"

-- | A part as a percentage, to the next tenth: an upper bound.
--
-- >>> percent 0.0131
-- "1.4 %"
percent :: Double -> Text
percent part = fixed 1 (max 0.1 (fromIntegral (ceiling (1000 * part) :: Int) / 10)) <> " %"
