{-# LANGUAGE OverloadedStrings #-}

-- | What validation knows at an instruction: the operands' types, the open
-- blocks, and the locals that have no value yet.
--
-- The idea: each open block has a stack of operand types of its own, so that
-- nothing below the block can be reached and its height is never compared. Code
-- that cannot be reached pops any type from an empty stack.
module Tern.Wasm.Valid.State
  ( -- * State
    State (..),
    FrameKind (..),
    Open (..),
    Enclosing (..),
    Context (..),
    Check,
    start,

    -- * Operands
    push,
    pushAll,
    pushOperand,
    pop,
    popAny,
    popRef,
    popAll,
    unreachable,

    -- * Blocks
    open,
    close,
    label,

    -- * Indices
    look,
    funcAt,
    checkType,
    checkHeap,
    rows,
  )
where

import Control.Monad (foldM, unless, when)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet (IntSet)
import Data.IntSet qualified as IntSet
import Data.Text (Text)
import Data.Vector ((!?))
import Data.Vector qualified as V
import Tern.Wasm.Error (InvalidReason (..))
import Tern.Wasm.Syntax
import Tern.Wasm.Valid.Spaces (Spaces (..), knownType, normalIndex)

-- * State

-- | An operand's type; @Nothing@ is any type.
type Operand = Maybe ValType

-- | What is known before an instruction.
data State = State
  { -- | Of the innermost block, the top first.
    operands :: ![Operand],
    -- | How many operands there are in all open blocks.
    height :: !Int,
    -- | Whether the code here cannot be reached.
    dead :: !Bool,
    block :: !Open,
    enclosing :: ![Enclosing],
    depth :: !Int,
    -- | What a branch to each open block takes, by its depth; the body is 0.
    labels :: !(IntMap [ValType]),
    -- | Locals whose type has no value of its own and that have got one: what costs something is a
    -- local that is set, not one that is declared.
    filled :: !IntSet
  }

-- | What opened a block: 'BlockKind' for a body too, 'ElseKind' after an @else@.
data FrameKind = BlockKind | LoopKind | IfKind | ElseKind
  deriving stock (Eq)

-- | The locals are those with a value where the block begins; the height is without
-- its parameters.
data Open = Open
  { openKind :: !FrameKind,
    openHeight :: !Int,
    openParams :: ![ValType],
    openResults :: ![ValType],
    openFilled :: !IntSet
  }

-- | A block around the innermost: its operands, whether its code cannot be reached, and the block.
data Enclosing = Enclosing ![Operand] !Bool !Open

-- | What stays the same within a body.
data Context = Context
  { spaces :: !Spaces,
    -- | The types of parameters and locals in runs: under the index after its
    -- last local, each run's type.
    runs :: !(IntMap ValType),
    -- | How many of them are parameters, which have a value.
    parameters :: !Int,
    results :: ![ValType]
  }

-- | What is found, or why the instruction is refused.
type Check = Either InvalidReason

-- | The state where a body or a constant expression begins, given the results.
start :: [ValType] -> State
start ts =
  State [] 0 False (Open BlockKind 0 [] ts IntSet.empty) [] 0 (IntMap.singleton 0 ts) IntSet.empty

-- * Operands

-- | Put an operand of a type on top.
push :: ValType -> State -> State
push = pushOperand . Just

-- | Put operands on top, the first one first.
pushAll :: [ValType] -> State -> State
pushAll ts s = foldl (flip push) s ts

-- | Put an operand on top whose type may be any.
pushOperand :: Operand -> State -> State
pushOperand t s = s {operands = t : operands s, height = height s + 1}

-- | Take the top operand, whose type must match the one that is asked for. From an empty stack
-- nothing is taken in code that cannot be reached; elsewhere that is an error.
pop :: Context -> ValType -> State -> Check State
pop c t s = case operands s of
  Just t' : rest
    | t == t' -> Right (popped rest s)
    | isReference t, matches (knownType (spaces c)) t' t -> Right (popped rest s)
    | otherwise -> mismatch [t] s
  Nothing : rest -> Right (popped rest s)
  []
    | dead s -> Right s
    | otherwise -> mismatch [t] s

popped :: [Operand] -> State -> State
popped rest s = s {operands = rest, height = height s - 1}

-- | The same of an operand of whatever type.
popAny :: State -> Check (Operand, State)
popAny s = case operands s of
  t : rest -> Right (t, popped rest s)
  []
    | dead s -> Right (Nothing, s)
    | otherwise -> mismatch [] s

-- | Any reference; below all of them where the type is not known.
popRef :: State -> Check (RefType, State)
popRef s =
  popAny s >>= \case
    (Nothing, s') -> Right (RefType False BottomHeap, s')
    (Just (Ref r), s') -> Right (r, s')
    _ -> mismatch [Ref (RefType True AnyHeap)] s

-- | Pop a row of types, the last first.
popAll :: Context -> [ValType] -> State -> Check State
popAll c ts s = case ts of
  [] -> Right s
  [t] -> pop c t s
  _ -> foldM (flip (pop c)) s (reverse ts)

mismatch :: [ValType] -> State -> Check a
mismatch ts s = Left (TypeMismatch ts (reverse (take (max 1 (length ts)) (operands s))))

-- | Nothing comes to the rest of the block: its operands are dropped.
unreachable :: State -> State
unreachable s = s {operands = [], height = openHeight (block s), dead = True}

-- * Blocks

-- | Enter a block, whose parameters are popped already; they are its first operands.
open :: FrameKind -> FuncType -> State -> State
open kind (FuncType params rs) s =
  State
    { operands = map Just (reverse params),
      height = height s + length params,
      dead = False,
      block = Open kind (height s) params rs (filled s),
      enclosing = Enclosing (operands s) (dead s) (block s) : enclosing s,
      depth = depth s + 1,
      labels = IntMap.insert (depth s + 1) (if kind == LoopKind then params else rs) (labels s),
      filled = filled s
    }

-- | Leave the innermost block, its results popped.
close :: Context -> State -> Check State
close c s = do
  s' <- popAll c (openResults (block s)) s
  unless (null (operands s')) (Left StackHeight)
  Right s'

-- | What a branch to a label takes. 0 is the innermost block; the outermost is the body.
label :: Index -> State -> Check [ValType]
label x s = maybe (Left (Unknown "label" x)) Right (IntMap.lookup (depth s - x) (labels s))

-- * Indices

-- | What an index means in a space; 'Unknown', with the kind of things, where it means nothing.
look :: Text -> Index -> V.Vector a -> Check a
look what x v = maybe (Left (Unknown what x)) Right (v !? x)

-- | The function type with an index; 'WrongType' where the type is another.
funcAt :: Context -> Index -> Check FuncType
funcAt c x =
  look "type" x (spaceTypes (spaces c)) >>= \t -> case subComp t of
    CompFunc ft -> Right ft
    _ -> Left (WrongType x "function")

-- | The type in its normal form, if its index has one.
checkType :: Spaces -> ValType -> Check ValType
checkType sp t = case t of
  Ref (RefType n h) -> Ref . RefType n <$> checkHeap sp h
  _ -> Right t

-- | The same of a heap type.
checkHeap :: Spaces -> HeapType -> Check HeapType
checkHeap sp = \case
  Defined x -> do
    when (x >= V.length (spaceTypes sp)) (Left (Unknown "type" x))
    Right (Defined (normalIndex sp x))
  h -> Right h

-- | Whether a row of types matches another.
rows :: Context -> [ValType] -> [ValType] -> Check ()
rows c ts ts' =
  unless (length ts == length ts' && and (zipWith (matches (knownType (spaces c))) ts ts')) $
    Left (TypeMismatch ts' (map Just ts))
