-- | Operators and comparisons of floats.
--
-- Start at 'floatTwo' and 'floatFlag'.
module Tern.Wasm.Native.Float
  ( floatTwo,
    floatOne,
    masked,
    fromInt,
    converted,
    canonical,
    rounded,
    extreme,
    signed_,
    floatFlag,
    floatJump,
  )
where

import Data.Int (Int64)
import Tern.Wasm.Meaning (FloatTest (..))
import Tern.Wasm.Native.Assembler
  ( Arithmetic (..),
    Bits_ (..),
    Condition (..),
    Float_ (..),
    Operand (..),
    Shift (..),
    Size (..),
    arithmetic,
    arithmeticFloat,
    arithmeticFloatApart,
    bitsFloat,
    compareFloat,
    convertFloat,
    copyFloat,
    fromInteger_,
    intToFloat,
    jump,
    jumpIf,
    loadImmediate,
    loadZero,
    newLabel,
    place,
    rax,
    rcx,
    roundFloat,
    setIf,
    shiftBy,
  )
import Tern.Wasm.Native.Assembler qualified as Asm
import Tern.Wasm.Native.Frame
  ( Env (..),
    cold,
    float,
    goal,
    goalVector,
    home_,
    inVector,
    into,
    intoVector,
    settle,
    settleVector,
    whole,
  )
import Tern.Wasm.Native.Integer (flag)
import Tern.Wasm.Native.Jump (takeIf, take_)
import Tern.Wasm.Native.Located (Located (..))
import Tern.Wasm.Native.Processor (Processor (..))
import Tern.Wasm.Native.Registers (Home (..))
import Tern.Wasm.Numeric (Rounding (..))

-- | The first operand stays the first: of two NaNs it is the one that is kept.
floatTwo :: Env -> Located -> Float_ -> Size -> IO ()
floatTwo env s o size_
  | floatsApart (processor env) = do
      y <- float env size_ c 1
      x <- inVector env size_ b 0
      let d = goalVector env (stepA s)
      arithmeticFloatApart a o size_ d x y
      settleVector env size_ (stepA s) d
  | otherwise = do
      y <- float env size_ c 1
      let own = goalVector env (stepA s)
          d = if y == Reg own && home_ env b /= InVector own then 0 else own
      intoVector env size_ b d
      arithmeticFloat a o size_ d y
      settleVector env size_ (stepA s) d
  where
    a = asm env
    b = stepB s
    c = stepC s

-- | From one operand.
floatOne :: Env -> Located -> Size -> (Asm.Vector -> Operand -> IO ()) -> IO ()
floatOne env s size_ f = do
  x <- float env size_ b 0
  let d = goalVector env (stepA s)
  f d x :: IO ()
  settleVector env size_ (stepA s) d
  where
    b = stepB s

-- | With the bits of a constant.
masked :: Env -> Located -> Size -> Bits_ -> Int64 -> IO ()
masked env s size_ o v = do
  loadImmediate a rax v
  fromInteger_ a Full 1 rax
  let d = goalVector env (stepA s)
  intoVector env size_ b d
  bitsFloat a o d 1
  settleVector env size_ (stepA s) d
  where
    a = asm env
    b = stepB s

-- | To a size, from an integer of a size, signed or not.
fromInt :: Env -> Located -> Size -> Size -> Bool -> IO ()
fromInt env s to from unsigned_ = do
  x <- if unsigned_ then Reg rax <$ into env Half b rax else whole env from b rax
  let d = goalVector env (stepA s)
  -- What was in the register before is not waited for.
  bitsFloat a XorB d d
  intToFloat a to (if unsigned_ then Full else from) d x
  settleVector env to (stepA s) d
  where
    a = asm env
    b = stepB s

-- | The canonical NaN for any.
canonical :: Env -> Located -> Size -> Int64 -> IO ()
canonical env s size_ v = do
  fine <- newLabel a
  intoVector env size_ b 0
  compareFloat a size_ 0 (Reg 0)
  jumpIf a NoParity fine
  loadImmediate a rax v
  fromInteger_ a size_ 0 rax
  place a fine
  settleVector env size_ (stepA s) 0
  where
    a = asm env
    b = stepB s

-- | Compare a first operand with a second. A float that is no number sets the flags as
-- if it were less than any, and 'Parity'.
compared, comparedBackwards :: Env -> Located -> Size -> IO ()
compared env s size_ = do
  x <- inVector env size_ (stepB s) 0
  y <- float env size_ (stepC s) 1
  compareFloat (asm env) size_ x y
-- The second operand with the first.
comparedBackwards env s size_ = do
  y <- inVector env size_ (stepC s) 1
  x <- float env size_ (stepB s) 0
  compareFloat (asm env) size_ y x

-- | A comparison as a number.
floatFlag :: Env -> Located -> FloatTest -> Size -> IO ()
floatFlag env s test_ size_ = case test_ of
  FloatEq -> compared env s size_ >> both NoParity Equal And
  FloatNe -> compared env s size_ >> both Parity NotEqual Or
  FloatLt -> backwards Above
  FloatLe -> backwards AboveEqual
  FloatNotLt -> backwards BelowEqual
  FloatNotLe -> backwards Below
  where
    a = asm env
    backwards condition = comparedBackwards env s size_ >> flag env s condition
    both x y o = do
      setIf a x rax
      setIf a y rcx
      arithmetic a o Half rax (Reg rcx)
      let d = goal env (stepA s)
      loadZero a 1 d (Reg rax)
      settle env Half (stepA s) d

-- | A jump on a comparison.
floatJump :: Env -> Maybe (Int, IO ()) -> Located -> FloatTest -> Size -> IO ()
floatJump env again s test_ size_ = case test_ of
  FloatEq -> takeIf env again s ([Parity, NotEqual] <$ compared env s size_)
  FloatNe -> do
    yes <- newLabel a
    over <- newLabel a
    compared env s size_
    jumpIf a Parity yes
    jumpIf a Equal over
    place a yes
    take_ env (stepAt s + stepA s)
    place a over
  FloatLt -> backwards BelowEqual
  FloatLe -> backwards Below
  FloatNotLt -> backwards Above
  FloatNotLe -> backwards AboveEqual
  where
    a = asm env
    -- Not taken on a condition.
    backwards condition = takeIf env again s ([condition] <$ comparedBackwards env s size_)

-- | To a size from the other.
converted :: Env -> Located -> Size -> IO ()
converted env s size_ = do
  let d = goalVector env (stepA s)
  x <- float env (if size_ == Full then Half else Full) (stepB s) 0
  convertFloat (asm env) size_ d x
  settleVector env size_ (stepA s) d

-- | To an integer, by the processor's number of the way.
rounded :: Env -> Located -> Size -> Rounding -> IO ()
rounded env s size_ way = floatOne env s size_ (roundFloat (asm env) size_ mode)
  where
    mode = case way of
      Nearest -> 0
      Floor -> 1
      Ceil -> 2
      Trunc -> 3

-- | The least or the greatest, as "Tern.Wasm.Numeric" has it.
extreme :: Env -> Located -> Size -> Bool -> IO ()
extreme env s size_ least = do
  nan <- newLabel a
  same <- newLabel a
  done <- newLabel a
  intoVector env size_ b 0
  intoVector env size_ c 1
  compareFloat a size_ 0 (Reg 1)
  jumpIf a Parity nan
  jumpIf a Equal same
  jumpIf a (if least then Below else Above) done
  copyFloat a 0 1
  place a done
  settleVector env size_ (stepA s) 0
  cold env $ do
    place a nan
    arithmeticFloat a AddF size_ 0 (Reg 1)
    jump a done
    place a same
    bitsFloat a (if least then OrB else AndB) 0 1
    jump a done
  where
    a = asm env
    b = stepB s
    c = stepC s

-- | The first operand with the sign of the second.
signed_ :: Env -> Located -> Size -> Int -> IO ()
signed_ env s size_ top = do
  into env size_ b rax
  into env size_ c rcx
  shiftBy a ShiftLeft size_ (Reg rax) 1
  shiftBy a ShiftRight size_ (Reg rax) 1
  shiftBy a ShiftRight size_ (Reg rcx) top
  shiftBy a ShiftLeft size_ (Reg rcx) top
  arithmetic a Or size_ rax (Reg rcx)
  settle env size_ (stepA s) rax
  where
    a = asm env
    b = stepB s
    c = stepC s
