{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | What binary formats want of memory: numbers with their highest byte first,
-- and strings of bytes.
--
-- A caller owes addresses of memory that it keeps alive, with room for what is
-- stored there. The bytes of a word are turned around on every machine, as words
-- are little-endian wherever the other primitives run.
module Tern.Prim.BigEndian
  ( -- * Numbers
    load16,
    load32,
    load64,
    loaded,
    doubleAt,
    floatAt,
    store16,
    store32,
    store64,

    -- * Strings of bytes
    copyOut,
    copyIn,
  )
where

import Data.ByteString.Internal (ByteString (..))
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr (Ptr)
import GHC.Exts hiding (Ptr)
import GHC.Exts qualified as Exts
import GHC.Float (castWord32ToFloat, castWord64ToDouble)
import GHC.ForeignPtr (ForeignPtr (..), mallocPlainForeignPtrBytes, unsafeWithForeignPtr)
import GHC.IO (IO (..))
import GHC.Word (Word32 (..), Word64 (..))

-- * Numbers

-- | Two bytes.
load16 :: Addr# -> Word#
load16 a = byteSwap16# (word16ToWord# (indexWord16OffAddr# a 0#))

-- | Four bytes.
load32 :: Addr# -> Word#
load32 a = byteSwap32# (word32ToWord# (indexWord32OffAddr# a 0#))

-- | Eight bytes.
load64 :: Addr# -> Word#
load64 a = byteSwap# (indexWordOffAddr# a 0#)

-- | @2^k@ bytes, @k@ from 0 to 3.
loaded :: Int# -> Addr# -> Word#
loaded k a = case k of
  0# -> word8ToWord# (indexWord8OffAddr# a 0#)
  1# -> load16 a
  2# -> load32 a
  _ -> load64 a
{-# INLINE loaded #-}

-- | A double of eight bytes.
doubleAt :: Addr# -> Double
doubleAt a = castWord64ToDouble (W64# (wordToWord64# (load64 a)))
{-# INLINE doubleAt #-}

-- | A float of four bytes.
floatAt :: Addr# -> Float
floatAt a = castWord32ToFloat (W32# (wordToWord32# (load32 a)))
{-# INLINE floatAt #-}

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

-- * Strings of bytes

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
