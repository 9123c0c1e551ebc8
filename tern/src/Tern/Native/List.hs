{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Lists, and sets and maps as ascending lists.
--
-- The idea: whether the elements of a chunk are all there is asked once. Those
-- of one size are then unpacked from the last to the first, onto what follows
-- them; others from the first on, on the way back from the end of the list.
--
-- INLINE on the loops, as in "Tern.Json.Container".
module Tern.Native.List
  ( -- * Lists
    listW,
    listR,
    nonEmptyR,

    -- * Ascending lists
    ascendingR,

    -- * Optional values
    maybeW,
    maybeR,
    eitherW,
    eitherR,
  )
where

import Data.List.NonEmpty (NonEmpty (..))
import Data.Text qualified as T
import GHC.Exts
import Tern.Error
import Tern.Native.Chunk
import Tern.Native.Reader hiding (bounded)
import Tern.Native.Record
import Tern.Prim.Buffer (Fill, Poke, ensure)
import Tern.Read
import Tern.Write

-- * Lists

listW :: Writer a -> Writer [a]
listW writer = FillWriter (chunks writer)
{-# INLINE listW #-}

chunks :: Writer a -> [a] -> Fill
chunks writer = chunk
  where
    !(I# most) = full
    chunk xs mba op s = case counted xs of
      n -> case chunkHeader n mba op s of
        (# s1, mba1, op1 #) -> elements n n xs mba1 op1 s1
    -- So many of a chunk of so many.
    elements k n xs mba op s = case writer of
      BoundedWriter (I# bound) poke -> case k ># 0# of
        1# ->
          -- Room for some of them at a time: a bound is more than most need.
          let !some' = if isTrue# (k <# 32#) then k else 32#
           in case ensure (some' *# bound) mba op s of
                (# s1, mba1, op1 #) -> case several poke some' xs op1 s1 of
                  (# s2, op2, rest #) -> elements (k -# some') n rest mba1 op2 s2
        _ -> after n xs mba op s
      FillWriter fill -> case xs of
        x : rest | isTrue# (k ># 0#) -> case fill x mba op s of (# s1, mba1, op1 #) -> elements (k -# 1#) n rest mba1 op1 s1
        _ -> after n xs mba op s
    after n xs mba op s = case n <# most of
      1# -> (# s, mba, op #)
      _ -> chunk xs mba op s
{-# INLINE chunks #-}

-- | So many elements, and the others.
several :: (a -> Poke) -> Int# -> [a] -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, [a] #)
several poke = go
  where
    go k xs op s = case xs of
      x : rest | isTrue# (k ># 0#) -> case poke x op s of (# s1, op1 #) -> go (k -# 1#) rest op1 s1
      _ -> (# s, op, xs #)
{-# INLINE several #-}

-- | How many elements, at most 'full'.
counted :: [a] -> Int#
counted = go 0#
  where
    !(I# most) = full
    go n = \case
      _ : rest | isTrue# (n <# most) -> go (n +# 1#) rest
      _ -> n

listR :: NativeReader a -> NativeReader [a]
listR r@(NativeReader kind n x read') = case kind of
  Fixed -> flat (flatList n read')
  Bounded -> flat (forwardList (chunkThere n x) read')
  Flat -> flat (forwardList (\_ _ _ s -> s) (step r))
  Deep -> deep (level Deep (forwardList (\_ _ _ s -> s) (step r)))
{-# INLINE listR #-}

-- | Elements of one size, each chunk from its last to its first.
flatList :: forall a. Int -> Step a -> Step [a]
flatList (I# size) read' = chunk
  where
    !(I# most) = full
    chunk :: Step [a]
    chunk ctx e c s = case chunkHere e c s of
      (# s1, c1, n #) ->
        let !bytes = n *# size
            !next = plusAddr# c1 bytes
         in case bytes <=# minusAddr# e c1 of
              1# -> case n <# most of
                1# -> unpack ctx e c1 next next [] s1
                _ -> case chunk ctx e next s1 of
                  (# s2, c2, rest #) -> unpack ctx e c1 next c2 rest s2
              _ -> failAt c (Overclaimed (I# bytes) (I# (minusAddr# e c1))) s1
    -- What lies before an address and from the first one on, onto a list.
    unpack :: Context -> Addr# -> Addr# -> Addr# -> Addr# -> [a] -> State# RealWorld -> (# State# RealWorld, Addr#, [a] #)
    unpack ctx e first at after xs s = case gtAddr# at first of
      1# ->
        let !c = plusAddr# at (negateInt# size)
         in case read' ctx e c s of (# s1, _, x #) -> unpack ctx e first c after (x : xs) s1
      _ -> (# s, after, xs #)
{-# INLINE flatList #-}

-- | Other elements, of which each chunk is known to be there as far as the first
-- argument sees to that.
forwardList :: forall a. (Addr# -> Addr# -> Int# -> State# RealWorld -> State# RealWorld) -> Step a -> Step [a]
forwardList there read' = chunk
  where
    !(I# most) = full
    chunk :: Step [a]
    chunk ctx e c s = case chunkHere e c s of
      (# s1, c1, n #) -> elements n n ctx e c1 (there e c1 n s1)
    elements :: Int# -> Int# -> Step [a]
    elements k n ctx e c s = case k of
      0# -> case n <# most of
        1# -> (# s, c, [] #)
        _ -> chunk ctx e c s
      _ -> case read' ctx e c s of
        (# s1, c1, a #) -> case elements (k -# 1#) n ctx e c1 s1 of
          (# s2, c2, rest #) -> (# s2, c2, a : rest #)
{-# INLINE forwardList #-}

-- | A list that must not be empty.
nonEmptyR :: NativeReader a -> NativeReader (NonEmpty a)
nonEmptyR r = case listR r of
  NativeReader kind n x read' -> NativeReader kind n x (someOf read')
{-# INLINE nonEmptyR #-}

someOf :: Step [a] -> Step (NonEmpty a)
someOf read' ctx e c s = case read' ctx e c s of
  (# s1, c1, xs #) -> case xs of
    x : rest -> (# s1, c1, x :| rest #)
    [] -> failAt c (Refused (T.pack "expected at least one element")) s1
{-# INLINE someOf #-}

-- * Ascending lists

-- | A list whose every element is above the one before it, by the comparison
-- given: the keys of a set, the pairs of a map.
ascendingR :: (a -> a -> Bool) -> NativeReader a -> NativeReader [a]
ascendingR below r@(NativeReader kind _ _ _) = NativeReader (worse Flat kind) 0 (\_ c -> c) (level kind (ascending below (step r)))
{-# INLINE ascendingR #-}

ascending :: forall a. (a -> a -> Bool) -> Step a -> Step [a]
ascending below read' = chunk Nothing
  where
    !(I# most) = full
    chunk :: Maybe a -> Step [a]
    chunk before ctx e c s = case chunkHere e c s of
      (# s1, c1, n #) -> elements before n n ctx e c1 s1
    elements :: Maybe a -> Int# -> Int# -> Step [a]
    elements before k n ctx e c s = case k of
      0# -> case n <# most of
        1# -> (# s, c, [] #)
        _ -> chunk before ctx e c s
      _ -> case read' ctx e c s of
        (# s1, c1, a #) -> case maybe True (`below` a) before of
          True -> case elements (Just a) (k -# 1#) n ctx e c1 s1 of
            (# s2, c2, rest #) -> (# s2, c2, a : rest #)
          False -> failAt c KeyOutOfOrder s1
{-# INLINE ascending #-}

-- * Optional values

-- | The byte 00, or 01 and the value.
maybeW :: Writer a -> Writer (Maybe a)
maybeW writer = oneOfW (orOption (maybe (Left ()) Right) (option noFields) (option writer))
{-# INLINE maybeW #-}

maybeR :: NativeReader a -> NativeReader (Maybe a)
maybeR r = oneOf (alternative (pure Nothing) `orElse` alternative (Just <$> field r))
{-# INLINE maybeR #-}

-- | The byte 00 and the left, or 01 and the right.
eitherW :: Writer a -> Writer b -> Writer (Either a b)
eitherW left right = oneOfW (orOption id (option left) (option right))
{-# INLINE eitherW #-}

eitherR :: NativeReader a -> NativeReader b -> NativeReader (Either a b)
eitherR left right = oneOf (alternative (Left <$> field left) `orElse` alternative (Right <$> field right))
{-# INLINE eitherR #-}
