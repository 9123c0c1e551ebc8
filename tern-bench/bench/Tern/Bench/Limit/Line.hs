{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | What the straight lines that write binary formats are made of: bytes put one after
-- the other where there is room. They share no code with the library.
module Tern.Bench.Limit.Line
  ( Put,
    then_,
    cutting,
    within,
    putByte,
    putDouble,
    putFloat,
    putLast,
    putContents,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString.Internal (ByteString (..))
import Data.Text.Array qualified as TA
import Data.Text.Internal (Text (..))
import Foreign.Ptr (minusPtr)
import GHC.Exts
import GHC.ForeignPtr (ForeignPtr (..), ForeignPtrContents (..), mallocPlainForeignPtrBytes)
import GHC.IO (IO (..), unsafeDupablePerformIO)
import Tern.Bench.Limit.Room (Room (..), cut)

type Put = Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)

then_ :: Put -> Put -> Put
then_ f g op s = case f op s of (# s1, op1 #) -> g op1 s1
{-# INLINE then_ #-}

infixr 6 `then_`

-- | What is put, at most @n@ bytes and 16 that what is last may touch, cut from the chunk that
-- all calls share.
cutting :: Int -> Put -> ByteString
cutting n put = cut Shared (n + 16) $ \(Ptr to) -> IO $ \s -> case put to s of
  (# s1, op #) -> (# s1, Ptr op #)
{-# INLINE cutting #-}

-- | What is put, at most @n@ bytes, in an array that is made as short as that.
within :: Int -> Put -> ByteString
within n put = unsafeDupablePerformIO $ do
  pointer@(ForeignPtr start contents) <- mallocPlainForeignPtrBytes n
  end <- IO $ \s -> case put start s of (# s1, op #) -> (# s1, Ptr op #)
  let !size@(I# size#) = end `minusPtr` Ptr start
  case contents of
    PlainPtr array -> IO $ \s -> case shrinkMutableByteArray# array size# s of
      s1 -> (# s1, BS pointer size #)
    _ -> pure (BS pointer size)
{-# INLINE within #-}

putByte :: Word -> Put
putByte (W# w) op s = case writeWord8OffAddr# op 0# (wordToWord8# w) s of
  s1 ->
    (# s1, plusAddr# op 1# #)
{-# INLINE putByte #-}

putDouble :: Double -> Put
putDouble (D# x) op s = case writeDoubleOffAddr# op 0# x s of s1 -> (# s1, plusAddr# op 8# #)
{-# INLINE putDouble #-}

putFloat :: Float -> Put
putFloat (F# x) op s = case writeFloatOffAddr# op 0# x s of s1 -> (# s1, plusAddr# op 4# #)
{-# INLINE putFloat #-}

-- | The lowest @n@ bytes of a word, the highest first; eight bytes are touched.
putLast :: Int -> Word -> Put
putLast (I# n) (W# w) op s =
  case writeWordOffAddr# op 0# (byteSwap# (uncheckedShiftL# w (64# -# 8# *# n))) s of
    s1 -> (# s1, plusAddr# op n #)
{-# INLINE putLast #-}

-- | The bytes of a text. Of one that begins with its array, and most do, up to sixteen are
-- two words: an array ends with a whole word.
putContents :: Text -> Put
putContents (Text (TA.ByteArray array) (I# off) (I# n)) op s
  | isTrue# (andI# (off ==# 0#) (n <=# 16#)) =
      if isTrue# (n <=# 0#)
        then (# s, op #)
        else case writeWordOffAddr# op 0# (indexWordArray# array 0#) s of
          s1
            | isTrue# (n <=# 8#) -> (# s1, plusAddr# op n #)
            | otherwise -> case writeWordOffAddr# op 1# (indexWordArray# array 1#) s1 of
                s2 -> (# s2, plusAddr# op n #)
  | otherwise = case copyByteArrayToAddr# array off op n s of s1 -> (# s1, plusAddr# op n #)
{-# INLINE putContents #-}
