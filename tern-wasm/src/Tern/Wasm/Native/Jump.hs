-- | Jumps, each of which takes one from the fuel.
--
-- The idea: a jump leads to a gate. When the fuel is used up the slots that are alive
-- there are written to the frame and the code is left; that is written out of the way,
-- once for each gate. In short loops the body stands there several times,
-- and its jumps are paid together; whoever leaves before is paid back.
--
-- Start at 'takeIf'.
module Tern.Wasm.Native.Jump
  ( bodyOf,
    take_,
    takeNext,
    takeIf,
    opposite,
    zeroTest,
    zeroOperand,
    jumpTable,
    repeated,
  )
where

import Control.Monad (forM_, unless, when)
import Data.IORef (writeIORef)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet qualified as IntSet
import Data.Vector.Unboxed qualified as U
import Data.Vector.Unboxed.Mutable qualified as MU
import Tern.Wasm.Code (exitPoll)
import Tern.Wasm.Native.Assembler
  ( Arithmetic (..),
    Condition (..),
    Label,
    Operand (..),
    Size (..),
    arithmetic,
    arithmeticImmediate,
    jump,
    jumpIf,
    jumpTo,
    labelAt,
    loadImmediate,
    loadLabel,
    moveIf,
    multiplyImmediate,
    newLabel,
    newLabels,
    place,
    rax,
    rcx,
    test,
  )
import Tern.Wasm.Native.Flag (flagged)
import Tern.Wasm.Native.Flow
  ( Body,
    Course (..),
    Effect (..),
    effectAt,
    fallsThrough,
    instruction,
    numberOf,
    tableTargets,
  )
import Tern.Wasm.Native.Frame (Env (..), cold, fuel, into, leaveWith, save, whole)
import Tern.Wasm.Native.Located (Located (..))
import Tern.Wasm.Native.Registers (aliveAt)

-- | Where a gate's code begins for those who jump there.
bodyOf :: Env -> Int -> Label
bodyOf env at = labelAt (bodies env) (numberOf (body env) at)

-- | Where to go when the fuel is used up before a jump to a gate: what is alive
-- there is written to the frame.
pollFor :: Env -> Int -> IO Label
pollFor env at = do
  known <- MU.read (polled env) k
  unless known $ do
    MU.write (polled env) k True
    cold env $ do
      place (asm env) l
      arithmetic (asm env) Xor Half fuel (Reg fuel)
      forM_ (aliveAt (allocation env) k) (uncurry (save env))
      leaveWith env exitPoll at
  pure l
  where
    k = numberOf (body env) at
    l = labelAt (polls env) k

-- | Jump to a gate, which takes one from the fuel. While there is some the processor makes one
-- jump, and not one past the other.
take_ :: Env -> Int -> IO ()
take_ env at = do
  l <- pollFor env at
  arithmeticImmediate (asm env) Sub Full (Reg fuel) 1
  jumpIf (asm env) AboveEqual (bodyOf env at)
  jump (asm env) l

-- | Jump to the gate that comes next.
takeNext :: Env -> Int -> IO ()
takeNext env at = do
  l <- pollFor env at
  arithmeticImmediate (asm env) Sub Full (Reg fuel) 1
  jumpIf (asm env) Below l

-- | Jump to a gate on conditions: the action compares, and gives the conditions on
-- which the jump is not taken, one after the other. A jump back may be given what
-- writes its loop's body once more, and how often the body shall stand there.
takeIf :: Env -> Maybe (Int, IO ()) -> Located -> IO [Condition] -> IO ()
takeIf env again s compared
  | to < stepAt s = do
      -- Back in a loop: the fuel is taken first, so that the jump is one; for all
      -- bodies that follow each other at once.
      scarce <- newLabel a
      over <- newLabel a
      further <- newLabel a
      let copies = maybe 1 fst again
          head_ = bodyOf env to
      arithmeticImmediate a Sub Full (Reg fuel) copies
      jumpIf a Below scarce
      forM_ (zip [copies, copies - 1 .. 2] (maybe [] (repeat . snd) again)) $ \(ahead, write) -> do
        done <- newLabel a
        compared >>= mapM_ (\c -> jumpIf a c done)
        cold env $ do
          place a done
          arithmeticImmediate a Add Full (Reg fuel) ahead
          jump a further
        writeIORef (paid env) (ahead - 1)
        write
      writeIORef (paid env) 0
      compared >>= \case
        [c] -> jumpIf a (opposite c) head_
        cs -> mapM_ (\c -> jumpIf a c over) cs >> jump a head_
      place a over
      arithmeticImmediate a Add Full (Reg fuel) 1
      place a further
      writeIORef (reach env) IntMap.empty
      poll <- pollFor env to
      cold env $ do
        place a scarce
        -- Where there is some for this jump, though not for all, it is made.
        none <- newLabel a
        when (copies > 1) $ do
          arithmeticImmediate a Add Full (Reg fuel) (copies - 1)
          jumpIf a AboveEqual none
          stay <- newLabel a
          cs <- compared
          mapM_ (\c -> jumpIf a c stay) cs
          jump a head_
          place a stay
          arithmeticImmediate a Add Full (Reg fuel) 1
          jump a further
        place a none
        arithmetic a Xor Half fuel (Reg fuel)
        cs <- compared
        mapM_ (\c -> jumpIf a c further) cs
        jump a poll
  | otherwise = do
      -- Forwards: what is written next is taken for what happens more often.
      away <- newLabel a
      compared >>= \case
        [c] -> jumpIf a (opposite c) away
        cs -> do
          over <- newLabel a
          mapM_ (\c -> jumpIf a c over) cs
          jump a away
          place a over
      cold env (place a away >> take_ env to)
  where
    a = asm env
    to = stepAt s + stepA s

-- | The condition that holds where another one does not.
opposite :: Condition -> Condition
opposite = \case
  Overflow -> NoOverflow
  NoOverflow -> Overflow
  Below -> AboveEqual
  AboveEqual -> Below
  Equal -> NotEqual
  NotEqual -> Equal
  BelowEqual -> Above
  Above -> BelowEqual
  Negative -> NotNegative
  NotNegative -> Negative
  Parity -> NoParity
  NoParity -> Parity
  Less -> GreaterEqual
  GreaterEqual -> Less
  LessEqual -> Greater
  Greater -> LessEqual

-- | Compare a slot of 32 bits with zero.
zeroTest :: Env -> Int -> IO ()
zeroTest env slot = do
  known <- flagged env Half slot
  unless known (whole env Half slot rax >>= zeroOperand env Half)

-- | Set the flags as a comparison of an operand with zero does.
zeroOperand :: Env -> Size -> Operand -> IO ()
zeroOperand env size_ = \case
  Reg r -> test (asm env) size_ r r
  m -> arithmeticImmediate (asm env) Cmp size_ m 0

-- | A row of jumps, of five bytes each; the index chooses one, the last beyond them.
jumpTable :: Env -> Located -> IO ()
jumpTable env s = do
  table <- newLabel a
  into env Half (stepB s) rax
  loadImmediate a rcx (fromIntegral (stepC s))
  arithmetic a Cmp Full rax (Reg rcx)
  moveIf a AboveEqual Full rax (Reg rcx)
  multiplyImmediate a Full rax (Reg rax) 5
  loadLabel a rcx table
  arithmetic a Add Full rax (Reg rcx)
  jumpTo a (Reg rax)
  ways <- newLabels a (U.length to)
  place a table
  U.forM_ (tableTargets s) $ \t -> jump a (maybe table (labelAt ways) (indexIn to t))
  U.iforM_ to $ \k t -> place a (labelAt ways k) >> take_ env t
  where
    a = asm env
    -- Each of them once, in order.
    to = U.fromList (IntSet.toAscList (U.foldl' (flip IntSet.insert) IntSet.empty (tableTargets s)))

-- | The index of a number in a row that is in order.
indexIn :: U.Vector Int -> Int -> Maybe Int
indexIn row x = go 0 (U.length row)
  where
    go low high
      | low >= high = Nothing
      | otherwise = case compare x (row U.! middle) of
          LT -> go low middle
          EQ -> Just middle
          GT -> go (middle + 1) high
      where
        middle = (low + high) `div` 2

-- * Short loops

-- | How often the body of a loop that ends with a jump is written, and its
-- instructions, by number: if it is short and nothing leads into it or out of it.
repeated :: Body -> Int -> Maybe (Int, [Int])
repeated whole_ k = case effectTargets (effectAt whole_ k) of
  [to]
    | to < stepAt (instruction whole_ k),
      n <= 16,
      all straight inside ->
        Just (if n <= 8 then 4 else 2, inside)
    where
      inside = [from .. k - 1]
      from = numberOf whole_ to + 1
      n = k - from
  _ -> Nothing
  where
    straight j = fallsThrough t && null (effectTargets t) && effectCourse t == Through
      where
        t = effectAt whole_ j
