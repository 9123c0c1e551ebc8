{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | How the values of a type are read from the native format, and how far they
-- may reach.
--
-- The idea: what has a greatest size is read without looking for the input's
-- end. Whoever comes to a run of such values asks once ('within') and then only
-- loads. Where as much is left as they could take, that is one comparison;
-- near the end of the input it is a walk over them that looks at nothing but
-- lengths. A reader's constructor does not depend on the input, so that a known
-- reader is taken apart when a program is compiled.
--
-- Start at 'NativeReader'; 'step' is one of them with its check.
--
-- INLINE, as in "Tern.Read". Proof: inspect "a bounded record is one bounds
-- check".
module Tern.Native.Reader
  ( -- * Readers
    NativeReader (..),
    Extent,
    step,
    reader,

    -- * What is ahead
    Kind (..),
    worse,
    kindOf,
    extentOf,
    within,
    nested,

    -- * Failing
    failEnd,
    failWith,
  )
where

import GHC.Exts
import Tern.Error
import Tern.Read

-- | Reads values of a type.
--
-- The steps of the first two do not look for the end of the input. Whoever
-- runs one owes that the value lies within it: that so many bytes are left, or
-- that the extent says so.
data NativeReader a
  = -- | Every value has just so many bytes.
    FixedReader Int (Step a)
  | -- | No value has more bytes than this.
    BoundedReader Int Extent (Step a)
  | -- | Values of any size, of a type that is not within itself.
    FlatReader (Step a)
  | -- | Values of any size, of a type that may be within itself: one level.
    DeepReader (Step a)

instance Functor NativeReader where
  fmap f = \case
    FixedReader n read' -> FixedReader n (mapped f read')
    BoundedReader n x read' -> BoundedReader n x (mapped f read')
    FlatReader read' -> FlatReader (mapped f read')
    DeepReader read' -> DeepReader (mapped f read')
  {-# INLINE fmap #-}

mapped :: (a -> b) -> Step a -> Step b
mapped f read' ctx e c s = case read' ctx e c s of (# s1, c1, a #) -> case f a of !b -> (# s1, c1, b #)
{-# INLINE mapped #-}

-- | From the input's end and the address of a value to the address after it, by
-- what the value says of its length. Beyond the end where the value is cut off;
-- nothing at the end or behind it is looked at.
type Extent = Addr# -> Addr# -> Addr#

-- | One value, which may be cut off.
step :: NativeReader a -> Step a
step r ctx e c s = case r of
  FixedReader n read' -> within n (extentOf r) e c s (read' ctx e c)
  BoundedReader n x read' -> within n x e c s (read' ctx e c)
  FlatReader read' -> read' ctx e c s
  DeepReader read' -> read' ctx e c s
{-# INLINE step #-}

-- | The same, as a reader of any format.
reader :: NativeReader a -> Reader a
reader r = Reader (step r)
{-# INLINE reader #-}

-- * What is ahead

-- | How much is known of a type's size.
data Kind = Fixed | Bounded | Flat | Deep

-- | What is known of two values, one after the other.
worse :: Kind -> Kind -> Kind
worse a b = case a of
  Fixed -> b
  Bounded -> case b of
    Fixed -> Bounded
    _ -> b
  Flat -> case b of
    Deep -> Deep
    _ -> Flat
  Deep -> Deep
{-# INLINE worse #-}

kindOf :: NativeReader a -> Kind
kindOf = \case
  FixedReader {} -> Fixed
  BoundedReader {} -> Bounded
  FlatReader {} -> Flat
  DeepReader {} -> Deep
{-# INLINE kindOf #-}

-- | Of a bounded reader. Others have none, and stay where they are.
extentOf :: NativeReader a -> Extent
extentOf r = case r of
  FixedReader (I# n) _ -> \_ c -> plusAddr# c n
  BoundedReader _ x _ -> x
  _ -> \_ c -> c
{-# INLINE extentOf #-}

-- | Go on where a run of at most @n@ bytes is all there, by its bound or by its
-- extent. A run of nothing is not asked for.
within :: Int -> Extent -> Addr# -> Addr# -> State# RealWorld -> (State# RealWorld -> (# State# RealWorld, Addr#, a #)) -> (# State# RealWorld, Addr#, a #)
within (I# n) x e c s next = case n of
  0# -> next s
  _ -> case there of
    1# -> next s
    _ -> failEnd e s
  where
    there = case minusAddr# e c >=# n of
      1# -> 1#
      _ -> leAddr# (x e c) e
    {-# INLINE there #-}
{-# INLINE within #-}

-- | A level inwards for as long as something is read.
nested :: Step a -> Step a
nested read' ctx e c s = case read' ctx e c (enter ctx c s) of
  (# s1, c1, a #) -> case leave ctx s1 of s2 -> (# s2, c1, a #)
{-# INLINE nested #-}

-- * Failing

-- | What is cut off ends at the input's end.
failEnd :: Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, a #)
failEnd e = failAt e (UnexpectedEnd AValue)
{-# NOINLINE failEnd #-}

-- | Fail at an address, with a reason made of a number that stood there.
--
-- NOINLINE: a failing branch is a jump in the hot code.
failWith :: (Int -> Reason) -> Int# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, a #)
failWith reason i c = failAt c (reason (I# i))
{-# NOINLINE failWith #-}
