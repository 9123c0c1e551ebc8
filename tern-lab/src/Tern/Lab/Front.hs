{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The codecs of one comparison as a picture for a front page: what takes how long, and how
-- many bytes it makes.
--
-- The idea: of all comparisons the one with the most codecs, and with many different records
-- rather than one; a codec a line, the one that decodes fastest on top, a bar for each of three
-- figures. Of two ways to derive one library's codec the faster one is shown. Ink that shows
-- on white and on black alike, and nothing behind it.
module Tern.Lab.Front
  ( front,
    proof,
  )
where

import Data.Foldable (minimumBy)
import Data.List (nubBy, sortOn)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Maybe (fromMaybe, isJust, listToMaybe)
import Data.Ord (Down (..), comparing)
import Data.Text (Text)
import Data.Text qualified as T
import Numeric (showFFloat)
import Tern.Lab.Html (escaped)
import Tern.Lab.Report (times)
import Tern.Lab.Result
  ( Comparison (..),
    Cost (..),
    Library (..),
    Machine (..),
    Results (..),
    Row (..),
  )
import Tern.Lab.Stats (Spread (..))
import Tern.Lab.Table (bytes, duration, grouped)

-- | As SVG, if anything was compared.
front :: Results -> Maybe Text
front results = drawn results.machine <$> largest results

largest :: Results -> Maybe Comparison
largest results = listToMaybe (sortOn weight results.comparisons)
  where
    weight one = Down (length one.rows, isJust one.records)

-- | A codec's name has its library's before a dash.
libraryOf :: Row -> Text
libraryOf row = T.takeWhile (/= '-') row.codec

-- | In words: the JSON of the same record beside the fastest codec of aeson, once and many times,
-- a sentence for each of the results.
proof :: [Results] -> Text
proof every = T.unlines [sentence one | one <- every]
  where
    sentence results =
      T.concat
        [ "Beside ",
          T.intercalate
            " and "
            ( [ "aeson " <> library.version
                | library <-
                    fromMaybe [] results.machine.libraries,
                  library.name == "aeson"
              ]
                <> [results.machine.compiler]
            ),
          ", the JSON of this record decodes and encodes ",
          T.intercalate
            "; "
            [ told one
              | one <-
                  results.comparisons,
                Just one.subject == fmap (.subject) (largest results)
            ],
          "."
        ]
    told one = case ( filter
                        ((== "tern") . (.codec))
                        one.rows,
                      filter ((== "aeson") . libraryOf) one.rows
                    ) of
      (own : _, first : others) ->
        let against direction =
              times
                one.floorOfTime
                direction
                own
                ( minimumBy
                    (comparing (median . time . direction))
                    (first :| others)
                )
         in T.concat
              [ against decode,
                " and ",
                against encode,
                " times as fast",
                maybe
                  ", again and again"
                  ( \n ->
                      T.concat [" where they are ", grouped n, " different ones, all kept"]
                  )
                  one.records
              ]
      _ -> "without a codec to compare with"

drawn :: Machine -> Comparison -> Text
drawn machine one =
  T.unlines $
    [ T.concat
        [ "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 ",
          num width,
          " ",
          num height,
          "\" width=\"",
          num width,
          "\" height=\"",
          num height,
          "\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#7a828e\">"
        ],
      T.concat ["<title>", escaped title, "</title>"],
      T.concat ["<text x=\"8\" y=\"16\" font-size=\"13\">", escaped title, "</text>"]
    ]
      <> concat (zipWith column [0 ..] measures)
      <> zipWith label [0 ..] shown
      <> [ T.concat
             [ "<text x=\"8\" y=\"",
               num (height - 8),
               "\" font-size=\"11\">",
               escaped measured,
               "</text>"
             ],
           "</svg>"
         ]
  where
    title =
      T.concat
        [ one.about,
          maybe
            ""
            ( \n ->
                T.concat [", ", grouped n, " different ones, all results kept"]
            )
            one.records
        ]
    measured =
      T.intercalate
        ", "
        ( [machine.compiler, machine.processor]
            <> [ T.concat [library.name, " ", library.version]
                 | library <-
                     fromMaybe [] machine.libraries
               ]
        )
    shown = nubBy alike (sortOn (median . time . decode) one.rows)
    alike a b = libraryOf a == libraryOf b && formatOf a == formatOf b
    formatOf row = fromMaybe "json" row.codecFormat
    each n = fromIntegral n / fromIntegral (maximum (1 : maybe [] pure one.records)) :: Double
    measures =
      [ ("decode" :: Text, median . time . decode, duration),
        ("encode", median . time . encode, duration),
        ("bytes of each", each . payload, \n -> bytes (round n))
      ]
    (left, plot, gap, line) = (170, 190, 80, 22) :: (Double, Double, Double, Double)
    width = left + 3 * (plot + gap)
    height = 70 + line * fromIntegral (length shown)
    y index = 44 + line * fromIntegral (index :: Int)
    label index row =
      T.concat
        [ "<text x=\"",
          num (left - 8),
          "\" y=\"",
          num (y index + 13),
          "\" text-anchor=\"end\"",
          if ours row
            then " font-weight=\"bold\""
            else "",
          ">",
          escaped (named row),
          "</text>"
        ]
    named row
      | formatOf row `elem` [libraryOf row, "cbor"] = libraryOf row
      | otherwise =
          T.concat [libraryOf row, ", ", if formatOf row == "json" then "JSON" else formatOf row]
    ours row = libraryOf row == "tern"
    column :: Int -> (Text, Row -> Double, Double -> Text) -> [Text]
    column index (name, figure, shownAs) =
      T.concat ["<text x=\"", num start, "\" y=\"36\">", name, "</text>"]
        : concat (zipWith bars [0 ..] shown)
      where
        start = left + fromIntegral index * (plot + gap)
        longest = maximum (1 : map figure shown)
        bars row it =
          [ T.concat
              [ "<rect x=\"",
                num start,
                "\" y=\"",
                num (y row),
                "\" width=\"",
                num (max 1 (plot * figure it / longest)),
                "\" height=\"17\" fill=\"",
                if ours it
                  then "#2c8a3c"
                  else "#2f7fc1",
                "\"/>"
              ],
            T.concat
              [ "<text x=\"",
                num (start + max 1 (plot * figure it / longest) + 6),
                "\" y=\"",
                num (y row + 13),
                "\">",
                shownAs (figure it),
                "</text>"
              ]
          ]
    num v = T.pack (showFFloat (Just 1) (v :: Double) "")
