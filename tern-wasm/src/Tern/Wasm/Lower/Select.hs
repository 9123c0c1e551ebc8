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
    loadOp,
    loadAt,
    storeOp,
    storeAt,
  )
where

import Data.Int (Int32, Int64)
import Data.Word (Word64)
import Tern.Wasm.Code
import Tern.Wasm.Opcode
import Tern.Wasm.Type (ValType (..))

-- * Widths

data Width = W32 | W64 | W128
  deriving stock (Eq, Show)

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

data Selection
  = -- | The bits stay where they are.
    Same !Width
  | Unary !Op !Width
  | SlowUnary !Width
  | SlowBinary !Width
  | -- | A comparison with the constant 0.
    IsZero !Op
  | -- | The instruction; the one for a constant, if there is one, given whether
    -- it is the left operand, its width and its bits; whether the operands
    -- change places; the result.
    Binary !Op !(Bool -> Width -> Word64 -> Maybe (Op, Int)) !Bool !Width
  | -- | A vector instruction: how many operands it takes; the result.
    Vector !Int !Width

-- | For the operators that 'Tern.Wasm.Syntax.Plain' has.
selection :: Opcode -> Selection
selection op
  | op >= 0x200 = case operator op of
      Just o -> Vector (length (operatorParams o)) (case operatorResults o of t : _ -> width t; [] -> W64)
      Nothing -> Vector 0 W64
  | op == 0x45 = IsZero EqI32
  | op == 0x50 = IsZero EqI64
  | op >= 0x46 && op <= 0x4F = compare32 (op - 0x46)
  | op >= 0x51 && op <= 0x5A = compare64 (op - 0x51)
  | op >= 0x5B && op <= 0x60 = floatCompare (op - 0x5B) F32Eq F32Ne F32Lt F32Le
  | op >= 0x61 && op <= 0x66 = floatCompare (op - 0x61) F64Eq F64Ne F64Lt F64Le
  | otherwise = case op of
      0x67 -> Unary Clz32 W32
      0x68 -> Unary Ctz32 W32
      0x6A -> commutes Add32 AddI32 W32
      0x6B -> Binary Sub32 subtraction32 False W32
      0x6C -> commutes Mul32 MulI32 W32
      0x6D -> Binary DivS32 noImmediate False W32
      0x6E -> Binary DivU32 noImmediate False W32
      0x6F -> Binary RemS32 noImmediate False W32
      0x70 -> Binary RemU32 noImmediate False W32
      0x71 -> commutes And32 AndI32 W32
      0x72 -> commutes Or32 OrI32 W32
      0x73 -> commutes Xor32 XorI32 W32
      0x74 -> rightOnly Shl32 ShlI32 W32
      0x75 -> rightOnly ShrS32 ShrSI32 W32
      0x76 -> rightOnly ShrU32 ShrUI32 W32
      0x77 -> rightOnly Rotl32 RotlI32 W32
      0x78 -> rightOnly Rotr32 RotrI32 W32
      0x79 -> Unary Clz64 W64
      0x7A -> Unary Ctz64 W64
      0x7C -> commutes Add64 AddI64 W64
      0x7D -> Binary Sub64 subtraction64 False W64
      0x7E -> commutes Mul64 MulI64 W64
      0x7F -> Binary DivS64 noImmediate False W64
      0x80 -> Binary DivU64 noImmediate False W64
      0x81 -> Binary RemS64 noImmediate False W64
      0x82 -> Binary RemU64 noImmediate False W64
      0x83 -> commutes And64 AndI64 W64
      0x84 -> commutes Or64 OrI64 W64
      0x85 -> commutes Xor64 XorI64 W64
      0x86 -> rightOnly Shl64 ShlI64 W64
      0x87 -> rightOnly ShrS64 ShrSI64 W64
      0x88 -> rightOnly ShrU64 ShrUI64 W64
      0x89 -> rightOnly Rotl64 RotlI64 W64
      0x8A -> rightOnly Rotr64 RotrI64 W64
      0x8B -> Unary F32Abs W32
      0x8C -> Unary F32Neg W32
      0x91 -> Unary F32Sqrt W32
      0x92 -> Binary F32Add noImmediate False W32
      0x93 -> Binary F32Sub noImmediate False W32
      0x94 -> Binary F32Mul noImmediate False W32
      0x95 -> Binary F32Div noImmediate False W32
      0x99 -> Unary F64Abs W64
      0x9A -> Unary F64Neg W64
      0x9F -> Unary F64Sqrt W64
      0xA0 -> Binary F64Add noImmediate False W64
      0xA1 -> Binary F64Sub noImmediate False W64
      0xA2 -> Binary F64Mul noImmediate False W64
      0xA3 -> Binary F64Div noImmediate False W64
      0xA7 -> Same W32
      0xAC -> Unary ExtendS64 W64
      0xAD -> Unary ExtendU64 W64
      0xB2 -> Unary F32FromS32 W32
      0xB3 -> Unary F32FromU32 W32
      0xB4 -> Unary F32FromS64 W32
      0xB6 -> Unary F32FromF64 W32
      0xB7 -> Unary F64FromS32 W64
      0xB8 -> Unary F64FromU32 W64
      0xB9 -> Unary F64FromS64 W64
      0xBB -> Unary F64FromF32 W64
      0xBC -> Same W32
      0xBD -> Same W64
      0xBE -> Same W32
      0xBF -> Same W64
      0xC0 -> Unary Extend8S32 W32
      0xC1 -> Unary Extend16S32 W32
      0xC2 -> Unary Extend8S64 W64
      0xC3 -> Unary Extend16S64 W64
      0xC4 -> Unary ExtendS64 W64
      -- Every other one is outside of the loop, by its type.
      _ -> case operator op of
        Just (Operator _ [_, _] [t] _) -> SlowBinary (width t)
        Just (Operator _ [_] [t] _) -> SlowUnary (width t)
        _ -> Vector 0 W64

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

-- | The ten comparisons in the order of their opcodes: equal, not equal, less,
-- greater, at most, at least, each but the first two signed and unsigned.
compare32, compare64 :: Int -> Selection
compare32 n = case n of
  0 -> comparison Eq32 EqI32 EqI32 False
  1 -> comparison Ne32 NeI32 NeI32 False
  2 -> comparison LtS32 LtSI32 GtSI32 False
  3 -> comparison LtU32 LtUI32 GtUI32 False
  4 -> comparison LtS32 GtSI32 LtSI32 True
  5 -> comparison LtU32 GtUI32 LtUI32 True
  6 -> comparison LeS32 LeSI32 GeSI32 False
  7 -> comparison LeU32 LeUI32 GeUI32 False
  8 -> comparison LeS32 GeSI32 LeSI32 True
  _ -> comparison LeU32 GeUI32 LeUI32 True
compare64 n = case n of
  0 -> comparison Eq64 EqI64 EqI64 False
  1 -> comparison Ne64 NeI64 NeI64 False
  2 -> comparison LtS64 LtSI64 GtSI64 False
  3 -> comparison LtU64 LtUI64 GtUI64 False
  4 -> comparison LtS64 GtSI64 LtSI64 True
  5 -> comparison LtU64 GtUI64 LtUI64 True
  6 -> comparison LeS64 LeSI64 GeSI64 False
  7 -> comparison LeU64 LeUI64 GeUI64 False
  8 -> comparison LeS64 GeSI64 LeSI64 True
  _ -> comparison LeU64 GeUI64 LeUI64 True

-- | For two slots, a constant on the right, a constant on the left, and whether
-- the slots change places.
comparison :: Op -> Op -> Op -> Bool -> Selection
comparison f right left swapped =
  Binary f (\isLeft w v -> (if isLeft then left else right,) <$> fitting w v) swapped W32

floatCompare :: Int -> Op -> Op -> Op -> Op -> Selection
floatCompare n eq ne lt le = case n of
  0 -> Binary eq noImmediate False W32
  1 -> Binary ne noImmediate False W32
  2 -> Binary lt noImmediate False W32
  3 -> Binary lt noImmediate True W32
  4 -> Binary le noImmediate False W32
  _ -> Binary le noImmediate True W32

-- * By width

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

-- | The load of an opcode, and the width of what it gives.
loadOp :: Opcode -> (Op, Width)
loadOp = \case
  0x28 -> (Load32, W32)
  0x29 -> (Load64, W64)
  0x2A -> (Load32, W32)
  0x2B -> (Load64, W64)
  0x2C -> (Load8S32, W32)
  0x2D -> (Load8U32, W32)
  0x2E -> (Load16S32, W32)
  0x2F -> (Load16U32, W32)
  0x30 -> (Load8S64, W64)
  0x31 -> (Load8U64, W64)
  0x32 -> (Load16S64, W64)
  0x33 -> (Load16U64, W64)
  0x34 -> (Load32S64, W64)
  _ -> (Load32U64, W64)

-- | The same at a constant address.
loadAt :: Op -> Maybe Op
loadAt = \case
  Load32 -> Just LoadAt32
  Load64 -> Just LoadAt64
  Load8U32 -> Just LoadAt8U32
  _ -> Nothing

storeOp :: Opcode -> Op
storeOp = \case
  0x36 -> Store32
  0x37 -> Store64
  0x38 -> Store32
  0x39 -> Store64
  0x3A -> Store8
  0x3B -> Store16
  0x3C -> Store8
  0x3D -> Store16
  _ -> Store32

storeAt :: Op -> Maybe Op
storeAt = \case
  Store32 -> Just StoreAt32
  Store64 -> Just StoreAt64
  _ -> Nothing
