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
    parseProfile,
    allocatedIn,
    measuredBy,
    profiledArity,
  )
where

import Control.Applicative ((<|>))
import Data.Char (isDigit)
import Data.List (sortOn, tails)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (mapMaybe)
import Data.Ord (Down (..))
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
import Tern.Lab.Core.Finding
import Tern.Lab.Core.Index
import Text.Read (readMaybe)

-- | One top-level function of the compiled program.
data Counter = Counter
  { counterModule :: !Text,
    counterName :: !Text,
    -- | Arguments that it takes, those without a value left out.
    counterArity :: !Int,
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
      entries : bytes : _ : arity : rest
        | Just n <- readMaybe (T.unpack arity),
          Just e <- readMaybe (T.unpack entries),
          Just b <- readMaybe (T.unpack bytes),
          " (fun" `T.isInfixOf` line,
          not (") in " `T.isInfixOf` line),
          name : _ <- [w | w <- rest, "{" `T.isInfixOf` w] ->
            let plain = T.takeWhile (/= '{') name
             in Just $ case (local line, T.breakOnEnd "." plain) of
                  (Just m, _) -> Counter m plain n e b
                  (Nothing, (m, last')) | not (T.null m) && not (T.null last') -> Counter (T.dropEnd 1 m) last' n e b
                  _ -> Counter "" plain n e b
      _ -> Nothing
    -- The module in brackets after the name, unless that is the kind.
    local line = case T.splitOn "} (" line of
      _ : after : _ | let m = T.takeWhile (/= ')') after, not ("fun" `T.isPrefixOf` m) -> Just m
      _ -> Nothing

-- | The cost centres in a profile that @+RTS -p@ wrote; empty when it is none.
-- Bytes are as exact as its per cents. A centre inside another, @mean.go@, is
-- counted for both.
--
-- A row ends in the centre's number, entries, and four per cents: time and
-- bytes of its own, and with what it calls.
parseProfile :: Text -> [Counter]
parseProfile text = case [rows | row' : rows <- tails (T.lines text), "COST CENTRE" `T.isPrefixOf` row', " no. " `T.isInfixOf` row'] of
  rows : _ -> concatMap row rows
  [] -> []
  where
    whole = case [T.filter isDigit (T.takeWhile (/= 'b') rest) | line <- T.lines text, Just rest <- [T.stripPrefix "total alloc =" (T.stripStart line)]] of
      digits : _ | Just n <- readMaybe (T.unpack digits) -> n
      _ -> 0 :: Double
    row line = case (T.words line, reverse (T.words line)) of
      (name : m : _, _ : _ : bytes : _ : entries : _)
        | Just e <- readMaybe (T.unpack entries),
          Just percent <- readMaybe (T.unpack bytes) ->
            [Counter m part profiledArity e (whole * percent / 100) | part <- parts name]
      _ -> []
    parts name = Set.toList (Set.fromList [T.takeWhile (/= '.') name, snd (T.breakOnEnd "." name)])

-- | Of a cost centre: a profile knows no arguments.
profiledArity :: Int
profiledArity = -1

-- | The bytes that a whole run allocated, in what @+RTS -t --machine-readable@
-- wrote.
--
-- >>> allocatedIn "[(\"bytes allocated\", \"758\")\n ,(\"num_GCs\", \"1\")"
-- Just 758.0
allocatedIn :: Text -> Maybe Double
allocatedIn text = case [T.takeWhile isDigit rest | (_, after) <- [T.breakOn "\"bytes allocated\", \"" text], Just rest <- [T.stripPrefix "\"bytes allocated\", \"" after]] of
  digits : _ -> readMaybe (T.unpack digits)
  [] -> Nothing

-- | The findings by what a run measured, the heaviest first. Those in code that
-- did not run are left out; those about modules keep their place by weight,
-- after the others. With the bytes that the whole run allocated, where they are
-- known: what no counter saw is libraries' doing, and is laid to the findings
-- that make libraries copy, in proportion to how often they ran.
measuredBy :: Maybe Double -> [ModuleFacts] -> [Counter] -> [Finding] -> [Finding]
measuredBy whole modules counters every = sortOn (\f -> (Down (share f), Down (findingWeight f))) found
  where
    found = mapMaybe one every
    totals = Map.fromListWith add [(key, (counterEntries c, counterBytes c)) | c <- counters, key <- keys c]
    allEntries = max 1 (sum (map counterEntries counters))
    counted = sum (map counterBytes counters)
    allBytes = max 1 (maximum (counted : maybe [] pure whole))
    add (a, b) (c, d) = (a + c, b + d)
    share f = case findingMeasured f of
      Just (entries, bytes) -> 0.3 * entries / allEntries + 0.7 * (bytes + copied f entries) / allBytes
      Nothing -> 0
    copied f entries
      | copies f = (allBytes - counted) * entries / max 1 (sum [e | g <- found, copies g, Just (e, _) <- [findingMeasured g]])
      | otherwise = 0
    copies f = case findingKind f of
      AppendsLeft -> True
      AppendsRecursively _ -> True
      _ -> False
    renamed = renamedParts modules counters
    profiled = all ((== profiledArity) . counterArity) counters
    one f
      | T.null (findingBinding f) = Just f
      | otherwise = case look profiled totals f <|> Map.lookup (findingModule f, findingPart f) renamed of
          Just (entries, bytes) | entries > 0 -> Just f {findingMeasured = Just (entries, bytes)}
          -- Not every function has a cost centre.
          Nothing | profiled -> Just f
          _ -> Nothing

-- | Counters of parts that GHC has renamed after the optimiser: what was
-- @poly_go1@ and is used by @scc@ is @scc1@ in the compiled code. A part is
-- known again by who calls it and how many arguments it takes, where no other
-- part has that name or answers to the same.
renamedParts :: [ModuleFacts] -> [Counter] -> Map (Text, Text) (Double, Double)
renamedParts modules counters = Map.fromList (concatMap ofModule modules)
  where
    ofModule m =
      [ ((factsModule m, bindingName p), (counterEntries c, counterBytes c))
        | p <- parts,
          [c] <- [candidates p],
          length [q | q <- parts, c `elem` candidates q] == 1
      ]
      where
        parts = [b | b <- factsBindings m, bindingOrigin b == Made, bindingArity b > 0, Set.notMember (bindingName b) counterNames]
        here = [c | c <- counters, counterModule c == factsModule m]
        counterNames = Set.fromList (map counterName here)
        names = Set.fromList (map bindingName (factsBindings m))
        users =
          Map.fromListWith
            Set.union
            [ (name, Set.fromList [bindingName b, sourceName (bindingName b)])
              | b <- factsBindings m,
                spot <- bindingSpots b,
                CalleeHere name <- called (spotSight spot),
                name /= bindingName b
            ]
        candidates p =
          [ c
            | c <- here,
              Set.notMember (counterName c) names,
              counterArity c == bindingArity p,
              Set.member (T.dropWhileEnd isDigit (counterName c)) (Map.findWithDefault Set.empty (bindingName p) users)
          ]
    called = \case
      Stayed c _ _ -> [c]
      Overloaded c _ _ -> [c]
      LiteralList c _ -> [c]
      _ -> []

-- | A local loop that was floated out of @main@ is called @main_go3@ or
-- @main3@ in the compiled code and @go3@ before.
keys :: Counter -> [(Text, Text)]
keys c = [(counterModule c, n) | n <- name : [after | (_, after) <- [T.breakOn "_" name], not (T.null after)]]
  where
    name = counterName c

look :: Bool -> Map (Text, Text) (Double, Double) -> Finding -> Maybe (Double, Double)
look profiled totals f = case mapMaybe (\name -> Map.lookup (findingModule f, name) totals) names of
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
        -- A part without a cost centre of its own is in that of its binding.
        <> (if profiled then [sourceName part, owner] else [])
