-- | What the code of vectors is made of: bits of whole registers, and halves of lanes.
--
-- Start at any.
module Tern.Wasm.Native.LaneBits
  ( zero,
    ones,
    inverted,
    lowHalves,
    half,
    lanesOf,
    bitsOf,
    widthOf,
  )
where

import Tern.Wasm.Meaning (Size (..))
import Tern.Wasm.Native.Assembler (Assembler, Operand (..), Vector)
import Tern.Wasm.Native.Packed
  ( Lanes (..),
    Numbered (..),
    Packed (..),
    numbered,
    packed,
    shiftLanes,
  )
import Tern.Wasm.Native.Vector (Side (..))

-- | Clear all 128 bits of a register, or set them, whatever it held.
zero, ones :: Assembler -> Vector -> IO ()
zero a x = packed a Pxor x (Reg x)
ones a x = packed a PcmpeqD x (Reg x)

-- | All bits of a register that is not xmm3.
inverted :: Assembler -> Vector -> IO ()
inverted a x = ones a 3 >> packed a Pxor x (Reg 3)

-- | The low halves of lanes of 32 bits, without a sign.
lowHalves :: Assembler -> Vector -> IO ()
lowHalves a x = shiftLanes a True Lanes32 x 16 >> shiftLanes a False Lanes32 x 16

-- | From a half of one register to another, twice as wide.
half :: Assembler -> Side -> Packed -> Vector -> Vector -> IO ()
half a side p d x = case side of
  Low -> packed a p d (Reg x)
  High -> numbered a PshufD 0xEE d (Reg x) >> packed a p d (Reg d)

-- | Lanes of a size.
lanesOf :: Size -> Lanes
lanesOf = \case
  Half -> Lanes32
  Full -> Lanes64

-- | The width of a size, in bits.
bitsOf :: Size -> Int
bitsOf = widthOf . lanesOf

-- | The width of a lane, in bits.
widthOf :: Lanes -> Int
widthOf = \case
  Lanes8 -> 8
  Lanes16 -> 16
  Lanes32 -> 32
  Lanes64 -> 64
