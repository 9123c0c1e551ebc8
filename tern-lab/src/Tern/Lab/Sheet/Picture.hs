{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | A sheet as a picture that needs nothing else: for READMEs, and for browsers without
-- scripts.
--
-- The idea: one bar for each entry up to its median, with a line over the middle half of
-- its rounds. Ink that shows on white and on black alike, and nothing behind it. Several
-- stand below each other in one picture.
module Tern.Lab.Sheet.Picture
  ( picture,
    pictures,
  )
where

import Data.List.NonEmpty (NonEmpty)
import Data.Maybe (isJust)
import Data.Text (Text)
import Data.Text qualified as T
import Numeric (showFFloat)
import Tern.Lab.Html (escaped)
import Tern.Lab.Sheet
import Tern.Lab.Stats (Spread (..), spread)

-- | Of the figure that is named, where some entry has it.
picture :: Text -> Sheet -> Text
picture name sheet = framed (T.concat [heading sheet, ", ", name]) [drawn name sheet]

-- | Of all sheets one below the other: of each the CPU time, and how long the output is
-- where it has one; what nothing has is left out. One thing in several sizes is a picture
-- for each size.
pictures :: Text -> [Sheet] -> Text
pictures title sheets =
  framed
    title
    [ drawn name sheet
      | sheet <- sheets,
        name <- [cpuTime, "payload"],
        any (isJust . figureNamed name) sheet.entries
    ]

-- | Drawings with their heights, below each other.
framed :: Text -> [(Double, [Text])] -> Text
framed title drawings =
  T.concat $
    [ T.concat
        [ "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 680 ",
          num height,
          "\" width=\"680\" height=\"",
          num height,
          "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#7a828e\">"
        ],
      T.concat ["<title>", escaped title, "</title>"]
    ]
      <> concat
        [ [T.concat ["<g transform=\"translate(0 ", num y, ")\">"]] <> inner <> ["</g>"]
          | (y, (_, inner)) <- zip (scanl (+) 0 (map fst drawings)) drawings
        ]
      <> ["</svg>\n"]
  where
    height = max 30 (sum (map fst drawings))

-- | One sheet's bars of a figure, and how high they are together.
drawn :: Text -> Sheet -> (Double, [Text])
drawn name sheet =
  ( 34 + 26 * fromIntegral (length found),
    T.concat
      [ "<text x=\"8\" y=\"16\" font-size=\"13\">",
        escaped (T.concat [about, ", ", name]),
        "</text>"
      ]
      : concat (zipWith row [0 ..] found)
  )
  where
    found =
      [ (entry, figure, times)
        | entry <-
            sheet.entries,
          Just figure <- [figureNamed name entry],
          Just times <- [sample figure]
      ]
    longest = maximum (1 : [upperQuartile (spread times) | (_, _, times) <- found])
    -- A length is that of what is encoded, whichever sheet tells it.
    about
      | name == "payload" = fst (T.breakOn ": decode" (heading sheet))
      | otherwise = heading sheet
    (left, plot) = (220, 360) :: (Double, Double)
    x v = left + plot * v / longest
    row :: Int -> (Entry, Figure, NonEmpty Double) -> [Text]
    row index (entry, figure, times) =
      [ T.concat
          [ "<text x=\"",
            num (left - 8),
            "\" y=\"",
            num (y + 15),
            "\" text-anchor=\"end\">",
            escaped (short entry.name),
            "</text>"
          ],
        T.concat
          [ "<rect x=\"",
            num left,
            "\" y=\"",
            num (y + 2),
            "\" width=\"",
            num (max 1 (x median - left)),
            "\" height=\"18\" fill=\"",
            colour,
            "\"/>"
          ],
        T.concat
          [ "<line x1=\"",
            num (x lowerQuartile),
            "\" y1=\"",
            num (y + 11),
            "\" x2=\"",
            num (x upperQuartile),
            "\" y2=\"",
            num (y + 11),
            "\" stroke=\"#c9302c\" stroke-width=\"3\"/>"
          ],
        T.concat
          [ "<text x=\"",
            num (left + plot + 8),
            "\" y=\"",
            num (y + 15),
            "\">",
            renderFigure figure.unit median,
            "</text>"
          ]
      ]
      where
        Spread {..} = spread times
        y = 26 + 26 * fromIntegral index :: Double
        colour = if index == 0 then "#2c8a3c" else "#2f7fc1"
    short text = if T.length text > 30 then T.take 29 text <> "…" else text

num :: Double -> Text
num v = T.pack (showFFloat (Just 1) v "")
