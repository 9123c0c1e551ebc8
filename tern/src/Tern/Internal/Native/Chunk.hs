{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The chunks that lists, vectors, sets and maps are written in.
--
-- The idea: a chunk is the number of its elements and the elements. A full one
-- is followed by another; one that is not full is the last. So a writer needs
-- to know no more than the elements of one chunk, a reader allocates for no more
-- than those, and both ends agree without a mark.
module Tern.Internal.Native.Chunk
  ( full,
    chunkHeader,
    long,
    shortHeader,
    longHeader,
    chunkHere,
    chunkThere,
    flatChunks,
  )
where

import GHC.Exts
import Tern.Error (Reason (..))
import Tern.Internal.Native.Read (varint)
import Tern.Internal.Native.Reader (Extent, failEnd, failWith)
import Tern.Internal.Native.Write qualified as Write
import Tern.Internal.Read (failAt)
import Tern.Prim.Buffer (Fill, ensure, moved)
import Tern.Prim.Native (store8)

-- | How many elements a chunk has that another follows.
full :: Int
full = 4096

-- | The header of a chunk of @n@ elements.
chunkHeader :: Int# -> Fill
chunkHeader n mba op s = case ensure 2# mba op s of
  (# s1, mba1, op1 #) -> case Write.varint n op1 s1 of (# s2, op2 #) -> (# s2, mba1, op2 #)
{-# INLINE chunkHeader #-}

-- | A header of one byte, for fewer than 'long' elements.
shortHeader :: Int# -> Fill
shortHeader n mba op s = case ensure 1# mba op s of
  (# s1, mba1, op1 #) -> case store8 op1 (int2Word# n) s1 of s2 -> (# s2, mba1, plusAddr# op1 1# #)
{-# INLINE shortHeader #-}

-- | A header of two bytes, for 'long' elements or more, where room was left for it.
--
-- It is written once they have been, at the address that it had in the array of
-- that time; now the output may be in another.
longHeader ::
  Int# ->
  MutableByteArray# RealWorld ->
  Addr# ->
  MutableByteArray# RealWorld ->
  State# RealWorld ->
  State# RealWorld
longHeader n before at now s = case moved before at now s of
  (# s1, op #) -> case store8 op (int2Word# (uncheckedIShiftRL# n 8#) `or#` 0x80##) s1 of
    s2 -> store8 (plusAddr# op 1#) (int2Word# n) s2
{-# NOINLINE longHeader #-}

-- | From this number of elements on a header has two bytes.
long :: (# #) -> Int#
long _ = 128#
{-# INLINE long #-}

-- | A chunk's header: the address after it and how many elements there are, at
-- most 'full' and at most as many as there are bytes.
chunkHere :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
chunkHere e c s = case varint e c s of
  (# s1, c1, w #) ->
    let !n = word2Int# w
        !(I# most) = full
        !left = minusAddr# e c1
     in case leWord# w (int2Word# most) of
          1# -> case n <=# left of
            1# -> (# s1, c1, n #)
            _ -> none (failAt c (Overclaimed (I# n) (I# left)) s1)
          _ -> none (failWith ChunkTooLong (if isTrue# (n <# 0#) then maxInt else n) c s1)
  where
    !(I# maxInt) = maxBound
{-# NOINLINE chunkHere #-}

none :: (# State# RealWorld, Addr#, () #) -> (# State# RealWorld, Addr#, Int# #)
none (# s, c, () #) = (# s, c, 0# #)

-- | Fail where a chunk's @n@ elements of an extent are not all there. By its
-- bound where that suffices, else by a walk over the elements.
chunkThere :: Int -> Extent -> Addr# -> Addr# -> Int# -> State# RealWorld -> State# RealWorld
chunkThere (I# bound) x e c n s = case (n *# bound) <=# minusAddr# e c of
  1# -> s
  _ -> case leAddr# (reach n c) e of
    1# -> s
    _ -> case failEnd e s of (# s1, _, () #) -> s1
  where
    reach k a = case k of
      0# -> a
      _ -> reach (k -# 1#) (x e a)
{-# INLINE chunkThere #-}

-- | All chunks of elements of one size: how many elements there are, and the
-- address after them.
flatChunks :: Int# -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
flatChunks size e = go 0#
  where
    !(I# most) = full
    go total c s = case chunkHere e c s of
      (# s1, c1, n #) ->
        let !next = plusAddr# c1 (n *# size)
         in case (n *# size) <=# minusAddr# e c1 of
              1# -> case n <# most of
                1# -> (# s1, next, total +# n #)
                _ -> go (total +# n) next s1
              _ -> none (failAt c (Overclaimed (I# (n *# size)) (I# (minusAddr# e c1))) s1)
{-# NOINLINE flatChunks #-}
