-- | Calls, tail calls and returns.
--
-- The idea: frames and their links are the interpreter's: the bytecode's address to
-- return to and the caller's frame. A call goes by the table in the instance's block,
-- with the function's place there in rax, and leaves the processor's own return address
-- too, on the system's stack, where it foresees where a return leads. These addresses
-- may be forgotten at any time, all at once: below them is one that leads to
-- where the gate of the frame's link says that native code goes on, with the caller's
-- frame in rcx. So a return has the place of its link in rax.
--
-- Start at 'callOwn' and 'back'.
module Tern.Wasm.Native.Call
  ( callOwn,
    callTable,
    callRef,
    tailOwn,
    tailTable,
    tailRef,
    result,
    back,
    nonNull,
  )
where

import Control.Monad (forM_, unless)
import Data.List qualified as List
import Tern.Wasm.Code (exitForeign)
import Tern.Wasm.Layout (funcCode, funcInst, funcTypeId, tableCount, tableElements)
import Tern.Wasm.Native.Assembler
  ( Arithmetic (..),
    Assembler,
    Condition (..),
    Operand (..),
    Size (..),
    arithmetic,
    arithmeticImmediate,
    callTo,
    jump,
    jumpIf,
    jumpTo,
    load,
    loadImmediate,
    newLabel,
    place,
    rax,
    rbp,
    rcx,
    rdi,
    rdx,
    ret,
    store,
    storeFloat,
    test,
  )
import Tern.Wasm.Native.Flow (Effect (..), effectAt, fallsThrough)
import Tern.Wasm.Native.Frame (Env (..), cold, home_, instance_, into, save, saveAll, whole)
import Tern.Wasm.Native.Jump (zeroOperand)
import Tern.Wasm.Native.Leave (departing, trapping)
import Tern.Wasm.Native.Located (Located (..), wideField)
import Tern.Wasm.Native.Registers (Allocation, Home (..), aliveAt, isHalf, lookedAt, passedSlots)
import Tern.Wasm.Prim (minusPtr, nullPtr)
import Tern.Wasm.Trap (Trap (..))

-- * Calls

-- | A call, by its instruction's number: of a function of the module, of a table's element, by a
-- reference. What it passes and what is alive after it is in the frame before. A function of
-- another instance is left to the driver.
callOwn, callTable, callRef :: Env -> Int -> Located -> IO ()
callOwn env k s = do
  saveForCall env k
  link env s (stepC s)
  direct env s callTo
  returned env s
callTable env k s = do
  -- The index is needed in the frame only where the driver makes the call.
  saving passedSlots env k
  tableElement env s (wideField s 0)
  link env s (wideField s 1)
  load (asm env) Full rax (Mem rdx funcCode)
  indirect env callTo
  returned env s
callRef env k s = do
  saveForCall env k
  reference env s
  link env s (stepC s)
  load (asm env) Full rax (Mem rdx funcCode)
  indirect env callTo
  returned env s

-- | By the table of native functions, the place in it in rax.
direct :: Env -> Located -> (Assembler -> Operand -> IO ()) -> IO ()
direct env s go = do
  loadImmediate (asm env) rax (fromIntegral (stepB s))
  go (asm env) (Mem instance_ (native env + stepB s))

indirect :: Env -> (Assembler -> Operand -> IO ()) -> IO ()
indirect env go = go (asm env) (Indexed instance_ rax (native env))

-- | After a return: the frame was the callee's.
returned :: Env -> Located -> IO ()
returned env s = arithmeticImmediate (asm env) Sub Full (Reg rbp) (stepA s)

-- * Calls in the place of this function

-- | The same where the callee takes this function's frame and returns to its caller: its arguments
-- are copied to the frame's beginning, and the link to where it has its own.
tailOwn, tailTable, tailRef :: Env -> Int -> Located -> IO ()
tailOwn env k s = do
  saveForCall env k
  replace env s (stepC s) (wideField s 0) (wideField s 1)
  direct env s jumpTo
tailTable env k s = do
  saveForCall env k
  tableElement env s (wideField s 0)
  load (asm env) Full rdi (Mem rdx funcCode)
  replace env s (wideField s 1) (wideField s 2) (wideField s 3)
  load (asm env) Full rax (Reg rdi)
  indirect env jumpTo
tailRef env k s = do
  saveForCall env k
  reference env s
  load (asm env) Full rdi (Mem rdx funcCode)
  replace env s (stepC s) (wideField s 0) (wideField s 1)
  load (asm env) Full rax (Reg rdi)
  indirect env jumpTo

-- * Their parts

-- | Write to the frame what the call and the driver may look at, and what is alive
-- after the call.
saveForCall :: Env -> Int -> IO ()
saveForCall = saving lookedAt

-- | Given which slots that it reads must be in memory.
saving :: (Allocation -> Int -> Effect -> [(Int, Home)]) -> Env -> Int -> IO ()
saving looked env k = do
  let l = allocation env
      e = effectAt (body env) k
      after =
        if fallsThrough e
          then [h | h@(slot, _) <- aliveAt l (k + 1), slot < effectLost e]
          else []
  saveAll env (List.nub (after <> looked l k e))

-- | Write the link where the function has its own, and go to its frame.
link :: Env -> Located -> Int -> IO ()
link env s at = do
  loadImmediate a rax (fromIntegral ((base env `minusPtr` nullPtr) + stepNext s))
  store a Full (Mem rbp (stepA s + at)) rax
  store a Full (Mem rbp (stepA s + at + 8)) rbp
  arithmeticImmediate a Add Full (Reg rbp) (stepA s)
  where
    a = asm env

-- | The record of a table's function in rdx, all that is asked of it checked.
tableElement :: Env -> Located -> Int -> IO ()
tableElement env s expected = do
  undefined_ <- trapping env UndefinedElement s
  uninitialized <- trapping env UninitializedElement s
  -- The driver looks at the index: a subtype is no mismatch.
  mismatch <- trapping env IndirectCallTypeMismatch s >>= indexed
  foreign_ <- departing env exitForeign s >>= indexed
  r <- case home_ env (stepB s) of
    InRegister q | isHalf (allocation env) (here env) (stepB s) -> pure q
    _ -> rax <$ into env Half (stepB s) rax
  load a Full rdx (Mem instance_ (stepC s))
  arithmetic a Cmp Full r (Mem rdx tableCount)
  jumpIf a AboveEqual undefined_
  load a Full rdx (Mem rdx tableElements)
  load a Full rdx (Indexed8 rdx r 0)
  test a Full rdx rdx
  jumpIf a Equal uninitialized
  load a Full rcx (Mem rdx funcTypeId)
  arithmetic a Cmp Full rcx (Mem instance_ expected)
  jumpIf a NotEqual mismatch
  arithmetic a Cmp Full instance_ (Mem rdx funcInst)
  jumpIf a NotEqual foreign_
  where
    a = asm env
    -- With the index in the frame.
    indexed to = do
      l <- newLabel a
      cold env $ do
        place a l
        save env (stepB s) (home_ env (stepB s))
        jump a to
      pure l

-- | The same for a reference.
reference :: Env -> Located -> IO ()
reference env s = do
  null_ <- trapping env NullReference s
  foreign_ <- departing env exitForeign s
  into env Full (stepB s) rdx
  test a Full rdx rdx
  jumpIf a Equal null_
  arithmetic a Cmp Full instance_ (Mem rdx funcInst)
  jumpIf a NotEqual foreign_
  where
    a = asm env

-- | Move arguments to the frame's beginning and its link to where the new function
-- has its own. No slot is in a register any more.
replace :: Env -> Located -> Int -> Int -> Int -> IO ()
replace env s to n own = do
  load a Full rcx (Mem rbp own)
  load a Full rdx (Mem rbp (own + 8))
  forM_ [0, 8 .. n - 8] $ \o ->
    load a Full rax (Mem rbp (stepA s + o)) >> store a Full (Mem rbp o) rax
  store a Full (Mem rbp to) rcx
  store a Full (Mem rbp (to + 8)) rdx
  where
    a = asm env

-- * Returns

-- | The one result to its place.
result :: Env -> Size -> Int -> IO ()
result env size_ b = case home_ env b of
  InRegister r -> store a size_ (Mem rbp 0) r
  InVector x -> storeFloat a size_ (Mem rbp 0) x
  InFrame -> unless (b == 0) (load a size_ rax (Mem rbp b) >> store a size_ (Mem rbp 0) rax)
  where
    a = asm env

-- | To the caller.
back :: Env -> Located -> IO ()
back env s = loadImmediate a rax (fromIntegral (stepA s)) >> ret a
  where
    a = asm env

-- | A trap where the reference in the field b's slot is null.
nonNull :: Env -> Located -> IO ()
nonNull env s = do
  null_ <- trapping env NullReference s
  x <- whole env Full (stepB s) rax
  zeroOperand env Full x
  jumpIf (asm env) Equal null_
