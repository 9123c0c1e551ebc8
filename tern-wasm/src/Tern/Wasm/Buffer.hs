-- | A growing buffer of instructions that can be written again where it was
-- written before.
--
-- Every access comes after a comparison with the capacity or with what has been
-- written, so that a mistake of the caller is a refused write, not a wild one.
module Tern.Wasm.Buffer
  ( Buffer,
    new,
    full,
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
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Int (Int32)
import Data.Word (Word16, Word64, Word8)
import Foreign.ForeignPtr (ForeignPtr, mallocForeignPtrBytes, withForeignPtr)
import Tern.Wasm.Lasting (Keeper, Lasting, lasting)
import Tern.Wasm.Prim (Storable, copyBytes, fillBytes, peekByteOff, plusPtr, pokeByteOff, sizeOf)

-- | Invariant: @0 <= position <= capacity@. The most that there may be, and whether
-- more was asked for.
data Buffer = Buffer !(IORef (ForeignPtr Word8)) !(IORef Int) !(IORef Int) !Int !(IORef Bool)

-- | With room for a number of bytes and no more.
new :: Int -> IO Buffer
new most = do
  bytes <- mallocForeignPtrBytes 1024
  Buffer <$> newIORef bytes <*> newIORef 1024 <*> newIORef 0 <*> pure most <*> newIORef False

-- | Whether more was asked for than there may be: then what was written is not whole.
full :: Buffer -> IO Bool
full (Buffer _ _ _ _ over) = readIORef over

-- | Where the next instruction goes: bytes from the start.
position :: Buffer -> IO Int
position (Buffer _ _ used _ _) = readIORef used

-- | @n@ bytes more, all zero; gives where they begin, or would if there were room.
reserve :: Buffer -> Int -> IO Int
reserve (Buffer ref capacity used most over) n = do
  at <- readIORef used
  size <- readIORef capacity
  if n > most - at
    then writeIORef over True
    else do
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
put (Buffer ref _ used _ _) at v = do
  end <- readIORef used
  when (at >= 0 && at + sizeOf v <= end) $ do
    bytes <- readIORef ref
    withForeignPtr bytes $ \p -> pokeByteOff p at v

-- | Write the low 16 bits of a number at an offset in bytes; nothing where there are no reserved
-- bytes for all of them.
put16 :: Buffer -> Int -> Int -> IO ()
put16 b at v = put b at (fromIntegral v :: Word16)

-- | The same of the low 32 bits.
put32 :: Buffer -> Int -> Int -> IO ()
put32 b at v = put b at (fromIntegral v :: Int32)

-- | The same of 64 bits.
put64 :: Buffer -> Int -> Word64 -> IO ()
put64 = put

-- | What was written at an offset in bytes: 16 bits without a sign, 32 bits with one; 0 where
-- there are no reserved bytes for all of them.
get16, get32 :: Buffer -> Int -> IO Int
get16 b at = fromIntegral <$> (get b at :: IO Word16)
get32 b at = fromIntegral <$> (get b at :: IO Int32)

-- | What was written, or 0 where nothing was.
get :: forall a. (Storable a, Num a) => Buffer -> Int -> IO a
get (Buffer ref _ used _ _) at = do
  end <- readIORef used
  bytes <- readIORef ref
  if at >= 0 && at + sizeOf (0 :: a) <= end then withForeignPtr bytes (`peekByteOff` at) else pure 0

-- | What was written, in memory of its own that does not move and that a keeper holds.
freeze :: Keeper -> Buffer -> IO (Lasting, Int)
freeze keeper (Buffer ref _ used _ _) = do
  n <- readIORef used
  old <- readIORef ref
  bytes <- mallocForeignPtrBytes n
  withForeignPtr old $ \from -> withForeignPtr bytes $ \to -> copyBytes to from n
  (,n) <$> lasting keeper bytes
