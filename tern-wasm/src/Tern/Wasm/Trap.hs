{-# LANGUAGE OverloadedStrings #-}

-- | Why an instruction ends a computation.
--
-- The idea: the tables of instructions name them ("Tern.Wasm.Opcode", "Tern.Wasm.Aggregate",
-- "Tern.Wasm.Traps"), so they are known before anything else is.
module Tern.Wasm.Trap
  ( Trap (..),
    renderTrap,
  )
where

import Data.Text (Text)
import Data.Text qualified as T

-- | Why code ended without a result (WebAssembly core, section 4.2). The store and its
-- instances are as they were at the instruction that trapped, and may be used again.
data Trap
  = TrapUnreachable
  | DivideByZero
  | IntegerOverflow
  | InvalidConversion
  | OutOfBoundsMemory
  | OutOfBoundsTable
  | -- | The table has no element there.
    UndefinedElement
  | -- | The table's element is null.
    UninitializedElement
  | IndirectCallTypeMismatch
  | NullReference
  | CastFailure
  | OutOfBoundsArray
  | -- | A function of a module that was loaded without a look at its functions
    -- turned out malformed or invalid: why.
    BrokenFunction !Text
  | -- | A host function's refusal, in its own words.
    HostTrap !Text
  deriving stock (Eq, Show)

-- | In the words of the official scripts, where they have some.
renderTrap :: Trap -> Text
renderTrap = \case
  TrapUnreachable -> "unreachable"
  DivideByZero -> "integer divide by zero"
  IntegerOverflow -> "integer overflow"
  InvalidConversion -> "invalid conversion to integer"
  OutOfBoundsMemory -> "out of bounds memory access"
  OutOfBoundsTable -> "out of bounds table access"
  UndefinedElement -> "undefined element"
  UninitializedElement -> "uninitialized element"
  IndirectCallTypeMismatch -> "indirect call type mismatch"
  NullReference -> "null reference"
  CastFailure -> "cast failure"
  OutOfBoundsArray -> "out of bounds array access"
  BrokenFunction text -> text
  HostTrap text -> T.take 400 text
