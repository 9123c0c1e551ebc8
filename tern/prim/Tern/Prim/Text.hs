{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Texts from bytes of UTF-8, and to them.
--
-- The idea: most texts are short. Up to 16 bytes are copied by loads and stores
-- that overlap, without a loop or a call, and are looked at on their way.
--
-- A caller owes addresses of memory that it keeps alive, and room.
module Tern.Prim.Text
  ( fromUtf8,
    fromValid,
    store,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Array qualified as TA
import Data.Text.Internal (Text (..))
import GHC.Exts
import Tern.Prim.Native (load32, load64, load8, store32, store64, store8)
import Tern.Prim.Scan qualified as Scan

-- | The text that @n@ bytes say, and how many of them are well formed: all of
-- them, or else the text is empty.
fromUtf8 :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Int#, Text #)
fromUtf8 a n s = case (n ># 0#) `andI#` (n <=# 16#) of
  1# -> case newByteArray# n s of
    (# s1, mba #) -> case copyShort a n mba s1 of
      (# s2, bits #) -> case and# bits 0x8080808080808080## of
        0## -> case unsafeFreezeByteArray# mba s2 of
          (# s3, array #) -> (# s3, n, Text (TA.ByteArray array) 0 (I# n) #)
        _ -> looked s2
  _ -> looked s
  where
    looked t = case n <# 256# of
      1# -> case Scan.utf8Prefix a n t of
        (# t1, k #) -> case k ==# n of
          1# -> case fromValid a n t1 of (# t2, text #) -> (# t2, n, text #)
          _ -> (# t1, k, T.empty #)
      _ -> longFromUtf8 a n t
{-# INLINE fromUtf8 #-}

-- | The same of many bytes, which are checked and copied in one pass.
longFromUtf8 :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Int#, Text #)
longFromUtf8 a n s = case newByteArray# n s of
  (# s1, mba #) -> case Scan.utf8Copied a n mba s1 of
    (# s2, k #) -> case k ==# n of
      1# -> case unsafeFreezeByteArray# mba s2 of
        (# s3, array #) -> (# s3, n, Text (TA.ByteArray array) 0 (I# n) #)
      _ -> (# s2, k, T.empty #)
{-# NOINLINE longFromUtf8 #-}

-- | The same of bytes that are known to be well formed.
fromValid :: Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Text #)
fromValid a n s = case n of
  0# -> (# s, T.empty #)
  _ -> case newByteArray# n s of
    (# s1, mba #) -> case copied mba s1 of
      s2 -> case unsafeFreezeByteArray# mba s2 of
        (# s3, array #) -> (# s3, Text (TA.ByteArray array) 0 (I# n) #)
  where
    copied mba t = case n <=# 16# of
      1# -> case copyShort a n mba t of (# t1, _ #) -> t1
      _ -> copyAddrToByteArray# a mba 0# n t
    {-# INLINE copied #-}

-- | Copy @n@ bytes from an offset of an array to an address. An array has whole words,
-- so that a short text at its beginning is one; the slack takes what is too much.
store :: ByteArray# -> Int# -> Int# -> Addr# -> State# RealWorld -> State# RealWorld
store array off n op s
  | isTrue# (n ># 16#) = copyByteArrayToAddr# array off op n s
  | isTrue# (n >=# 8#) = case store64 op (word 0#) s of
      s1 ->
        store64 (plusAddr# op (n -# 8#)) (word (n -# 8#)) s1
  | isTrue# (off ==# 0#), isTrue# (n ># 0#) = store64 op (word 0#) s
  | isTrue# (n >=# 4#) = case store32 op (half 0#) s of
      s1 ->
        store32 (plusAddr# op (n -# 4#)) (half (n -# 4#)) s1
  | isTrue# (n ># 0#) = case store8 op (one 0#) s of
      s1 ->
        case store8 (plusAddr# op (uncheckedIShiftRL# n 1#)) (one (uncheckedIShiftRL# n 1#)) s1 of
          s2 -> store8 (plusAddr# op (n -# 1#)) (one (n -# 1#)) s2
  | otherwise = s
  where
    word i = word64ToWord# (indexWord8ArrayAsWord64# array (off +# i))
    half i = word32ToWord# (indexWord8ArrayAsWord32# array (off +# i))
    one i = word8ToWord# (indexWord8Array# array (off +# i))
{-# INLINEABLE store #-}

-- | Copy 1 to 16 bytes to the beginning of an array. All of their bits come back,
-- joined: the highest of no byte is set where all are ASCII.
copyShort ::
  Addr# -> Int# -> MutableByteArray# RealWorld -> State# RealWorld -> (# State# RealWorld, Word# #)
copyShort a n mba s
  | isTrue# (n >=# 8#) =
      let !w = load64 a
          !w' = load64 (plusAddr# a (n -# 8#))
       in case writeWord8ArrayAsWord64# mba 0# (wordToWord64# w) s of
            s1 -> case writeWord8ArrayAsWord64# mba (n -# 8#) (wordToWord64# w') s1 of
              s2 ->
                (# s2, or# w w' #)
  | isTrue# (n >=# 4#) =
      let !w = load32 a
          !w' = load32 (plusAddr# a (n -# 4#))
       in case writeWord8ArrayAsWord32# mba 0# (wordToWord32# w) s of
            s1 -> case writeWord8ArrayAsWord32# mba (n -# 4#) (wordToWord32# w') s1 of
              s2 ->
                (# s2, or# w w' #)
  | otherwise =
      let !w = load8 a
          !middle = uncheckedIShiftRL# n 1#
          !w' = load8 (plusAddr# a middle)
          !w'' = load8 (plusAddr# a (n -# 1#))
       in case writeWord8Array# mba 0# (wordToWord8# w) s of
            s1 -> case writeWord8Array# mba middle (wordToWord8# w') s1 of
              s2 -> case writeWord8Array# mba (n -# 1#) (wordToWord8# w'') s2 of
                s3 ->
                  (# s3, w `or#` w' `or#` w'' #)
