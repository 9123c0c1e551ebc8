{-# LANGUAGE OverloadedStrings #-}

-- | Types in the text format, and as bytes.
--
-- Start at 'valType', 'typeUse' and 'subType'.
module Tern.Wasm.Text.Types
  ( -- * Reading
    valType,
    refType,
    heapType,
    signature,
    typeUse,
    subType,
    fieldNames,

    -- * Bytes
    valTypeBytes,
    refTypeBytes,
    heapTypeBytes,
    groupBytes,
  )
where

import Control.Monad (when)
import Data.ByteString (ByteString)
import Data.ByteString.Builder (Builder)
import Data.ByteString.Builder qualified as BB
import Data.Map.Strict qualified as Map
import Data.Word (Word8)
import Tern.Wasm.Text.Bytes (leb, signedLeb)
import Tern.Wasm.Text.Scope
  ( Names (..),
    P,
    Space (..),
    end,
    index,
    isName,
    noSpace,
    refuse,
    typeAt,
    typeIndex,
  )
import Tern.Wasm.Text.Tree (TextError (..), Tree (..), treeOffset)
import Tern.Wasm.Type
  ( CompType (..),
    FieldType (..),
    FuncType (..),
    HeapType (..),
    Mut (..),
    RefType (..),
    Storage (..),
    SubType (..),
    ValType (..),
  )

-- * Reading

-- | A number's, a vector's or a reference's type; an index in it is looked up among the names.
valType :: Names -> Tree -> P ValType
valType ns t = case t of
  Atom _ "i32" -> pure I32
  Atom _ "i64" -> pure I64
  Atom _ "f32" -> pure F32
  Atom _ "f64" -> pure F64
  Atom _ "v128" -> pure V128
  _
    | looksLikeRef t -> Ref <$> refType ns t
    | otherwise -> refuse (treeOffset t) "a value type"

looksLikeRef :: Tree -> Bool
looksLikeRef = \case
  Atom _ w -> Map.member w shortRefs
  List _ (Atom _ "ref" : _) -> True
  _ -> False

shortRefs :: Map.Map ByteString HeapType
shortRefs =
  Map.fromList
    [ ("funcref", FuncHeap),
      ("externref", ExternHeap),
      ("anyref", AnyHeap),
      ("eqref", EqHeap),
      ("i31ref", I31Heap),
      ("structref", StructHeap),
      ("arrayref", ArrayHeap),
      ("nullref", NoneHeap),
      ("nullfuncref", NoFuncHeap),
      ("nullexternref", NoExternHeap),
      ("exnref", ExnHeap),
      ("nullexnref", NoExnHeap)
    ]

-- | A list that begins with @ref@, or a short word as @funcref@, which may be null.
refType :: Names -> Tree -> P RefType
refType ns = \case
  Atom _ w | Just h <- Map.lookup w shortRefs -> pure (RefType True h)
  List _ [Atom _ "ref", Atom _ "null", h] -> RefType True <$> heapType ns h
  List _ [Atom _ "ref", h] -> RefType False <$> heapType ns h
  t -> refuse (treeOffset t) "a reference type"

-- | An abstract heap type by its word, or a type's index by its name or number.
heapType :: Names -> Tree -> P HeapType
heapType ns t = case t of
  Atom _ w | Just h <- Map.lookup w heaps -> pure h
  _ -> Defined <$> index (nameTypes ns) t
  where
    heaps =
      Map.fromList
        [ ("func", FuncHeap),
          ("extern", ExternHeap),
          ("any", AnyHeap),
          ("eq", EqHeap),
          ("i31", I31Heap),
          ("struct", StructHeap),
          ("array", ArrayHeap),
          ("none", NoneHeap),
          ("nofunc", NoFuncHeap),
          ("noextern", NoExternHeap),
          ("exn", ExnHeap),
          ("noexn", NoExnHeap)
        ]

-- | Parameters, then results: the parameters' names, the type and what follows.
-- Names stand only where they are allowed.
signature :: Names -> Bool -> [Tree] -> P ([Maybe ByteString], FuncType, [Tree])
signature names named = params [] []
  where
    params ns ts = \case
      List _ [Atom _ "param", Atom o w, t]
        : rest
          | isName w ->
              if named
                then valType names t >>= \v -> params (Just w : ns) (v : ts) rest
                else refuse o "no name"
      List _ (Atom _ "param" : ps) : rest -> do
        vs <- mapM (valType names) ps
        params (map (const Nothing) vs <> ns) (reverse vs <> ts) rest
      rest -> results (reverse ns) (reverse ts) [] rest
    results ns ps ts = \case
      List _ (Atom _ "result" : rs) : rest -> do
        vs <- mapM (valType names) rs
        results ns ps (reverse vs <> ts) rest
      rest -> pure (ns, FuncType ps (reverse ts), rest)

-- | A type by index, by signature, or by both, which must then agree.
typeUse :: Names -> Bool -> [Tree] -> P (Int, [Maybe ByteString], [Tree])
typeUse ns named = \case
  List o [Atom _ "type", x] : rest -> do
    n <- index (nameTypes ns) x
    (names, ft, left) <- signature ns named rest
    found <- typeAt n
    let written = not (null (funcParams ft) && null (funcResults ft))
    when (written && found /= Just ft) (refuse o "a signature that agrees with the type")
    let arity = maybe 0 (length . funcParams) found
    pure (n, if written then names else replicate arity Nothing, left)
  rest -> do
    (names, ft, left) <- signature ns named rest
    n <- typeIndex ft
    pure (n, names, left)

-- | What a type is defined as.
subType :: Names -> Int -> [Tree] -> P SubType
subType ns o = \case
  [List _ (Atom _ "sub" : Atom _ "final" : rest)] -> below True [] rest
  [List _ (Atom _ "sub" : rest)] -> below False [] rest
  [t] -> SubType True [] <$> compType ns t
  _ -> refuse o "one definition of a type"
  where
    below final supers = \case
      [t@(List _ _)] -> SubType final (reverse supers) <$> compType ns t
      x@(Atom _ _) : rest -> index (nameTypes ns) x >>= \n -> below final (n : supers) rest
      _ -> refuse o "supertypes, then a definition"

compType :: Names -> Tree -> P CompType
compType ns t = case t of
  List _ (Atom _ "func" : rest) -> do
    (_, ft, left) <- signature ns True rest
    end left
    pure (CompFunc ft)
  List _ (Atom _ "struct" : rest) -> CompStruct . concat <$> mapM fields rest
  List _ [Atom _ "array", f] -> CompArray <$> fieldType f
  _ -> refuse (treeOffset t) "a function, structure or array type"
  where
    fields = \case
      List _ [Atom _ "field", Atom _ w, f] | isName w -> pure <$> fieldType f
      List _ (Atom _ "field" : fs) -> mapM fieldType fs
      f -> refuse (treeOffset f) "a field"
    fieldType = \case
      List _ [Atom _ "mut", f] -> FieldType Var <$> storage f
      f -> FieldType Const <$> storage f
    storage = \case
      Atom _ "i8" -> pure Packed8
      Atom _ "i16" -> pure Packed16
      f -> Whole <$> valType ns f

-- | The names of a structure's fields, without a look at their types.
fieldNames :: [Tree] -> Either TextError Space
fieldNames = \case
  [List _ (Atom _ "sub" : rest)] -> fieldNames (drop (length rest - 1) rest)
  [List _ (Atom _ "struct" : rest)] -> go noSpace rest
  _ -> Right noSpace
  where
    go space [] = Right space
    go (Space m n) (t : rest) = case t of
      List o [Atom _ "field", Atom _ w, _]
        | isName w ->
            if Map.member w m
              then Left (TextError o "a field's name that is not taken")
              else go (Space (Map.insert w n m) (n + 1)) rest
      List _ (Atom _ "field" : fs) -> go (Space m (n + length fs)) rest
      _ -> go (Space m n) rest

-- * Bytes

-- | A type as the binary format has it (WebAssembly core, section 5.3).
valTypeBytes :: ValType -> Builder
valTypeBytes = \case
  I32 -> BB.word8 0x7F
  I64 -> BB.word8 0x7E
  F32 -> BB.word8 0x7D
  F64 -> BB.word8 0x7C
  V128 -> BB.word8 0x7B
  Ref r -> refTypeBytes r

-- | The heap type's byte alone where it has one and null is allowed; else a byte before the heap
-- type.
refTypeBytes :: RefType -> Builder
refTypeBytes = \case
  RefType True h | Just b <- heapByte h -> BB.word8 b
  RefType n h -> BB.word8 (if n then 0x63 else 0x64) <> heapTypeBytes h

-- | The heap type's byte, or an index in signed LEB128. No bytes for 'BottomHeap', which nobody
-- can write.
heapTypeBytes :: HeapType -> Builder
heapTypeBytes h = case h of
  Defined x -> signedLeb (fromIntegral x)
  _ -> maybe mempty BB.word8 (heapByte h)

heapByte :: HeapType -> Maybe Word8
heapByte = \case
  NoExnHeap -> Just 0x74
  NoFuncHeap -> Just 0x73
  NoExternHeap -> Just 0x72
  NoneHeap -> Just 0x71
  FuncHeap -> Just 0x70
  ExternHeap -> Just 0x6F
  AnyHeap -> Just 0x6E
  EqHeap -> Just 0x6D
  I31Heap -> Just 0x6C
  StructHeap -> Just 0x6B
  ArrayHeap -> Just 0x6A
  ExnHeap -> Just 0x69
  _ -> Nothing

-- | A group of types; a type that is alone is written without a group.
groupBytes :: [SubType] -> Builder
groupBytes = \case
  [t] -> subTypeBytes t
  ts -> BB.word8 0x4E <> leb (length ts) <> foldMap subTypeBytes ts

subTypeBytes :: SubType -> Builder
subTypeBytes (SubType final supers comp)
  | final && null supers = compTypeBytes comp
  | otherwise =
      BB.word8 (if final then 0x4F else 0x50)
        <> leb (length supers)
        <> foldMap leb supers
        <> compTypeBytes comp

compTypeBytes :: CompType -> Builder
compTypeBytes = \case
  CompFunc (FuncType ps rs) -> BB.word8 0x60 <> list ps <> list rs
  CompStruct fs -> BB.word8 0x5F <> leb (length fs) <> foldMap field fs
  CompArray f -> BB.word8 0x5E <> field f
  where
    list ts = leb (length ts) <> foldMap valTypeBytes ts
    field (FieldType m s) =
      ( case s of
          Packed8 -> BB.word8 0x78
          Packed16 -> BB.word8 0x77
          Whole t -> valTypeBytes t
      )
        <> BB.word8 (if m == Var then 1 else 0)
