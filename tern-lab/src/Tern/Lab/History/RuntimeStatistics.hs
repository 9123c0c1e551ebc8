{-# LANGUAGE OverloadedStrings #-}

-- | What a Haskell program's runtime says about a run.
--
-- The runtime writes its figures in two forms: @-tFILE --machine-readable@
-- (a list of pairs, exact, but only for programs linked with @-rtsopts@) and
-- @-s@ (a page for people on standard error, allowed by every default link).
-- Both become the same 'Figures'; the second has times to a millisecond only.
--
-- Start at 'machineReadable'; 'humanReadable' is the fallback.
module Tern.Lab.History.RuntimeStatistics
  ( machineReadable,
    humanReadable,
    refusedOptions,
  )
where

import Data.Char (isDigit)
import Data.Map.Strict qualified as Map
import Data.Maybe (mapMaybe, maybeToList)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.History.Metric (Figures, Metric (..))
import Text.Read (readMaybe)

-- | The figures in a file written by @+RTS -tFILE --machine-readable@;
-- 'Nothing' when it is not such a file.
machineReadable :: Text -> Maybe Figures
machineReadable text
  | Map.member Allocated figures = Just figures
  | otherwise = Nothing
  where
    pairs = mapMaybe (quotedPair . T.strip) (T.lines text)
    figures = Map.fromListWith (+) (concatMap known pairs)
    known (name, value) =
      [ (metric, number)
        | (name', metric) <-
            names,
          name' == name,
          Just number <- [readMaybe (T.unpack value)]
      ]
    names =
      [ ("allocated_bytes", Allocated),
        ("num_GCs", Collections),
        ("copied_bytes", Copied),
        ("max_live_bytes", MaxLive),
        ("max_mem_in_use_bytes", Peak),
        ("mut_cpu_seconds", MutatorTime),
        ("GC_cpu_seconds", CollectorTime),
        ("init_cpu_seconds", ProcessTime),
        ("mut_cpu_seconds", ProcessTime),
        ("GC_cpu_seconds", ProcessTime),
        -- Without the end: there the runtime waits for its own timer.
        ("init_wall_seconds", TotalTime),
        ("mut_wall_seconds", TotalTime),
        ("GC_wall_seconds", TotalTime)
      ]

-- | @,("name", "value")@ as the runtime writes it, a bracket or comma before.
quotedPair :: Text -> Maybe (Text, Text)
quotedPair line = case T.splitOn "\"" line of
  [open, name, comma, value, close]
    | T.strip open `elem` ["[(", ",("],
      T.strip comma == ",",
      T.strip close == ")" ->
        Just (name, value)
  _ -> Nothing

-- | The figures in what @+RTS -s@ writes to standard error, among whatever the
-- program itself wrote there.
humanReadable :: Text -> Maybe Figures
humanReadable text
  | Map.member Allocated figures = Just figures
  | otherwise = Nothing
  where
    figures = Map.fromListWith (+) (concatMap (figure . T.words) (T.lines text))
    figure row =
      maybeToList (quantity row) <> maybeToList (processor row) <> maybeToList (elapsed row)
    quantity = \case
      n : rest
        | rest == T.words "bytes allocated in the heap" -> (,) Allocated <$> grouped n
        | rest == T.words "bytes copied during GC" -> (,) Copied <$> grouped n
        | take 3 rest == T.words "bytes maximum residency" -> (,) MaxLive <$> grouped n
        | take 5 rest == T.words "MiB total memory in use" -> (,) Peak . (* 1_048_576) <$> grouped n
      "MUT" : "time" : cpu : _ -> (,) MutatorTime <$> seconds cpu
      "GC" : "time" : cpu : _ -> (,) CollectorTime <$> seconds cpu
      "Gen" : _ : n : "colls," : _ -> (,) Collections <$> grouped n
      _ -> Nothing
    processor = \case
      name : "time" : cpu : _ | name `elem` parts -> (,) ProcessTime <$> seconds cpu
      _ -> Nothing
    parts = ["INIT", "MUT", "GC"]
    elapsed = \case
      name : "time" : _ : rest
        | name `elem` parts,
          wall : _ <- filter (not . T.null) (map (T.dropWhile (== '(')) rest) ->
            (,) TotalTime <$> seconds wall
      _ -> Nothing

-- | A number with commas between groups of three digits.
grouped :: Text -> Maybe Double
grouped word
  | not (T.null digits), T.all isDigit digits = readMaybe (T.unpack digits)
  | otherwise = Nothing
  where
    digits = T.filter (/= ',') word

seconds :: Text -> Maybe Double
seconds word = T.stripSuffix "s" word >>= readMaybe . T.unpack

-- | Did the runtime refuse its options before the program began? It then says
-- so on standard error and ends with status 1, or goes on without them.
refusedOptions :: Text -> Bool
refusedOptions stderrText =
  "RTS options are disabled" `T.isInfixOf` stderrText
