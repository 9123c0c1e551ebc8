-- | Where native code is entered: at the beginning of a function, and at its gates.
--
-- The idea: who comes from elsewhere has the frame's address, and all slots in it; what is in
-- registers is fetched from there.
--
-- Start at 'enter' and 'gate'.
module Tern.Wasm.Native.Entry
  ( enter,
    gate,
  )
where

import Control.Monad (unless, when)
import Data.IORef (writeIORef)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet qualified as IntSet
import Tern.Wasm.Code (exitEntry, exitStack)
import Tern.Wasm.Layout (instReturns, instReturnsEnd, instStackLimit)
import Tern.Wasm.Meaning (Meaning (..), meaning)
import Tern.Wasm.Native.Assembler
  ( Arithmetic (..),
    Condition (..),
    Operand (..),
    Size (..),
    address,
    align,
    arithmetic,
    arithmeticImmediate,
    jump,
    jumpIf,
    labelAt,
    load,
    newLabel,
    place,
    rax,
    rbp,
    rcx,
    rsp,
  )
import Tern.Wasm.Native.Flag (unflagged)
import Tern.Wasm.Native.Flow (Course (..), Effect (..), bodyLength, effectAt, instruction)
import Tern.Wasm.Native.Frame (Env (..), cold, fetch, fetchAll, fuel, instance_, leaveWith)
import Tern.Wasm.Native.Jump (bodyOf)
import Tern.Wasm.Native.Leave (departing)
import Tern.Wasm.Native.Located (Located (..))
import Tern.Wasm.Native.Registers (aliveAt, isLabelled, isLoopHead)

-- | Where a function begins: its frame ends below the stack's end, and it takes one from
-- the fuel.
enter :: Env -> Located -> IO ()
enter env s = do
  place a (labelAt (entries env) (here env))
  exhausted <- departing env exitStack s
  scarce <- newLabel a
  cold env (place a scarce >> arithmetic a Xor Half fuel (Reg fuel) >> leaveWith env exitEntry 0)
  address a Full rax (Mem rbp (stepA s))
  arithmetic a Cmp Full rax (Mem instance_ instStackLimit)
  jumpIf a Above exhausted
  -- What calls nothing leaves no address.
  unless leaf $ do
    full <- newLabel a
    room <- newLabel a
    arithmetic a Cmp Full rsp (Mem instance_ instReturnsEnd)
    jumpIf a Below full
    place a room
    cold env (place a full >> load a Full rsp (Mem instance_ instReturns) >> jump a room)
  arithmeticImmediate a Sub Full (Reg fuel) 1
  jumpIf a Below scarce
  fetchAll env
  where
    a = asm env
    leaf = all (quiet . meaning . stepOp . instruction (body env)) [0 .. bodyLength (body env) - 1]
    quiet = \case
      Calls _ -> False
      _ -> True

-- | Where code is entered, with its frame in rcx. After what comes back to it that is the
-- way there that is laid out first. What others jump there with is in registers alone, whatever
-- stands before: so nothing is taken to be in the frame as well.
gate :: Env -> Located -> IO ()
gate env s = do
  writeIORef (reach env) IntMap.empty
  unflagged env
  case meaning . stepOp . instruction (body env) <$> before of
    Just (Calls _) -> do
      fetching <- newLabel a
      place a fetching
      fetchAll env
      joined
      cold env (place a entry >> load a Full rbp (Reg rcx) >> jump a fetching)
    _
      | fmap (effectCourse . effectAt (body env)) before == Just Out -> do
          place a entry
          load a Full rbp (Reg rcx)
          fetchAll env
          joined
      | otherwise -> do
          when (isLoopHead (allocation env) (here env)) (align a 32)
          place a head_
          unfetched
          cold env $ do
            place a entry
            load a Full rbp (Reg rcx)
            mapM_ (fetch env) (aliveAt (allocation env) (here env))
            jump a head_
  where
    a = asm env
    before = if here env > 0 then Just (here env - 1) else Nothing
    entry = labelAt (entries env) (here env)
    head_ = bodyOf env (stepAt s)
    joined = do
      place a head_
      when (isLabelled (allocation env) (here env)) unfetched
    unfetched = writeIORef (clean env) IntSet.empty
