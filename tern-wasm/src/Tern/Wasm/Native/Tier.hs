-- | The two ways to run a function.
module Tern.Wasm.Native.Tier
  ( Tier (..),
  )
where

-- | How a module's functions are run. Whatever it is, they do the same.
data Tier
  = -- | By the interpreter.
    Interpreter
  | -- | As native code from their first call on, but for functions with instructions
    -- that have none; by the interpreter where there is no native code at all.
    NativeCode
  | -- | By the interpreter at first, and as native code from when they are seen to
    -- run long; by the interpreter where there is no native code at all.
    Auto
  deriving stock (Bounded, Enum, Eq, Show)
