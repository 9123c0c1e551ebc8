-- | Bytes of code in the making, in pieces of the same size.
--
-- The idea: more bytes are one piece more, and nothing is copied, so that code takes no more
-- memory while it grows than it has bytes. Distances that were left open are read and
-- written where they are.
--
-- What a caller owes: distances are read and written below 'size'.
--
-- Start at 'append'.
module Tern.Wasm.Native.Bytes
  ( Bytes,
    new,
    size,
    append,
    distanceAt,
    putDistance,
    copyTo,
  )
where

import Control.Monad (forM_, when)
import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import Data.Int (Int32)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.Word (Word32, Word64, Word8)
import Foreign.ForeignPtr (ForeignPtr, mallocForeignPtrBytes, withForeignPtr)
import GHC.ForeignPtr (unsafeWithForeignPtr)
import Tern.Wasm.Prim (Ptr, copyBytes, peekByteOff, plusPtr, pokeByteOff)

-- | Invariant: @0 <= written <= room@; there are pieces for all bytes below the room, which is
-- a multiple of theirs, and the last of them is at hand.
data Bytes = Bytes
  { pieces :: !(IORef (IntMap (ForeignPtr ()))),
    latest :: !(IORef (ForeignPtr ())),
    room :: !(IORef Int),
    written :: !(IORef Int)
  }

-- | How many bytes a piece has.
piece :: Int
piece = 8192

-- | No bytes, with one piece at hand.
new :: IO Bytes
new = do
  block <- mallocForeignPtrBytes piece
  Bytes <$> newIORef (IntMap.singleton 0 block) <*> newIORef block <*> newIORef piece <*> newIORef 0

-- | How many have been written.
size :: Bytes -> IO Int
size = readIORef . written

-- | Append the @n@ low bytes of the number @v@; @n@ is at most eight.
append :: Bytes -> Int -> Word64 -> IO ()
append b n v = do
  at <- readIORef (written b)
  end <- readIORef (room b)
  if at + 8 > end
    then forM_ [0 .. n - 1] $ \k -> appendOne b (fromIntegral (v `shiftR` (8 * k)))
    else do
      block <- readIORef (latest b)
      -- The poke cannot fail or loop, which is what this asks for.
      unsafeWithForeignPtr block $ \p -> pokeByteOff p (at - end + piece) v
      writeIORef (written b) $! at + n

-- | The same at the end of a piece.
appendOne :: Bytes -> Word8 -> IO ()
appendOne b v = do
  at <- readIORef (written b)
  end <- readIORef (room b)
  when (at == end) $ do
    block <- mallocForeignPtrBytes piece
    modifyIORef' (pieces b) (IntMap.insert (at `quot` piece) block)
    writeIORef (latest b) block
    writeIORef (room b) (end + piece)
  within b at $ \p o -> pokeByteOff p o v
  writeIORef (written b) $! at + 1

-- | Four bytes at a place, as a number.
distanceAt :: Bytes -> Int -> IO Int32
distanceAt b at
  | whole at = within b at peekByteOff
  | otherwise = fromIntegral . joined <$> mapM one [0 .. 3]
  where
    one k = within b (at + k) peekByteOff :: IO Word8
    joined = foldr (\v n -> n `shiftL` 8 .|. fromIntegral v) (0 :: Word32)

-- | Write a number over the four bytes at a place, the lowest byte first.
putDistance :: Bytes -> Int -> Int32 -> IO ()
putDistance b at v
  | whole at = within b at $ \p o -> pokeByteOff p o v
  | otherwise = forM_ [0 .. 3] $ \k ->
      within b (at + k) $ \p o -> pokeByteOff p o (fromIntegral (v `shiftR` (8 * k)) :: Word8)

-- | Whether four bytes are in one piece.
whole :: Int -> Bool
whole at = at .&. (piece - 1) <= piece - 4

-- | The piece that a place is in, and where in it.
within :: Bytes -> Int -> (Ptr () -> Int -> IO a) -> IO a
within b at action = do
  all_ <- readIORef (pieces b)
  withForeignPtr (all_ IntMap.! (at `quot` piece)) $ \p -> action p (at .&. (piece - 1))

-- | All bytes, to an address.
copyTo :: Bytes -> Ptr () -> IO ()
copyTo b to = do
  n <- readIORef (written b)
  all_ <- readIORef (pieces b)
  forM_ (IntMap.toList all_) $ \(k, block) ->
    withForeignPtr block $ \p ->
      copyBytes (to `plusPtr` (k * piece)) p (max 0 (min piece (n - k * piece)))
