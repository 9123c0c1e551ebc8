-- -O1: without it each element of a flat vector is gone through by dictionaries, and code was
-- made ten times as slowly in the suites without optimisation. Its loops allocate nothing, so
-- that they are told to look whether the time is over.
{-# OPTIONS_GHC -O1 -fno-omit-yields #-}

-- | The instructions of a function's bytecode, each made out of its bytes when it is
-- looked at.
--
-- The idea: a stranger's function may have a quarter of a million instructions, and who
-- makes native code goes over them a few times. So nothing is held of them but their
-- bytes and where each begins; an instruction with its fields lasts as long as somebody
-- looks at it.
--
-- Start at 'Steps' and 'stepOf'.
module Tern.Wasm.Native.Located
  ( -- * All instructions
    Steps,
    steps,
    stepCount,
    stepOf,
    numberAt,
    allSteps,
    bytecodeAt,

    -- * One
    Located (..),
    wideField,
    isWide,
    vectorWide,
    vectorLane,
  )
where

import Data.Bits (shiftR, (.&.))
import Data.Int (Int32)
import Data.Vector.Unboxed qualified as U
import Tern.Wasm.Byte (opNumbered)
import Tern.Wasm.Code (Lowered (..), Op, unit)
import Tern.Wasm.Lasting (address)
import Tern.Wasm.Lasting qualified as Lasting
import Tern.Wasm.Meaning (meaning, wordsAfter)
import Tern.Wasm.Prim (Ptr, peekByteOff)

-- * All instructions

-- | The bytecode as it was when it was looked at.
data Steps = Steps
  { -- | Its fields of four bytes.
    fieldsOf :: !(U.Vector Int32),
    -- | The unit that each instruction begins with, and where the last one ends.
    begins :: !(U.Vector Int32),
    -- | The number of the instruction that begins with a unit.
    numbers :: !(U.Vector Int32)
  }

-- | All instructions of a function, in order.
steps :: Lowered -> IO Steps
steps l = do
  fields <- Lasting.at (loweredCode l) $ \p ->
    U.generateM (4 * units) (\k -> peekByteOff (p :: Ptr ()) (4 * k))
  let found = U.unfoldrN (units + 1) (next fields) 0
      named = U.imap (\k u -> (fromIntegral u, fromIntegral k)) (U.take (U.length found - 1) found)
  pure (Steps fields found (U.update (U.replicate units 0) named))
  where
    units = loweredSize l `div` unit
    next fields u
      | u < units = Just (fromIntegral u, onwards fields u)
      | u == units = Just (fromIntegral u, units + 1)
      | otherwise = Nothing

-- | How many instructions there are; they have the numbers below.
stepCount :: Steps -> Int
stepCount s = U.length (begins s) - 1

-- | An instruction, by its number.
stepOf :: Steps -> Int -> Located
stepOf s k =
  Located
    { stepAt = unit * u,
      stepNext = unit * next,
      stepOp = opAt fields u,
      stepD = (field 0 `shiftR` 16) .&. 0xFFFF,
      stepA = field 1,
      stepB = field 2,
      stepC = field 3,
      stepWide = U.slice (4 * (u + 1)) (4 * (next - u - 1)) fields
    }
  where
    fields = fieldsOf s
    u = fromIntegral (begins s U.! k) :: Int
    next = fromIntegral (begins s U.! (k + 1)) :: Int
    field j = fromIntegral (fields U.! (4 * u + j)) :: Int

-- | The number of the instruction at a distance in bytes.
numberAt :: Steps -> Int -> Int
numberAt s from = fromIntegral (numbers s U.! (from `div` unit))

-- | All of them in order, each made when the list comes to it.
allSteps :: Steps -> [Located]
allSteps s = map (stepOf s) [0 .. stepCount s - 1]

-- | The address of a function's bytecode; it stays where it is.
bytecodeAt :: Lowered -> Ptr ()
bytecodeAt = address . loweredCode

-- | Where the instruction after that of a unit begins.
onwards :: U.Vector Int32 -> Int -> Int
onwards fields u = u + 1 + (more + 3) `div` 4
  where
    more = wordsAfter (meaning (opAt fields u)) (fromIntegral (fields U.! (4 * u + 3)))

opAt :: U.Vector Int32 -> Int -> Op
opAt fields u = opNumbered (fromIntegral (fields U.! (4 * u)) .&. 0xFFFF)

-- * One

-- | An instruction: where it is and where the next one is, in bytes, and its
-- fields; those after its first 16 bytes, four bytes each, in 'stepWide', up to the next
-- instruction: as many as "Tern.Wasm.Meaning" says that it has, and at most three more.
data Located = Located
  { stepAt :: !Int,
    stepNext :: !Int,
    stepOp :: !Op,
    stepD :: !Int,
    stepA :: !Int,
    stepB :: !Int,
    stepC :: !Int,
    stepWide :: !(U.Vector Int32)
  }

-- | A field after the first 16 bytes, by its number from 0, with its sign; 0 where there is none.
wideField :: Located -> Int -> Int
wideField s k = maybe 0 fromIntegral (stepWide s U.!? k)

-- | Whether the address of an access to a memory that no register holds has 64 bits.
isWide :: Located -> Bool
isWide s = wideField s 2 /= 0

-- | The same of an access to vectors; and the number of the lane that one is over, if it is
-- over one.
vectorWide :: Located -> Bool
vectorWide s = odd (wideField s 2)

-- | The number of the lane that an instruction over one lane has; of others it means nothing.
vectorLane :: Located -> Int
vectorLane s = wideField s 1
