{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}

-- | What MessagePack wants of memory: big-endian numbers at any address, and
-- stepping over a value, which is written in C (@cbits\/tern_msgpack.c@).
--
-- A caller owes addresses of memory that it keeps alive. The foreign calls are
-- unsafe ones: they neither allocate nor call back, and an array that is passed
-- cannot move while they run. The bytes of a word are turned around on every
-- machine, as words are little-endian wherever the other primitives run.
module Tern.Prim.MessagePack
  ( -- * Big-endian numbers
    load16,
    load32,
    load64,
    store16,
    store32,
    store64,

    -- * Bytes
    copyOut,
    copyIn,

    -- * Stepping over a value
    skipValue,
    shallow,
    skipDeepValue,
  )
where

import Data.ByteString.Internal (ByteString (..))
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (Ptr)
import GHC.Exts hiding (Ptr)
import GHC.Exts qualified as Exts
import GHC.ForeignPtr (ForeignPtr (..), mallocPlainForeignPtrBytes, unsafeWithForeignPtr)
import GHC.IO (IO (..))
import GHC.Word (Word64 (..))

-- * Big-endian numbers

-- | Two bytes.
load16 :: Addr# -> Word#
load16 a = byteSwap16# (word16ToWord# (indexWord16OffAddr# a 0#))
{-# INLINE load16 #-}

-- | Four bytes.
load32 :: Addr# -> Word#
load32 a = byteSwap32# (word32ToWord# (indexWord32OffAddr# a 0#))
{-# INLINE load32 #-}

-- | Eight bytes.
load64 :: Addr# -> Word#
load64 a = byteSwap# (indexWordOffAddr# a 0#)
{-# INLINE load64 #-}

-- | The two low bytes.
store16 :: Addr# -> Word# -> State# RealWorld -> State# RealWorld
store16 a w = writeWord16OffAddr# a 0# (wordToWord16# (byteSwap16# w))
{-# INLINE store16 #-}

-- | The four low bytes.
store32 :: Addr# -> Word# -> State# RealWorld -> State# RealWorld
store32 a w = writeWord32OffAddr# a 0# (wordToWord32# (byteSwap32# w))
{-# INLINE store32 #-}

-- | All eight bytes.
store64 :: Addr# -> Word# -> State# RealWorld -> State# RealWorld
store64 a w = writeWordOffAddr# a 0# (byteSwap# w)
{-# INLINE store64 #-}

-- * Bytes

-- | Write a string of bytes, for which there is room.
copyOut :: ByteString -> Addr# -> State# RealWorld -> State# RealWorld
copyOut (BS from len) op s = case unsafeWithForeignPtr from (\p -> copyBytes (Exts.Ptr op) p len) of
  IO f -> case f s of (# s1, () #) -> s1
{-# INLINE copyOut #-}

-- | A copy of the bytes at an address.
copyIn :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, ByteString #)
copyIn from n s = case mallocPlainForeignPtrBytes (I# n) of
  IO f -> case f s of
    (# s1, to@(ForeignPtr a _) #) -> case copyBytes (Exts.Ptr a :: Ptr ()) (Exts.Ptr from) (I# n) of
      IO g -> case g s1 of (# s2, () #) -> (# s2, BS to (I# n) #)
{-# INLINE copyIn #-}

-- * Stepping over a value

foreign import ccall unsafe "tern_msgpack_skip" c_skip :: Addr# -> Addr# -> Word64 -> MutableByteArray# RealWorld -> IO (Ptr ())

foreign import ccall unsafe "tern_msgpack_skip_deep" c_skip_deep :: Addr# -> Addr# -> Word64 -> MutableByteArray# RealWorld -> MutableByteArray# RealWorld -> IO (Ptr ())

-- | Step over the value at the cursor (the third argument; the second is the
-- input's end), checking all of it. The address after it; the array's first
-- word is set to 0, or to what is wrong at that address. More levels than
-- 'shallow' are too many, whatever is allowed.
skipValue :: Int# -> MutableByteArray# RealWorld -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)
skipValue depth out e c s = case c_skip c e (levelCount depth) out of
  IO f -> case f s of (# s1, Exts.Ptr a #) -> (# s1, a #)
{-# INLINE skipValue #-}

-- | How many levels 'skipValue' has room for.
shallow :: Int
shallow = 512

-- | As 'skipValue', with an array that has a word for each level.
skipDeepValue :: MutableByteArray# RealWorld -> Int# -> MutableByteArray# RealWorld -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)
skipDeepValue levels depth out e c s = case c_skip_deep c e (levelCount depth) levels out of
  IO f -> case f s of (# s1, Exts.Ptr a #) -> (# s1, a #)
{-# INLINE skipDeepValue #-}

levelCount :: Int# -> Word64
levelCount depth = W64# (wordToWord64# (int2Word# depth))
{-# INLINE levelCount #-}
