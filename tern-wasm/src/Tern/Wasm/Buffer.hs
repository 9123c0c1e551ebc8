-- | A growing buffer of instructions that can be written again where it was
-- written before.
--
-- Every access is behind a comparison with the capacity or with what has been
-- written, so that a mistake of the caller is a refused write, not a wild one.
module Tern.Wasm.Buffer
  ( Buffer,
    new,
    position,
    reserve,
    put16,
    put32,
    put64,
    get16,
    get32,
    freeze,
  )
where

import Control.Monad (when)
import Data.IORef
import Data.Int (Int32)
import Data.Word (Word16, Word64, Word8)
import Foreign.ForeignPtr (ForeignPtr, mallocForeignPtrBytes, withForeignPtr)
import Foreign.Marshal.Utils (copyBytes, fillBytes)
import Foreign.Ptr (plusPtr)
import Foreign.Storable (Storable, peekByteOff, pokeByteOff, sizeOf)

-- | Invariant: @0 <= position <= capacity@.
data Buffer = Buffer !(IORef (ForeignPtr Word8)) !(IORef Int) !(IORef Int)

new :: IO Buffer
new = do
  bytes <- mallocForeignPtrBytes 1024
  Buffer <$> newIORef bytes <*> newIORef 1024 <*> newIORef 0

-- | Where the next instruction goes: bytes from the start.
position :: Buffer -> IO Int
position (Buffer _ _ used) = readIORef used

-- | So many bytes more, all zero; where they begin.
reserve :: Buffer -> Int -> IO Int
reserve (Buffer ref capacity used) n = do
  at <- readIORef used
  size <- readIORef capacity
  when (at + n > size) $ do
    let size' = 2 * (at + n)
    old <- readIORef ref
    bytes <- mallocForeignPtrBytes size'
    withForeignPtr old $ \from -> withForeignPtr bytes $ \to -> copyBytes to from at
    writeIORef ref bytes
    writeIORef capacity size'
  bytes <- readIORef ref
  withForeignPtr bytes $ \p -> fillBytes (p `plusPtr` at) 0 n
  writeIORef used (at + n)
  pure at

put :: (Storable a) => Buffer -> Int -> a -> IO ()
put (Buffer ref _ used) at v = do
  end <- readIORef used
  when (at >= 0 && at + sizeOf v <= end) $ do
    bytes <- readIORef ref
    withForeignPtr bytes $ \p -> pokeByteOff p at v

put16 :: Buffer -> Int -> Int -> IO ()
put16 b at v = put b at (fromIntegral v :: Word16)

put32 :: Buffer -> Int -> Int -> IO ()
put32 b at v = put b at (fromIntegral v :: Int32)

put64 :: Buffer -> Int -> Word64 -> IO ()
put64 = put

get16, get32 :: Buffer -> Int -> IO Int
get16 (Buffer ref _ _) at = do
  bytes <- readIORef ref
  withForeignPtr bytes $ \p -> fromIntegral <$> (peekByteOff p at :: IO Word16)
get32 (Buffer ref _ _) at = do
  bytes <- readIORef ref
  withForeignPtr bytes $ \p -> fromIntegral <$> (peekByteOff p at :: IO Int32)

-- | What was written, in memory of its own that does not move.
freeze :: Buffer -> IO (ForeignPtr Word8, Int)
freeze (Buffer ref _ used) = do
  n <- readIORef used
  old <- readIORef ref
  bytes <- mallocForeignPtrBytes n
  withForeignPtr old $ \from -> withForeignPtr bytes $ \to -> copyBytes to from n
  pure (bytes, n)
