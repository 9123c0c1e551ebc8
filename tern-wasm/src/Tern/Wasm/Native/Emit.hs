-- | Native code for a function: its bytecode's instructions, one by one.
--
-- The idea: what a frame is and where each value may be, the bytecode has decided;
-- here every instruction becomes the few of the processor that do it, with the
-- slots that "Tern.Wasm.Native.Registers" chose in registers. Before anything that
-- others look at (a call, what the driver does, the end of a slice of fuel) the
-- slots that are alive are written to the frame, so that code can be left and
-- entered at every gate, and the interpreter could go on from there as well.
--
-- Registers: rbp the frame, r12 and r13 the memory's base and size, r14 the
-- instance's block, r15 the fuel that is left; rax, rcx, rdx, xmm0 and xmm1 hold
-- what is on its way. A gate is entered with its frame in rcx; a function with its
-- place in the instance's table in rax and its frame in rbp.
--
-- Start at 'emit'.
module Tern.Wasm.Native.Emit
  ( emit,
    Emitted (..),
  )
where

import Control.Monad (forM, forM_, unless, when)
import Data.Bits (shiftL, (.&.), (.|.))
import Data.IORef
import Data.Int (Int64)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet qualified as IntSet
import Data.List qualified as List
import Data.Maybe (fromMaybe)
import Data.Vector qualified as V
import Foreign.Ptr (Ptr, minusPtr, nullPtr)
import GHC.Float (castDoubleToWord64)
import Tern.Wasm.Code hiding (unit)
import Tern.Wasm.Native.Assembler
import Tern.Wasm.Native.Assembler qualified as Asm
import Tern.Wasm.Native.Flow
import Tern.Wasm.Native.Registers

-- | The code, and for the gates (by their bytes in the bytecode) where each is
-- entered in it.
data Emitted = Emitted {emittedCode :: !Assembler, emittedGates :: ![(Int, Int)]}

data Env = Env
  { asm :: !Assembler,
    base :: !(Ptr ()),
    native :: !Int,
    allocation :: !Allocation,
    effects :: !(V.Vector Effect),
    indexAt :: Int -> Int,
    -- | Where each gate's code begins for those who jump there.
    bodies :: !(IntMap.IntMap Label),
    -- | Where it is entered from outside.
    gates :: !(IORef [(Int, Label)]),
    -- | What is written behind the function, the last first.
    later :: !(IORef [IO ()]),
    -- | Where the loop is left for each reason, and for a poll before each target.
    exits :: !(IORef (IntMap.IntMap Label)),
    polls :: !(IORef (IntMap.IntMap Label)),
    -- | The slots in registers that the frame has too.
    clean :: !(IORef IntSet.IntSet)
  }

memory, memorySize_, instance_, fuel :: Register
memory = 12
memorySize_ = 13
instance_ = 14
fuel = 15

-- | The code of a function. Linear in its bytecode, about.
emit :: Int -> Ptr () -> V.Vector Step -> V.Vector Effect -> (Int -> Int) -> IO Emitted
emit nativeTable address_ code effects_ index = do
  a <- new
  labels_ <- forM [s | s <- V.toList code, stepOp s == Gate] $ \s -> (stepAt s,) <$> newLabel a
  env <-
    Env a address_ nativeTable (allocate code effects_ index) effects_ index (IntMap.fromList labels_)
      <$> newIORef []
      <*> newIORef []
      <*> newIORef IntMap.empty
      <*> newIORef IntMap.empty
      <*> newIORef IntSet.empty
  V.iforM_ code (\k s -> step env (if k > 0 then Just (code V.! (k - 1)) else Nothing) k s)
  coldCode env
  epilogue env
  entered <- readIORef (gates env)
  placed <- forM entered $ \(at, l) -> fmap (at,) <$> placeOf a l
  pure (Emitted a [g | Just g <- placed])

-- | What was put off, and what that puts off.
coldCode :: Env -> IO ()
coldCode env = do
  actions <- readIORef (later env)
  unless (null actions) $ do
    writeIORef (later env) []
    sequence_ (reverse actions)
    coldCode env

cold :: Env -> IO () -> IO ()
cold env action = modifyIORef' (later env) (action :)

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
      writeIORef (exits env) (IntMap.insert code l known)
      pure l

-- | Leave for a reason, at a distance in the bytecode.
leaveWith :: Env -> Int -> Int -> IO ()
leaveWith env code at = do
  l <- exitFor env code
  loadImmediate (asm env) rsi (fromIntegral at)
  jump (asm env) l

-- | The ways out, and the common one.
epilogue :: Env -> IO ()
epilogue env = do
  known <- readIORef (exits env)
  out <- newLabel a
  forM_ (IntMap.toList known) $ \(code, l) -> do
    place a l
    loadImmediate a rax (fromIntegral code)
    jump a out
  place a out
  loadImmediate a rdx (fromIntegral (base env `minusPtr` nullPtr))
  arithmetic a Add Full rsi (Reg rdx)
  store a Full (Mem instance_ instExitIp) rsi
  store a Full (Mem instance_ instExitFrame) rbp
  store a Full (Mem instance_ instFuel) fuel
  forM_ [15, 14, 13, 12, rbx, rbp] (pop a)
  ret a
  where
    a = asm env

-- | A label behind the function, where a trap is.
trapping :: Env -> Int -> Step -> IO Label
trapping env code s = do
  l <- newLabel (asm env)
  cold env (place (asm env) l >> leaveWith env code (stepAt s))
  pure l

-- * Slots

saveAll :: Env -> [(Int, Home)] -> IO ()
saveAll env slots = forM_ slots $ \(slot, home) -> do
  known <- readIORef (clean env)
  unless (IntSet.member slot known) (save env slot home)

save :: Env -> Int -> Home -> IO ()
save env slot = \case
  InRegister r -> store (asm env) Full (Mem rbp slot) r
  InVector x -> storeFloat (asm env) Full (Mem rbp slot) x
  InFrame -> pure ()

fetch :: Env -> (Int, Home) -> IO ()
fetch env (slot, home) = case home of
  InRegister r -> load (asm env) Full r (Mem rbp slot)
  InVector x -> loadFloat (asm env) Full x (Mem rbp slot)
  InFrame -> pure ()

fetchAll :: Env -> Int -> IO ()
fetchAll env k = do
  mapM_ (fetch env) slots
  writeIORef (clean env) (IntSet.fromList (map fst slots))
  where
    slots = aliveAt (allocation env) k

written :: Env -> Int -> IO ()
written env slot = modifyIORef' (clean env) (IntSet.delete slot)

home_ :: Env -> Int -> Home
home_ env = homeOf (allocation env)

-- | A slot as an operand of an instruction for integers; from a vector register
-- through another one.
whole :: Env -> Size -> Int -> Register -> IO Operand
whole env s slot through = case home_ env slot of
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
goal env slot = case home_ env slot of
  InRegister r -> r
  _ -> rax

-- | A slot's value was made in a register.
settle :: Env -> Size -> Int -> Register -> IO ()
settle env s slot r = do
  written env slot
  case home_ env slot of
    InRegister q -> when (q /= r) (load (asm env) s q (Reg r))
    InFrame -> store (asm env) s (Mem rbp slot) r
    InVector x -> fromInteger_ (asm env) s x r

-- | The same for floats.
float :: Env -> Size -> Int -> Asm.Vector -> IO Operand
float env s slot through = case home_ env slot of
  InVector x -> pure (Reg x)
  InFrame -> pure (Mem rbp slot)
  InRegister r -> Reg through <$ fromInteger_ (asm env) s through r

intoVector :: Env -> Size -> Int -> Asm.Vector -> IO ()
intoVector env s slot x = case home_ env slot of
  InVector y -> when (x /= y) (copyFloat (asm env) x y)
  InFrame -> loadFloat (asm env) s x (Mem rbp slot)
  InRegister r -> fromInteger_ (asm env) s x r

inVector :: Env -> Size -> Int -> Asm.Vector -> IO Asm.Vector
inVector env s slot through = case home_ env slot of
  InVector x -> pure x
  _ -> through <$ intoVector env s slot through

goalVector :: Env -> Int -> Asm.Vector
goalVector env slot = case home_ env slot of
  InVector x -> x
  _ -> 0

settleVector :: Env -> Size -> Int -> Asm.Vector -> IO ()
settleVector env s slot x = do
  written env slot
  case home_ env slot of
    InVector y -> when (x /= y) (copyFloat (asm env) y x)
    InFrame -> storeFloat (asm env) s (Mem rbp slot) x
    InRegister r -> toInteger_ (asm env) s r x

-- | From a place in memory to a slot, and back; through rdx.
fromMemory, toMemory :: Env -> Size -> Int -> Operand -> IO ()
fromMemory env s slot m = do
  written env slot
  case home_ env slot of
    InRegister r -> load (asm env) s r m
    InVector x -> loadFloat (asm env) s x m
    InFrame -> load (asm env) s rdx m >> store (asm env) s (Mem rbp slot) rdx
toMemory env s slot m = case home_ env slot of
  InRegister r -> store (asm env) s m r
  InVector x -> storeFloat (asm env) s m x
  InFrame -> load (asm env) s rdx (Mem rbp slot) >> store (asm env) s m rdx

-- | A slot's value to another slot.
move :: Env -> Size -> Int -> Int -> IO ()
move env s to from = case home_ env from of
  InFrame -> fromMemory env s to (Mem rbp from)
  InRegister r -> settle env s to r
  InVector x -> settleVector env s to x

constant :: Env -> Size -> Int -> Int64 -> IO ()
constant env s slot v = do
  written env slot
  case home_ env slot of
    InRegister r -> clear r
    InVector x
      | v == 0 -> bitsFloat a XorB x x
      | otherwise -> loadImmediate a rax v >> fromInteger_ a s x rax
    InFrame
      | s == Half || exchangeable (fromIntegral v) -> storeImmediate a s (Mem rbp slot) (fromIntegral v)
      | otherwise -> loadImmediate a rax v >> store a s (Mem rbp slot) rax
  where
    a = asm env
    clear r
      | v == 0 = arithmetic a Xor Half r (Reg r)
      | s == Half = loadImmediate a r (v .&. 0xFFFFFFFF)
      | otherwise = loadImmediate a r v

-- * Jumps

bodyOf :: Env -> Int -> IO Label
bodyOf env at = maybe (newLabel (asm env)) pure (IntMap.lookup at (bodies env))

-- | Where to go when the fuel is used up before a jump to a gate: what is alive
-- there is written to the frame.
pollFor :: Env -> Int -> IO Label
pollFor env at = do
  known <- readIORef (polls env)
  case IntMap.lookup at known of
    Just l -> pure l
    Nothing -> do
      l <- newLabel (asm env)
      writeIORef (polls env) (IntMap.insert at l known)
      cold env $ do
        place (asm env) l
        arithmetic (asm env) Xor Half fuel (Reg fuel)
        forM_ (aliveAt (allocation env) (indexAt env at)) (uncurry (save env))
        leaveWith env exitPoll at
      pure l

-- | Jump to a gate, which takes one from the fuel.
take_ :: Env -> Int -> IO ()
take_ env at = do
  l <- pollFor env at
  arithmeticImmediate (asm env) Sub Full (Reg fuel) 1
  jumpIf (asm env) Below l
  bodyOf env at >>= jump (asm env)

-- | Jump to a gate on conditions: the action compares, and gives the conditions on
-- which the jump is not taken, one after the other.
takeIf :: Env -> Step -> IO [Condition] -> IO ()
takeIf env s compared
  | to < stepAt s = do
      -- Back in a loop: the fuel is taken first, so that the jump is one.
      conditions <- newIORef []
      scarce <- newLabel a
      over <- newLabel a
      further <- newLabel a
      arithmeticImmediate a Sub Full (Reg fuel) 1
      jumpIf a Below scarce
      compared >>= writeIORef conditions
      body <- bodyOf env to
      readIORef conditions >>= \case
        [c] -> jumpIf a (opposite c) body
        cs -> mapM_ (\c -> jumpIf a c over) cs >> jump a body
      place a over
      arithmeticImmediate a Add Full (Reg fuel) 1
      place a further
      poll <- pollFor env to
      cold env $ do
        place a scarce
        arithmetic a Xor Half fuel (Reg fuel)
        cs <- compared
        mapM_ (\c -> jumpIf a c further) cs
        jump a poll
  | otherwise = do
      over <- newLabel a
      cs <- compared
      mapM_ (\c -> jumpIf a c over) cs
      take_ env to
      place a over
  where
    a = asm env
    to = stepAt s + stepA s

opposite :: Condition -> Condition
opposite c = toEnum (if even (fromEnum c) then fromEnum c + 1 else fromEnum c - 1)

-- * Instructions

step :: Env -> Maybe Step -> Int -> Step -> IO ()
step env before k s = case op of
  Enter -> do
    l <- newLabel a
    place a l
    modifyIORef' (gates env) ((0, l) :)
    exhausted <- trapping env exitStack s
    scarce <- newLabel a
    cold env (place a scarce >> arithmetic a Xor Half fuel (Reg fuel) >> leaveWith env exitEntry 0)
    address a Full rax (Mem rbp (stepA s))
    arithmetic a Cmp Full rax (Mem instance_ instStackLimit)
    jumpIf a Above exhausted
    arithmeticImmediate a Sub Full (Reg fuel) 1
    jumpIf a Below scarce
    fetchAll env k
  Gate -> do
    entry <- newLabel a
    modifyIORef' (gates env) ((stepAt s, entry) :)
    body <- bodyOf env (stepAt s)
    if maybe False (comesBack . stepOp) before
      then do
        place a entry
        load a Full rbp (Reg rcx)
        fetchAll env k
        place a body
      else do
        place a body
        writeIORef (clean env) IntSet.empty
        cold env $ do
          place a entry
          load a Full rbp (Reg rcx)
          mapM_ (fetch env) (aliveAt (allocation env) k)
          jump a body
  Stop -> leaveWith env exitUnreachable (stepAt s)
  Tally -> do
    load a Full rax (Mem instance_ instCounters)
    increment a Full (Mem rax (stepA s))
  Jump -> take_ env (stepAt s + stepA s)
  JumpIf -> takeIf env s ([Equal] <$ zeroTest)
  JumpIfNot -> takeIf env s ([NotEqual] <$ zeroTest)
  JumpTable -> jumpTable
  CallOwn -> do
    saveForCall []
    link (stepC s)
    loadImmediate a rax (fromIntegral b)
    jumpTo a (Mem instance_ (native env + b))
  CallTable -> do
    saveForCall [b]
    tableElement (wideField s 0)
    link (wideField s 1)
    load a Full rax (Mem rdx funcCode)
    jumpTo a (Indexed instance_ rax (native env))
  CallFunc -> do
    saveForCall [b]
    reference
    link c
    load a Full rax (Mem rdx funcCode)
    jumpTo a (Indexed instance_ rax (native env))
  TailOwn -> do
    saveForCall []
    replace c (wideField s 0) (wideField s 1)
    loadImmediate a rax (fromIntegral b)
    jumpTo a (Mem instance_ (native env + b))
  TailTable -> do
    saveForCall [b]
    tableElement (wideField s 0)
    load a Full rdi (Mem rdx funcCode)
    replace (wideField s 1) (wideField s 2) (wideField s 3)
    load a Full rax (Reg rdi)
    jumpTo a (Indexed instance_ rax (native env))
  TailRef -> do
    saveForCall [b]
    reference
    load a Full rdi (Mem rdx funcCode)
    replace c (wideField s 0) (wideField s 1)
    load a Full rax (Reg rdi)
    jumpTo a (Indexed instance_ rax (native env))
  NonNull -> do
    null_ <- trapping env exitNull s
    x <- whole env Full b rax
    zeroOperand Full x
    jumpIf a Equal null_
  Ret -> saveAll env (passedSlots (allocation env) e) >> back
  Ret32 -> result Half >> back
  Ret64 -> result Full >> back
  Const32 -> constant env Half (stepA s) (fromIntegral b)
  Const64 -> constant env Full (stepA s) (fromIntegral ((b .&. 0xFFFFFFFF) .|. (c `shiftL` 32)))
  Copy32 -> move env Half (stepA s) b
  Copy64 -> move env Full (stepA s) b
  Copy128 -> copy128 (Mem rbp b, Mem rbp (b + 8)) (Mem rbp (stepA s), Mem rbp (stepA s + 8))
  Zero1 -> constant env Full (stepA s) 0
  Zero2 -> forM_ [0, 8] $ \o -> constant env Full (stepA s + o) 0
  Zero4 -> forM_ [0, 8, 16, 24] $ \o -> constant env Full (stepA s + o) 0
  Select32 -> select Half
  Select64 -> select Full
  Select128 -> do
    other <- newLabel a
    done <- newLabel a
    x <- whole env Half (wideField s 0) rax
    zeroOperand Half x
    jumpIf a Equal other
    copy128 (Mem rbp b, Mem rbp (b + 8)) (Mem rbp (stepA s), Mem rbp (stepA s + 8))
    jump a done
    place a other
    copy128 (Mem rbp c, Mem rbp (c + 8)) (Mem rbp (stepA s), Mem rbp (stepA s + 8))
    place a done
  Global32 -> fromMemory env Half (stepA s) (Mem instance_ b)
  Global64 -> fromMemory env Full (stepA s) (Mem instance_ b)
  Global128 -> copy128 (Mem instance_ b, Mem instance_ (b + 8)) (Mem rbp (stepA s), Mem rbp (stepA s + 8))
  SetGlobal32 -> toMemory env Half (stepA s) (Mem instance_ b)
  SetGlobal64 -> toMemory env Full (stepA s) (Mem instance_ b)
  SetGlobal128 -> copy128 (Mem rbp (stepA s), Mem rbp (stepA s + 8)) (Mem instance_ b, Mem instance_ (b + 8))
  Far64 -> load a Full rax (Mem instance_ b) >> fromMemory env Full (stepA s) (Mem rax 0)
  Far128 -> load a Full rcx (Mem instance_ b) >> copy128 (Mem rcx 0, Mem rcx 8) (Mem rbp (stepA s), Mem rbp (stepA s + 8))
  SetFar64 -> load a Full rax (Mem instance_ b) >> toMemory env Full (stepA s) (Mem rax 0)
  SetFar128 -> load a Full rcx (Mem instance_ b) >> copy128 (Mem rbp (stepA s), Mem rbp (stepA s + 8)) (Mem rcx 0, Mem rcx 8)
  Load32 -> accessed 4 >>= fromMemory env Half (stepA s)
  Load64 -> accessed 8 >>= fromMemory env Full (stepA s)
  Load8S32 -> narrow 1 (loadSign a Half 1)
  Load8U32 -> narrow 1 (loadZero a 1)
  Load16S32 -> narrow 2 (loadSign a Half 2)
  Load16U32 -> narrow 2 (loadZero a 2)
  Load8S64 -> narrow64 1 (loadSign a Full 1)
  Load8U64 -> narrow64 1 (loadZero a 1)
  Load16S64 -> narrow64 2 (loadSign a Full 2)
  Load16U64 -> narrow64 2 (loadZero a 2)
  Load32S64 -> narrow64 4 (loadSign a Full 4)
  Load32U64 -> narrow64 4 (load a Half)
  LoadAt32 -> fixed 4 >>= fromMemory env Half (stepA s)
  LoadAt64 -> fixed 8 >>= fromMemory env Full (stepA s)
  LoadAt8U32 -> fixed 1 >>= made Half . loadZero a 1 (goal env (stepA s))
  Store32 -> accessed 4 >>= toMemory env Half (stepA s)
  Store64 -> accessed 8 >>= toMemory env Full (stepA s)
  Store8 -> accessed 1 >>= \m -> inRegister env Half (stepA s) rdx >>= storeNarrow a 1 m
  Store16 -> accessed 2 >>= \m -> inRegister env Half (stepA s) rdx >>= storeNarrow a 2 m
  StoreAt32 -> fixed 4 >>= toMemory env Half (stepA s)
  StoreAt64 -> fixed 8 >>= toMemory env Full (stepA s)
  CountPages -> do
    let d = goal env (stepA s)
    load a Full d (Reg memorySize_)
    shiftBy a ShiftRight Full (Reg d) 16
    made Half (pure ())
  DivS32 -> divided True Half False
  DivU32 -> divided False Half False
  RemS32 -> divided True Half True
  RemU32 -> divided False Half True
  DivS64 -> divided True Full False
  DivU64 -> divided False Full False
  RemS64 -> divided True Full True
  RemU64 -> divided False Full True
  Clz32 -> leading Half 63 31
  Clz64 -> leading Full 127 63
  Ctz32 -> trailing Half 32
  Ctz64 -> trailing Full 64
  Extend8S32 -> extended Half Half 1
  Extend16S32 -> extended Half Half 2
  Extend8S64 -> extended Full Full 1
  Extend16S64 -> extended Full Full 2
  ExtendS64 -> extended Full Half 4
  ExtendU64 -> do
    let d = goal env (stepA s)
    x <- whole env Half b rax
    load a Half d x
    made Full (pure ())
  F32Sqrt -> floatOne Half (\d x -> arithmeticFloat a SqrtF Half d x)
  F64Sqrt -> floatOne Full (\d x -> arithmeticFloat a SqrtF Full d x)
  F32Abs -> masked Half AndB 0x7FFFFFFF
  F64Abs -> masked Full AndB 0x7FFFFFFFFFFFFFFF
  F32Neg -> masked Half XorB 0x80000000
  F64Neg -> masked Full XorB minBound
  F64FromS32 -> fromInt Full Half False
  F64FromU32 -> fromInt Full Half True
  F32FromS32 -> fromInt Half Half False
  F32FromU32 -> fromInt Half Half True
  F64FromS64 -> fromInt Full Full False
  F32FromS64 -> fromInt Half Full False
  F64FromF32 -> do
    let d = goalVector env (stepA s)
    x <- float env Half b 0
    convertFloat a Full d x
    settleVector env Full (stepA s) d
  F32FromF64 -> do
    let d = goalVector env (stepA s)
    x <- float env Full b 0
    convertFloat a Half d x
    settleVector env Half (stepA s) d
  Canonical32 -> canonical Half 0x7FC00000
  Canonical64 -> canonical Full 0x7FF8000000000000
  Slow -> slow
  _
    | leaves op -> do
        saveAll env (List.nub (passedSlots (allocation env) e <> (if fallsThrough s then aliveAt (allocation env) (k + 1) else [])))
        leaveWith env exitLeave (stepAt s)
    | Just (o, size_) <- List.lookup op twoOperands -> operation o size_ (Left c)
    | Just (o, size_) <- List.lookup op withConstant -> operation o size_ (Right c)
    | Just (condition, size_) <- List.lookup op comparisons -> compare_ size_ (Left c) >> flag condition
    | Just (condition, size_) <- List.lookup op constantComparisons -> compare_ size_ (Right c) >> flag condition
    | Just (condition, size_) <- List.lookup op jumps -> takeIf env s ([opposite condition] <$ compare_ size_ (Left c))
    | Just (condition, size_) <- List.lookup op constantJumps -> takeIf env s ([opposite condition] <$ compare_ size_ (Right c))
    | Just (o, size_) <- List.lookup op floatOperations -> floatTwo o size_
    | Just (test_, size_) <- List.lookup op floatComparisons -> floatFlag test_ size_
    | Just (test_, size_) <- List.lookup op floatJumps -> floatJump test_ size_
    -- 'covered' has seen to it that there is nothing else.
    | otherwise -> leaveWith env exitUnreachable (stepAt s)
  where
    a = asm env
    op = stepOp s
    b = stepB s
    c = stepC s
    e = effects env V.! k
    comesBack o = leaves o || o `elem` [CallOwn, CallTable, CallFunc]
    made size_ action = action >> settle env size_ (stepA s) (goal env (stepA s))

    zeroOperand size_ = \case
      Reg r -> test a size_ r r
      m -> arithmeticImmediate a Cmp size_ m 0
    zeroTest = whole env Half b rax >>= zeroOperand Half

    -- Calls.
    saveForCall extra = do
      let l = allocation env
          behind = if fallsThrough s then [h | h@(slot, _) <- aliveAt l (k + 1), slot < effectLost e] else []
          asked = [h | h@(slot, _) <- aliveSlots l, slot `elem` extra]
      saveAll env (List.nub (behind <> passedSlots l e <> asked))
    link at = do
      loadImmediate a rax (fromIntegral ((base env `minusPtr` nullPtr) + stepNext s))
      store a Full (Mem rbp (stepA s + at)) rax
      store a Full (Mem rbp (stepA s + at + 8)) rbp
      arithmeticImmediate a Add Full (Reg rbp) (stepA s)
    -- The record of the function in rdx, all that is asked of it checked.
    tableElement expected = do
      undefined_ <- trapping env exitUndefined s
      uninitialized <- trapping env exitUninitialized s
      mismatch <- trapping env exitIndirectType s
      foreign_ <- trapping env exitForeign s
      into env Half b rax
      load a Full rdx (Mem instance_ c)
      arithmetic a Cmp Full rax (Mem rdx tableCount)
      jumpIf a AboveEqual undefined_
      load a Full rdx (Mem rdx tableElements)
      load a Full rdx (Indexed8 rdx rax 0)
      test a Full rdx rdx
      jumpIf a Equal uninitialized
      load a Full rcx (Mem rdx funcTypeId)
      arithmetic a Cmp Full rcx (Mem instance_ expected)
      jumpIf a NotEqual mismatch
      arithmetic a Cmp Full instance_ (Mem rdx funcInst)
      jumpIf a NotEqual foreign_
    reference = do
      null_ <- trapping env exitNull s
      foreign_ <- trapping env exitForeign s
      into env Full b rdx
      test a Full rdx rdx
      jumpIf a Equal null_
      arithmetic a Cmp Full instance_ (Mem rdx funcInst)
      jumpIf a NotEqual foreign_
    -- Move arguments to the frame's beginning and its link to where the new
    -- function has its own. No slot is in a register any more.
    replace to n own = do
      load a Full rcx (Mem rbp own)
      load a Full rdx (Mem rbp (own + 8))
      forM_ [0, 8 .. n - 8] $ \o -> load a Full rax (Mem rbp (stepA s + o)) >> store a Full (Mem rbp o) rax
      store a Full (Mem rbp to) rcx
      store a Full (Mem rbp (to + 8)) rdx
    result size_ = case home_ env b of
      InRegister r -> store a size_ (Mem rbp 0) r
      InVector x -> storeFloat a size_ (Mem rbp 0) x
      InFrame -> unless (b == 0) (load a size_ rax (Mem rbp b) >> store a size_ (Mem rbp 0) rax)
    back = do
      load a Full rax (Mem rbp (stepA s))
      load a Full rcx (Mem rbp (stepA s + 8))
      jumpTo a (Mem rax gateAddress)

    jumpTable = do
      table <- newLabel a
      let to = map (stepAt s +) (stepWide s)
      into env Half b rax
      loadImmediate a rcx (fromIntegral c)
      arithmetic a Cmp Full rax (Reg rcx)
      moveIf a AboveEqual Full rax (Reg rcx)
      -- A row of jumps, of five bytes each.
      multiplyImmediate a Full rax (Reg rax) 5
      loadLabel a rcx table
      arithmetic a Add Full rax (Reg rcx)
      jumpTo a (Reg rax)
      ways <- forM (IntSet.toList (IntSet.fromList to)) $ \t -> do
        l <- newLabel a
        pure (t, l)
      place a table
      forM_ to $ \t -> jump a (fromMaybe table (lookup t ways))
      forM_ ways $ \(t, l) -> place a l >> take_ env t

    -- Moves.
    copy128 (low, high) (low', high') = do
      load a Full rax low
      load a Full rdx high
      store a Full low' rax
      store a Full high' rdx
    select size_
      | any inVectorHome [stepA s, b, c] = do
          other <- newLabel a
          done <- newLabel a
          x <- whole env Half (wideField s 0) rax
          zeroOperand Half x
          jumpIf a Equal other
          move env size_ (stepA s) b
          jump a done
          place a other
          move env size_ (stepA s) c
          place a done
      | otherwise = do
          x <- whole env size_ b rdx
          into env size_ c rax
          q <- whole env Half (wideField s 0) rcx
          zeroOperand Half q
          moveIf a NotEqual size_ rax x
          settle env size_ (stepA s) rax
    inVectorHome slot = case home_ env slot of
      InVector _ -> True
      _ -> False

    -- Memory: the address below 2^33, so that nothing overflows.
    offset = c .&. 0xFFFFFFFF
    accessed :: Int -> IO Operand
    accessed n = do
      outside <- trapping env exitMemory s
      into env Half b rax
      distance <-
        if exchangeable (offset + n)
          then pure offset
          else do
            loadImmediate a rcx (fromIntegral offset)
            arithmetic a Add Full rax (Reg rcx)
            pure 0
      address a Full rcx (Mem rax (distance + n))
      arithmetic a Cmp Full rcx (Reg memorySize_)
      jumpIf a Above outside
      pure (Indexed memory rax distance)
    fixed :: Int -> IO Operand
    fixed n = do
      outside <- trapping env exitMemory s
      if exchangeable (offset + n)
        then do
          arithmeticImmediate a Cmp Full (Reg memorySize_) (offset + n)
          jumpIf a Below outside
          pure (Mem memory offset)
        else do
          loadImmediate a rax (fromIntegral offset)
          address a Full rcx (Mem rax n)
          arithmetic a Cmp Full rcx (Reg memorySize_)
          jumpIf a Above outside
          pure (Indexed memory rax 0)
    narrow, narrow64 :: Int -> (Register -> Operand -> IO ()) -> IO ()
    narrow n f = accessed n >>= made Half . f (goal env (stepA s))
    narrow64 n f = accessed n >>= made Full . f (goal env (stepA s))

    -- Integers.
    operation :: Integer_ -> Size -> Either Int Int -> IO ()
    operation o size_ second = case (o, second) of
      (Two f commutes, Left slot) -> do
        y <- whole env size_ slot rdx
        let d = clearOf y
        if commutes && y == Reg (goal env (stepA s)) && goal env (stepA s) /= rax
          then do
            x <- whole env size_ b rax
            binary f size_ (goal env (stepA s)) x
            settle env size_ (stepA s) (goal env (stepA s))
          else do
            intoGoal size_ d
            binary f size_ d y
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
            intoGoal size_ d
            arithmeticImmediate a f size_ (Reg d) v
            settle env size_ (stepA s) d
      (Shifted f, Left slot) -> do
        into env Half slot rcx
        let d = goal env (stepA s)
        intoGoal size_ d
        shiftByCl a f size_ (Reg d)
        settle env size_ (stepA s) d
      (Shifted f, Right n) -> do
        let d = goal env (stepA s)
        intoGoal size_ d
        shiftBy a f size_ (Reg d) (n .&. 63)
        settle env size_ (stepA s) d
      where
        -- Where the second operand is not.
        clearOf y = if y == Reg (goal env (stepA s)) then rax else goal env (stepA s)
    intoGoal size_ d = case home_ env b of
      InRegister q | q == d -> pure ()
      _ -> into env size_ b d
    binary f size_ d x = case f of
      Plain g -> arithmetic a g size_ d x
      Multiply -> multiply a size_ d x
    divided signed size_ remainder = do
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
    leading size_ none_ flipped = do
      x <- whole env size_ b rax
      loadImmediate a rcx none_
      scanReverse a size_ rax x
      moveIf a Equal size_ rax (Reg rcx)
      arithmeticImmediate a Xor Half (Reg rax) flipped
      settle env size_ (stepA s) rax
    trailing size_ none_ = do
      x <- whole env size_ b rax
      loadImmediate a rcx none_
      scanForward a size_ rax x
      moveIf a Equal size_ rax (Reg rcx)
      settle env size_ (stepA s) rax
    extended to from n = do
      x <- whole env from b rax
      let d = goal env (stepA s)
      loadSign a to n d x
      settle env to (stepA s) d
    compare_ size_ = \case
      Left slot -> do
        x <- inRegister env size_ b rax
        y <- whole env size_ slot rdx
        arithmetic a Cmp size_ x y
      Right 0 | InRegister r <- home_ env b -> test a size_ r r
      Right v -> do
        x <- whole env size_ b rax
        arithmeticImmediate a Cmp size_ x v
    flag condition = do
      setIf a condition rax
      let d = goal env (stepA s)
      loadZero a 1 d (Reg rax)
      settle env Half (stepA s) d

    -- Floats. The first operand stays the first: of two NaNs it is the one that
    -- is kept.
    floatTwo o size_ = do
      y <- float env size_ c 1
      let own = goalVector env (stepA s)
          d = if y == Reg own && home_ env b /= InVector own then 0 else own
      intoVector env size_ b d
      arithmeticFloat a o size_ d y
      settleVector env size_ (stepA s) d
    floatOne size_ f = do
      x <- float env size_ b 0
      let d = goalVector env (stepA s)
      f d x :: IO ()
      settleVector env size_ (stepA s) d
    masked size_ o v = do
      loadImmediate a rax v
      fromInteger_ a Full 1 rax
      let d = goalVector env (stepA s)
      intoVector env size_ b d
      bitsFloat a o d 1
      settleVector env size_ (stepA s) d
    fromInt to from unsigned_ = do
      x <- if unsigned_ then Reg rax <$ into env Half b rax else whole env from b rax
      let d = goalVector env (stepA s)
      -- What was in the register before is not waited for.
      bitsFloat a XorB d d
      intToFloat a to (if unsigned_ then Full else from) d x
      settleVector env to (stepA s) d
    canonical size_ v = do
      fine <- newLabel a
      intoVector env size_ b 0
      compareFloat a size_ 0 (Reg 0)
      jumpIf a NoParity fine
      loadImmediate a rax v
      fromInteger_ a size_ 0 rax
      place a fine
      settleVector env size_ (stepA s) 0
    -- The conditions on which a comparison fails, after the flags are set.
    floatTest :: FloatTest -> Size -> IO [Condition]
    floatTest test_ size_ = case test_ of
      EqualF -> forwards >> pure [Parity, NotEqual]
      NotEqualF -> forwards >> pure []
      LessF -> backwards >> pure [BelowEqual]
      LessEqualF -> backwards >> pure [Below]
      NotLessF -> backwards >> pure [Above]
      NotLessEqualF -> backwards >> pure [AboveEqual]
      where
        forwards = do
          x <- inVector env size_ b 0
          y <- float env size_ c 1
          compareFloat a size_ x y
        backwards = do
          y <- inVector env size_ c 1
          x <- float env size_ b 0
          compareFloat a size_ y x
    floatFlag test_ size_ = do
      conditions <- floatTest test_ size_
      case (test_, conditions) of
        (EqualF, _) -> both NoParity Equal And
        (NotEqualF, _) -> both Parity NotEqual Or
        (_, condition : _) -> flag (opposite condition)
        (_, []) -> pure ()
      where
        both x y o = do
          setIf a x rax
          setIf a y rcx
          arithmetic a o Half rax (Reg rcx)
          let d = goal env (stepA s)
          loadZero a 1 d (Reg rax)
          settle env Half (stepA s) d
    floatJump test_ size_ = case test_ of
      NotEqualF -> do
        yes <- newLabel a
        over <- newLabel a
        _ <- floatTest test_ size_
        jumpIf a Parity yes
        jumpIf a Equal over
        place a yes
        take_ env (stepAt s + stepA s)
        place a over
      _ -> takeIf env s (floatTest test_ size_)

    slow
      | d == 0x69 = whole env Half b rax >>= \x -> countOnes a Half rax x >> settle env Half (stepA s) rax
      | d == 0x7B = whole env Full b rax >>= \x -> countOnes a Full rax x >> settle env Full (stepA s) rax
      | d >= 0x8D && d <= 0x90 = floatOne Half (roundFloat a Half (mode (d - 0x8D)))
      | d >= 0x9B && d <= 0x9E = floatOne Full (roundFloat a Full (mode (d - 0x9B)))
      | d == 0x96 = extreme Half True
      | d == 0x97 = extreme Half False
      | d == 0xA4 = extreme Full True
      | d == 0xA5 = extreme Full False
      | d == 0x98 = signed_ Half 31
      | d == 0xA6 = signed_ Full 63
      | d == 0xB5 = fromUnsigned Half
      | d == 0xBA = fromUnsigned Full
      | otherwise = truncated
      where
        d = stepD s
    mode n = case n of
      0 -> 2
      1 -> 1
      2 -> 3
      _ -> 0 :: Int
    extreme size_ least = do
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
    signed_ size_ top = do
      into env size_ b rax
      into env size_ c rcx
      shiftBy a ShiftLeft size_ (Reg rax) 1
      shiftBy a ShiftRight size_ (Reg rax) 1
      shiftBy a ShiftRight size_ (Reg rcx) top
      shiftBy a ShiftLeft size_ (Reg rcx) top
      arithmetic a Or size_ rax (Reg rcx)
      settle env size_ (stepA s) rax
    -- Above 2^63 half the number, with the lost bit kept, and twice the result.
    fromUnsigned size_ = do
      large <- newLabel a
      done <- newLabel a
      into env Full b rax
      bitsFloat a XorB 0 0
      test a Full rax rax
      jumpIf a Negative large
      intToFloat a size_ Full 0 (Reg rax)
      place a done
      settleVector env size_ (stepA s) 0
      cold env $ do
        place a large
        load a Full rcx (Reg rax)
        shiftBy a ShiftRight Full (Reg rcx) 1
        arithmeticImmediate a And Half (Reg rax) 1
        arithmetic a Or Full rcx (Reg rax)
        intToFloat a size_ Full 0 (Reg rcx)
        arithmeticFloat a AddF size_ 0 (Reg 0)
        jump a done
    -- From a float, as a double, to an integer: with traps, or saturating.
    truncated = do
      let d = stepD s
          saturates = d >= 0x100
          n = if saturates then d - 0x100 else if d >= 0xAE then d - 0xAE + 4 else d - 0xA8
          single = even (n `div` 2)
          unsigned_ = odd n
          wide = n >= 4
          to = if wide then Full else Half
      if single
        then do
          x <- float env Half b 0
          convertFloat a Full 0 x
        else intoVector env Full b 0
      done <- newLabel a
      if saturates
        then do
          arithmetic a Xor Half rax (Reg rax)
          compareFloat a Full 0 (Reg 0)
          jumpIf a Parity done
          let (low, lowest, high, highest) = saturation unsigned_ wide
          bound rcx low
          loadImmediate a rax lowest
          compareFloat a Full 0 (Reg 1)
          jumpIf a BelowEqual done
          bound rcx high
          loadImmediate a rax highest
          compareFloat a Full 0 (Reg 1)
          jumpIf a AboveEqual done
        else do
          nan <- trapping env exitConversion s
          beyond <- trapping env exitOverflow s
          compareFloat a Full 0 (Reg 0)
          jumpIf a Parity nan
          let (low, high) = limits unsigned_ wide
          bound rax low
          compareFloat a Full 0 (Reg 1)
          jumpIf a BelowEqual beyond
          bound rax high
          compareFloat a Full 0 (Reg 1)
          jumpIf a AboveEqual beyond
      if unsigned_ && wide
        then do
          small <- newLabel a
          bound rax 9223372036854775808
          compareFloat a Full 0 (Reg 1)
          jumpIf a Below small
          arithmeticFloat a SubF Full 0 (Reg 1)
          floatToInt a Full Full rax (Reg 0)
          loadImmediate a rcx minBound
          arithmetic a Xor Full rax (Reg rcx)
          jump a done
          place a small
        else pure ()
      floatToInt a Full Full rax (Reg 0)
      place a done
      settle env to (stepA s) rax
    -- A double in xmm1, through a register.
    bound r v = do
      loadImmediate a r (fromIntegral (castDoubleToWord64 v))
      fromInteger_ a Full 1 r

-- | The bounds, exclusive, of what can be converted.
limits :: Bool -> Bool -> (Double, Double)
limits unsigned_ wide = case (unsigned_, wide) of
  (False, False) -> (-2147483649, 2147483648)
  (True, False) -> (-1, 4294967296)
  (False, True) -> (-9223372036854777856, 9223372036854775808)
  (True, True) -> (-1, 18446744073709551616)

-- | At most what the result is the lowest, and from where the highest.
saturation :: Bool -> Bool -> (Double, Int64, Double, Int64)
saturation unsigned_ wide = case (unsigned_, wide) of
  (False, False) -> (-2147483648, 0x80000000, 2147483647, 0x7FFFFFFF)
  (True, False) -> (0, 0, 4294967295, 0xFFFFFFFF)
  (False, True) -> (-9223372036854775808, minBound, 9223372036854775808, maxBound)
  (True, True) -> (0, 0, 18446744073709551616, -1)

-- * Tables

data Integer_ = Two !Binary !Bool | Shifted !Shift

data Binary = Plain !Arithmetic | Multiply

twoOperands, withConstant :: [(Op, (Integer_, Size))]
twoOperands = sized [Add32 .. Rotr32] Half <> sized [Add64 .. Rotr64] Full
  where
    sized ops size_ = zip ops (map (,size_) [Two (Plain Add) True, Two (Plain Sub) False, Two Multiply True, Two (Plain And) True, Two (Plain Or) True, Two (Plain Xor) True, Shifted ShiftLeft, Shifted ShiftRightSigned, Shifted ShiftRight, Shifted RotateLeft, Shifted RotateRight])
withConstant = sized [AddI32 .. RotrI32] Half <> sized [AddI64 .. RotrI64] Full
  where
    sized ops size_ = zip ops (map (,size_) [Two (Plain Add) True, Two Multiply True, Two (Plain And) True, Two (Plain Or) True, Two (Plain Xor) True, Shifted ShiftLeft, Shifted ShiftRightSigned, Shifted ShiftRight, Shifted RotateLeft, Shifted RotateRight])

comparisons, constantComparisons, jumps, constantJumps :: [(Op, (Condition, Size))]
comparisons = zip [Eq32 .. LeU32] (map (,Half) slotConditions) <> zip [Eq64 .. LeU64] (map (,Full) slotConditions)
constantComparisons = zip [EqI32 .. GeUI32] (map (,Half) constantConditions) <> zip [EqI64 .. GeUI64] (map (,Full) constantConditions)
jumps = zip [JumpEq32 .. JumpLeU32] (map (,Half) slotConditions) <> zip [JumpEq64 .. JumpLeU64] (map (,Full) slotConditions)
constantJumps = zip [JumpEqI32 .. JumpGeUI32] (map (,Half) constantConditions) <> zip [JumpEqI64 .. JumpGeUI64] (map (,Full) constantConditions)

slotConditions, constantConditions :: [Condition]
slotConditions = [Equal, NotEqual, Less, Below, LessEqual, BelowEqual]
constantConditions = [Equal, NotEqual, Less, Below, Greater, Above, LessEqual, BelowEqual, GreaterEqual, AboveEqual]

floatOperations :: [(Op, (Float_, Size))]
floatOperations = zip [F32Add .. F32Div] (map (,Half) four) <> zip [F64Add .. F64Div] (map (,Full) four)
  where
    four = [AddF, SubF, MulF, DivF]

data FloatTest = EqualF | NotEqualF | LessF | LessEqualF | NotLessF | NotLessEqualF

floatComparisons, floatJumps :: [(Op, (FloatTest, Size))]
floatComparisons = zip [F32Eq .. F32Le] (map (,Half) four) <> zip [F64Eq .. F64Le] (map (,Full) four)
  where
    four = [EqualF, NotEqualF, LessF, LessEqualF]
floatJumps = zip [JumpF32Eq .. JumpF32NotLe] (map (,Half) six) <> zip [JumpF64Eq .. JumpF64NotLe] (map (,Full) six)
  where
    six = [EqualF, NotEqualF, LessF, LessEqualF, NotLessF, NotLessEqualF]
