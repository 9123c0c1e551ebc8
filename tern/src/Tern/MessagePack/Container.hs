{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Lists, vectors, maps, optional values and tuples as MessagePack, from the
-- codecs of what they hold.
--
-- INLINE on the loops, as in "Tern.Json.Container".
module Tern.MessagePack.Container
  ( -- * Lists
    listW,
    listR,
    nonEmptyR,

    -- * Vectors
    vectorW,
    vectorR,

    -- * Optional values
    maybeW,
    maybeR,
    eitherW,
    eitherR,

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
import Data.Text qualified as T
import Data.Vector.Generic qualified as V
import Data.Vector.Generic.Mutable qualified as M
import GHC.Exts
import GHC.IO (IO (..))
import Tern.Error
import Tern.MessagePack.Read qualified as Read
import Tern.MessagePack.Write (arrayOf)
import Tern.MessagePack.Write qualified as Write
import Tern.Prim.Buffer (Fill)
import Tern.Read
import Tern.Write

-- * Lists

-- | An array; nil for more than 'Write.maxCount' elements. An array begins with its
-- length in one, three or five bytes, so that all but short lists of small elements are
-- walked twice.
listW :: Writer a -> Writer [a]
listW writer = FillWriter (fewElements 15 0x90 writer (\xs -> counted Write.arrayHeader (length xs) (go xs)))
  where
    go xs mba op s = case xs of
      [] -> (# s, mba, op #)
      x : rest -> case toFill (write writer x) mba op s of
        (# s1, mba1, op1 #) -> go rest mba1 op1 s1
{-# INLINE [2] listW #-}

-- | A frame of so many.
counted :: Writer Int -> Int -> Fill -> Fill
counted header n contents mba op s
  | n > Write.maxCount = toFill Write.nil mba op s
  | otherwise = case toFill (write header n) mba op s of
      (# s1, mba1, op1 #) -> contents mba1 op1 s1
{-# INLINE counted #-}

-- | Short lists are built on the way back from their end; from the 64th element
-- on they are collected and reversed, so that the stack stays small.
listR :: Reader a -> Reader [a]
listR (Reader step) = Reader (Read.array forward)
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
nonEmptyR :: Reader a -> Reader (NonEmpty a)
nonEmptyR reader = Reader $ \ctx e c s -> case list ctx e c s of
  (# s1, c1, xs #) -> case xs of
    x : rest -> (# s1, c1, x :| rest #)
    [] -> failAt c (Refused (T.pack "expected an array of at least one element")) s1
  where
    !(Reader list) = listR reader
{-# INLINE [2] nonEmptyR #-}

-- * Vectors

vectorW :: (V.Vector v a) => Writer a -> Writer (v a)
vectorW writer = FillWriter $ \v -> counted Write.arrayHeader (V.length v) (go v (V.length v) 0)
  where
    go v n i mba op s
      | i >= n = (# s, mba, op #)
      | otherwise = case unIO (V.unsafeIndexM v i) s of
          (# s1, x #) -> case toFill (write writer x) mba op s1 of
            (# s2, mba1, op1 #) -> go v n (i + 1) mba1 op1 s2
{-# INLINE [2] vectorW #-}

-- | Allocated once, at its size: the document has a byte at least for each
-- element, as its header's reader saw.
vectorR :: forall v a. (V.Vector v a) => Reader a -> Reader (v a)
vectorR (Reader step) = Reader (Read.array filled)
  where
    filled :: Int# -> Step (v a)
    filled n ctx e c s = case unIO (M.unsafeNew (I# n)) s of
      (# s1, v #) -> go v 0# n ctx e c s1
    go v i n ctx e c s = case i <# n of
      0# -> case unIO (V.unsafeFreeze v) s of (# s1, !frozen #) -> (# s1, c, frozen #)
      _ -> case step ctx e c s of
        (# s1, c1, x #) -> case unIO (M.unsafeWrite v (I# i) x) s1 of
          (# s2, () #) -> go v (i +# 1#) n ctx e c1 s2
{-# INLINE [2] vectorR #-}

unIO :: IO a -> State# RealWorld -> (# State# RealWorld, a #)
unIO (IO f) = f
{-# INLINE unIO #-}

-- * Optional values

-- | Nil or the value.
maybeW :: Writer a -> Writer (Maybe a)
maybeW = \case
  BoundedWriter n poke ->
    -- NOINLINE: as in "Tern.Json.Container".
    let choose m op s = case m of
          Nothing -> case writeWord8OffAddr# op 0# (wordToWord8# 0xc0##) s of s1 -> (# s1, plusAddr# op 1# #)
          Just x -> poke x op s
        {-# NOINLINE choose #-}
     in BoundedWriter (max 1 n) (\m -> choose m)
  FillWriter fill -> FillWriter $ \m mba op s -> case m of
    Nothing -> toFill Write.nil mba op s
    Just x -> fill x mba op s
{-# INLINE [2] maybeW #-}

maybeR :: Reader a -> Reader (Maybe a)
maybeR (Reader step) = Reader $ \ctx e c s -> case Read.isNil e c of
  1# -> (# s, plusAddr# c 1#, Nothing #)
  _ -> case step ctx e c s of (# s1, c1, x #) -> (# s1, c1, Just x #)
{-# INLINE [2] maybeR #-}

-- | A map of one pair, whose key is @Left@ or @Right@.
eitherW :: Writer a -> Writer b -> Writer (Either a b)
eitherW left right = FillWriter $ \case
  Left a -> toFill (Write.mapOf 1 <> Write.constant "Left" <> write left a)
  Right b -> toFill (Write.mapOf 1 <> Write.constant "Right" <> write right b)
{-# INLINE [2] eitherW #-}

eitherR :: Reader a -> Reader b -> Reader (Either a b)
eitherR (Reader left) (Reader right) = Reader $ \ctx e start s -> case Read.map one ctx e start s of
  (# s1, c1, x #) -> (# s1, c1, x #)
  where
    one n ctx e c s = case n of
      1# -> case Read.text ctx e c s of
        (# s1, c1, label #)
          | label == T.pack "Left" -> case left ctx e c1 s1 of (# s2, c2, a #) -> (# s2, c2, Left a #)
          | label == T.pack "Right" -> case right ctx e c1 s1 of (# s2, c2, b #) -> (# s2, c2, Right b #)
          | otherwise -> failAt c (UnknownConstructor label [T.pack "Left", T.pack "Right"]) s1
      _ -> failAt c (Unexpected AMapOfOne) s
{-# INLINE [2] eitherR #-}

-- * Maps

-- | A map from pairs, in their order.
pairsW :: Writer k -> Writer v -> Writer [(k, v)]
pairsW key value = FillWriter $ \pairs -> counted Write.mapHeader (length pairs) (go pairs)
  where
    go pairs mba op s = case pairs of
      [] -> (# s, mba, op #)
      (k, v) : rest -> case toFill (write key k <> write value v) mba op s of
        (# s1, mba1, op1 #) -> go rest mba1 op1 s1
{-# INLINE [2] pairsW #-}

-- | The pairs of a map, the last one first.
pairsR :: Reader k -> Reader v -> Reader [(k, v)]
pairsR (Reader key) (Reader value) = Reader (Read.map (go []))
  where
    go acc n ctx e c s = case n of
      0# -> (# s, c, acc #)
      _ -> case key ctx e c s of
        (# s1, c1, k #) -> case value ctx e c1 s1 of
          (# s2, c2, v #) -> go ((k, v) : acc) (n -# 1#) ctx e c2 s2
{-# INLINE [2] pairsR #-}

-- * Arrays of known length

-- | An array of nothing.
unitW :: Writer ()
unitW = BoundedWriter 1 (\() op s -> case writeWord8OffAddr# op 0# (wordToWord8# 0x90##) s of s1 -> (# s1, plusAddr# op 1# #))
{-# INLINE unitW #-}

unitR :: Reader ()
unitR = exactly 0 (pure ())

-- | The elements of an array of just so many.
exactly :: Int -> Reader a -> Reader a
exactly (I# n) (Reader step) = Reader $ \ctx e c s ->
  Read.array
    ( \k ctx' e' c' s' -> case k ==# n of
        1# -> step ctx' e' c' s'
        _ -> failAt c (Unexpected (AnArrayOf (I# n))) s'
    )
    ctx
    e
    c
    s
{-# INLINE exactly #-}
