-- | The operators that the interpreter leaves its loop for, as native code has them.
--
-- The idea: what each of them means there is said here once. "Tern.Wasm.Native.Flow" says
-- by it what is read and written, and "Tern.Wasm.Native.Emit" writes the code by it, each
-- with a case for every kind, so that neither takes one operator for another.
--
-- Start at 'slowOf'.
module Tern.Wasm.Native.Slow
  ( Slow (..),
    Truncation (..),
    slowOf,
  )
where

import Tern.Wasm.Code (SlowOp (..))
import Tern.Wasm.Meaning (Size (..))
import Tern.Wasm.Numeric (Rounding (..))

-- | What an operator does; a float is single or double as its size is.
data Slow
  = CountOnes !Size
  | Round !Size !Rounding
  | -- | Whether the lesser of the two.
    Extreme !Size !Bool
  | CopySign !Size
  | -- | From 64 bits without a sign to a float of a size.
    FromUnsigned !Size
  | Truncate !Truncation

-- | From a float to an integer.
data Truncation = Truncation
  { truncateFrom :: !Size,
    truncateTo :: !Size,
    truncateUnsigned :: !Bool,
    -- | What does not fit is the nearest that does; else it is a trap.
    truncateSaturates :: !Bool
  }

-- | What an operator does, as the field d of the bytecode's instruction names it.
slowOf :: SlowOp -> Slow
slowOf = \case
  PopCount32 -> CountOnes Half
  PopCount64 -> CountOnes Full
  Ceil32 -> Round Half Ceil
  Floor32 -> Round Half Floor
  Trunc32 -> Round Half Trunc
  Nearest32 -> Round Half Nearest
  Ceil64 -> Round Full Ceil
  Floor64 -> Round Full Floor
  Trunc64 -> Round Full Trunc
  Nearest64 -> Round Full Nearest
  Min32 -> Extreme Half True
  Max32 -> Extreme Half False
  CopySign32 -> CopySign Half
  Min64 -> Extreme Full True
  Max64 -> Extreme Full False
  CopySign64 -> CopySign Full
  F32FromU64 -> FromUnsigned Half
  F64FromU64 -> FromUnsigned Full
  TruncS32F32 -> truncation Half Half False False
  TruncU32F32 -> truncation Half Half True False
  TruncS32F64 -> truncation Full Half False False
  TruncU32F64 -> truncation Full Half True False
  TruncS64F32 -> truncation Half Full False False
  TruncU64F32 -> truncation Half Full True False
  TruncS64F64 -> truncation Full Full False False
  TruncU64F64 -> truncation Full Full True False
  SatS32F32 -> truncation Half Half False True
  SatU32F32 -> truncation Half Half True True
  SatS32F64 -> truncation Full Half False True
  SatU32F64 -> truncation Full Half True True
  SatS64F32 -> truncation Half Full False True
  SatU64F32 -> truncation Half Full True True
  SatS64F64 -> truncation Full Full False True
  SatU64F64 -> truncation Full Full True True
  where
    truncation from to unsigned_ saturates = Truncate (Truncation from to unsigned_ saturates)
