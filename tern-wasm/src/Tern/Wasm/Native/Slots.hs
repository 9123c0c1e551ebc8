-- -O1: without it each element of a flat vector is gone through by dictionaries, and code was
-- made ten times as slowly in the suites without optimisation. Its loops allocate nothing, so
-- that they are told to look whether the time is over.
{-# OPTIONS_GHC -O1 -fno-omit-yields #-}

-- | The slots of a frame that may be in registers: the 64 that are used most, in loops above
-- all, each with a bit of its own.
--
-- The idea: whatever is said of slots for each instruction is then one word.
--
-- Start at 'slotsOf'.
module Tern.Wasm.Native.Slots
  ( Slots (..),
    slotsOf,
    unconsidered,
    bitOf,
    weightAt,

    -- * What an instruction does with them
    readMask,
    writeMask,
    endMask,
    lostMask,
    passedMask,
    passes,
  )
where

import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.Int (Int8)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet (IntSet)
import Data.IntSet qualified as IntSet
import Data.List qualified as List
import Data.Ord (Down (..))
import Data.Set qualified as Set
import Data.Vector.Unboxed qualified as U
import Data.Word (Word64, Word8)
import Tern.Wasm.Native.Flow
  ( Body,
    Effect (..),
    RegisterClass (..),
    Use (..),
    bodyLength,
    effectAt,
    isWideSlot,
  )

-- | The slots of a function that are considered, at most 64, and their bits. A slot goes by its
-- name, which of 16 bytes is another than its place ('isWideSlot').
data Slots = Slots
  { -- | The slots by their bits, and the other way round, by 'dense', -1 for none: every
    -- instruction's slots are looked up a few times.
    slotOf :: !(U.Vector Int),
    bits :: !(U.Vector Int8),
    -- | The slots of 16 bytes that something reads.
    wideSlots :: !IntSet
  }

-- | The bit of a slot that is considered.
bitOf :: Slots -> Int -> Maybe Int
bitOf slots s = case bits slots U.!? dense s of
  Just b | b >= 0 -> Just (fromIntegral b)
  _ -> Nothing

-- | Slots are multiples of 8, and the names of those of 16 bytes one more.
dense :: Int -> Int
dense s = 2 * (s `shiftR` 3) + (s .&. 1)

-- | Those of a function, given how deep in loops each instruction is.
slotsOf :: Body -> U.Vector Word8 -> Slots
slotsOf body depths = Slots chosen numbered wide
  where
    numbered =
      U.update
        (U.replicate (U.foldl' (\n s -> max n (dense s + 1)) 0 chosen) (-1))
        (U.imap (\b s -> (dense s, fromIntegral b)) chosen)
    (uses, wide) = List.foldl' added (IntMap.empty, IntSet.empty) [0 .. bodyLength body - 1]
    added (!counted, !seen) k =
      ( List.foldl' (count (weightAt depths k)) counted (effectReads e <> effectWrites e),
        List.foldl' (flip IntSet.insert) seen [s | Use s Wide _ <- effectReads e]
      )
      where
        e = effectAt body k
    count w m (Use s _ _) = IntMap.insertWith (+) s w m
    -- Those of vectors that nothing reads are no vectors.
    considered s = not (isWideSlot s) || IntSet.member s wide
    chosen = U.fromList (map snd (Set.toAscList (IntMap.foldlWithKey' best Set.empty uses)))
    best most s w
      | not (considered s) = most
      | Set.size more > 64 = Set.deleteMax more
      | otherwise = more
      where
        more = Set.insert (Down w, s) most

-- | None is considered.
unconsidered :: Slots -> Slots
unconsidered slots = slots {slotOf = U.empty, bits = U.empty}

-- | How much an instruction counts: eight times more in each loop around it.
weightAt :: U.Vector Word8 -> Int -> Int
weightAt depths k = 1 `shiftL` (3 * fromIntegral (depths U.! k))

-- * What an instruction does with them

-- | What it reads, in registers or in memory; what it writes; what ends where it writes; what
-- is lost; and what it reads in memory.
readMask, writeMask, endMask, lostMask, passedMask :: Slots -> Effect -> Word64
readMask slots e = mask slots (map useSlot (effectReads e)) .|. passedMask slots e
writeMask slots e = mask slots (map useSlot (effectWrites e))
endMask slots e = mask slots (effectEnds e)
lostMask slots e = ranged slots (effectLost e) maxBound
passedMask slots e = uncurry (ranged slots) (effectPassed e)

mask :: Slots -> [Int] -> Word64
mask slots = List.foldl' (\m s -> maybe m (\b -> m .|. (1 `shiftL` b)) (bitOf slots s)) 0

ranged :: Slots -> Int -> Int -> Word64
ranged slots from to
  | from >= to = 0
  | otherwise =
      U.ifoldl' (\m b s -> if s >= from && s < to then m .|. (1 `shiftL` b) else m) 0 (slotOf slots)

-- | Whether a slot lies where an instruction reads in memory, as 'effectPassed' says.
passes :: Effect -> Int -> Bool
passes e s = s >= from && s < to
  where
    (from, to) = effectPassed e
