{-# LANGUAGE OverloadedStrings #-}

-- | The graph of a history: three figures over the commits, each on a
-- logarithmic axis of its own.
--
-- Its one idea: what is drawn is worked out once ('graph'), and drawn twice:
-- as SVG and as source for pgfplots. The layout is that of article 001:
-- allocation on the left, memory and time on two axes to the right, and a step
-- for each commit. A commit without figures leaves a gap.
module Tern.Lab.History.Report.Graph
  ( Graph (..),
    Axis (..),
    graph,
    ticks,
    svg,
    pgfplots,
  )
where

import Data.Maybe (catMaybes, isJust)
import Data.Text (Text)
import Data.Text qualified as T
import Numeric (showFFloat)
import Tern.Lab.History.Git (Commit (..), shortHash)
import Tern.Lab.History.Metric
  ( Direction (..),
    Metric (..),
    Thresholds,
    Unit (..),
    metricTitle,
    metricUnit,
    renderQuantity,
  )
import Tern.Lab.History.Record (Record (..), Results (..), figure)
import Tern.Lab.History.Verdict (Change (..), Flag (..), concerns, flags, renderFlag)
import Tern.Lab.Html (escaped)

-- | All that is drawn of one benchmark.
data Graph = Graph
  { graphTitle :: !Text,
    -- | Short hash, full hash, subject and flags of each commit.
    graphCommits :: ![(Text, Text, Text, [Flag])],
    -- | At most three.
    graphAxes :: ![Axis],
    graphWeb :: !(Maybe Text)
  }
  deriving stock (Eq, Show)

-- | One figure over the commits, in the unit of its metric, with a logarithmic axis.
data Axis = Axis
  { axisMetric :: !Metric,
    axisColour :: !Text,
    -- | Both above 0, and different.
    axisLow :: !Double,
    axisHigh :: !Double,
    -- | One a commit.
    axisValues :: ![Maybe Double]
  }
  deriving stock (Eq, Show)

-- | The graph of one benchmark. A program without a Haskell runtime is drawn
-- by its processor time and memory.
graph :: Thresholds -> Text -> Results -> Graph
graph thresholds name results =
  Graph
    { graphTitle = T.concat [name, ", ", resultsRange results, ", logarithmic axes"],
      graphCommits =
        [ (shortHash (commitHash c), commitHash c, commitSubject c, filter (concerns name) raised)
          | (record, raised) <- flags thresholds results,
            let c = recordCommit record
        ],
      graphAxes = catMaybes (zipWith3 axis [0 ..] ["#2f7fc1", "#3a9a3a", "#d0342c"] shown),
      graphWeb = resultsWeb results
    }
  where
    records = resultsRecords results
    shown
      | any (isJust . figure Allocated name) records = [Allocated, Peak, ProcessTime]
      | otherwise = [ProcessTime, Resident, TotalTime]
    -- Figures that do not change would all lie in the middle, one over the other: each axis has a
    -- little more room above its figures than the one before, and as much less below them.
    axis :: Int -> Text -> Metric -> Maybe Axis
    axis index colour metric = case filter (> 0) (catMaybes values) of
      [] -> Nothing
      positive ->
        Just
          ( Axis
              metric
              colour
              (minimum positive / 1.25 * 1.06 ^ index)
              (maximum positive * 1.25 * 1.06 ^ index)
              values
          )
      where
        values = map (figure metric name) records

-- | Round values between two positive bounds: decades where there are enough
-- of them, else 1, 2 and 5 of each, else even steps.
--
-- >>> ticks 30 2000
-- [50.0,100.0,200.0,500.0,1000.0,2000.0]
ticks :: Double -> Double -> [Double]
ticks low high
  | length decades >= 4 = thinned decades
  | length fives >= 3 = fives
  | otherwise = steps
  where
    exponents = [floor (logBase 10 low) .. ceiling (logBase 10 high)] :: [Int]
    inside x = x >= low * 0.999999 && x <= high * 1.000001
    decades = filter inside [10 ^^ e | e <- exponents]
    fives = filter inside [m * 10 ^^ e | e <- exponents, m <- [1, 2, 5]]
    thinned xs = if length xs > 8 then [x | (i, x) <- zip [0 :: Int ..] xs, even i] else xs
    -- Rounding makes a step at most 2.5 times as long, so that two fit.
    raw = (high - low) / 6
    magnitude = 10 ^^ (floor (logBase 10 raw) :: Int)
    step = magnitude * (if raw >= 5 * magnitude then 5 else if raw >= 2 * magnitude then 2 else 1)
    steps = [step * fromIntegral k | k <- [ceiling (low / step) .. floor (high / step) :: Int]]

-- * SVG

-- | A picture that needs nothing else. Hovering over a step names the commit
-- and its figure; a flag is a mark at the top.
svg :: Graph -> Text
svg g =
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
          "\" font-family=\"sans-serif\" font-size=\"11\">"
        ],
      T.concat ["<title>", escaped (graphTitle g), "</title>"],
      T.concat ["<rect width=\"", num width, "\" height=\"", num height, "\" fill=\"#fff\"/>"],
      T.concat
        [ "<text x=\"",
          num left,
          "\" y=\"18\" font-size=\"14\">",
          escaped (graphTitle g),
          "</text>"
        ],
      T.concat
        [ "<rect x=\"",
          num left,
          "\" y=\"",
          num top,
          "\" width=\"",
          num plot,
          "\" height=\"",
          num tall,
          "\" fill=\"none\" stroke=\"#888\"/>"
        ]
    ]
      <> concat (zipWith flagMark [0 ..] (graphCommits g))
      <> concat (zipWith drawAxis [0 ..] (graphAxes g))
      <> labels
      <> ["</svg>"]
  where
    n = max 1 (length (graphCommits g))
    plot = fromIntegral (max 420 (min 1600 (n * 18))) :: Double
    left = 80
    top = 34
    tall = 300
    width = left + plot + 80 + 80 * fromIntegral (max 0 (length (graphAxes g) - 2))
    height = top + tall + 80
    step = plot / fromIntegral n
    x i = left + step * fromIntegral (i :: Int)
    y axis v =
      top + tall * (1 - (log v - log (axisLow axis)) / (log (axisHigh axis) - log (axisLow axis)))
    drawAxis :: Int -> Axis -> [Text]
    drawAxis k axis =
      let (at, side) = case k of
            0 -> (left, -1)
            _ -> (left + plot + 80 * fromIntegral (k - 1), 1) :: (Double, Double)
          colour = axisColour axis
          anchor = if side < 0 then "end" else "start"
       in [ T.concat ["<g fill=\"", colour, "\">"],
            T.concat
              [ "<line x1=\"",
                num at,
                "\" y1=\"",
                num top,
                "\" x2=\"",
                num at,
                "\" y2=\"",
                num (top + tall),
                "\" stroke=\"",
                colour,
                "\"/>"
              ],
            T.concat
              [ "<text x=\"",
                num at,
                "\" y=\"",
                num (top - 4),
                "\" text-anchor=\"",
                anchor,
                "\">",
                escaped (metricTitle (axisMetric axis)),
                "</text>"
              ]
          ]
            <> [ T.concat
                   [ "<line x1=\"",
                     num at,
                     "\" y1=\"",
                     num (y axis t),
                     "\" x2=\"",
                     num (at + 4 * side),
                     "\" y2=\"",
                     num (y axis t),
                     "\" stroke=\"",
                     colour,
                     "\"/><text x=\"",
                     num (at + 7 * side),
                     "\" y=\"",
                     num (y axis t + 4),
                     "\" text-anchor=\"",
                     anchor,
                     "\">",
                     renderQuantity (metricUnit (axisMetric axis)) t,
                     "</text>"
                   ]
                 | t <- ticks (axisLow axis) (axisHigh axis)
               ]
            <> [ "</g>",
                 T.concat
                   [ "<path d=\"",
                     T.intercalate " " (stepPath axis),
                     "\" fill=\"none\" stroke=\"",
                     colour,
                     "\" stroke-width=\"1.6\"/>"
                   ]
               ]
            <> zipWith3 (hover axis) [0 ..] (graphCommits g) (axisValues axis)
    -- The step of a commit, joined to the one before where that has a figure.
    stepPath axis = concat (zipWith3 segment [0 ..] (Nothing : axisValues axis) (axisValues axis))
      where
        segment i before = \case
          Just v
            | v > 0 ->
                [ T.concat [if usable before then "L" else "M", num (x i), " ", num (y axis v)],
                  T.concat ["L", num (x (i + 1)), " ", num (y axis v)]
                ]
          _ -> []
        usable = maybe False (> 0)
    hover axis i (short, _, subject, raised) = \case
      Just v
        | v > 0 ->
            T.concat
              [ "<rect x=\"",
                num (x i),
                "\" y=\"",
                num (y axis v - 5),
                "\" width=\"",
                num step,
                "\" height=\"10\" fill=\"transparent\"><title>",
                escaped
                  ( T.intercalate
                      "\n"
                      ( T.concat [short, " ", subject]
                          : T.concat
                            [ metricTitle
                                (axisMetric axis),
                              " ",
                              renderQuantity (metricUnit (axisMetric axis)) v
                            ]
                          : map renderFlag raised
                      )
                  ),
                "</title></rect>"
              ]
      _ -> ""
    flagMark i (_, _, _, raised) =
      [ T.concat
          [ "<rect x=\"",
            num (x i),
            "\" y=\"",
            num top,
            "\" width=\"",
            num step,
            "\" height=\"",
            num tall,
            "\" fill=\"",
            colour,
            "\" opacity=\"0.12\"/>"
          ]
        | Just colour <- [flagColour raised]
      ]
    -- With many commits only some have room for their name.
    labels = zipWith label [0 ..] (graphCommits g)
    every = max 1 (ceiling (14 / step)) :: Int
    label i (short, full, subject, _)
      | i `mod` every /= 0 = ""
      | otherwise =
          let text =
                T.concat
                  [ "<text transform=\"translate(",
                    num (x i + step / 2 + 4),
                    " ",
                    num (top + tall + 6),
                    ") rotate(-90)\" text-anchor=\"end\" font-family=\"monospace\">",
                    short,
                    "<title>",
                    escaped subject,
                    "</title></text>"
                  ]
           in maybe
                text
                ( \web ->
                    T.concat ["<a href=\"", escaped web, "/commit/", full, "\">", text, "</a>"]
                )
                (graphWeb g)

-- | Red for what got worse or broke, green for what got better.
flagColour :: [Flag] -> Maybe Text
flagColour raised
  | null raised = Nothing
  | any bad raised = Just "#d0342c"
  | any good raised = Just "#3a9a3a"
  | otherwise = Just "#c9a227"
  where
    bad = \case
      DidNotBuild _ -> True
      DidNotRun _ _ -> True
      Changed _ c -> changeDirection c == Regression
      _ -> False
    good = \case
      Changed _ c -> changeDirection c == Improvement
      _ -> False

num :: Double -> Text
num v = T.pack (trim (showFFloat (Just 1) v ""))
  where
    trim s = case reverse s of
      '0' : '.' : rest -> reverse rest
      _ -> s

-- * pgfplots

-- | A complete LaTeX document with the data in it, for pdflatex or lualatex.
pgfplots :: Graph -> Text
pgfplots g =
  T.unlines $
    [ "\\documentclass[border=2mm]{standalone}",
      "\\usepackage{pgfplots}",
      "\\pgfplotsset{compat=1.14}"
    ]
      <> zipWith define [0 :: Int ..] (graphAxes g)
      <> ["\\begin{document}", "\\begin{tikzpicture}"]
      <> concat (zipWith axis [0 ..] (graphAxes g))
      <> ["\\end{tikzpicture}", "\\end{document}"]
  where
    n = length (graphCommits g)
    define k a =
      T.concat
        [ "\\definecolor{axis",
          T.pack (show k),
          "}{HTML}{",
          T.toUpper (T.drop 1 (axisColour a)),
          "}"
        ]
    axis k a =
      [ "\\begin{axis}[",
        "  scale only axis, width="
          <> num (max 8 (min 40 (fromIntegral n * 0.45)))
          <> "cm, height=8cm,",
        "  ymode=log, xmin=0.5, xmax="
          <> num (fromIntegral n)
          <> ".5, ymin="
          <> exact (axisLow a)
          <> ", ymax="
          <> exact (axisHigh a)
          <> ",",
        "  unbounded coords=jump, log basis y=10,",
        "  axis y line*=" <> (if k == 0 then "left" else "right") <> ",",
        "  ylabel={"
          <> metricTitle (axisMetric a)
          <> unitName (metricUnit (axisMetric a))
          <> "}, ylabel style={color=axis"
          <> number k
          <> "}, yticklabel style={color=axis"
          <> number k
          <> "},"
      ]
        <> ( if k == 0
               then
                 [ "  xtick={" <> T.intercalate "," (map number [1 .. n]) <> "},",
                   "  xticklabels={"
                     <> T.intercalate "," [short | (short, _, _, _) <- graphCommits g]
                     <> "},",
                   "  xticklabel style={rotate=90, anchor=east, font=\\ttfamily\\scriptsize},"
                 ]
               else ["  axis x line=none,"]
           )
        <> [ "  every outer y axis line/.append style={xshift=2cm}, every y tick/.append \
             \style={xshift=2cm}, every y tick label/.append style={xshift=2cm}, ylabel \
             \style={xshift=2cm},"
             | k
                 == 2
           ]
        <> [ "]",
             "\\addplot[const plot mark mid, thick, color=axis" <> number k <> "] coordinates {"
           ]
        <> zipWith
          ( \i v ->
              T.concat ["  (", number i, ",", maybe "nan" positive v, ")"]
          )
          [1 :: Int ..]
          (axisValues a)
        <> ["};", "\\end{axis}"]
    positive v = if v > 0 then exact v else "nan"
    number :: Int -> Text
    number = T.pack . show
    exact v = T.pack (showFFloat (Just 9) v "")
    unitName = \case
      Bytes -> " (bytes)"
      Count -> ""
      Seconds -> " (seconds)"
