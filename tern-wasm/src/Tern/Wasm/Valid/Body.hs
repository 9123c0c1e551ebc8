{-# LANGUAGE OverloadedStrings #-}

-- | Validation of bodies: the algorithm of the
-- specification's appendix.
--
-- The idea: one pass over the bytes, with the types of the operands instead of
-- the operands ("Tern.Wasm.Valid.State").
--
-- Start at 'body'; 'step' has a case for each instruction.
module Tern.Wasm.Valid.Body
  ( body,
    step,
    walk,
    startOf,
    addressed,
  )
where

import Control.Applicative ((<|>))
import Control.Monad (unless, void, when)
import Data.Foldable (forM_)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet qualified as IntSet
import Data.Maybe (isJust)
import Data.Vector ((!))
import Data.Vector qualified as V
import Tern.Wasm.Binary.Instr (instrAt)
import Tern.Wasm.Error (Invalid (..), InvalidPlace (..), InvalidReason (..))
import Tern.Wasm.Opcode
  ( Immediate (..),
    Operator (..),
    accessOperator,
    natural,
    scalarOperator,
    vectorOperator,
  )
import Tern.Wasm.Syntax
import Tern.Wasm.Valid.Aggregate (aggregate, cast, castBranch)
import Tern.Wasm.Valid.Spaces (Rules (..), Spaces (..), funcTypeAt, normalIndex)
import Tern.Wasm.Valid.State
  ( Check,
    Context (..),
    Enclosing (..),
    FrameKind (..),
    Open (..),
    State (..),
    checkHeap,
    checkType,
    close,
    funcAt,
    label,
    look,
    open,
    pop,
    popAll,
    popAny,
    popRef,
    push,
    pushAll,
    pushOperand,
    rows,
    start,
    unreachable,
  )

-- * Locals

-- | The types of parameters and locals in runs: under the index after its last
-- local, each run's type.
type LocalRuns = IntMap ValType

-- | The runs and how many locals they have.
localRuns :: [ValType] -> [(Int, ValType)] -> (LocalRuns, Int)
localRuns params locals = (IntMap.fromDistinctAscList runs, total)
  where
    (total, runs) = go 0 (map (1,) params <> filter ((> 0) . fst) locals)
    go n [] = (n, [])
    go n ((k, t) : rest) = let (end, more) = go (n + k) rest in (end, (n + k, t) : more)

localAt :: LocalRuns -> Index -> Maybe ValType
localAt runs x = snd <$> IntMap.lookupGT x runs

-- | The most locals, parameters included, that a function may have.
maxLocals :: Int
maxLocals = 50000

-- | The most operands that there may be at an instruction, those of outer blocks too. A
-- call or a block of a few bytes leaves up to a thousand, and the stack that is walked
-- through while a body is checked and lowered must stay in proportion.
maxOperands :: Int
maxOperands = 100000

-- * Bodies

-- | Check a function's body; the index is the function's, imports counted.
body :: Spaces -> Index -> Func -> Either Invalid ()
body sp x (Func t locals e) = do
  when (total > maxLocals) (refused (BeyondLimit "locals" maxLocals))
  locals' <- either refused Right (mapM (\(n, ty) -> (n,) <$> checkType sp ty) locals)
  let (local, _) = localRuns (funcParams ft) locals'
  walk
    (step (Context sp local (length (funcParams ft)) (funcResults ft)))
    (InFunction x)
    e
    (start (funcResults ft))
  where
    refused = Left . Invalid (InFunction x (startOf e))
    ft = funcTypeAt sp t
    total = sum (map fst locals) + length (funcParams ft)

-- | Where an expression's bytes begin, from the start of the module; 0 where it has none.
startOf :: Expr -> Int
startOf = \case
  Expr o _ -> o
  ExprFunc _ -> 0

-- | Check an expression's instructions in order, to its last @end@, and that there are never too
-- many operands. The second function says which place an offset in the module is.
walk ::
  (Instr -> State -> Check State) -> (Int -> InvalidPlace) -> Expr -> State -> Either Invalid ()
walk check place e = go 0
  where
    base = startOf e
    go !p s
      | depth s < 0 = Right ()
      | otherwise = case instrAt e p of
          -- The decoder has read these bytes, so this does not happen; should it,
          -- the body is refused.
          Left _ -> Left (Invalid (place (base + p)) StackHeight)
          Right (i, next) -> case check i s of
            Left reason -> Left (Invalid (place (base + p)) reason)
            Right s'
              | height s' > maxOperands ->
                  Left (Invalid (place (base + p)) (BeyondLimit "operands" maxOperands))
              | otherwise -> go next s'
{-# INLINE walk #-}

-- | The type of a block, its index checked.
blockSignature :: Context -> BlockType -> Check FuncType
blockSignature c = \case
  BlockNone -> Right (FuncType [] [])
  BlockValue t -> FuncType [] . pure <$> checkType (spaces c) t
  BlockIndex x -> funcAt c x

-- * Instructions

-- | Check an instruction: the state after it, or why it is refused.
step :: Context -> Instr -> State -> Check State
step c i s = case i of
  Plain op -> operated (scalarOperator op)
  Vector op -> operated (vectorOperator op)
  LocalGet x -> do
    t <- local x
    when (wanting x t && IntSet.notMember x (filled s)) (Left (LocalNotSet x))
    Right (push t s)
  LocalSet x -> local x >>= \t -> set x t <$> pop c t s
  LocalTee x -> local x >>= \t -> push t . set x t <$> pop c t s
  I32Const _ -> Right (push I32 s)
  Access op m -> access (accessOperator op) m
  VectorAccess op m -> access (vectorOperator op) m
  Block bt -> enter BlockKind bt s
  Loop bt -> enter LoopKind bt s
  If bt -> pop c I32 s >>= enter IfKind bt
  Else -> do
    s' <- close c s
    Right
      s'
        { operands = map Just (reverse (openParams (block s))),
          height = openHeight (block s) + length (openParams (block s)),
          dead = False,
          block = (block s) {openKind = ElseKind},
          filled = openFilled (block s)
        }
  End -> do
    s' <- close c s
    when (openKind (block s) == IfKind) (rows c (openParams (block s)) (openResults (block s)))
    case enclosing s' of
      [] -> Right s' {depth = -1}
      Enclosing below d b : rest ->
        Right . pushAll (openResults (block s)) $
          s'
            { operands = below,
              dead = d,
              block = b,
              enclosing = rest,
              depth = depth s - 1,
              filled = openFilled (block s)
            }
  TryTable bt catches -> do
    forM_ catches $ \(Catch kind x) -> do
      ts <- label x s
      caught <- case kind of
        CatchTag ref t -> (<> exception ref) . funcParams <$> look "tag" t (spaceTags sp)
        CatchAll ref -> Right (exception ref)
      rows c caught ts
    enter BlockKind bt s
  Throw x -> do
    FuncType ps _ <- look "tag" x (spaceTags sp)
    unreachable <$> popAll c ps s
  ThrowRef -> unreachable <$> pop c (Ref (RefType True ExnHeap)) s
  Br x -> do
    ts <- label x s
    unreachable <$> popAll c ts s
  BrIf x -> do
    ts <- label x s
    pushAll ts <$> (pop c I32 s >>= popAll c ts)
  BrTable xs x -> do
    s1 <- pop c I32 s
    ts <- label x s
    -- Each label once: there may be a million indices of one.
    mapM_ (sameLabel c ts s1) (distinct xs)
    unreachable <$> popAll c ts s1
  BrOnNull x -> do
    ts <- label x s
    (r, s1) <- popRef s
    push (Ref r {refNullable = False}) . pushAll ts <$> popAll c ts s1
  BrOnNonNull x -> do
    ts <- label x s
    (r, s1) <- popRef s
    case reverse ts of
      t@(Ref _) : before -> do
        rows c [Ref r {refNullable = False}] [t]
        pushAll (reverse before) <$> popAll c (reverse before) s1
      _ -> Left (TypeMismatch ts [Just (Ref r)])
  BrOnCast fails x from to -> castBranch c fails x from to s
  Return -> unreachable <$> popAll c (results c) s
  Call x -> do
    FuncType ps rs <- look "function" x (spaceFuncs sp)
    pushAll rs <$> popAll c ps s
  CallIndirect x t -> do
    FuncType ps rs <- indirect x t
    pushAll rs <$> (pop c (indexOf x) s >>= popAll c ps)
  CallRef t -> do
    FuncType ps rs <- funcAt c t
    pushAll rs <$> (pop c (referring t) s >>= popAll c ps)
  ReturnCall x -> do
    FuncType ps rs <- look "function" x (spaceFuncs sp)
    rows c rs (results c)
    unreachable <$> popAll c ps s
  ReturnCallIndirect x t -> do
    FuncType ps rs <- indirect x t
    rows c rs (results c)
    unreachable <$> (pop c (indexOf x) s >>= popAll c ps)
  ReturnCallRef t -> do
    FuncType ps rs <- funcAt c t
    rows c rs (results c)
    unreachable <$> (pop c (referring t) s >>= popAll c ps)
  Unreachable -> Right (unreachable s)
  Nop -> Right s
  Drop -> snd <$> popAny s
  Select -> do
    (a, s1) <- pop c I32 s >>= popAny
    (b, s2) <- popAny s1
    when (any isRef [a, b]) (Left SelectNeedsType)
    when (isJust a && isJust b && a /= b) (Left (TypeMismatch (maybe [] pure b) [a]))
    Right (pushOperand (a <|> b) s2)
  SelectT [t'] -> do
    t <- checkType sp t'
    push t <$> (pop c I32 s >>= pop c t >>= pop c t)
  SelectT _ -> Left BadArity
  GlobalGet x -> do
    GlobalType _ t <- look "global" x (spaceGlobals sp)
    Right (push t s)
  GlobalSet x -> do
    GlobalType m t <- look "global" x (spaceGlobals sp)
    when (m /= Var) (Left (ImmutableGlobal x))
    pop c t s
  TableGet x -> do
    (a, t) <- table x
    push t <$> pop c a s
  TableSet x -> do
    (a, t) <- table x
    pop c t s >>= pop c a
  TableGrow x -> do
    (a, t) <- table x
    push a <$> (pop c a s >>= pop c t)
  TableSize x -> do
    (a, _) <- table x
    Right (push a s)
  TableFill x -> do
    (a, t) <- table x
    pop c a s >>= pop c t >>= pop c a
  TableCopy to from -> do
    (a, t) <- table to
    (a', t') <- table from
    rows c [t'] [t]
    popAll c [a, a', narrower a a'] s
  TableInit x e -> do
    (a, t) <- table x
    t' <- look "element segment" e (spaceElems sp)
    rows c [Ref t'] [t]
    popAll c [a, I32, I32] s
  ElemDrop e -> s <$ look "element segment" e (spaceElems sp)
  MemorySize x -> (`push` s) <$> memory x
  MemoryGrow x -> memory x >>= \a -> push a <$> pop c a s
  MemoryCopy to from -> do
    a <- memory to
    a' <- memory from
    popAll c [a, a', narrower a a'] s
  MemoryFill x -> memory x >>= \a -> popAll c [a, I32, a] s
  MemoryInit x k -> do
    a <- memory k
    segment x
    popAll c [a, I32, I32] s
  DataDrop x -> s <$ segment x
  I64Const _ -> Right (push I64 s)
  F32Const _ -> Right (push F32 s)
  F64Const _ -> Right (push F64 s)
  RefNull h -> (\h' -> push (Ref (RefType True h')) s) <$> checkHeap sp h
  RefIsNull -> push I32 . snd <$> popRef s
  RefAsNonNull -> do
    (r, s') <- popRef s
    Right (push (Ref r {refNullable = False}) s')
  RefEq -> push I32 <$> (pop c equatable s >>= pop c equatable)
  RefTest r -> cast c r (const I32) s
  RefCast r -> cast c r Ref s
  Aggregate g x y -> aggregate c g x y s
  RefFunc x -> do
    _ <- look "function" x (spaceFuncs sp)
    unless (IntSet.member x (spaceDeclared sp)) (Left (UndeclaredReference x))
    Right (push (Ref (RefType False (Defined (spaceFuncTypes sp ! x)))) s)
  VectorAccessLane op m lane -> laneOf (vectorOperator op) lane >> access (vectorOperator op) m
  VectorLane op lane -> laneOf (vectorOperator op) lane >> operated (vectorOperator op)
  VectorBytes op a b -> case operatorImmediate (vectorOperator op) of
    ShuffleImmediate | any (any (>= 32) . lanesOf) [a, b] -> Left BadLane
    _ -> operated (vectorOperator op)
  where
    sp = spaces c
    local x = maybe (Left (Unknown "local" x)) Right (localAt (runs c) x)
    set x t st = if wanting x t then st {filled = IntSet.insert x (filled st)} else st
    wanting x t = x >= parameters c && not (defaultable t)
    exception ref = [Ref (RefType False ExnHeap) | ref]
    equatable = Ref (RefType True EqHeap)
    referring t = Ref (RefType True (Defined (normalIndex sp t)))
    table x =
      (\t -> (addressed (tableAddress t), Ref (tableRef t))) <$> look "table" x (spaceTables sp)
    indexOf x = maybe I32 (addressed . tableAddress) (spaceTables sp V.!? x)
    indirect x t = do
      (_, r) <- table x
      rows c [r] [Ref FuncRef]
      funcAt c t
    memory x = addressed . memoryAddress <$> look "memory" x (spaceMems sp)
    narrower a b = if a == I32 then a else b
    segment x = when (x >= spaceDatas sp) (Left (Unknown "data segment" x))
    enter kind bt s' = do
      ft <- blockSignature c bt
      open kind ft <$> popAll c (funcParams ft) s'
    operated o = pushAll (operatorResults o) <$> popAll c (operatorParams o) s
    access o (MemArg align k offset) = do
      a <- memory k
      when (maybe True (align >) (natural (operatorImmediate o))) (Left AlignmentTooLarge)
      when (a == I32 && offset > 0xFFFFFFFF) (Left OffsetTooLarge)
      pushAll (operatorResults o) <$> popAll c (a : drop 1 (operatorParams o)) s
    laneOf o lane = when (fromIntegral lane >= lanes (operatorImmediate o)) (Left BadLane)
    lanes :: Immediate -> Int
    lanes = \case
      LaneImmediate n -> n
      MemoryLaneImmediate size -> 16 `div` 2 ^ size
      NoImmediate -> 0
      MemoryImmediate _ -> 0
      ConstantImmediate -> 0
      ShuffleImmediate -> 0
    isRef = maybe False isReference

-- | The type of an address, and of a size or a length, by how wide addresses are.
addressed :: AddressType -> ValType
addressed = \case
  Address32 -> I32
  Address64 -> I64

lanesOf :: (Integral a) => a -> [a]
lanesOf = map (`mod` 256) . take 8 . iterate (`div` 256)

-- | Without what stood before, in order.
distinct :: [Index] -> [Index]
distinct = go IntSet.empty
  where
    go _ [] = []
    go seen (x : xs)
      | IntSet.member x seen = go seen xs
      | otherwise = x : go (IntSet.insert x seen) xs

-- | A label of a branch table must take as many operands as the default, of
-- types that the stack has too; by the first edition, of the same types.
sameLabel :: Context -> [ValType] -> State -> Index -> Check ()
sameLabel c expected s x = do
  ts <- label x s
  when
    ( length ts /= length expected
        || spaceRules (spaces c) == Rules1 && ts /= expected
    )
    (Left LabelsDiffer)
  void (popAll c ts s)
