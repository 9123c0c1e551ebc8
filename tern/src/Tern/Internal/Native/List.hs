{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Lists, and sets and maps as ascending lists.
--
-- The idea: a chunk is written in one walk over the list, and its number of elements
-- put in front of it afterwards. When it is read, whether its elements are all there is
-- asked once. Those of one size are then unpacked from the last to the first, onto what
-- follows them; others from the first on, on the way back from the end of the list.
--
-- INLINE on the loops, as in "Tern.Internal.Json.Container".
module Tern.Internal.Native.List
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
import Tern.Error (Reason (..))
import Tern.Internal.Native.Chunk (chunkHere, chunkThere, full, long, longHeader, shortHeader)
import Tern.Internal.Native.Reader (NativeReader (..), Sizing (..), deep, flat, level, step, worse)
import Tern.Internal.Native.Record
  ( alternative,
    field,
    noFields,
    oneOf,
    oneOfW,
    option,
    orElse,
    orOption,
  )
import Tern.Internal.Read (Context, Step, failAt)
import Tern.Internal.Write (Writer (..), fewElements, several)
import Tern.Prim.Buffer (Fill, ensure)

-- * Lists

-- | A list is counted while it is written, since a walk over one that has left the
-- caches takes as long as writing it. Only whether its header is long is seen first.
listW :: Writer a -> Writer [a]
listW writer = FillWriter (chunks writer)
{-# INLINE [2] listW #-}

chunks :: Writer a -> [a] -> Fill
chunks writer = fewElements 127 0 writer chunk
  where
    !(I# most) = full
    chunk xs mba op s = case counted xs of
      n -> case n <# long (# #) of
        1# -> case shortHeader n mba op s of
          (# s1, mba1, op1 #) -> case writer of
            BoundedWriter _ _ -> case elements n xs mba1 op1 s1 of
              (# s2, mba2, op2, _, _ #) ->
                (# s2, mba2, op2 #)
            FillWriter fill -> everyOne fill xs mba1 op1 s1
        _ -> case ensure 2# mba op s of
          (# s1, mba1, op1 #) -> case elements most xs mba1 (plusAddr# op1 2#) s1 of
            (# s2, mba2, op2, left, rest #) -> case longHeader (most -# left) mba1 op1 mba2 s2 of
              s3 -> case left of
                0# -> chunk rest mba2 op2 s3
                _ -> (# s3, mba2, op2 #)
    -- At most k of the elements: how many fewer there were, and those after them.
    elements k xs mba op s = case writer of
      BoundedWriter (I# bound) poke -> case k ># 0# of
        1# ->
          -- Room for some of them at a time: a bound is more than most need.
          let !some' = if isTrue# (k <# 32#) then k else 32#
           in case ensure (some' *# bound) mba op s of
                (# s1, mba1, op1 #) -> case several poke some' xs op1 s1 of
                  (# s2, op2, 0#, rest #) -> elements (k -# some') rest mba1 op2 s2
                  (# s2, op2, left, rest #) -> (# s2, mba1, op2, k -# some' +# left, rest #)
        _ -> (# s, mba, op, k, xs #)
      FillWriter fill -> case xs of
        x : rest | isTrue# (k ># 0#) -> case fill x mba op s of
          (# s1, mba1, op1 #) ->
            elements (k -# 1#) rest mba1 op1 s1
        _ -> (# s, mba, op, k, xs #)
{-# INLINE chunks #-}

everyOne :: (a -> Fill) -> [a] -> Fill
everyOne fill = go
  where
    go xs mba op s = case xs of
      [] -> (# s, mba, op #)
      x : rest -> case fill x mba op s of (# s1, mba1, op1 #) -> go rest mba1 op1 s1
{-# INLINE everyOne #-}

-- | How many elements, at most 'long'.
counted :: [a] -> Int#
counted = go 0#
  where
    go n = \case
      _ : rest | isTrue# (n <# long (# #)) -> go (n +# 1#) rest
      _ -> n

-- | Chunks, up to one that is not full. Of elements with a bound each chunk is asked for once. A
-- list of what may be within itself is a level.
listR :: NativeReader a -> NativeReader [a]
listR r@(NativeReader kind n x read') = case kind of
  Fixed -> flat (flatList n read')
  Bounded -> flat (forwardList (chunkThere n x) read')
  Flat -> flat (forwardList (\_ _ _ s -> s) (step r))
  Deep -> deep (level Deep (forwardList (\_ _ _ s -> s) (step r)))
{-# INLINE [2] listR #-}

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
    unpack ::
      Context ->
      Addr# ->
      Addr# ->
      Addr# ->
      Addr# ->
      [a] ->
      State# RealWorld ->
      (# State# RealWorld, Addr#, [a] #)
    unpack ctx e first at after xs s = case gtAddr# at first of
      1# ->
        let !c = plusAddr# at (negateInt# size)
         in case read' ctx e c s of (# s1, _, x #) -> unpack ctx e first c after (x : xs) s1
      _ -> (# s, after, xs #)
{-# INLINE flatList #-}

-- | Other elements, of which each chunk is known to be there as far as the first
-- argument sees to that.
forwardList ::
  forall a. (Addr# -> Addr# -> Int# -> State# RealWorld -> State# RealWorld) -> Step a -> Step [a]
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
{-# INLINE [2] nonEmptyR #-}

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
ascendingR below r@(NativeReader kind _ _ _) =
  NativeReader (worse Flat kind) 0 (\_ c -> c) (level kind (ascending below (step r)))
{-# INLINE [2] ascendingR #-}

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
{-# INLINE [2] maybeW #-}

-- | The byte 00, or 01 and the value. Another byte is refused.
maybeR :: NativeReader a -> NativeReader (Maybe a)
maybeR r = oneOf (alternative (pure Nothing) `orElse` alternative (Just <$> field r))
{-# INLINE [2] maybeR #-}

-- | The byte 00 and the left, or 01 and the right.
eitherW :: Writer a -> Writer b -> Writer (Either a b)
eitherW left right = oneOfW (orOption id (option left) (option right))
{-# INLINE [2] eitherW #-}

-- | The byte 00 and the left, or 01 and the right. Another byte is refused.
eitherR :: NativeReader a -> NativeReader b -> NativeReader (Either a b)
eitherR left right =
  oneOf (alternative (Left <$> field left) `orElse` alternative (Right <$> field right))
{-# INLINE [2] eitherR #-}
