-- | Native code for a function: its bytecode's instructions, one by one.
--
-- The idea: what a frame is and where each value may be, the bytecode has decided;
-- here every instruction becomes the few of the processor that do it, with the
-- slots that "Tern.Wasm.Native.Registers" chose in registers. Before anything that
-- others look at (a call, what the driver does, the end of a slice of fuel) the
-- slots that are alive are written to the frame, so that code can be left and
-- entered at every gate, and the interpreter could go on from there as well. A gate
-- is entered with its frame in rcx.
--
-- Start at 'emit'; 'step' has a case for each kind of instruction. Which registers hold what
-- is said in "Tern.Wasm.Native.Frame".
module Tern.Wasm.Native.Emit
  ( emit,
    Emitted (..),
  )
where

import Control.Monad (forM_, unless, when)
import Data.Bits (shiftL, (.&.), (.|.))
import Data.IORef (modifyIORef', newIORef, readIORef, writeIORef)
import Data.Int (Int32)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet qualified as IntSet
import Data.List qualified as List
import Data.Maybe (isJust)
import Data.Vector.Unboxed qualified as U
import Data.Vector.Unboxed.Mutable qualified as MU
import Tern.Wasm.Code (exitLeave)
import Tern.Wasm.Layout
  ( instCounters,
    instExitFrame,
    instExitIp,
    instFuel,
    instReturns,
  )
import Tern.Wasm.Meaning
  ( Addressed (..),
    Callee (..),
    Fetched (..),
    Mask (..),
    Meaning (..),
    Narrow (..),
    Second (..),
    Sign (..),
    Where (..),
    meaning,
  )
import Tern.Wasm.Native.Access (accessed, distant, fixed, narrow, select, select128, storing)
import Tern.Wasm.Native.Assembler
  ( Arithmetic (..),
    Assembler,
    Bits_ (..),
    Condition (..),
    Float_ (..),
    Operand (..),
    Shift (..),
    Size (..),
    arithmetic,
    arithmeticFloat,
    increment,
    jump,
    labelAt,
    load,
    loadImmediate,
    loadSign,
    loadZero,
    new,
    newLabel,
    newLabels,
    place,
    placeOf,
    pop,
    rax,
    rbp,
    rbx,
    rcx,
    rdx,
    ret,
    rsi,
    rsp,
    shiftBy,
    store,
    storeImmediate,
    storeNarrowImmediate,
  )
import Tern.Wasm.Native.Call
  ( back,
    callOwn,
    callRef,
    callTable,
    nonNull,
    result,
    tailOwn,
    tailRef,
    tailTable,
  )
import Tern.Wasm.Native.Cold (coldCode, island)
import Tern.Wasm.Native.Constant (constants, heldAt, inPlace)
import Tern.Wasm.Native.Conversion (fromUnsigned, truncated)
import Tern.Wasm.Native.Distant (Distant (..), distantOf)
import Tern.Wasm.Native.Entry (enter, gate)
import Tern.Wasm.Native.Flag (flagged)
import Tern.Wasm.Native.Float
  ( canonical,
    converted,
    extreme,
    floatFlag,
    floatJump,
    floatOne,
    floatTwo,
    fromInt,
    masked,
    rounded,
    signed_,
  )
import Tern.Wasm.Native.Flow
  ( Body,
    Effect (..),
    bodyLength,
    effectAt,
    fallsThrough,
    instruction,
    leadsOn,
    wideSlot,
  )
import Tern.Wasm.Native.Fold (folds)
import Tern.Wasm.Native.Frame
  ( Env (..),
    constant,
    constant128,
    fromMemory,
    fuel,
    goal,
    goal128,
    inVector128,
    instance_,
    leaveWith,
    memoryEnd,
    move,
    saveAll,
    settle,
    settle128,
    toMemory,
    written,
  )
import Tern.Wasm.Native.Integer
  ( compare_,
    counted,
    divided,
    extended,
    flag,
    leading,
    operation,
    trailing,
    widened,
  )
import Tern.Wasm.Native.Jump (jumpTable, opposite, repeated, takeIf, takeNext, take_, zeroTest)
import Tern.Wasm.Native.Lanes (canonicalLanes)
import Tern.Wasm.Native.Leave (trapping)
import Tern.Wasm.Native.Located (Located (..))
import Tern.Wasm.Native.Moves (vectored)
import Tern.Wasm.Native.Packed (loadVector, storeVector)
import Tern.Wasm.Native.Processor (Processor)
import Tern.Wasm.Native.Registers (aliveAt, allocate, isVector, lookedAt, passedSlots, unread)
import Tern.Wasm.Native.Slow (Slow (..), slowOf)
import Tern.Wasm.Native.Template (conditionOf, floatOf, ofZero)
import Tern.Wasm.Native.Vector (vectorOf)
import Tern.Wasm.Prim (Ptr, minusPtr, nullPtr)
import Tern.Wasm.Trap (Trap (..))

-- | The code, and for the gates (by their bytes in the bytecode) where each is
-- entered in it.
data Emitted = Emitted {emittedCode :: !Assembler, emittedGates :: !(U.Vector (Int32, Int32))}

-- | The code of a function, if all of its instructions have some. Linear in its
-- bytecode, about.
emit :: Processor -> Int -> Int -> Ptr () -> Body -> IO (Maybe Emitted)
emit processor_ nativeTable least_ address_ whole_ = do
  a <- new
  env <-
    Env a processor_ address_ nativeTable (allocate whole_) 0 least_ whole_
      <$> newLabels a n
      <*> newLabels a n
      <*> newLabels a n
      <*> MU.replicate n False
      <*> newIORef []
      <*> newIORef 0
      <*> newIORef IntMap.empty
      <*> newIORef IntSet.empty
      <*> newIORef IntMap.empty
      <*> newIORef 0
      <*> newIORef IntMap.empty
      <*> pure Nothing
      <*> newIORef (-1, 0, Reg rax)
      <*> newIORef (-1, 0, Half)
      <*> newIORef (-1, 0, rax)
      <*> newIORef (-2, 0, 0)
      <*> newIORef True
  forM_ [0 .. n - 1] $ \k -> island env k >> step env k
  coldCode env
  epilogue env
  done <- readIORef (complete env)
  if done then Just . Emitted a <$> entered env else pure Nothing
  where
    n = bodyLength whole_

-- | Where gates are entered.
entered :: Env -> IO (U.Vector (Int32, Int32))
entered env = U.unfoldrM next 0
  where
    next k
      | k >= bodyLength (body env) = pure Nothing
      | otherwise =
          placeOf (asm env) (labelAt (entries env) k) >>= \case
            Nothing -> next (k + 1)
            Just to -> pure (Just ((gateAt k, fromIntegral to), k + 1))
    gateAt = fromIntegral . stepAt . instruction (body env)

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
  load a Full rsp (Mem instance_ instReturns)
  forM_ [rcx, 15, 14, 13, 12, rbx, rbp] (pop a)
  ret a
  constants env
  where
    a = asm env

-- * Instructions

step :: Env -> Int -> IO ()
step env0 k = case meaning (stepOp s) of
  Driven {} -> leaving
  CallsHost -> leaving
  TailCallsHost -> leaving
  CallsByDriver -> leaving
  Switches -> unknown
  Gates -> gate env s
  Enters -> enter env s
  Stops -> trapping env TrapUnreachable s >>= jump a
  Tallies -> do
    load a Full rax (Mem instance_ instCounters)
    increment a Full (Mem rax d)
  Jumps
    | leadsOn (body env) k -> takeNext env (stepAt s + stepA s)
    | otherwise -> take_ env (stepAt s + stepA s)
  JumpsIf True -> takeIf env again s ([Equal] <$ zeroTest env b)
  JumpsIf False -> takeIf env again s ([NotEqual] <$ zeroTest env b)
  JumpsByTable -> jumpTable env s
  Calls Own -> callOwn env k s
  Calls InTable -> callTable env k s
  Calls ByReference -> callRef env k s
  TailCalls Own -> tailOwn env k s
  TailCalls InTable -> tailTable env k s
  TailCalls ByReference -> tailRef env k s
  TrapsOnNull -> nonNull env s
  Returns -> saveAll env (passedSlots (allocation env) k e) >> back env s
  ReturnsOne size_ -> result env size_ b >> back env s
  -- What nobody reads is not written, nor what the next instruction has in its code.
  Makes _ | unread (allocation env) (k + 1) d || isJust (heldAt env k) -> written env d
  Copies _ | unread (allocation env) (k + 1) d -> written env d
  Makes Half -> constant env Half d (fromIntegral b)
  Makes Full -> constant env Full d (fromIntegral ((b .&. 0xFFFFFFFF) .|. (c `shiftL` 32)))
  Copies size_ -> do
    move env size_ d b
    -- The copy is within the memory where that is.
    modifyIORef' (reach env) $ \known ->
      maybe known (\to -> IntMap.insert d to known) (IntMap.lookup b known)
  Copies128 -> inVector128 env b (goal128 env d) >>= settle128 env d
  Zeroes offsets ->
    forM_ (map (d +) offsets) $ \slot -> do
      unless (unread (allocation env) (k + 1) slot) (constant env Full slot 0)
      when (isVector (allocation env) (wideSlot slot)) $ do
        constant128 env (goal128 env slot) 0 0
        settle128 env slot (goal128 env slot)
  Selects size_ -> select env s size_
  Selects128 -> select128 env s
  GetsGlobal Here size_ -> fromMemory env size_ d (Mem instance_ b)
  GetsGlobal There size_ -> load a Full rax (Mem instance_ b) >> fromMemory env size_ d (Mem rax 0)
  GetsGlobal128 Here -> got128 (Mem instance_ b)
  GetsGlobal128 There -> load a Full rcx (Mem instance_ b) >> got128 (Mem rcx 0)
  SetsGlobal Here size_ -> toMemory env rcx size_ d (Mem instance_ b)
  SetsGlobal There size_ ->
    load a Full rax (Mem instance_ b) >> toMemory env rcx size_ d (Mem rax 0)
  SetsGlobal128 Here -> inVector128 env d 0 >>= storeVector a (Mem instance_ b)
  SetsGlobal128 There ->
    load a Full rcx (Mem instance_ b) >> inVector128 env d 0 >>= storeVector a (Mem rcx 0)
  Loads from fetched -> loaded env s (At from) fetched
  Stores from size_ -> do
    m <- reached env s (At from) (sizeBytes size_)
    maybe (toMemory env rcx size_ d m) (storeImmediate a size_ m . snd) (held env)
  StoresNarrow n | Just (_, v) <- held env -> do
    m <- reached env s (At AtSlot) (narrowBytes n)
    storeNarrowImmediate a (narrowBytes n) m v
  StoresNarrow n -> storing env s rcx (narrowBytes n) (reached env s (At AtSlot) (narrowBytes n))
  Distantly -> case distantOf (toEnum (stepD s)) of
    Fetches fetched -> loaded env s Elsewhere fetched
    Puts size_ -> reached env s Elsewhere (sizeBytes size_) >>= toMemory env rdx size_ d
    PutsNarrow n -> storing env s rdx (narrowBytes n) (reached env s Elsewhere (narrowBytes n))
  CountsPages -> do
    let r = goal env d
    load a Full r memoryEnd
    shiftBy a ShiftRight Full (Reg r) 16
    settle env Half d r
  Operates o size_ second -> operation env s o size_ second
  Divides sign part size_ -> divided env s sign part size_
  CountsLeading size_ -> leading env s size_
  CountsTrailing size_ -> trailing env s size_
  Extends n size_ -> extended env s size_ size_ (narrowBytes n)
  Widens WithSign -> extended env s Full Half 4
  Widens WithoutSign -> widened env s
  Compares relation size_ second _ ->
    compare_ env s size_ second >> flag env s (conditionOf relation)
  JumpsOn relation size_ OfConstant
    | c == 0 && ofZero relation ->
        takeIf env again s $ do
          known <- flagged env size_ b
          unless known (compare_ env s size_ OfConstant)
          pure [opposite (conditionOf relation)]
  JumpsOn relation size_ second ->
    takeIf env again s ([opposite (conditionOf relation)] <$ compare_ env s size_ second)
  FloatOperates o size_ -> floatTwo env s (floatOf o) size_
  FloatRoots size_ -> floatOne env s size_ (arithmeticFloat a SqrtF size_)
  FloatMasks ClearsSign Half -> masked env s Half AndB 0x7FFFFFFF
  FloatMasks ClearsSign Full -> masked env s Full AndB 0x7FFFFFFFFFFFFFFF
  FloatMasks FlipsSign Half -> masked env s Half XorB 0x80000000
  FloatMasks FlipsSign Full -> masked env s Full XorB minBound
  FloatCompares test_ size_ _ -> floatFlag env s test_ size_
  FloatJumps test_ size_ -> floatJump env again s test_ size_
  FromInteger32 size_ sign -> fromInt env s size_ Half (sign == WithoutSign)
  FromInteger64 size_ -> fromInt env s size_ Full False
  FloatToFloat size_ -> converted env s size_
  Canonicalises Half -> canonical env s Half 0x7FC00000
  Canonicalises Full -> canonical env s Full 0x7FF8000000000000
  CanonicalisesLanes size_ -> canonicalLanes env s size_
  OverVectors memory_ -> vectored env s memory_ (vectorOf (toEnum (stepD s)))
  Slowly -> slow env s (slowOf (toEnum (stepD s)))
  where
    env = env0 {here = k, held = heldAt env0 (k - 1)}
    a = asm env
    s = inPlace (held env) (instruction (body env) k)
    d = stepA s
    b = stepB s
    c = stepC s
    e = effectAt (body env) k
    got128 m = do
      loadVector a (goal128 env d) m
      settle128 env d (goal128 env d)
    again = fmap (mapM_ (step env)) <$> repeated (body env) k
    leaving = do
      saveAll
        env
        ( List.nub
            ( lookedAt (allocation env) k e
                <> [ h
                     | fallsThrough e,
                       h@(slot, _) <- aliveAt (allocation env) (k + 1),
                       slot < effectLost e
                   ]
            )
        )
      leaveWith env exitLeave (stepAt s)
    -- Without code for it the whole function has none.
    unknown = writeIORef (complete env) False

-- | From memory to a slot.
loaded :: Env -> Located -> Place -> Fetched -> IO ()
loaded env s from = \case
  Wholly size_ -> do
    m <- reached env s from (sizeBytes size_)
    if folds env size_ m
      then do
        written env (stepA s)
        writeIORef (folded env) (here env + 1, stepA s, m)
      else fromMemory env size_ (stepA s) m
  Narrowly n WithSign size_ ->
    narrow env s size_ (reached env s from (narrowBytes n)) (loadSign a size_ (narrowBytes n))
  Narrowly n WithoutSign size_ ->
    narrow env s size_ (reached env s from (narrowBytes n)) (loadZero a (narrowBytes n))
  Widened WithSign -> narrow env s Full (reached env s from 4) (loadSign a Full 4)
  Widened WithoutSign -> narrow env s Full (reached env s from 4) (load a Half)
  where
    a = asm env

-- | In which memory: the first, or one that no register holds.
data Place = At !Addressed | Elsewhere

-- | The @n@ bytes that an instruction is over.
reached :: Env -> Located -> Place -> Int -> IO Operand
reached env s = \case
  At AtSlot -> accessed env s
  At AtConstant -> fixed env s
  Elsewhere -> distant env s

sizeBytes :: Size -> Int
sizeBytes = \case
  Half -> 4
  Full -> 8

narrowBytes :: Narrow -> Int
narrowBytes = \case
  OneByte -> 1
  TwoBytes -> 2

slow :: Env -> Located -> Slow -> IO ()
slow env s = \case
  CountOnes size_ -> counted env s size_
  Round size_ way -> rounded env s size_ way
  Extreme size_ least -> extreme env s size_ least
  CopySign Half -> signed_ env s Half 31
  CopySign Full -> signed_ env s Full 63
  FromUnsigned size_ -> fromUnsigned env s size_
  Truncate how -> truncated env s how
