-- -O1: without it each element of a flat vector is gone through by dictionaries, and code was
-- made ten times as slowly in the suites without optimisation. Its loops allocate nothing, so
-- that they are told to look whether the time is over.
{-# OPTIONS_GHC -O1 -fno-omit-yields #-}

-- | Which writes of a slot belong together.
--
-- The idea: two writes of a slot are of one range where something may read either, and
-- so must the value be in one place whichever of them was the last. Within a stretch of
-- code without labels the last write is known; where a label is, each slot that is alive
-- there has one range, and what every way to it brings is joined with it.
--
-- The names at labels and the writes are numbered as they come, so that an instruction has
-- the number of its first one only. The last write of a slot is found by going back, over
-- less than 'stretch' instructions: before every so many it is written down for all slots.
--
-- Start at 'ranges'.
module Tern.Wasm.Native.Ranges
  ( Ranges,
    ranges,
    rangeCount,
    slotsAlone,
    rangeBefore,
    rangeAfter,
    forNames,
    bitsOf,
    forBits,
  )
where

import Control.Monad (forM_, when)
import Control.Monad.ST (ST, runST)
import Data.Bits (countTrailingZeros, popCount, shiftL, testBit, (.&.))
import Data.Int (Int32)
import Data.Vector.Unboxed qualified as U
import Data.Vector.Unboxed.Mutable qualified as MU
import Data.Word (Word64)
import Tern.Wasm.Native.Ways (Ways, forWays, labelled)

-- | The ranges of a function's slots. A slot is named by its bit, of which there are 64, and an
-- instruction by its number.
data Ranges
  = -- | Each slot is one.
    Slots
  | Ranges
      { writes :: !Writes,
        -- | Before every so many instructions the last writes of all slots, or -1.
        marks :: !(U.Vector Int32),
        -- | By the number of a write, or of a slot at a label.
        names :: !(U.Vector Int32),
        count :: !Int
      }

-- | Where writes are, and their numbers.
data Writes = Writes
  { atLabel :: !(U.Vector Bool),
    living :: !(U.Vector Word64),
    written :: !(U.Vector Word64),
    -- | The number of the first slot at an instruction's label, or of its first write.
    firsts :: !(U.Vector Int32)
  }

-- | How many there are; they have the numbers below.
rangeCount :: Ranges -> Int
rangeCount = \case
  Slots -> 64
  Ranges {count} -> count

-- | Whether each slot is one, by its bit.
slotsAlone :: Ranges -> Bool
slotsAlone = \case
  Slots -> True
  Ranges {} -> False

-- | The range of a slot, by its bit, before an instruction, by its number; and after.
-- Right for slots that are alive there, or written.
rangeBefore, rangeAfter :: Ranges -> Int -> Int -> Maybe Int
rangeBefore = \case
  Slots -> \_ b -> Just b
  r -> \k b -> named r (lastBefore r k b)
rangeAfter = \case
  Slots -> \_ b -> Just b
  r -> \k b -> named r (lastAfter r k b)

named :: Ranges -> Int -> Maybe Int
named r w = if w < 0 then Nothing else Just (fromIntegral (names r U.! w))

-- | The last write of a slot, or -1.
lastBefore, lastAfter :: Ranges -> Int -> Int -> Int
lastBefore r k b
  | atLabel (writes r) U.! k = nameAt (writes r) k b
  | k `rem` stretch == 0 = fromIntegral (marks r U.! (64 * (k `quot` stretch) + b))
  | otherwise = lastAfter r (k - 1) b
lastAfter r k b
  | testBit (written (writes r) U.! k) b = writeAt (writes r) k b
  | otherwise = lastBefore r k b

-- | The number of a slot's name at a label, if it is alive there, and of its write by an
-- instruction that writes it.
nameAt, writeAt :: Writes -> Int -> Int -> Int
nameAt w k b
  | testBit m b = fromIntegral (firsts w U.! k) + rank m b
  | otherwise = -1
  where
    m = living w U.! k
writeAt w k b = fromIntegral (firsts w U.! k) + namesAt w k + rank (written w U.! k) b

-- | Go over so many instructions in order. At each, first what is to be done with the ranges
-- before it, and then with those after it and what the first said: of a slot, by its bit, or -1
-- where it has none. Quicker than to ask for each, since nobody goes back.
forNames ::
  Ranges ->
  Int ->
  (Int -> (Int -> ST s Int) -> ST s a) ->
  (Int -> a -> (Int -> ST s Int) -> ST s ()) ->
  ST s ()
forNames r n before after = case r of
  Slots -> forM_ [0 .. n - 1] $ \k -> before k pure >>= \said -> after k said pure
  Ranges {writes = all_, names = known} -> do
    now <- MU.replicate 64 (-1)
    let name w = if w < 0 then -1 else fromIntegral (known U.! w)
    forM_ [0 .. n - 1] $ \k -> do
      when (atLabel all_ U.! k) $
        MU.set now (-1) >> forNamed all_ k (\b w -> MU.write now b (name w))
      said <- before k (MU.read now)
      forBits (written all_ U.! k) $ \b -> MU.write now b (name (writeAt all_ k b))
      after k said (MU.read now)

-- | How many slots have a name at an instruction.
namesAt :: Writes -> Int -> Int
namesAt w k = if atLabel w U.! k then popCount (living w U.! k) else 0

-- | For each slot with a name at a label, by its bit: what is to be done with both.
forNamed :: Writes -> Int -> (Int -> Int -> ST s ()) -> ST s ()
forNamed w k f = go (living w U.! k) (fromIntegral (firsts w U.! k))
  where
    go m name
      | m == 0 = pure ()
      | otherwise = f (countTrailingZeros m) name >> go (m .&. (m - 1)) (name + 1)

-- | How many bits below one are set.
rank :: Word64 -> Int -> Int
rank m b = popCount (m .&. ((1 `shiftL` b) - 1))

-- | Between two instructions at which all last writes are written down.
stretch :: Int
stretch = 16

-- | Given the most ranges that there may be; where control goes, which slots are alive before
-- each instruction, and which it writes. Where there would be more ranges, each slot is one.
-- Linear, but for the slots that are alive at labels.
ranges :: Int -> Ways -> U.Vector Word64 -> U.Vector Word64 -> Ranges
ranges most w living_ written_
  | bound > 64 * most || rangeCount fine > most = Slots
  | otherwise = fine
  where
    n = U.length living_
    labels = labelled w
    numbered = U.imap (\k m -> fromIntegral (popCount m + heads k)) written_ :: U.Vector Int32
    heads k = if labels U.! k then popCount (living_ U.! k) else 0
    bound = U.foldl' (\s m -> s + fromIntegral m) 0 numbered :: Int
    fine = joined w n bound (Writes labels living_ written_ (U.prescanl' (+) 0 numbered))

-- | Given how many instructions there are, and how many names and writes.
joined :: Ways -> Int -> Int -> Writes -> Ranges
joined w n bound all_ = runST $ do
  parent <- MU.generate bound id
  now <- MU.replicate 64 (-1)
  noted <- MU.replicate (64 * ((n + stretch - 1) `quot` stretch)) (-1)
  let go k
        | k >= n = pure ()
        | otherwise = do
            when (atLabel all_ U.! k) (MU.set now (-1) >> forNamed all_ k (MU.write now))
            when (k `rem` stretch == 0) $
              forM_ [0 .. 63] $ \b ->
                MU.read now b >>= MU.write noted (64 * (k `quot` stretch) + b) . fromIntegral
            forBits (written all_ U.! k) $ \b -> MU.write now b (writeAt all_ k b)
            forWays w k (meet parent now all_)
            go (k + 1)
  go 0
  roots <- U.generateM bound (root parent)
  let counted = U.postscanl' (+) 0 (U.imap (\r q -> if r == q then 1 else 0) roots)
      names_ = U.map (\r -> (counted U.! r) - 1) roots
  marks_ <- U.unsafeFreeze noted
  pure (Ranges all_ marks_ names_ (if bound == 0 then 0 else fromIntegral (U.last counted)))

-- | What a way brings to a label is joined with what has a name there.
meet :: MU.MVector s Int -> MU.MVector s Int -> Writes -> Int -> ST s ()
meet parent now all_ j = when (atLabel all_ U.! j) $
  forNamed all_ j $ \b name -> do
    r <- MU.read now b
    when (r >= 0) (join parent name r)

join :: MU.MVector s Int -> Int -> Int -> ST s ()
join parent r q = do
  r' <- root parent r
  q' <- root parent q
  -- The lower one stays, so that a root comes before what it is the root of.
  if r' < q' then MU.write parent q' r' else MU.write parent r' q'

root :: MU.MVector s Int -> Int -> ST s Int
root parent r = do
  q <- MU.read parent r
  if q == r
    then pure r
    else do
      -- Half of the way is forgotten each time.
      up <- MU.read parent q
      MU.write parent r up
      root parent up

-- | The numbers of the bits that are set, from the lowest.
bitsOf :: Word64 -> [Int]
bitsOf m
  | m == 0 = []
  | otherwise = countTrailingZeros m : bitsOf (m .&. (m - 1))

-- | For each of them, in the same order.
forBits :: Word64 -> (Int -> ST s ()) -> ST s ()
forBits bits f = go bits
  where
    go m
      | m == 0 = pure ()
      | otherwise = f (countTrailingZeros m) >> go (m .&. (m - 1))
