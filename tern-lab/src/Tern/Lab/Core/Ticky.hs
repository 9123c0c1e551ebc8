{-# LANGUAGE OverloadedStrings #-}

-- | Real weights: what a run of the program says of each function.
--
-- Its one idea: GHC's ticky counters name every function of the compiled code
-- with its entries and the bytes that it allocated, and both are the same in
-- every run. A finding is weighed by the share of its binding in both; one in
-- code that never ran is no finding.
--
-- Start at 'parseTicky' and 'measuredBy'.
module Tern.Lab.Core.Ticky
  ( Counter (..),
    parseTicky,
    measuredBy,
  )
where

import Data.Char (isDigit)
import Data.List (sortOn)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (mapMaybe)
import Data.Ord (Down (..))
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Finding
import Text.Read (readMaybe)

-- | One top-level function of the compiled program.
data Counter = Counter
  { counterModule :: !Text,
    counterName :: !Text,
    counterEntries :: !Double,
    -- | Bytes that its code allocated.
    counterBytes :: !Double
  }
  deriving stock (Eq, Show)

-- | The functions in a report that @+RTS -r@ wrote; empty when it is none.
--
-- A row has entries, bytes, bytes of the closures themselves, arguments, and a
-- name: @Main.mean{v rgT} (fun)@ or, of what is not exported,
-- @$wgo{v r1Ob} (Main) (fun)@.
parseTicky :: Text -> [Counter]
parseTicky text = case break ("Non-void Arguments" `T.isInfixOf`) (T.lines text) of
  (_, _ : rows) -> mapMaybe row (takeWhile (not . ("****" `T.isPrefixOf`)) (drop 1 rows))
  _ -> []
  where
    row line = case T.words line of
      entries : bytes : _ : rest
        | Just e <- readMaybe (T.unpack entries),
          Just b <- readMaybe (T.unpack bytes),
          " (fun" `T.isInfixOf` line,
          not (") in " `T.isInfixOf` line),
          name : _ <- [w | w <- rest, "{" `T.isInfixOf` w] ->
            let plain = T.takeWhile (/= '{') name
             in Just $ case (local line, T.breakOnEnd "." plain) of
                  (Just m, _) -> Counter m plain e b
                  (Nothing, (m, n)) | not (T.null m) && not (T.null n) -> Counter (T.dropEnd 1 m) n e b
                  _ -> Counter "" plain e b
      _ -> Nothing
    -- The module in brackets after the name, unless that is the kind.
    local line = case T.splitOn "} (" line of
      _ : after : _ | let m = T.takeWhile (/= ')') after, not ("fun" `T.isPrefixOf` m) -> Just m
      _ -> Nothing

-- | The findings by what a run measured, the heaviest first. Those in code that
-- did not run are left out; those about modules keep their place by weight,
-- after the others.
measuredBy :: [Counter] -> [Finding] -> [Finding]
measuredBy counters = sortOn (\f -> (Down (share f), Down (findingWeight f))) . mapMaybe one
  where
    totals = Map.fromListWith add [(key, (counterEntries c, counterBytes c)) | c <- counters, key <- keys c]
    allEntries = max 1 (sum (map counterEntries counters))
    allBytes = max 1 (sum (map counterBytes counters))
    add (a, b) (c, d) = (a + c, b + d)
    share f = case findingMeasured f of
      Just (entries, bytes) -> 0.3 * entries / allEntries + 0.7 * bytes / allBytes
      Nothing -> 0
    one f
      | T.null (findingBinding f) = Just f
      | otherwise = case look totals f of
          Just (entries, bytes) | entries > 0 -> Just f {findingMeasured = Just (entries, bytes)}
          _ -> Nothing

-- | A local loop that was floated out of @main@ is called @main_go3@ or
-- @main3@ in the compiled code and @go3@ before.
keys :: Counter -> [(Text, Text)]
keys c = [(counterModule c, n) | n <- name : [after | (_, after) <- [T.breakOn "_" name], not (T.null after)]]
  where
    name = counterName c

look :: Map (Text, Text) (Double, Double) -> Finding -> Maybe (Double, Double)
look totals f = case mapMaybe (\name -> Map.lookup (findingModule f, name) totals) names of
  found : _ -> Just found
  [] -> Nothing
  where
    part = findingPart f
    owner = findingBinding f
    names =
      [part, T.concat [owner, "_", part], T.concat ["_", part]]
        -- Only the worker of a function may be left of it.
        <> ["$w" <> part | not ("$w" `T.isPrefixOf` part)]
        <> [T.concat [owner, digits] | part `elem` ["lvl", owner], digits <- "" : map (T.pack . show) [1 .. 9 :: Int]]
        <> [T.dropWhileEnd isDigit owner | part == owner]
