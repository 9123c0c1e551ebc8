-- | Operators of integers.
--
-- The idea: the result is made in its own register where that does not hold the
-- second operand, and in rax otherwise. Start at 'operation'.
module Tern.Wasm.Native.Integer
  ( operation,
    divided,
    leading,
    trailing,
    extended,
    widened,
    counted,
    compare_,
    flag,
  )
where

import Control.Monad (when)
import Data.Bits (countTrailingZeros, popCount, shiftL, (.&.))
import Data.IORef (readIORef, writeIORef)
import Tern.Wasm.Meaning (Operation, Part (..), Second (..), Sign (..))
import Tern.Wasm.Native.Assembler
  ( Arithmetic (..),
    Condition (..),
    Operand (..),
    Register,
    Shift (..),
    Size (..),
    address,
    andOpposite,
    arithmetic,
    arithmeticImmediate,
    countOnes,
    divide,
    exchangeable,
    jump,
    jumpIf,
    load,
    loadImmediate,
    loadSign,
    loadZero,
    moveIf,
    multiply,
    multiplyImmediate,
    negative,
    newLabel,
    place,
    rax,
    rbp,
    rcx,
    rdx,
    rotateApart,
    scanForward,
    scanReverse,
    setIf,
    shiftBy,
    shiftByCl,
    signExtendAccumulator,
    test,
  )
import Tern.Wasm.Native.Constant (madeBefore)
import Tern.Wasm.Native.Flag (flagging)
import Tern.Wasm.Native.Fold (opposed)
import Tern.Wasm.Native.Frame
  ( Env (..),
    cold,
    goal,
    home_,
    inRegister,
    into,
    settle,
    target,
    whole,
    written,
  )
import Tern.Wasm.Native.Leave (trapping)
import Tern.Wasm.Native.Located (Located (..))
import Tern.Wasm.Native.Processor (Processor (..))
import Tern.Wasm.Native.Registers (Home (..))
import Tern.Wasm.Native.Template (Binary (..), Integer_ (..), integerOf)
import Tern.Wasm.Trap (Trap (..))

-- | Two slots, or a slot and a constant.
operation :: Env -> Located -> Operation -> Size -> Second -> IO ()
operation env s o size_ second = do
  (k, slot, r) <- readIORef (inverse env)
  if k == here env then without env s size_ slot r else operated env s o size_ second

-- | The bits of a slot that a register does not have, whose opposite the other slot would be.
without :: Env -> Located -> Size -> Int -> Register -> IO ()
without env s size_ slot r = do
  y <- whole env size_ (if stepB s == slot then stepC s else stepB s) rcx
  let d = goal env (stepA s)
  andOpposite (asm env) size_ d r y
  settle env size_ (stepA s) d
  flagging env size_ (stepA s)

operated :: Env -> Located -> Operation -> Size -> Second -> IO ()
operated env s o size_ second = case (integerOf o, second) of
  (Two f commutes, OfSlot) -> do
    y <- whole env size_ c rcx
    let d = clearOf y
    if commutes && y == Reg (goal env (stepA s)) && goal env (stepA s) /= rax
      then do
        x <- whole env size_ b rax
        binary env f size_ (goal env (stepA s)) x
        settle env size_ (stepA s) (goal env (stepA s))
        said f
      else do
        intoGoal env s size_ d
        binary env f size_ d y
        settle env size_ (stepA s) d
        said f
  (Two (Plain Xor) _, OfConstant)
    | c == -1,
      clearsBits (processor env),
      InRegister r <- home_ env b,
      opposed env size_ -> do
        written env (stepA s)
        writeIORef (inverse env) (here env + 1, stepA s, r)
  (Two Multiply _, OfConstant) -> do
    x <- whole env size_ b rax
    let d = goal env (stepA s)
    multiplyImmediate a size_ d x c
    settle env size_ (stepA s) d
  (Two (Plain Add) _, OfConstant)
    | InRegister q <- home_ env b,
      InRegister d <- target env (stepA s),
      q /= d -> do
        address a size_ d (Mem q c)
        settle env size_ (stepA s) d
  (Two (Plain f) _, OfConstant)
    | home_ env b == InFrame,
      target env b == InFrame,
      stepA s == b ->
        arithmeticImmediate a f size_ (Mem rbp b) c >> written env b >> flagging env size_ b
    | otherwise -> do
        let d = goal env (stepA s)
        intoGoal env s size_ d
        arithmeticImmediate a f size_ (Reg d) c
        settle env size_ (stepA s) d
        flagging env size_ (stepA s)
  (Shifted f, OfSlot) -> do
    into env Half c rcx
    let d = goal env (stepA s)
    intoGoal env s size_ d
    shiftByCl a f size_ (Reg d)
    settle env size_ (stepA s) d
  (Shifted f, OfConstant)
    | rotatesApart (processor env),
      Just n <- toTheRight f,
      home_ env b /= InRegister (goal env (stepA s)) -> do
        let d = goal env (stepA s)
        x <- whole env size_ b rcx
        rotateApart a size_ d x n
        settle env size_ (stepA s) d
  (Shifted f, OfConstant) -> do
    let d = goal env (stepA s)
    intoGoal env s size_ d
    shiftBy a f size_ (Reg d) (c .&. 63)
    settle env size_ (stepA s) d
  where
    a = asm env
    b = stepB s
    c = stepC s
    said = \case
      Plain _ -> flagging env size_ (stepA s)
      Multiply -> pure ()
    -- By how many bits to the right.
    toTheRight = \case
      RotateLeft -> Just (negate c .&. (bitsOf size_ - 1))
      RotateRight -> Just (c .&. (bitsOf size_ - 1))
      ShiftLeft -> Nothing
      ShiftRight -> Nothing
      ShiftRightSigned -> Nothing
    -- Where the second operand is not.
    clearOf y = if y == Reg (goal env (stepA s)) then rax else goal env (stepA s)

-- | The first operand into the register of the result.
intoGoal :: Env -> Located -> Size -> Register -> IO ()
intoGoal env s size_ d = case home_ env b of
  InRegister q | q == d -> pure ()
  _ -> into env size_ b d
  where
    b = stepB s

binary :: Env -> Binary -> Size -> Register -> Operand -> IO ()
binary env f size_ d x = case f of
  Plain g -> arithmetic a g size_ d x
  Multiply -> multiply a size_ d x
  where
    a = asm env

-- | Signed or not; the quotient or the remainder. A signed division by -1 has
-- its own code out of the way, where the quotient of the least number is a trap.
divided :: Env -> Located -> Sign -> Part -> Size -> IO ()
divided env s sign part size_
  | Just v <- madeBefore env c,
    v /= 0,
    v /= -1 = case power v of
      Just n -> shifted n
      Nothing -> do
        into env size_ c rcx
        into env size_ b rax
        if signed then signExtendAccumulator a size_ else arithmetic a Xor Half rdx (Reg rdx)
        divide a signed size_ (Reg rcx)
        settle env size_ (stepA s) (if remainder then rdx else rax)
  | otherwise = do
      byZero <- trapping env DivideByZero s
      done <- newLabel a
      into env size_ c rcx
      test a size_ rcx rcx
      jumpIf a Equal byZero
      into env size_ b rax
      when signed $ do
        minusOne <- newLabel a
        arithmeticImmediate a Cmp size_ (Reg rcx) (-1)
        jumpIf a Equal minusOne
        byMinusOne <- case part of
          Remainder -> pure (arithmetic a Xor Half rdx (Reg rdx))
          Quotient -> do
            overflow <- trapping env IntegerOverflow s
            pure (negative a size_ (Reg rax) >> jumpIf a Overflow overflow)
        cold env (place a minusOne >> byMinusOne >> jump a done)
      if signed then signExtendAccumulator a size_ else arithmetic a Xor Half rdx (Reg rdx)
      divide a signed size_ (Reg rcx)
      place a done
      settle env size_ (stepA s) (if remainder then rdx else rax)
  where
    a = asm env
    b = stepB s
    c = stepC s
    -- Of which power of two above the first it is one.
    power v
      | v > 1 && popCount v == 1 && exchangeable v = Just (countTrailingZeros v)
      | otherwise = Nothing
    shifted n = do
      into env size_ b rax
      if signed
        then do
          load a size_ rcx (Reg rax)
          when (n > 1) (shiftBy a ShiftRightSigned size_ (Reg rcx) (n - 1))
          shiftBy a ShiftRight size_ (Reg rcx) (bitsOf size_ - n)
          arithmetic a Add size_ rcx (Reg rax)
          case part of
            Quotient -> do
              shiftBy a ShiftRightSigned size_ (Reg rcx) n
              settle env size_ (stepA s) rcx
            Remainder -> do
              arithmeticImmediate a And size_ (Reg rcx) (negate (1 `shiftL` n))
              arithmetic a Sub size_ rax (Reg rcx)
              settle env size_ (stepA s) rax
        else do
          case part of
            Quotient -> shiftBy a ShiftRight size_ (Reg rax) n
            Remainder -> arithmeticImmediate a And size_ (Reg rax) ((1 `shiftL` n) - 1)
          settle env size_ (stepA s) rax
    signed = sign == WithSign
    remainder = part == Remainder

-- | How many bits are above the highest that is set: that bit's index, or twice the
-- highest index and one where none is set, with the bits of the highest index inverted.
leading :: Env -> Located -> Size -> IO ()
leading env s size_ = do
  x <- whole env size_ b rax
  loadImmediate a rcx (fromIntegral (2 * highest + 1))
  scanReverse a size_ rax x
  moveIf a Equal size_ rax (Reg rcx)
  arithmeticImmediate a Xor Half (Reg rax) highest
  settle env size_ (stepA s) rax
  where
    a = asm env
    b = stepB s
    highest = bitsOf size_ - 1

-- | How many bits are below the lowest that is set; all, where none is.
trailing :: Env -> Located -> Size -> IO ()
trailing env s size_ = do
  x <- whole env size_ b rax
  loadImmediate a rcx (fromIntegral (bitsOf size_))
  scanForward a size_ rax x
  moveIf a Equal size_ rax (Reg rcx)
  settle env size_ (stepA s) rax
  where
    a = asm env
    b = stepB s

bitsOf :: Size -> Int
bitsOf = \case
  Half -> 32
  Full -> 64

-- | To the size @to@, from the @n@ low bytes of a slot of the size @from@.
extended :: Env -> Located -> Size -> Size -> Int -> IO ()
extended env s to from n = do
  x <- whole env from b rax
  let d = goal env (stepA s)
  loadSign a to n d x
  settle env to (stepA s) d
  where
    a = asm env
    b = stepB s

-- | Set the flags by two slots, or a slot and a constant.
compare_ :: Env -> Located -> Size -> Second -> IO ()
compare_ env s size_ = \case
  OfSlot -> do
    x <- inRegister env size_ b rax
    y <- whole env size_ c rcx
    arithmetic a Cmp size_ x y
  OfConstant
    | c == 0, InRegister r <- home_ env b -> test a size_ r r
    | otherwise -> do
        x <- whole env size_ b rax
        arithmeticImmediate a Cmp size_ x c
  where
    a = asm env
    b = stepB s
    c = stepC s

-- | A condition as a number.
flag :: Env -> Located -> Condition -> IO ()
flag env s condition = do
  setIf a condition rax
  let d = goal env (stepA s)
  loadZero a 1 d (Reg rax)
  settle env Half (stepA s) d
  where
    a = asm env

-- | 32 bits to 64, without a sign.
widened :: Env -> Located -> IO ()
widened env s = do
  let d = goal env (stepA s)
  x <- whole env Half (stepB s) rax
  load (asm env) Half d x
  settle env Full (stepA s) d

-- | How many bits are set.
counted :: Env -> Located -> Size -> IO ()
counted env s size_ = do
  x <- whole env size_ (stepB s) rax
  countOnes (asm env) size_ rax x
  settle env size_ (stepA s) rax
