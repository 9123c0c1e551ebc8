-- | Structures and arrays: where they lie, and what a reference refers to.
--
-- The idea: an object is a piece of the store's heap: 4 bytes for the number of its
-- type, 4 for the length of an array, and its fields. It is never moved, and lives as
-- long as somebody can reach it ("Tern.Wasm.Collect"); 'settingHeap' bounds how much
-- there can be.
--
-- A structure's fields take 8 bytes each, or 16 for a vector; an array's elements
-- as many as they have. Start at 'newObject' and 'referenceIs'.
module Tern.Wasm.Object
  ( -- * References
    referenceIs,
    heapOfBits,
    smallInteger,

    -- * Objects
    newObject,
    objectLength,
    objectHead,
    elementBytes,
    readField,
    writeField,
  )
where

import Data.Bits (shiftL, (.&.), (.|.))
import Data.Word (Word16, Word32, Word64, Word8)
import Tern.Wasm.Heap (objectOf)
import Tern.Wasm.Heap.Place (place)
import Tern.Wasm.Layout (funcTypeId)
import Tern.Wasm.Prim (Ptr, peekByteOff, pokeByteOff, wordPtrToPtr)
import Tern.Wasm.Settings (Settings (..))
import Tern.Wasm.Store (Store (..), typeOfNumber)
import Tern.Wasm.Type
  ( FieldType (..),
    HeapType (..),
    RefType (..),
    Storage (..),
    ValType (..),
    matchesHeap,
    topOf,
  )

-- * References

-- | Whether the reference with these bits has a type of the store. The bits are
-- those of a reference in the type's hierarchy.
referenceIs :: Store -> RefType -> Word64 -> IO Bool
referenceIs store (RefType nullable h) bits
  | bits == 0 = pure nullable
  | otherwise = do
      known <- typeOfNumber store
      case topOf known h of
        Just FuncHeap -> case h of
          Defined _ -> do
            n <- peekByteOff (wordPtrToPtr (fromIntegral bits)) funcTypeId :: IO Int
            pure (matchesHeap known (Defined n) h)
          _ -> pure (h == FuncHeap)
        Just AnyHeap -> (\own -> matchesHeap known own h) <$> heapOfBits store AnyHeap bits
        top -> pure (Just h == top)

-- | What a reference that is not null refers to, given the top of its hierarchy.
heapOfBits :: Store -> HeapType -> Word64 -> IO HeapType
heapOfBits store top bits
  | top /= AnyHeap = pure top
  | otherwise = case bits .&. 3 of
      2 -> pure I31Heap
      1 -> pure AnyHeap
      _ -> Defined . fromIntegral <$> (peekByteOff (objectOf (storeHeap store) bits) 0 :: IO Word32)

-- | A small integer's reference.
smallInteger :: Word32 -> Word64
smallInteger n = (fromIntegral (n .&. 0x7FFFFFFF) `shiftL` 2) .|. 2

-- * Objects

-- | An object of the type @number@, of the length @n@, with fields of @bytes@ bytes, all
-- zero; 'Nothing' where the heap is used up. Where it is time to, the action collects.
newObject :: Store -> IO Bool -> Int -> Word32 -> Int -> IO (Maybe (Ptr ()))
newObject store collect number n bytes
  | bytes > settingHeap (storeSettings store) = pure Nothing
  | otherwise = place (storeHeap store) collect headed (objectHead + bytes)
  where
    headed p = do
      pokeByteOff p 0 (fromIntegral number :: Word32)
      pokeByteOff p 4 n

-- | How many elements the array at an address has.
objectLength :: Ptr () -> IO Word32
objectLength p = peekByteOff p 4

-- | Bytes before an object's fields.
objectHead :: Int
objectHead = 8

-- | Bytes of an array's element.
elementBytes :: FieldType -> Int
elementBytes f = case fieldStorage f of
  Packed8 -> 1
  Packed16 -> 2
  Whole t -> case t of
    I32 -> 4
    F32 -> 4
    V128 -> 16
    _ -> 8

-- | Copy a field's value to a slot, signed if it is packed and that is asked for.
readField :: FieldType -> Bool -> Ptr () -> Ptr () -> IO ()
readField f signed from to = case elementBytes f of
  1 -> do
    v <- peekByteOff from 0 :: IO Word8
    pokeByteOff to 0 (fromIntegral v .|. (if signed && v >= 0x80 then 0xFFFFFF00 else 0) :: Word32)
  2 -> do
    v <- peekByteOff from 0 :: IO Word16
    pokeByteOff
      to
      0
      ( fromIntegral v .|. (if signed && v >= 0x8000 then 0xFFFF0000 else 0) ::
          Word32
      )
  4 -> (peekByteOff from 0 :: IO Word32) >>= pokeByteOff to 0
  8 -> word 0
  _ -> word 0 >> word 8
  where
    word o = (peekByteOff from o :: IO Word64) >>= pokeByteOff to o

-- | Copy a slot to a field.
writeField :: FieldType -> Ptr () -> Ptr () -> IO ()
writeField f from to = case elementBytes f of
  1 -> (peekByteOff from 0 :: IO Word8) >>= pokeByteOff to 0
  2 -> (peekByteOff from 0 :: IO Word16) >>= pokeByteOff to 0
  4 -> (peekByteOff from 0 :: IO Word32) >>= pokeByteOff to 0
  8 -> word 0
  _ -> word 0 >> word 8
  where
    word o = (peekByteOff from o :: IO Word64) >>= pokeByteOff to o
