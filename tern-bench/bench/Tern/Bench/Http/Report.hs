{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What was measured of services, as data and as tables for a page.
--
-- Start at 'renderFound'.
module Tern.Bench.Http.Report
  ( Found (..),
    foundVersion,
    Row (..),
    kinds,
    OnWire (..),
    Besieged (..),
    renewedBy,
    renderFound,
  )
where

import Control.Applicative ((<|>))
import Data.List (elemIndex, sort, sortOn)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Numeric (showFFloat)
import Tern (Wire)
import Tern.Bench.Http.Attack (Attack (..), hostileOnes)
import Tern.Bench.Http.Load (Load (..))
import Tern.Bench.Http.Service (sizes)
import Tern.Lab.Interval (Interval (..), interval)
import Tern.Lab.Result (Machine (..))
import Tern.Lab.Table (Align (..), duration, grouped, markdown, memory, ratio)

-- | All of one run.
data Found = Found
  { foundFormat :: Text,
    foundMachine :: Machine,
    -- | How long each was asked in each round.
    foundSeconds :: Int,
    foundLoads :: [Row],
    foundWires :: [OnWire],
    foundBesieged :: Maybe Besieged
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

foundVersion :: Text
foundVersion = "tern-http 1"

-- | A contender with bodies of a size, which it answers with or reads.
data Row = Row
  { rowSize :: Text,
    rowWhat :: Text,
    rowBy :: Text,
    -- | Of each round.
    rowLoads :: [Load],
    -- | Bytes of memory, the most of a process that had as many requests as the others'.
    rowPeak :: Maybe Int
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | What the service does with bodies of a size.
kinds :: [Text]
kinds = ["answers", "reads"]

-- | Records of article 002 on the wire.
data OnWire = OnWire
  { wireRecords :: Int,
    wireBy :: Text,
    wireBytes :: Int,
    wireGzipped :: Int,
    -- | Milliseconds from request to answer, the median of each round.
    wirePlain :: [Double],
    wireTimeGzipped :: [Double]
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | Good requests alone, beside hostile clients, and beside the same clients of another
-- service that has what nobody else wants of the processors, in each round. The last says
-- what the clients themselves cost whoever is on the same machine.
data Besieged = Besieged
  { alone :: [Load],
    besides :: [Load],
    elsewhere :: Maybe [Load],
    attacks :: [Attack]
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

-- | What was kept, with what was measured now in the place of what it was before.
renewedBy :: Found -> Found -> Found
renewedBy old new =
  new
    { foundLoads = sortOn place (foundLoads new <> filter (not . again) (foundLoads old)),
      foundWires = if null (foundWires new) then foundWires old else foundWires new,
      foundBesieged = foundBesieged new <|> foundBesieged old
    }
  where
    again row = part row `elem` map part (foundLoads new)
    part row = (rowSize row, rowWhat row)
    place row = elemIndex (part row) [(size, what) | (size, _) <- sizes, what <- kinds]

-- | As tables, of what was measured.
renderFound :: Found -> Text
renderFound found =
  T.intercalate "\n" . map T.unlines $
    [loadTable found | not (null (foundLoads found))]
      <> [wireTable (foundWires found) | not (null (foundWires found))]
      <> [siegeTable besieged | Just besieged <- [foundBesieged found]]
      <> [ [ T.concat
               [ "Measured with ",
                 T.intercalate ", " [compiler machine, system machine, processor machine],
                 "."
               ]
           ]
         ]
  where
    machine = foundMachine found

loadTable :: Found -> [Text]
loadTable found =
  markdown
    [ToLeft, ToLeft, ToLeft, ToRight, ToRight, ToRight, ToRight, ToRight, ToRight, ToRight]
    ( [ "body",
        "the service",
        "by",
        "requests/s",
        "times aeson's",
        "p50",
        "p90",
        "p99",
        "of aeson's",
        "peak memory"
      ]
        : loadRows (foundLoads found)
    )
    <> [ "",
         T.concat
           [ "Medians of ",
             roundsOf (map (length . rowLoads) (foundLoads found)),
             " interleaved rounds of ",
             shown (foundSeconds found),
             " seconds with 8 connections; each service is a process of its own, and another one \
             \for peak memory, after as many requests for each. *Of aeson's* is the median of the \
             \rounds' ratios, between the bounds that 999 of 1,000 draws keep."
           ]
       ]

wireTable :: [OnWire] -> [Text]
wireTable those =
  markdown
    [ToRight, ToLeft, ToRight, ToRight, ToRight, ToRight]
    (["records", "by", "bytes", "gzipped", "time", "time, gzipped"] : map wireRow those)
    <> [ "",
         "Article 002's record, and a list of 1,000 different ones: from request to answer on one \
         \connection, medians."
       ]

siegeTable :: Besieged -> [Text]
siegeTable besieged =
  markdown
    [ToLeft, ToRight, ToRight, ToRight, ToRight]
    ( [ ["good requests", "requests/s", "p50", "p90", "p99"],
        goodRow "alone" (alone besieged),
        goodRow (T.concat ["beside ", shown hostileOnes, " hostile clients"]) (besides besieged)
      ]
        <> [ goodRow (T.concat ["beside ", shown hostileOnes, " of another service"]) others
             | Just others <- [elsewhere besieged]
           ]
    )
    <> [ "",
         T.concat
           [ "Medians of ",
             roundsOf [length (alone besieged)],
             " rounds of 10 seconds each; p99 was ",
             ratio (p99 (besides besieged)) (p99 (alone besieged)),
             " times what it was alone",
             case elsewhere besieged of
               Nothing -> ""
               Just others ->
                 T.concat
                   [ ", and ",
                     ratio (p99 (besides besieged)) (p99 others),
                     " times what it was while the same clients attacked another service, which \
                     \has what nobody else wants of the processors"
                   ],
             ". All hostile clients are there at once, and come again \
             \when all are refused or dropped: ",
             shown (sum (map refused those)),
             " were refused as they should be, ",
             shown (sum (map dropped those)),
             " dropped, and ",
             shown (sum (map otherwise' those)),
             " met with anything else."
           ]
       ]
  where
    those = attacks besieged
    p99 = median . map load99

-- | One number where all parts had as many.
roundsOf :: [Int] -> Text
roundsOf counts
  | least == most = shown least
  | otherwise = T.concat [shown least, " to ", shown most]
  where
    least = minimum (maxBound : counts)
    most = maximum (0 : counts)

goodRow :: Text -> [Load] -> [Text]
goodRow what those =
  what
    : T.pack (show (round (median (map loadRate those)) :: Int))
    : [duration (1000000 * median (map percentile those)) | percentile <- [load50, load90, load99]]

loadRows :: [Row] -> [[Text]]
loadRows those = [cells one | one <- those]
  where
    cells one =
      [ rowSize
          one,
        rowWhat one,
        rowBy one,
        T.pack (show (round (rate one) :: Int)),
        maybe "" (ratio (rate one) . rate) (peer one)
      ]
        <> [ duration (1000000 * median (map percentile (rowLoads one)))
             | percentile <-
                 [load50, load90, load99]
           ]
        <> [maybe "" (slower one) (peer one), maybe "" memory (rowPeak one)]
    -- How many times as long the slowest of a hundred took.
    slower one other = case (,) <$> waits one <*> waits other of
      Just (ours, theirs) -> case interval ours theirs of
        Just (Interval low middle high) ->
          T.concat [hundredths middle, " (", hundredths low, " to ", hundredths high, ")"]
        Nothing -> ratio (p99 one) (p99 other)
      Nothing -> ""
    waits = NonEmpty.nonEmpty . map load99 . rowLoads
    p99 = median . map load99 . rowLoads
    rate = median . map loadRate . rowLoads
    peer one = case [ other
                      | other <-
                          those,
                        rowSize other == rowSize one,
                        rowWhat other == rowWhat one
                    ] of
      first : _ | rowBy first /= rowBy one -> Just first
      _ -> Nothing

wireRow :: OnWire -> [Text]
wireRow one =
  [ shown
      (wireRecords one),
    wireBy one,
    grouped (wireBytes one),
    grouped (wireGzipped one),
    time wirePlain,
    time wireTimeGzipped
  ]
  where
    time which = duration (1000000 * median (which one))

hundredths :: Double -> Text
hundredths x = T.pack (showFFloat (Just 2) x "")

shown :: Int -> Text
shown = T.pack . show

median :: [Double] -> Double
median xs = case drop (length xs `div` 2) (sort xs) of
  middle : _ -> middle
  [] -> 0
