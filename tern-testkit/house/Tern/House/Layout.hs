-- | Where the boxes of a graph without circles go, in layers.
--
-- The idea: a node stands one layer right of the rightmost node that it points
-- to, so that every arrow goes to the left. An arrow over several layers is
-- given a bend in each of them, and bends are placed like nodes. Within a layer
-- nodes are sorted by the mean of their neighbours' places, some times in both
-- directions; then they are moved towards their neighbours without changing
-- the order. Everything is a function of the names: the same graph gives the
-- same picture.
module Tern.House.Layout
  ( Position (..),
    Layout (..),
    layout,
    reduced,
  )
where

import Data.List (sortOn)
import Data.List qualified as List
import Data.Map.Lazy (Map)
import Data.Map.Lazy qualified as Map
import Data.Set (Set)
import Data.Set qualified as Set

-- | A column from 0 at the left, and a height in tenths of a row.
data Position = Position
  { column :: !Int,
    height :: !Int
  }
  deriving stock (Eq, Show)

-- | Where the nodes of a graph stand, and where its arrows bend.
data Layout = Layout
  { places :: Map String Position,
    -- | Each arrow from its source to its target, with the bends between.
    arrows :: [(String, String, [Position])]
  }
  deriving stock (Eq, Show)

-- | Arrows that no way over other nodes implies.
reduced :: Map String (Set String) -> Map String (Set String)
reduced graph = Map.mapWithKey direct graph
  where
    reach =
      Map.map
        ( \targets ->
            Set.unions (targets : [Map.findWithDefault Set.empty t reach | t <- Set.toList targets])
        )
        graph
    direct _ targets =
      Set.filter (\t -> not (any (reaches t) (Set.toList (Set.delete t targets)))) targets
    reaches t other = Set.member t (Map.findWithDefault Set.empty other reach)

-- | A node, or the bend of an arrow in a layer.
data Spot = Node String | Bend String String Int
  deriving stock (Eq, Ord, Show)

-- | The graph must have no circle. Targets that are no keys are left out.
layout :: Map String (Set String) -> Layout
layout graph =
  Layout
    { places = Map.fromList [(name, place (Node name)) | name <- Map.keys graph],
      arrows =
        [ (a, b, [place (Bend a b l) | l <- [layerOf a - 1, layerOf a - 2 .. layerOf b + 1]])
          | (a, b) <-
              edges
        ]
    }
  where
    edges = [(a, b) | (a, targets) <- Map.toList graph, b <- Set.toList targets, Map.member b graph]
    layers =
      Map.map
        ( \targets ->
            maximum (0 : [1 + layerOf t | t <- Set.toList targets, Map.member t graph])
        )
        graph
    layerOf name = Map.findWithDefault 0 name layers
    layerOfSpot = \case
      Node name -> layerOf name
      Bend _ _ l -> l
    place spot = Position (layerOfSpot spot) (Map.findWithDefault 0 spot heights)
    chains =
      [ [Node a] <> [Bend a b l | l <- [layerOf a - 1, layerOf a - 2 .. layerOf b + 1]] <> [Node b]
        | (a, b) <-
            edges
      ]
    spots = Set.toList (Set.fromList (map Node (Map.keys graph) <> concat chains))
    links = concatMap (\chain -> zip chain (drop 1 chain)) chains
    leftward = Map.fromListWith (<>) [(a, [b]) | (a, b) <- links]
    rightward = Map.fromListWith (<>) [(b, [a]) | (a, b) <- links]
    columns =
      [[spot | spot <- spots, layerOfSpot spot == l] | l <- [0 .. maximum (0 : Map.elems layers)]]
    ordered =
      List.foldl' (\now sweep -> sweep now) columns (concat (replicate 12 [sweepRight, sweepLeft]))
    sweepRight cols = scanOrder leftward cols
    sweepLeft cols = reverse (scanOrder rightward (reverse cols))
    heights = relaxed leftward rightward ordered

-- | Each layer sorted by the mean index of its spots' neighbours in the layer
-- before it.
scanOrder :: Map Spot [Spot] -> [[Spot]] -> [[Spot]]
scanOrder neighbours = \case
  [] -> []
  first : rest -> first : go first rest
  where
    go _ [] = []
    go before (here : rest) =
      let index = Map.fromList (zip before [0 :: Int ..])
          own = Map.fromList (zip here [0 :: Int ..])
          key spot = case [ i
                            | n <-
                                Map.findWithDefault [] spot neighbours,
                              Just i <- [Map.lookup n index]
                          ] of
            [] -> (1000 * Map.findWithDefault 0 spot own, spot)
            places -> (1000 * sum places `div` length places, spot)
          sorted = sortOn key here
       in sorted : go sorted rest

-- | Heights that keep the order and the distances within each layer.
relaxed :: Map Spot [Spot] -> Map Spot [Spot] -> [[Spot]] -> Map Spot Int
relaxed leftward rightward columns = iterate step start !! 40
  where
    start = Map.fromList (concatMap stacked columns)
    stacked column = zip column (scanl (+) 0 (zipWith distance column (drop 1 column)))
    step now = List.foldl' (settle now) now columns
    settle before now column =
      let wish spot = case concatMap (Map.findWithDefault [] spot) [leftward, rightward] of
            [] -> at spot
            ns -> sum (map (\n -> Map.findWithDefault 0 n before) ns) `div` length ns
          at spot = Map.findWithDefault 0 spot now
          wished = [(spot, (at spot + wish spot) `div` 2) | spot <- column]
          down = pushed wished
          up =
            [ (spot, negate h)
              | (spot, h) <-
                  reverse (pushed (reverse [(spot, negate h) | (spot, h) <- wished]))
            ]
       in Map.union
            ( Map.fromList
                [ (spot, (a + b) `div` 2)
                  | ((spot, a), (_, b)) <-
                      zip down up
                ]
            )
            now
    pushed = \case
      [] -> []
      first : rest -> scanl (\(a, h) (b, h') -> (b, max h' (h + distance a b))) first rest

-- | How far apart two neighbours of a layer are at least, in tenths of a row.
distance :: Spot -> Spot -> Int
distance a b = case (a, b) of
  (Node _, Node _) -> 10
  (Bend {}, Bend {}) -> 3
  _ -> 7
