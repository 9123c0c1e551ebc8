-- | What native code knows of a frame while it is made: where each slot's value is,
-- and the ways out.
--
-- The idea: the templates ask here for a slot as an operand, or in a register, and
-- say where they have made its new value; whether that is a register, a vector
-- register or the frame is decided in "Tern.Wasm.Native.Registers".
--
-- Registers: rbp the frame, r12 the memory's base, r14 the instance's block, which has the
-- memory's size too, r15 the fuel that is left; rax, rcx, xmm0 and xmm1 hold what
-- is on its way, and rdx where an instruction says so ('Tern.Wasm.Native.Flow.effectSpoils').
--
-- Start at 'Env', 'whole' and 'settle'.
module Tern.Wasm.Native.Frame
  ( -- * What is known
    Env (..),
    memory,
    memoryEnd,
    instance_,
    fuel,
    cold,

    -- * Leaving
    leaveWith,

    -- * Writing back and fetching
    saveAll,
    save,
    fetch,
    fetchAll,

    -- * Integers
    whole,
    inRegister,
    into,
    goal,
    settle,
    written,

    -- * Floats
    float,
    inVector,
    intoVector,
    goalVector,
    settleVector,
    meet,

    -- * Vectors
    inVector128,
    intoVector128,
    goal128,
    home128,
    settle128,
    constant128,

    -- * Moves
    home_,
    target,
    move,
    constant,
    fromMemory,
    toMemory,
  )
where

import Control.Monad (forM_, unless, when)
import Data.Bits ((.&.))
import Data.IORef (IORef, modifyIORef', readIORef, writeIORef)
import Data.Int (Int64)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet qualified as IntSet
import Data.Maybe (fromMaybe)
import Data.Vector.Unboxed.Mutable qualified as MU
import Data.Word (Word64)
import Tern.Wasm.Layout (instMemoryEnd)
import Tern.Wasm.Native.Assembler
  ( Arithmetic (..),
    Assembler,
    Bits_ (..),
    Label,
    Operand (..),
    Register,
    Size (..),
    arithmetic,
    bitsFloat,
    copyFloat,
    exchangeable,
    fromInteger_,
    jump,
    load,
    loadFloat,
    loadImmediate,
    newLabel,
    rax,
    rbp,
    rsi,
    store,
    storeFloat,
    storeImmediate,
    toInteger_,
  )
import Tern.Wasm.Native.Assembler qualified as Asm
import Tern.Wasm.Native.Flow (Body, isWideSlot, slotPlace, wideSlot)
import Tern.Wasm.Native.Packed
  ( Lanes (..),
    Packed (..),
    insertLane,
    loadVector,
    packed,
    storeVector,
  )
import Tern.Wasm.Native.Processor (Processor)
import Tern.Wasm.Native.Registers (Allocation, Home (..), aliveAt, homeAfter, homeBefore, isHalf)
import Tern.Wasm.Prim (Ptr)

-- * What is known

-- | What is known of a function while its code is written, and of what has been written.
data Env = Env
  { asm :: !Assembler,
    processor :: !Processor,
    base :: !(Ptr ()),
    native :: !Int,
    allocation :: !Allocation,
    -- | The number of the instruction that code is written for.
    here :: !Int,
    -- | How many bytes the memory has at least.
    least :: !Int,
    body :: !Body,
    -- | Labels for each instruction, of which gates alone use some: where its code begins for
    -- those who jump there, where it is entered from outside, and where code is left before
    -- it is jumped to.
    bodies :: !Label,
    entries :: !Label,
    polls :: !Label,
    -- | Which of the last are written, or will be.
    polled :: !(MU.IOVector Bool),
    -- | What is written out of the way, the last first, and how much there is.
    later :: !(IORef [IO ()]),
    waiting :: !(IORef Int),
    -- | Where the loop is left for each reason.
    exits :: !(IORef (IntMap.IntMap Label)),
    -- | The slots in registers that the frame has too.
    clean :: !(IORef IntSet.IntSet),
    -- | The slots that have been compared with the memory's size, as addresses of 32
    -- bits: how many bytes from there on are in it.
    reach :: !(IORef (IntMap.IntMap Int)),
    -- | How many jumps are paid for that have not been made, in what is written.
    paid :: !(IORef Int),
    -- | Constants that stand behind the code.
    literals :: !(IORef (IntMap.IntMap Label)),
    -- | The slot that the instruction before has not written, and its constant.
    held :: !(Maybe (Int, Int)),
    -- | By the number of an instruction: a slot that was not loaded for it, and where that is.
    folded :: !(IORef (Int, Int, Operand)),
    -- | Where in the code the flags are as for a comparison of a slot with zero; see
    -- "Tern.Wasm.Native.Flag".
    flags :: !(IORef (Int, Int, Size)),
    -- | By the number of an instruction: a slot that was not made for it, and the register whose
    -- opposite that is.
    inverse :: !(IORef (Int, Int, Register)),
    -- | By the number of an instruction: a slot that it has written to the frame, and the vector
    -- register that has it too.
    lately :: !(IORef (Int, Int, Asm.Vector)),
    -- | Whether every instruction so far has code.
    complete :: !(IORef Bool)
  }

-- | What holds the first memory's base, the instance's block, and the fuel that is left: r12, r14
-- and r15.
memory, instance_, fuel :: Register
memory = 12
instance_ = 14
fuel = 15

-- | How many bytes the memory has.
memoryEnd :: Operand
memoryEnd = Mem instance_ instMemoryEnd

-- | Write something later, out of the way of what is usual: see
-- 'Tern.Wasm.Native.Cold.island'.
cold :: Env -> IO () -> IO ()
cold env action = modifyIORef' (later env) (action :) >> modifyIORef' (waiting env) (+ 1)

-- | A slot that was not written since the instruction has it in its own code, or reads it from
-- memory; else what is said.
elsewhere :: Env -> Int -> IO Operand -> IO Operand
elsewhere env slot otherwise_ = case held env of
  Just (named, v) | named == slot -> literalOf env v
  _ -> do
    (k, named, m) <- readIORef (folded env)
    if k == here env && named == slot then pure m else otherwise_

-- | A constant of 64 bits, as an operand.
literalOf :: Env -> Int -> IO Operand
literalOf env v = do
  known <- readIORef (literals env)
  case IntMap.lookup v known of
    Just l -> pure (InCode l)
    Nothing -> do
      l <- newLabel (asm env)
      InCode l <$ writeIORef (literals env) (IntMap.insert v l known)

-- * Leaving

-- | Where to jump in order to leave for a reason, the distance of the instruction
-- in rsi.
exitFor :: Env -> Int -> IO Label
exitFor env code = do
  known <- readIORef (exits env)
  case IntMap.lookup code known of
    Just l -> pure l
    Nothing -> do
      l <- newLabel (asm env)
      l <$ writeIORef (exits env) (IntMap.insert code l known)

-- | Leave for a reason, at a distance in the bytecode.
leaveWith :: Env -> Int -> Int -> IO ()
leaveWith env code at = do
  l <- exitFor env code
  loadImmediate (asm env) rsi (fromIntegral at)
  jump (asm env) l

-- * Writing back and fetching

-- | Write slots to the frame, but for those that it has already: see 'clean'.
saveAll :: Env -> [(Int, Home)] -> IO ()
saveAll env slots = forM_ slots $ \(slot, home) -> do
  known <- readIORef (clean env)
  unless (IntSet.member slot known) (save env slot home)

-- | Write a slot from its register to the frame, all of its 8 or 16 bytes; nothing if it has none.
save :: Env -> Int -> Home -> IO ()
save env slot = \case
  InRegister r -> store (asm env) Full (Mem rbp slot) r
  InVector x
    | isWideSlot slot -> storeVector (asm env) (Mem rbp (slotPlace slot)) x
    | otherwise -> storeFloat (asm env) Full (Mem rbp slot) x
  InFrame -> pure ()

-- | What is alive before the instruction.
fetch :: Env -> (Int, Home) -> IO ()
fetch env (slot, home) = case home of
  InRegister r ->
    load (asm env) (if isHalf (allocation env) (here env) slot then Half else Full) r (Mem rbp slot)
  InVector x
    | isWideSlot slot -> loadVector (asm env) x (Mem rbp (slotPlace slot))
    | otherwise -> loadFloat (asm env) Full x (Mem rbp slot)
  InFrame -> pure ()

-- | All that is alive before the instruction, in registers from the frame; it is then in both.
fetchAll :: Env -> IO ()
fetchAll env = do
  mapM_ (fetch env) slots
  writeIORef (clean env) (IntSet.fromList (map fst slots))
  where
    slots = aliveAt (allocation env) (here env)

-- | Forget what is known of a slot that gets another value: that the frame has it too, how many
-- bytes from there on are in the memory, and that the flags are as it is. A copy may take no code
-- at all, so that where the code ends does not say that nothing was written.
written :: Env -> Int -> IO ()
written env slot = do
  modifyIORef' (clean env) (IntSet.delete slot)
  modifyIORef' (reach env) (IntMap.delete slot)
  modifyIORef' (flags env) $ \was@(_, of_, _) -> if of_ == slot then (-1, 0, Half) else was

-- | Where a slot is that the instruction reads, and where one is to be that it writes.
home_, target :: Env -> Int -> Home
home_ env = homeBefore (allocation env) (here env)
target env = homeAfter (allocation env) (here env)

-- * Integers

-- | A slot as an operand of an instruction for integers; from a vector register
-- through another one.
whole :: Env -> Size -> Int -> Register -> IO Operand
whole env s slot through = elsewhere env slot $ case home_ env slot of
  InRegister r -> pure (Reg r)
  InFrame -> pure (Mem rbp slot)
  InVector x -> Reg through <$ toInteger_ (asm env) s through x

-- | In a register, through another one if it is not in one.
inRegister :: Env -> Size -> Int -> Register -> IO Register
inRegister env s slot through = case home_ env slot of
  InRegister r -> pure r
  _ -> through <$ into env s slot through

-- | Into a register.
into :: Env -> Size -> Int -> Register -> IO ()
into env s slot r = case home_ env slot of
  InRegister q -> when (q /= r || s == Half) (load (asm env) s r (Reg q))
  InFrame -> load (asm env) s r (Mem rbp slot)
  InVector x -> toInteger_ (asm env) s r x

-- | The register in which to make a slot's value.
goal :: Env -> Int -> Register
goal env slot = case target env slot of
  InRegister r -> r
  _ -> rax

-- | A slot's value was made in a register.
settle :: Env -> Size -> Int -> Register -> IO ()
settle env s slot r = do
  written env slot
  case target env slot of
    InRegister q -> when (q /= r) (load (asm env) s q (Reg r))
    InFrame -> store (asm env) s (Mem rbp slot) r
    InVector x -> fromInteger_ (asm env) s x r

-- * Floats

-- | The same for floats.
float :: Env -> Size -> Int -> Asm.Vector -> IO Operand
float env s slot through = elsewhere env slot $ case home_ env slot of
  InVector x -> pure (Reg x)
  InFrame -> pure (Mem rbp slot)
  InRegister r -> Reg through <$ fromInteger_ (asm env) s through r

-- | Into a vector register, from wherever the slot is.
intoVector :: Env -> Size -> Int -> Asm.Vector -> IO ()
intoVector env s slot x = case home_ env slot of
  InVector y -> when (x /= y) (copyFloat (asm env) x y)
  InFrame -> loadFloat (asm env) s x (Mem rbp slot)
  InRegister r -> fromInteger_ (asm env) s x r

-- | In a vector register, through another one if it is not in one.
inVector :: Env -> Size -> Int -> Asm.Vector -> IO Asm.Vector
inVector env s slot through = case home_ env slot of
  InVector x -> pure x
  _ -> through <$ intoVector env s slot through

-- | The vector register in which to make a slot's value: xmm0 where the slot has none.
goalVector :: Env -> Int -> Asm.Vector
goalVector env slot = case target env slot of
  InVector x -> x
  _ -> 0

-- | A slot's value was made in a vector register; it is moved to the slot's home.
settleVector :: Env -> Size -> Int -> Asm.Vector -> IO ()
settleVector env s slot x = do
  written env slot
  case target env slot of
    InVector y -> when (x /= y) (copyFloat (asm env) y x)
    InFrame -> do
      storeFloat (asm env) s (Mem rbp slot) x
      writeIORef (lately env) (here env, slot, x)
    InRegister r -> toInteger_ (asm env) s r x

-- | Two ways meet here. The slot that was just written is in the frame by either, but in which
-- register it is besides depends on the way.
meet :: Env -> Label -> IO ()
meet env label = do
  Asm.place (asm env) label
  writeIORef (lately env) (-2, 0, 0)

-- * Vectors

-- | The same for vectors, given where in the frame they are; they are never in a register
-- for integers.
intoVector128 :: Env -> Int -> Asm.Vector -> IO ()
intoVector128 env slot x = case vectorHome home_ env slot of
  Just y -> when (x /= y) (copyFloat (asm env) x y)
  Nothing -> loadVector (asm env) x (Mem rbp slot)

-- | In a vector register, through another one if it is in the frame.
inVector128 :: Env -> Int -> Asm.Vector -> IO Asm.Vector
inVector128 env slot through = case vectorHome home_ env slot of
  Just x -> pure x
  Nothing -> through <$ intoVector128 env slot through

-- | The register that a vector is in.
home128 :: Env -> Int -> Maybe Asm.Vector
home128 = vectorHome home_

vectorHome :: (Env -> Int -> Home) -> Env -> Int -> Maybe Asm.Vector
vectorHome look env slot = case look env (wideSlot slot) of
  InVector x -> Just x
  InRegister _ -> Nothing
  InFrame -> Nothing

-- | The register in which to make a vector: xmm0 where it has none.
goal128 :: Env -> Int -> Asm.Vector
goal128 env = fromMaybe 0 . vectorHome target env

-- | A vector was made in a register; it is moved to its home.
settle128 :: Env -> Int -> Asm.Vector -> IO ()
settle128 env slot x = do
  written env (wideSlot slot)
  case vectorHome target env slot of
    Just y -> when (x /= y) (copyFloat (asm env) y x)
    Nothing -> storeVector (asm env) (Mem rbp slot) x

-- | The two halves of a vector, given, in a register; through rax.
constant128 :: Env -> Asm.Vector -> Word64 -> Word64 -> IO ()
constant128 env x low high
  | low == 0 && high == 0 = packed a Pxor x (Reg x)
  | low == maxBound && high == maxBound = packed a PcmpeqD x (Reg x)
  | otherwise = do
      loadImmediate a rax (fromIntegral low)
      fromInteger_ a Full x rax
      if high == low
        then packed a PunpckLQDQ x (Reg x)
        else unless (high == 0) $ do
          loadImmediate a rax (fromIntegral high)
          insertLane a Lanes64 1 x (Reg rax)
  where
    a = asm env

-- * Moves

-- | From a place in memory to a slot, through rax, and back, through a register.
fromMemory :: Env -> Size -> Int -> Operand -> IO ()
fromMemory env s slot m = do
  written env slot
  case target env slot of
    InRegister r -> load (asm env) s r m
    InVector x -> loadFloat (asm env) s x m
    InFrame -> load (asm env) s rax m >> store (asm env) s (Mem rbp slot) rax

-- | From a slot to a place in memory. The register that it goes through, where the slot is in the
-- frame, must not be one that the place is named by.
toMemory :: Env -> Register -> Size -> Int -> Operand -> IO ()
toMemory env through s slot m = case home_ env slot of
  InRegister r -> store (asm env) s m r
  InVector x -> storeFloat (asm env) s m x
  InFrame -> do
    -- What the instruction before has made is still where it was made: nothing comes between,
    -- and no address goes by a vector register.
    (k, made, x) <- readIORef (lately env)
    if k + 1 == here env && made == slot
      then storeFloat (asm env) s m x
      else load (asm env) s through (Mem rbp slot) >> store (asm env) s m through

-- | A slot's value to another slot.
move :: Env -> Size -> Int -> Int -> IO ()
move env s to from = case home_ env from of
  InFrame -> fromMemory env s to (Mem rbp from)
  InRegister r -> do
    -- What is above the 32 bits that are meant must not become part of an address.
    let whole_ = not (isHalf (allocation env) (here env) from)
    when (s == Half && target env to == InRegister r && whole_) $
      load (asm env) Half r (Reg r)
    settle env s to r
  InVector x -> settleVector env s to x

-- | A number, or its low 32 bits, to a slot; through rax if it must be. May change the flags.
constant :: Env -> Size -> Int -> Int64 -> IO ()
constant env s slot v = do
  written env slot
  case target env slot of
    InRegister r -> clear r
    InVector x
      | v == 0 -> bitsFloat a XorB x x
      | otherwise -> literalOf env (fromIntegral v) >>= loadFloat a s x
    InFrame
      | s == Half || exchangeable (fromIntegral v) ->
          storeImmediate a s (Mem rbp slot) (fromIntegral v)
      | otherwise -> loadImmediate a rax v >> store a s (Mem rbp slot) rax
  where
    a = asm env
    clear r
      | v == 0 = arithmetic a Xor Half r (Reg r)
      | s == Half = loadImmediate a r (v .&. 0xFFFFFFFF)
      | otherwise = loadImmediate a r v
