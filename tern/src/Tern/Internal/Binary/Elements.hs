{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Vectors whose elements stand one after the other.
--
-- INLINE: an unknown step or fill would be called through partial applications.
-- Proof: the tests "encoding a value allocates little beside its bytes".
module Tern.Internal.Binary.Elements
  ( filled,
    each,
  )
where

import Data.Vector.Generic qualified as V
import Data.Vector.Generic.Mutable qualified as M
import GHC.Base (unIO)
import GHC.Exts (Int (..), Int#, (+#), (-#), (<#))
import Tern.Internal.Read (Step, isDeep)
import Tern.Prim.Buffer (Fill)

-- | @n@ elements. There is room for them in the input, as their header's reader
-- saw, so that they may be allocated at once; far down they are a list first ('isDeep').
filled :: (V.Vector v a) => Step a -> Int# -> Step (v a)
filled step n ctx e c s = case isDeep ctx s of
  (# s1, 0# #) -> case unIO (M.unsafeNew (I# n)) s1 of (# s2, v #) -> go v 0# c s2
  (# s1, _ #) -> listed n [] c s1
  where
    listed k acc c' s' = case k of
      0# -> case V.fromListN (I# n) (reverse acc) of !v -> (# s', c', v #)
      _ -> case step ctx e c' s' of (# s1, c1, x #) -> listed (k -# 1#) (x : acc) c1 s1
    go v i c' s' = case i <# n of
      0# -> case unIO (V.unsafeFreeze v) s' of (# s1, !frozen #) -> (# s1, c', frozen #)
      _ -> case step ctx e c' s' of
        (# s1, c1, x #) -> case unIO (M.unsafeWrite v (I# i) x) s1 of
          (# s2, () #) -> go v (i +# 1#) c1 s2
{-# INLINE filled #-}

-- | All elements, one after the other.
each :: (V.Vector v a) => (a -> Fill) -> v a -> Fill
each fill v = go 0
  where
    go i mba op s
      | i >= V.length v = (# s, mba, op #)
      | otherwise = case unIO (V.unsafeIndexM v i) s of
          (# s1, x #) -> case fill x mba op s1 of
            (# s2, mba1, op1 #) -> go (i + 1) mba1 op1 s2
{-# INLINE each #-}
