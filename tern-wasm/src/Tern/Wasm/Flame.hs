{-# LANGUAGE OverloadedStrings #-}

-- | Samples of open functions as a flame graph.
--
-- The idea: rows with the same beginning are one box of the width of all their
-- samples, with what they called standing on it. The picture is one SVG file
-- without scripts; a box shows its name and share when it is pointed at.
--
-- Start at 'flameGraph'.
module Tern.Wasm.Flame
  ( flameGraph,
    foldedStacks,
  )
where

import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T

-- | A function and its samples: those that end in it, and what it called.
data Tree = Tree !Int !(Map Text Tree)

grow :: Map [Text] Int -> Tree
grow = foldr (\(row, n) t -> insert row n t) (Tree 0 Map.empty) . Map.toList
  where
    insert row n (Tree k m) = case row of
      [] -> Tree (k + n) m
      f : rest -> Tree (k + n) (Map.alter (Just . insert rest n . fromMaybe (Tree 0 Map.empty)) f m)

-- | Each row in one line, names parted by semicolons, and its samples: what other
-- tools draw from.
foldedStacks :: Map [Text] Int -> Text
foldedStacks rows =
  T.unlines
    [ T.intercalate ";" (map (T.replace ";" ":") row) <> " " <> shown n
      | (row, n) <-
          Map.toList rows
    ]

-- | The SVG, 1200 wide. Boxes below a fifth of a unit are left out.
flameGraph :: Map [Text] Int -> Text
flameGraph rows =
  T.concat
    [ "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1200\" height=\"",
      shown height,
      "\" font-family=\"monospace\" font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" \
      \fill=\"#fffdf8\"/>\n",
      T.concat (boxes 0 0 "all" tree),
      "</svg>\n"
    ]
  where
    tree@(Tree total _) = grow rows
    deepest = maximum (0 : map length (Map.keys rows))
    height = 20 + 18 * (deepest + 1)
    scale = 1200 / fromIntegral (max 1 total) :: Double
    boxes :: Int -> Int -> Text -> Tree -> [Text]
    boxes depth from name (Tree n below)
      | fromIntegral n * scale < 0.2 = []
      | otherwise =
          box depth from name n
            : concat (zipWith (\at (f, t) -> boxes (depth + 1) at f t) places called)
      where
        called = Map.toList below
        places = scanl (+) from [k | (_, Tree k _) <- called]
    box depth from name n =
      T.concat
        [ "<g><title>",
          escaped name,
          " - ",
          shown n,
          " samples, ",
          decimal (100 * fromIntegral n / fromIntegral (max 1 total)),
          " %</title><rect x=\"",
          decimal x,
          "\" y=\"",
          shown y,
          "\" width=\"",
          decimal wide,
          "\" height=\"17\" fill=\"",
          colour name,
          "\"/>",
          if wide > 24
            then
              T.concat
                [ "<text x=\"",
                  decimal (x + 3),
                  "\" y=\"",
                  shown (y + 13),
                  "\">",
                  escaped (T.take (floor ((wide - 6) / 7.3)) name),
                  "</text>"
                ]
            else "",
          "</g>\n"
        ]
      where
        x = fromIntegral from * scale
        wide = fromIntegral n * scale
        y = height - 10 - 18 * (depth + 1)
    -- A colour that a name always has.
    colour name =
      let h = T.foldl' (\k c -> (k * 31 + fromEnum c) `mod` 997) 7 name
       in T.concat
            [ "hsl(",
              shown (20 + h `mod` 35),
              ",",
              shown (60 + h `mod` 25),
              "%,",
              shown (62 + h `mod` 14),
              "%)"
            ]
    escaped = T.concatMap $ \case
      '<' -> "&lt;"
      '>' -> "&gt;"
      '&' -> "&amp;"
      '"' -> "&quot;"
      c -> if c < ' ' then "?" else T.singleton c
    decimal :: Double -> Text
    decimal v = let n = round (v * 10) :: Int in shown (n `div` 10) <> "." <> shown (n `mod` 10)

shown :: Int -> Text
shown = T.pack . show
