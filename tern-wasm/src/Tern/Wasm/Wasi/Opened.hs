-- | Numbers of a guest and what they stand for, how many there are, and which one is next.
--
-- The idea: a guest may have very many open and opens and closes as it likes, so nothing that
-- it can ask for goes through all of them. Numbers below 3 are given once, at the start; of the
-- others the lowest that is free is the next.
--
-- Start at 'Opened'.
module Tern.Wasm.Wasi.Opened
  ( Opened,
    opened,
    everything,
    find,
    place,
    change,
    remove,
    replace,
  )
where

import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet (IntSet)
import Data.IntSet qualified as IntSet

-- | What is open by its number, and how many that are; the numbers from 3 on that are free below
-- another one, from which on all are.
data Opened a = Opened
  { open :: !(IntMap a),
    openCount :: !Int,
    gaps :: !IntSet,
    fresh :: !Int
  }

-- | What is open at the start. Linear.
opened :: [(Int, a)] -> Opened a
opened known = Opened m (IntMap.size m) free end
  where
    m = IntMap.fromList known
    end = maybe 3 (max 3 . (+ 1) . fst) (IntMap.lookupMax m)
    free = IntSet.fromDistinctAscList (filter (`IntMap.notMember` m) [3 .. end - 1])

-- | All that is open.
everything :: Opened a -> [a]
everything = IntMap.elems . open

-- | What a number stands for.
find :: Int -> Opened a -> Maybe a
find n = IntMap.lookup n . open

-- | Give a number, the lowest from 3 on that is free, unless as many are open as may be.
place :: Int -> a -> Opened a -> Maybe (Int, Opened a)
place most a o
  | openCount o >= most = Nothing
  | otherwise = Just $ case IntSet.minView (gaps o) of
      Just (n, rest) -> (n, (with n) {gaps = rest})
      Nothing -> (fresh o, (with (fresh o)) {fresh = fresh o + 1})
  where
    with n = o {open = IntMap.insert n a (open o), openCount = openCount o + 1}

-- | Change what a number stands for, if it stands for anything.
change :: Int -> (a -> a) -> Opened a -> Opened a
change n f o = o {open = IntMap.adjust f n (open o)}

-- | Free a number, if it stands for anything.
remove :: Int -> Opened a -> Opened a
remove n o
  | IntMap.member n (open o) =
      o
        { open = IntMap.delete n (open o),
          openCount = openCount o - 1,
          gaps = if n >= 3 then IntSet.insert n (gaps o) else gaps o
        }
  | otherwise = o

-- | Let a number that stands for something stand for something else.
replace :: Int -> a -> Opened a -> Opened a
replace n = change n . const
