{-# LANGUAGE OverloadedStrings #-}

-- | Validation of structures, arrays, small integers and casts.
--
-- Start at 'aggregate'.
module Tern.Wasm.Valid.Aggregate
  ( aggregate,
    cast,
    castBranch,
  )
where

import Control.Monad (unless, when)
import Data.Vector ((!?))
import Data.Vector qualified as V
import Tern.Wasm.Aggregate (Aggregate (..))
import Tern.Wasm.Error (InvalidReason (..))
import Tern.Wasm.Syntax
import Tern.Wasm.Valid.Spaces (Spaces (..), knownType, normalIndex)
import Tern.Wasm.Valid.State
  ( Check,
    Context (..),
    State (..),
    checkHeap,
    label,
    look,
    pop,
    popAll,
    popRef,
    push,
    pushAll,
  )

-- | Check an operator with its two indices; where it has fewer, the others do not matter.
aggregate :: Context -> Aggregate -> Index -> Index -> State -> Check State
aggregate c g x y s = case g of
  StructNew -> do
    fields <- struct
    made <$> popAll c (map unpacked fields) s
  StructNewDefault -> do
    fields <- struct
    mapM_ (hasDefault . unpacked) fields
    Right (made s)
  StructGet -> field >>= wholly >>= \f -> push (unpacked f) <$> pop c nullable s
  StructGetS -> field >>= packed >>= \f -> push (unpacked f) <$> pop c nullable s
  StructGetU -> field >>= packed >>= \f -> push (unpacked f) <$> pop c nullable s
  StructSet -> do
    f <- field
    when (fieldMut f == Const) (Left (ImmutableField y))
    pop c (unpacked f) s >>= pop c nullable
  ArrayNew -> array x >>= \f -> made <$> (pop c I32 s >>= pop c (unpacked f))
  ArrayNewDefault -> array x >>= \f -> hasDefault (unpacked f) >> made <$> pop c I32 s
  ArrayNewFixed -> do
    f <- array x
    made <$> popMany y (unpacked f) s
  ArrayNewData -> do
    f <- array x
    numeric f
    segment
    made <$> popAll c [I32, I32] s
  ArrayNewElem -> do
    f <- array x
    fromElements f
    made <$> popAll c [I32, I32] s
  ArrayGet -> array x >>= wholly >>= got
  ArrayGetS -> array x >>= packed >>= got
  ArrayGetU -> array x >>= packed >>= got
  ArraySet -> do
    f <- array x >>= mutable
    pop c (unpacked f) s >>= pop c I32 >>= pop c nullable
  ArrayLen -> push I32 <$> pop c (Ref (RefType True ArrayHeap)) s
  ArrayFill -> do
    f <- array x >>= mutable
    pop c I32 s >>= pop c (unpacked f) >>= pop c I32 >>= pop c nullable
  ArrayCopy -> do
    to <- array x >>= mutable
    from <- array y
    unless (storageMatches (fieldStorage from) (fieldStorage to)) $
      Left (TypeMismatch [unpacked to] [Just (unpacked from)])
    popAll c [nullable, I32, Ref (RefType True (Defined (normalIndex sp y))), I32, I32] s
  ArrayInitData -> do
    f <- array x >>= mutable
    numeric f
    segment
    popAll c [nullable, I32, I32, I32] s
  ArrayInitElem -> do
    f <- array x >>= mutable
    fromElements f
    popAll c [nullable, I32, I32, I32] s
  AnyConvertExtern -> convert ExternHeap AnyHeap
  ExternConvertAny -> convert AnyHeap ExternHeap
  RefI31 -> push (Ref (RefType False I31Heap)) <$> pop c I32 s
  I31GetS -> i31
  I31GetU -> i31
  where
    sp = spaces c
    i31 = push I32 <$> pop c (Ref (RefType True I31Heap)) s
    own = Defined (normalIndex sp x)
    nullable = Ref (RefType True own)
    made = push (Ref (RefType False own))
    got f = push (unpacked f) <$> (pop c I32 s >>= pop c nullable)
    struct =
      look "type" x (spaceTypes sp) >>= \t -> case subComp t of
        CompStruct fields -> Right fields
        _ -> Left (WrongType x "structure")
    array k =
      look "type" k (spaceTypes sp) >>= \t -> case subComp t of
        CompArray f -> Right f
        _ -> Left (WrongType k "array")
    field = struct >>= \fields -> maybe (Left (Unknown "field" y)) Right (V.fromList fields !? y)
    wholly f = case fieldStorage f of
      Whole _ -> Right f
      _ -> Left (WrongType x "type of whole values here")
    packed f = case fieldStorage f of
      Whole _ -> Left (WrongType x "type of packed values here")
      _ -> Right f
    mutable f = f <$ when (fieldMut f == Const) (Left (ImmutableField 0))
    hasDefault t = unless (defaultable t) (Left (TypeMismatch [t] []))
    numeric f = when (isReference (unpacked f)) (Left (WrongType x "array of numbers"))
    segment = when (y >= spaceDatas sp) (Left (Unknown "data segment" y))
    fromElements f = do
      t <- look "element segment" y (spaceElems sp)
      case fieldStorage f of
        Whole t' | matches (knownType sp) (Ref t) t' -> Right ()
        _ -> Left (TypeMismatch [unpacked f] [Just (Ref t)])
    storageMatches a b = case (a, b) of
      (Whole t, Whole t') -> matches (knownType sp) t t'
      _ -> a == b
    convert from to = do
      (r, s') <- popRef s
      unless (matchesHeap (knownType sp) (refHeap r) from) $
        Left (TypeMismatch [Ref (RefType True from)] [Just (Ref r)])
      Right (push (Ref (RefType (refNullable r) to)) s')
    popMany k t st
      | k <= 0 = Right st
      -- In code that cannot be reached an empty stack has as many as are wanted.
      | null (operands st) && dead st = Right st
      | otherwise = pop c t st >>= popMany (k - 1) t

-- | A test or a cast to a type: what it pops, given what it pushes.
cast :: Context -> RefType -> (RefType -> ValType) -> State -> Check State
cast c (RefType n h) result s = do
  h' <- checkHeap sp h
  top <- maybe (Left (Unknown "type" 0)) Right (topOf (knownType sp) h')
  (r, s') <- popRef s
  unless (matchesHeap (knownType sp) (refHeap r) top) $
    Left (TypeMismatch [Ref (RefType True top)] [Just (Ref r)])
  Right (push (result (RefType n h')) s')
  where
    sp = spaces c

-- | A branch on a cast: whether it is taken on failure, the label and the types.
castBranch :: Context -> Bool -> Index -> RefType -> RefType -> State -> Check State
castBranch c fails x (RefType n h) (RefType n' h') s = do
  from <- RefType n <$> checkHeap sp h
  to <- RefType n' <$> checkHeap sp h'
  unless (matchesRef (knownType sp) to from) (Left (BadCast from to))
  ts <- label x s
  let other = RefType (n && not n') (refHeap from)
      (taken, left) = if fails then (other, to) else (to, other)
  case reverse ts of
    Ref r : before
      | matchesRef (knownType sp) taken r -> do
          s' <- pop c (Ref from) s
          push (Ref left) . pushAll (reverse before) <$> popAll c (reverse before) s'
    _ -> Left (TypeMismatch ts [Just (Ref taken)])
  where
    sp = spaces c
