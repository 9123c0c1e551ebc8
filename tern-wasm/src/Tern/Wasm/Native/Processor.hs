-- | What a processor has beyond what every one with native code has.
--
-- The idea: code is made for the processor that it runs on. Operators whose result goes to a
-- third register need no copy of their first operand.
--
-- Start at 'Processor'.
module Tern.Wasm.Native.Processor
  ( Processor (..),
    oldest,
  )
where

-- | Which of the later instructions there are.
data Processor = Processor
  { -- | Operators of floats with three registers (AVX).
    floatsApart :: !Bool,
    -- | Rotations into another register (BMI2).
    rotatesApart :: !Bool,
    -- | And with a number's opposite (BMI1).
    clearsBits :: !Bool
  }
  deriving stock (Eq, Show)

-- | One of 2008, the oldest that has native code.
oldest :: Processor
oldest = Processor False False False
