{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Where the limits write to and read into: one place that all calls share, as
-- somebody would have it who knows that nobody else runs at the same time, or one for
-- each call. What parts the two is what several threads cost.
--
-- Start at 'Room'.
module Tern.Bench.Limit.Room
  ( Room (..),
    cut,
    Slots (..),
    withSlots,
    throughSlots,
    slot,
    wordSlot,
    doubleSlot,
    floatSlot,
  )
where

import Data.Bits ((.&.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Internal (ByteString (..))
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Word (Word8)
import Foreign.Marshal.Utils (new)
import Foreign.Ptr (minusPtr, nullPtr, plusPtr)
import Foreign.Storable (peek, poke)
import GHC.Exts hiding (build)
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..))
import GHC.IO (IO (..), unsafeDupablePerformIO, unsafePerformIO)

data Room = Shared | OfEachCall

-- * Writing

-- | A pinned array of 32 KiB.
data Chunk = Chunk (Ptr Word8) ForeignPtrContents

chunkSize :: Int
chunkSize = 32768

chunk :: IORef Chunk
chunk = unsafePerformIO (pinned chunkSize >>= newIORef)
{-# NOINLINE chunk #-}

-- | How much of the chunk is used.
used :: Ptr Int
used = unsafePerformIO (new 0)
{-# NOINLINE used #-}

pinned :: Int -> IO Chunk
pinned (I# n) = IO $ \s -> case newPinnedByteArray# n s of
  (# s1, array #) -> (# s1, Chunk (Ptr (mutableByteArrayContents# array)) (PlainPtr array) #)

-- | What is written from an address on by an action that gives where it ended, or null
-- where it gave up: then nothing. It needs at most @bound@ bytes.
cut :: Room -> Int -> (Ptr Word8 -> IO (Ptr Word8)) -> ByteString
cut room bound fill = unsafeDupablePerformIO $ case room of
  Shared -> do
    from <- peek used
    if from + bound <= chunkSize
      then readIORef chunk >>= within from
      else do
        fresh <- pinned chunkSize
        writeIORef chunk fresh
        within 0 fresh
  OfEachCall -> do
    Chunk start contents <- pinned bound
    end <- fill start
    case contents of
      PlainPtr array
        | I# n <- end `minusPtr` start,
          isTrue# (n ># 0#) -> IO $ \s -> case shrinkMutableByteArray# array n s of
            s1 -> (# s1, string start contents (I# n) #)
      _ -> pure B.empty
  where
    within from (Chunk start contents) = do
      let begin = start `plusPtr` from
      end <- fill begin
      if end == nullPtr
        then pure B.empty
        else do
          let n = end `minusPtr` begin
          poke used ((from + n + 7) .&. (-8))
          pure (string begin contents n)
    string (Ptr start) contents n = BS (ForeignPtr start contents) n
{-# INLINE cut #-}

-- * Reading

-- | Numbers that a reader has found, at most 160.
data Slots = Slots (MutableByteArray# RealWorld)

slots :: Int -> IO Slots
slots (I# n) = IO $ \s -> case newByteArray# (n *# 8#) s of (# s1, array #) -> (# s1, Slots array #)

common :: Slots
common = unsafePerformIO (slots 160)
{-# NOINLINE common #-}

-- | Read a string into slots, and take from them what was read, where the reader gave
-- something else than 0.
withSlots ::
  Room ->
  Int ->
  (Addr# -> Int -> MutableByteArray# RealWorld -> IO Int) ->
  (Ptr Word8 -> Slots -> IO a) ->
  ByteString ->
  Maybe a
withSlots room count reader build (BS (ForeignPtr start contents) n) = unsafeDupablePerformIO $ do
  found@(Slots array) <- case room of
    Shared -> pure common
    OfEachCall -> slots count
  read' <- reader start n array
  result <- if read' == 0 then pure Nothing else build (Ptr start) found >>= \ !a -> pure (Just a)
  IO $ \s -> case touch# contents s of s1 -> (# s1, result #)
{-# INLINE withSlots #-}

-- | As many slots for the action, with where a string begins and ends.
throughSlots :: Room -> Int -> (Ptr Word8 -> Ptr Word8 -> Slots -> IO a) -> ByteString -> a
throughSlots room count act (BS (ForeignPtr start contents) n) = unsafeDupablePerformIO $ do
  found <- case room of
    Shared -> pure common
    OfEachCall -> slots count
  result <- act (Ptr start) (Ptr start `plusPtr` n) found
  IO $ \s -> case touch# contents s of s1 -> (# s1, result #)
{-# INLINE throughSlots #-}

slot :: Slots -> Int -> IO Int
slot (Slots array) (I# i) = IO $ \s -> case readIntArray# array i s of (# s1, x #) -> (# s1, I# x #)
{-# INLINE slot #-}

wordSlot :: Slots -> Int -> IO Word
wordSlot (Slots array) (I# i) = IO $ \s -> case readWordArray# array i s of
  (# s1, x #) -> (# s1, W# x #)
{-# INLINE wordSlot #-}

doubleSlot :: Slots -> Int -> IO Double
doubleSlot (Slots array) (I# i) = IO $ \s -> case readDoubleArray# array i s of
  (# s1, x #) -> (# s1, D# x #)
{-# INLINE doubleSlot #-}

-- | In the slot's first four bytes.
floatSlot :: Slots -> Int -> IO Float
floatSlot (Slots array) (I# i) = IO $ \s -> case readFloatArray# array (2# *# i) s of
  (# s1, x #) -> (# s1, F# x #)
{-# INLINE floatSlot #-}
