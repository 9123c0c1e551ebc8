{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | A fixed set of names, and which of them stands at an address.
--
-- The names lie one behind the other in one pinned array, so that a lookup
-- touches little memory. A name's place is found from its length and its first
-- and last eight bytes; the set is fixed and belongs to the program, so that
-- input can neither fill it nor make it collide.
--
-- Safe given that a caller's addresses are in input that it keeps alive; the
-- set keeps its own bytes alive by the array that 'Names' holds.
module Tern.Prim.Names
  ( Names,
    fromList,
    isName,
    find,
    findIn,
  )
where

import Control.Monad.ST (ST)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Foldable (for_)
import Data.Primitive.ByteArray
import GHC.Exts hiding (fromList)

-- | The bytes of all names; their offsets, one more than there are names; and
-- for each place of a hash table the number of a name plus one, or 0.
data Names = Names ByteArray# ByteArray# ByteArray# Int#

-- | A set from its members in UTF-8, numbered from 0. Of two equal ones the
-- first is found.
fromList :: [ByteString] -> Names
fromList members = Names bytes offsets places mask
  where
    !(ByteArray bytes) = runByteArray $ do
      array <- newPinnedByteArray (sum (map B.length members) + 8)
      for_ (zip [0 ..] (concatMap B.unpack members)) (uncurry (writeByteArray array))
      pure array
    !(ByteArray offsets) = byteArrayFromList (scanl (+) 0 (map B.length members))
    !size@(I# size#) = until (>= 2 * length members) (* 2) 2 :: Int
    !mask = size# -# 1#
    !(ByteArray places) = runByteArray $ do
      array <- newByteArray (8 * size)
      setByteArray array 0 size (0 :: Int)
      for_ (zipWith const [0 ..] members) (insert array)
      pure array
    insert :: MutableByteArray s -> Int -> ST s ()
    insert array number@(I# i) = probe (I# (hash (start i) (len i) `andI#` mask))
      where
        probe p = do
          taken <- readByteArray array p
          if taken == (0 :: Int) then writeByteArray array p (number + 1) else probe (if p + 1 == size then 0 else p + 1)
        start k = byteArrayContents# bytes `plusAddr#` indexIntArray# offsets k
        len k = indexIntArray# offsets (k +# 1#) -# indexIntArray# offsets k

-- | Does name number @i@ stand at the address, with a quote behind it? Its
-- length, or -1. No number beyond the last name is a name.
isName :: Names -> Int# -> Addr# -> Addr# -> Int#
isName (Names bytes offsets _ _) i e c
  | isTrue# ((i +# 1#) >=# (sizeofByteArray# offsets `uncheckedIShiftRL#` 3#)) = -1#
  | isTrue# (minusAddr# e c ># n),
    isTrue# (eqWord8# (indexWord8OffAddr# c n) (wordToWord8# 34##)),
    isTrue# (equal (byteArrayContents# bytes `plusAddr#` offset) c n) =
      n
  | otherwise = -1#
  where
    !offset = indexIntArray# offsets i
    !n = indexIntArray# offsets (i +# 1#) -# offset
{-# INLINE isName #-}

-- | The number of the name that is @n@ bytes at an address, or -1.
find :: Names -> Addr# -> Int# -> Int#
find (Names bytes offsets places mask) c n = probe (hash c n `andI#` mask)
  where
    probe p = case indexIntArray# places p of
      0# -> -1#
      number ->
        let !i = number -# 1#
            !offset = indexIntArray# offsets i
         in if isTrue# ((indexIntArray# offsets number -# offset) ==# n)
              && isTrue# (equal (byteArrayContents# bytes `plusAddr#` offset) c n)
              then i
              else probe ((p +# 1#) `andI#` mask)
{-# NOINLINE find #-}

-- | The number of the name that is @n@ bytes from an offset of an array, or -1.
findIn :: Names -> ByteArray# -> Int# -> Int# -> State# RealWorld -> (# State# RealWorld, Int# #)
findIn names array off n s = case newPinnedByteArray# n s of
  (# s1, copy #) -> case copyByteArray# array off copy 0# n s1 of
    s2 -> case find names (mutableByteArrayContents# copy) n of
      i -> case touch# copy s2 of s3 -> (# s3, i #)

-- | From the length and the first and last eight bytes.
hash :: Addr# -> Int# -> Int#
hash a n =
  let !w
        | isTrue# (n >=# 8#) = word 0# `xor64#` (word (n -# 8#) `timesWord64#` wordToWord64# 0x9E3779B97F4A7C15##)
        | isTrue# (n >=# 4#) = half 0# `xor64#` (half (n -# 4#) `uncheckedShiftL64#` 32#)
        | isTrue# (n >=# 1#) = byte 0# `xor64#` (byte (n `uncheckedIShiftRL#` 1#) `uncheckedShiftL64#` 8#) `xor64#` (byte (n -# 1#) `uncheckedShiftL64#` 16#)
        | otherwise = wordToWord64# 0##
      !mixed = (w `xor64#` wordToWord64# (int2Word# n)) `timesWord64#` wordToWord64# 0xD6E8FEB86659FD93##
   in word2Int# (word64ToWord# (mixed `uncheckedShiftRL64#` 32#))
  where
    word i = indexWord64OffAddr# (plusAddr# a i) 0#
    half i = wordToWord64# (word32ToWord# (indexWord32OffAddr# (plusAddr# a i) 0#))
    byte i = wordToWord64# (word8ToWord# (indexWord8OffAddr# (plusAddr# a i) 0#))

-- | Are @n@ bytes the same? 1 or 0.
equal :: Addr# -> Addr# -> Int# -> Int#
equal a b n
  | isTrue# (n >=# 8#) = go 0#
  | isTrue# (n >=# 4#) = half 0# `andI#` half (n -# 4#)
  | isTrue# (n >=# 1#) = byte 0# `andI#` byte (n `uncheckedIShiftRL#` 1#) `andI#` byte (n -# 1#)
  | otherwise = 1#
  where
    go i
      | isTrue# ((i +# 8#) <=# n) = case word i of
          1# -> go (i +# 8#)
          _ -> 0#
      | otherwise = word (n -# 8#)
    word i = eqWord64# (indexWord64OffAddr# (plusAddr# a i) 0#) (indexWord64OffAddr# (plusAddr# b i) 0#)
    half i = eqWord32# (indexWord32OffAddr# (plusAddr# a i) 0#) (indexWord32OffAddr# (plusAddr# b i) 0#)
    byte i = eqWord8# (indexWord8OffAddr# (plusAddr# a i) 0#) (indexWord8OffAddr# (plusAddr# b i) 0#)
