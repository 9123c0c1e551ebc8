{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}

-- | The limits of the record of different fields: functions in C
-- (@cbits\/tern_bench_tight.c@), and what calls them.
module Tern.Bench.Limit.Mixed
  ( encodeMixed,
    decodeMixed,
  )
where

import Data.ByteString (ByteString)
import Data.Maybe (fromMaybe)
import Data.Text.Array qualified as TA
import Data.Text.Internal (Text (..))
import Data.Word (Word8)
import GHC.Exts
import GHC.IO (IO (..))
import Tern.Bench.Limit.Room (Room, cut, doubleSlot, slot, withSlots)
import Tern.Bench.Mixed.Record (Mixed (..))

-- unsafe: they take some tens of nanoseconds and call nothing.
foreign import ccall unsafe "tern_bench_encode_mixed"
  writeMixed ::
    Ptr Word8 -> Int -> ByteArray# -> Int -> Int -> Int -> Double -> Int -> Int -> IO (Ptr Word8)

foreign import ccall unsafe "tern_bench_decode_mixed"
  readMixed ::
    Addr# -> Int -> MutableByteArray# RealWorld -> IO Int

encodeMixed :: Room -> Mixed by -> ByteString
encodeMixed room (Mixed c (Text (TA.ByteArray name') from len) a r l) =
  cut room (160 + len) $ \to ->
    writeMixed to c name' from len (fromEnum a) r (maybe 0 (const 1) l) (fromMaybe 0 l)

decodeMixed :: Room -> ByteString -> Maybe (Mixed by)
decodeMixed room = withSlots room 8 readMixed $ \start found -> do
  c <- slot found 0
  from <- slot found 1
  len <- slot found 2
  a <- slot found 3
  r <- doubleSlot found 4
  limited <- slot found 5
  l <- slot found 6
  name' <- copied (start `plusPtr'` from) len
  pure
    ( Mixed
        c
        name'
        (a /= 0)
        r
        (if limited == 0 then Nothing else Just l)
    )
  where
    plusPtr' (Ptr a) (I# n) = Ptr (plusAddr# a n)

-- | A text of bytes that are ASCII.
copied :: Ptr Word8 -> Int -> IO Text
copied (Ptr start) (I# n) = IO $ \s -> case newByteArray# n s of
  (# s1, array #) -> case copyAddrToByteArray# start array 0# n s1 of
    s2 -> case unsafeFreezeByteArray# array s2 of
      (# s3, frozen #) -> (# s3, Text (TA.ByteArray frozen) 0 (I# n) #)
