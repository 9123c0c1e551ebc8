-- | Loads and stores, and moves of 16 bytes.
--
-- The idea: an address and an offset stay below 2^33, so that their sum is compared
-- with the memory's size without overflow; a trap stands out of the way.
--
-- Start at 'accessed'.
module Tern.Wasm.Native.Access
  ( accessed,
    fixed,
    distant,
    vectorPlace,
    narrow,
    storing,
    select,
    select128,
  )
where

import Control.Monad (unless)
import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.IORef (modifyIORef', readIORef)
import Data.IntMap.Strict qualified as IntMap
import Tern.Wasm.Layout (instMemoryEnds, memoryBase, memoryBytes)
import Tern.Wasm.Meaning (Where (..))
import Tern.Wasm.Native.Assembler
  ( Arithmetic (..),
    Condition (..),
    Operand (..),
    Register,
    Size (..),
    address,
    arithmetic,
    arithmeticImmediate,
    exchangeable,
    jump,
    jumpIf,
    load,
    loadImmediate,
    moveIf,
    newLabel,
    place,
    rax,
    rcx,
    rdx,
    storeNarrow,
  )
import Tern.Wasm.Native.Frame
  ( Env (..),
    goal,
    home_,
    inRegister,
    instance_,
    into,
    intoVector128,
    meet,
    memory,
    memoryEnd,
    move,
    settle,
    settle128,
    target,
    whole,
  )
import Tern.Wasm.Native.Jump (zeroOperand)
import Tern.Wasm.Native.Leave (trapping)
import Tern.Wasm.Native.Located (Located (..), isWide, vectorWide, wideField)
import Tern.Wasm.Native.Registers (Home (..), isHalf)
import Tern.Wasm.Trap (Trap (..))

-- | The @n@ bytes at the address in a slot.
accessed :: Env -> Located -> Int -> IO Operand
accessed env s = near env s (stepC s .&. 0xFFFFFFFF)

-- | With an offset of 32 bits. What was compared before, and has not been written since, is
-- not compared again: a memory never gets smaller.
near :: Env -> Located -> Int -> Int -> IO Operand
near env s offset n = do
  before <- IntMap.findWithDefault 0 b <$> readIORef (reach env)
  -- Where the register has nothing above its 32 low bits it is the address.
  r <- case home_ env b of
    InRegister q | isHalf (allocation env) (here env) b -> pure q
    _ -> rax <$ into env Half b rax
  (from, distance) <-
    if exchangeable (offset + n)
      then pure (r, offset)
      else do
        loadImmediate a rcx (fromIntegral offset)
        unless (r == rax) (load a Full rax (Reg r))
        arithmetic a Add Full rax (Reg rcx)
        pure (rax, 0)
  unless (before >= offset + n) $ do
    outside <- trapping env OutOfBoundsMemory s
    case lookup (distance + n) instMemoryEnds of
      Just end -> do
        arithmetic a Cmp Full from (Mem instance_ end)
        jumpIf a AboveEqual outside
      Nothing -> do
        address a Full rcx (Mem from (distance + n))
        arithmetic a Cmp Full rcx memoryEnd
        jumpIf a Above outside
    modifyIORef' (reach env) (IntMap.insert b (offset + n))
  pure (Indexed memory from distance)
  where
    a = asm env
    b = stepB s

-- | At a constant address.
fixed :: Env -> Located -> Int -> IO Operand
fixed env s n
  | exchangeable (offset + n) = do
      -- Below the least size that the memory can have there is nothing to compare.
      unless (offset + n <= least env) $ do
        outside <- trapping env OutOfBoundsMemory s
        arithmeticImmediate a Cmp Full memoryEnd (offset + n)
        jumpIf a Below outside
      pure (Mem memory offset)
  | otherwise = do
      outside <- trapping env OutOfBoundsMemory s
      loadImmediate a rax (fromIntegral offset)
      address a Full rcx (Mem rax n)
      arithmetic a Cmp Full rcx memoryEnd
      jumpIf a Above outside
      pure (Indexed memory rax 0)
  where
    offset = stepC s .&. 0xFFFFFFFF
    a = asm env

-- | The same in a memory that no register holds.
distant :: Env -> Located -> Int -> IO Operand
distant env s =
  far env s (stepC s) (if isWide s then Full else Half) $
    (wideField s 0 .&. 0xFFFFFFFF) .|. (wideField s 1 `shiftL` 32)

-- | Given where the instance has the memory's record, how wide an address is and an offset,
-- which has 64 bits where the address has: for a moment the memory's base is in rcx.
far :: Env -> Located -> Int -> Size -> Int -> Int -> IO Operand
far env s record wide offset n = do
  outside <- trapping env OutOfBoundsMemory s
  into env wide (stepB s) rax
  unless (offset == 0) $ do
    if offset > 0 && exchangeable offset
      then arithmeticImmediate a Add Full (Reg rax) offset
      else loadImmediate a rcx (fromIntegral offset) >> arithmetic a Add Full rax (Reg rcx)
    -- Beyond 64 bits.
    jumpIf a Below outside
  load a Full rcx (Mem instance_ record)
  load a Full rdx (Mem rcx memoryBytes)
  arithmeticImmediate a Sub Full (Reg rdx) n
  jumpIf a Below outside
  arithmetic a Cmp Full rax (Reg rdx)
  jumpIf a Above outside
  load a Full rcx (Mem rcx memoryBase)
  pure (Indexed rcx rax 0)
  where
    a = asm env

-- | The @n@ bytes that an access to vectors is over: of the memory in the registers, or of
-- one that the instance has the record of. "Tern.Wasm.Simd" says where its fields are.
vectorPlace :: Env -> Located -> Where -> Int -> IO Operand
vectorPlace env s = \case
  Here -> near env s low
  There
    | vectorWide s -> far env s record Full (low .|. (wideField s 3 `shiftL` 32))
    | otherwise -> far env s record Half low
  where
    low = wideField s 0 .&. 0xFFFFFFFF
    record = wideField s 2 `shiftR` 1

-- | From the bytes at a place to a slot of a size, by an instruction that widens them.
narrow :: Env -> Located -> Size -> IO Operand -> (Register -> Operand -> IO ()) -> IO ()
narrow env s size_ place_ make = do
  m <- place_
  let d = goal env (stepA s)
  make d m
  settle env size_ (stepA s) d

-- | To one byte or two, at a place; through a register that the place does not have.
storing :: Env -> Located -> Register -> Int -> IO Operand -> IO ()
storing env s through n place_ = do
  m <- place_
  inRegister env Half (stepA s) through >>= storeNarrow (asm env) n m

-- | One of two slots, by a third.
select :: Env -> Located -> Size -> IO ()
select env s size_
  | any inVector_ [target env (stepA s), home_ env b, home_ env c] = do
      other <- newLabel a
      done <- newLabel a
      x <- whole env Half (wideField s 0) rax
      zeroOperand env Half x
      jumpIf a Equal other
      move env size_ (stepA s) b
      jump a done
      place a other
      move env size_ (stepA s) c
      meet env done
  | otherwise = do
      x <- whole env size_ b rcx
      into env size_ c rax
      q <- whole env Half (wideField s 0) rcx
      zeroOperand env Half q
      moveIf a NotEqual size_ rax x
      settle env size_ (stepA s) rax
  where
    inVector_ = \case
      InVector _ -> True
      InRegister _ -> False
      InFrame -> False
    a = asm env
    b = stepB s
    c = stepC s

-- | One of two vectors, by a slot.
select128 :: Env -> Located -> IO ()
select128 env s = do
  done <- newLabel a
  intoVector128 env (stepB s) 0
  x <- whole env Half (wideField s 0) rax
  zeroOperand env Half x
  jumpIf a NotEqual done
  intoVector128 env (stepC s) 0
  place a done
  settle128 env (stepA s) 0
  where
    a = asm env
