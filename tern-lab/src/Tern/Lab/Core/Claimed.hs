-- | What several findings may save of one function.
--
-- Its one idea: a byte is saved once. Of what a function made, and libraries for it, the finding
-- that saves most has its part first, and the next ones have theirs of what is left.
--
-- Start at 'claimedOnce'.
module Tern.Lab.Core.Claimed (claimedOnce) where

import Data.List (mapAccumL, sortOn)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Ord (Down (..))
import Data.Set (Set)
import Data.Set qualified as Set
import Tern.Lab.Core.Finding (Finding (..), PartId, Spent (..), worthShowing)

-- | The findings, the most first, with no more than the run made where they are. What it made is
-- given with those who may have made it, in parts of the run, as what is saved.
claimedOnce :: [(Set PartId, Double)] -> [Finding] -> [Finding]
claimedOnce made = sortOn most . snd . mapAccumL claim everything . sortOn first
  where
    -- What nobody is shown takes nothing from what is.
    first f = (not (worthShowing f), most f)
    most f = (Down (maybe 0 spentSaves (findingMeasured f)), Down (findingWeight f))
    everything = Map.fromList (zip [0 :: Int ..] (map snd made))
    byPart =
      Map.fromListWith
        Set.union
        [ (part, Set.singleton i)
          | (i, (owners, _)) <- zip [0 ..] made,
            part <- Set.toList owners
        ]
    claim left f = case findingMeasured f of
      Nothing -> (left, f)
      Just spent ->
        let rows = foldMap (\part -> Map.findWithDefault Set.empty part byPart) (findingCode f)
            wanted = min (spentMade spent) (spentSaves spent)
            (left', got) = taken wanted rows left
            spent' = spent {spentMade = got, spentSaves = spentSaves spent - (wanted - got)}
         in (left', f {findingMeasured = Just spent'})

-- | What is left of some rows once so much is taken of them, of each the same part, and how much
-- there was to take.
taken :: Double -> Set Int -> Map Int Double -> (Map Int Double, Double)
taken wanted rows left
  | wanted <= 0 || there <= 0 = (left, 0)
  | otherwise = (Map.union (Map.map (* (1 - got / there)) mine) left, got)
  where
    mine = Map.restrictKeys left rows
    there = sum mine
    got = min wanted there
