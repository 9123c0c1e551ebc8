{-# LANGUAGE MagicHash #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Records and sums, from readers and writers of what they hold.
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
module Tern.Internal.Native.Record
  ( -- * Records
    Fields (..),
    Ahead,
    field,
    inFrontOf,
    taken,
    record,
    recursive,
    both,

    -- * Sums
    Alternatives,
    alternative,
    orElse,
    oneOf,
    recursiveOneOf,
    Options,
    option,
    noFields,
    orOption,
    oneOfW,
  )
where

import GHC.Exts
import Tern.Error (Reason (..))
import Tern.Internal.Native.Reader
  ( Extent,
    NativeReader (..),
    Sizing (..),
    deep,
    failWith,
    isBounded,
    level,
    within,
    worse,
  )
import Tern.Internal.Read (Step)
import Tern.Internal.Write (Writer (..), bounded, general, toFill, write)
import Tern.Prim.Buffer (Fill, Poke)
import Tern.Prim.Native (load16, load8, store16, store8)

-- * Records

-- | Values one after another, of which an @a@ is made: from what is known of the
-- values after them, what is known with them ahead, and the step that reads
-- them. Both are handed on and not returned, so that the compiler puts each in
-- its one place without looking through what was put together before.
newtype Fields a = Fields (forall r. Ahead -> (Ahead -> Step a -> r) -> r)

-- | What is known of the values ahead: how many bytes those take at most that
-- come before the next place without a bound, how far they reach, and what all
-- of them are.
data Ahead = Ahead Int Extent Sizing

nothing :: Ahead
nothing = Ahead 0 (\_ c -> c) Fixed
{-# INLINE nothing #-}

-- | One value. Nothing is asked of its reader before something is read or
-- asked of the fields: it may be the reader of the type that is being made.
field :: NativeReader a -> Fields a
field r = Fields (\ahead use -> use (inFrontOf r ahead) (taken r ahead))
{-# INLINE field #-}

-- | What is known with one more value ahead. It joins the run of those after it where it is bounded
-- and both together have at most 512 bytes.
inFrontOf :: NativeReader a -> Ahead -> Ahead
inFrontOf (NativeReader kind m x _) (Ahead n x' kind')
  | not (isBounded kind) = Ahead m x (worse kind kind')
  | joins m n = Ahead (m + n) (\e c -> x' e (x e c)) (worse kind kind')
  | otherwise = Ahead m x (worse Flat kind')
{-# INLINE inFrontOf #-}

-- | Read a value that is known to be there, and then ask for the run after it, unless that was
-- asked for with the value.
taken :: NativeReader a -> Ahead -> Step a
taken (NativeReader kind m _ read') (Ahead n x _) ctx e c s = case read' ctx e c s of
  (# s1, c1, a #) -> within (if isBounded kind && joins m n then 0 else n) x e c1 s1 (done c1 a)
{-# INLINE taken #-}

done :: Addr# -> a -> State# RealWorld -> (# State# RealWorld, Addr#, a #)
done c a s = (# s, c, a #)
{-# INLINE done #-}

-- | Runs are joined up to this bound, as those of writes are. By primitive operations:
-- comparisons of 'Int' are not inlined before the last phases, and until then each
-- field's code would be there for both answers.
joins :: Int -> Int -> Bool
joins (I# m) (I# n) = isTrue# ((m +# n) <=# 512#)
{-# INLINE joins #-}

instance Functor Fields where
  fmap f (Fields fields) =
    Fields
      ( \ahead use ->
          fields
            ahead
            ( \front read' ->
                use
                  front
                  ( \ctx e c s -> case read' ctx e c s of
                      (# s1, c1, a #) ->
                        (# s1, c1, f a #)
                  )
            )
      )
  {-# INLINE fmap #-}

instance Applicative Fields where
  pure a = Fields (\ahead use -> use ahead (\_ _ c s -> (# s, c, a #)))
  {-# INLINE pure #-}
  Fields first <*> Fields second = Fields $ \ahead use ->
    second ahead $ \middle readSecond ->
      first middle $ \front readFirst ->
        use front $ \ctx e c s -> case readFirst ctx e c s of
          (# s1, c1, f #) -> case readSecond ctx e c1 s1 of
            (# s2, c2, a #) -> (# s2, c2, f a #)
  {-# INLINE (<*>) #-}

-- | The values of a record, for a type that is not within itself. A record of
-- bounded values is a bounded value.
record :: Fields a -> NativeReader a
record (Fields fields) =
  fields nothing $ \(Ahead n x kind) read' -> NativeReader kind n x (evaluated read')
{-# INLINE record #-}

-- | The same for a type that may be within itself, of which nothing may be
-- asked before a value is read. It costs a level only where there is a choice
-- ('recursiveOneOf') or a list: every way back to a type leads through one.
recursive :: Fields a -> NativeReader a
recursive (Fields fields) =
  fields nothing $ \ahead read' ->
    deep (\ctx e c s -> case ahead of Ahead n x _ -> within n x e c s (evaluated read' ctx e c))
{-# INLINE recursive #-}

-- | Two values, one after the other: for a writer, what a record is made of.
both :: Writer a -> Writer b -> Writer (a, b)
both first second = case (first, second) of
  (BoundedWriter m p, BoundedWriter n q) ->
    BoundedWriter (m + n) $ \(a, b) op s -> case p a op s of (# s1, op1 #) -> q b op1 s1
  _ -> FillWriter (\(a, b) -> toFill (write first a <> write second b))
{-# INLINE both #-}

evaluated :: Step a -> Step a
evaluated read' ctx e c s = case read' ctx e c s of
  (# s1, c1, a #) -> case a of !b -> (# s1, c1, b #)
{-# INLINE evaluated #-}

-- * Sums

-- | The constructors of a type, in their order: how many, what is known of
-- them, and by a constructor's number how far it reaches and how it is read,
-- with a look at the end or without one.
data Alternatives a = Alternatives Int Sizes (Int# -> Extent) (Bool -> Int# -> Step a)

-- | The least and the greatest bound, and the worst kind.
data Sizes = Sizes Int Int Sizing

-- | One constructor, from its fields. One without any is 'pure'.
alternative :: Fields a -> Alternatives a
alternative (Fields fields) = fields nothing $ \ahead read' ->
  Alternatives
    1
    (case ahead of Ahead n _ kind -> Sizes n n kind)
    (\_ e c -> case ahead of Ahead _ x _ -> x e c)
    ( \look _ ctx e c s -> case ahead of
        Ahead n x _ ->
          within (if look then n else 0) x e c s (evaluated read' ctx e c)
    )
{-# INLINE alternative #-}

-- | Those of the first, then those of the second.
orElse :: Alternatives a -> Alternatives a -> Alternatives a
orElse (Alternatives m@(I# m#) sizes x read') (Alternatives m' sizes' x' read'') =
  Alternatives
    (m + m')
    (larger sizes sizes')
    ( \i e c -> case i <# m# of
        1# -> x i e c
        _ -> x' (i -# m#) e c
    )
    ( \look i ctx e c s -> case i <# m# of
        1# -> read' look i ctx e c s
        _ -> read'' look (i -# m#) ctx e c s
    )
{-# INLINE orElse #-}

larger :: Sizes -> Sizes -> Sizes
larger (Sizes l@(I# l#) k@(I# k#) kind) (Sizes l'@(I# l'#) k'@(I# k'#) kind') =
  Sizes
    (if isTrue# (l# <=# l'#) then l else l')
    (if isTrue# (k# >=# k'#) then k else k')
    (worse kind kind')
{-# INLINE larger #-}

-- | A value of a type of several constructors that is not within itself.
oneOf :: Alternatives a -> NativeReader a
oneOf (Alternatives count (Sizes (I# least) most@(I# most#) worst) x read') =
  NativeReader
    kind
    (if isBounded kind then w + most else w)
    reach
    (level kind (tagged count (not (isBounded kind)) read'))
  where
    !w@(I# w#) = tagWidth count
    !(I# n#) = count
    kind = case worst of
      Fixed -> if isTrue# (least ==# most#) then Fixed else Bounded
      _ -> worst
    {-# INLINE kind #-}
    -- NOINLINE: only the end of an input is walked over.
    reach e c = case isBounded kind
      && isTrue# (leAddr# (plusAddr# c w#) e)
      && isTrue# (tagHere count c <# n#) of
      True -> x (tagHere count c) e (plusAddr# c w#)
      False -> plusAddr# c w#
    {-# NOINLINE reach #-}
{-# INLINE oneOf #-}

-- | The same for a type that may be within itself. Each value is a level.
recursiveOneOf :: Alternatives a -> NativeReader a
recursiveOneOf (Alternatives count _ _ read') =
  NativeReader Deep w (\_ c -> plusAddr# c w#) (level Deep (tagged count True read'))
  where
    !w@(I# w#) = tagWidth count
{-# INLINE recursiveOneOf #-}

tagged :: Int -> Bool -> (Bool -> Int# -> Step a) -> Step a
tagged count look read' ctx e c s = case tagAt count c s of
  (# s1, c1, i #) ->
    read' look i ctx e c1 s1
{-# INLINE tagged #-}

-- | The constructors of a type for a writer: how many, the most bytes that the
-- fields of one take, if that is known, and what writes a number and the
-- fields: with enough room where it is known, else asking for it.
data Options a = Options Int (Maybe Int) (Int -> Int# -> a -> Poke) (Int -> Int# -> a -> Fill)

-- | One constructor, by what writes its fields.
option :: Writer a -> Options a
option writer = case writer of
  BoundedWriter n poke ->
    Options 1 (Just n) (withTag poke) (\w i a -> toFill (bounded (w + n) (withTag poke w i a)))
  FillWriter fill ->
    Options
      1
      Nothing
      (\_ _ _ op s -> (# s, op #))
      ( \w i a ->
          toFill (bounded w (pokeTag w i) <> general (fill a))
      )
{-# INLINE option #-}

withTag :: (a -> Poke) -> Int -> Int# -> a -> Poke
withTag poke w i a op s = case pokeTag w i op s of (# s1, op1 #) -> poke a op1 s1
{-# INLINE withTag #-}

-- | What writes the fields of a constructor without any.
noFields :: Writer ()
noFields = BoundedWriter 0 (\() op s -> (# s, op #))
{-# INLINE noFields #-}

-- | Those of the first, then those of the second.
orOption :: (a -> Either b c) -> Options b -> Options c -> Options a
orOption which (Options m@(I# m#) n poke fill) (Options m' n' poke' fill') =
  Options
    (m + m')
    (case (n, n') of (Just k, Just k') -> Just (max k k'); _ -> Nothing)
    (\w i a -> case which a of Left b -> poke w i b; Right c -> poke' w (i +# m#) c)
    (\w i a -> case which a of Left b -> fill w i b; Right c -> fill' w (i +# m#) c)
{-# INLINE orOption #-}

-- | A value of a type of several constructors.
oneOfW :: Options a -> Writer a
oneOfW (Options count bound poke fill) = case bound of
  Just n ->
    -- NOINLINE: a branch inside a poke would double what follows it.
    let choose a op s = poke w 0# a op s
        {-# NOINLINE choose #-}
     in BoundedWriter (w + n) (\a -> choose a)
  Nothing -> FillWriter (\a -> fill w 0# a)
  where
    w = tagWidth count
{-# INLINE oneOfW #-}

pokeTag :: Int -> Int# -> Poke
pokeTag w@(I# w#) i op s = case stored of s1 -> (# s1, plusAddr# op w# #)
  where
    stored = case w of
      1 -> store8 op (int2Word# i) s
      _ -> store16 op (int2Word# i) s
    {-# INLINE stored #-}
{-# INLINE pokeTag #-}

-- | One byte for up to 256 constructors, else two.
tagWidth :: Int -> Int
tagWidth (I# n) = if isTrue# (n <=# 256#) then 1 else 2
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
