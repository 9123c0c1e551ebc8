-- | The operators that the interpreter leaves its loop for and that have native code.
--
-- The idea: what an opcode means there is said here once. "Tern.Wasm.Native.Flow" says
-- by it what is read and written, and "Tern.Wasm.Native.Emit" writes the code by it, each
-- with a case for every kind, so that neither takes one operator for another. What is
-- not here has no native code: its function is interpreted.
--
-- Start at 'slowOf'.
module Tern.Wasm.Native.Slow
  ( Slow (..),
    Truncation (..),
    slowOf,
  )
where

import Tern.Wasm.Meaning (Size (..))
import Tern.Wasm.Numeric (Rounding (..))
import Tern.Wasm.Opcode (Opcode)

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

slowOf :: Opcode -> Maybe Slow
slowOf = \case
  0x69 -> Just (CountOnes Half)
  0x7B -> Just (CountOnes Full)
  0x8D -> Just (Round Half Ceil)
  0x8E -> Just (Round Half Floor)
  0x8F -> Just (Round Half Trunc)
  0x90 -> Just (Round Half Nearest)
  0x9B -> Just (Round Full Ceil)
  0x9C -> Just (Round Full Floor)
  0x9D -> Just (Round Full Trunc)
  0x9E -> Just (Round Full Nearest)
  0x96 -> Just (Extreme Half True)
  0x97 -> Just (Extreme Half False)
  0x98 -> Just (CopySign Half)
  0xA4 -> Just (Extreme Full True)
  0xA5 -> Just (Extreme Full False)
  0xA6 -> Just (CopySign Full)
  0xB5 -> Just (FromUnsigned Half)
  0xBA -> Just (FromUnsigned Full)
  0xA8 -> truncation Half Half False False
  0xA9 -> truncation Half Half True False
  0xAA -> truncation Full Half False False
  0xAB -> truncation Full Half True False
  0xAE -> truncation Half Full False False
  0xAF -> truncation Half Full True False
  0xB0 -> truncation Full Full False False
  0xB1 -> truncation Full Full True False
  0x100 -> truncation Half Half False True
  0x101 -> truncation Half Half True True
  0x102 -> truncation Full Half False True
  0x103 -> truncation Full Half True True
  0x104 -> truncation Half Full False True
  0x105 -> truncation Half Full True True
  0x106 -> truncation Full Full False True
  0x107 -> truncation Full Full True True
  _ -> Nothing
  where
    truncation from to unsigned_ saturates = Just (Truncate (Truncation from to unsigned_ saturates))
