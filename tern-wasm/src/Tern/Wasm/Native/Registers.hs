-- | Which slots of a frame native code keeps in registers, and from where to where.
--
-- The idea: what is written to a slot and what may read it make a /range/; a slot that
-- is used for one thing after the other has several, which have nothing to do with each
-- other. The ranges that are used most, in loops above all, get a register where no
-- other range of the same register is alive at the same time; all others stay in the
-- frame. So every jump finds each value where it expects it, and what must be written
-- back or fetched at a call or an exit is known from which ranges are alive there.
--
-- Start at 'allocate'. What reads a slot asks 'homeBefore', and what writes it 'homeAfter'.
module Tern.Wasm.Native.Registers
  ( Home (..),
    Allocation,
    allocate,
    homeBefore,
    homeAfter,
    isHalf,
    aliveAt,
    passedSlots,
    lookedAt,
    unread,
    isVector,
    isLoopHead,
    isLabelled,
  )
where

import Data.Bits (testBit, (.&.), (.|.))
import Data.IntSet qualified as IntSet
import Data.Vector.Unboxed qualified as U
import Data.Word (Word64)
import Tern.Wasm.Native.Flow (Body, Effect (..), Use (..), bodyLength, effectAt)
import Tern.Wasm.Native.Homes (Home (..), Homes, homeOf, homesOf, isNarrow, noHomes)
import Tern.Wasm.Native.Homes qualified as Homes
import Tern.Wasm.Native.Ranges (Ranges, bitsOf, rangeAfter, rangeBefore, ranges)
import Tern.Wasm.Native.Slots
  ( Slots (..),
    bitOf,
    endMask,
    lostMask,
    passedMask,
    passes,
    readMask,
    slotsOf,
    unconsidered,
    writeMask,
  )
import Tern.Wasm.Native.Ways (labelled, liveness, loopDepths, loopHeads, mergeAfter, ways)

-- | Which slots of a function are in registers, and where in the code.
data Allocation = Allocation
  { slots :: !Slots,
    -- | Before each instruction, which are alive.
    alive :: !(U.Vector Word64),
    known :: !Ranges,
    heads :: !(U.Vector Bool),
    joins :: !(U.Vector Bool),
    chosen :: !Homes
  }

-- | Where a slot's value is for who reads it, at an instruction by its number.
homeBefore :: Allocation -> Int -> Int -> Home
homeBefore l k slot = maybe InFrame (homeOf (chosen l)) (readRange l k slot)

-- | Where it is to be after who writes it.
homeAfter :: Allocation -> Int -> Int -> Home
homeAfter l k slot =
  maybe InFrame (homeOf (chosen l)) (bitOf (slots l) slot >>= rangeAfter (known l) k)

readRange :: Allocation -> Int -> Int -> Maybe Int
readRange l k slot = bitOf (slots l) slot >>= rangeBefore (known l) k

-- | Whether the register that a slot is in, before an instruction, has nothing above
-- its 32 low bits: instructions of 32 bits clear the others, and
-- 'Tern.Wasm.Native.Frame.fetch' is one.
isHalf :: Allocation -> Int -> Int -> Bool
isHalf l k slot = maybe False (isNarrow (chosen l)) (readRange l k slot)

-- | The slots in registers that are alive before an instruction, by its number.
aliveAt :: Allocation -> Int -> [(Int, Home)]
aliveAt l k =
  [ (slotOf (slots l) U.! b, h)
    | b <- bitsOf (alive l U.! k),
      Just r <- [rangeBefore (known l) k b],
      let h = homeOf (chosen l) r,
      h /= InFrame
  ]

-- | The slots in registers that an instruction, by its number, reads in memory.
passedSlots :: Allocation -> Int -> Effect -> [(Int, Home)]
passedSlots l k e = [sh | sh@(s, _) <- aliveAt l k, passes e s]

-- | The same where the driver may come to do what the instruction says: it finds
-- nothing but in memory, so that all that the instruction reads must be there.
lookedAt :: Allocation -> Int -> Effect -> [(Int, Home)]
lookedAt l k e =
  [sh | sh@(s, _) <- aliveAt l k, passes e s || s `elem` map useSlot (effectReads e)]

-- | Whether nothing reads what a slot holds before an instruction, neither in a register
-- nor in memory; not known of slots that are not considered.
unread :: Allocation -> Int -> Int -> Bool
unread l k slot =
  case (,) <$> bitOf (slots l) slot <*> (alive l U.!? k) of
    Just (b, m) -> not (testBit m b)
    Nothing -> False

-- | Whether a slot of 16 bytes is one: something reads it.
isVector :: Allocation -> Int -> Bool
isVector l slot = IntSet.member slot (wideSlots (slots l))

-- | Whether a loop begins with an instruction, by its number.
isLoopHead :: Allocation -> Int -> Bool
isLoopHead l k = heads l U.! k

-- | Whether control may come to an instruction from elsewhere than the one before, or never comes
-- from there.
isLabelled :: Allocation -> Int -> Bool
isLabelled l k = joins l U.! k

-- | What is in registers in a function. About linear, times the depth of loops; at most 64
-- slots are considered.
allocate :: Body -> Allocation
allocate body = case (,)
  <$> liveness control reads_ writes_
  <*> handedOn of
  Just (living, on) -> assigned living on
  -- Nested too deeply: every slot stays in the frame.
  Nothing -> Allocation (unconsidered slots_) (U.replicate n 0) nowhere heads_ joins_ noHomes
  where
    n = bodyLength body
    control = ways body
    heads_ = loopHeads control
    joins_ = labelled control
    depths = loopDepths control
    slots_ = slotsOf body depths
    -- What each reads, writes, overwrites or loses, and reads in memory: asked once.
    (reads_, own, overwritten, passed) = U.unzip4 (U.generate n (masks . effectAt body))
    masks e =
      ( readMask slots_ e,
        writeMask slots_ e,
        endMask slots_ e .|. lostMask slots_ e,
        passedMask slots_ e
      )
    writes_ = U.zipWith (.|.) own overwritten
    nowhere = ranges 0 control (U.replicate n 0) (U.replicate n 0)

    -- The slots that may be passed on, before each instruction: a call's result of 64 bits
    -- may be the next call's argument, and nobody here has said how wide it is.
    handedOn
      | U.all (== 0) passed = Just (U.replicate n 0)
      | otherwise = liveness control passed writes_

    assigned living on = Allocation slots_ living found heads_ joins_ homes
      where
        written = U.izipWith (\k o m -> o .|. (m .&. mergeAfter control living k)) own overwritten
        found = ranges mostRanges control living written
        homes =
          homesOf
            Homes.Lives
              { Homes.livesBody = body,
                Homes.control = control,
                Homes.depths = depths,
                Homes.slots = slots_,
                Homes.found = found,
                Homes.living = living,
                Homes.passedOn = on,
                Homes.written = written
              }

-- | The most ranges; where there would be more, each slot is one.
mostRanges :: Int
mostRanges = 2048
