-- | Which of the blocks that were found are the file's, and in which order they were
-- written.
--
-- The idea: a head says where its block belongs: its number, the number of its first
-- element, and its place in the file as it was written. Two blocks fit each other where
-- what they say leaves just enough room between them for the blocks that are missing.
-- Blocks that follow each other exactly are a run. Of several runs the heaviest is
-- believed first, and then what fits of each other; so a page that was copied, or
-- that is left over from an older version of the file, never costs more than it holds.
--
-- Where a block stands now is not asked: damage moves blocks, and their own checksums
-- vouch for what they say.
--
-- Start at 'fits', then 'chosen'.
module Tern.Internal.Container.Order
  ( -- * What comes next
    Next (..),
    following,
    follows,
    fits,

    -- * Blocks
    Found (..),
    Place (..),
    placeOf,
    placeAfter,

    -- * Runs
    Run,
    first,
    weight,
    runOf,
    runPlace,
    runEnd,
    linked,
    blocksOf,
    splitRun,
    chosen,
  )
where

import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.List qualified as List
import Data.Ord (Down (..))
import Tern.Internal.Container.Format (BlockKind (..), Head (..), headSize)

-- * What comes next

-- | What the head of the next block says, if none is missing before it: its number, the
-- number of its first element, and its place, where that is known.
data Next = Next
  { nextNumber :: !Int,
    nextFirst :: !Int,
    nextOffset :: !(Maybe Int)
  }
  deriving stock (Eq, Show)

-- | What comes after a block. After an end nothing does, and it has no elements.
following :: Head -> Next
following h = case headKind h of
  Ending -> Next (headNumber h) (headFirst h) (Just (headOffset h))
  Holding _ ->
    Next
      (headNumber h + 1)
      (headFirst h + headCount h)
      (Just (headOffset h + headSize + headStored h))

-- | Is it the very next one?
follows :: Next -> Head -> Bool
follows (Next n early offset) h =
  headNumber h == n && headFirst h == early && maybe True (== headOffset h) offset

-- | Is it the next one, or is there just room for those between? A block has an element
-- at least, and a byte besides its head.
fits :: Next -> Head -> Bool
fits next@(Next n early offset) h
  | missing == 0 = follows next h
  | otherwise =
      missing > 0
        && headFirst h - early >= missing
        && maybe
          True
          (\o -> headOffset h >= o && (headOffset h - o) `quot` (headSize + 1) >= missing)
          offset
  where
    missing = headNumber h - n

-- * Blocks

-- | A block whose checksum is right: where it stands, its head, and what is kept of it.
data Found b = Found
  { foundAt :: !Int,
    foundHead :: !Head,
    foundBody :: !b
  }

-- | Where a block belongs, by its own word: its number, the number of its first element, and where
-- in the file its head begins.
data Place = Place !Int !Int !Int
  deriving stock (Eq, Ord)

-- | That of a block, and that of the very next one.
placeOf, placeAfter :: Head -> Place
placeOf h = Place (headNumber h) (headFirst h) (headOffset h)
placeAfter h =
  Place (headNumber h + 1) (headFirst h + headCount h) (headOffset h + headSize + headStored h)

-- * Runs

-- | Blocks that follow each other exactly: the first one, the last one, and all by their
-- numbers.
data Run b = Run
  { -- | The block with the least number, and the one with the greatest.
    first, final :: !(Found b),
    blocks :: !(IntMap (Found b))
  }

-- | A run of one block. Longer ones are 'linked'.
runOf :: Found b -> Run b
runOf b = Run b b (IntMap.singleton (numberOf b) b)

-- | Where its first block belongs, and what comes after its last one.
runPlace, runEnd :: Run b -> Place
runPlace = placeOf . foundHead . first
runEnd = placeAfter . foundHead . final

-- | One that ends where the other begins, and that other one.
linked :: Run b -> Run b -> Run b
linked early late =
  Run {first = first early, final = final late, blocks = IntMap.union (blocks early) (blocks late)}

numberOf :: Found b -> Int
numberOf = headNumber . foundHead

-- | The bytes of its blocks as they are stored. As they follow each other, their places
-- say so.
weight :: Run b -> Int
weight run =
  headOffset end
    + headStored end
    - headOffset (foundHead (first run))
    - headSize * (headNumber end - numberOf (first run))
  where
    end = foundHead (final run)

-- | In order.
blocksOf :: Run b -> [Found b]
blocksOf = IntMap.elems . blocks

lookupBlock :: Int -> Run b -> Maybe (Found b)
lookupBlock number = IntMap.lookup number . blocks

-- | The blocks before a number, and the others, if there are any.
splitRun :: Int -> Run b -> ([Found b], Maybe (Run b))
splitRun number run
  | numberOf (first run) >= number = ([], Just run)
  | otherwise = (IntMap.elems early, ofBlocks late)
  where
    (early, here, late') = IntMap.splitLookup number (blocks run)
    late = maybe late' (\b -> IntMap.insert number b late') here

ofBlocks :: IntMap (Found b) -> Maybe (Run b)
ofBlocks found = do
  (_, start) <- IntMap.lookupMin found
  (_, end) <- IntMap.lookupMax found
  Just (Run start end found)

-- | Of some runs what fits what comes next and each other, in the order of their numbers.
-- The heaviest is believed first, the earlier one of two that are as heavy; of each other
-- what is left where those before it have nothing. Where nothing is known of what comes
-- next, the heaviest is believed whole.
--
-- What fits its neighbours among those that are believed fits all: room adds up. So time is
-- that of sorting the runs and of their blocks.
chosen :: Maybe Next -> [Run b] -> [Run b]
chosen next = IntMap.elems . List.foldl' believed IntMap.empty . List.sortOn (Down . weight)
  where
    believed known run =
      List.foldl'
        (\all' piece -> IntMap.insert (numberOf (first piece)) piece all')
        known
        (pieces known (IntMap.lookupLE (numberOf (first run)) known) (maybe [run] behind next))
      where
        behind it = after it run
    -- Of a run what fits after the one that is given and before the one after that, and so on.
    pieces known here run = case maybe id (concatMap . after . end . snd) here run of
      [] -> []
      rest -> case maybe (IntMap.lookupMin known) ((`IntMap.lookupGT` known) . fst) here of
        Nothing -> rest
        there@(Just (_, other)) ->
          concatMap (before (foundHead (first other))) rest <> pieces known there rest
    end = following . foundHead . final

-- | The blocks of a run that fit after something, from the first on that does. If one does,
-- so do those after it, but for the very next one: from there on each leaves more room
-- than the one before.
after :: Next -> Run b -> [Run b]
after next run =
  slice (least (maybe False (fits next . foundHead) . (`lookupBlock` run)) from to) to run
  where
    from = case lookupBlock (nextNumber next) run of
      Just b | not (follows next (foundHead b)) -> nextNumber next + 1
      _ -> max (nextNumber next) (numberOf (first run))
    to = numberOf (final run)

-- | The blocks of a run that fit before another one, up to the last that does.
before :: Head -> Run b -> [Run b]
before h run =
  slice
    from
    ( negate
        ( least
            ( maybe False ((`fits` h) . following . foundHead)
                . (`lookupBlock` run)
                . negate
            )
            (negate to)
            (negate from)
        )
    )
    run
  where
    from = numberOf (first run)
    to = case lookupBlock (headNumber h - 1) run of
      Just b | not (follows (following (foundHead b)) h) -> headNumber h - 2
      _ -> min (headNumber h - 1) (numberOf (final run))

-- | The blocks from a number to another, if there are any.
slice :: Int -> Int -> Run b -> [Run b]
slice from to run
  | from > to = []
  | (from, to) == (numberOf (first run), numberOf (final run)) = [run]
  | otherwise =
      maybe
        []
        pure
        ( ofBlocks
            ( IntMap.takeWhileAntitone
                (<= to)
                (IntMap.dropWhileAntitone (< from) (blocks run))
            )
        )

-- | The least number between two for which something holds that holds for all after it;
-- one more than the greatest, if it does for none.
least :: (Int -> Bool) -> Int -> Int -> Int
least holds from to
  | from > to = from
  | holds middle = least holds from (middle - 1)
  | otherwise = least holds (middle + 1) to
  where
    middle = from + (to - from) `quot` 2
