-- | Blocks that are kept back until those before them have come.
--
-- The idea: what follows exactly is one run, whichever came first, so that blocks that came in
-- any order take as many runs as there are gaps between them. Runs are found by where they
-- begin and by what comes after them, so that each block costs the logarithm of how many are
-- kept, whatever heads say.
--
-- Start at 'put'.
module Tern.Internal.Container.Shelf
  ( Shelf,
    empty,
    isEmpty,
    held,
    put,
    due,
    without,
    runs,
  )
where

import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet qualified as IntSet
import Data.List qualified as List
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (mapMaybe)
import Data.Ord (Down (..))
import Tern.Internal.Container.Format (Head (..), headSize)
import Tern.Internal.Container.Order
  ( Found (..),
    Next (..),
    Place (..),
    Run,
    first,
    linked,
    placeAfter,
    placeOf,
    runEnd,
    runOf,
    runPlace,
    splitRun,
    weight,
  )

-- | Some blocks, in runs.
data Shelf b = Shelf
  { -- | By when something came to them last: when their first block came, and they.
    kept :: !(IntMap (Kept b)),
    -- | Which of them begin at a place, and which have it as what comes next.
    begins, ends :: !(Map Place IntSet.IntSet),
    -- | Bytes of the blocks, with their heads.
    held :: !Int,
    -- | How many blocks have come.
    clock :: !Int
  }

data Kept b = Kept !Int !(Run b)

-- | No block has come.
empty :: Shelf b
empty = Shelf IntMap.empty Map.empty Map.empty 0 0

-- | Is no block kept? Blocks that came and are gone again do not count.
isEmpty :: Shelf b -> Bool
isEmpty = IntMap.null . kept

-- | One block more: with the run that it follows and the one that follows it, where they are kept.
-- Of several it is the one that something came to last.
put :: Found b -> Shelf b -> Shelf b
put b shelf = entered now (Kept born run) (List.foldl' gone counted (early <> late))
  where
    now = clock shelf
    counted = shelf {clock = now + 1, held = held shelf + bytesOf b}
    early = latest (placeOf (foundHead b)) (ends shelf)
    late = latest (placeAfter (foundHead b)) (begins shelf)
    born = minimum (now : [at | (_, Kept at _) <- early <> late])
    run = foldr (linked . runIn) (List.foldl' (\r it -> linked r (runIn it)) (runOf b) late) early
    runIn (_, Kept _ r) = r
    latest place places =
      [ (key, it)
        | Just keys <- [Map.lookup place places],
          let key = IntSet.findMax keys,
          Just it <- [IntMap.lookup key (kept shelf)]
      ]

entered :: Int -> Kept b -> Shelf b -> Shelf b
entered key it@(Kept _ run) shelf =
  shelf
    { kept = IntMap.insert key it (kept shelf),
      begins = Map.insertWith IntSet.union (runPlace run) (IntSet.singleton key) (begins shelf),
      ends = Map.insertWith IntSet.union (runEnd run) (IntSet.singleton key) (ends shelf)
    }

gone :: Shelf b -> (Int, Kept b) -> Shelf b
gone shelf (key, Kept _ run) =
  shelf
    { kept = IntMap.delete key (kept shelf),
      begins = Map.update fewer (runPlace run) (begins shelf),
      ends = Map.update fewer (runEnd run) (ends shelf)
    }
  where
    fewer keys = case IntSet.delete key keys of
      left
        | IntSet.null left -> Nothing
        | otherwise -> Just left

-- | The block that comes next, if it is here: that of the heaviest run that begins with it, and
-- of the one that came first of two that are as heavy. Nothing may be here that is before it.
due :: Next -> Shelf b -> Maybe (Found b)
due (Next number early offset) shelf = case List.sortOn order (mapMaybe found keys) of
  Kept _ run : _ -> Just (first run)
  [] -> Nothing
  where
    keys = case offset of
      Just at -> maybe [] IntSet.elems (Map.lookup (Place number early at) (begins shelf))
      -- Before the first block, which begins where the schema ends.
      Nothing -> concatMap IntSet.elems (Map.filterWithKey (const . isFirst) (begins shelf))
    found key = IntMap.lookup key (kept shelf)
    isFirst (Place n k _) = (n, k) == (number, early)
    order (Kept born run) = (Down (weight run), born)

-- | Without the blocks before a number, and these.
without :: Int -> Shelf b -> ([Found b], Shelf b)
without number = go []
  where
    go dropped shelf = case IntSet.minView . snd =<< Map.lookupMin (begins shelf) of
      Just (key, _)
        | Just it@(Kept born run) <- IntMap.lookup key (kept shelf),
          headNumber (foundHead (first run)) < number ->
            let (early, late) = splitRun number run
                left = maybe id (entered key . Kept born) late (gone shelf (key, it))
             in go (early <> dropped) left {held = held left - sum (map bytesOf early)}
      _ -> (dropped, shelf)

-- | All of them, the one whose first block came first before the others.
runs :: Shelf b -> [Run b]
runs shelf = [run | Kept _ run <- List.sortOn (\(Kept born _) -> born) (IntMap.elems (kept shelf))]

bytesOf :: Found b -> Int
bytesOf b = headSize + headStored (foundHead b)
