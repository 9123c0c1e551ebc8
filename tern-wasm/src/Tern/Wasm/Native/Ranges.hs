-- | Which writes of a slot belong together.
--
-- The idea: two writes of a slot are of one range where something may read either, and
-- so must the value be in one place whichever of them was the last. Within a stretch of
-- code without labels the last write is known; where a label is, each slot that is alive
-- there has one range, and what every way to it brings is joined with it.
--
-- Start at 'ranges'.
module Tern.Wasm.Native.Ranges
  ( Ranges (rangeCount),
    ranges,
    rangeBefore,
    rangeAfter,
    bitsOf,
  )
where

import Control.Monad (foldM, forM_)
import Control.Monad.ST (ST, runST)
import Data.Bits (countTrailingZeros, popCount, (.&.))
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.STRef (newSTRef, readSTRef, writeSTRef)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as MV
import Data.Vector.Unboxed qualified as U
import Data.Vector.Unboxed.Mutable qualified as MU
import Data.Word (Word64)

-- | The last write of a slot, by the slot's bit, before and after each instruction;
-- right for slots that are alive there, or written. Neighbours share most of it. Ranges
-- have the numbers below 'rangeCount'.
data Ranges = Ranges
  { writesBefore :: !(Vector (IntMap Int)),
    writesAfter :: !(Vector (IntMap Int)),
    -- | By the number of a write, or of a slot at a label.
    rangeNames :: !(U.Vector Int),
    rangeCount :: !Int
  }

-- | The range of a slot, by its bit, before an instruction, by its number; and after.
rangeBefore, rangeAfter :: Ranges -> Int -> Int -> Maybe Int
rangeBefore r k b = (rangeNames r U.!) <$> IntMap.lookup b (writesBefore r V.! k)
rangeAfter r k b = (rangeNames r U.!) <$> IntMap.lookup b (writesAfter r V.! k)

-- | Given the most ranges that there may be; for each instruction whether control comes
-- to the next one, to which others it goes, which slots are alive before it, and which
-- it writes. Where there would be more ranges, each slot has one. Linear, but for the
-- slots that are alive at labels.
ranges :: Int -> Vector Bool -> Vector [Int] -> U.Vector Word64 -> U.Vector Word64 -> Ranges
ranges most onwards targets living written
  | bound > 64 * most || rangeCount fine > most = coarse
  | otherwise = fine
  where
    n = V.length onwards
    coarse = Ranges whole whole (U.enumFromN 0 64) 64
    whole = V.replicate n (IntMap.fromDistinctAscList [(b, b) | b <- [0 .. 63]])
    -- Where control comes from elsewhere than the instruction before.
    labelled =
      U.accum
        (\_ x -> x)
        (U.generate n (\k -> k == 0 || not (onwards V.! (k - 1))))
        [(t, True) | ts <- V.toList targets, t <- ts]
    bound =
      U.sum (U.imap (\k m -> if labelled U.! k then popCount m else 0) living)
        + U.sum (U.map popCount written)
    fine = runST $ do
      parent <- MU.generate bound id
      next <- newSTRef 0
      let fresh m known = foldM named known (bitsOf m)
          named known b = (\r -> IntMap.insert b r known) <$> new
          new = do
            r <- readSTRef next
            writeSTRef next $! r + 1
            pure r
      heads <-
        IntMap.fromDistinctAscList
          <$> mapM
            (\k -> (k,) <$> fresh (living U.! k) IntMap.empty)
            [k | k <- [0 .. n - 1], labelled U.! k]
      before <- MV.replicate n IntMap.empty
      after <- MV.replicate n IntMap.empty
      let go k known
            | k >= n = pure ()
            | otherwise = do
                let !here = IntMap.findWithDefault known k heads
                !there <- fresh (written U.! k) here
                MV.write before k here
                MV.write after k there
                forM_ ([k + 1 | onwards V.! k] <> targets V.! k) $ \j ->
                  forM_ (IntMap.lookup j heads) $ \names ->
                    forM_ (bitsOf (living U.! j)) $ \b ->
                      forM_ ((,) <$> IntMap.lookup b names <*> IntMap.lookup b there) $
                        uncurry (join parent)
                go (k + 1) there
      go 0 IntMap.empty
      used <- readSTRef next
      roots <- U.generateM used (root parent)
      let numbers = U.postscanl' (+) 0 (U.imap (\r q -> if r == q then 1 else 0) roots)
          names = U.map (\r -> (numbers U.! r) - 1) roots
          count = if used == 0 then 0 else U.last numbers
      before' <- V.unsafeFreeze before
      after' <- V.unsafeFreeze after
      pure (Ranges before' after' names count)

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
