{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | How the values of a type are read from the native format, and how far they
-- may reach.
--
-- The idea: what has a greatest size is read without looking for the input's
-- end. Whoever comes to a run of such values asks once ('within') and then only
-- loads. Where as much is left as they could take, that is one comparison;
-- near the end of the input it is a walk over them that looks at nothing but
-- lengths. What is known of a type does not depend on the input, so that it is
-- put together when a program is compiled.
--
-- Start at 'NativeReader'; 'step' is one of them with its check.
--
-- INLINE, as in "Tern.Internal.Read"; and what is read stands once in each expression,
-- however it is to be checked, so that its code stands there once as well.
-- Proof: inspect "a bounded record is one bounds check".
module Tern.Internal.Native.Reader
  ( -- * Readers
    NativeReader (..),
    Sizing (..),
    Extent,
    fixed,
    bounded,
    flat,
    deep,
    step,
    reader,
    refined,

    -- * What is ahead
    isBounded,
    worse,
    within,
    level,

    -- * Failing
    failEnd,
    failWith,
  )
where

import Data.Text (Text)
import GHC.Exts
import Tern.Error (Expected (..), Reason (..))
import Tern.Internal.Read (Reader (..), Step, enter, failAt, leave)

-- | Reads values of a type: what is known of their size; of what a value begins
-- with and has a bound, the most bytes and how far it reaches; and the step
-- that reads a value. The step does not look for the end of the input before
-- what has a bound: whoever runs it owes that the most bytes are left, or that
-- the extent says so. A bounded value is all bound, and a value that begins with
-- a length or a count has none: 0, and the extent stays where it is.
data NativeReader a = NativeReader Sizing Int Extent (Step a)

-- | How much is known of a type's sizes.
data Sizing
  = -- | Every value has just as many bytes as the bound says.
    Fixed
  | -- | No value has more bytes than the bound says.
    Bounded
  | -- | Values have any size, and the type is not within itself.
    Flat
  | -- | Values have any size, and may be within themselves to any depth.
    Deep

-- | From the input's end and the address of a value to the address after it, by
-- what the value says of its length. Beyond the end where the value is cut off;
-- nothing at the end or after it is looked at.
type Extent = Addr# -> Addr# -> Addr#

-- | Values of just @n@ bytes.
fixed :: Int -> Step a -> NativeReader a
fixed n@(I# n#) = NativeReader Fixed n (\_ c -> plusAddr# c n#)
{-# INLINE fixed #-}

-- | Values of at most this number of bytes, with how far one reaches.
bounded :: Int -> Extent -> Step a -> NativeReader a
bounded = NativeReader Bounded
{-# INLINE bounded #-}

-- | Values without a bound, of which nothing is known ahead: the step itself looks for the input's
-- end. 'deep' is for a type that may be within itself.
flat, deep :: Step a -> NativeReader a
flat = NativeReader Flat 0 (\_ c -> c)
deep = NativeReader Deep 0 (\_ c -> c)
{-# INLINE flat #-}
{-# INLINE deep #-}

instance Functor NativeReader where
  fmap f (NativeReader kind n x read') =
    NativeReader kind n x $ \ctx e c s -> case read' ctx e c s of
      (# s1, c1, a #) -> case f a of !b -> (# s1, c1, b #)
  {-# INLINE fmap #-}

-- | One value, which may be cut off.
step :: NativeReader a -> Step a
step (NativeReader _ n x read') ctx e c s = within n x e c s (read' ctx e c)
{-# INLINE step #-}

-- | The same, as a reader of any format.
reader :: NativeReader a -> Reader a
reader r = Reader (step r)
{-# INLINE reader #-}

-- | What another type's values stand for, or why one stands for nothing.
refined :: (a -> Either Text b) -> NativeReader a -> NativeReader b
refined f (NativeReader kind n x read') =
  NativeReader kind n x $ \ctx e c s -> case read' ctx e c s of
    (# s1, c1, a #) -> case f a of
      Right !b -> (# s1, c1, b #)
      Left message -> failAt c (Refused message) s1
{-# INLINE refined #-}

-- * What is ahead

-- | Does the bound hold for a whole value, and not for its beginning alone?
isBounded :: Sizing -> Bool
isBounded = \case
  Fixed -> True
  Bounded -> True
  Flat -> False
  Deep -> False
{-# INLINE isBounded #-}

-- | What is known of two values, one after the other.
worse :: Sizing -> Sizing -> Sizing
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

-- | Go on where a run of at most @n@ bytes is all there, by its bound or by its
-- extent. A run of nothing is not asked for.
within ::
  Int ->
  Extent ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (State# RealWorld -> (# State# RealWorld, Addr#, a #)) ->
  (# State# RealWorld, Addr#, a #)
within (I# n) x e c s next = case there of
  1# -> next s
  _ -> failEnd e s
  where
    there = case n of
      0# -> 1#
      _ -> case minusAddr# e c >=# n of
        1# -> 1#
        _ -> leAddr# (x e c) e
    {-# INLINE there #-}
{-# INLINE within #-}

-- | Where asked to, a level inwards for as long as something is read.
level :: Sizing -> Step a -> Step a
level kind read' ctx e c s = case read' ctx e c inwards of
  (# s1, c1, a #) -> (# outwards s1, c1, a #)
  where
    inwards = case kind of
      Deep -> inline enter ctx c s
      _ -> s
    {-# INLINE inwards #-}
    outwards s1 = case kind of
      Deep -> inline leave ctx s1
      _ -> s1
    {-# INLINE outwards #-}
{-# INLINE level #-}

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
