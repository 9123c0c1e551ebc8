-- | Which bytecode instruction does what an operator of WebAssembly does.
--
-- The idea: tables only, no state. Start at 'selection'.
module Tern.Wasm.Lower.Select
  ( -- * Widths
    Width (..),
    width,
    widthBytes,

    -- * Operators
    Selection (..),
    selection,

    -- * By width
    copyOp,
    selectOp,
    globalOp,

    -- * Memory
    Accessing (..),
    accessing,
  )
where

import Data.Int (Int32, Int64)
import Data.Word (Word64)
import Tern.Wasm.Code (Op (..), SlowOp (..))
import Tern.Wasm.Opcode (AccessOp, ScalarOp)
import Tern.Wasm.Opcode qualified as Opcode
import Tern.Wasm.Type (ValType (..))

-- * Widths

-- | How many bits a value has. Floats are not told from integers.
data Width = W32 | W64 | W128
  deriving stock (Eq, Show)

-- | How wide the values of a type are; references have 64 bits.
width :: ValType -> Width
width = \case
  I32 -> W32
  I64 -> W64
  F32 -> W32
  F64 -> W64
  V128 -> W128
  Ref _ -> W64

-- | Bytes of a home, a multiple of 8.
widthBytes :: Width -> Int
widthBytes = \case
  W32 -> 8
  W64 -> 8
  W128 -> 16

-- * Operators

-- | How the bytecode does an operator; the width is the result's, and that of 'IsZero' is 'W32'.
data Selection
  = -- | The bits stay where they are.
    Same !Width
  | Unary !Op !Width
  | SlowUnary !SlowOp !Width
  | SlowBinary !SlowOp !Width
  | -- | A comparison with the constant 0.
    IsZero !Op
  | -- | The instruction; the one for a constant, if there is one, given whether
    -- it is the left operand, its width and its bits; whether the operands
    -- change places; the result.
    Binary !Op !(Bool -> Width -> Word64 -> Maybe (Op, Int)) !Bool !Width

-- | What does an operator.
selection :: ScalarOp -> Selection
selection = \case
  Opcode.I32Eqz -> IsZero EqI32
  Opcode.I32Eq -> comparison Eq32 EqI32 EqI32 False
  Opcode.I32Ne -> comparison Ne32 NeI32 NeI32 False
  Opcode.I32LtS -> comparison LtS32 LtSI32 GtSI32 False
  Opcode.I32LtU -> comparison LtU32 LtUI32 GtUI32 False
  Opcode.I32GtS -> comparison LtS32 GtSI32 LtSI32 True
  Opcode.I32GtU -> comparison LtU32 GtUI32 LtUI32 True
  Opcode.I32LeS -> comparison LeS32 LeSI32 GeSI32 False
  Opcode.I32LeU -> comparison LeU32 LeUI32 GeUI32 False
  Opcode.I32GeS -> comparison LeS32 GeSI32 LeSI32 True
  Opcode.I32GeU -> comparison LeU32 GeUI32 LeUI32 True
  Opcode.I64Eqz -> IsZero EqI64
  Opcode.I64Eq -> comparison Eq64 EqI64 EqI64 False
  Opcode.I64Ne -> comparison Ne64 NeI64 NeI64 False
  Opcode.I64LtS -> comparison LtS64 LtSI64 GtSI64 False
  Opcode.I64LtU -> comparison LtU64 LtUI64 GtUI64 False
  Opcode.I64GtS -> comparison LtS64 GtSI64 LtSI64 True
  Opcode.I64GtU -> comparison LtU64 GtUI64 LtUI64 True
  Opcode.I64LeS -> comparison LeS64 LeSI64 GeSI64 False
  Opcode.I64LeU -> comparison LeU64 LeUI64 GeUI64 False
  Opcode.I64GeS -> comparison LeS64 GeSI64 LeSI64 True
  Opcode.I64GeU -> comparison LeU64 GeUI64 LeUI64 True
  Opcode.F32Eq -> Binary F32Eq noImmediate False W32
  Opcode.F32Ne -> Binary F32Ne noImmediate False W32
  Opcode.F32Lt -> Binary F32Lt noImmediate False W32
  Opcode.F32Gt -> Binary F32Lt noImmediate True W32
  Opcode.F32Le -> Binary F32Le noImmediate False W32
  Opcode.F32Ge -> Binary F32Le noImmediate True W32
  Opcode.F64Eq -> Binary F64Eq noImmediate False W32
  Opcode.F64Ne -> Binary F64Ne noImmediate False W32
  Opcode.F64Lt -> Binary F64Lt noImmediate False W32
  Opcode.F64Gt -> Binary F64Lt noImmediate True W32
  Opcode.F64Le -> Binary F64Le noImmediate False W32
  Opcode.F64Ge -> Binary F64Le noImmediate True W32
  Opcode.I32Clz -> Unary Clz32 W32
  Opcode.I32Ctz -> Unary Ctz32 W32
  Opcode.I32Popcnt -> SlowUnary PopCount32 W32
  Opcode.I32Add -> commutes Add32 AddI32 W32
  Opcode.I32Sub -> Binary Sub32 subtraction32 False W32
  Opcode.I32Mul -> commutes Mul32 MulI32 W32
  Opcode.I32DivS -> Binary DivS32 noImmediate False W32
  Opcode.I32DivU -> Binary DivU32 noImmediate False W32
  Opcode.I32RemS -> Binary RemS32 noImmediate False W32
  Opcode.I32RemU -> Binary RemU32 noImmediate False W32
  Opcode.I32And -> commutes And32 AndI32 W32
  Opcode.I32Or -> commutes Or32 OrI32 W32
  Opcode.I32Xor -> commutes Xor32 XorI32 W32
  Opcode.I32Shl -> rightOnly Shl32 ShlI32 W32
  Opcode.I32ShrS -> rightOnly ShrS32 ShrSI32 W32
  Opcode.I32ShrU -> rightOnly ShrU32 ShrUI32 W32
  Opcode.I32Rotl -> rightOnly Rotl32 RotlI32 W32
  Opcode.I32Rotr -> rightOnly Rotr32 RotrI32 W32
  Opcode.I64Clz -> Unary Clz64 W64
  Opcode.I64Ctz -> Unary Ctz64 W64
  Opcode.I64Popcnt -> SlowUnary PopCount64 W64
  Opcode.I64Add -> commutes Add64 AddI64 W64
  Opcode.I64Sub -> Binary Sub64 subtraction64 False W64
  Opcode.I64Mul -> commutes Mul64 MulI64 W64
  Opcode.I64DivS -> Binary DivS64 noImmediate False W64
  Opcode.I64DivU -> Binary DivU64 noImmediate False W64
  Opcode.I64RemS -> Binary RemS64 noImmediate False W64
  Opcode.I64RemU -> Binary RemU64 noImmediate False W64
  Opcode.I64And -> commutes And64 AndI64 W64
  Opcode.I64Or -> commutes Or64 OrI64 W64
  Opcode.I64Xor -> commutes Xor64 XorI64 W64
  Opcode.I64Shl -> rightOnly Shl64 ShlI64 W64
  Opcode.I64ShrS -> rightOnly ShrS64 ShrSI64 W64
  Opcode.I64ShrU -> rightOnly ShrU64 ShrUI64 W64
  Opcode.I64Rotl -> rightOnly Rotl64 RotlI64 W64
  Opcode.I64Rotr -> rightOnly Rotr64 RotrI64 W64
  Opcode.F32Abs -> Unary F32Abs W32
  Opcode.F32Neg -> Unary F32Neg W32
  Opcode.F32Ceil -> SlowUnary Ceil32 W32
  Opcode.F32Floor -> SlowUnary Floor32 W32
  Opcode.F32Trunc -> SlowUnary Trunc32 W32
  Opcode.F32Nearest -> SlowUnary Nearest32 W32
  Opcode.F32Sqrt -> Unary F32Sqrt W32
  Opcode.F32Add -> Binary F32Add noImmediate False W32
  Opcode.F32Sub -> Binary F32Sub noImmediate False W32
  Opcode.F32Mul -> Binary F32Mul noImmediate False W32
  Opcode.F32Div -> Binary F32Div noImmediate False W32
  Opcode.F32Min -> SlowBinary Min32 W32
  Opcode.F32Max -> SlowBinary Max32 W32
  Opcode.F32Copysign -> SlowBinary CopySign32 W32
  Opcode.F64Abs -> Unary F64Abs W64
  Opcode.F64Neg -> Unary F64Neg W64
  Opcode.F64Ceil -> SlowUnary Ceil64 W64
  Opcode.F64Floor -> SlowUnary Floor64 W64
  Opcode.F64Trunc -> SlowUnary Trunc64 W64
  Opcode.F64Nearest -> SlowUnary Nearest64 W64
  Opcode.F64Sqrt -> Unary F64Sqrt W64
  Opcode.F64Add -> Binary F64Add noImmediate False W64
  Opcode.F64Sub -> Binary F64Sub noImmediate False W64
  Opcode.F64Mul -> Binary F64Mul noImmediate False W64
  Opcode.F64Div -> Binary F64Div noImmediate False W64
  Opcode.F64Min -> SlowBinary Min64 W64
  Opcode.F64Max -> SlowBinary Max64 W64
  Opcode.F64Copysign -> SlowBinary CopySign64 W64
  Opcode.I32WrapI64 -> Same W32
  Opcode.I32TruncF32S -> SlowUnary TruncS32F32 W32
  Opcode.I32TruncF32U -> SlowUnary TruncU32F32 W32
  Opcode.I32TruncF64S -> SlowUnary TruncS32F64 W32
  Opcode.I32TruncF64U -> SlowUnary TruncU32F64 W32
  Opcode.I64ExtendI32S -> Unary ExtendS64 W64
  Opcode.I64ExtendI32U -> Unary ExtendU64 W64
  Opcode.I64TruncF32S -> SlowUnary TruncS64F32 W64
  Opcode.I64TruncF32U -> SlowUnary TruncU64F32 W64
  Opcode.I64TruncF64S -> SlowUnary TruncS64F64 W64
  Opcode.I64TruncF64U -> SlowUnary TruncU64F64 W64
  Opcode.F32ConvertI32S -> Unary F32FromS32 W32
  Opcode.F32ConvertI32U -> Unary F32FromU32 W32
  Opcode.F32ConvertI64S -> Unary F32FromS64 W32
  Opcode.F32ConvertI64U -> SlowUnary F32FromU64 W32
  Opcode.F32DemoteF64 -> Unary F32FromF64 W32
  Opcode.F64ConvertI32S -> Unary F64FromS32 W64
  Opcode.F64ConvertI32U -> Unary F64FromU32 W64
  Opcode.F64ConvertI64S -> Unary F64FromS64 W64
  Opcode.F64ConvertI64U -> SlowUnary F64FromU64 W64
  Opcode.F64PromoteF32 -> Unary F64FromF32 W64
  Opcode.I32ReinterpretF32 -> Same W32
  Opcode.I64ReinterpretF64 -> Same W64
  Opcode.F32ReinterpretI32 -> Same W32
  Opcode.F64ReinterpretI64 -> Same W64
  Opcode.I32Extend8S -> Unary Extend8S32 W32
  Opcode.I32Extend16S -> Unary Extend16S32 W32
  Opcode.I64Extend8S -> Unary Extend8S64 W64
  Opcode.I64Extend16S -> Unary Extend16S64 W64
  Opcode.I64Extend32S -> Unary ExtendS64 W64
  Opcode.I32TruncSatF32S -> SlowUnary SatS32F32 W32
  Opcode.I32TruncSatF32U -> SlowUnary SatU32F32 W32
  Opcode.I32TruncSatF64S -> SlowUnary SatS32F64 W32
  Opcode.I32TruncSatF64U -> SlowUnary SatU32F64 W32
  Opcode.I64TruncSatF32S -> SlowUnary SatS64F32 W64
  Opcode.I64TruncSatF32U -> SlowUnary SatU64F32 W64
  Opcode.I64TruncSatF64S -> SlowUnary SatS64F64 W64
  Opcode.I64TruncSatF64U -> SlowUnary SatU64F64 W64

noImmediate :: Bool -> Width -> Word64 -> Maybe (Op, Int)
noImmediate _ _ _ = Nothing

-- | A constant that fits the field c: any of 32 bits, and those of 64 that are
-- 32 bits sign-extended.
fitting :: Width -> Word64 -> Maybe Int
fitting w v = case w of
  W32 -> Just (fromIntegral (fromIntegral v :: Int32))
  W128 -> Nothing
  W64
    | fromIntegral (fromIntegral v :: Int32) == (fromIntegral v :: Int64) -> Just (fromIntegral v)
    | otherwise -> Nothing

commutes :: Op -> Op -> Width -> Selection
commutes f g = Binary f (\_ w v -> (g,) <$> fitting w v) False

rightOnly :: Op -> Op -> Width -> Selection
rightOnly f g = Binary f immediate False
  where
    immediate left w v
      | left = Nothing
      | otherwise = Just (g, fromIntegral (v `mod` (if w == W32 then 32 else 64)))

subtraction32, subtraction64 :: Bool -> Width -> Word64 -> Maybe (Op, Int)
subtraction32 left w v
  | left = Nothing
  | otherwise = (\k -> (AddI32, fromIntegral (fromIntegral (negate k) :: Int32))) <$> fitting w v
subtraction64 left w v
  | left = Nothing
  | otherwise = (AddI64,) <$> fitting w (negate v)

-- | For two slots, a constant on the right, a constant on the left, and whether
-- the slots change places.
comparison :: Op -> Op -> Op -> Bool -> Selection
comparison f right left swapped =
  Binary f (\isLeft w v -> (if isLeft then left else right,) <$> fitting w v) swapped W32

-- * By width

-- | The instruction that copies a slot of a width, and the one that takes one of two such slots.
copyOp, selectOp :: Width -> Op
copyOp = \case
  W32 -> Copy32
  W64 -> Copy64
  W128 -> Copy128
selectOp = \case
  W32 -> Select32
  W64 -> Select64
  W128 -> Select128

-- | For a global that is imported or not, and set or got.
globalOp :: Bool -> Bool -> Width -> Op
globalOp imported set w = case (imported, set, w) of
  (False, False, W32) -> Global32
  (False, False, W64) -> Global64
  (False, False, W128) -> Global128
  (False, True, W32) -> SetGlobal32
  (False, True, W64) -> SetGlobal64
  (False, True, W128) -> SetGlobal128
  (True, False, W32) -> Far64
  (True, False, W64) -> Far64
  (True, False, W128) -> Far128
  (True, True, W32) -> SetFar64
  (True, True, W64) -> SetFar64
  (True, True, W128) -> SetFar128

-- * Memory

-- | The instruction; the same at a constant address, if there is one; and the width of
-- what is loaded.
data Accessing
  = Loading !Op !(Maybe Op) !Width
  | Storing !Op !(Maybe Op)

-- | What does a load or a store in the first memory, if that has addresses of 32 bits. Floats are
-- moved as their bits.
accessing :: AccessOp -> Accessing
accessing = \case
  Opcode.I32Load -> Loading Load32 (Just LoadAt32) W32
  Opcode.I64Load -> Loading Load64 (Just LoadAt64) W64
  Opcode.F32Load -> Loading Load32 (Just LoadAt32) W32
  Opcode.F64Load -> Loading Load64 (Just LoadAt64) W64
  Opcode.I32Load8S -> Loading Load8S32 Nothing W32
  Opcode.I32Load8U -> Loading Load8U32 (Just LoadAt8U32) W32
  Opcode.I32Load16S -> Loading Load16S32 Nothing W32
  Opcode.I32Load16U -> Loading Load16U32 Nothing W32
  Opcode.I64Load8S -> Loading Load8S64 Nothing W64
  Opcode.I64Load8U -> Loading Load8U64 Nothing W64
  Opcode.I64Load16S -> Loading Load16S64 Nothing W64
  Opcode.I64Load16U -> Loading Load16U64 Nothing W64
  Opcode.I64Load32S -> Loading Load32S64 Nothing W64
  Opcode.I64Load32U -> Loading Load32U64 Nothing W64
  Opcode.I32Store -> Storing Store32 (Just StoreAt32)
  Opcode.I64Store -> Storing Store64 (Just StoreAt64)
  Opcode.F32Store -> Storing Store32 (Just StoreAt32)
  Opcode.F64Store -> Storing Store64 (Just StoreAt64)
  Opcode.I32Store8 -> Storing Store8 Nothing
  Opcode.I32Store16 -> Storing Store16 Nothing
  Opcode.I64Store8 -> Storing Store8 Nothing
  Opcode.I64Store16 -> Storing Store16 Nothing
  Opcode.I64Store32 -> Storing Store32 (Just StoreAt32)
