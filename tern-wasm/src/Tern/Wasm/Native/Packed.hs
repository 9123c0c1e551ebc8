-- | The processor's instructions for vectors, up to SSE4.2.
--
-- The idea: a name for each, and one table of their codes; 'packed' writes any of them.
-- The tests read each with another disassembler. An operand in memory must lie at a
-- multiple of 16 bytes, except in those that are said to take less.
--
-- Start at 'Packed' and 'packed'.
module Tern.Wasm.Native.Packed
  ( -- * Of two operands
    Packed (..),
    packed,

    -- * With a number
    Numbered (..),
    numbered,
    shiftLanes,
    Lanes (..),

    -- * Moves
    loadVector,
    storeVector,
    signBits,
    insertLane,
    extractLane,
  )
where

import Tern.Wasm.Native.Encoding (Assembler, Operand (..), Register, Vector, append, encode)

-- * Of two operands

-- | The first operand is the result, but of 'Ptest', which sets the flags alone. From 'PmovsxBW' on
-- only the second is read.
data Packed
  = -- | Integers; the letter is the width of a lane: a byte, 16, 32 or 64 bits.
    PaddB
  | PaddW
  | PaddD
  | PaddQ
  | PsubB
  | PsubW
  | PsubD
  | PsubQ
  | PaddsB
  | PaddsW
  | PaddusB
  | PaddusW
  | PsubsB
  | PsubsW
  | PsubusB
  | PsubusW
  | PavgB
  | PavgW
  | PminsB
  | PminsW
  | PminsD
  | PminuB
  | PminuW
  | PminuD
  | PmaxsB
  | PmaxsW
  | PmaxsD
  | PmaxuB
  | PmaxuW
  | PmaxuD
  | PmulLW
  | PmulLD
  | PmulDQ
  | PmuluDQ
  | PmaddWD
  | PmaddubsW
  | PmulhrsW
  | PcmpeqB
  | PcmpeqW
  | PcmpeqD
  | PcmpeqQ
  | PcmpgtB
  | PcmpgtW
  | PcmpgtD
  | PcmpgtQ
  | -- | Half as wide: both operands, with their signs, to a range with a sign or without.
    PackssWB
  | PackssDW
  | PackusWB
  | PackusDW
  | PshufB
  | PunpckLBW
  | PunpckHBW
  | PunpckLDQ
  | PunpckLQDQ
  | -- | By the count in the second operand's low 64 bits.
    PsllW
  | PsllD
  | PsllQ
  | PsrlW
  | PsrlD
  | PsrlQ
  | PsraW
  | PsraD
  | -- | All bits; the first operand inverted in one of them.
    Pand
  | PandN
  | Por
  | Pxor
  | -- | Whether they have no bit in common: the zero flag.
    Ptest
  | -- | Floats: single and double.
    AddPS
  | AddPD
  | SubPS
  | SubPD
  | MulPS
  | MulPD
  | DivPS
  | DivPD
  | -- | The second operand where they are equal, or one is a NaN.
    MinPS
  | MinPD
  | MaxPS
  | MaxPD
  | -- | The low half of the second to the high half of the first.
    MovLHPS
  | -- | Twice as wide, with a sign or without; 8 bytes of memory.
    PmovsxBW
  | PmovsxWD
  | PmovsxDQ
  | PmovzxBW
  | PmovzxWD
  | PmovzxDQ
  | PabsB
  | PabsW
  | PabsD
  | SqrtPS
  | SqrtPD
  | -- | From the low half to twice as wide, and back.
    CvtPS2PD
  | CvtPD2PS
  | CvtDQ2PS
  | CvtDQ2PD
  | -- | Towards zero; the least integer where it does not fit.
    CvttPS2DQ
  | CvttPD2DQ
  deriving stock (Bounded, Enum, Eq, Show)

-- | Append one, of a register and an operand.
packed :: Assembler -> Packed -> Vector -> Operand -> IO ()
packed a o = encode a prefix False False code
  where
    (prefix, code) = packedCode o

-- | The prefix and the code.
packedCode :: Packed -> (Int, Int)
packedCode = \case
  PaddB -> (0x66, 0x0FFC)
  PaddW -> (0x66, 0x0FFD)
  PaddD -> (0x66, 0x0FFE)
  PaddQ -> (0x66, 0x0FD4)
  PsubB -> (0x66, 0x0FF8)
  PsubW -> (0x66, 0x0FF9)
  PsubD -> (0x66, 0x0FFA)
  PsubQ -> (0x66, 0x0FFB)
  PaddsB -> (0x66, 0x0FEC)
  PaddsW -> (0x66, 0x0FED)
  PaddusB -> (0x66, 0x0FDC)
  PaddusW -> (0x66, 0x0FDD)
  PsubsB -> (0x66, 0x0FE8)
  PsubsW -> (0x66, 0x0FE9)
  PsubusB -> (0x66, 0x0FD8)
  PsubusW -> (0x66, 0x0FD9)
  PavgB -> (0x66, 0x0FE0)
  PavgW -> (0x66, 0x0FE3)
  PminsB -> (0x66, 0x0F3838)
  PminsW -> (0x66, 0x0FEA)
  PminsD -> (0x66, 0x0F3839)
  PminuB -> (0x66, 0x0FDA)
  PminuW -> (0x66, 0x0F383A)
  PminuD -> (0x66, 0x0F383B)
  PmaxsB -> (0x66, 0x0F383C)
  PmaxsW -> (0x66, 0x0FEE)
  PmaxsD -> (0x66, 0x0F383D)
  PmaxuB -> (0x66, 0x0FDE)
  PmaxuW -> (0x66, 0x0F383E)
  PmaxuD -> (0x66, 0x0F383F)
  PmulLW -> (0x66, 0x0FD5)
  PmulLD -> (0x66, 0x0F3840)
  PmulDQ -> (0x66, 0x0F3828)
  PmuluDQ -> (0x66, 0x0FF4)
  PmaddWD -> (0x66, 0x0FF5)
  PmaddubsW -> (0x66, 0x0F3804)
  PmulhrsW -> (0x66, 0x0F380B)
  PcmpeqB -> (0x66, 0x0F74)
  PcmpeqW -> (0x66, 0x0F75)
  PcmpeqD -> (0x66, 0x0F76)
  PcmpeqQ -> (0x66, 0x0F3829)
  PcmpgtB -> (0x66, 0x0F64)
  PcmpgtW -> (0x66, 0x0F65)
  PcmpgtD -> (0x66, 0x0F66)
  PcmpgtQ -> (0x66, 0x0F3837)
  PackssWB -> (0x66, 0x0F63)
  PackssDW -> (0x66, 0x0F6B)
  PackusWB -> (0x66, 0x0F67)
  PackusDW -> (0x66, 0x0F382B)
  PshufB -> (0x66, 0x0F3800)
  PunpckLBW -> (0x66, 0x0F60)
  PunpckHBW -> (0x66, 0x0F68)
  PunpckLDQ -> (0x66, 0x0F62)
  PunpckLQDQ -> (0x66, 0x0F6C)
  PsllW -> (0x66, 0x0FF1)
  PsllD -> (0x66, 0x0FF2)
  PsllQ -> (0x66, 0x0FF3)
  PsrlW -> (0x66, 0x0FD1)
  PsrlD -> (0x66, 0x0FD2)
  PsrlQ -> (0x66, 0x0FD3)
  PsraW -> (0x66, 0x0FE1)
  PsraD -> (0x66, 0x0FE2)
  Pand -> (0x66, 0x0FDB)
  PandN -> (0x66, 0x0FDF)
  Por -> (0x66, 0x0FEB)
  Pxor -> (0x66, 0x0FEF)
  Ptest -> (0x66, 0x0F3817)
  AddPS -> (0, 0x0F58)
  AddPD -> (0x66, 0x0F58)
  SubPS -> (0, 0x0F5C)
  SubPD -> (0x66, 0x0F5C)
  MulPS -> (0, 0x0F59)
  MulPD -> (0x66, 0x0F59)
  DivPS -> (0, 0x0F5E)
  DivPD -> (0x66, 0x0F5E)
  MinPS -> (0, 0x0F5D)
  MinPD -> (0x66, 0x0F5D)
  MaxPS -> (0, 0x0F5F)
  MaxPD -> (0x66, 0x0F5F)
  MovLHPS -> (0, 0x0F16)
  PmovsxBW -> (0x66, 0x0F3820)
  PmovsxWD -> (0x66, 0x0F3823)
  PmovsxDQ -> (0x66, 0x0F3825)
  PmovzxBW -> (0x66, 0x0F3830)
  PmovzxWD -> (0x66, 0x0F3833)
  PmovzxDQ -> (0x66, 0x0F3835)
  PabsB -> (0x66, 0x0F381C)
  PabsW -> (0x66, 0x0F381D)
  PabsD -> (0x66, 0x0F381E)
  SqrtPS -> (0, 0x0F51)
  SqrtPD -> (0x66, 0x0F51)
  CvtPS2PD -> (0, 0x0F5A)
  CvtPD2PS -> (0x66, 0x0F5A)
  CvtDQ2PS -> (0, 0x0F5B)
  CvtDQ2PD -> (0xF3, 0x0FE6)
  CvttPS2DQ -> (0xF3, 0x0F5B)
  CvttPD2DQ -> (0x66, 0x0FE6)

-- * With a number

-- | A number of 8 bits says how.
data Numbered
  = -- | Two bits for each lane of 32 bits: which of the second operand's it is.
    PshufD
  | -- | The same of the four low lanes of 16 bits.
    PshufLW
  | -- | Two lanes of the first operand, then two of the second.
    ShufPS
  | -- | A comparison of floats: 0 equal, 1 less, 2 at most, 3 not ordered, 4 unequal.
    CmpPS
  | CmpPD
  | -- | By a rounding mode: 8 nearest, 9 down, 10 up, 11 towards zero.
    RoundPS
  | RoundPD
  | -- | The low lane of 32 bits of the second operand to the lane that bits 4 and 5 say.
    InsertPS
  deriving stock (Bounded, Enum, Eq, Show)

-- | Append one, of a register and an operand, with its number.
numbered :: Assembler -> Numbered -> Int -> Vector -> Operand -> IO ()
numbered a o n x m = encode a prefix False False code x m >> append a 1 (fromIntegral n)
  where
    (prefix, code) = case o of
      PshufD -> (0x66, 0x0F70)
      PshufLW -> (0xF2, 0x0F70)
      ShufPS -> (0, 0x0FC6)
      CmpPS -> (0, 0x0FC2)
      CmpPD -> (0x66, 0x0FC2)
      RoundPS -> (0x66, 0x0F3A08)
      RoundPD -> (0x66, 0x0F3A09)
      InsertPS -> (0x66, 0x0F3A21)

-- | How wide lanes are: 8, 16, 32 or 64 bits.
data Lanes = Lanes8 | Lanes16 | Lanes32 | Lanes64
  deriving stock (Bounded, Enum, Eq, Show)

-- | To the left, or to the right without a sign, by a number of bits; not of bytes, whose
-- lanes are shifted as those of 16 bits.
shiftLanes :: Assembler -> Bool -> Lanes -> Vector -> Int -> IO ()
shiftLanes a left lanes x n =
  encode a 0x66 False False code (if left then 6 else 2) (Reg x) >> append a 1 (fromIntegral n)
  where
    code = case lanes of
      Lanes8 -> 0x0F71
      Lanes16 -> 0x0F71
      Lanes32 -> 0x0F72
      Lanes64 -> 0x0F73

-- * Moves

-- | 16 bytes, wherever they lie.
loadVector :: Assembler -> Vector -> Operand -> IO ()
loadVector a = encode a 0 False False 0x0F10

-- | The other way: all 16 bytes of a register, to wherever.
storeVector :: Assembler -> Operand -> Vector -> IO ()
storeVector a m x = encode a 0 False False 0x0F11 x m

-- | The highest bits of all lanes to a register; the lanes of 16 bits as bytes.
signBits :: Assembler -> Lanes -> Register -> Vector -> IO ()
signBits a lanes r x = encode a prefix False False code r (Reg x)
  where
    (prefix, code) = case lanes of
      Lanes8 -> (0x66, 0x0FD7)
      Lanes16 -> (0x66, 0x0FD7)
      Lanes32 -> (0, 0x0F50)
      Lanes64 -> (0x66, 0x0F50)

-- | Into a lane by its number, from a register or as many bytes of memory as it has.
insertLane :: Assembler -> Lanes -> Int -> Vector -> Operand -> IO ()
insertLane a lanes n x m = encode a 0x66 (lanes == Lanes64) False code x m >> append a 1 lane
  where
    lane = fromIntegral n
    code = case lanes of
      Lanes8 -> 0x0F3A20
      Lanes16 -> 0x0FC4
      Lanes32 -> 0x0F3A22
      Lanes64 -> 0x0F3A22

-- | The other way; what a register has above the lane is zero.
extractLane :: Assembler -> Lanes -> Int -> Operand -> Vector -> IO ()
extractLane a lanes n m x = encode a 0x66 (lanes == Lanes64) False code x m >> append a 1 lane
  where
    lane = fromIntegral n
    code = case lanes of
      Lanes8 -> 0x0F3A14
      Lanes16 -> 0x0F3A15
      Lanes32 -> 0x0F3A16
      Lanes64 -> 0x0F3A16
