-- | Conversions between floats and integers in the lanes of vectors.
--
-- The idea: as "Tern.Wasm.Simd" has them. The processor gives the least integer for whatever
-- does not fit; a NaN is made zero before, and what is too great is mended after.
--
-- Start at 'convertedLanes'.
module Tern.Wasm.Native.LaneConversion
  ( convertedLanes,
  )
where

import Tern.Wasm.Meaning (Sign (..))
import Tern.Wasm.Native.Assembler (Operand (..), copyFloat)
import Tern.Wasm.Native.Frame (Env (..), constant128, inVector128, intoVector128)
import Tern.Wasm.Native.LaneBits (lowHalves, zero)
import Tern.Wasm.Native.Packed
  ( Lanes (..),
    Numbered (..),
    Packed (..),
    numbered,
    packed,
    shiftLanes,
  )
import Tern.Wasm.Native.Vector (LaneConversion (..))

-- | Of a slot, in xmm0.
convertedLanes :: Env -> LaneConversion -> Int -> IO ()
convertedLanes env how b = case how of
  SinglesToInteger WithSign -> do
    x <- inVector128 env b 1
    -- A NaN is not equal to itself.
    copyFloat a 0 x
    numbered a CmpPS 0 0 (Reg 0)
    packed a Pand 0 (Reg x)
    -- From 2^31 on: the least number with its bits inverted is the greatest.
    constant128 env 2 0x4F0000004F000000 0x4F0000004F000000
    numbered a CmpPS 2 2 (Reg 0)
    packed a CvttPS2DQ 0 (Reg 0)
    packed a Pxor 0 (Reg 2)
  SinglesToInteger WithoutSign -> do
    intoVector128 env b 0
    zero a 3
    -- A NaN gives way to the second operand.
    packed a MaxPS 0 (Reg 3)
    -- What is beyond 2^31 is converted on its own, and added.
    constant128 env 2 0x4F0000004F000000 0x4F0000004F000000
    copyFloat a 1 0
    packed a SubPS 1 (Reg 2)
    numbered a CmpPS 2 2 (Reg 1)
    packed a CvttPS2DQ 1 (Reg 1)
    packed a Pxor 1 (Reg 2)
    packed a PmaxsD 1 (Reg 3)
    packed a CvttPS2DQ 0 (Reg 0)
    packed a PaddD 0 (Reg 1)
  DoublesToInteger WithSign -> do
    intoVector128 env b 0
    copyFloat a 1 0
    numbered a CmpPD 0 1 (Reg 0)
    -- The greatest integer, as a double; 0 where there is a NaN, which gives way to it.
    constant128 env 2 0x41DFFFFFFFC00000 0x41DFFFFFFFC00000
    packed a Pand 1 (Reg 2)
    packed a MinPD 0 (Reg 1)
    packed a CvttPD2DQ 0 (Reg 0)
  DoublesToInteger WithoutSign -> do
    intoVector128 env b 0
    zero a 3
    packed a MaxPD 0 (Reg 3)
    constant128 env 2 0x41EFFFFFFFE00000 0x41EFFFFFFFE00000
    packed a MinPD 0 (Reg 2)
    numbered a RoundPD 11 0 (Reg 0)
    -- With 2^52 added the number stands in the lowest bits.
    constant128 env 2 0x4330000000000000 0x4330000000000000
    packed a AddPD 0 (Reg 2)
    numbered a ShufPS 0x88 0 (Reg 3)
  SinglesFromUnsigned -> do
    intoVector128 env b 0
    copyFloat a 1 0
    lowHalves a 0
    packed a CvtDQ2PS 0 (Reg 0)
    -- Half of the high halves, so that there is no sign; both are exact, and so is their
    -- double: only the sum is rounded.
    shiftLanes a False Lanes32 1 16
    shiftLanes a True Lanes32 1 15
    packed a CvtDQ2PS 1 (Reg 1)
    packed a AddPS 1 (Reg 1)
    packed a AddPS 0 (Reg 1)
  DoublesFromUnsigned -> do
    intoVector128 env b 0
    -- The number in the lowest bits of 2^52, which is then taken away.
    constant128 env 1 0x4330000043300000 0x4330000043300000
    packed a PunpckLDQ 0 (Reg 1)
    constant128 env 1 0x4330000000000000 0x4330000000000000
    packed a SubPD 0 (Reg 1)
  where
    a = asm env
