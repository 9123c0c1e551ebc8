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
import Data.Bits ((.&.))
import Data.Int (Int64)
import Tern.Wasm.Code
import Tern.Wasm.Native.Assembler
import Tern.Wasm.Native.Flow
import Tern.Wasm.Native.Frame
import Tern.Wasm.Native.Registers
import Tern.Wasm.Native.Template

-- | Two slots, or a slot and a constant.
operation :: Env -> Step -> Integer_ -> Size -> Either Int Int -> IO ()
operation env s o size_ second = case (o, second) of
  (Two f commutes, Left slot) -> do
    y <- whole env size_ slot rdx
    let d = clearOf y
    if commutes && y == Reg (goal env (stepA s)) && goal env (stepA s) /= rax
      then do
        x <- whole env size_ b rax
        binary env f size_ (goal env (stepA s)) x
        settle env size_ (stepA s) (goal env (stepA s))
      else do
        intoGoal env s size_ d
        binary env f size_ d y
        settle env size_ (stepA s) d
  (Two Multiply _, Right v) -> do
    x <- whole env size_ b rax
    let d = goal env (stepA s)
    multiplyImmediate a size_ d x v
    settle env size_ (stepA s) d
  (Two (Plain Add) _, Right v)
    | InRegister q <- home_ env b,
      InRegister d <- home_ env (stepA s),
      q /= d -> do
        address a size_ d (Mem q v)
        settle env size_ (stepA s) d
  (Two (Plain f) _, Right v)
    | home_ env b == InFrame, stepA s == b -> arithmeticImmediate a f size_ (Mem rbp b) v >> written env b
    | otherwise -> do
        let d = goal env (stepA s)
        intoGoal env s size_ d
        arithmeticImmediate a f size_ (Reg d) v
        settle env size_ (stepA s) d
  (Shifted f, Left slot) -> do
    into env Half slot rcx
    let d = goal env (stepA s)
    intoGoal env s size_ d
    shiftByCl a f size_ (Reg d)
    settle env size_ (stepA s) d
  (Shifted f, Right n) -> do
    let d = goal env (stepA s)
    intoGoal env s size_ d
    shiftBy a f size_ (Reg d) (n .&. 63)
    settle env size_ (stepA s) d
  where
    a = asm env
    b = stepB s
    -- Where the second operand is not.
    clearOf y = if y == Reg (goal env (stepA s)) then rax else goal env (stepA s)

-- | The first operand into the register of the result.
intoGoal :: Env -> Step -> Size -> Register -> IO ()
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
-- its own code after the function, where the quotient of the least number is a trap.
divided :: Env -> Step -> Bool -> Size -> Bool -> IO ()
divided env s signed size_ remainder = do
  byZero <- trapping env exitDivideByZero s
  done <- newLabel a
  into env size_ c rcx
  test a size_ rcx rcx
  jumpIf a Equal byZero
  into env size_ b rax
  when signed $ do
    minusOne <- newLabel a
    arithmeticImmediate a Cmp size_ (Reg rcx) (-1)
    jumpIf a Equal minusOne
    overflow <- trapping env exitOverflow s
    cold env $ do
      place a minusOne
      if remainder
        then arithmetic a Xor Half rdx (Reg rdx)
        else negative a size_ (Reg rax) >> jumpIf a Overflow overflow
      jump a done
  if signed then signExtendAccumulator a size_ else arithmetic a Xor Half rdx (Reg rdx)
  divide a signed size_ (Reg rcx)
  place a done
  settle env size_ (stepA s) (if remainder then rdx else rax)
  where
    a = asm env
    b = stepB s
    c = stepC s

-- | How many bits are above the highest that is set: that bit's index, or @none_@ where
-- none is set, with the bits of @flipped@ inverted.
leading :: Env -> Step -> Size -> Int64 -> Int -> IO ()
leading env s size_ none_ flipped = do
  x <- whole env size_ b rax
  loadImmediate a rcx none_
  scanReverse a size_ rax x
  moveIf a Equal size_ rax (Reg rcx)
  arithmeticImmediate a Xor Half (Reg rax) flipped
  settle env size_ (stepA s) rax
  where
    a = asm env
    b = stepB s

-- | How many bits are below the lowest that is set; @none_@ where none is.
trailing :: Env -> Step -> Size -> Int64 -> IO ()
trailing env s size_ none_ = do
  x <- whole env size_ b rax
  loadImmediate a rcx none_
  scanForward a size_ rax x
  moveIf a Equal size_ rax (Reg rcx)
  settle env size_ (stepA s) rax
  where
    a = asm env
    b = stepB s

-- | To the size @to@, from the @n@ low bytes of a slot of the size @from@.
extended :: Env -> Step -> Size -> Size -> Int -> IO ()
extended env s to from n = do
  x <- whole env from b rax
  let d = goal env (stepA s)
  loadSign a to n d x
  settle env to (stepA s) d
  where
    a = asm env
    b = stepB s

-- | Set the flags by two slots, or a slot and a constant.
compare_ :: Env -> Step -> Size -> Either Int Int -> IO ()
compare_ env s size_ = \case
  Left slot -> do
    x <- inRegister env size_ b rax
    y <- whole env size_ slot rdx
    arithmetic a Cmp size_ x y
  Right 0 | InRegister r <- home_ env b -> test a size_ r r
  Right v -> do
    x <- whole env size_ b rax
    arithmeticImmediate a Cmp size_ x v
  where
    a = asm env
    b = stepB s

-- | A condition as a number.
flag :: Env -> Step -> Condition -> IO ()
flag env s condition = do
  setIf a condition rax
  let d = goal env (stepA s)
  loadZero a 1 d (Reg rax)
  settle env Half (stepA s) d
  where
    a = asm env

-- | 32 bits to 64, without a sign.
widened :: Env -> Step -> IO ()
widened env s = do
  let d = goal env (stepA s)
  x <- whole env Half (stepB s) rax
  load (asm env) Half d x
  settle env Full (stepA s) d

-- | How many bits are set.
counted :: Env -> Step -> Size -> IO ()
counted env s size_ = do
  x <- whole env size_ (stepB s) rax
  countOnes (asm env) size_ rax x
  settle env size_ (stepA s) rax
