{-# LANGUAGE OverloadedStrings #-}

-- | Types in the binary format.
--
-- The idea: a type is a negative number of 33 bits, and an index is one that is
-- not negative, so both can stand in the same place. Editions before the third
-- know only some of the types.
--
-- Start at 'valType' and 'recType'.
module Tern.Wasm.Binary.Type
  ( valType,
    refType,
    heapType,
    blockType,
    recType,
    limits,
    tableTypeOf,
    memoryTypeOf,
    globalTypeOf,
    index,
    flag,
  )
where

import Control.Monad (join, when)
import Data.Text (Text)
import Data.Vector qualified as V
import Data.Word (Word8)
import Tern.Wasm.Error (MalformedReason (..))
import Tern.Wasm.Reader (Reader)
import Tern.Wasm.Reader qualified as Reader
import Tern.Wasm.Rules (Rules (..))
import Tern.Wasm.Syntax

-- | An unsigned LEB128 integer of 32 bits. Whether anything has that index is for validation.
index :: Reader Index
index = fromIntegral <$> Reader.u32
{-# INLINE index #-}

-- | A byte that is one of a few.
flag :: Text -> (Word8 -> Maybe a) -> Reader a
flag what f = do
  at <- Reader.offset
  b <- Reader.byte
  maybe (Reader.failureAt at (UnknownByte what (fromIntegral b))) pure (f b)

number :: Word8 -> Maybe ValType
number = \case
  0x7F -> Just I32
  0x7E -> Just I64
  0x7D -> Just F32
  0x7C -> Just F64
  0x7B -> Just V128
  _ -> Nothing

-- | The heap types that have a byte.
abstract :: Rules -> Word8 -> Maybe HeapType
abstract rules = \case
  0x70 -> Just FuncHeap
  0x6F -> Just ExternHeap
  _ | rules < Rules3 -> Nothing
  0x74 -> Just NoExnHeap
  0x73 -> Just NoFuncHeap
  0x72 -> Just NoExternHeap
  0x71 -> Just NoneHeap
  0x6E -> Just AnyHeap
  0x6D -> Just EqHeap
  0x6C -> Just I31Heap
  0x6B -> Just StructHeap
  0x6A -> Just ArrayHeap
  0x69 -> Just ExnHeap
  _ -> Nothing

-- | What begins with a byte: a number, a vector or a reference.
beginning :: Rules -> Word8 -> Maybe (Reader ValType)
beginning rules b
  | Just t <- number b = Just (pure t)
  | otherwise = fmap Ref <$> referring rules b

-- | What begins with a byte, if that is a reference.
referring :: Rules -> Word8 -> Maybe (Reader RefType)
referring rules b
  | Just h <- abstract rules b = Just (pure (RefType True h))
  | rules < Rules3 = Nothing
  | b == 0x64 = Just (RefType False <$> heapType rules)
  | b == 0x63 = Just (RefType True <$> heapType rules)
  | otherwise = Nothing

-- | A number's, a vector's or a reference's type. Before the third edition references are to
-- functions and to the host alone.
valType :: Rules -> Reader ValType
valType rules = join (flag "a value type" (beginning rules))

-- | The same of a reference only. Another type fails at its first byte.
refType :: Rules -> Reader RefType
refType rules = join (flag "a reference type" (referring rules))

-- | An abstract heap type, which is a byte; or, from the third edition on, a type's index as a
-- signed LEB128 integer of 33 bits.
heapType :: Rules -> Reader HeapType
heapType rules = do
  at <- Reader.offset
  Reader.peekByte >>= \case
    Just b
      | Just h <- abstract rules b -> h <$ Reader.byte
    _ -> do
      x <- Reader.s33
      when
        (x < 0 || rules < Rules3)
        ( Reader.failureAt
            at
            (UnknownByte "a heap type" (fromIntegral x))
        )
      pure (Defined (fromIntegral x))

-- | No result (0x40), one result's type, or a type's index as a signed LEB128 integer of 33
-- bits: in every edition, and not compared with the types that there are.
blockType :: Rules -> Reader BlockType
blockType rules = do
  at <- Reader.offset
  Reader.peekByte >>= \case
    Just 0x40 -> BlockNone <$ Reader.byte
    Just b
      | Just next <- beginning rules b -> BlockValue <$> (Reader.byte *> next)
    _ -> do
      x <- Reader.s33
      if x < 0
        then Reader.failureAt at (UnknownByte "a block type" (fromIntegral x))
        else pure (BlockIndex (fromIntegral x))

-- * Definitions

-- | A group of types, or one alone.
recType :: Rules -> Reader [SubType]
recType rules
  | rules < Rules3 =
      pure . plainType <$> (flag "the tag of a function type" (only 0x60) *> functionType rules)
  | otherwise =
      Reader.peekByte >>= \case
        Just 0x4E -> Reader.byte *> (V.toList <$> Reader.vec (subType rules))
        _ -> pure <$> subType rules
  where
    only b c = if b == c then Just () else Nothing

subType :: Rules -> Reader SubType
subType rules =
  Reader.peekByte >>= \case
    Just 0x50 -> Reader.byte *> below False
    Just 0x4F -> Reader.byte *> below True
    _ -> SubType True [] <$> compType rules
  where
    below final = SubType final . V.toList <$> Reader.vec index <*> compType rules

compType :: Rules -> Reader CompType
compType rules = join . flag "the tag of a type" $ \case
  0x60 -> Just (CompFunc <$> functionType rules)
  0x5F -> Just (CompStruct . V.toList <$> Reader.vec (fieldType rules))
  0x5E -> Just (CompArray <$> fieldType rules)
  _ -> Nothing

functionType :: Rules -> Reader FuncType
functionType rules =
  FuncType
    <$> (V.toList <$> Reader.vec (valType rules))
    <*> (V.toList <$> Reader.vec (valType rules))

fieldType :: Rules -> Reader FieldType
fieldType rules = do
  storage <-
    Reader.peekByte >>= \case
      Just 0x78 -> Packed8 <$ Reader.byte
      Just 0x77 -> Packed16 <$ Reader.byte
      _ -> Whole <$> valType rules
  (`FieldType` storage) <$> mutability

mutability :: Reader Mut
mutability = flag "a mutability" $ \case
  0 -> Just Const
  1 -> Just Var
  _ -> Nothing

-- * Parts of a module

-- | How wide addresses are, and the limits in pages or elements. Addresses of 64 bits are of
-- the third edition.
limits :: Rules -> Reader (AddressType, Limits)
limits rules = join . flag "limits" $ \case
  0 -> Just (low Address32)
  1 -> Just (both Address32)
  4 | rules >= Rules3 -> Just (low Address64)
  5 | rules >= Rules3 -> Just (both Address64)
  _ -> Nothing
  where
    -- Since the third edition all limits have 64 bits, and validation bounds them.
    size = if rules < Rules3 then fromIntegral <$> Reader.u32 else Reader.u64
    low address = (\n -> (address, Limits n Nothing)) <$> size
    both address = (\n m -> (address, Limits n (Just m))) <$> size <*> size

-- | A table's type: first the elements', then the limits.
tableTypeOf :: Rules -> Reader TableType
tableTypeOf rules = do
  t <- refType rules
  (\(a, l) -> TableType a l t) <$> limits rules

-- | A memory's type: limits, in pages of 64 KiB.
memoryTypeOf :: Rules -> Reader MemoryType
memoryTypeOf rules = uncurry MemoryType <$> limits rules

-- | A global's type: first the value's, then whether it may change.
globalTypeOf :: Rules -> Reader GlobalType
globalTypeOf rules = do
  t <- valType rules
  (`GlobalType` t) <$> mutability
