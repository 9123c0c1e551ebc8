-- | Operators of vectors.
--
-- The idea: what one of the processor's instructions does is made in the register of the
-- result; what takes several is made in xmm0, with xmm1 to xmm3 for what is on its way.
-- The results are those of "Tern.Wasm.Simd" to the bit, those that are NaNs too.
--
-- Start at 'ofTwo'.
module Tern.Wasm.Native.Lanes
  ( ofOne,
    ofTwo,
    ofThree,
    shifted,
    canonicalLanes,
  )
where

import Control.Monad (forM_, when)
import Tern.Wasm.Meaning (Mask (..), Order (..), Sign (..), Size (..))
import Tern.Wasm.Native.Assembler
  ( Arithmetic (..),
    Operand (..),
    arithmeticImmediate,
    copyFloat,
    fromInteger_,
    rax,
  )
import Tern.Wasm.Native.Assembler qualified as Asm
import Tern.Wasm.Native.Frame
  ( Env (..),
    constant128,
    goal128,
    home128,
    inVector128,
    into,
    intoVector128,
    settle128,
  )
import Tern.Wasm.Native.LaneBits
  ( bitsOf,
    half,
    inverted,
    lanesOf,
    lowHalves,
    ones,
    widthOf,
    zero,
  )
import Tern.Wasm.Native.LaneConversion (convertedLanes)
import Tern.Wasm.Native.Located (Located (..), wideField)
import Tern.Wasm.Native.Packed
  ( Lanes (..),
    Numbered (..),
    Packed (..),
    numbered,
    packed,
    shiftLanes,
  )
import Tern.Wasm.Native.Vector (Direction (..), Of1 (..), Of2 (..), Of3 (..), Side (..))
import Tern.Wasm.Numeric (Rounding (..))

-- | What an operator makes of one vector, of two or of three.
ofOne :: Env -> Located -> Of1 -> IO ()
ofOne env s o =
  fromOne env o (stepB s) (goal128 env (stepA s)) >>= settle128 env (stepA s)

-- | From the slots in the fields b and c, to the one in a.
ofTwo :: Env -> Located -> Of2 -> IO ()
ofTwo env s o =
  fromTwo env o (stepB s) (stepC s) (goal128 env (stepA s)) >>= settle128 env (stepA s)

-- | The same, with the third slot in the first field after the 16 bytes.
ofThree :: Env -> Located -> Of3 -> IO ()
ofThree env s o =
  fromThree env o (stepB s) (stepC s) (wideField s 0) >> settle128 env (stepA s) 0

-- * Of one

-- | From a slot, in a register if that is easy; where it is.
fromOne :: Env -> Of1 -> Int -> Asm.Vector -> IO Asm.Vector
fromOne env o b own = case o of
  Alone p -> do
    x <- inVector128 env b 0
    own <$ packed a p own (Reg x)
  Rounds p way -> do
    x <- inVector128 env b 0
    own <$ numbered a p (8 + mode way) own (Reg x)
  Widens p side -> do
    x <- inVector128 env b 0
    own <$ half a side p own x
  Inverts -> own <$ (intoVector128 env b own >> inverted a own)
  Negates p -> do
    x <- inVector128 env b 1
    0 <$ (zero a 0 >> packed a p 0 (Reg x))
  Absolute64 -> do
    x <- inVector128 env b 1
    zero a 2
    packed a PcmpgtQ 2 (Reg x)
    copyFloat a 0 x
    packed a Pxor 0 (Reg 2)
    0 <$ packed a PsubQ 0 (Reg 2)
  MasksSigns mask size_ -> do
    ones a 1
    case mask of
      ClearsSign -> shiftLanes a False (lanesOf size_) 1 1
      FlipsSign -> shiftLanes a True (lanesOf size_) 1 (bitsOf size_ - 1)
    intoVector128 env b own
    own <$ packed a (case mask of ClearsSign -> Pand; FlipsSign -> Pxor) own (Reg 1)
  CountsBits -> do
    constant128 env 2 0x0F0F0F0F0F0F0F0F 0x0F0F0F0F0F0F0F0F
    intoVector128 env b 0
    copyFloat a 1 0
    shiftLanes a False Lanes16 1 4
    packed a Pand 0 (Reg 2)
    packed a Pand 1 (Reg 2)
    -- How many bits the numbers from 0 to 15 have.
    constant128 env 2 0x0302020102010100 0x0403030203020201
    copyFloat a 3 2
    packed a PshufB 2 (Reg 0)
    packed a PshufB 3 (Reg 1)
    packed a PaddB 2 (Reg 3)
    pure 2
  AddsPairs8 WithSign -> do
    x <- inVector128 env b 1
    constant128 env 0 0x0101010101010101 0x0101010101010101
    0 <$ packed a PmaddubsW 0 (Reg x)
  AddsPairs8 WithoutSign -> do
    constant128 env 1 0x0101010101010101 0x0101010101010101
    intoVector128 env b 0
    0 <$ packed a PmaddubsW 0 (Reg 1)
  AddsPairs16 WithSign -> do
    constant128 env 1 0x0001000100010001 0x0001000100010001
    intoVector128 env b 0
    0 <$ packed a PmaddWD 0 (Reg 1)
  AddsPairs16 WithoutSign -> do
    intoVector128 env b 0
    copyFloat a 1 0
    lowHalves a 0
    shiftLanes a False Lanes32 1 16
    0 <$ packed a PaddD 0 (Reg 1)
  Converts how -> 0 <$ convertedLanes env how b
  where
    a = asm env
    mode = \case
      Nearest -> 0
      Floor -> 1
      Ceil -> 2
      Trunc -> 3

-- * Of two

fromTwo :: Env -> Of2 -> Int -> Int -> Asm.Vector -> IO Asm.Vector
fromTwo env o b c own = case o of
  Directly p -> do
    y <- inVector128 env c 1
    d <- first y
    d <$ packed a p d (Reg y)
  Backwards p -> fromTwo env (Directly p) c b own
  Inverted q -> do
    d <- fromTwo env q b c own
    d <$ inverted a d
  IsExtreme p equal -> do
    x <- inVector128 env b 2
    y <- inVector128 env c 1
    copyFloat a 0 x
    packed a p 0 (Reg y)
    0 <$ packed a equal 0 (Reg x)
  ComparesFloats p n Straight -> do
    y <- inVector128 env c 1
    d <- first y
    d <$ numbered a p n d (Reg y)
  ComparesFloats p n Swapped -> fromTwo env (ComparesFloats p n Straight) c b own
  ExtremeFloats size_ least -> do
    intoVector128 env b 0
    y <- inVector128 env c 1
    -- Either way round: where both are zeros they differ, and in their signs alone.
    copyFloat a 2 0
    packed a extreme 2 (Reg y)
    copyFloat a 3 y
    packed a extreme 3 (Reg 0)
    packed a (if least then Por else Pand) 2 (Reg 3)
    -- Where one is a NaN: their sum.
    copyFloat a 3 0
    numbered a compare_ 3 3 (Reg y)
    packed a sum_ 0 (Reg y)
    packed a Pand 0 (Reg 3)
    packed a PandN 3 (Reg 2)
    0 <$ packed a Por 0 (Reg 3)
    where
      (compare_, sum_, extreme) = case (size_, least) of
        (Half, True) -> (CmpPS, AddPS, MinPS)
        (Half, False) -> (CmpPS, AddPS, MaxPS)
        (Full, True) -> (CmpPD, AddPD, MinPD)
        (Full, False) -> (CmpPD, AddPD, MaxPD)
  Swizzles -> do
    -- From 16 on an index gets the bit that makes a zero; below, its low bits stay.
    constant128 env 1 0x7070707070707070 0x7070707070707070
    y <- inVector128 env c 2
    packed a PaddusB 1 (Reg y)
    intoVector128 env b 0
    0 <$ packed a PshufB 0 (Reg 1)
  Multiplies64 -> do
    x <- inVector128 env b 0
    y <- inVector128 env c 1
    copyFloat a 2 x
    shiftLanes a False Lanes64 2 32
    packed a PmuluDQ 2 (Reg y)
    copyFloat a 3 y
    shiftLanes a False Lanes64 3 32
    packed a PmuluDQ 3 (Reg x)
    packed a PaddQ 2 (Reg 3)
    shiftLanes a True Lanes64 2 32
    copyFloat a 3 x
    packed a PmuluDQ 3 (Reg y)
    packed a PaddQ 3 (Reg 2)
    pure 3
  WidensMultiplies wider times side -> do
    x <- inVector128 env b 0
    half a side wider 0 x
    y <- inVector128 env c 1
    half a side wider 1 y
    0 <$ packed a times 0 (Reg 1)
  MultipliesWidely times side -> do
    let which = case side of
          Low -> 0x50
          High -> 0xFA
    x <- inVector128 env b 0
    numbered a PshufD which 0 (Reg x)
    y <- inVector128 env c 1
    numbered a PshufD which 1 (Reg y)
    0 <$ packed a times 0 (Reg 1)
  MultipliesQ15 -> do
    intoVector128 env b 0
    y <- inVector128 env c 1
    packed a PmulhrsW 0 (Reg y)
    -- The least number comes of two least numbers alone, and should be the greatest.
    constant128 env 2 0x8000800080008000 0x8000800080008000
    packed a PcmpeqW 2 (Reg 0)
    0 <$ packed a Pxor 0 (Reg 2)
  DotsBytes -> 0 <$ dots
  where
    a = asm env
    -- The first operand where the second one is not.
    first y = d <$ intoVector128 env b d
      where
        d = if own == y && home128 env b /= home128 env c then 0 else own
    dots = dotBytes env b c

-- | Sums of two products of bytes, of 16 bits, in xmm0.
dotBytes :: Env -> Int -> Int -> IO ()
dotBytes env b c = do
  x <- inVector128 env b 0
  y <- inVector128 env c 1
  half a High PmovsxBW 2 x
  half a High PmovsxBW 3 y
  packed a PmaddWD 2 (Reg 3)
  half a Low PmovsxBW 0 x
  half a Low PmovsxBW 1 y
  packed a PmaddWD 0 (Reg 1)
  -- What is beyond 16 bits is lost.
  constant128 env 3 16 0
  forM_ [0, 2] $ \z -> shiftLanes a True Lanes32 z 16 >> packed a PsraD z (Reg 3)
  packed a PackssDW 0 (Reg 2)
  where
    a = asm env

-- * Of three

-- | In xmm0.
fromThree :: Env -> Of3 -> Int -> Int -> Int -> IO ()
fromThree env o b c third = case o of
  Chooses -> do
    intoVector128 env third 0
    copyFloat a 1 0
    y <- inVector128 env c 2
    packed a PandN 1 (Reg y)
    x <- inVector128 env b 2
    packed a Pand 0 (Reg x)
    packed a Por 0 (Reg 1)
  MultipliesAdds size_ negated -> do
    intoVector128 env b 0
    y <- inVector128 env c 1
    packed a (sized size_ MulPS MulPD) 0 (Reg y)
    when negated $ do
      ones a 2
      shiftLanes a True (lanesOf size_) 2 (bitsOf size_ - 1)
      packed a Pxor 0 (Reg 2)
    z <- inVector128 env third 1
    packed a (sized size_ AddPS AddPD) 0 (Reg z)
  DotsBytesAdds -> do
    dotBytes env b c
    constant128 env 1 0x0001000100010001 0x0001000100010001
    packed a PmaddWD 0 (Reg 1)
    z <- inVector128 env third 1
    packed a PaddD 0 (Reg z)
  where
    a = asm env
    sized size_ single double = case size_ of
      Half -> single
      Full -> double

-- * Shifts

-- | By a count in a slot.
shifted :: Env -> Located -> Direction -> Lanes -> IO ()
shifted env s direction lanes = do
  into env Half (stepC s) rax
  arithmeticImmediate a And Half (Reg rax) (widthOf lanes - 1)
  when (lanes == Lanes8 && direction == Signed) (arithmeticImmediate a Add Half (Reg rax) 8)
  fromInteger_ a Half 1 rax
  intoVector128 env (stepB s) 0
  case (lanes, direction) of
    (Lanes8, Leftwards) -> do
      -- What comes from the byte below is taken away.
      ones a 2
      packed a PsllW 2 (Reg 1)
      packed a PsllW 0 (Reg 1)
      inEachByte 2
      packed a Pand 0 (Reg 2)
    (Lanes8, Rightwards) -> do
      ones a 2
      packed a PsrlW 2 (Reg 1)
      packed a PsrlW 0 (Reg 1)
      shiftLanes a False Lanes16 2 8
      inEachByte 2
      packed a Pand 0 (Reg 2)
    (Lanes8, Signed) -> do
      -- Each byte above itself, shifted by eight more.
      copyFloat a 2 0
      packed a PunpckHBW 2 (Reg 2)
      packed a PunpckLBW 0 (Reg 0)
      packed a PsraW 2 (Reg 1)
      packed a PsraW 0 (Reg 1)
      packed a PackssWB 0 (Reg 2)
    (Lanes16, Leftwards) -> packed a PsllW 0 (Reg 1)
    (Lanes16, Rightwards) -> packed a PsrlW 0 (Reg 1)
    (Lanes16, Signed) -> packed a PsraW 0 (Reg 1)
    (Lanes32, Leftwards) -> packed a PsllD 0 (Reg 1)
    (Lanes32, Rightwards) -> packed a PsrlD 0 (Reg 1)
    (Lanes32, Signed) -> packed a PsraD 0 (Reg 1)
    (Lanes64, Leftwards) -> packed a PsllQ 0 (Reg 1)
    (Lanes64, Rightwards) -> packed a PsrlQ 0 (Reg 1)
    (Lanes64, Signed) -> do
      -- The sign, where the shift puts it, inverts what is above it and is taken away.
      ones a 2
      shiftLanes a True Lanes64 2 63
      packed a PsrlQ 2 (Reg 1)
      packed a PsrlQ 0 (Reg 1)
      packed a Pxor 0 (Reg 2)
      packed a PsubQ 0 (Reg 2)
  settle128 env (stepA s) 0
  where
    a = asm env
    inEachByte x = zero a 3 >> packed a PshufB x (Reg 3)

-- * NaNs

-- | The canonical NaN for any, in each lane.
canonicalLanes :: Env -> Located -> Size -> IO ()
canonicalLanes env s size_ = do
  intoVector128 env (stepB s) 0
  copyFloat a 1 0
  numbered a (case size_ of Half -> CmpPS; Full -> CmpPD) 3 1 (Reg 0)
  constant128 env 2 nan nan
  packed a Pand 2 (Reg 1)
  packed a PandN 1 (Reg 0)
  packed a Por 1 (Reg 2)
  settle128 env (stepA s) 1
  where
    a = asm env
    nan = case size_ of
      Half -> 0x7FC000007FC00000
      Full -> 0x7FF8000000000000
