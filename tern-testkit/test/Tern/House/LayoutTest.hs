-- | What every picture must have, for random graphs without circles.
module Tern.House.LayoutTest (tests) where

import Data.Map.Lazy (Map)
import Data.Map.Lazy qualified as Map
import Data.Set (Set)
import Data.Set qualified as Set
import Tern.House.Layout (Layout (..), Position (..), layout, reduced)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.QuickCheck
  ( Arbitrary (..),
    choose,
    conjoin,
    counterexample,
    sublistOf,
    testProperty,
    (=/=),
    (===),
  )

newtype Graph = Graph (Map String (Set String))
  deriving stock (Show)

-- | Nodes point to earlier ones only.
instance Arbitrary Graph where
  arbitrary = do
    n <- choose (0, 14)
    Graph . Map.fromList <$> mapM node [0 .. n :: Int]
    where
      node i = do
        targets <- sublistOf [0 .. i - 1]
        pure (name i, Set.fromList (map name targets))
      name i = "m" <> show i

tests :: TestTree
tests =
  testGroup
    "layout"
    [ testProperty "every arrow goes to the left" $ \(Graph graph) ->
        let Layout {..} = layout graph
            at n = maybe (-1) column (Map.lookup n places)
         in conjoin [counterexample (show (a, b)) (at b < at a) | (a, b, _) <- arrows],
      testProperty "an arrow bends once in each column between" $ \(Graph graph) ->
        let Layout {..} = layout graph
            at n = maybe (-1) column (Map.lookup n places)
         in conjoin
              [ map column bends === [at a - 1, at a - 2 .. at b + 1]
                | (a, b, bends) <-
                    arrows
              ],
      testProperty "no box lies on another" $ \(Graph graph) ->
        let spots = Map.elems (places (layout graph))
         in conjoin
              [ counterexample (show (p, q)) (abs (height p - height q) >= 9)
                | (i, p) <-
                    zip [0 :: Int ..] spots,
                  (j, q) <- zip [0 ..] spots,
                  i < j,
                  column p == column q
              ],
      testProperty "a reduced graph reaches the same nodes" $ \(Graph graph) ->
        reach (reduced graph) === reach graph,
      testProperty "no arrow of a reduced graph can be left out" $ \(Graph graph) ->
        let small = reduced graph
            without a b = Map.adjust (Set.delete b) a small
         in conjoin
              [ reach (without a b) =/= reach small
                | (a, bs) <-
                    Map.toList small,
                  b <- Set.toList bs
              ]
    ]

reach :: Map String (Set String) -> Map String (Set String)
reach graph = closed
  where
    closed =
      Map.map
        ( \ts ->
            Set.unions (ts : [Map.findWithDefault Set.empty t closed | t <- Set.toList ts])
        )
        graph
