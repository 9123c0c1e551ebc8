{-# LANGUAGE PatternSynonyms #-}

-- | Types: of values, references, functions and aggregates, and how they match.
--
-- The idea: types refer to each other by index, so equality needs a normal form.
-- Groups of types that are equal but for their own indices are one, and every
-- index is replaced by that of the first equal type; after that @==@ is equality
-- and 'matches' is the specification's subtyping. A module does this with its own
-- indices, a store with numbers of its own, by the same 'intern'.
--
-- Start at 'ValType', then 'matches'.
module Tern.Wasm.Type
  ( -- * Values
    ValType (..),
    RefType (..),
    pattern FuncRef,
    pattern ExternRef,
    HeapType (..),
    slotCount,
    slotTotal,
    isReference,
    defaultable,

    -- * Functions and aggregates
    FuncType (..),
    Mut (..),
    Storage (..),
    FieldType (..),
    CompType (..),
    SubType (..),
    plainType,
    unpacked,

    -- * Normal forms
    renumber,
    renumberSub,
    Interned,
    nothingInterned,
    intern,
    normalGroup,
    internNormal,
    evaluatedAll,

    -- * Matching
    Known,
    matches,
    matchesRef,
    matchesHeap,
    matchesComp,
    topOf,
  )
where

import Data.List qualified as List
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map

-- * Values

-- | What a reference may point to.
data HeapType
  = AnyHeap
  | EqHeap
  | I31Heap
  | StructHeap
  | ArrayHeap
  | NoneHeap
  | FuncHeap
  | NoFuncHeap
  | ExternHeap
  | NoExternHeap
  | ExnHeap
  | NoExnHeap
  | -- | A type by its index or number.
    Defined !Int
  | -- | Below all others: of an operand in code that cannot be reached.
    BottomHeap
  deriving stock (Eq, Ord, Show)

-- | A reference, and whether it may be null.
data RefType = RefType {refNullable :: !Bool, refHeap :: !HeapType}
  deriving stock (Eq, Ord, Show)

-- | A function or null.
pattern FuncRef :: RefType
pattern FuncRef = RefType True FuncHeap

-- | A value of the host's or null.
pattern ExternRef :: RefType
pattern ExternRef = RefType True ExternHeap

-- | The type of an operand: a number, a vector, a reference.
data ValType = I32 | I64 | F32 | F64 | V128 | Ref !RefType
  deriving stock (Eq, Ord, Show)

-- | Words of 8 bytes that a value takes in a frame.
slotCount :: ValType -> Int
slotCount = \case
  V128 -> 2
  _ -> 1

-- | Words that a row of values takes.
slotTotal :: [ValType] -> Int
slotTotal = sum . map slotCount

-- | Is it a reference, of whatever heap type?
isReference :: ValType -> Bool
isReference = \case
  Ref _ -> True
  _ -> False

-- | Whether a local of the type has a value before it is set.
defaultable :: ValType -> Bool
defaultable = \case
  Ref r -> refNullable r
  _ -> True

-- * Functions and aggregates

-- | What a function takes and gives.
data FuncType = FuncType {funcParams :: [ValType], funcResults :: [ValType]}
  deriving stock (Eq, Ord, Show)

-- | Whether a global or a field may change.
data Mut = Const | Var
  deriving stock (Eq, Ord, Show)

-- | What a field holds: a value, or an integer of 8 or 16 bits.
data Storage = Whole !ValType | Packed8 | Packed16
  deriving stock (Eq, Ord, Show)

-- | What a field of a structure, or an element of an array, holds, and whether that may change.
data FieldType = FieldType {fieldMut :: !Mut, fieldStorage :: !Storage}
  deriving stock (Eq, Ord, Show)

-- | A type that a module may define (WebAssembly core, section 2.3).
data CompType
  = CompFunc !FuncType
  | CompStruct ![FieldType]
  | CompArray !FieldType
  deriving stock (Eq, Ord, Show)

-- | A type as it is defined: whether it may have subtypes, and of what it is one.
data SubType = SubType {subFinal :: !Bool, subSupers :: ![Int], subComp :: !CompType}
  deriving stock (Eq, Ord, Show)

-- | The type of a function that is not declared to be anything else.
plainType :: FuncType -> SubType
plainType = SubType True [] . CompFunc

-- | The type of a field's value on the stack.
unpacked :: FieldType -> ValType
unpacked (FieldType _ s) = case s of
  Whole t -> t
  _ -> I32

-- * Normal forms

-- | Replace the indices in a type.
renumber :: (Int -> Int) -> ValType -> ValType
renumber f = \case
  Ref (RefType n (Defined x)) -> Ref (RefType n (Defined (f x)))
  t -> t

-- | Replace the indices in a definition, those of its supertypes among them.
renumberSub :: (Int -> Int) -> SubType -> SubType
renumberSub f (SubType final supers comp) = SubType final (map f supers) $ case comp of
  CompFunc (FuncType ps rs) -> CompFunc (FuncType (map (renumber f) ps) (map (renumber f) rs))
  CompStruct fields -> CompStruct (map field fields)
  CompArray t -> CompArray (field t)
  where
    field (FieldType m s) = FieldType m $ case s of
      Whole t -> Whole (renumber f t)
      _ -> s

-- | Groups that are known, and the number of each one's first type.
newtype Interned = Interned (Map [SubType] Int)

-- | No group is known yet.
nothingInterned :: Interned
nothingInterned = Interned Map.empty

-- | The number of a group's first type: that of an equal group, or a new one.
-- The group begins at an index; indices before it are renumbered by the function.
intern :: (Int -> Int) -> Int -> Int -> [SubType] -> Interned -> (Int, Interned)
intern outside from new group = internNormal new (normalGroup outside from group)

-- | A group as equal ones are equal. Its own types are negative, so that no number is mistaken
-- for one.
normalGroup :: (Int -> Int) -> Int -> [SubType] -> [SubType]
normalGroup outside from =
  map (renumberSub (\x -> if x >= from then from - x - 1 else outside x))

-- | The number of an equal group, or for a new one the number that is given.
internNormal :: Int -> [SubType] -> Interned -> (Int, Interned)
internNormal new key known@(Interned m) = case Map.lookup key m of
  Just n -> (n, known)
  Nothing -> (new, Interned (Map.insert key new m))

-- | Evaluate the whole of some definitions, however many fields they have.
evaluatedAll :: [SubType] -> ()
evaluatedAll = each whole
  where
    each :: (a -> ()) -> [a] -> ()
    each f = List.foldl' (\() x -> f x) ()
    whole (SubType _ supers comp) =
      each (`seq` ()) supers `seq` case comp of
        CompFunc (FuncType ps rs) -> each (`seq` ()) ps `seq` each (`seq` ()) rs
        CompStruct fields -> each (`seq` ()) fields
        CompArray _ -> ()

-- * Matching

-- | What a type's number means.
type Known = Int -> Maybe SubType

-- | May a value of the first type stand where one of the second is asked for (WebAssembly core,
-- section 3.3)? Linear as 'matchesHeap' is.
matches :: Known -> ValType -> ValType -> Bool
matches known a b = case (a, b) of
  (Ref r, Ref r') -> matchesRef known r r'
  _ -> a == b

-- | The same of references: null only where it is allowed.
matchesRef :: Known -> RefType -> RefType -> Bool
matchesRef known (RefType n h) (RefType n' h') = (n' || not n) && matchesHeap known h h'

-- | Linear in the depth of a type below its supertypes.
matchesHeap :: Known -> HeapType -> HeapType -> Bool
matchesHeap known a b
  | a == b = True
  | otherwise = case (a, b) of
      (BottomHeap, _) -> True
      (Defined x, Defined _) ->
        any (\s -> matchesHeap known (Defined s) b) (maybe [] subSupers (known x))
      (Defined x, _) -> case subComp <$> known x of
        Just (CompFunc _) -> b == FuncHeap
        Just (CompStruct _) -> b `elem` [StructHeap, EqHeap, AnyHeap]
        Just (CompArray _) -> b `elem` [ArrayHeap, EqHeap, AnyHeap]
        Nothing -> False
      (EqHeap, _) -> b == AnyHeap
      (I31Heap, _) -> b == EqHeap || b == AnyHeap
      (StructHeap, _) -> b == EqHeap || b == AnyHeap
      (ArrayHeap, _) -> b == EqHeap || b == AnyHeap
      (NoneHeap, _) -> topOf known b == Just AnyHeap
      (NoFuncHeap, _) -> topOf known b == Just FuncHeap
      (NoExternHeap, _) -> b == ExternHeap
      (NoExnHeap, _) -> b == ExnHeap
      _ -> False

-- | The top of the hierarchy that a type is in.
topOf :: Known -> HeapType -> Maybe HeapType
topOf known = \case
  Defined x -> case subComp <$> known x of
    Just (CompFunc _) -> Just FuncHeap
    Just _ -> Just AnyHeap
    Nothing -> Nothing
  FuncHeap -> Just FuncHeap
  NoFuncHeap -> Just FuncHeap
  ExternHeap -> Just ExternHeap
  NoExternHeap -> Just ExternHeap
  ExnHeap -> Just ExnHeap
  NoExnHeap -> Just ExnHeap
  BottomHeap -> Nothing
  _ -> Just AnyHeap

-- | Whether a definition may stand below another.
matchesComp :: Known -> CompType -> CompType -> Bool
matchesComp known a b = case (a, b) of
  (CompFunc (FuncType ps rs), CompFunc (FuncType ps' rs')) -> rows ps' ps && rows rs rs'
  (CompStruct fs, CompStruct fs') -> length fs >= length fs' && and (zipWith field fs fs')
  (CompArray f, CompArray f') -> field f f'
  _ -> False
  where
    rows xs ys = length xs == length ys && and (zipWith (matches known) xs ys)
    field (FieldType m s) (FieldType m' s') =
      m == m' && case (s, s') of
        (Whole t, Whole t') | m == Const -> matches known t t'
        _ -> s == s'
