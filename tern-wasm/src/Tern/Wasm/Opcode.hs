-- | The operators: every instruction that only takes operands from the stack and
-- puts results there, with at most a memory argument, a lane or 16 bytes.
--
-- The idea: what the specification gives as a table is a table here, read by the
-- decoder, validation, both sides of the text format and the profile. A line also says what
-- its operator may trap with ("Tern.Wasm.Traps"). An operator is a constructor, so that whoever
-- does something for each of them has a case for each, or does not compile. The module is
-- long because the table is.
--
-- Start at 'scalarOperator'.
module Tern.Wasm.Opcode
  ( -- * Operators
    ScalarOp (..),
    AccessOp (..),
    VectorOp (..),

    -- * The table
    Operator (..),
    Immediate (..),
    natural,
    NaN (..),
    scalarOperator,
    accessOperator,
    vectorOperator,
    constantly,

    -- * By code and by name
    scalarAt,
    accessAt,
    vectorAt,
    operators,
    operatorNamed,
  )
where

import Control.Monad (join)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Vector qualified as V
import Data.Word (Word32, Word64)
import Tern.Wasm.Trap (Trap (..))
import Tern.Wasm.Type (ValType (..))

-- * Operators

-- | Operators of numbers.
data ScalarOp
  = I32Eqz
  | I32Eq
  | I32Ne
  | I32LtS
  | I32LtU
  | I32GtS
  | I32GtU
  | I32LeS
  | I32LeU
  | I32GeS
  | I32GeU
  | I64Eqz
  | I64Eq
  | I64Ne
  | I64LtS
  | I64LtU
  | I64GtS
  | I64GtU
  | I64LeS
  | I64LeU
  | I64GeS
  | I64GeU
  | F32Eq
  | F32Ne
  | F32Lt
  | F32Gt
  | F32Le
  | F32Ge
  | F64Eq
  | F64Ne
  | F64Lt
  | F64Gt
  | F64Le
  | F64Ge
  | I32Clz
  | I32Ctz
  | I32Popcnt
  | I32Add
  | I32Sub
  | I32Mul
  | I32DivS
  | I32DivU
  | I32RemS
  | I32RemU
  | I32And
  | I32Or
  | I32Xor
  | I32Shl
  | I32ShrS
  | I32ShrU
  | I32Rotl
  | I32Rotr
  | I64Clz
  | I64Ctz
  | I64Popcnt
  | I64Add
  | I64Sub
  | I64Mul
  | I64DivS
  | I64DivU
  | I64RemS
  | I64RemU
  | I64And
  | I64Or
  | I64Xor
  | I64Shl
  | I64ShrS
  | I64ShrU
  | I64Rotl
  | I64Rotr
  | F32Abs
  | F32Neg
  | F32Ceil
  | F32Floor
  | F32Trunc
  | F32Nearest
  | F32Sqrt
  | F32Add
  | F32Sub
  | F32Mul
  | F32Div
  | F32Min
  | F32Max
  | F32Copysign
  | F64Abs
  | F64Neg
  | F64Ceil
  | F64Floor
  | F64Trunc
  | F64Nearest
  | F64Sqrt
  | F64Add
  | F64Sub
  | F64Mul
  | F64Div
  | F64Min
  | F64Max
  | F64Copysign
  | I32WrapI64
  | I32TruncF32S
  | I32TruncF32U
  | I32TruncF64S
  | I32TruncF64U
  | I64ExtendI32S
  | I64ExtendI32U
  | I64TruncF32S
  | I64TruncF32U
  | I64TruncF64S
  | I64TruncF64U
  | F32ConvertI32S
  | F32ConvertI32U
  | F32ConvertI64S
  | F32ConvertI64U
  | F32DemoteF64
  | F64ConvertI32S
  | F64ConvertI32U
  | F64ConvertI64S
  | F64ConvertI64U
  | F64PromoteF32
  | I32ReinterpretF32
  | I64ReinterpretF64
  | F32ReinterpretI32
  | F64ReinterpretI64
  | I32Extend8S
  | I32Extend16S
  | I64Extend8S
  | I64Extend16S
  | I64Extend32S
  | I32TruncSatF32S
  | I32TruncSatF32U
  | I32TruncSatF64S
  | I32TruncSatF64U
  | I64TruncSatF32S
  | I64TruncSatF32U
  | I64TruncSatF64S
  | I64TruncSatF64U
  deriving stock (Bounded, Enum, Eq, Show)

-- | Loads and stores of numbers.
data AccessOp
  = I32Load
  | I64Load
  | F32Load
  | F64Load
  | I32Load8S
  | I32Load8U
  | I32Load16S
  | I32Load16U
  | I64Load8S
  | I64Load8U
  | I64Load16S
  | I64Load16U
  | I64Load32S
  | I64Load32U
  | I32Store
  | I64Store
  | F32Store
  | F64Store
  | I32Store8
  | I32Store16
  | I64Store8
  | I64Store16
  | I64Store32
  deriving stock (Bounded, Enum, Eq, Show)

-- | Operators, loads and stores of vectors.
data VectorOp
  = V128Load
  | V128Load8x8S
  | V128Load8x8U
  | V128Load16x4S
  | V128Load16x4U
  | V128Load32x2S
  | V128Load32x2U
  | V128Load8Splat
  | V128Load16Splat
  | V128Load32Splat
  | V128Load64Splat
  | V128Store
  | V128Const
  | I8x16Shuffle
  | I8x16Swizzle
  | I8x16Splat
  | I16x8Splat
  | I32x4Splat
  | I64x2Splat
  | F32x4Splat
  | F64x2Splat
  | I8x16ExtractLaneS
  | I8x16ExtractLaneU
  | I8x16ReplaceLane
  | I16x8ExtractLaneS
  | I16x8ExtractLaneU
  | I16x8ReplaceLane
  | I32x4ExtractLane
  | I32x4ReplaceLane
  | I64x2ExtractLane
  | I64x2ReplaceLane
  | F32x4ExtractLane
  | F32x4ReplaceLane
  | F64x2ExtractLane
  | F64x2ReplaceLane
  | I8x16Eq
  | I8x16Ne
  | I8x16LtS
  | I8x16LtU
  | I8x16GtS
  | I8x16GtU
  | I8x16LeS
  | I8x16LeU
  | I8x16GeS
  | I8x16GeU
  | I16x8Eq
  | I16x8Ne
  | I16x8LtS
  | I16x8LtU
  | I16x8GtS
  | I16x8GtU
  | I16x8LeS
  | I16x8LeU
  | I16x8GeS
  | I16x8GeU
  | I32x4Eq
  | I32x4Ne
  | I32x4LtS
  | I32x4LtU
  | I32x4GtS
  | I32x4GtU
  | I32x4LeS
  | I32x4LeU
  | I32x4GeS
  | I32x4GeU
  | F32x4Eq
  | F32x4Ne
  | F32x4Lt
  | F32x4Gt
  | F32x4Le
  | F32x4Ge
  | F64x2Eq
  | F64x2Ne
  | F64x2Lt
  | F64x2Gt
  | F64x2Le
  | F64x2Ge
  | V128Not
  | V128And
  | V128Andnot
  | V128Or
  | V128Xor
  | V128Bitselect
  | V128AnyTrue
  | V128Load8Lane
  | V128Load16Lane
  | V128Load32Lane
  | V128Load64Lane
  | V128Store8Lane
  | V128Store16Lane
  | V128Store32Lane
  | V128Store64Lane
  | V128Load32Zero
  | V128Load64Zero
  | F32x4DemoteF64x2Zero
  | F64x2PromoteLowF32x4
  | I8x16Abs
  | I8x16Neg
  | I8x16Popcnt
  | I8x16AllTrue
  | I8x16Bitmask
  | I8x16NarrowI16x8S
  | I8x16NarrowI16x8U
  | F32x4Ceil
  | F32x4Floor
  | F32x4Trunc
  | F32x4Nearest
  | I8x16Shl
  | I8x16ShrS
  | I8x16ShrU
  | I8x16Add
  | I8x16AddSatS
  | I8x16AddSatU
  | I8x16Sub
  | I8x16SubSatS
  | I8x16SubSatU
  | F64x2Ceil
  | F64x2Floor
  | I8x16MinS
  | I8x16MinU
  | I8x16MaxS
  | I8x16MaxU
  | F64x2Trunc
  | I8x16AvgrU
  | I16x8ExtaddPairwiseI8x16S
  | I16x8ExtaddPairwiseI8x16U
  | I32x4ExtaddPairwiseI16x8S
  | I32x4ExtaddPairwiseI16x8U
  | I16x8Abs
  | I16x8Neg
  | I16x8Q15mulrSatS
  | I16x8AllTrue
  | I16x8Bitmask
  | I16x8NarrowI32x4S
  | I16x8NarrowI32x4U
  | I16x8ExtendLowI8x16S
  | I16x8ExtendHighI8x16S
  | I16x8ExtendLowI8x16U
  | I16x8ExtendHighI8x16U
  | I16x8Shl
  | I16x8ShrS
  | I16x8ShrU
  | I16x8Add
  | I16x8AddSatS
  | I16x8AddSatU
  | I16x8Sub
  | I16x8SubSatS
  | I16x8SubSatU
  | F64x2Nearest
  | I16x8Mul
  | I16x8MinS
  | I16x8MinU
  | I16x8MaxS
  | I16x8MaxU
  | I16x8AvgrU
  | I16x8ExtmulLowI8x16S
  | I16x8ExtmulHighI8x16S
  | I16x8ExtmulLowI8x16U
  | I16x8ExtmulHighI8x16U
  | I32x4Abs
  | I32x4Neg
  | I32x4AllTrue
  | I32x4Bitmask
  | I32x4ExtendLowI16x8S
  | I32x4ExtendHighI16x8S
  | I32x4ExtendLowI16x8U
  | I32x4ExtendHighI16x8U
  | I32x4Shl
  | I32x4ShrS
  | I32x4ShrU
  | I32x4Add
  | I32x4Sub
  | I32x4Mul
  | I32x4MinS
  | I32x4MinU
  | I32x4MaxS
  | I32x4MaxU
  | I32x4DotI16x8S
  | I32x4ExtmulLowI16x8S
  | I32x4ExtmulHighI16x8S
  | I32x4ExtmulLowI16x8U
  | I32x4ExtmulHighI16x8U
  | I64x2Abs
  | I64x2Neg
  | I64x2AllTrue
  | I64x2Bitmask
  | I64x2ExtendLowI32x4S
  | I64x2ExtendHighI32x4S
  | I64x2ExtendLowI32x4U
  | I64x2ExtendHighI32x4U
  | I64x2Shl
  | I64x2ShrS
  | I64x2ShrU
  | I64x2Add
  | I64x2Sub
  | I64x2Mul
  | I64x2Eq
  | I64x2Ne
  | I64x2LtS
  | I64x2GtS
  | I64x2LeS
  | I64x2GeS
  | I64x2ExtmulLowI32x4S
  | I64x2ExtmulHighI32x4S
  | I64x2ExtmulLowI32x4U
  | I64x2ExtmulHighI32x4U
  | F32x4Abs
  | F32x4Neg
  | F32x4Sqrt
  | F32x4Add
  | F32x4Sub
  | F32x4Mul
  | F32x4Div
  | F32x4Min
  | F32x4Max
  | F32x4Pmin
  | F32x4Pmax
  | F64x2Abs
  | F64x2Neg
  | F64x2Sqrt
  | F64x2Add
  | F64x2Sub
  | F64x2Mul
  | F64x2Div
  | F64x2Min
  | F64x2Max
  | F64x2Pmin
  | F64x2Pmax
  | I32x4TruncSatF32x4S
  | I32x4TruncSatF32x4U
  | F32x4ConvertI32x4S
  | F32x4ConvertI32x4U
  | I32x4TruncSatF64x2SZero
  | I32x4TruncSatF64x2UZero
  | F64x2ConvertLowI32x4S
  | F64x2ConvertLowI32x4U
  | I8x16RelaxedSwizzle
  | I32x4RelaxedTruncF32x4S
  | I32x4RelaxedTruncF32x4U
  | I32x4RelaxedTruncF64x2SZero
  | I32x4RelaxedTruncF64x2UZero
  | F32x4RelaxedMadd
  | F32x4RelaxedNmadd
  | F64x2RelaxedMadd
  | F64x2RelaxedNmadd
  | I8x16RelaxedLaneselect
  | I16x8RelaxedLaneselect
  | I32x4RelaxedLaneselect
  | I64x2RelaxedLaneselect
  | F32x4RelaxedMin
  | F32x4RelaxedMax
  | F64x2RelaxedMin
  | F64x2RelaxedMax
  | I16x8RelaxedQ15mulrS
  | I16x8RelaxedDotI8x16I7x16S
  | I32x4RelaxedDotI8x16I7x16AddS
  deriving stock (Bounded, Enum, Eq, Show)

-- * The table

-- | The code is the byte itself, or 0x100 and more after the prefix 0xFC, or 0x200
-- and more after the prefix 0xFD. The first operand of a load or a store is its
-- address, here of 32 bits.
data Operator = Operator
  { operatorCode :: !Int,
    -- | The name in the text format.
    operatorText :: String,
    operatorParams :: [ValType],
    operatorResults :: [ValType],
    operatorImmediate :: !Immediate,
    operatorNaN :: !NaN,
    -- | With what it may trap: for each there are operands with which it does.
    operatorTraps :: ![Trap]
  }

-- | What follows the opcode.
data Immediate
  = NoImmediate
  | -- | A memory argument, and the natural alignment as a power of two.
    MemoryImmediate !Int
  | -- | The same, then a lane of 16 bytes over that size.
    MemoryLaneImmediate !Int
  | -- | A lane below this number.
    LaneImmediate !Int
  | -- | 16 bytes.
    ConstantImmediate
  | -- | 16 lanes below 32.
    ShuffleImmediate

-- | The natural alignment, of what has one.
natural :: Immediate -> Maybe Int
natural = \case
  MemoryImmediate n -> Just n
  MemoryLaneImmediate n -> Just n
  NoImmediate -> Nothing
  LaneImmediate _ -> Nothing
  ConstantImmediate -> Nothing
  ShuffleImmediate -> Nothing

-- | Whether a NaN that it gives may be another than the canonical one, and is not an
-- operand's bits: in 32 or in 64 bits, of a number or of each lane.
data NaN = NoNaN | NaN32 | NaN64

-- | What an operator is: here each has its line, and nothing that reads them another.
--
-- >>> operatorText (scalarOperator I32Add)
-- "i32.add"
scalarOperator :: ScalarOp -> Operator
scalarOperator = \case
  I32Eqz -> Operator 0x045 "i32.eqz" [I32] [I32] NoImmediate NoNaN []
  I32Eq -> Operator 0x046 "i32.eq" [I32, I32] [I32] NoImmediate NoNaN []
  I32Ne -> Operator 0x047 "i32.ne" [I32, I32] [I32] NoImmediate NoNaN []
  I32LtS -> Operator 0x048 "i32.lt_s" [I32, I32] [I32] NoImmediate NoNaN []
  I32LtU -> Operator 0x049 "i32.lt_u" [I32, I32] [I32] NoImmediate NoNaN []
  I32GtS -> Operator 0x04A "i32.gt_s" [I32, I32] [I32] NoImmediate NoNaN []
  I32GtU -> Operator 0x04B "i32.gt_u" [I32, I32] [I32] NoImmediate NoNaN []
  I32LeS -> Operator 0x04C "i32.le_s" [I32, I32] [I32] NoImmediate NoNaN []
  I32LeU -> Operator 0x04D "i32.le_u" [I32, I32] [I32] NoImmediate NoNaN []
  I32GeS -> Operator 0x04E "i32.ge_s" [I32, I32] [I32] NoImmediate NoNaN []
  I32GeU -> Operator 0x04F "i32.ge_u" [I32, I32] [I32] NoImmediate NoNaN []
  I64Eqz -> Operator 0x050 "i64.eqz" [I64] [I32] NoImmediate NoNaN []
  I64Eq -> Operator 0x051 "i64.eq" [I64, I64] [I32] NoImmediate NoNaN []
  I64Ne -> Operator 0x052 "i64.ne" [I64, I64] [I32] NoImmediate NoNaN []
  I64LtS -> Operator 0x053 "i64.lt_s" [I64, I64] [I32] NoImmediate NoNaN []
  I64LtU -> Operator 0x054 "i64.lt_u" [I64, I64] [I32] NoImmediate NoNaN []
  I64GtS -> Operator 0x055 "i64.gt_s" [I64, I64] [I32] NoImmediate NoNaN []
  I64GtU -> Operator 0x056 "i64.gt_u" [I64, I64] [I32] NoImmediate NoNaN []
  I64LeS -> Operator 0x057 "i64.le_s" [I64, I64] [I32] NoImmediate NoNaN []
  I64LeU -> Operator 0x058 "i64.le_u" [I64, I64] [I32] NoImmediate NoNaN []
  I64GeS -> Operator 0x059 "i64.ge_s" [I64, I64] [I32] NoImmediate NoNaN []
  I64GeU -> Operator 0x05A "i64.ge_u" [I64, I64] [I32] NoImmediate NoNaN []
  F32Eq -> Operator 0x05B "f32.eq" [F32, F32] [I32] NoImmediate NoNaN []
  F32Ne -> Operator 0x05C "f32.ne" [F32, F32] [I32] NoImmediate NoNaN []
  F32Lt -> Operator 0x05D "f32.lt" [F32, F32] [I32] NoImmediate NoNaN []
  F32Gt -> Operator 0x05E "f32.gt" [F32, F32] [I32] NoImmediate NoNaN []
  F32Le -> Operator 0x05F "f32.le" [F32, F32] [I32] NoImmediate NoNaN []
  F32Ge -> Operator 0x060 "f32.ge" [F32, F32] [I32] NoImmediate NoNaN []
  F64Eq -> Operator 0x061 "f64.eq" [F64, F64] [I32] NoImmediate NoNaN []
  F64Ne -> Operator 0x062 "f64.ne" [F64, F64] [I32] NoImmediate NoNaN []
  F64Lt -> Operator 0x063 "f64.lt" [F64, F64] [I32] NoImmediate NoNaN []
  F64Gt -> Operator 0x064 "f64.gt" [F64, F64] [I32] NoImmediate NoNaN []
  F64Le -> Operator 0x065 "f64.le" [F64, F64] [I32] NoImmediate NoNaN []
  F64Ge -> Operator 0x066 "f64.ge" [F64, F64] [I32] NoImmediate NoNaN []
  I32Clz -> Operator 0x067 "i32.clz" [I32] [I32] NoImmediate NoNaN []
  I32Ctz -> Operator 0x068 "i32.ctz" [I32] [I32] NoImmediate NoNaN []
  I32Popcnt -> Operator 0x069 "i32.popcnt" [I32] [I32] NoImmediate NoNaN []
  I32Add -> Operator 0x06A "i32.add" [I32, I32] [I32] NoImmediate NoNaN []
  I32Sub -> Operator 0x06B "i32.sub" [I32, I32] [I32] NoImmediate NoNaN []
  I32Mul -> Operator 0x06C "i32.mul" [I32, I32] [I32] NoImmediate NoNaN []
  I32DivS -> Operator 0x06D "i32.div_s" [I32, I32] [I32] NoImmediate NoNaN bySigned
  I32DivU -> Operator 0x06E "i32.div_u" [I32, I32] [I32] NoImmediate NoNaN byZero
  I32RemS -> Operator 0x06F "i32.rem_s" [I32, I32] [I32] NoImmediate NoNaN byZero
  I32RemU -> Operator 0x070 "i32.rem_u" [I32, I32] [I32] NoImmediate NoNaN byZero
  I32And -> Operator 0x071 "i32.and" [I32, I32] [I32] NoImmediate NoNaN []
  I32Or -> Operator 0x072 "i32.or" [I32, I32] [I32] NoImmediate NoNaN []
  I32Xor -> Operator 0x073 "i32.xor" [I32, I32] [I32] NoImmediate NoNaN []
  I32Shl -> Operator 0x074 "i32.shl" [I32, I32] [I32] NoImmediate NoNaN []
  I32ShrS -> Operator 0x075 "i32.shr_s" [I32, I32] [I32] NoImmediate NoNaN []
  I32ShrU -> Operator 0x076 "i32.shr_u" [I32, I32] [I32] NoImmediate NoNaN []
  I32Rotl -> Operator 0x077 "i32.rotl" [I32, I32] [I32] NoImmediate NoNaN []
  I32Rotr -> Operator 0x078 "i32.rotr" [I32, I32] [I32] NoImmediate NoNaN []
  I64Clz -> Operator 0x079 "i64.clz" [I64] [I64] NoImmediate NoNaN []
  I64Ctz -> Operator 0x07A "i64.ctz" [I64] [I64] NoImmediate NoNaN []
  I64Popcnt -> Operator 0x07B "i64.popcnt" [I64] [I64] NoImmediate NoNaN []
  I64Add -> Operator 0x07C "i64.add" [I64, I64] [I64] NoImmediate NoNaN []
  I64Sub -> Operator 0x07D "i64.sub" [I64, I64] [I64] NoImmediate NoNaN []
  I64Mul -> Operator 0x07E "i64.mul" [I64, I64] [I64] NoImmediate NoNaN []
  I64DivS -> Operator 0x07F "i64.div_s" [I64, I64] [I64] NoImmediate NoNaN bySigned
  I64DivU -> Operator 0x080 "i64.div_u" [I64, I64] [I64] NoImmediate NoNaN byZero
  I64RemS -> Operator 0x081 "i64.rem_s" [I64, I64] [I64] NoImmediate NoNaN byZero
  I64RemU -> Operator 0x082 "i64.rem_u" [I64, I64] [I64] NoImmediate NoNaN byZero
  I64And -> Operator 0x083 "i64.and" [I64, I64] [I64] NoImmediate NoNaN []
  I64Or -> Operator 0x084 "i64.or" [I64, I64] [I64] NoImmediate NoNaN []
  I64Xor -> Operator 0x085 "i64.xor" [I64, I64] [I64] NoImmediate NoNaN []
  I64Shl -> Operator 0x086 "i64.shl" [I64, I64] [I64] NoImmediate NoNaN []
  I64ShrS -> Operator 0x087 "i64.shr_s" [I64, I64] [I64] NoImmediate NoNaN []
  I64ShrU -> Operator 0x088 "i64.shr_u" [I64, I64] [I64] NoImmediate NoNaN []
  I64Rotl -> Operator 0x089 "i64.rotl" [I64, I64] [I64] NoImmediate NoNaN []
  I64Rotr -> Operator 0x08A "i64.rotr" [I64, I64] [I64] NoImmediate NoNaN []
  F32Abs -> Operator 0x08B "f32.abs" [F32] [F32] NoImmediate NoNaN []
  F32Neg -> Operator 0x08C "f32.neg" [F32] [F32] NoImmediate NoNaN []
  F32Ceil -> Operator 0x08D "f32.ceil" [F32] [F32] NoImmediate NaN32 []
  F32Floor -> Operator 0x08E "f32.floor" [F32] [F32] NoImmediate NaN32 []
  F32Trunc -> Operator 0x08F "f32.trunc" [F32] [F32] NoImmediate NaN32 []
  F32Nearest -> Operator 0x090 "f32.nearest" [F32] [F32] NoImmediate NaN32 []
  F32Sqrt -> Operator 0x091 "f32.sqrt" [F32] [F32] NoImmediate NaN32 []
  F32Add -> Operator 0x092 "f32.add" [F32, F32] [F32] NoImmediate NaN32 []
  F32Sub -> Operator 0x093 "f32.sub" [F32, F32] [F32] NoImmediate NaN32 []
  F32Mul -> Operator 0x094 "f32.mul" [F32, F32] [F32] NoImmediate NaN32 []
  F32Div -> Operator 0x095 "f32.div" [F32, F32] [F32] NoImmediate NaN32 []
  F32Min -> Operator 0x096 "f32.min" [F32, F32] [F32] NoImmediate NaN32 []
  F32Max -> Operator 0x097 "f32.max" [F32, F32] [F32] NoImmediate NaN32 []
  F32Copysign -> Operator 0x098 "f32.copysign" [F32, F32] [F32] NoImmediate NoNaN []
  F64Abs -> Operator 0x099 "f64.abs" [F64] [F64] NoImmediate NoNaN []
  F64Neg -> Operator 0x09A "f64.neg" [F64] [F64] NoImmediate NoNaN []
  F64Ceil -> Operator 0x09B "f64.ceil" [F64] [F64] NoImmediate NaN64 []
  F64Floor -> Operator 0x09C "f64.floor" [F64] [F64] NoImmediate NaN64 []
  F64Trunc -> Operator 0x09D "f64.trunc" [F64] [F64] NoImmediate NaN64 []
  F64Nearest -> Operator 0x09E "f64.nearest" [F64] [F64] NoImmediate NaN64 []
  F64Sqrt -> Operator 0x09F "f64.sqrt" [F64] [F64] NoImmediate NaN64 []
  F64Add -> Operator 0x0A0 "f64.add" [F64, F64] [F64] NoImmediate NaN64 []
  F64Sub -> Operator 0x0A1 "f64.sub" [F64, F64] [F64] NoImmediate NaN64 []
  F64Mul -> Operator 0x0A2 "f64.mul" [F64, F64] [F64] NoImmediate NaN64 []
  F64Div -> Operator 0x0A3 "f64.div" [F64, F64] [F64] NoImmediate NaN64 []
  F64Min -> Operator 0x0A4 "f64.min" [F64, F64] [F64] NoImmediate NaN64 []
  F64Max -> Operator 0x0A5 "f64.max" [F64, F64] [F64] NoImmediate NaN64 []
  F64Copysign -> Operator 0x0A6 "f64.copysign" [F64, F64] [F64] NoImmediate NoNaN []
  I32WrapI64 -> Operator 0x0A7 "i32.wrap_i64" [I64] [I32] NoImmediate NoNaN []
  I32TruncF32S -> Operator 0x0A8 "i32.trunc_f32_s" [F32] [I32] NoImmediate NoNaN fromFloat
  I32TruncF32U -> Operator 0x0A9 "i32.trunc_f32_u" [F32] [I32] NoImmediate NoNaN fromFloat
  I32TruncF64S -> Operator 0x0AA "i32.trunc_f64_s" [F64] [I32] NoImmediate NoNaN fromFloat
  I32TruncF64U -> Operator 0x0AB "i32.trunc_f64_u" [F64] [I32] NoImmediate NoNaN fromFloat
  I64ExtendI32S -> Operator 0x0AC "i64.extend_i32_s" [I32] [I64] NoImmediate NoNaN []
  I64ExtendI32U -> Operator 0x0AD "i64.extend_i32_u" [I32] [I64] NoImmediate NoNaN []
  I64TruncF32S -> Operator 0x0AE "i64.trunc_f32_s" [F32] [I64] NoImmediate NoNaN fromFloat
  I64TruncF32U -> Operator 0x0AF "i64.trunc_f32_u" [F32] [I64] NoImmediate NoNaN fromFloat
  I64TruncF64S -> Operator 0x0B0 "i64.trunc_f64_s" [F64] [I64] NoImmediate NoNaN fromFloat
  I64TruncF64U -> Operator 0x0B1 "i64.trunc_f64_u" [F64] [I64] NoImmediate NoNaN fromFloat
  F32ConvertI32S -> Operator 0x0B2 "f32.convert_i32_s" [I32] [F32] NoImmediate NoNaN []
  F32ConvertI32U -> Operator 0x0B3 "f32.convert_i32_u" [I32] [F32] NoImmediate NoNaN []
  F32ConvertI64S -> Operator 0x0B4 "f32.convert_i64_s" [I64] [F32] NoImmediate NoNaN []
  F32ConvertI64U -> Operator 0x0B5 "f32.convert_i64_u" [I64] [F32] NoImmediate NoNaN []
  F32DemoteF64 -> Operator 0x0B6 "f32.demote_f64" [F64] [F32] NoImmediate NaN32 []
  F64ConvertI32S -> Operator 0x0B7 "f64.convert_i32_s" [I32] [F64] NoImmediate NoNaN []
  F64ConvertI32U -> Operator 0x0B8 "f64.convert_i32_u" [I32] [F64] NoImmediate NoNaN []
  F64ConvertI64S -> Operator 0x0B9 "f64.convert_i64_s" [I64] [F64] NoImmediate NoNaN []
  F64ConvertI64U -> Operator 0x0BA "f64.convert_i64_u" [I64] [F64] NoImmediate NoNaN []
  F64PromoteF32 -> Operator 0x0BB "f64.promote_f32" [F32] [F64] NoImmediate NaN64 []
  I32ReinterpretF32 -> Operator 0x0BC "i32.reinterpret_f32" [F32] [I32] NoImmediate NoNaN []
  I64ReinterpretF64 -> Operator 0x0BD "i64.reinterpret_f64" [F64] [I64] NoImmediate NoNaN []
  F32ReinterpretI32 -> Operator 0x0BE "f32.reinterpret_i32" [I32] [F32] NoImmediate NoNaN []
  F64ReinterpretI64 -> Operator 0x0BF "f64.reinterpret_i64" [I64] [F64] NoImmediate NoNaN []
  I32Extend8S -> Operator 0x0C0 "i32.extend8_s" [I32] [I32] NoImmediate NoNaN []
  I32Extend16S -> Operator 0x0C1 "i32.extend16_s" [I32] [I32] NoImmediate NoNaN []
  I64Extend8S -> Operator 0x0C2 "i64.extend8_s" [I64] [I64] NoImmediate NoNaN []
  I64Extend16S -> Operator 0x0C3 "i64.extend16_s" [I64] [I64] NoImmediate NoNaN []
  I64Extend32S -> Operator 0x0C4 "i64.extend32_s" [I64] [I64] NoImmediate NoNaN []
  I32TruncSatF32S -> Operator 0x100 "i32.trunc_sat_f32_s" [F32] [I32] NoImmediate NoNaN []
  I32TruncSatF32U -> Operator 0x101 "i32.trunc_sat_f32_u" [F32] [I32] NoImmediate NoNaN []
  I32TruncSatF64S -> Operator 0x102 "i32.trunc_sat_f64_s" [F64] [I32] NoImmediate NoNaN []
  I32TruncSatF64U -> Operator 0x103 "i32.trunc_sat_f64_u" [F64] [I32] NoImmediate NoNaN []
  I64TruncSatF32S -> Operator 0x104 "i64.trunc_sat_f32_s" [F32] [I64] NoImmediate NoNaN []
  I64TruncSatF32U -> Operator 0x105 "i64.trunc_sat_f32_u" [F32] [I64] NoImmediate NoNaN []
  I64TruncSatF64S -> Operator 0x106 "i64.trunc_sat_f64_s" [F64] [I64] NoImmediate NoNaN []
  I64TruncSatF64U -> Operator 0x107 "i64.trunc_sat_f64_u" [F64] [I64] NoImmediate NoNaN []

-- | What a load or a store of a number is. It has a memory argument.
accessOperator :: AccessOp -> Operator
accessOperator = \case
  I32Load -> Operator 0x028 "i32.load" [I32] [I32] (MemoryImmediate 2) NoNaN outside
  I64Load -> Operator 0x029 "i64.load" [I32] [I64] (MemoryImmediate 3) NoNaN outside
  F32Load -> Operator 0x02A "f32.load" [I32] [F32] (MemoryImmediate 2) NoNaN outside
  F64Load -> Operator 0x02B "f64.load" [I32] [F64] (MemoryImmediate 3) NoNaN outside
  I32Load8S -> Operator 0x02C "i32.load8_s" [I32] [I32] (MemoryImmediate 0) NoNaN outside
  I32Load8U -> Operator 0x02D "i32.load8_u" [I32] [I32] (MemoryImmediate 0) NoNaN outside
  I32Load16S -> Operator 0x02E "i32.load16_s" [I32] [I32] (MemoryImmediate 1) NoNaN outside
  I32Load16U -> Operator 0x02F "i32.load16_u" [I32] [I32] (MemoryImmediate 1) NoNaN outside
  I64Load8S -> Operator 0x030 "i64.load8_s" [I32] [I64] (MemoryImmediate 0) NoNaN outside
  I64Load8U -> Operator 0x031 "i64.load8_u" [I32] [I64] (MemoryImmediate 0) NoNaN outside
  I64Load16S -> Operator 0x032 "i64.load16_s" [I32] [I64] (MemoryImmediate 1) NoNaN outside
  I64Load16U -> Operator 0x033 "i64.load16_u" [I32] [I64] (MemoryImmediate 1) NoNaN outside
  I64Load32S -> Operator 0x034 "i64.load32_s" [I32] [I64] (MemoryImmediate 2) NoNaN outside
  I64Load32U -> Operator 0x035 "i64.load32_u" [I32] [I64] (MemoryImmediate 2) NoNaN outside
  I32Store -> Operator 0x036 "i32.store" [I32, I32] [] (MemoryImmediate 2) NoNaN outside
  I64Store -> Operator 0x037 "i64.store" [I32, I64] [] (MemoryImmediate 3) NoNaN outside
  F32Store -> Operator 0x038 "f32.store" [I32, F32] [] (MemoryImmediate 2) NoNaN outside
  F64Store -> Operator 0x039 "f64.store" [I32, F64] [] (MemoryImmediate 3) NoNaN outside
  I32Store8 -> Operator 0x03A "i32.store8" [I32, I32] [] (MemoryImmediate 0) NoNaN outside
  I32Store16 -> Operator 0x03B "i32.store16" [I32, I32] [] (MemoryImmediate 1) NoNaN outside
  I64Store8 -> Operator 0x03C "i64.store8" [I32, I64] [] (MemoryImmediate 0) NoNaN outside
  I64Store16 -> Operator 0x03D "i64.store16" [I32, I64] [] (MemoryImmediate 1) NoNaN outside
  I64Store32 -> Operator 0x03E "i64.store32" [I32, I64] [] (MemoryImmediate 2) NoNaN outside

-- | What an operator of vectors is, loads and stores among them.
vectorOperator :: VectorOp -> Operator
vectorOperator = \case
  V128Load -> Operator 0x200 "v128.load" [I32] [V128] (MemoryImmediate 4) NoNaN outside
  V128Load8x8S -> Operator 0x201 "v128.load8x8_s" [I32] [V128] (MemoryImmediate 3) NoNaN outside
  V128Load8x8U -> Operator 0x202 "v128.load8x8_u" [I32] [V128] (MemoryImmediate 3) NoNaN outside
  V128Load16x4S -> Operator 0x203 "v128.load16x4_s" [I32] [V128] (MemoryImmediate 3) NoNaN outside
  V128Load16x4U -> Operator 0x204 "v128.load16x4_u" [I32] [V128] (MemoryImmediate 3) NoNaN outside
  V128Load32x2S -> Operator 0x205 "v128.load32x2_s" [I32] [V128] (MemoryImmediate 3) NoNaN outside
  V128Load32x2U -> Operator 0x206 "v128.load32x2_u" [I32] [V128] (MemoryImmediate 3) NoNaN outside
  V128Load8Splat -> Operator 0x207 "v128.load8_splat" [I32] [V128] (MemoryImmediate 0) NoNaN outside
  V128Load16Splat ->
    Operator 0x208 "v128.load16_splat" [I32] [V128] (MemoryImmediate 1) NoNaN outside
  V128Load32Splat ->
    Operator 0x209 "v128.load32_splat" [I32] [V128] (MemoryImmediate 2) NoNaN outside
  V128Load64Splat ->
    Operator 0x20A "v128.load64_splat" [I32] [V128] (MemoryImmediate 3) NoNaN outside
  V128Store -> Operator 0x20B "v128.store" [I32, V128] [] (MemoryImmediate 4) NoNaN outside
  V128Const -> Operator 0x20C "v128.const" [] [V128] ConstantImmediate NoNaN []
  I8x16Shuffle -> Operator 0x20D "i8x16.shuffle" [V128, V128] [V128] ShuffleImmediate NoNaN []
  I8x16Swizzle -> Operator 0x20E "i8x16.swizzle" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16Splat -> Operator 0x20F "i8x16.splat" [I32] [V128] NoImmediate NoNaN []
  I16x8Splat -> Operator 0x210 "i16x8.splat" [I32] [V128] NoImmediate NoNaN []
  I32x4Splat -> Operator 0x211 "i32x4.splat" [I32] [V128] NoImmediate NoNaN []
  I64x2Splat -> Operator 0x212 "i64x2.splat" [I64] [V128] NoImmediate NoNaN []
  F32x4Splat -> Operator 0x213 "f32x4.splat" [F32] [V128] NoImmediate NoNaN []
  F64x2Splat -> Operator 0x214 "f64x2.splat" [F64] [V128] NoImmediate NoNaN []
  I8x16ExtractLaneS ->
    Operator 0x215 "i8x16.extract_lane_s" [V128] [I32] (LaneImmediate 16) NoNaN []
  I8x16ExtractLaneU ->
    Operator 0x216 "i8x16.extract_lane_u" [V128] [I32] (LaneImmediate 16) NoNaN []
  I8x16ReplaceLane ->
    Operator 0x217 "i8x16.replace_lane" [V128, I32] [V128] (LaneImmediate 16) NoNaN []
  I16x8ExtractLaneS -> Operator 0x218 "i16x8.extract_lane_s" [V128] [I32] (LaneImmediate 8) NoNaN []
  I16x8ExtractLaneU -> Operator 0x219 "i16x8.extract_lane_u" [V128] [I32] (LaneImmediate 8) NoNaN []
  I16x8ReplaceLane ->
    Operator 0x21A "i16x8.replace_lane" [V128, I32] [V128] (LaneImmediate 8) NoNaN []
  I32x4ExtractLane -> Operator 0x21B "i32x4.extract_lane" [V128] [I32] (LaneImmediate 4) NoNaN []
  I32x4ReplaceLane ->
    Operator 0x21C "i32x4.replace_lane" [V128, I32] [V128] (LaneImmediate 4) NoNaN []
  I64x2ExtractLane -> Operator 0x21D "i64x2.extract_lane" [V128] [I64] (LaneImmediate 2) NoNaN []
  I64x2ReplaceLane ->
    Operator 0x21E "i64x2.replace_lane" [V128, I64] [V128] (LaneImmediate 2) NoNaN []
  F32x4ExtractLane -> Operator 0x21F "f32x4.extract_lane" [V128] [F32] (LaneImmediate 4) NoNaN []
  F32x4ReplaceLane ->
    Operator 0x220 "f32x4.replace_lane" [V128, F32] [V128] (LaneImmediate 4) NoNaN []
  F64x2ExtractLane -> Operator 0x221 "f64x2.extract_lane" [V128] [F64] (LaneImmediate 2) NoNaN []
  F64x2ReplaceLane ->
    Operator 0x222 "f64x2.replace_lane" [V128, F64] [V128] (LaneImmediate 2) NoNaN []
  I8x16Eq -> Operator 0x223 "i8x16.eq" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16Ne -> Operator 0x224 "i8x16.ne" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16LtS -> Operator 0x225 "i8x16.lt_s" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16LtU -> Operator 0x226 "i8x16.lt_u" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16GtS -> Operator 0x227 "i8x16.gt_s" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16GtU -> Operator 0x228 "i8x16.gt_u" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16LeS -> Operator 0x229 "i8x16.le_s" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16LeU -> Operator 0x22A "i8x16.le_u" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16GeS -> Operator 0x22B "i8x16.ge_s" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16GeU -> Operator 0x22C "i8x16.ge_u" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8Eq -> Operator 0x22D "i16x8.eq" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8Ne -> Operator 0x22E "i16x8.ne" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8LtS -> Operator 0x22F "i16x8.lt_s" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8LtU -> Operator 0x230 "i16x8.lt_u" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8GtS -> Operator 0x231 "i16x8.gt_s" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8GtU -> Operator 0x232 "i16x8.gt_u" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8LeS -> Operator 0x233 "i16x8.le_s" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8LeU -> Operator 0x234 "i16x8.le_u" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8GeS -> Operator 0x235 "i16x8.ge_s" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8GeU -> Operator 0x236 "i16x8.ge_u" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4Eq -> Operator 0x237 "i32x4.eq" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4Ne -> Operator 0x238 "i32x4.ne" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4LtS -> Operator 0x239 "i32x4.lt_s" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4LtU -> Operator 0x23A "i32x4.lt_u" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4GtS -> Operator 0x23B "i32x4.gt_s" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4GtU -> Operator 0x23C "i32x4.gt_u" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4LeS -> Operator 0x23D "i32x4.le_s" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4LeU -> Operator 0x23E "i32x4.le_u" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4GeS -> Operator 0x23F "i32x4.ge_s" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4GeU -> Operator 0x240 "i32x4.ge_u" [V128, V128] [V128] NoImmediate NoNaN []
  F32x4Eq -> Operator 0x241 "f32x4.eq" [V128, V128] [V128] NoImmediate NoNaN []
  F32x4Ne -> Operator 0x242 "f32x4.ne" [V128, V128] [V128] NoImmediate NoNaN []
  F32x4Lt -> Operator 0x243 "f32x4.lt" [V128, V128] [V128] NoImmediate NoNaN []
  F32x4Gt -> Operator 0x244 "f32x4.gt" [V128, V128] [V128] NoImmediate NoNaN []
  F32x4Le -> Operator 0x245 "f32x4.le" [V128, V128] [V128] NoImmediate NoNaN []
  F32x4Ge -> Operator 0x246 "f32x4.ge" [V128, V128] [V128] NoImmediate NoNaN []
  F64x2Eq -> Operator 0x247 "f64x2.eq" [V128, V128] [V128] NoImmediate NoNaN []
  F64x2Ne -> Operator 0x248 "f64x2.ne" [V128, V128] [V128] NoImmediate NoNaN []
  F64x2Lt -> Operator 0x249 "f64x2.lt" [V128, V128] [V128] NoImmediate NoNaN []
  F64x2Gt -> Operator 0x24A "f64x2.gt" [V128, V128] [V128] NoImmediate NoNaN []
  F64x2Le -> Operator 0x24B "f64x2.le" [V128, V128] [V128] NoImmediate NoNaN []
  F64x2Ge -> Operator 0x24C "f64x2.ge" [V128, V128] [V128] NoImmediate NoNaN []
  V128Not -> Operator 0x24D "v128.not" [V128] [V128] NoImmediate NoNaN []
  V128And -> Operator 0x24E "v128.and" [V128, V128] [V128] NoImmediate NoNaN []
  V128Andnot -> Operator 0x24F "v128.andnot" [V128, V128] [V128] NoImmediate NoNaN []
  V128Or -> Operator 0x250 "v128.or" [V128, V128] [V128] NoImmediate NoNaN []
  V128Xor -> Operator 0x251 "v128.xor" [V128, V128] [V128] NoImmediate NoNaN []
  V128Bitselect -> Operator 0x252 "v128.bitselect" [V128, V128, V128] [V128] NoImmediate NoNaN []
  V128AnyTrue -> Operator 0x253 "v128.any_true" [V128] [I32] NoImmediate NoNaN []
  V128Load8Lane ->
    Operator 0x254 "v128.load8_lane" [I32, V128] [V128] (MemoryLaneImmediate 0) NoNaN outside
  V128Load16Lane ->
    Operator 0x255 "v128.load16_lane" [I32, V128] [V128] (MemoryLaneImmediate 1) NoNaN outside
  V128Load32Lane ->
    Operator 0x256 "v128.load32_lane" [I32, V128] [V128] (MemoryLaneImmediate 2) NoNaN outside
  V128Load64Lane ->
    Operator 0x257 "v128.load64_lane" [I32, V128] [V128] (MemoryLaneImmediate 3) NoNaN outside
  V128Store8Lane ->
    Operator 0x258 "v128.store8_lane" [I32, V128] [] (MemoryLaneImmediate 0) NoNaN outside
  V128Store16Lane ->
    Operator 0x259 "v128.store16_lane" [I32, V128] [] (MemoryLaneImmediate 1) NoNaN outside
  V128Store32Lane ->
    Operator 0x25A "v128.store32_lane" [I32, V128] [] (MemoryLaneImmediate 2) NoNaN outside
  V128Store64Lane ->
    Operator 0x25B "v128.store64_lane" [I32, V128] [] (MemoryLaneImmediate 3) NoNaN outside
  V128Load32Zero -> Operator 0x25C "v128.load32_zero" [I32] [V128] (MemoryImmediate 2) NoNaN outside
  V128Load64Zero -> Operator 0x25D "v128.load64_zero" [I32] [V128] (MemoryImmediate 3) NoNaN outside
  F32x4DemoteF64x2Zero ->
    Operator 0x25E "f32x4.demote_f64x2_zero" [V128] [V128] NoImmediate NaN32 []
  F64x2PromoteLowF32x4 ->
    Operator 0x25F "f64x2.promote_low_f32x4" [V128] [V128] NoImmediate NaN64 []
  I8x16Abs -> Operator 0x260 "i8x16.abs" [V128] [V128] NoImmediate NoNaN []
  I8x16Neg -> Operator 0x261 "i8x16.neg" [V128] [V128] NoImmediate NoNaN []
  I8x16Popcnt -> Operator 0x262 "i8x16.popcnt" [V128] [V128] NoImmediate NoNaN []
  I8x16AllTrue -> Operator 0x263 "i8x16.all_true" [V128] [I32] NoImmediate NoNaN []
  I8x16Bitmask -> Operator 0x264 "i8x16.bitmask" [V128] [I32] NoImmediate NoNaN []
  I8x16NarrowI16x8S ->
    Operator 0x265 "i8x16.narrow_i16x8_s" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16NarrowI16x8U ->
    Operator 0x266 "i8x16.narrow_i16x8_u" [V128, V128] [V128] NoImmediate NoNaN []
  F32x4Ceil -> Operator 0x267 "f32x4.ceil" [V128] [V128] NoImmediate NaN32 []
  F32x4Floor -> Operator 0x268 "f32x4.floor" [V128] [V128] NoImmediate NaN32 []
  F32x4Trunc -> Operator 0x269 "f32x4.trunc" [V128] [V128] NoImmediate NaN32 []
  F32x4Nearest -> Operator 0x26A "f32x4.nearest" [V128] [V128] NoImmediate NaN32 []
  I8x16Shl -> Operator 0x26B "i8x16.shl" [V128, I32] [V128] NoImmediate NoNaN []
  I8x16ShrS -> Operator 0x26C "i8x16.shr_s" [V128, I32] [V128] NoImmediate NoNaN []
  I8x16ShrU -> Operator 0x26D "i8x16.shr_u" [V128, I32] [V128] NoImmediate NoNaN []
  I8x16Add -> Operator 0x26E "i8x16.add" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16AddSatS -> Operator 0x26F "i8x16.add_sat_s" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16AddSatU -> Operator 0x270 "i8x16.add_sat_u" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16Sub -> Operator 0x271 "i8x16.sub" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16SubSatS -> Operator 0x272 "i8x16.sub_sat_s" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16SubSatU -> Operator 0x273 "i8x16.sub_sat_u" [V128, V128] [V128] NoImmediate NoNaN []
  F64x2Ceil -> Operator 0x274 "f64x2.ceil" [V128] [V128] NoImmediate NaN64 []
  F64x2Floor -> Operator 0x275 "f64x2.floor" [V128] [V128] NoImmediate NaN64 []
  I8x16MinS -> Operator 0x276 "i8x16.min_s" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16MinU -> Operator 0x277 "i8x16.min_u" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16MaxS -> Operator 0x278 "i8x16.max_s" [V128, V128] [V128] NoImmediate NoNaN []
  I8x16MaxU -> Operator 0x279 "i8x16.max_u" [V128, V128] [V128] NoImmediate NoNaN []
  F64x2Trunc -> Operator 0x27A "f64x2.trunc" [V128] [V128] NoImmediate NaN64 []
  I8x16AvgrU -> Operator 0x27B "i8x16.avgr_u" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8ExtaddPairwiseI8x16S ->
    Operator 0x27C "i16x8.extadd_pairwise_i8x16_s" [V128] [V128] NoImmediate NoNaN []
  I16x8ExtaddPairwiseI8x16U ->
    Operator 0x27D "i16x8.extadd_pairwise_i8x16_u" [V128] [V128] NoImmediate NoNaN []
  I32x4ExtaddPairwiseI16x8S ->
    Operator 0x27E "i32x4.extadd_pairwise_i16x8_s" [V128] [V128] NoImmediate NoNaN []
  I32x4ExtaddPairwiseI16x8U ->
    Operator 0x27F "i32x4.extadd_pairwise_i16x8_u" [V128] [V128] NoImmediate NoNaN []
  I16x8Abs -> Operator 0x280 "i16x8.abs" [V128] [V128] NoImmediate NoNaN []
  I16x8Neg -> Operator 0x281 "i16x8.neg" [V128] [V128] NoImmediate NoNaN []
  I16x8Q15mulrSatS -> Operator 0x282 "i16x8.q15mulr_sat_s" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8AllTrue -> Operator 0x283 "i16x8.all_true" [V128] [I32] NoImmediate NoNaN []
  I16x8Bitmask -> Operator 0x284 "i16x8.bitmask" [V128] [I32] NoImmediate NoNaN []
  I16x8NarrowI32x4S ->
    Operator 0x285 "i16x8.narrow_i32x4_s" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8NarrowI32x4U ->
    Operator 0x286 "i16x8.narrow_i32x4_u" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8ExtendLowI8x16S ->
    Operator 0x287 "i16x8.extend_low_i8x16_s" [V128] [V128] NoImmediate NoNaN []
  I16x8ExtendHighI8x16S ->
    Operator 0x288 "i16x8.extend_high_i8x16_s" [V128] [V128] NoImmediate NoNaN []
  I16x8ExtendLowI8x16U ->
    Operator 0x289 "i16x8.extend_low_i8x16_u" [V128] [V128] NoImmediate NoNaN []
  I16x8ExtendHighI8x16U ->
    Operator 0x28A "i16x8.extend_high_i8x16_u" [V128] [V128] NoImmediate NoNaN []
  I16x8Shl -> Operator 0x28B "i16x8.shl" [V128, I32] [V128] NoImmediate NoNaN []
  I16x8ShrS -> Operator 0x28C "i16x8.shr_s" [V128, I32] [V128] NoImmediate NoNaN []
  I16x8ShrU -> Operator 0x28D "i16x8.shr_u" [V128, I32] [V128] NoImmediate NoNaN []
  I16x8Add -> Operator 0x28E "i16x8.add" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8AddSatS -> Operator 0x28F "i16x8.add_sat_s" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8AddSatU -> Operator 0x290 "i16x8.add_sat_u" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8Sub -> Operator 0x291 "i16x8.sub" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8SubSatS -> Operator 0x292 "i16x8.sub_sat_s" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8SubSatU -> Operator 0x293 "i16x8.sub_sat_u" [V128, V128] [V128] NoImmediate NoNaN []
  F64x2Nearest -> Operator 0x294 "f64x2.nearest" [V128] [V128] NoImmediate NaN64 []
  I16x8Mul -> Operator 0x295 "i16x8.mul" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8MinS -> Operator 0x296 "i16x8.min_s" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8MinU -> Operator 0x297 "i16x8.min_u" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8MaxS -> Operator 0x298 "i16x8.max_s" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8MaxU -> Operator 0x299 "i16x8.max_u" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8AvgrU -> Operator 0x29B "i16x8.avgr_u" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8ExtmulLowI8x16S ->
    Operator 0x29C "i16x8.extmul_low_i8x16_s" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8ExtmulHighI8x16S ->
    Operator 0x29D "i16x8.extmul_high_i8x16_s" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8ExtmulLowI8x16U ->
    Operator 0x29E "i16x8.extmul_low_i8x16_u" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8ExtmulHighI8x16U ->
    Operator 0x29F "i16x8.extmul_high_i8x16_u" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4Abs -> Operator 0x2A0 "i32x4.abs" [V128] [V128] NoImmediate NoNaN []
  I32x4Neg -> Operator 0x2A1 "i32x4.neg" [V128] [V128] NoImmediate NoNaN []
  I32x4AllTrue -> Operator 0x2A3 "i32x4.all_true" [V128] [I32] NoImmediate NoNaN []
  I32x4Bitmask -> Operator 0x2A4 "i32x4.bitmask" [V128] [I32] NoImmediate NoNaN []
  I32x4ExtendLowI16x8S ->
    Operator 0x2A7 "i32x4.extend_low_i16x8_s" [V128] [V128] NoImmediate NoNaN []
  I32x4ExtendHighI16x8S ->
    Operator 0x2A8 "i32x4.extend_high_i16x8_s" [V128] [V128] NoImmediate NoNaN []
  I32x4ExtendLowI16x8U ->
    Operator 0x2A9 "i32x4.extend_low_i16x8_u" [V128] [V128] NoImmediate NoNaN []
  I32x4ExtendHighI16x8U ->
    Operator 0x2AA "i32x4.extend_high_i16x8_u" [V128] [V128] NoImmediate NoNaN []
  I32x4Shl -> Operator 0x2AB "i32x4.shl" [V128, I32] [V128] NoImmediate NoNaN []
  I32x4ShrS -> Operator 0x2AC "i32x4.shr_s" [V128, I32] [V128] NoImmediate NoNaN []
  I32x4ShrU -> Operator 0x2AD "i32x4.shr_u" [V128, I32] [V128] NoImmediate NoNaN []
  I32x4Add -> Operator 0x2AE "i32x4.add" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4Sub -> Operator 0x2B1 "i32x4.sub" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4Mul -> Operator 0x2B5 "i32x4.mul" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4MinS -> Operator 0x2B6 "i32x4.min_s" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4MinU -> Operator 0x2B7 "i32x4.min_u" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4MaxS -> Operator 0x2B8 "i32x4.max_s" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4MaxU -> Operator 0x2B9 "i32x4.max_u" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4DotI16x8S -> Operator 0x2BA "i32x4.dot_i16x8_s" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4ExtmulLowI16x8S ->
    Operator 0x2BC "i32x4.extmul_low_i16x8_s" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4ExtmulHighI16x8S ->
    Operator 0x2BD "i32x4.extmul_high_i16x8_s" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4ExtmulLowI16x8U ->
    Operator 0x2BE "i32x4.extmul_low_i16x8_u" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4ExtmulHighI16x8U ->
    Operator 0x2BF "i32x4.extmul_high_i16x8_u" [V128, V128] [V128] NoImmediate NoNaN []
  I64x2Abs -> Operator 0x2C0 "i64x2.abs" [V128] [V128] NoImmediate NoNaN []
  I64x2Neg -> Operator 0x2C1 "i64x2.neg" [V128] [V128] NoImmediate NoNaN []
  I64x2AllTrue -> Operator 0x2C3 "i64x2.all_true" [V128] [I32] NoImmediate NoNaN []
  I64x2Bitmask -> Operator 0x2C4 "i64x2.bitmask" [V128] [I32] NoImmediate NoNaN []
  I64x2ExtendLowI32x4S ->
    Operator 0x2C7 "i64x2.extend_low_i32x4_s" [V128] [V128] NoImmediate NoNaN []
  I64x2ExtendHighI32x4S ->
    Operator 0x2C8 "i64x2.extend_high_i32x4_s" [V128] [V128] NoImmediate NoNaN []
  I64x2ExtendLowI32x4U ->
    Operator 0x2C9 "i64x2.extend_low_i32x4_u" [V128] [V128] NoImmediate NoNaN []
  I64x2ExtendHighI32x4U ->
    Operator 0x2CA "i64x2.extend_high_i32x4_u" [V128] [V128] NoImmediate NoNaN []
  I64x2Shl -> Operator 0x2CB "i64x2.shl" [V128, I32] [V128] NoImmediate NoNaN []
  I64x2ShrS -> Operator 0x2CC "i64x2.shr_s" [V128, I32] [V128] NoImmediate NoNaN []
  I64x2ShrU -> Operator 0x2CD "i64x2.shr_u" [V128, I32] [V128] NoImmediate NoNaN []
  I64x2Add -> Operator 0x2CE "i64x2.add" [V128, V128] [V128] NoImmediate NoNaN []
  I64x2Sub -> Operator 0x2D1 "i64x2.sub" [V128, V128] [V128] NoImmediate NoNaN []
  I64x2Mul -> Operator 0x2D5 "i64x2.mul" [V128, V128] [V128] NoImmediate NoNaN []
  I64x2Eq -> Operator 0x2D6 "i64x2.eq" [V128, V128] [V128] NoImmediate NoNaN []
  I64x2Ne -> Operator 0x2D7 "i64x2.ne" [V128, V128] [V128] NoImmediate NoNaN []
  I64x2LtS -> Operator 0x2D8 "i64x2.lt_s" [V128, V128] [V128] NoImmediate NoNaN []
  I64x2GtS -> Operator 0x2D9 "i64x2.gt_s" [V128, V128] [V128] NoImmediate NoNaN []
  I64x2LeS -> Operator 0x2DA "i64x2.le_s" [V128, V128] [V128] NoImmediate NoNaN []
  I64x2GeS -> Operator 0x2DB "i64x2.ge_s" [V128, V128] [V128] NoImmediate NoNaN []
  I64x2ExtmulLowI32x4S ->
    Operator 0x2DC "i64x2.extmul_low_i32x4_s" [V128, V128] [V128] NoImmediate NoNaN []
  I64x2ExtmulHighI32x4S ->
    Operator 0x2DD "i64x2.extmul_high_i32x4_s" [V128, V128] [V128] NoImmediate NoNaN []
  I64x2ExtmulLowI32x4U ->
    Operator 0x2DE "i64x2.extmul_low_i32x4_u" [V128, V128] [V128] NoImmediate NoNaN []
  I64x2ExtmulHighI32x4U ->
    Operator 0x2DF "i64x2.extmul_high_i32x4_u" [V128, V128] [V128] NoImmediate NoNaN []
  F32x4Abs -> Operator 0x2E0 "f32x4.abs" [V128] [V128] NoImmediate NoNaN []
  F32x4Neg -> Operator 0x2E1 "f32x4.neg" [V128] [V128] NoImmediate NoNaN []
  F32x4Sqrt -> Operator 0x2E3 "f32x4.sqrt" [V128] [V128] NoImmediate NaN32 []
  F32x4Add -> Operator 0x2E4 "f32x4.add" [V128, V128] [V128] NoImmediate NaN32 []
  F32x4Sub -> Operator 0x2E5 "f32x4.sub" [V128, V128] [V128] NoImmediate NaN32 []
  F32x4Mul -> Operator 0x2E6 "f32x4.mul" [V128, V128] [V128] NoImmediate NaN32 []
  F32x4Div -> Operator 0x2E7 "f32x4.div" [V128, V128] [V128] NoImmediate NaN32 []
  F32x4Min -> Operator 0x2E8 "f32x4.min" [V128, V128] [V128] NoImmediate NaN32 []
  F32x4Max -> Operator 0x2E9 "f32x4.max" [V128, V128] [V128] NoImmediate NaN32 []
  F32x4Pmin -> Operator 0x2EA "f32x4.pmin" [V128, V128] [V128] NoImmediate NoNaN []
  F32x4Pmax -> Operator 0x2EB "f32x4.pmax" [V128, V128] [V128] NoImmediate NoNaN []
  F64x2Abs -> Operator 0x2EC "f64x2.abs" [V128] [V128] NoImmediate NoNaN []
  F64x2Neg -> Operator 0x2ED "f64x2.neg" [V128] [V128] NoImmediate NoNaN []
  F64x2Sqrt -> Operator 0x2EF "f64x2.sqrt" [V128] [V128] NoImmediate NaN64 []
  F64x2Add -> Operator 0x2F0 "f64x2.add" [V128, V128] [V128] NoImmediate NaN64 []
  F64x2Sub -> Operator 0x2F1 "f64x2.sub" [V128, V128] [V128] NoImmediate NaN64 []
  F64x2Mul -> Operator 0x2F2 "f64x2.mul" [V128, V128] [V128] NoImmediate NaN64 []
  F64x2Div -> Operator 0x2F3 "f64x2.div" [V128, V128] [V128] NoImmediate NaN64 []
  F64x2Min -> Operator 0x2F4 "f64x2.min" [V128, V128] [V128] NoImmediate NaN64 []
  F64x2Max -> Operator 0x2F5 "f64x2.max" [V128, V128] [V128] NoImmediate NaN64 []
  F64x2Pmin -> Operator 0x2F6 "f64x2.pmin" [V128, V128] [V128] NoImmediate NoNaN []
  F64x2Pmax -> Operator 0x2F7 "f64x2.pmax" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4TruncSatF32x4S -> Operator 0x2F8 "i32x4.trunc_sat_f32x4_s" [V128] [V128] NoImmediate NoNaN []
  I32x4TruncSatF32x4U -> Operator 0x2F9 "i32x4.trunc_sat_f32x4_u" [V128] [V128] NoImmediate NoNaN []
  F32x4ConvertI32x4S -> Operator 0x2FA "f32x4.convert_i32x4_s" [V128] [V128] NoImmediate NoNaN []
  F32x4ConvertI32x4U -> Operator 0x2FB "f32x4.convert_i32x4_u" [V128] [V128] NoImmediate NoNaN []
  I32x4TruncSatF64x2SZero ->
    Operator 0x2FC "i32x4.trunc_sat_f64x2_s_zero" [V128] [V128] NoImmediate NoNaN []
  I32x4TruncSatF64x2UZero ->
    Operator 0x2FD "i32x4.trunc_sat_f64x2_u_zero" [V128] [V128] NoImmediate NoNaN []
  F64x2ConvertLowI32x4S ->
    Operator 0x2FE "f64x2.convert_low_i32x4_s" [V128] [V128] NoImmediate NoNaN []
  F64x2ConvertLowI32x4U ->
    Operator 0x2FF "f64x2.convert_low_i32x4_u" [V128] [V128] NoImmediate NoNaN []
  I8x16RelaxedSwizzle ->
    Operator 0x300 "i8x16.relaxed_swizzle" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4RelaxedTruncF32x4S ->
    Operator 0x301 "i32x4.relaxed_trunc_f32x4_s" [V128] [V128] NoImmediate NoNaN []
  I32x4RelaxedTruncF32x4U ->
    Operator 0x302 "i32x4.relaxed_trunc_f32x4_u" [V128] [V128] NoImmediate NoNaN []
  I32x4RelaxedTruncF64x2SZero ->
    Operator 0x303 "i32x4.relaxed_trunc_f64x2_s_zero" [V128] [V128] NoImmediate NoNaN []
  I32x4RelaxedTruncF64x2UZero ->
    Operator 0x304 "i32x4.relaxed_trunc_f64x2_u_zero" [V128] [V128] NoImmediate NoNaN []
  F32x4RelaxedMadd ->
    Operator 0x305 "f32x4.relaxed_madd" [V128, V128, V128] [V128] NoImmediate NaN32 []
  F32x4RelaxedNmadd ->
    Operator 0x306 "f32x4.relaxed_nmadd" [V128, V128, V128] [V128] NoImmediate NaN32 []
  F64x2RelaxedMadd ->
    Operator 0x307 "f64x2.relaxed_madd" [V128, V128, V128] [V128] NoImmediate NaN64 []
  F64x2RelaxedNmadd ->
    Operator 0x308 "f64x2.relaxed_nmadd" [V128, V128, V128] [V128] NoImmediate NaN64 []
  I8x16RelaxedLaneselect ->
    Operator 0x309 "i8x16.relaxed_laneselect" [V128, V128, V128] [V128] NoImmediate NoNaN []
  I16x8RelaxedLaneselect ->
    Operator 0x30A "i16x8.relaxed_laneselect" [V128, V128, V128] [V128] NoImmediate NoNaN []
  I32x4RelaxedLaneselect ->
    Operator 0x30B "i32x4.relaxed_laneselect" [V128, V128, V128] [V128] NoImmediate NoNaN []
  I64x2RelaxedLaneselect ->
    Operator 0x30C "i64x2.relaxed_laneselect" [V128, V128, V128] [V128] NoImmediate NoNaN []
  F32x4RelaxedMin -> Operator 0x30D "f32x4.relaxed_min" [V128, V128] [V128] NoImmediate NaN32 []
  F32x4RelaxedMax -> Operator 0x30E "f32x4.relaxed_max" [V128, V128] [V128] NoImmediate NaN32 []
  F64x2RelaxedMin -> Operator 0x30F "f64x2.relaxed_min" [V128, V128] [V128] NoImmediate NaN64 []
  F64x2RelaxedMax -> Operator 0x310 "f64x2.relaxed_max" [V128, V128] [V128] NoImmediate NaN64 []
  I16x8RelaxedQ15mulrS ->
    Operator 0x311 "i16x8.relaxed_q15mulr_s" [V128, V128] [V128] NoImmediate NoNaN []
  I16x8RelaxedDotI8x16I7x16S ->
    Operator 0x312 "i16x8.relaxed_dot_i8x16_i7x16_s" [V128, V128] [V128] NoImmediate NoNaN []
  I32x4RelaxedDotI8x16I7x16AddS ->
    Operator
      0x313
      "i32x4.relaxed_dot_i8x16_i7x16_add_s"
      [V128, V128, V128]
      [V128]
      NoImmediate
      NoNaN
      []

-- | What accesses trap with: they lead outside of the memory.
outside :: [Trap]
outside = [OutOfBoundsMemory]

-- | What divisions trap with; the second is of those with a sign whose quotient may not fit.
byZero, bySigned :: [Trap]
byZero = [DivideByZero]
bySigned = [DivideByZero, IntegerOverflow]

-- | What conversions to an integer trap with, that do not take the nearest one.
fromFloat :: [Trap]
fromFloat = [InvalidConversion, IntegerOverflow]

-- | What a constant expression may compute, of the bits of two operands.
constantly :: ScalarOp -> Maybe (Word64 -> Word64 -> Word64)
constantly = \case
  I32Add -> Just (\x y -> low32 (x + y))
  I32Sub -> Just (\x y -> low32 (x - y))
  I32Mul -> Just (\x y -> low32 (x * y))
  I64Add -> Just (+)
  I64Sub -> Just (-)
  I64Mul -> Just (*)
  -- No other one is constant.
  _ -> Nothing
  where
    low32 v = fromIntegral (fromIntegral v :: Word32)

-- * By code and by name

-- | The operator with a code, if there is one. O(1).
--
-- >>> scalarAt 0x6A
-- Just I32Add
scalarAt :: Int -> Maybe ScalarOp
scalarAt = (scalars `at`)

-- | The load or the store of a number with a code, if there is one. O(1).
accessAt :: Int -> Maybe AccessOp
accessAt = (accesses `at`)

-- | By the number after the prefix.
vectorAt :: Int -> Maybe VectorOp
vectorAt n = vectors `at` (0x200 + n)

-- | All of them.
operators :: [Operator]
operators =
  map scalarOperator [minBound ..]
    <> map accessOperator [minBound ..]
    <> map vectorOperator [minBound ..]

-- | The operator with a name in the text format.
operatorNamed :: String -> Maybe Operator
operatorNamed name = Map.lookup name names

at :: V.Vector (Maybe a) -> Int -> Maybe a
at table code = join (table V.!? code)

scalars :: V.Vector (Maybe ScalarOp)
scalars = byCode scalarOperator

accesses :: V.Vector (Maybe AccessOp)
accesses = byCode accessOperator

vectors :: V.Vector (Maybe VectorOp)
vectors = byCode vectorOperator

byCode :: (Bounded a, Enum a) => (a -> Operator) -> V.Vector (Maybe a)
byCode operator =
  V.replicate (1 + maximum (map operatorCode operators)) Nothing
    V.// [ (operatorCode (operator x), Just x)
           | x <- [minBound .. maxBound]
         ]

names :: Map String Operator
names = Map.fromList [(operatorText o, o) | o <- operators]
