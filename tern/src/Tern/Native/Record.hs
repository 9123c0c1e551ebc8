{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Records and sums, from readers of what they hold.
--
-- The idea: fields are put together from the right. Each learns what is known
-- of the values ahead of it, and only the first of a run of bounded ones asks
-- whether the whole run is there. What is known does not depend on the input,
-- so that the runs are found when a program is compiled, and the code of a
-- record is one straight line.
--
-- Start at 'field', then 'record' and 'alternative'.
--
-- INLINE on everything: no 'Fields' exists at run time. Proof: inspect "a
-- bounded record is one bounds check".
module Tern.Native.Record
  ( -- * Records
    Fields,
    field,
    record,
    recursive,

    -- * Sums
    Alternatives,
    alternative,
    orElse,
    oneOf,
    recursiveOneOf,
  )
where

import GHC.Exts
import Tern.Error
import Tern.Native.Reader
import Tern.Prim.Native
import Tern.Read

-- * Records

-- | Values one after another, of which an @a@ is made.
data Fields a = Fields (Ahead -> Ahead) (forall r. Ahead -> (a -> Step r) -> Step r)

-- | What is known of the values ahead: how many bytes those take at most that
-- come before the next one without a bound, how far they reach, and what all
-- of them are.
data Ahead = Ahead Int Extent Kind

nothing :: Ahead
nothing = Ahead 0 (\_ c -> c) Fixed
{-# INLINE nothing #-}

-- | One value.
field :: NativeReader a -> Fields a
field r = Fields (before r) (taken r)
{-# INLINE field #-}

before :: NativeReader a -> Ahead -> Ahead
before r (Ahead n x kind) = case r of
  FixedReader m _ -> joined m
  BoundedReader m _ _ -> joined m
  _ -> Ahead 0 (\_ c -> c) (worse (kindOf r) kind)
  where
    joined m = case joins m n of
      True -> Ahead (m + n) (\e c -> x e (extentOf r e c)) (worse (kindOf r) kind)
      False -> Ahead m (extentOf r) (worse Flat kind)
    {-# INLINE joined #-}
{-# INLINE before #-}

taken :: NativeReader a -> Ahead -> (a -> Step r) -> Step r
taken r (Ahead n x _) next ctx e c s = case r of
  FixedReader m read' | joins m n -> case read' ctx e c s of (# s1, c1, a #) -> next a ctx e c1 s1
  BoundedReader m _ read' | joins m n -> case read' ctx e c s of (# s1, c1, a #) -> next a ctx e c1 s1
  FixedReader _ read' -> case read' ctx e c s of (# s1, c1, a #) -> within n x e c1 s1 (next a ctx e c1)
  BoundedReader _ _ read' -> case read' ctx e c s of (# s1, c1, a #) -> within n x e c1 s1 (next a ctx e c1)
  FlatReader read' -> case read' ctx e c s of (# s1, c1, a #) -> within n x e c1 s1 (next a ctx e c1)
  DeepReader read' -> case read' ctx e c s of (# s1, c1, a #) -> within n x e c1 s1 (next a ctx e c1)
{-# INLINE taken #-}

-- | Runs are joined up to this bound, as those of writes are.
joins :: Int -> Int -> Bool
joins m n = m + n <= 512
{-# INLINE joins #-}

instance Functor Fields where
  fmap f (Fields known go) = Fields known (\ahead next -> go ahead (\a -> next (f a)))
  {-# INLINE fmap #-}

instance Applicative Fields where
  pure a = Fields id (\_ next -> next a)
  {-# INLINE pure #-}
  Fields knownF goF <*> Fields knownX goX =
    Fields (\ahead -> knownF (knownX ahead)) (\ahead next -> goF (knownX ahead) (\f -> goX ahead (\a -> next (f a))))
  {-# INLINE (<*>) #-}

-- | The values of a record, for a type that is not within itself. A record of
-- bounded values is a bounded value.
record :: Fields a -> NativeReader a
record (Fields known go) = case known nothing of
  Ahead n _ Fixed -> FixedReader n (go nothing done)
  Ahead n x Bounded -> BoundedReader n x (go nothing done)
  Ahead n x Flat -> FlatReader (\ctx e c s -> within n x e c s (go nothing done ctx e c))
  Ahead n x Deep -> DeepReader (\ctx e c s -> within n x e c s (go nothing done ctx e c))
{-# INLINE record #-}

-- | The same for a type that may be within itself, of which nothing may be
-- asked before a value is read. It costs a level only where there is a choice
-- ('recursiveOneOf') or a list: every way back to a type leads through one.
recursive :: Fields a -> NativeReader a
recursive (Fields known go) = DeepReader $ \ctx e c s -> case known nothing of
  Ahead n x _ -> within n x e c s (go nothing done ctx e c)
{-# INLINE recursive #-}

done :: a -> Step a
done a _ _ c s = case a of !b -> (# s, c, b #)
{-# INLINE done #-}

-- * Sums

-- | The constructors of a type, in their order.
data Alternatives a = Alternatives
  { count :: Int,
    -- | What is known of any of them.
    sizes :: Sizes,
    -- | By the constructor's number.
    extents :: Int# -> Extent,
    -- | By number: without a look at the end, and with one.
    unchecked :: Int# -> Step a,
    checked :: Int# -> Step a
  }

-- | The least and the greatest bound, and the worst kind.
data Sizes = Sizes Int Int Kind

-- | One constructor, from its fields. One without any is 'pure'.
alternative :: Fields a -> Alternatives a
alternative (Fields known go) = case known nothing of
  Ahead n x kind ->
    Alternatives
      { count = 1,
        sizes = Sizes n n kind,
        extents = \_ -> x,
        unchecked = \_ -> go nothing done,
        checked = \_ ctx e c s -> within n x e c s (go nothing done ctx e c)
      }
{-# INLINE alternative #-}

-- | Those of the first, then those of the second.
orElse :: Alternatives a -> Alternatives a -> Alternatives a
orElse a b =
  Alternatives
    { count = count a + count b,
      sizes = case (sizes a, sizes b) of
        (Sizes l m k, Sizes l' m' k') -> Sizes (if l < l' then l else l') (if m > m' then m else m') (worse k k'),
      extents = \i e c -> case i <# n of
        1# -> extents a i e c
        _ -> extents b (i -# n) e c,
      unchecked = \i ctx e c s -> case i <# n of
        1# -> unchecked a i ctx e c s
        _ -> unchecked b (i -# n) ctx e c s,
      checked = \i ctx e c s -> case i <# n of
        1# -> checked a i ctx e c s
        _ -> checked b (i -# n) ctx e c s
    }
  where
    !(I# n) = count a
{-# INLINE orElse #-}

-- | A value of a type of several constructors that is not within itself.
oneOf :: Alternatives a -> NativeReader a
oneOf a = case sizes a of
  Sizes l m kind -> case kind of
    Fixed | l == m -> FixedReader (width + m) bounded'
    Flat -> FlatReader (tagged a checked)
    Deep -> DeepReader (nested (tagged a checked))
    _ -> BoundedReader (width + m) reach bounded'
  where
    width = tagWidth (count a)
    bounded' ctx e c s = case tagAt (count a) c s of (# s1, c1, i #) -> unchecked a i ctx e c1 s1
    reach e c = case isTrue# (leAddr# (plusAddr# c w) e) of
      True -> extents a (tagHere (count a) c) e (plusAddr# c w)
      False -> plusAddr# c w
    !(I# w) = width
{-# INLINE oneOf #-}

-- | The same for a type that may be within itself. Each value is a level.
recursiveOneOf :: Alternatives a -> NativeReader a
recursiveOneOf a = DeepReader (nested (tagged a checked))
{-# INLINE recursiveOneOf #-}

tagged :: Alternatives a -> (Alternatives a -> Int# -> Step a) -> Step a
tagged a go ctx e c s = case leAddr# (plusAddr# c w) e of
  1# -> case tagAt (count a) c s of (# s1, c1, i #) -> go a i ctx e c1 s1
  _ -> failEnd e s
  where
    !(I# w) = tagWidth (count a)
{-# INLINE tagged #-}

-- | One byte for up to 256 constructors, else two.
tagWidth :: Int -> Int
tagWidth n = if n <= 256 then 1 else 2
{-# INLINE tagWidth #-}

tagHere :: Int -> Addr# -> Int#
tagHere n c = case tagWidth n of
  1 -> word2Int# (load8 c)
  _ -> word2Int# (load16 c)
{-# INLINE tagHere #-}

-- | A constructor's number, below the number of constructors.
tagAt :: Int -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
tagAt n c s = case i <# count' of
  1# -> (# s, plusAddr# c w, i #)
  _ -> case failWith (`NoConstructor` n) i c s of (# s1, c1, () #) -> (# s1, c1, 0# #)
  where
    !i = tagHere n c
    !(I# count') = n
    !(I# w) = tagWidth n
{-# INLINE tagAt #-}
