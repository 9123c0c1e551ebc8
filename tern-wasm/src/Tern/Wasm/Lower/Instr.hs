-- | Lowering of one instruction.
--
-- The idea: constants and reads of locals stay in mind until an instruction takes
-- them as operands; a computed value goes to its home, and a @local.set@ right
-- after it redirects it into the local.
--
-- Start at 'step'; it has a case for each instruction.
module Tern.Wasm.Lower.Instr
  ( step,
  )
where

import Control.Monad (forM_, void)
import Data.Bits ((.&.), (.|.))
import Data.IORef (readIORef, writeIORef)
import Data.Vector qualified as V
import Data.Vector.Unboxed.Mutable qualified as MU
import Data.Word (Word32)
import Tern.Wasm.Aggregate (Doing (..), Operand (..), Row (..), aggregate)
import Tern.Wasm.Buffer qualified as Buffer
import Tern.Wasm.Code (Op (..), heapCode, linkOffset, linkSize)
import Tern.Wasm.Layout (Layout (..))
import Tern.Wasm.Lower.Block
  ( Condition (..),
    branch,
    branchIf,
    branchOn,
    branchTable,
    die,
    end,
    jumpOn,
    leave,
    open,
    otherwise_,
    popCondition,
    tryTable,
  )
import Tern.Wasm.Lower.Operator (access, plain, vectorAccess, vectorOp, wideMemory, wideTable)
import Tern.Wasm.Lower.Select (Width (..), globalOp, selectOp, width)
import Tern.Wasm.Lower.State
  ( Entry (..),
    Env (..),
    Held (..),
    emit,
    emitWide,
    emit_,
    fields,
    gate,
    move,
    noteConstant,
    nothing,
    operand,
    pop,
    push,
    reaches,
    result,
    settleAliases,
    settleAliasesOf,
    settleTop,
  )
import Tern.Wasm.Syntax
import Tern.Wasm.Valid (Spaces (..), funcTypeAt)

-- | Lower an instruction in code that can be reached; "Tern.Wasm.Lower.Block" skips the others.
step :: Env -> Instr -> IO ()
step st i = case i of
  LocalGet x -> let (slot, w) = local x in push st w (Alias x slot)
  LocalSet x -> void (setLocal x)
  LocalTee x -> do
    place <- setLocal x
    push st (snd (local x)) place
  I32Const v -> push st W32 (Constant (fromIntegral (fromIntegral v :: Word32)))
  I64Const v -> push st W64 (Constant (fromIntegral v))
  F32Const v -> push st W32 (Constant (fromIntegral v))
  F64Const v -> push st W64 (Constant v)
  Plain op -> plain st op
  Access op m -> access st op m
  Block bt -> open st (signature bt) False Nothing []
  Loop bt -> open st (signature bt) True Nothing []
  TryTable bt catches -> tryTable st (signature bt) catches
  If bt -> do
    let ft = signature bt
    e <- popCondition st
    -- Settling writes instructions, which must not come between a comparison and
    -- its jump; and what it settles is not what the comparison reads.
    quiet <- settled (length (funcParams ft))
    condition <-
      if quiet
        then pure e
        else case e of
          Slot _ -> pure e
          Compared compared _ -> Slot <$> Buffer.get32 (code st) (compared + 4)
    settleTop st (length (funcParams ft))
    settleAliases st
    patch <- jumpOn st False condition
    open st ft False (Just patch) []
  Else -> otherwise_ st True
  End -> end st True
  Br x -> branch st x >> die st
  BrIf x -> branchIf st x
  BrTable xs x -> branchTable st xs x
  Return -> leave st >> die st
  Unreachable -> emit_ st Stop 0 0 0 >> die st
  Nop -> pure ()
  Call x -> do
    let ft = spaceFuncs sp V.! x
    calls ft $ \delta ->
      if x < spaceImportedFuncs sp
        then emit_ st CallImport delta x (linkOffset ft)
        else emit_ st CallOwn delta (8 * x) (linkOffset ft)
  CallIndirect x t -> do
    let ft = funcTypeAt sp t
    index <- pop st >>= operand st
    calls ft $ \delta ->
      void $
        if wideTable st x
          then emitWide st DoCallTable 0 delta index x (fields t (linkOffset ft), 0)
          else
            emitWide
              st
              CallTable
              0
              delta
              index
              (layoutTables at + 8 * x)
              (fields (layoutTypes at + 8 * t) (linkOffset ft), 0)
  CallRef t -> do
    let ft = funcTypeAt sp t
    slot <- pop st >>= operand st
    calls ft $ \delta -> emit_ st CallFunc delta slot (linkOffset ft)
  ReturnCall x -> do
    let ft = spaceFuncs sp V.! x
    tails ft $ \delta after ->
      if x < spaceImportedFuncs sp
        then emitWide st DoTailImport 0 delta x (linkOffset ft) (after, 0)
        else emitWide st TailOwn 0 delta (8 * x) (linkOffset ft) (after, 0)
  ReturnCallIndirect x t -> do
    let ft = funcTypeAt sp t
    index <- pop st >>= operand st
    tails ft $ \delta after ->
      if wideTable st x
        then emitWide st DoCallTable 1 delta index x (fields t (linkOffset ft), after)
        else
          emitWide
            st
            TailTable
            0
            delta
            index
            (layoutTables at + 8 * x)
            (fields (layoutTypes at + 8 * t) (linkOffset ft), after)
  ReturnCallRef t -> do
    let ft = funcTypeAt sp t
    slot <- pop st >>= operand st
    tails ft $ \delta after -> emitWide st TailRef 0 delta slot (linkOffset ft) (after, 0)
  Throw x -> do
    let ps = funcParams (spaceTags sp V.! x)
    driven DoThrow 0 (length ps) [] x 0
    die st
  ThrowRef -> driven DoThrowRef 0 1 [] 0 0 >> die st
  BrOnNull x -> do
    e <- pop st
    slot <- operand st e
    isNull <- tested EqI64 e slot
    branchOn st x (Slot isNull)
    again e
  BrOnNonNull x -> do
    e <- pop st
    slot <- operand st e
    again e
    notNull <- tested NeI64 e slot
    branchOn st x (Slot notNull)
    void (pop st)
  BrOnCast fails x _ to -> do
    e@(Entry _ home _) <- pop st
    slot <- operand st e
    again e
    reaches st (home + 24)
    _ <- emit st DoRefTest (fromEnum (refNullable to)) (home + 8) slot (heapCode (refHeap to))
    gate st
    if fails
      then do
        _ <- emit st EqI32 0 (home + 8) (home + 8) 0
        branchOn st x (Slot (home + 8))
      else branchOn st x (Slot (home + 8))
  Drop -> void (pop st)
  Select -> select
  SelectT _ -> select
  GlobalGet x -> do
    let w = globalWidth x
    result st w $ \home ->
      emit st (globalOp (x < spaceImportedGlobals sp) False w) 0 home (layoutGlobals at + 16 * x) 0
  GlobalSet x -> do
    slot <- pop st >>= operand st
    emit_
      st
      ( globalOp
          (x < spaceImportedGlobals sp)
          True
          (globalWidth x)
      )
      slot
      (layoutGlobals at + 16 * x)
      0
  TableGet x -> driven DoTableGet (wideT x 1) 1 [W64] x 0
  TableSet x -> driven DoTableSet (wideT x 1) 2 [] x 0
  TableGrow x -> driven DoTableGrow (wideT x 2) 2 [sizeT x] x 0
  TableSize x -> driven DoTableSize (wideT x 1) 0 [sizeT x] x 0
  TableFill x -> driven DoTableFill (wideT x 5) 3 [] x 0
  TableCopy x y ->
    driven DoTableCopy (wideT x 1 .|. wideT y 2 .|. (wideT x 4 .&. wideT y 4)) 3 [] x y
  TableInit x y -> driven DoTableInit (wideT x 1) 3 [] x y
  ElemDrop x -> driven DoElemDrop 0 0 [] x 0
  MemorySize x
    | x == 0 && not (wideMemory st x) -> result st W32 $ \home -> emit st CountPages 0 home 0 0
    | otherwise -> driven DoMemorySize (wideM x 1) 0 [sizeM x] x 0
  MemoryGrow x -> driven DoMemoryGrow (wideM x 1) 1 [sizeM x] x 0
  MemoryInit x y -> driven DoMemoryInit (wideM y 1) 3 [] x y
  MemoryCopy x y ->
    driven DoMemoryCopy (wideM x 1 .|. wideM y 2 .|. (wideM x 4 .&. wideM y 4)) 3 [] x y
  MemoryFill x -> driven DoMemoryFill (wideM x 5) 3 [] x 0
  DataDrop x -> driven DoDataDrop 0 0 [] x 0
  RefNull _ -> push st W64 (Constant 0)
  RefIsNull -> do
    slot <- pop st >>= operand st
    result st W32 $ \home -> emit st EqI64 0 home slot 0
  RefEq -> do
    y <- pop st >>= operand st
    x <- pop st >>= operand st
    result st W32 $ \home -> emit st Eq64 0 home x y
  RefAsNonNull -> do
    e <- pop st
    slot <- operand st e
    emit_ st NonNull 0 slot 0
    again e
  RefTest r -> do
    slot <- pop st >>= operand st
    result st W32 $ \home ->
      emit st DoRefTest (fromEnum (refNullable r)) home slot (heapCode (refHeap r)) <* gate st
  RefCast r -> do
    e <- pop st
    slot <- operand st e
    _ <- emit st DoRefCast (fromEnum (refNullable r)) 0 slot (heapCode (refHeap r))
    gate st
    again e
  Aggregate g x y -> case rowDoing (aggregate g) of
    NothingDone -> pure ()
    Done -> do
      let Row {rowTakes = takes, rowLeaves = leaves} = aggregate g
      driven
        DoAggregate
        (fromEnum g)
        (length (concatMap (operandWidths x y) takes))
        (concatMap (operandWidths x y) leaves)
        x
        y
  RefFunc x -> result st W64 $ \home -> emit st Global64 0 home (layoutFuncs at + 8 * x) 0
  Vector op -> vectorOp st Simd op (\third -> (fields third 0, 0))
  VectorAccess op m -> vectorMemory op m 0
  VectorAccessLane op m lane -> vectorMemory op m (fromIntegral lane)
  VectorLane op lane -> vectorOp st Simd op (const (fields 0 (fromIntegral lane), 0))
  VectorBytes op low high -> vectorOp st Simd op (const (low, high))
  where
    sp = spaces st
    at = places st
    local x = locals st V.! x
    signature = \case
      BlockNone -> FuncType [] []
      BlockValue t -> FuncType [] [t]
      BlockIndex x -> funcTypeAt sp x
    globalWidth x = width (globalValue (spaceGlobals sp V.! x))
    settled n = do
      k <- readIORef (aliases st)
      entries <- take n <$> readIORef (stack st)
      pure (k == 0 && all home_ entries)
    home_ = \case
      Entry _ _ Home -> True
      _ -> False
    -- Where the value can be read afterwards.
    setLocal x = do
      let (slot, w) = local x
      (place, home) <- readIORef (out st)
      e@(Entry _ h was) <- pop st
      n <- MU.read (aliasesOf st) x
      noteConstant st x e
      case was of
        Home
          | n == 0,
            place >= 0,
            home == h -> do
              Buffer.put32 (code st) (place + 4) slot
              writeIORef (out st) nothing
              pure (Alias x slot)
        _ -> do
          settleAliasesOf st x
          let Entry _ from _ = e
          move st w was from slot
          writeIORef (out st) nothing
          pure $ case was of
            Home -> Alias x slot
            _ -> was
    calls ft instruction = do
      settleTop st (length (funcParams ft))
      forM_ (funcParams ft) $ \_ -> pop st
      delta <- readIORef (top st)
      () <- instruction delta
      gate st
      reaches st (delta + linkOffset ft + linkSize)
      forM_ (funcResults ft) $ \t -> push st (width t) Home
    -- A call that takes this function's place: what is passed, and where the
    -- caller is found.
    tails ft instruction = do
      settleTop st (length (funcParams ft))
      forM_ (funcParams ft) $ \_ -> pop st
      delta <- readIORef (top st)
      _ <- instruction delta (fields (8 * slotTotal (funcParams ft)) (link st)) :: IO Int
      reaches st (linkOffset ft + linkSize)
      die st
    -- Push an operand again that was read and stays where it is.
    again (Entry w _ place) = push st w $ case place of
      Constant _ -> Home
      _ -> place
    -- Compare a reference with null, into the slot above its own.
    tested op (Entry _ home _) slot = do
      reaches st (home + 24)
      (home + 8) <$ emit st op 0 (home + 8) slot 0
    -- An instruction that the driver runs: its n operands are in their homes.
    driven op d n rs b c = do
      settleTop st n
      forM_ [1 .. n] $ \_ -> pop st
      home <- readIORef (top st)
      reaches st (home + 32)
      _ <- emit st op d home b c
      gate st
      forM_ rs $ \w -> push st w Home
    wideM x bits = if wideMemory st x then bits else 0 :: Int
    wideT x bits = if wideTable st x then bits else 0 :: Int
    sizeM x = if wideMemory st x then W64 else W32
    sizeT x = if wideTable st x then W64 else W32
    fieldsOf x = case subComp <$> spaceTypes sp V.!? x of
      Just (CompStruct fs) -> fs
      Just (CompArray f) -> [f]
      _ -> []
    fieldWidth x y = width (maybe I32 unpacked (V.fromList (fieldsOf x) V.!? y))
    operandWidths x y = \case
      Reference -> [W64]
      Int32 -> [W32]
      EachField -> map (width . unpacked) (fieldsOf x)
      OneField -> [fieldWidth x y]
      Element -> [fieldWidth x 0]
      Elements -> replicate y (fieldWidth x 0)
    select = do
      condition <- pop st >>= operand st
      y <- pop st
      x@(Entry w _ _) <- pop st
      b <- operand st x
      c <- operand st y
      result st w $ \home -> emitWide st (selectOp w) 0 home b c (fields condition 0, 0)
    vectorMemory op m lane =
      let (how, immediate) = vectorAccess st m lane in vectorOp st how op (const immediate)
