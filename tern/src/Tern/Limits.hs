-- | What input may cost at most.
--
-- Every reader obeys one 'Limits', and the defaults are safe for input from
-- strangers: linear time, and memory in proportion to the input. Raise a limit
-- where a protocol needs it.
module Tern.Limits
  ( Limits (..),
    defaultLimits,
    unlimited,
  )
where

-- | Bounds on one document. Going over one is an error that names it.
data Limits = Limits
  { -- | Bytes of input.
    maxBytes :: !Int,
    -- | Levels of arrays and objects within each other. At most 'maxBound' of
    -- an 'Int'; each level costs a few words of stack.
    maxDepth :: !Int,
    -- | Digits in the number that an 'Integer' or another exact number is read
    -- from, as they stand and once its exponent is written out. Machine integers
    -- and floating-point numbers need no such limit: they are read in constant
    -- space. Only a machine integer of more than 19 digits, some of them after its
    -- point (zeros, since it is an integer), is read and limited as an 'Integer' is.
    maxDigits :: !Int
  }
  deriving stock (Eq, Ord, Show)

-- | A gigabyte of input, 512 levels, 4,096 digits.
--
-- >>> maxDepth defaultLimits
-- 512
defaultLimits :: Limits
defaultLimits = Limits {maxBytes = 1024 * 1024 * 1024, maxDepth = 512, maxDigits = 4096}

-- | No limit at all: for input that you made yourself.
unlimited :: Limits
unlimited = Limits {maxBytes = maxBound, maxDepth = maxBound, maxDigits = maxBound}
