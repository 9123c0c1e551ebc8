-- | Vectors to and from memory and numbers, and lanes to other places.
--
-- The idea: an address is compared as those of numbers are, by "Tern.Wasm.Native.Access";
-- what is reached so is an operand like any other. Nothing is changed before a trap.
--
-- Start at 'vectored'.
module Tern.Wasm.Native.Moves
  ( vectored,
  )
where

import Control.Monad (when)
import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.Word (Word64)
import Tern.Wasm.Meaning (Sign (..), Size (..), Where (..))
import Tern.Wasm.Native.Access (vectorPlace)
import Tern.Wasm.Native.Assembler
  ( Condition (..),
    Operand (..),
    fromInteger_,
    loadFloat,
    loadSign,
    loadZero,
    rax,
    rdx,
  )
import Tern.Wasm.Native.Assembler qualified as Asm
import Tern.Wasm.Native.Frame
  ( Env (..),
    constant128,
    goal,
    goal128,
    inRegister,
    inVector,
    inVector128,
    intoVector128,
    settle,
    settle128,
    settleVector,
  )
import Tern.Wasm.Native.Integer (flag)
import Tern.Wasm.Native.Lanes (ofOne, ofThree, ofTwo, shifted)
import Tern.Wasm.Native.Located (Located (..), vectorLane, wideField)
import Tern.Wasm.Native.Packed
  ( Lanes (..),
    Numbered (..),
    Packed (..),
    extractLane,
    insertLane,
    loadVector,
    numbered,
    packed,
    signBits,
    storeVector,
  )
import Tern.Wasm.Native.Vector (Vectored (..), laneSize)

-- | An instruction over vectors; its address, if it has one, is of the memory that the
-- registers hold, or of another.
vectored :: Env -> Located -> Where -> Vectored -> IO ()
vectored env s memory_ = \case
  LoadsAll -> do
    m <- reached 16
    loadVector a own m
    settled own
  LoadsWidened p -> do
    m <- reached 8
    packed a p own m
    settled own
  LoadsSplat lanes -> do
    m <- reached (laneBytes lanes)
    case lanes of
      Lanes8 -> loadZero a 1 rdx m >> fromInteger_ a Half own rdx
      Lanes16 -> loadZero a 2 rdx m >> fromInteger_ a Half own rdx
      Lanes32 -> loadFloat a Half own m
      Lanes64 -> loadFloat a Full own m
    toAll lanes own own
    settled own
  LoadsLane lanes -> do
    m <- reached (laneBytes lanes)
    intoVector128 env c 0
    insertLane a lanes lane 0 m
    settled 0
  LoadsLow size_ -> do
    m <- reached (case size_ of Half -> 4; Full -> 8)
    loadFloat a size_ own m
    settled own
  StoresAll -> do
    m <- reached 16
    x <- inVector128 env c 0
    storeVector a m x
  StoresLane lanes -> do
    m <- reached (laneBytes lanes)
    x <- inVector128 env c 0
    extractLane a lanes lane m x
  MakesVector -> do
    constant128 env own (bytes 0) (bytes 1)
    settled own
  Shuffles -> shuffled env s (bytes 0) (bytes 1)
  Splats lanes -> do
    r <- inRegister env (laneSize lanes) b rax
    fromInteger_ a (laneSize lanes) own r
    toAll lanes own own
    settled own
  SplatsFloat size_ -> do
    x <- inVector env size_ b 0
    toAll (case size_ of Half -> Lanes32; Full -> Lanes64) own x
    settled own
  Extracts lanes sign -> do
    x <- inVector128 env b 0
    let r = goal env (stepA s)
    extractLane a lanes lane (Reg r) x
    when (sign == WithSign) (loadSign a Half (laneBytes lanes) r (Reg r))
    settle env (laneSize lanes) (stepA s) r
  ExtractsFloat size_ -> do
    x <- inVector128 env b 0
    numbered a PshufD (case size_ of Half -> lane; Full -> 0x44 + 0xAA * lane) 0 (Reg x)
    settleVector env size_ (stepA s) 0
  Replaces lanes -> do
    intoVector128 env b 0
    r <- inRegister env (laneSize lanes) c rax
    insertLane a lanes lane 0 (Reg r)
    settled 0
  ReplacesFloat size_ -> do
    intoVector128 env b 0
    y <- inVector env size_ c 1
    case (size_, lane) of
      (Half, _) -> numbered a InsertPS (16 * lane) 0 (Reg y)
      (Full, 0) -> loadFloat a Full 0 (Reg y)
      (Full, _) -> packed a MovLHPS 0 (Reg y)
    settled 0
  TestsAny -> do
    x <- inVector128 env b 0
    packed a Ptest x (Reg x)
    flag env s NotEqual
  TestsAll equal -> do
    x <- inVector128 env b 0
    packed a Pxor 1 (Reg 1)
    packed a equal 1 (Reg x)
    packed a Ptest 1 (Reg 1)
    flag env s Equal
  CollectsSigns lanes -> do
    x <- inVector128 env b 0
    case lanes of
      Lanes16 -> do
        -- Eight bytes, and eight zeros.
        packed a Pxor 1 (Reg 1)
        Asm.copyFloat a 0 x
        packed a PackssWB 0 (Reg 1)
        signBits a lanes rax 0
      Lanes8 -> signBits a lanes rax x
      Lanes32 -> signBits a lanes rax x
      Lanes64 -> signBits a lanes rax x
    settle env Half (stepA s) rax
  Shifts direction lanes -> shifted env s direction lanes
  Of1 o -> ofOne env s o
  Of2 o -> ofTwo env s o
  Of3 o -> ofThree env s o
  where
    a = asm env
    b = stepB s
    c = stepC s
    own = goal128 env (stepA s)
    settled = settle128 env (stepA s)
    lane = vectorLane s
    reached = vectorPlace env s memory_
    bytes k = word64 (wideField s (2 * k)) (wideField s (2 * k + 1))
    -- From the lowest lane.
    toAll lanes d x = case lanes of
      Lanes8 -> packed a Pxor 1 (Reg 1) >> packed a PshufB d (Reg 1)
      Lanes16 -> numbered a PshufLW 0 d (Reg x) >> numbered a PshufD 0 d (Reg d)
      Lanes32 -> numbered a PshufD 0 d (Reg x)
      Lanes64 -> numbered a PshufD 0x44 d (Reg x)

-- | Two fields of 32 bits, the low one first.
word64 :: Int -> Int -> Word64
word64 low high = fromIntegral ((low .&. 0xFFFFFFFF) .|. (high `shiftL` 32))

laneBytes :: Lanes -> Int
laneBytes = \case
  Lanes8 -> 1
  Lanes16 -> 2
  Lanes32 -> 4
  Lanes64 -> 8

-- | Bytes of both operands by their numbers, given in two halves: from 16 on the second's.
-- An index with the highest bit set makes a zero.
shuffled :: Env -> Located -> Word64 -> Word64 -> IO ()
shuffled env s low high = do
  intoVector128 env (stepB s) 0
  uncurry (constant128 env 1) (both (\i -> if i < 16 then i else 0x80))
  packed a PshufB 0 (Reg 1)
  intoVector128 env (stepC s) 2
  uncurry (constant128 env 1) (both (\i -> if i < 16 then 0x80 else i - 16))
  packed a PshufB 2 (Reg 1)
  packed a Por 0 (Reg 2)
  settle128 env (stepA s) 0
  where
    a = asm env
    both f = (each f low, each f high)
    each :: (Word64 -> Word64) -> Word64 -> Word64
    each f v =
      foldr
        (\k acc -> acc .|. (f ((v `shiftR` k) .&. 0xFF) `shiftL` k))
        0
        [0, 8 .. 56]
