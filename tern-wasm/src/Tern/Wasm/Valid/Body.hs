{-# LANGUAGE OverloadedStrings #-}

-- | Validation of bodies and constant expressions: the algorithm of the
-- specification's appendix.
--
-- The idea: each open block has a stack of operand types of its own, so that
-- nothing below the block can be reached and its height is never compared. Code
-- that cannot be reached pops any type from an empty stack.
--
-- Start at 'body'; 'step' has a case for each instruction.
module Tern.Wasm.Valid.Body
  ( body,
    constant,
    localAt,
    localRuns,
    LocalRuns,
    blockSignature,
  )
where

import Control.Applicative ((<|>))
import Control.Monad (foldM, unless, void, when)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet qualified as IntSet
import Data.Maybe (fromMaybe, isJust)
import Data.Text (Text)
import Data.Vector ((!?))
import Data.Vector qualified as V
import Tern.Wasm.Binary.Instr (instrAt)
import Tern.Wasm.Error
import Tern.Wasm.Opcode
import Tern.Wasm.Syntax
import Tern.Wasm.Valid.Spaces

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

-- * State

-- | An operand's type; @Nothing@ is any type.
type Operand = Maybe ValType

data State = State
  { -- | Of the innermost block, the top first.
    operands :: ![Operand],
    -- | Whether the code here cannot be reached.
    dead :: !Bool,
    block :: !Open,
    enclosing :: ![Enclosing],
    depth :: !Int,
    -- | What a branch to each open block takes, by its depth; the body is 0.
    labels :: !(IntMap [ValType])
  }

data Kind = BlockKind | LoopKind | IfKind | ElseKind
  deriving stock (Eq)

data Open = Open {openKind :: !Kind, openParams :: ![ValType], openResults :: ![ValType]}

data Enclosing = Enclosing ![Operand] !Bool !Open

data Context = Context
  { spaces :: !Spaces,
    runs :: !LocalRuns,
    results :: ![ValType]
  }

type Check = Either InvalidReason

-- * Bodies

-- | Check a function's body; the index is the function's, imports counted.
body :: Spaces -> Index -> Func -> Either Invalid ()
body sp x (Func t locals e) = do
  when (total > maxLocals) (Left (Invalid (InFunction x (startOf e)) (BeyondLimit "locals" maxLocals)))
  walk (step (Context sp local (funcResults ft))) (InFunction x) e (start (funcResults ft))
  where
    ft = fromMaybe (FuncType [] []) (spaceTypes sp !? t)
    (local, total) = localRuns (funcParams ft) locals

startOf :: Expr -> Int
startOf = \case
  Expr o _ -> o
  ExprFunc _ -> 0

start :: [ValType] -> State
start ts = State [] False (Open BlockKind [] ts) [] 0 (IntMap.singleton 0 ts)

-- | Check a constant expression of one type.
constant :: Spaces -> Text -> Index -> ValType -> Expr -> Either Invalid ()
constant sp part x t e = walk check (const (InPart part x)) e (start [t])
  where
    context = Context sp IntMap.empty [t]
    check i s = case i of
      I32Const _ -> step context i s
      I64Const _ -> step context i s
      F32Const _ -> step context i s
      F64Const _ -> step context i s
      V128Const _ _ -> step context i s
      RefNull _ -> step context i s
      -- Outside of bodies every function that is named is thereby declared.
      RefFunc f -> do
        _ <- look "function" f (spaceFuncs sp)
        Right (push (Ref FuncRef) s)
      GlobalGet g -> do
        when (g >= spaceImportedGlobals sp) (Left (Unknown "global" g))
        GlobalType m _ <- look "global" g (spaceGlobals sp)
        when (m /= Const) (Left NotConstant)
        step context i s
      End -> step context i s
      _ -> Left NotConstant

walk :: (Instr -> State -> Check State) -> (Int -> InvalidPlace) -> Expr -> State -> Either Invalid ()
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
            Right s' -> go next s'
{-# INLINE walk #-}

-- * The operand stack

push :: ValType -> State -> State
push t s = s {operands = Just t : operands s}

pushAll :: [ValType] -> State -> State
pushAll ts s = s {operands = foldl (\stack t -> Just t : stack) (operands s) ts}

pushOperand :: Operand -> State -> State
pushOperand t s = s {operands = t : operands s}

pop :: ValType -> State -> Check State
pop t s = case operands s of
  Just t' : rest
    | t == t' -> Right s {operands = rest}
    | otherwise -> mismatch [t] s
  Nothing : rest -> Right s {operands = rest}
  []
    | dead s -> Right s
    | otherwise -> mismatch [t] s

popAny :: State -> Check (Operand, State)
popAny s = case operands s of
  t : rest -> Right (t, s {operands = rest})
  []
    | dead s -> Right (Nothing, s)
    | otherwise -> mismatch [] s

-- | Pop a row of types, the last first.
popAll :: [ValType] -> State -> Check State
popAll ts s = case ts of
  [] -> Right s
  [t] -> pop t s
  _ -> foldM (flip pop) s (reverse ts)

mismatch :: [ValType] -> State -> Check a
mismatch ts s = Left (TypeMismatch ts (reverse (take (max 1 (length ts)) (operands s))))

unreachable :: State -> State
unreachable s = s {operands = [], dead = True}

-- * Blocks

open :: Kind -> FuncType -> State -> State
open kind (FuncType params rs) s =
  State
    { operands = map Just (reverse params),
      dead = False,
      block = Open kind params rs,
      enclosing = Enclosing (operands s) (dead s) (block s) : enclosing s,
      depth = depth s + 1,
      labels = IntMap.insert (depth s + 1) (if kind == LoopKind then params else rs) (labels s)
    }

-- | Leave the innermost block, its results popped.
close :: State -> Check State
close s = do
  s' <- popAll (openResults (block s)) s
  unless (null (operands s')) (Left StackHeight)
  Right s'

label :: Index -> State -> Check [ValType]
label x s = maybe (Left (Unknown "label" x)) Right (IntMap.lookup (depth s - x) (labels s))

-- | The type of a block, if its index has one.
blockSignature :: Spaces -> BlockType -> Maybe FuncType
blockSignature sp = \case
  BlockNone -> Just (FuncType [] [])
  BlockValue t -> Just (FuncType [] [t])
  BlockIndex x -> spaceTypes sp !? x

-- * Instructions

look :: Text -> Index -> V.Vector a -> Check a
look what x v = maybe (Left (Unknown what x)) Right (v !? x)

step :: Context -> Instr -> State -> Check State
step c i s = case i of
  Plain code -> case operator code of
    Just o -> pushAll (operatorResults o) <$> popAll (operatorParams o) s
    Nothing -> Left (Unknown "instruction" code)
  LocalGet x -> (`push` s) <$> local x
  LocalSet x -> local x >>= \t -> pop t s
  LocalTee x -> local x >>= \t -> push t <$> pop t s
  I32Const _ -> Right (push I32 s)
  Access code m -> access code m s
  Block bt -> enter BlockKind bt s
  Loop bt -> enter LoopKind bt s
  If bt -> pop I32 s >>= enter IfKind bt
  Else -> do
    s' <- close s
    Right s' {operands = map Just (reverse (openParams (block s))), dead = False, block = (block s) {openKind = ElseKind}}
  End -> do
    s' <- close s
    when (openKind (block s) == IfKind && openParams (block s) /= openResults (block s)) $
      Left (TypeMismatch (openResults (block s)) (map Just (openParams (block s))))
    case enclosing s' of
      [] -> Right s' {depth = -1}
      Enclosing below d b : rest ->
        Right (pushAll (openResults (block s)) s' {operands = below, dead = d, block = b, enclosing = rest, depth = depth s - 1})
  Br x -> do
    ts <- label x s
    unreachable <$> popAll ts s
  BrIf x -> do
    ts <- label x s
    pushAll ts <$> (pop I32 s >>= popAll ts)
  BrTable xs x -> do
    s1 <- pop I32 s
    ts <- label x s
    mapM_ (sameLabel (spaceRules sp) ts s1) xs
    unreachable <$> popAll ts s1
  Return -> unreachable <$> popAll (results c) s
  Call x -> do
    FuncType ps rs <- look "function" x (spaceFuncs sp)
    pushAll rs <$> popAll ps s
  CallIndirect x t -> do
    table <- look "table" x (spaceTables sp)
    when (tableRef table /= FuncRef) (Left (TypeMismatch [Ref FuncRef] [Just (Ref (tableRef table))]))
    FuncType ps rs <- look "type" t (spaceTypes sp)
    pushAll rs <$> (pop I32 s >>= popAll ps)
  Unreachable -> Right (unreachable s)
  Nop -> Right s
  Drop -> snd <$> popAny s
  Select -> do
    (a, s1) <- pop I32 s >>= popAny
    (b, s2) <- popAny s1
    when (any isRef [a, b]) (Left SelectNeedsType)
    when (isJust a && isJust b && a /= b) (Left (TypeMismatch (maybe [] pure b) [a]))
    Right (pushOperand (a <|> b) s2)
  SelectT [t] -> push t <$> (pop I32 s >>= pop t >>= pop t)
  SelectT _ -> Left BadArity
  GlobalGet x -> do
    GlobalType _ t <- look "global" x (spaceGlobals sp)
    Right (push t s)
  GlobalSet x -> do
    GlobalType m t <- look "global" x (spaceGlobals sp)
    when (m /= Var) (Left (ImmutableGlobal x))
    pop t s
  TableGet x -> do
    t <- refAt x
    push (Ref t) <$> pop I32 s
  TableSet x -> do
    t <- refAt x
    pop (Ref t) s >>= pop I32
  TableGrow x -> do
    t <- refAt x
    push I32 <$> (pop I32 s >>= pop (Ref t))
  TableSize x -> do
    _ <- refAt x
    Right (push I32 s)
  TableFill x -> do
    t <- refAt x
    pop I32 s >>= pop (Ref t) >>= pop I32
  TableCopy to from -> do
    t <- refAt to
    t' <- refAt from
    when (t /= t') (Left (TypeMismatch [Ref t] [Just (Ref t')]))
    three
  TableInit x e -> do
    t <- refAt x
    t' <- look "element segment" e (spaceElems sp)
    when (t /= t') (Left (TypeMismatch [Ref t] [Just (Ref t')]))
    three
  ElemDrop e -> s <$ look "element segment" e (spaceElems sp)
  MemorySize -> push I32 s <$ memory
  MemoryGrow -> memory >> push I32 <$> pop I32 s
  MemoryCopy -> memory >> three
  MemoryFill -> memory >> three
  MemoryInit x -> memory >> segment x >> three
  DataDrop x -> s <$ segment x
  I64Const _ -> Right (push I64 s)
  F32Const _ -> Right (push F32 s)
  F64Const _ -> Right (push F64 s)
  V128Const _ _ -> Right (push V128 s)
  RefNull t -> Right (push (Ref t) s)
  RefIsNull -> do
    (t, s') <- popAny s
    when (maybe False (not . isReference) t) (Left (TypeMismatch [Ref FuncRef] [t]))
    Right (push I32 s')
  RefFunc x -> do
    _ <- look "function" x (spaceFuncs sp)
    unless (IntSet.member x (spaceDeclared sp)) (Left (UndeclaredReference x))
    Right (push (Ref FuncRef) s)
  AccessLane code m lane -> case operator code of
    Just (Operator _ _ _ (MemoryLaneImmediate size)) | fromIntegral lane >= (16 :: Int) `div` 2 ^ size -> Left BadLane
    _ -> access code m s
  Lane code lane -> case operator code of
    Just (Operator _ ps rs (LaneImmediate n))
      | fromIntegral lane >= n -> Left BadLane
      | otherwise -> pushAll rs <$> popAll ps s
    _ -> Left (Unknown "instruction" code)
  I8x16Shuffle a b
    | all (all (< 32) . lanesOf) [a, b] -> push V128 <$> popAll [V128, V128] s
    | otherwise -> Left BadLane
  where
    sp = spaces c
    local x = maybe (Left (Unknown "local" x)) Right (localAt (runs c) x)
    refAt x = tableRef <$> look "table" x (spaceTables sp)
    memory = when (V.null (spaceMems sp)) (Left (Unknown "memory" 0))
    segment x = when (x >= spaceDatas sp) (Left (Unknown "data segment" x))
    three = popAll [I32, I32, I32] s
    enter kind bt s' = do
      ft <- case bt of
        BlockIndex x -> maybe (Left (Unknown "type" x)) Right (spaceTypes sp !? x)
        _ -> Right (fromMaybe (FuncType [] []) (blockSignature sp bt))
      open kind ft <$> popAll (funcParams ft) s'
    access code (MemArg align _) s' = case operator code of
      Just (Operator _ ps rs immediate) -> do
        memory
        when (align > natural immediate) (Left AlignmentTooLarge)
        pushAll rs <$> popAll ps s'
      Nothing -> Left (Unknown "instruction" code)
    natural = \case
      MemoryImmediate n -> n
      MemoryLaneImmediate n -> n
      _ -> 0
    isRef = maybe False isReference

isReference :: ValType -> Bool
isReference = \case
  Ref _ -> True
  _ -> False

lanesOf :: (Integral a) => a -> [a]
lanesOf = map (`mod` 256) . take 8 . iterate (`div` 256)

-- | A label of a branch table must take as many operands as the default, of
-- types that the stack has too; by the first edition, of the same types.
sameLabel :: Rules -> [ValType] -> State -> Index -> Check ()
sameLabel rules expected s x = do
  ts <- label x s
  when (length ts /= length expected || rules == Rules1 && ts /= expected) (Left LabelsDiffer)
  void (popAll ts s)
