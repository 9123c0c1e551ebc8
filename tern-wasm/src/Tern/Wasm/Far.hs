-- | Loads and stores of memories that the loop's registers do not hold: those
-- after the first, and those with 64-bit addresses.
--
-- An instruction is 32 bytes: the 'AccessOp' in the field d, the value's slot in a,
-- the address's in b, in c where the instance has the memory's record, and then
-- the offset and whether the address has 64 bits. Start at 'step'.
module Tern.Wasm.Far
  ( step,
  )
where

import Data.Int (Int16, Int32, Int64, Int8)
import Data.Word (Word16, Word32, Word64, Word8)
import Tern.Wasm.Code (exitMemory)
import Tern.Wasm.Layout (memoryBase, memoryBytes)
import Tern.Wasm.Opcode (AccessOp (..))
import Tern.Wasm.Prim (Ptr, Storable, peekByteOff, plusPtr, pokeByteOff)

-- | Run the instruction at an address over a frame and an instance; 0, or the
-- trap's code.
step :: Ptr () -> Ptr () -> Ptr () -> IO Int
step ip fp inst = do
  op <- peekByteOff ip 2 :: IO Word16
  a <- field 4
  b <- field 8
  record <- field 12 >>= peekByteOff inst :: IO (Ptr ())
  offset <- peekByteOff ip 16 :: IO Word64
  wide <- peekByteOff ip 24 :: IO Word64
  address <-
    if wide /= 0
      then peekByteOff fp b
      else fromIntegral <$> (peekByteOff fp b :: IO Word32)
  base <- peekByteOff record memoryBase :: IO (Ptr ())
  size <- peekByteOff record memoryBytes :: IO Word64
  let sum_ = address + offset
      at :: Word64 -> (Ptr () -> IO ()) -> IO Int
      at n f
        | sum_ < offset || sum_ > size || n > size - sum_ = pure exitMemory
        | otherwise = 0 <$ f (base `plusPtr` fromIntegral sum_)
      load :: (Storable x, Storable y) => Word64 -> (x -> y) -> IO Int
      load n f = at n $ \p -> peekByteOff p 0 >>= pokeByteOff fp a . f
      store :: (Storable x) => Word64 -> (Ptr () -> IO x) -> IO Int
      store n f = at n $ \p -> f (fp `plusPtr` a) >>= pokeByteOff p 0
  case toEnum (fromIntegral op) of
    I32Load -> load 4 (id :: Word32 -> Word32)
    I64Load -> load 8 (id :: Word64 -> Word64)
    F32Load -> load 4 (id :: Word32 -> Word32)
    F64Load -> load 8 (id :: Word64 -> Word64)
    I32Load8S -> load 1 (fromIntegral :: Int8 -> Int32)
    I32Load8U -> load 1 (fromIntegral :: Word8 -> Word32)
    I32Load16S -> load 2 (fromIntegral :: Int16 -> Int32)
    I32Load16U -> load 2 (fromIntegral :: Word16 -> Word32)
    I64Load8S -> load 1 (fromIntegral :: Int8 -> Int64)
    I64Load8U -> load 1 (fromIntegral :: Word8 -> Word64)
    I64Load16S -> load 2 (fromIntegral :: Int16 -> Int64)
    I64Load16U -> load 2 (fromIntegral :: Word16 -> Word64)
    I64Load32S -> load 4 (fromIntegral :: Int32 -> Int64)
    I64Load32U -> load 4 (fromIntegral :: Word32 -> Word64)
    I32Store -> store 4 (\p -> peekByteOff p 0 :: IO Word32)
    I64Store -> store 8 (\p -> peekByteOff p 0 :: IO Word64)
    F32Store -> store 4 (\p -> peekByteOff p 0 :: IO Word32)
    F64Store -> store 8 (\p -> peekByteOff p 0 :: IO Word64)
    I32Store8 -> store 1 (\p -> peekByteOff p 0 :: IO Word8)
    I32Store16 -> store 2 (\p -> peekByteOff p 0 :: IO Word16)
    I64Store8 -> store 1 (\p -> peekByteOff p 0 :: IO Word8)
    I64Store16 -> store 2 (\p -> peekByteOff p 0 :: IO Word16)
    I64Store32 -> store 4 (\p -> peekByteOff p 0 :: IO Word32)
  where
    field :: Int -> IO Int
    field o = fromIntegral <$> (peekByteOff ip o :: IO Int32)
