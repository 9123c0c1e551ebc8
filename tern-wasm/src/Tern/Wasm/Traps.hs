-- | With what each instruction of the bytecode may trap.
--
-- The idea: nobody traps but by this table. Native code has a way out for a trap only where
-- the instruction's row names it (else its function is left to the interpreter), and the driver
-- passes on no other. What an operator traps with is said where its row is, in
-- "Tern.Wasm.Opcode" and "Tern.Wasm.Aggregate"; here is the rest, with a case for each kind of
-- instruction that "Tern.Wasm.Meaning" has. That each row is right, no more and no less, is
-- tried with operands that trap and with such that must not ("traps").
--
-- Start at 'traps'.
module Tern.Wasm.Traps
  ( traps,

    -- * As code is left
    exitOf,
    trapOf,
  )
where

import Tern.Wasm.Aggregate (Row (..), aggregate)
import Tern.Wasm.Code
  ( Op,
    SlowOp (..),
    exitConversion,
    exitDivideByZero,
    exitIndirectType,
    exitMemory,
    exitNull,
    exitOverflow,
    exitUndefined,
    exitUninitialized,
    exitUnreachable,
  )
import Tern.Wasm.Meaning
  ( BulkOp (..),
    Callee (..),
    Driver (..),
    Meaning (..),
    Part (..),
    Sign (..),
    meaning,
  )
import Tern.Wasm.Opcode (Operator (..), accessOperator, vectorOperator)
import Tern.Wasm.Trap (Trap (..))

-- | With what an instruction may trap, given its field d. What a function of the host refuses
-- is not its caller's, nor what is wrong with a function that has no code yet. O(1).
traps :: Op -> Int -> [Trap]
traps op d = case meaning op of
  Driven _ _ how -> driven how d
  CallsHost -> []
  TailCallsHost -> []
  CallsByDriver -> element
  Switches -> []
  Gates -> []
  Enters -> []
  Stops -> [TrapUnreachable]
  Tallies -> []
  Jumps -> []
  JumpsIf _ -> []
  JumpsByTable -> []
  Calls callee -> called callee
  TailCalls callee -> called callee
  TrapsOnNull -> [NullReference]
  Returns -> []
  ReturnsOne _ -> []
  Makes _ -> []
  Copies _ -> []
  Copies128 -> []
  Zeroes _ -> []
  Selects _ -> []
  Selects128 -> []
  GetsGlobal _ _ -> []
  GetsGlobal128 _ -> []
  SetsGlobal _ _ -> []
  SetsGlobal128 _ -> []
  Loads _ _ -> [OutOfBoundsMemory]
  Stores _ _ -> [OutOfBoundsMemory]
  StoresNarrow _ -> [OutOfBoundsMemory]
  Distantly -> operatorTraps (accessOperator (toEnum d))
  CountsPages -> []
  Operates {} -> []
  Divides WithSign Quotient _ -> [DivideByZero, IntegerOverflow]
  Divides WithSign Remainder _ -> [DivideByZero]
  Divides WithoutSign _ _ -> [DivideByZero]
  CountsLeading _ -> []
  CountsTrailing _ -> []
  Extends _ _ -> []
  Widens _ -> []
  Compares {} -> []
  JumpsOn {} -> []
  FloatOperates _ _ -> []
  FloatRoots _ -> []
  FloatMasks _ _ -> []
  FloatCompares {} -> []
  FloatJumps _ _ -> []
  FromInteger32 _ _ -> []
  FromInteger64 _ -> []
  FloatToFloat _ -> []
  Slowly -> slow (toEnum d)
  OverVectors _ -> operatorTraps (vectorOperator (toEnum d))
  Canonicalises _ -> []
  CanonicalisesLanes _ -> []
  where
    called = \case
      Own -> []
      InTable -> element
      ByReference -> [NullReference]

-- | Of a table, with a type.
element :: [Trap]
element = [UndefinedElement, UninitializedElement, IndirectCallTypeMismatch]

driven :: Driver -> Int -> [Trap]
driven how d = case how of
  Ends -> []
  Crosses -> []
  Lowers -> []
  -- What nobody catches is no trap.
  Throws -> []
  ThrowsAgain -> [NullReference]
  Aggregates -> rowTraps (aggregate (toEnum d))
  TestsReference -> []
  CastsReference -> [CastFailure]
  Bulk MemorySize -> []
  Bulk MemoryGrow -> []
  Bulk MemoryInit -> [OutOfBoundsMemory]
  Bulk MemoryCopy -> [OutOfBoundsMemory]
  Bulk MemoryFill -> [OutOfBoundsMemory]
  Bulk DataDrop -> []
  Bulk TableGet -> [OutOfBoundsTable]
  Bulk TableSet -> [OutOfBoundsTable]
  Bulk TableGrow -> []
  Bulk TableSize -> []
  Bulk TableFill -> [OutOfBoundsTable]
  Bulk TableCopy -> [OutOfBoundsTable]
  Bulk TableInit -> [OutOfBoundsTable]
  Bulk ElemDrop -> []

slow :: SlowOp -> [Trap]
slow = \case
  PopCount32 -> []
  PopCount64 -> []
  Ceil32 -> []
  Floor32 -> []
  Trunc32 -> []
  Nearest32 -> []
  Min32 -> []
  Max32 -> []
  CopySign32 -> []
  Ceil64 -> []
  Floor64 -> []
  Trunc64 -> []
  Nearest64 -> []
  Min64 -> []
  Max64 -> []
  CopySign64 -> []
  TruncS32F32 -> truncates
  TruncU32F32 -> truncates
  TruncS32F64 -> truncates
  TruncU32F64 -> truncates
  TruncS64F32 -> truncates
  TruncU64F32 -> truncates
  TruncS64F64 -> truncates
  TruncU64F64 -> truncates
  F32FromU64 -> []
  F64FromU64 -> []
  SatS32F32 -> []
  SatU32F32 -> []
  SatS32F64 -> []
  SatU32F64 -> []
  SatS64F32 -> []
  SatU64F32 -> []
  SatS64F64 -> []
  SatU64F64 -> []
  where
    truncates = [InvalidConversion, IntegerOverflow]

-- * As code is left

-- | Why the loop or native code is left for a trap; nothing for those that the driver alone
-- finds. Another type than the one that is asked for may yet be below it.
exitOf :: Trap -> Maybe Int
exitOf = \case
  TrapUnreachable -> Just exitUnreachable
  DivideByZero -> Just exitDivideByZero
  IntegerOverflow -> Just exitOverflow
  InvalidConversion -> Just exitConversion
  OutOfBoundsMemory -> Just exitMemory
  OutOfBoundsTable -> Nothing
  UndefinedElement -> Just exitUndefined
  UninitializedElement -> Just exitUninitialized
  IndirectCallTypeMismatch -> Just exitIndirectType
  NullReference -> Just exitNull
  CastFailure -> Nothing
  OutOfBoundsArray -> Nothing
  BrokenFunction _ -> Nothing
  HostTrap _ -> Nothing

-- | The trap that code was left for, if it was for one.
trapOf :: Int -> Maybe Trap
trapOf code = lookup (Just code) [(exitOf t, t) | t <- left]
  where
    left =
      [ TrapUnreachable,
        DivideByZero,
        IntegerOverflow,
        InvalidConversion,
        OutOfBoundsMemory,
        UndefinedElement,
        UninitializedElement,
        IndirectCallTypeMismatch,
        NullReference
      ]
