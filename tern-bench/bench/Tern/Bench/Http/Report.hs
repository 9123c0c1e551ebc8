{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What was measured of services, as data and as tables for a page.
--
-- Start at 'renderFound'.
module Tern.Bench.Http.Report
  ( Found (..),
    foundVersion,
    Row (..),
    OnWire (..),
    Besieged (..),
    renderFound,
  )
where

import Data.List (sort)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Tern (Wire)
import Tern.Bench.Http.Attack (Attack (..), hostileOnes)
import Tern.Bench.Http.Load (Load (..))
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
    foundBesieged :: Besieged
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
    -- | Bytes of memory, the most of its process.
    rowPeak :: Maybe Int
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

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

-- | Good requests alone and beside hostile clients, in each round.
data Besieged = Besieged
  { alone :: [Load],
    besides :: [Load],
    attacks :: [Attack]
  }
  deriving stock (Generic)
  deriving anyclass (Wire)

renderFound :: Found -> Text
renderFound found =
  T.unlines $
    markdown
      [ToLeft, ToLeft, ToLeft, ToRight, ToRight, ToRight, ToRight, ToRight, ToRight]
      ( [ "body",
          "the service",
          "by",
          "requests/s",
          "times aeson's",
          "p50",
          "p90",
          "p99",
          "peak memory"
        ]
          : loadRows (foundLoads found)
      )
      <> [ "",
           T.concat
             [ "Medians of ",
               rounds,
               " interleaved rounds of ",
               shown (foundSeconds found),
               " seconds with 8 connections; each service is a process of its own."
             ],
           ""
         ]
      <> markdown
        [ToRight, ToLeft, ToRight, ToRight, ToRight, ToRight]
        ( ["records", "by", "bytes", "gzipped", "time", "time, gzipped"]
            : map wireRow (foundWires found)
        )
      <> [ "",
           T.concat
             [ "Article 002's record, and a list of 1,000 different ones: from request to \
               \answer on one connection, medians. Measured with ",
               T.intercalate ", " [compiler machine, system machine, processor machine],
               "."
             ]
         ]
      <> [""]
      <> markdown
        [ToLeft, ToRight, ToRight, ToRight, ToRight]
        [ ["good requests", "requests/s", "p50", "p90", "p99"],
          goodRow "alone" (alone besieged),
          goodRow (T.concat ["beside ", shown hostileOnes, " hostile clients"]) (besides besieged)
        ]
      <> [ "",
           T.concat
             [ "Medians of ",
               rounds,
               " rounds of 10 seconds each; p99 was ",
               ratio (p99 (besides besieged)) (p99 (alone besieged)),
               " times what it was alone. All hostile clients are there at once, and come again \
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
    besieged = foundBesieged found
    those = attacks besieged
    p99 = median . map load99
    machine = foundMachine found
    rounds = shown (maximum (0 : map (length . rowLoads) (foundLoads found)))

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
        <> [maybe "" memory (rowPeak one)]
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

shown :: Int -> Text
shown = T.pack . show

median :: [Double] -> Double
median xs = case drop (length xs `div` 2) (sort xs) of
  middle : _ -> middle
  [] -> 0
