{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Lists, vectors, maps, optional values and tuples in a binary format, from the
-- codecs of what they hold.
--
-- INLINE on the loops, as in "Tern.Internal.Json.Container".
module Tern.Internal.Binary.Container
  ( -- * Frames
    array,
    map,

    -- * Lists
    listW,
    listR,
    nonEmptyR,

    -- * Vectors
    vectorW,
    vectorR,

    -- * Values with a check
    refinedR,

    -- * Optional values
    maybeW,
    maybeR,
    eitherW,
    eitherR,
    sumW,
    sumR,

    -- * Maps
    pairsW,
    pairsR,

    -- * Arrays of known length
    unitW,
    unitR,
    arrayOf,
    exactly,
  )
where

import Data.List.NonEmpty (NonEmpty (..))
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector.Generic qualified as V
import GHC.Exts (Int (..), Int#, plusAddr#, writeWord8OffAddr#, (+#), (-#), (<#), (==#))
import GHC.Word (Word8 (..))
import Tern.Error (Expected (..), Reason (..))
import Tern.Internal.Binary.Elements (each, filled)
import Tern.Internal.Binary.Syntax (Syntax (..), within)
import Tern.Internal.Read (Reader (..), Step, failAt, refinedFrom)
import Tern.Internal.Write (Writer (..), byte, fewElements, toFill, write)
import Tern.Prim.Buffer (Fill)
import Prelude hiding (map)

-- * Frames

-- | An array, one level inwards: what to do with the number of its elements, at
-- the first of them.
array :: forall f a. (Syntax f) => (Int# -> Step a) -> Step a
array elements ctx e c s = case arrayHeader @f ctx e c s of
  (# s1, c1, n #) -> within @f (elements n) ctx e c c1 s1
{-# INLINE array #-}

-- | A map, one level inwards: what to do with the number of its pairs, at the
-- first key.
map :: forall f a. (Syntax f) => (Int# -> Step a) -> Step a
map pairs ctx e c s = case mapHeader @f ctx e c s of
  (# s1, c1, n #) -> within @f (pairs n) ctx e c c1 s1
{-# INLINE map #-}

-- * Lists

-- | An array; no value for more than 'maxCount' elements. An array begins with its
-- length, so that all but short lists of small elements are walked twice.
listW :: forall f a. (Syntax f) => Writer a -> Writer [a]
listW writer =
  FillWriter
    ( fewElements
        most
        empty
        writer
        ( \xs ->
            counted @f (arrayHeaderW @f) (length xs) (go xs)
        )
    )
  where
    !(most, empty) = fewest @f
    go xs mba op s = case xs of
      [] -> (# s, mba, op #)
      x : rest -> case toFill (write writer x) mba op s of
        (# s1, mba1, op1 #) -> go rest mba1 op1 s1
{-# INLINE [2] listW #-}

-- | A frame of @n@ things.
counted :: forall f. (Syntax f) => Writer Int -> Int -> Fill -> Fill
counted header n contents mba op s
  | n > maxCount @f = toFill (byte (nothingByte @f)) mba op s
  | otherwise = case toFill (write header n) mba op s of
      (# s1, mba1, op1 #) -> contents mba1 op1 s1
{-# INLINE counted #-}

-- | Short lists are built on the way back from their end; from the 64th element
-- on they are collected and reversed, so that the stack stays small.
listR :: forall f a. (Syntax f) => Reader a -> Reader [a]
listR (Reader step) = Reader (array @f forward)
  where
    forward n ctx e c s = start 0# n ctx e c s
    start i n ctx e c s = case i <# n of
      0# -> (# s, c, [] #)
      _ -> case step ctx e c s of
        (# s1, c1, x #) -> case i <# 64# of
          1# -> case start (i +# 1#) n ctx e c1 s1 of
            (# s2, c2, rest #) -> (# s2, c2, x : rest #)
          _ -> case collect [] (i +# 1#) n ctx e c1 s1 of
            (# s2, c2, rest #) -> (# s2, c2, x : rest #)
    collect acc i n ctx e c s = case i <# n of
      0# -> case reverse acc of !xs -> (# s, c, xs #)
      _ -> case step ctx e c s of
        (# s1, c1, x #) -> collect (x : acc) (i +# 1#) n ctx e c1 s1
{-# INLINE [2] listR #-}

-- | A list that must not be empty.
nonEmptyR :: forall f a. (Syntax f) => Reader a -> Reader (NonEmpty a)
nonEmptyR reader = Reader $ \ctx e c s -> case list ctx e c s of
  (# s1, c1, xs #) -> case xs of
    x : rest -> (# s1, c1, x :| rest #)
    [] -> failAt c (Refused (T.pack "expected an array of at least one element")) s1
  where
    !(Reader list) = listR @f reader
{-# INLINE [2] nonEmptyR #-}

-- * Vectors

-- | An array; no value for more than 'maxCount' elements.
vectorW :: forall f v a. (Syntax f, V.Vector v a) => Writer a -> Writer (v a)
vectorW writer =
  FillWriter $ \v ->
    counted @f (arrayHeaderW @f) (V.length v) (each (\x -> toFill (write writer x)) v)
{-# INLINE [2] vectorW #-}

-- | Allocated once, at its size: the document has a byte at least for each
-- element, as its header's reader saw.
vectorR :: forall f v a. (Syntax f, V.Vector v a) => Reader a -> Reader (v a)
vectorR (Reader step) = Reader (array @f (filled step))
{-# INLINE [2] vectorR #-}

-- * Values with a check

-- | What another type's values stand for, or why one stands for nothing. It is refused
-- where it begins.
refinedR :: (a -> Either Text b) -> Reader a -> Reader b
refinedR = refinedFrom (\_ c -> c)
{-# INLINE [2] refinedR #-}

-- * Optional values

-- | One byte or the value.
maybeW :: forall f a. (Syntax f) => Writer a -> Writer (Maybe a)
maybeW = \case
  BoundedWriter n poke ->
    -- NOINLINE: as in "Tern.Internal.Json.Container".
    let choose m op s = case m of
          Nothing ->
            case nothingByte @f of
              W8# b ->
                case writeWord8OffAddr# op 0# b s of s1 -> (# s1, plusAddr# op 1# #)
          Just x -> poke x op s
        {-# NOINLINE choose #-}
     in BoundedWriter (max 1 n) (\m -> choose m)
  FillWriter fill -> FillWriter $ \m mba op s -> case m of
    Nothing -> toFill (byte (nothingByte @f)) mba op s
    Just x -> fill x mba op s
{-# INLINE [2] maybeW #-}

-- | 'Nothing' where 'isNothing' holds, else the value: so 'Just' of what is written as no value is
-- read as 'Nothing'.
maybeR :: forall f a. (Syntax f) => Reader a -> Reader (Maybe a)
maybeR (Reader step) = Reader $ \ctx e c s -> case isNothing @f e c of
  1# -> (# s, plusAddr# c 1#, Nothing #)
  _ -> case step ctx e c s of (# s1, c1, x #) -> (# s1, c1, Just x #)
{-# INLINE [2] maybeR #-}

-- | A map of one pair, whose key is @Left@ or @Right@.
eitherW :: forall f a b. (Syntax f) => Writer a -> Writer b -> Writer (Either a b)
eitherW = sidesW @f "Left" "Right"
{-# INLINE [2] eitherW #-}

-- | A map of one pair, as 'eitherW' writes it. Another key is an 'UnknownConstructor'.
eitherR :: forall f a b. (Syntax f) => Reader a -> Reader b -> Reader (Either a b)
eitherR = sidesR @f "Left" "Right"
{-# INLINE [2] eitherR #-}

-- | A map of one pair, whose key is @InL@ or @InR@.
sumW :: forall f a b. (Syntax f) => Writer a -> Writer b -> Writer (Either a b)
sumW = sidesW @f "InL" "InR"
{-# INLINE [2] sumW #-}

-- | As 'eitherR', with the keys of 'sumW'.
sumR :: forall f a b. (Syntax f) => Reader a -> Reader b -> Reader (Either a b)
sumR = sidesR @f "InL" "InR"
{-# INLINE [2] sumR #-}

sidesW ::
  forall f a b. (Syntax f) => String -> String -> Writer a -> Writer b -> Writer (Either a b)
sidesW onLeft onRight left right = FillWriter $ \case
  Left a -> toFill (mapOf @f 1 <> constant @f onLeft <> write left a)
  Right b -> toFill (mapOf @f 1 <> constant @f onRight <> write right b)
{-# INLINE sidesW #-}

sidesR ::
  forall f a b. (Syntax f) => String -> String -> Reader a -> Reader b -> Reader (Either a b)
sidesR onLeft onRight (Reader left) (Reader right) =
  Reader $ \ctx e start s -> case map @f one ctx e start s of
    (# s1, c1, x #) -> (# s1, c1, x #)
  where
    one n ctx e c s = case n of
      1# -> case readText @f ctx e c s of
        (# s1, c1, label #)
          | label == T.pack onLeft -> case left ctx e c1 s1 of
              (# s2, c2, a #) ->
                (# s2, c2, Left a #)
          | label == T.pack onRight -> case right ctx e c1 s1 of
              (# s2, c2, b #) ->
                (# s2, c2, Right b #)
          | otherwise -> failAt c (UnknownConstructor label [T.pack onLeft, T.pack onRight]) s1
      _ -> failAt c (Unexpected AMapOfOne) s
{-# INLINE sidesR #-}

-- * Maps

-- | A map from pairs, in their order.
pairsW :: forall f k v. (Syntax f) => Writer k -> Writer v -> Writer [(k, v)]
pairsW key value = FillWriter $ \pairs -> counted @f (mapHeaderW @f) (length pairs) (go pairs)
  where
    go pairs mba op s = case pairs of
      [] -> (# s, mba, op #)
      (k, v) : rest -> case toFill (write key k <> write value v) mba op s of
        (# s1, mba1, op1 #) -> go rest mba1 op1 s1
{-# INLINE [2] pairsW #-}

-- | The pairs of a map, the last one first.
pairsR :: forall f k v. (Syntax f) => Reader k -> Reader v -> Reader [(k, v)]
pairsR (Reader key) (Reader value) = Reader (map @f (go []))
  where
    go acc n ctx e c s = case n of
      0# -> (# s, c, acc #)
      _ -> case key ctx e c s of
        (# s1, c1, k #) -> case value ctx e c1 s1 of
          (# s2, c2, v #) -> go ((k, v) : acc) (n -# 1#) ctx e c2 s2
{-# INLINE [2] pairsR #-}

-- * Arrays of known length

-- | An array of nothing.
unitW :: forall f. (Syntax f) => Writer ()
unitW = case fewest @f of
  (_, W8# empty) ->
    BoundedWriter
      1
      ( \() op s -> case writeWord8OffAddr# op 0# empty s of
          s1 ->
            (# s1, plusAddr# op 1# #)
      )
{-# INLINE unitW #-}

-- | An array of no elements. One that has some is refused.
unitR :: forall f. (Syntax f) => Reader ()
unitR = exactly @f 0 (pure ())
{-# INLINE unitR #-}

-- | The elements of an array of just @n@.
exactly :: forall f a. (Syntax f) => Int -> Reader a -> Reader a
exactly (I# n) (Reader step) = Reader $ \ctx e c s ->
  array @f
    ( \k ctx' e' c' s' -> case k ==# n of
        1# -> step ctx' e' c' s'
        _ -> failAt c (Unexpected (AnArrayOf (I# n))) s'
    )
    ctx
    e
    c
    s
{-# INLINE exactly #-}
