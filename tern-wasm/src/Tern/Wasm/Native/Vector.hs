-- | What the operators of vectors mean, as native code has them.
--
-- The idea: a row for each 'VectorOp', without a default, in words that are few.
-- "Tern.Wasm.Native.Flow" says by them what is read and written, "Tern.Wasm.Native.Moves" and
-- "Tern.Wasm.Native.Lanes" write the code. Where relaxed operators leave a choice the
-- row is that of the operator whose choice "Tern.Wasm.Simd" makes. The module is long
-- because the table is.
--
-- Start at 'vectorOf'.
module Tern.Wasm.Native.Vector
  ( Vectored (..),
    Of1 (..),
    LaneConversion (..),
    Of2 (..),
    Of3 (..),
    Side (..),
    Direction (..),
    laneSize,
    vectorOf,
  )
where

import Tern.Wasm.Meaning (Mask (..), Order (..), Sign (..), Size (..))
import Tern.Wasm.Native.Packed (Lanes (..), Numbered (..), Packed (..))
import Tern.Wasm.Numeric (Rounding (..))
import Tern.Wasm.Opcode (VectorOp (..))

-- | What is read and written; a float is single or double as its size is.
data Vectored
  = -- | From memory: all 16 bytes; 8 bytes, each lane twice as wide; one lane to all
    -- lanes, to one of a vector, or to the lowest with zeros above it.
    LoadsAll
  | LoadsWidened !Packed
  | LoadsSplat !Lanes
  | LoadsLane !Lanes
  | LoadsLow !Size
  | StoresAll
  | StoresLane !Lanes
  | -- | The 16 bytes that come with the instruction.
    MakesVector
  | -- | Bytes of two vectors, as those 16 bytes say.
    Shuffles
  | -- | One number to all lanes.
    Splats !Lanes
  | SplatsFloat !Size
  | Extracts !Lanes !Sign
  | ExtractsFloat !Size
  | Replaces !Lanes
  | ReplacesFloat !Size
  | -- | Whether any bit is set; whether each lane is other than zero, by the comparison of
    -- such lanes; the lanes' highest bits.
    TestsAny
  | TestsAll !Packed
  | CollectsSigns !Lanes
  | -- | By a count in a slot, modulo the width.
    Shifts !Direction !Lanes
  | Of1 !Of1
  | Of2 !Of2
  | Of3 !Of3

-- | Which way a shift goes: to the left, or to the right with zeros or with copies of the sign.
data Direction = Leftwards | Rightwards | Signed
  deriving stock (Eq)

-- | Which half.
data Side = Low | High

-- | Of a number for a lane, in a slot.
laneSize :: Lanes -> Size
laneSize = \case
  Lanes8 -> Half
  Lanes16 -> Half
  Lanes32 -> Half
  Lanes64 -> Full

-- | From one vector.
data Of1
  = Alone !Packed
  | Inverts
  | -- | By a subtraction from zero.
    Negates !Packed
  | Absolute64
  | MasksSigns !Mask !Size
  | CountsBits
  | Rounds !Numbered !Rounding
  | Widens !Packed !Side
  | -- | Neighbours, to lanes twice as wide: bytes, or 16 bits each.
    AddsPairs8 !Sign
  | AddsPairs16 !Sign
  | Converts !LaneConversion

-- | Between floats and integers, where the processor has no one instruction that does it.
data LaneConversion
  = -- | Floats to integers of 32 bits: the nearest that fits, and 0 for a NaN; from doubles two,
    -- and two zeros.
    SinglesToInteger !Sign
  | DoublesToInteger !Sign
  | SinglesFromUnsigned
  | DoublesFromUnsigned

-- | From two.
data Of2
  = Directly !Packed
  | -- | The second operand first.
    Backwards !Packed
  | -- | What it makes, with all bits inverted.
    Inverted !Of2
  | -- | Whether the first operand is the extreme of both, by what finds that and by a
    -- comparison.
    IsExtreme !Packed !Packed
  | ComparesFloats !Numbered !Int !Order
  | -- | Whether the lesser.
    ExtremeFloats !Size !Bool
  | Swizzles
  | Multiplies64
  | -- | Of one half, twice as wide: widened first, or by an instruction for every other lane.
    WidensMultiplies !Packed !Packed !Side
  | MultipliesWidely !Packed !Side
  | MultipliesQ15
  | DotsBytes

-- | From three.
data Of3
  = -- | Bits of the first or the second, by the third.
    Chooses
  | -- | The first times the second, perhaps negated, and the third.
    MultipliesAdds !Size !Bool
  | DotsBytesAdds

-- | What an operator does, as the field d of the bytecode's instruction names it.
vectorOf :: VectorOp -> Vectored
vectorOf = \case
  V128Load -> LoadsAll
  V128Load8x8S -> LoadsWidened PmovsxBW
  V128Load8x8U -> LoadsWidened PmovzxBW
  V128Load16x4S -> LoadsWidened PmovsxWD
  V128Load16x4U -> LoadsWidened PmovzxWD
  V128Load32x2S -> LoadsWidened PmovsxDQ
  V128Load32x2U -> LoadsWidened PmovzxDQ
  V128Load8Splat -> LoadsSplat Lanes8
  V128Load16Splat -> LoadsSplat Lanes16
  V128Load32Splat -> LoadsSplat Lanes32
  V128Load64Splat -> LoadsSplat Lanes64
  V128Store -> StoresAll
  V128Const -> MakesVector
  I8x16Shuffle -> Shuffles
  I8x16Swizzle -> Of2 Swizzles
  I8x16Splat -> Splats Lanes8
  I16x8Splat -> Splats Lanes16
  I32x4Splat -> Splats Lanes32
  I64x2Splat -> Splats Lanes64
  F32x4Splat -> SplatsFloat Half
  F64x2Splat -> SplatsFloat Full
  I8x16ExtractLaneS -> Extracts Lanes8 WithSign
  I8x16ExtractLaneU -> Extracts Lanes8 WithoutSign
  I8x16ReplaceLane -> Replaces Lanes8
  I16x8ExtractLaneS -> Extracts Lanes16 WithSign
  I16x8ExtractLaneU -> Extracts Lanes16 WithoutSign
  I16x8ReplaceLane -> Replaces Lanes16
  I32x4ExtractLane -> Extracts Lanes32 WithoutSign
  I32x4ReplaceLane -> Replaces Lanes32
  I64x2ExtractLane -> Extracts Lanes64 WithoutSign
  I64x2ReplaceLane -> Replaces Lanes64
  F32x4ExtractLane -> ExtractsFloat Half
  F32x4ReplaceLane -> ReplacesFloat Half
  F64x2ExtractLane -> ExtractsFloat Full
  F64x2ReplaceLane -> ReplacesFloat Full
  I8x16Eq -> Of2 (Directly PcmpeqB)
  I8x16Ne -> Of2 (Inverted (Directly PcmpeqB))
  I8x16LtS -> Of2 (Backwards PcmpgtB)
  I8x16LtU -> Of2 (Inverted (IsExtreme PmaxuB PcmpeqB))
  I8x16GtS -> Of2 (Directly PcmpgtB)
  I8x16GtU -> Of2 (Inverted (IsExtreme PminuB PcmpeqB))
  I8x16LeS -> Of2 (Inverted (Directly PcmpgtB))
  I8x16LeU -> Of2 (IsExtreme PminuB PcmpeqB)
  I8x16GeS -> Of2 (Inverted (Backwards PcmpgtB))
  I8x16GeU -> Of2 (IsExtreme PmaxuB PcmpeqB)
  I16x8Eq -> Of2 (Directly PcmpeqW)
  I16x8Ne -> Of2 (Inverted (Directly PcmpeqW))
  I16x8LtS -> Of2 (Backwards PcmpgtW)
  I16x8LtU -> Of2 (Inverted (IsExtreme PmaxuW PcmpeqW))
  I16x8GtS -> Of2 (Directly PcmpgtW)
  I16x8GtU -> Of2 (Inverted (IsExtreme PminuW PcmpeqW))
  I16x8LeS -> Of2 (Inverted (Directly PcmpgtW))
  I16x8LeU -> Of2 (IsExtreme PminuW PcmpeqW)
  I16x8GeS -> Of2 (Inverted (Backwards PcmpgtW))
  I16x8GeU -> Of2 (IsExtreme PmaxuW PcmpeqW)
  I32x4Eq -> Of2 (Directly PcmpeqD)
  I32x4Ne -> Of2 (Inverted (Directly PcmpeqD))
  I32x4LtS -> Of2 (Backwards PcmpgtD)
  I32x4LtU -> Of2 (Inverted (IsExtreme PmaxuD PcmpeqD))
  I32x4GtS -> Of2 (Directly PcmpgtD)
  I32x4GtU -> Of2 (Inverted (IsExtreme PminuD PcmpeqD))
  I32x4LeS -> Of2 (Inverted (Directly PcmpgtD))
  I32x4LeU -> Of2 (IsExtreme PminuD PcmpeqD)
  I32x4GeS -> Of2 (Inverted (Backwards PcmpgtD))
  I32x4GeU -> Of2 (IsExtreme PmaxuD PcmpeqD)
  F32x4Eq -> Of2 (ComparesFloats CmpPS 0 Straight)
  F32x4Ne -> Of2 (ComparesFloats CmpPS 4 Straight)
  F32x4Lt -> Of2 (ComparesFloats CmpPS 1 Straight)
  F32x4Gt -> Of2 (ComparesFloats CmpPS 1 Swapped)
  F32x4Le -> Of2 (ComparesFloats CmpPS 2 Straight)
  F32x4Ge -> Of2 (ComparesFloats CmpPS 2 Swapped)
  F64x2Eq -> Of2 (ComparesFloats CmpPD 0 Straight)
  F64x2Ne -> Of2 (ComparesFloats CmpPD 4 Straight)
  F64x2Lt -> Of2 (ComparesFloats CmpPD 1 Straight)
  F64x2Gt -> Of2 (ComparesFloats CmpPD 1 Swapped)
  F64x2Le -> Of2 (ComparesFloats CmpPD 2 Straight)
  F64x2Ge -> Of2 (ComparesFloats CmpPD 2 Swapped)
  V128Not -> Of1 Inverts
  V128And -> Of2 (Directly Pand)
  V128Andnot -> Of2 (Backwards PandN)
  V128Or -> Of2 (Directly Por)
  V128Xor -> Of2 (Directly Pxor)
  V128Bitselect -> Of3 Chooses
  V128AnyTrue -> TestsAny
  V128Load8Lane -> LoadsLane Lanes8
  V128Load16Lane -> LoadsLane Lanes16
  V128Load32Lane -> LoadsLane Lanes32
  V128Load64Lane -> LoadsLane Lanes64
  V128Store8Lane -> StoresLane Lanes8
  V128Store16Lane -> StoresLane Lanes16
  V128Store32Lane -> StoresLane Lanes32
  V128Store64Lane -> StoresLane Lanes64
  V128Load32Zero -> LoadsLow Half
  V128Load64Zero -> LoadsLow Full
  F32x4DemoteF64x2Zero -> Of1 (Alone CvtPD2PS)
  F64x2PromoteLowF32x4 -> Of1 (Alone CvtPS2PD)
  I8x16Abs -> Of1 (Alone PabsB)
  I8x16Neg -> Of1 (Negates PsubB)
  I8x16Popcnt -> Of1 CountsBits
  I8x16AllTrue -> TestsAll PcmpeqB
  I8x16Bitmask -> CollectsSigns Lanes8
  I8x16NarrowI16x8S -> Of2 (Directly PackssWB)
  I8x16NarrowI16x8U -> Of2 (Directly PackusWB)
  F32x4Ceil -> Of1 (Rounds RoundPS Ceil)
  F32x4Floor -> Of1 (Rounds RoundPS Floor)
  F32x4Trunc -> Of1 (Rounds RoundPS Trunc)
  F32x4Nearest -> Of1 (Rounds RoundPS Nearest)
  I8x16Shl -> Shifts Leftwards Lanes8
  I8x16ShrS -> Shifts Signed Lanes8
  I8x16ShrU -> Shifts Rightwards Lanes8
  I8x16Add -> Of2 (Directly PaddB)
  I8x16AddSatS -> Of2 (Directly PaddsB)
  I8x16AddSatU -> Of2 (Directly PaddusB)
  I8x16Sub -> Of2 (Directly PsubB)
  I8x16SubSatS -> Of2 (Directly PsubsB)
  I8x16SubSatU -> Of2 (Directly PsubusB)
  F64x2Ceil -> Of1 (Rounds RoundPD Ceil)
  F64x2Floor -> Of1 (Rounds RoundPD Floor)
  I8x16MinS -> Of2 (Directly PminsB)
  I8x16MinU -> Of2 (Directly PminuB)
  I8x16MaxS -> Of2 (Directly PmaxsB)
  I8x16MaxU -> Of2 (Directly PmaxuB)
  F64x2Trunc -> Of1 (Rounds RoundPD Trunc)
  I8x16AvgrU -> Of2 (Directly PavgB)
  I16x8ExtaddPairwiseI8x16S -> Of1 (AddsPairs8 WithSign)
  I16x8ExtaddPairwiseI8x16U -> Of1 (AddsPairs8 WithoutSign)
  I32x4ExtaddPairwiseI16x8S -> Of1 (AddsPairs16 WithSign)
  I32x4ExtaddPairwiseI16x8U -> Of1 (AddsPairs16 WithoutSign)
  I16x8Abs -> Of1 (Alone PabsW)
  I16x8Neg -> Of1 (Negates PsubW)
  I16x8Q15mulrSatS -> Of2 MultipliesQ15
  I16x8AllTrue -> TestsAll PcmpeqW
  I16x8Bitmask -> CollectsSigns Lanes16
  I16x8NarrowI32x4S -> Of2 (Directly PackssDW)
  I16x8NarrowI32x4U -> Of2 (Directly PackusDW)
  I16x8ExtendLowI8x16S -> Of1 (Widens PmovsxBW Low)
  I16x8ExtendHighI8x16S -> Of1 (Widens PmovsxBW High)
  I16x8ExtendLowI8x16U -> Of1 (Widens PmovzxBW Low)
  I16x8ExtendHighI8x16U -> Of1 (Widens PmovzxBW High)
  I16x8Shl -> Shifts Leftwards Lanes16
  I16x8ShrS -> Shifts Signed Lanes16
  I16x8ShrU -> Shifts Rightwards Lanes16
  I16x8Add -> Of2 (Directly PaddW)
  I16x8AddSatS -> Of2 (Directly PaddsW)
  I16x8AddSatU -> Of2 (Directly PaddusW)
  I16x8Sub -> Of2 (Directly PsubW)
  I16x8SubSatS -> Of2 (Directly PsubsW)
  I16x8SubSatU -> Of2 (Directly PsubusW)
  F64x2Nearest -> Of1 (Rounds RoundPD Nearest)
  I16x8Mul -> Of2 (Directly PmulLW)
  I16x8MinS -> Of2 (Directly PminsW)
  I16x8MinU -> Of2 (Directly PminuW)
  I16x8MaxS -> Of2 (Directly PmaxsW)
  I16x8MaxU -> Of2 (Directly PmaxuW)
  I16x8AvgrU -> Of2 (Directly PavgW)
  I16x8ExtmulLowI8x16S -> Of2 (WidensMultiplies PmovsxBW PmulLW Low)
  I16x8ExtmulHighI8x16S -> Of2 (WidensMultiplies PmovsxBW PmulLW High)
  I16x8ExtmulLowI8x16U -> Of2 (WidensMultiplies PmovzxBW PmulLW Low)
  I16x8ExtmulHighI8x16U -> Of2 (WidensMultiplies PmovzxBW PmulLW High)
  I32x4Abs -> Of1 (Alone PabsD)
  I32x4Neg -> Of1 (Negates PsubD)
  I32x4AllTrue -> TestsAll PcmpeqD
  I32x4Bitmask -> CollectsSigns Lanes32
  I32x4ExtendLowI16x8S -> Of1 (Widens PmovsxWD Low)
  I32x4ExtendHighI16x8S -> Of1 (Widens PmovsxWD High)
  I32x4ExtendLowI16x8U -> Of1 (Widens PmovzxWD Low)
  I32x4ExtendHighI16x8U -> Of1 (Widens PmovzxWD High)
  I32x4Shl -> Shifts Leftwards Lanes32
  I32x4ShrS -> Shifts Signed Lanes32
  I32x4ShrU -> Shifts Rightwards Lanes32
  I32x4Add -> Of2 (Directly PaddD)
  I32x4Sub -> Of2 (Directly PsubD)
  I32x4Mul -> Of2 (Directly PmulLD)
  I32x4MinS -> Of2 (Directly PminsD)
  I32x4MinU -> Of2 (Directly PminuD)
  I32x4MaxS -> Of2 (Directly PmaxsD)
  I32x4MaxU -> Of2 (Directly PmaxuD)
  I32x4DotI16x8S -> Of2 (Directly PmaddWD)
  I32x4ExtmulLowI16x8S -> Of2 (WidensMultiplies PmovsxWD PmulLD Low)
  I32x4ExtmulHighI16x8S -> Of2 (WidensMultiplies PmovsxWD PmulLD High)
  I32x4ExtmulLowI16x8U -> Of2 (WidensMultiplies PmovzxWD PmulLD Low)
  I32x4ExtmulHighI16x8U -> Of2 (WidensMultiplies PmovzxWD PmulLD High)
  I64x2Abs -> Of1 Absolute64
  I64x2Neg -> Of1 (Negates PsubQ)
  I64x2AllTrue -> TestsAll PcmpeqQ
  I64x2Bitmask -> CollectsSigns Lanes64
  I64x2ExtendLowI32x4S -> Of1 (Widens PmovsxDQ Low)
  I64x2ExtendHighI32x4S -> Of1 (Widens PmovsxDQ High)
  I64x2ExtendLowI32x4U -> Of1 (Widens PmovzxDQ Low)
  I64x2ExtendHighI32x4U -> Of1 (Widens PmovzxDQ High)
  I64x2Shl -> Shifts Leftwards Lanes64
  I64x2ShrS -> Shifts Signed Lanes64
  I64x2ShrU -> Shifts Rightwards Lanes64
  I64x2Add -> Of2 (Directly PaddQ)
  I64x2Sub -> Of2 (Directly PsubQ)
  I64x2Mul -> Of2 Multiplies64
  I64x2Eq -> Of2 (Directly PcmpeqQ)
  I64x2Ne -> Of2 (Inverted (Directly PcmpeqQ))
  I64x2LtS -> Of2 (Backwards PcmpgtQ)
  I64x2GtS -> Of2 (Directly PcmpgtQ)
  I64x2LeS -> Of2 (Inverted (Directly PcmpgtQ))
  I64x2GeS -> Of2 (Inverted (Backwards PcmpgtQ))
  I64x2ExtmulLowI32x4S -> Of2 (MultipliesWidely PmulDQ Low)
  I64x2ExtmulHighI32x4S -> Of2 (MultipliesWidely PmulDQ High)
  I64x2ExtmulLowI32x4U -> Of2 (MultipliesWidely PmuluDQ Low)
  I64x2ExtmulHighI32x4U -> Of2 (MultipliesWidely PmuluDQ High)
  F32x4Abs -> Of1 (MasksSigns ClearsSign Half)
  F32x4Neg -> Of1 (MasksSigns FlipsSign Half)
  F32x4Sqrt -> Of1 (Alone SqrtPS)
  F32x4Add -> Of2 (Directly AddPS)
  F32x4Sub -> Of2 (Directly SubPS)
  F32x4Mul -> Of2 (Directly MulPS)
  F32x4Div -> Of2 (Directly DivPS)
  F32x4Min -> Of2 (ExtremeFloats Half True)
  F32x4Max -> Of2 (ExtremeFloats Half False)
  F32x4Pmin -> Of2 (Backwards MinPS)
  F32x4Pmax -> Of2 (Backwards MaxPS)
  F64x2Abs -> Of1 (MasksSigns ClearsSign Full)
  F64x2Neg -> Of1 (MasksSigns FlipsSign Full)
  F64x2Sqrt -> Of1 (Alone SqrtPD)
  F64x2Add -> Of2 (Directly AddPD)
  F64x2Sub -> Of2 (Directly SubPD)
  F64x2Mul -> Of2 (Directly MulPD)
  F64x2Div -> Of2 (Directly DivPD)
  F64x2Min -> Of2 (ExtremeFloats Full True)
  F64x2Max -> Of2 (ExtremeFloats Full False)
  F64x2Pmin -> Of2 (Backwards MinPD)
  F64x2Pmax -> Of2 (Backwards MaxPD)
  I32x4TruncSatF32x4S -> Of1 (Converts (SinglesToInteger WithSign))
  I32x4TruncSatF32x4U -> Of1 (Converts (SinglesToInteger WithoutSign))
  F32x4ConvertI32x4S -> Of1 (Alone CvtDQ2PS)
  F32x4ConvertI32x4U -> Of1 (Converts SinglesFromUnsigned)
  I32x4TruncSatF64x2SZero -> Of1 (Converts (DoublesToInteger WithSign))
  I32x4TruncSatF64x2UZero -> Of1 (Converts (DoublesToInteger WithoutSign))
  F64x2ConvertLowI32x4S -> Of1 (Alone CvtDQ2PD)
  F64x2ConvertLowI32x4U -> Of1 (Converts DoublesFromUnsigned)
  I8x16RelaxedSwizzle -> Of2 Swizzles
  I32x4RelaxedTruncF32x4S -> Of1 (Converts (SinglesToInteger WithSign))
  I32x4RelaxedTruncF32x4U -> Of1 (Converts (SinglesToInteger WithoutSign))
  I32x4RelaxedTruncF64x2SZero -> Of1 (Converts (DoublesToInteger WithSign))
  I32x4RelaxedTruncF64x2UZero -> Of1 (Converts (DoublesToInteger WithoutSign))
  F32x4RelaxedMadd -> Of3 (MultipliesAdds Half False)
  F32x4RelaxedNmadd -> Of3 (MultipliesAdds Half True)
  F64x2RelaxedMadd -> Of3 (MultipliesAdds Full False)
  F64x2RelaxedNmadd -> Of3 (MultipliesAdds Full True)
  I8x16RelaxedLaneselect -> Of3 Chooses
  I16x8RelaxedLaneselect -> Of3 Chooses
  I32x4RelaxedLaneselect -> Of3 Chooses
  I64x2RelaxedLaneselect -> Of3 Chooses
  F32x4RelaxedMin -> Of2 (ExtremeFloats Half True)
  F32x4RelaxedMax -> Of2 (ExtremeFloats Half False)
  F64x2RelaxedMin -> Of2 (ExtremeFloats Full True)
  F64x2RelaxedMax -> Of2 (ExtremeFloats Full False)
  I16x8RelaxedQ15mulrS -> Of2 MultipliesQ15
  I16x8RelaxedDotI8x16I7x16S -> Of2 DotsBytes
  I32x4RelaxedDotI8x16I7x16AddS -> Of3 DotsBytesAdds
