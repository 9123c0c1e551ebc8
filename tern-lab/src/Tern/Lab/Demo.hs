{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DuplicateRecordFields #-}
{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What @tern-lab demo@ shows first: one screen of 80 columns and 24 lines.
--
-- The idea: what a codec is for, done here and now: a document becomes a value, one that
-- does not fit is refused with its place, the value goes into every format, and bars
-- say how fast, beside other libraries.
--
-- Start at 'greeting'; 'chart' draws what was measured.
module Tern.Lab.Demo
  ( greeting,
    chart,
    firstPlans,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.List.NonEmpty qualified as NonEmpty
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.Generics (Generic)
import Tern
  ( Error (..),
    Wire,
    decodeJson,
    encodeCbor,
    encodeJson,
    encodeMessagePack,
    encodeNative,
    renderError,
  )
import Tern.Lab.Compare (Plan (..), Workload (..))
import Tern.Lab.Interval (Interval (..), fewestRounds, seen)
import Tern.Lab.Measure (Settings (..))
import Tern.Lab.Result (Comparison (..), Cost (..), Row (..))
import Tern.Lab.Stats (median, spread)
import Tern.Lab.Table (Align (..), bar, bytes, columns, duration, ratio)

data Station = Station {name :: Text, readings :: [Reading]}
  deriving stock (Generic, Show)
  deriving anyclass (Wire)

data Reading = Reading {hour :: Int, celsius :: Double}
  deriving stock (Generic, Show)
  deriving anyclass (Wire)

-- | A document read, one refused, and the value in all formats. At most 13 lines.
greeting :: [Text]
greeting =
  ["data Station = Station {name :: Text, readings :: [Reading]} deriving (.., Wire)", ""]
    <> read' "{\"name\":\"Tern\",\"readings\":[{\"hour\":6,\"celsius\":7.5}]}"
    <> [""]
    <> read' "{\"name\":\"Skua\",\"readings\":[{\"hour\":6.5}]}"
    <> [""]
  where
    read' input =
      ("  " <> T.decodeUtf8 input) : case decodeJson input :: Either Error Station of
        Right value ->
          [ T.pack
              ("    = " <> show value),
            T.concat ("    = " : [T.intercalate ", " (sizes value)])
          ]
        Left failure ->
          [T.replicate (2 + errorOffset failure) " " <> "^", "  " <> renderError input failure]
    sizes :: Station -> [Text]
    sizes value =
      [ T.concat [format, " ", bytes (B.length written)]
        | (format, written) <-
            [ ("JSON", encodeJson value),
              ("MessagePack", encodeMessagePack value),
              ("CBOR", encodeCbor value),
              ("native", encodeNative value)
            ] ::
              [(Text, ByteString)]
      ]

-- | What is measured for it: some seconds. The document of a path, where there is one,
-- and one record that has a field of each kind.
firstPlans :: Settings -> Maybe FilePath -> [Plan]
firstPlans settings document =
  [ Plan {workloads = [Document path "languages"], onlyCodecs = ["tern", "aeson-th"], settings}
    | Just path <-
        [document]
  ]
    <> [ Plan
           { workloads =
               [BuiltIn "everything"],
             onlyCodecs = ["tern", "tern-native", "store", "binary", "aeson-th"],
             settings
           }
       ]

-- | Bars of the medians, and how many times as long as the first; a document's directions
-- apart, a record's together. Where no difference is certain, none is shown; of a few
-- rounds nothing is said.
chart :: [Comparison] -> [Text]
chart comparisons = concatMap one comparisons
  where
    one comparison = case comparison.input of
      Just path ->
        part comparison (T.concat ["read ", lastOf path]) (.decode)
          <> part comparison (T.concat ["write ", lastOf path]) (.encode)
      Nothing -> both comparison (T.concat ["write and read one record, ", comparison.subject])
    lastOf = snd . T.breakOnEnd "/"
    part comparison title direction =
      drawn
        comparison
        title
        [ (row.codec, samples (direction row), median (time (direction row)))
          | row <-
              comparison.rows
        ]
    both comparison title =
      drawn
        comparison
        title
        [ ( row.codec,
            zipWith (+)
              <$> samples row.encode
              <*> samples row.decode,
            median (time row.encode) + median (time row.decode)
          )
          | row <-
              comparison.rows
        ]
    drawn comparison title rows =
      T.concat ["  ", title]
        : zipWith
          (<>)
          ( padded
              ( map
                  ("    " <>)
                  ( columns
                      [ToLeft, ToRight, ToRight]
                      (map (cells comparison rows) rows)
                  )
              )
          )
          (map (barOf rows) rows)
    cells comparison rows (label, kept, whole) =
      [label, duration (middleOf kept whole), beside comparison rows kept]
    barOf rows (_, kept, whole) = "  " <> bar 30 (middleOf kept whole / longest rows)
    middleOf kept whole = maybe whole (median . spread) (kept >>= NonEmpty.nonEmpty)
    longest rows = maximum (1 : [middleOf kept whole | (_, kept, whole) <- rows])
    padded these = map (T.justifyLeft (maximum (0 : map T.length these)) ' ') these
    -- How many times as long as the first.
    beside comparison rows kept = case rows of
      (_, first, _) : _
        | kept == first || maybe True ((< fewestRounds) . length) kept -> ""
        | Just mine <- kept >>= NonEmpty.nonEmpty,
          Just its <- first >>= NonEmpty.nonEmpty ->
            maybe
              "alike"
              (\found -> ratio found.middle 1 <> " times")
              (seen comparison.floorOfTime mine its)
      _ -> ""
