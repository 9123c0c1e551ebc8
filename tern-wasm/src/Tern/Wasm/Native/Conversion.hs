-- | Conversions between floats and integers that are more than one instruction.
--
-- The idea: as "Tern.Wasm.Numeric" has them; the bounds are compared first, so that
-- the processor is never asked for what does not fit. Start at 'truncated'.
module Tern.Wasm.Native.Conversion
  ( truncated,
    fromUnsigned,
  )
where

import Control.Monad (when)
import Data.Int (Int64)
import GHC.Float (castDoubleToWord64)
import Tern.Wasm.Native.Assembler
  ( Arithmetic (..),
    Bits_ (..),
    Condition (..),
    Float_ (..),
    Operand (..),
    Register,
    Shift (..),
    Size (..),
    arithmetic,
    arithmeticFloat,
    arithmeticImmediate,
    bitsFloat,
    compareFloat,
    convertFloat,
    floatToInt,
    fromInteger_,
    intToFloat,
    jump,
    jumpIf,
    load,
    loadImmediate,
    newLabel,
    place,
    rax,
    rcx,
    shiftBy,
    test,
  )
import Tern.Wasm.Native.Frame
  ( Env (..),
    cold,
    float,
    into,
    intoVector,
    settle,
    settleVector,
  )
import Tern.Wasm.Native.Leave (trapping)
import Tern.Wasm.Native.Located (Located (..))
import Tern.Wasm.Native.Slow (Truncation (..))
import Tern.Wasm.Trap (Trap (..))

-- | From 64 bits without a sign: from 2^63 on half the number, with the lost bit kept,
-- and twice the result.
fromUnsigned :: Env -> Located -> Size -> IO ()
fromUnsigned env s size_ = do
  large <- newLabel a
  done <- newLabel a
  into env Full b rax
  bitsFloat a XorB 0 0
  test a Full rax rax
  jumpIf a Negative large
  intToFloat a size_ Full 0 (Reg rax)
  place a done
  settleVector env size_ (stepA s) 0
  cold env $ do
    place a large
    load a Full rcx (Reg rax)
    shiftBy a ShiftRight Full (Reg rcx) 1
    arithmeticImmediate a And Half (Reg rax) 1
    arithmetic a Or Full rcx (Reg rax)
    intToFloat a size_ Full 0 (Reg rcx)
    arithmeticFloat a AddF size_ 0 (Reg 0)
    jump a done
  where
    a = asm env
    b = stepB s

-- | From a float, as a double, to an integer: with traps, or saturating.
truncated :: Env -> Located -> Truncation -> IO ()
truncated env s (Truncation from to unsigned_ saturates) = do
  let wide = to == Full
  case from of
    Half -> float env Half b 0 >>= convertFloat a Full 0
    Full -> intoVector env Full b 0
  done <- newLabel a
  if saturates
    then do
      arithmetic a Xor Half rax (Reg rax)
      compareFloat a Full 0 (Reg 0)
      jumpIf a Parity done
      let (low, lowest, high, highest) = saturation unsigned_ wide
      bound env rcx low
      loadImmediate a rax lowest
      compareFloat a Full 0 (Reg 1)
      jumpIf a BelowEqual done
      bound env rcx high
      loadImmediate a rax highest
      compareFloat a Full 0 (Reg 1)
      jumpIf a AboveEqual done
    else do
      nan <- trapping env InvalidConversion s
      beyond <- trapping env IntegerOverflow s
      compareFloat a Full 0 (Reg 0)
      jumpIf a Parity nan
      let (low, high) = limits unsigned_ wide
      bound env rax low
      compareFloat a Full 0 (Reg 1)
      jumpIf a BelowEqual beyond
      bound env rax high
      compareFloat a Full 0 (Reg 1)
      jumpIf a AboveEqual beyond
  when (unsigned_ && wide) $ do
    small <- newLabel a
    bound env rax 9223372036854775808
    compareFloat a Full 0 (Reg 1)
    jumpIf a Below small
    arithmeticFloat a SubF Full 0 (Reg 1)
    floatToInt a Full Full rax (Reg 0)
    loadImmediate a rcx minBound
    arithmetic a Xor Full rax (Reg rcx)
    jump a done
    place a small
  floatToInt a Full Full rax (Reg 0)
  place a done
  settle env to (stepA s) rax
  where
    a = asm env
    b = stepB s

-- | A double in xmm1, through a register.
bound :: Env -> Register -> Double -> IO ()
bound env r v = do
  loadImmediate a r (fromIntegral (castDoubleToWord64 v))
  fromInteger_ a Full 1 r
  where
    a = asm env

-- | The bounds, exclusive, of what can be converted.
limits :: Bool -> Bool -> (Double, Double)
limits unsigned_ wide = case (unsigned_, wide) of
  (False, False) -> (-2147483649, 2147483648)
  (True, False) -> (-1, 4294967296)
  (False, True) -> (-9223372036854777856, 9223372036854775808)
  (True, True) -> (-1, 18446744073709551616)

-- | At most what the result is the lowest, and from where the highest.
saturation :: Bool -> Bool -> (Double, Int64, Double, Int64)
saturation unsigned_ wide = case (unsigned_, wide) of
  (False, False) -> (-2147483648, 0x80000000, 2147483647, 0x7FFFFFFF)
  (True, False) -> (0, 0, 4294967295, 0xFFFFFFFF)
  (False, True) -> (-9223372036854775808, minBound, 9223372036854775808, maxBound)
  (True, True) -> (0, 0, 18446744073709551616, -1)
