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
-- Start at 'emit'; 'step' has a case for each instruction. Which registers hold what
-- is said in "Tern.Wasm.Native.Frame".
module Tern.Wasm.Native.Emit
  ( emit,
    Emitted (..),
  )
where

import Control.Monad (forM, forM_, unless)
import Data.Bits (shiftL, (.&.), (.|.))
import Data.IORef
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet qualified as IntSet
import Data.List qualified as List
import Data.Maybe (catMaybes)
import Data.Vector qualified as V
import Foreign.Ptr (Ptr, minusPtr, nullPtr)
import Tern.Wasm.Code
import Tern.Wasm.Layout
import Tern.Wasm.Native.Access
import Tern.Wasm.Native.Assembler
import Tern.Wasm.Native.Call
import Tern.Wasm.Native.Conversion
import Tern.Wasm.Native.Float
import Tern.Wasm.Native.Flow
import Tern.Wasm.Native.Frame
import Tern.Wasm.Native.Integer
import Tern.Wasm.Native.Jump
import Tern.Wasm.Native.Registers
import Tern.Wasm.Native.Slow
import Tern.Wasm.Native.Template

-- | The code, and for the gates (by their bytes in the bytecode) where each is
-- entered in it.
data Emitted = Emitted {emittedCode :: !Assembler, emittedGates :: ![(Int, Int)]}

-- | The code of a function, if all of its instructions have some. Linear in its
-- bytecode, about.
emit :: Int -> Ptr () -> V.Vector Step -> V.Vector Effect -> (Int -> Int) -> IO (Maybe Emitted)
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
      <*> newIORef 0
      <*> newIORef True
  forM_ [0 .. V.length code - 1] (step env code)
  coldCode env
  epilogue env
  entered <- readIORef (gates env)
  placed <- forM entered $ \(at, l) -> fmap (at,) <$> placeOf a l
  whole_ <- readIORef (complete env)
  pure (if whole_ then Just (Emitted a (catMaybes placed)) else Nothing)

-- | What was put off, and what that puts off.
coldCode :: Env -> IO ()
coldCode env = do
  actions <- readIORef (later env)
  unless (null actions) $ do
    writeIORef (later env) []
    sequence_ (reverse actions)
    coldCode env

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

-- * Instructions

step :: Env -> V.Vector Step -> Int -> IO ()
step env code k = case op of
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
    if maybe False (comesBack . stepOp) (code V.!? (k - 1))
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
  JumpIf -> takeIf env again s ([Equal] <$ zeroTest env b)
  JumpIfNot -> takeIf env again s ([NotEqual] <$ zeroTest env b)
  JumpTable -> jumpTable env s
  CallOwn -> callOwn env k s
  CallTable -> callTable env k s
  CallFunc -> callRef env k s
  TailOwn -> tailOwn env k s
  TailTable -> tailTable env k s
  TailRef -> tailRef env k s
  NonNull -> nonNull env s
  Ret -> saveAll env (passedSlots (allocation env) e) >> back env s
  Ret32 -> result env Half b >> back env s
  Ret64 -> result env Full b >> back env s
  Const32 -> constant env Half (stepA s) (fromIntegral b)
  Const64 -> constant env Full (stepA s) (fromIntegral ((b .&. 0xFFFFFFFF) .|. (c `shiftL` 32)))
  Copy32 -> move env Half (stepA s) b
  Copy64 -> move env Full (stepA s) b
  Copy128 -> fromMemory128 env (framed128 b) (framed128 (stepA s))
  Zero1 -> constant env Full (stepA s) 0
  Zero2 -> forM_ [0, 8] $ \o -> constant env Full (stepA s + o) 0
  Zero4 -> forM_ [0, 8, 16, 24] $ \o -> constant env Full (stepA s + o) 0
  Select32 -> select env s Half
  Select64 -> select env s Full
  Select128 -> select128 env s
  Global32 -> fromMemory env Half (stepA s) (Mem instance_ b)
  Global64 -> fromMemory env Full (stepA s) (Mem instance_ b)
  Global128 -> fromMemory128 env (Mem instance_ b, Mem instance_ (b + 8)) (framed128 (stepA s))
  SetGlobal32 -> toMemory env Half (stepA s) (Mem instance_ b)
  SetGlobal64 -> toMemory env Full (stepA s) (Mem instance_ b)
  SetGlobal128 -> fromMemory128 env (framed128 (stepA s)) (Mem instance_ b, Mem instance_ (b + 8))
  Far64 -> load a Full rax (Mem instance_ b) >> fromMemory env Full (stepA s) (Mem rax 0)
  Far128 -> load a Full rcx (Mem instance_ b) >> fromMemory128 env (Mem rcx 0, Mem rcx 8) (framed128 (stepA s))
  SetFar64 -> load a Full rax (Mem instance_ b) >> toMemory env Full (stepA s) (Mem rax 0)
  SetFar128 -> load a Full rcx (Mem instance_ b) >> fromMemory128 env (framed128 (stepA s)) (Mem rcx 0, Mem rcx 8)
  Load32 -> accessed env s 4 >>= fromMemory env Half (stepA s)
  Load64 -> accessed env s 8 >>= fromMemory env Full (stepA s)
  Load8S32 -> narrow env s Half (accessed env s 1) (loadSign a Half 1)
  Load8U32 -> narrow env s Half (accessed env s 1) (loadZero a 1)
  Load16S32 -> narrow env s Half (accessed env s 2) (loadSign a Half 2)
  Load16U32 -> narrow env s Half (accessed env s 2) (loadZero a 2)
  Load8S64 -> narrow env s Full (accessed env s 1) (loadSign a Full 1)
  Load8U64 -> narrow env s Full (accessed env s 1) (loadZero a 1)
  Load16S64 -> narrow env s Full (accessed env s 2) (loadSign a Full 2)
  Load16U64 -> narrow env s Full (accessed env s 2) (loadZero a 2)
  Load32S64 -> narrow env s Full (accessed env s 4) (loadSign a Full 4)
  Load32U64 -> narrow env s Full (accessed env s 4) (load a Half)
  LoadAt32 -> fixed env s 4 >>= fromMemory env Half (stepA s)
  LoadAt64 -> fixed env s 8 >>= fromMemory env Full (stepA s)
  LoadAt8U32 -> narrow env s Half (fixed env s 1) (loadZero a 1)
  Store32 -> accessed env s 4 >>= toMemory env Half (stepA s)
  Store64 -> accessed env s 8 >>= toMemory env Full (stepA s)
  Store8 -> storing env s 1
  Store16 -> storing env s 2
  StoreAt32 -> fixed env s 4 >>= toMemory env Half (stepA s)
  StoreAt64 -> fixed env s 8 >>= toMemory env Full (stepA s)
  CountPages -> do
    let d = goal env (stepA s)
    load a Full d (Reg memoryEnd)
    shiftBy a ShiftRight Full (Reg d) 16
    settle env Half (stepA s) d
  DivS32 -> divided env s True Half False
  DivU32 -> divided env s False Half False
  RemS32 -> divided env s True Half True
  RemU32 -> divided env s False Half True
  DivS64 -> divided env s True Full False
  DivU64 -> divided env s False Full False
  RemS64 -> divided env s True Full True
  RemU64 -> divided env s False Full True
  Clz32 -> leading env s Half 63 31
  Clz64 -> leading env s Full 127 63
  Ctz32 -> trailing env s Half 32
  Ctz64 -> trailing env s Full 64
  Extend8S32 -> extended env s Half Half 1
  Extend16S32 -> extended env s Half Half 2
  Extend8S64 -> extended env s Full Full 1
  Extend16S64 -> extended env s Full Full 2
  ExtendS64 -> extended env s Full Half 4
  ExtendU64 -> widened env s
  F32Sqrt -> floatOne env s Half (arithmeticFloat a SqrtF Half)
  F64Sqrt -> floatOne env s Full (arithmeticFloat a SqrtF Full)
  F32Abs -> masked env s Half AndB 0x7FFFFFFF
  F64Abs -> masked env s Full AndB 0x7FFFFFFFFFFFFFFF
  F32Neg -> masked env s Half XorB 0x80000000
  F64Neg -> masked env s Full XorB minBound
  F64FromS32 -> fromInt env s Full Half False
  F64FromU32 -> fromInt env s Full Half True
  F32FromS32 -> fromInt env s Half Half False
  F32FromU32 -> fromInt env s Half Half True
  F64FromS64 -> fromInt env s Full Full False
  F32FromS64 -> fromInt env s Half Full False
  F64FromF32 -> converted env s Full
  F32FromF64 -> converted env s Half
  Canonical32 -> canonical env s Half 0x7FC00000
  Canonical64 -> canonical env s Full 0x7FF8000000000000
  Slow -> maybe unknown slow (slowOf (stepD s))
  _
    | leaves op -> do
        saveAll env (List.nub (lookedAt (allocation env) e <> (if fallsThrough s then aliveAt (allocation env) (k + 1) else [])))
        leaveWith env exitLeave (stepAt s)
    | otherwise -> case template op of
        Just (Operate o size_ second) -> operation env s o size_ (of_ second)
        Just (Compare condition size_ second) -> compare_ env s size_ (of_ second) >> flag env s condition
        Just (CompareJump condition size_ second) -> takeIf env again s ([opposite condition] <$ compare_ env s size_ (of_ second))
        Just (FloatOperate o size_) -> floatTwo env s o size_
        Just (FloatCompare test_ size_) -> floatFlag env s test_ size_
        Just (FloatJump test_ size_) -> floatJump env again s test_ size_
        Nothing -> unknown
  where
    a = asm env
    s = code V.! k
    op = stepOp s
    b = stepB s
    c = stepC s
    e = effects env V.! k
    comesBack o = leaves o || o `elem` [CallOwn, CallTable, CallFunc]
    again = fmap (mapM_ (step env code)) <$> repeated env code k
    of_ = \case
      OfSlot -> Left c
      OfConstant -> Right c
    -- Without code for it the whole function has none.
    unknown = writeIORef (complete env) False
    slow = \case
      CountOnes size_ -> counted env s size_
      Round size_ way -> rounded env s size_ way
      Extreme size_ least -> extreme env s size_ least
      CopySign Half -> signed_ env s Half 31
      CopySign Full -> signed_ env s Full 63
      FromUnsigned size_ -> fromUnsigned env s size_
      Truncate how -> truncated env s how

-- | How often the body of a loop that ends with a jump is written, and its
-- instructions, by number: if it is short and nothing leads into it or out of it.
repeated :: Env -> V.Vector Step -> Int -> Maybe (Int, [Int])
repeated env code k = case targets s of
  [to] | to < stepAt s, n <= 16, all straight body -> Just (if n <= 8 then 4 else 2, body)
    where
      body = [indexAt env to + 1 .. k - 1]
      n = length body
  _ -> Nothing
  where
    s = code V.! k
    straight j = fallsThrough t && null (targets t) && not (leaves (stepOp t)) && stepOp t `notElem` [Gate, Enter, CallOwn, CallTable, CallFunc]
      where
        t = code V.! j
