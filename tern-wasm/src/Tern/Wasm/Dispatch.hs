{-# LANGUAGE MagicHash #-}
-- The loop must get this function inlined however the package is built: without optimisation
-- GHC leaves what is to be inlined out of the interface.
{-# OPTIONS_GHC -O2 #-}

-- | Which instruction a byte of the bytecode stands for, as the loop asks.
--
-- The idea: GHC makes a jump table without comparing the number with its bounds only where
-- every value of the number's type has its place. So the number is a byte. It is compared with
-- each instruction's but one, which stands in the middle: of a missing value at an end there
-- would be a bound. GHC makes one table of all comparisons, and puts the loop's cases into it.
--
-- Start at 'dispatched'. A byte that is missing here costs the comparisons again, and one that
-- is wrong fails the test "the loop takes each byte for its instruction".
module Tern.Wasm.Dispatch
  ( dispatched,
    ofByte,
  )
where

import GHC.Exts
import GHC.Word (Word8 (..))
import Tern.Wasm.Code (Op (..))

-- | The instruction of a byte ('Tern.Wasm.Code.opNumber'); of those that share one, which all
-- leave the loop, the first.
dispatched :: Word8# -> Op
dispatched byte
  | is Gate = Gate
  | is Stop = Stop
  | is Enter = Enter
  | is Jump = Jump
  | is JumpIf = JumpIf
  | is JumpIfNot = JumpIfNot
  | is JumpTable = JumpTable
  | is CallOwn = CallOwn
  | is CallTable = CallTable
  | is CallFunc = CallFunc
  | is TailOwn = TailOwn
  | is TailTable = TailTable
  | is TailRef = TailRef
  | is NonNull = NonNull
  | is Ret = Ret
  | is Ret32 = Ret32
  | is Ret64 = Ret64
  | is Const64 = Const64
  | is Copy32 = Copy32
  | is Copy64 = Copy64
  | is Copy128 = Copy128
  | is Zero1 = Zero1
  | is Zero2 = Zero2
  | is Zero4 = Zero4
  | is Select32 = Select32
  | is Select64 = Select64
  | is Select128 = Select128
  | is Global32 = Global32
  | is Global64 = Global64
  | is Global128 = Global128
  | is SetGlobal32 = SetGlobal32
  | is SetGlobal64 = SetGlobal64
  | is SetGlobal128 = SetGlobal128
  | is Far64 = Far64
  | is Far128 = Far128
  | is SetFar64 = SetFar64
  | is SetFar128 = SetFar128
  | is Load32 = Load32
  | is Load64 = Load64
  | is Load8S32 = Load8S32
  | is Load8U32 = Load8U32
  | is Load16S32 = Load16S32
  | is Load16U32 = Load16U32
  | is Load8S64 = Load8S64
  | is Load8U64 = Load8U64
  | is Load16S64 = Load16S64
  | is Load16U64 = Load16U64
  | is Load32S64 = Load32S64
  | is Load32U64 = Load32U64
  | is LoadAt32 = LoadAt32
  | is LoadAt64 = LoadAt64
  | is LoadAt8U32 = LoadAt8U32
  | is Store32 = Store32
  | is Store64 = Store64
  | is Store8 = Store8
  | is Store16 = Store16
  | is StoreAt32 = StoreAt32
  | is StoreAt64 = StoreAt64
  | is CountPages = CountPages
  | is Add32 = Add32
  | is Sub32 = Sub32
  | is Mul32 = Mul32
  | is And32 = And32
  | is Or32 = Or32
  | is Xor32 = Xor32
  | is Shl32 = Shl32
  | is ShrS32 = ShrS32
  | is ShrU32 = ShrU32
  | is Rotl32 = Rotl32
  | is Rotr32 = Rotr32
  | is AddI32 = AddI32
  | is MulI32 = MulI32
  | is AndI32 = AndI32
  | is OrI32 = OrI32
  | is XorI32 = XorI32
  | is ShlI32 = ShlI32
  | is ShrSI32 = ShrSI32
  | is ShrUI32 = ShrUI32
  | is RotlI32 = RotlI32
  | is RotrI32 = RotrI32
  | is DivS32 = DivS32
  | is DivU32 = DivU32
  | is RemS32 = RemS32
  | is RemU32 = RemU32
  | is Clz32 = Clz32
  | is Ctz32 = Ctz32
  | is Extend8S32 = Extend8S32
  | is Extend16S32 = Extend16S32
  | is Eq32 = Eq32
  | is Ne32 = Ne32
  | is LtS32 = LtS32
  | is LtU32 = LtU32
  | is LeS32 = LeS32
  | is LeU32 = LeU32
  | is EqI32 = EqI32
  | is NeI32 = NeI32
  | is LtSI32 = LtSI32
  | is LtUI32 = LtUI32
  | is GtSI32 = GtSI32
  | is GtUI32 = GtUI32
  | is LeSI32 = LeSI32
  | is LeUI32 = LeUI32
  | is GeSI32 = GeSI32
  | is GeUI32 = GeUI32
  | is JumpEq32 = JumpEq32
  | is JumpNe32 = JumpNe32
  | is JumpLtS32 = JumpLtS32
  | is JumpLtU32 = JumpLtU32
  | is JumpLeS32 = JumpLeS32
  | is JumpLeU32 = JumpLeU32
  | is JumpEqI32 = JumpEqI32
  | is JumpNeI32 = JumpNeI32
  | is JumpLtSI32 = JumpLtSI32
  | is JumpLtUI32 = JumpLtUI32
  | is JumpGtSI32 = JumpGtSI32
  | is JumpGtUI32 = JumpGtUI32
  | is JumpLeSI32 = JumpLeSI32
  | is JumpLeUI32 = JumpLeUI32
  | is JumpGeSI32 = JumpGeSI32
  | is JumpGeUI32 = JumpGeUI32
  | is Add64 = Add64
  | is Sub64 = Sub64
  | is Mul64 = Mul64
  | is And64 = And64
  | is Or64 = Or64
  | is Xor64 = Xor64
  | is Shl64 = Shl64
  | is ShrS64 = ShrS64
  | is ShrU64 = ShrU64
  | is Rotl64 = Rotl64
  | is Rotr64 = Rotr64
  | is AddI64 = AddI64
  | is MulI64 = MulI64
  | is AndI64 = AndI64
  | is OrI64 = OrI64
  | is XorI64 = XorI64
  | is ShlI64 = ShlI64
  | is ShrSI64 = ShrSI64
  | is ShrUI64 = ShrUI64
  | is RotlI64 = RotlI64
  | is RotrI64 = RotrI64
  | is DivS64 = DivS64
  | is DivU64 = DivU64
  | is RemS64 = RemS64
  | is RemU64 = RemU64
  | is Clz64 = Clz64
  | is Ctz64 = Ctz64
  | is Extend8S64 = Extend8S64
  | is Extend16S64 = Extend16S64
  | is ExtendS64 = ExtendS64
  | is ExtendU64 = ExtendU64
  | is Eq64 = Eq64
  | is Ne64 = Ne64
  | is LtS64 = LtS64
  | is LtU64 = LtU64
  | is LeS64 = LeS64
  | is LeU64 = LeU64
  | is EqI64 = EqI64
  | is NeI64 = NeI64
  | is LtSI64 = LtSI64
  | is LtUI64 = LtUI64
  | is GtSI64 = GtSI64
  | is GtUI64 = GtUI64
  | is LeSI64 = LeSI64
  | is LeUI64 = LeUI64
  | is GeSI64 = GeSI64
  | is GeUI64 = GeUI64
  | is JumpEq64 = JumpEq64
  | is JumpNe64 = JumpNe64
  | is JumpLtS64 = JumpLtS64
  | is JumpLtU64 = JumpLtU64
  | is JumpLeS64 = JumpLeS64
  | is JumpLeU64 = JumpLeU64
  | is JumpEqI64 = JumpEqI64
  | is JumpNeI64 = JumpNeI64
  | is JumpLtSI64 = JumpLtSI64
  | is JumpLtUI64 = JumpLtUI64
  | is JumpGtSI64 = JumpGtSI64
  | is JumpGtUI64 = JumpGtUI64
  | is JumpLeSI64 = JumpLeSI64
  | is JumpLeUI64 = JumpLeUI64
  | is JumpGeSI64 = JumpGeSI64
  | is JumpGeUI64 = JumpGeUI64
  | is F32Add = F32Add
  | is F32Sub = F32Sub
  | is F32Mul = F32Mul
  | is F32Div = F32Div
  | is F32Sqrt = F32Sqrt
  | is F32Abs = F32Abs
  | is F32Neg = F32Neg
  | is F32Eq = F32Eq
  | is F32Ne = F32Ne
  | is F32Lt = F32Lt
  | is F32Le = F32Le
  | is JumpF32Eq = JumpF32Eq
  | is JumpF32Ne = JumpF32Ne
  | is JumpF32Lt = JumpF32Lt
  | is JumpF32Le = JumpF32Le
  | is JumpF32NotLt = JumpF32NotLt
  | is JumpF32NotLe = JumpF32NotLe
  | is F64Add = F64Add
  | is F64Sub = F64Sub
  | is F64Mul = F64Mul
  | is F64Div = F64Div
  | is F64Sqrt = F64Sqrt
  | is F64Abs = F64Abs
  | is F64Neg = F64Neg
  | is F64Eq = F64Eq
  | is F64Ne = F64Ne
  | is F64Lt = F64Lt
  | is F64Le = F64Le
  | is JumpF64Eq = JumpF64Eq
  | is JumpF64Ne = JumpF64Ne
  | is JumpF64Lt = JumpF64Lt
  | is JumpF64Le = JumpF64Le
  | is JumpF64NotLt = JumpF64NotLt
  | is JumpF64NotLe = JumpF64NotLe
  | is F64FromS32 = F64FromS32
  | is F64FromU32 = F64FromU32
  | is F32FromS32 = F32FromS32
  | is F32FromU32 = F32FromU32
  | is F64FromS64 = F64FromS64
  | is F32FromS64 = F32FromS64
  | is F64FromF32 = F64FromF32
  | is F32FromF64 = F32FromF64
  | is Slow = Slow
  | is Simd = Simd
  | is Far = Far
  | is SimdFar = SimdFar
  | is Canonical32 = Canonical32
  | is Canonical64 = Canonical64
  | is CanonicalLanes32 = CanonicalLanes32
  | is CanonicalLanes64 = CanonicalLanes64
  | is Tally = Tally
  | is ShrUI64Xor64 = ShrUI64Xor64
  | is Const64Mul64 = Const64Mul64
  | is AddI32JumpIf = AddI32JumpIf
  | is AddI32Load32 = AddI32Load32
  | is AddI32JumpNeI32 = AddI32JumpNeI32
  | is Copy32Copy32 = Copy32Copy32
  | is F64MulF64Mul = F64MulF64Mul
  | is AddI32AddI32 = AddI32AddI32
  | is Load32JumpLtS32 = Load32JumpLtS32
  | is ShlI32AddI32 = ShlI32AddI32
  | is Copy32JumpLtS32 = Copy32JumpLtS32
  | is AddI32Load64 = AddI32Load64
  | is Xor64RotlI64 = Xor64RotlI64
  | is Const64Add64 = Const64Add64
  | is Add32JumpLtUI32 = Add32JumpLtUI32
  | is Const32Store8 = Const32Store8
  | is F64AddStore64 = F64AddStore64
  | is F64SubStore64 = F64SubStore64
  | is Const32AddI32 = Const32AddI32
  | is Const32StoreAt32 = Const32StoreAt32
  | shared = Halt
  | otherwise = Const32
  where
    is :: Op -> Bool
    is op = isTrue# (eqWord8# byte (wordToWord8# (int2Word# (dataToTag# op))))
    -- INLINE: each is compared with a literal.
    {-# INLINE is #-}
    shared = isTrue# (eqWord8# byte (wordToWord8# 255##))
-- INLINE: the cases of who asks become those of the table.
{-# INLINE dispatched #-}

-- | The same, for who looks at the table.
ofByte :: Word8 -> Op
ofByte (W8# byte) = dispatched byte
