{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The elements of an array as a boxed vector.
--
-- The idea: the vector is made when the number of elements is known. Those of a short array
-- wait on the stack for it, so that nothing is made that is not kept.
module Tern.Internal.Json.Elements
  ( elementsR,
  )
where

import Data.Primitive.Array (Array (..))
import Data.Vector (Vector)
import Data.Vector qualified as Vector
import GHC.Exts
import Tern.Internal.Json.Read qualified as Json
import Tern.Internal.Read (Context, Step, isDeep)

type Room a = MutableArray# RealWorld a

-- | INLINE: the step is known where it is used. Proof: the allocation ceiling "pairs of numbers".
elementsR :: forall a. Step a -> Step (Vector a)
elementsR step = Json.array (\_ _ c s -> (# s, c, Vector.empty #)) some
  where
    some :: Step (Vector a)
    some ctx e c s = case waiting 0# ctx e c s of
      (# s1, c1, room #) -> case unsafeFreezeArray# room s1 of
        (# s2, whole #) -> case Vector.fromArray (Array whole) of !v -> (# s2, c1, v #)
    -- The array, filled from number @i@ on.
    waiting ::
      Int# ->
      Context ->
      Addr# ->
      Addr# ->
      State# RealWorld ->
      (# State# RealWorld, Addr#, Room a #)
    waiting i ctx e c s = case step ctx e c s of
      (# s1, c1, x #) -> case Json.elements e c1 s1 of
        (# s2, c2, 0# #) -> case newArray# (i +# 1#) x s2 of
          (# s3, room #) -> (# s3, c2, room #)
        (# s2, c2, _ #) -> case i <# 64# of
          1# -> case waiting (i +# 1#) ctx e c2 s2 of
            (# s3, c3, room #) -> (# writeArray# room i x s3, c3, room #)
          _ -> case isDeep ctx s2 of
            -- It has the element at its place already, as at all others.
            (# s3, 0# #) -> case newArray# 256# x s3 of
              (# s4, room #) -> growing room 256# (i +# 1#) ctx e c2 s4
            (# s3, _ #) -> case listed (i +# 1#) [] ctx e c2 s3 of
              (# s4, c3, room #) -> (# writeArray# room i x s4, c3, room #)
    -- The same where the array is longer than what waits: it has room for @n@, and is cut at
    -- the end.
    growing ::
      Room a ->
      Int# ->
      Int# ->
      Context ->
      Addr# ->
      Addr# ->
      State# RealWorld ->
      (# State# RealWorld, Addr#, Room a #)
    growing room n i ctx e c s = case step ctx e c s of
      (# s1, c1, x #) -> case i <# n of
        1# -> next room n i e c1 (writeArray# room i x s1) ctx
        _ -> case newArray# (2# *# n) x s1 of
          (# s2, larger #) ->
            next larger (2# *# n) i e c1 (copyMutableArray# room 0# larger 0# n s2) ctx
    next room n i e c s ctx = case Json.elements e c s of
      (# s1, c1, 0# #) -> case cloneMutableArray# room 0# (i +# 1#) s1 of
        (# s2, cut #) -> (# s2, c1, cut #)
      (# s1, c1, _ #) -> growing room n (i +# 1#) ctx e c1 s1
    -- The same far down, where no array may wait for long ('isDeep'): those after number 64,
    -- the last one first.
    listed ::
      Int# ->
      [a] ->
      Context ->
      Addr# ->
      Addr# ->
      State# RealWorld ->
      (# State# RealWorld, Addr#, Room a #)
    listed i before ctx e c s = case step ctx e c s of
      (# s1, c1, x #) -> case Json.elements e c1 s1 of
        (# s2, c2, 0# #) -> case newArray# (i +# 1#) x s2 of
          (# s3, room #) -> (# unlisted (i -# 1#) before room s3, c2, room #)
        (# s2, c2, _ #) -> listed (i +# 1#) (x : before) ctx e c2 s2
{-# INLINE elementsR #-}

-- | Number @i@ and those before it.
unlisted :: Int# -> [a] -> MutableArray# RealWorld a -> State# RealWorld -> State# RealWorld
unlisted i left room s = case left of
  [] -> s
  x : before -> unlisted (i -# 1#) before room (writeArray# room i x s)
