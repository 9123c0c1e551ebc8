{-# LANGUAGE MagicHash #-}
{-# LANGUAGE PatternSynonyms #-}

-- | The register bytecode that bodies are lowered to, and the layout of frames.
--
-- The idea: an instruction is 16 bytes, and names its operands by byte offsets
-- from the frame:
--
-- > 0   u16  the 'Op'      4   i32  a: the result, or how far to jump from here
-- > 2   u16  d             8   i32  b
-- >                       12   i32  c
--
-- Some take 16 bytes more. A frame is a row of 8-byte slots: first what the
-- caller passed, where the results are left too, then at the /link/ the return
-- address and the caller's frame, then the other locals, then operands. A call
-- places the new frame at its first argument, so that nothing is copied.
-- A 32-bit value takes the low half of its slot; the high half means nothing.
--
-- Start at 'Op'; "Tern.Wasm.Exec" runs what "Tern.Wasm.Lower" writes.
module Tern.Wasm.Code
  ( -- * Instructions
    Op (..),
    SlowOp (..),
    unit,

    -- * Gates
    gateAddress,

    -- * Frames
    linkOffset,
    linkSize,

    -- * Heap types in fields
    heapCode,
    heapOf,

    -- * Exceptions
    Handler (..),
    Lowered (..),

    -- * How the loop ends
    exitLeave,
    exitPoll,
    exitForeign,
    exitUnreachable,
    exitDivideByZero,
    exitOverflow,
    exitConversion,
    exitMemory,
    exitUndefined,
    exitUninitialized,
    exitIndirectType,
    exitStack,
    exitNull,
    exitCall,
    exitEntry,
  )
where

import Data.Maybe (fromMaybe)
import Data.Vector (Vector)
import Data.Vector qualified as V
import GHC.Exts (Int (..))
import Tern.Wasm.Agreed
  ( pattern ExitCall#,
    pattern ExitConversion#,
    pattern ExitDivideByZero#,
    pattern ExitEntry#,
    pattern ExitForeign#,
    pattern ExitIndirectType#,
    pattern ExitLeave#,
    pattern ExitMemory#,
    pattern ExitNull#,
    pattern ExitOverflow#,
    pattern ExitPoll#,
    pattern ExitStack#,
    pattern ExitUndefined#,
    pattern ExitUninitialized#,
    pattern ExitUnreachable#,
  )
import Tern.Wasm.Lasting (Lasting)
import Tern.Wasm.Syntax (FuncType (..), HeapType (..), Index, slotTotal)

-- * Instructions

-- | What an instruction does. Which number it has in the bytecode says
-- "Tern.Wasm.Byte"; the loop
-- has a case for each.
data Op
  = -- | Control.
    Gate
  | Enter
  | Jump
  | JumpIf
  | JumpIfNot
  | JumpTable
  | CallOwn
  | CallTable
  | CallFunc
  | Ret
  | Ret32
  | Ret64
  | -- | Moves.
    Const32
  | Const64
  | Copy32
  | Copy64
  | Zero1
  | Zero2
  | Zero4
  | Select32
  | Select64
  | -- | Globals.
    Global32
  | Global64
  | SetGlobal32
  | SetGlobal64
  | -- | Loads and stores: by slot and offset, or at a constant address.
    Load32
  | Load64
  | Load8S32
  | Load8U32
  | Load16S32
  | Load16U32
  | Load8U64
  | Load32S64
  | Load32U64
  | LoadAt32
  | LoadAt64
  | LoadAt8U32
  | Store32
  | Store64
  | Store8
  | Store16
  | StoreAt32
  | StoreAt64
  | -- | i32: two slots; a slot and a constant (I); divisions; one slot.
    Add32
  | Sub32
  | Mul32
  | And32
  | Or32
  | Xor32
  | Shl32
  | ShrS32
  | ShrU32
  | Rotl32
  | AddI32
  | MulI32
  | AndI32
  | OrI32
  | XorI32
  | ShlI32
  | ShrSI32
  | ShrUI32
  | RotlI32
  | RotrI32
  | DivS32
  | DivU32
  | RemS32
  | RemU32
  | -- | i32 comparisons; the jumps below stand in the same order.
    Eq32
  | Ne32
  | LtS32
  | LtU32
  | LeS32
  | LeU32
  | EqI32
  | NeI32
  | LtSI32
  | LtUI32
  | GtSI32
  | GtUI32
  | LeSI32
  | LeUI32
  | GeSI32
  | GeUI32
  | -- | i32 compare and jump.
    JumpEq32
  | JumpNe32
  | JumpLtS32
  | JumpLtU32
  | JumpLeS32
  | JumpLeU32
  | JumpEqI32
  | JumpNeI32
  | JumpLtSI32
  | JumpLtUI32
  | JumpGtSI32
  | JumpGtUI32
  | JumpLeSI32
  | JumpLeUI32
  | JumpGeSI32
  | JumpGeUI32
  | -- | i64: two slots; a slot and a constant (I); divisions; one slot.
    Add64
  | Sub64
  | Mul64
  | And64
  | Or64
  | Xor64
  | Shl64
  | ShrS64
  | ShrU64
  | AddI64
  | MulI64
  | AndI64
  | OrI64
  | XorI64
  | ShlI64
  | ShrSI64
  | ShrUI64
  | RotlI64
  | ExtendS64
  | ExtendU64
  | -- | i64 compare and jump; the comparisons below stand in the same order.
    JumpEq64
  | JumpNe64
  | JumpLtS64
  | JumpLtU64
  | JumpLeS64
  | JumpLeU64
  | JumpEqI64
  | JumpNeI64
  | JumpLtSI64
  | JumpLtUI64
  | JumpGtSI64
  | JumpGtUI64
  | JumpLeSI64
  | JumpLeUI64
  | JumpGeSI64
  | JumpGeUI64
  | -- | f32.
    F32Add
  | F32Sub
  | F32Mul
  | F32Div
  | F32Lt
  | F32Le
  | -- | f32 compare and jump; and where the comparison fails.
    JumpF32Eq
  | JumpF32Ne
  | JumpF32Lt
  | JumpF32Le
  | JumpF32NotLt
  | JumpF32NotLe
  | -- | f64.
    F64Add
  | F64Sub
  | F64Mul
  | F64Div
  | F64Sqrt
  | F64Neg
  | F64Eq
  | F64Lt
  | F64Le
  | -- | f64 compare and jump; and where the comparison fails.
    JumpF64Eq
  | JumpF64Ne
  | JumpF64Lt
  | JumpF64Le
  | JumpF64NotLt
  | JumpF64NotLe
  | -- | Conversions.
    F64FromS32
  | F32FromS32
  | F64FromS64
  | F64FromF32
  | -- | Two instructions in one step: the first, and the one that stands after it as itself
    -- ("Tern.Wasm.Pair").
    ShrUI64Xor64
  | Const64Mul64
  | AddI32JumpIf
  | AddI32Load32
  | AddI32JumpNeI32
  | F64MulF64Mul
  | Load32JumpLtS32
  | ShlI32AddI32
  | AddI32Load64
  | Xor64RotlI64
  | Const64Add64
  | Add32JumpLtUI32
  | Const32Store8
  | F64AddStore64
  | F64SubStore64
  | -- | What runs seldom. These and those after them have one byte ("Tern.Wasm.Byte"), so that
    -- rows have theirs: tail calls, vectors, further memories, divisions.
    TailOwn
  | TailTable
  | TailRef
  | NonNull
  | Stop
  | Copy128
  | Select128
  | Global128
  | SetGlobal128
  | Far64
  | Far128
  | SetFar64
  | SetFar128
  | Load8S64
  | Load16S64
  | Load16U64
  | CountPages
  | Rotr32
  | Rotl64
  | RotrI64
  | Eq64
  | Ne64
  | LtS64
  | LtU64
  | LeS64
  | LeU64
  | EqI64
  | NeI64
  | LtSI64
  | LtUI64
  | GtSI64
  | GtUI64
  | LeSI64
  | LeUI64
  | GeSI64
  | GeUI64
  | Clz32
  | Ctz32
  | Extend8S32
  | Extend16S32
  | Rotr64
  | DivS64
  | DivU64
  | RemS64
  | RemU64
  | Clz64
  | Ctz64
  | Extend8S64
  | Extend16S64
  | F32Sqrt
  | F32Abs
  | F32Neg
  | F32Eq
  | F32Ne
  | F64Abs
  | F64Ne
  | F64FromU32
  | F32FromU32
  | F32FromS64
  | F32FromF64
  | Slow
  | Simd
  | Far
  | SimdFar
  | Canonical32
  | Canonical64
  | CanonicalLanes32
  | CanonicalLanes64
  | Tally
  | -- | Leaving the loop: what the driver does, by the instruction at which it left.
    Halt
  | Crossed
  | Lower
  | CallImport
  | DoMemoryGrow
  | DoMemoryInit
  | DoMemoryCopy
  | DoMemoryFill
  | DoDataDrop
  | DoTableGet
  | DoTableSet
  | DoTableGrow
  | DoTableSize
  | DoTableFill
  | DoTableCopy
  | DoTableInit
  | DoElemDrop
  | DoMemorySize
  | DoCallTable
  | DoTailImport
  | DoThrow
  | DoThrowRef
  | DoAggregate
  | DoRefTest
  | DoRefCast
  | -- | Here the native tier goes on ('gateAddress'): the loop leaves, the driver
    -- enters its code.
    Native
  deriving stock (Bounded, Enum, Eq, Show)

-- | The operators of numbers that are outside of the loop: what the field d of 'Slow'
-- says, by the constructor's place here. A truncation is to the first of its two types.
data SlowOp
  = PopCount32
  | PopCount64
  | Ceil32
  | Floor32
  | Trunc32
  | Nearest32
  | Min32
  | Max32
  | CopySign32
  | Ceil64
  | Floor64
  | Trunc64
  | Nearest64
  | Min64
  | Max64
  | CopySign64
  | TruncS32F32
  | TruncU32F32
  | TruncS32F64
  | TruncU32F64
  | TruncS64F32
  | TruncU64F32
  | TruncS64F64
  | TruncU64F64
  | F32FromU64
  | F64FromU64
  | SatS32F32
  | SatU32F32
  | SatS32F64
  | SatU32F64
  | SatS64F32
  | SatU64F32
  | SatS64F64
  | SatU64F64
  deriving stock (Bounded, Enum, Eq, Show)

-- | Bytes of an instruction.
unit :: Int
unit = 16

-- * Gates

-- | Bytecode that the native tier may compile has a 'Gate' wherever control comes
-- from elsewhere: after calls, after what the driver does, and at every target of
-- a jump. It does nothing, and holds at this offset where native code goes on from
-- here. The first instruction of a function is one too, and the places that calls
-- from outside return to. Where it is compiled the instruction becomes 'Native'.
gateAddress :: Int
gateAddress = 8

-- * Frames

-- | Where a frame's link is: after the arguments and the results.
linkOffset :: FuncType -> Int
linkOffset (FuncType ps rs) = 8 * max (slotTotal ps) (slotTotal rs)

-- | Bytes of a link: the return address, then the caller's frame.
linkSize :: Int
linkSize = 16

-- * Heap types in fields

-- | An index as it is, and the others as negative numbers.
heapCode :: HeapType -> Int
heapCode = \case
  Defined x -> x
  h -> maybe (-1) (\k -> -1 - k) (V.elemIndex h abstractHeaps)

-- | The heap type that 'heapCode' gives a number for; 'AnyHeap' for a negative one that it does
-- not give.
heapOf :: Int -> HeapType
heapOf n
  | n >= 0 = Defined n
  | otherwise = fromMaybe AnyHeap (abstractHeaps V.!? (-1 - n))

abstractHeaps :: V.Vector HeapType
abstractHeaps =
  V.fromList
    [ AnyHeap,
      EqHeap,
      I31Heap,
      StructHeap,
      ArrayHeap,
      NoneHeap,
      FuncHeap,
      NoFuncHeap,
      ExternHeap,
      NoExternHeap,
      ExnHeap,
      NoExnHeap
    ]

-- * Exceptions

-- | What a block catches: from and to which byte of the code, the tag (or any),
-- whether a reference is wanted, where to go on, and the slot of the first value.
data Handler = Handler
  { handlerFrom :: !Int,
    handlerTo :: !Int,
    handlerTag :: !(Maybe Index),
    handlerRef :: !Bool,
    handlerPad :: !Int,
    handlerSlot :: !Int
  }

-- | A function's code and its length, what it catches, and its native code, to which
-- the bytecode then leads.
data Lowered = Lowered
  { loweredCode :: !Lasting,
    loweredSize :: !Int,
    -- | Those of inner blocks before those around them.
    loweredHandlers :: !(Vector Handler),
    loweredNative :: !(Maybe Lasting),
    -- | Whether making native code was tried.
    loweredTried :: !Bool
  }

-- * How the loop ends

-- | The driver acts by the instruction; the slice of fuel is used up; an
-- indirect call leads out of the instance. The others end the call.
exitLeave, exitPoll, exitForeign :: Int
exitLeave = I# ExitLeave#
exitPoll = I# ExitPoll#
exitForeign = I# ExitForeign#

-- | Traps: an @unreachable@; a division by 0; a quotient, or a float's integer, that does not
-- fit; a NaN that is to become an integer; an access outside of the memory.
exitUnreachable, exitDivideByZero, exitOverflow, exitConversion, exitMemory :: Int
exitUnreachable = I# ExitUnreachable#
exitDivideByZero = I# ExitDivideByZero#
exitOverflow = I# ExitOverflow#
exitConversion = I# ExitConversion#
exitMemory = I# ExitMemory#

-- | An indirect call beyond the table's end; one of a null element; one of a function of another
-- type, which may yet be below the one that is asked for. A frame beyond the stack's limit,
-- which is no trap but exhausts the call. A null reference.
exitUndefined, exitUninitialized, exitIndirectType, exitStack, exitNull :: Int
exitUndefined = I# ExitUndefined#
exitUninitialized = I# ExitUninitialized#
exitIndirectType = I# ExitIndirectType#
exitStack = I# ExitStack#
exitNull = I# ExitNull#

-- | Native code calls a function that has none yet, as far as its instance knows.
exitCall :: Int
exitCall = I# ExitCall#

-- | The slice of fuel was used up before a function was entered; with 'exitPoll' it
-- was before a jump that has been made all the same.
exitEntry :: Int
exitEntry = I# ExitEntry#
