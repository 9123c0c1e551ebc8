{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Between the values of a type and documents of any shape, without the document's bytes.
--
-- The idea: what is surely a value becomes one at once, and what becomes of anything else is
-- decided where it is for bytes. A piece of which nothing better is known is written and read
-- in a room that is used again ('overBytes'), as 2024-02-29 is; and where a document is not what
-- a type writes itself, the whole of it goes the way over bytes, which knows what is meant, and
-- what is wrong. So that way decides what is a value, and this one is only shorter. Law: test
-- "values and documents, directly".
--
-- Nothing here is inlined where a type is derived: the code of a type only passes names on.
--
-- Start at 'Direct', then 'overBytes'.
module Tern.Internal.Wire.Direct
  ( Direct (..),
    To,
    From,
    Scratch (..),

    -- * Running
    document,
    value,

    -- * Pieces
    overBytes,
    overKnown,
    same,
    integral,
    integerD,
    doubleD,
    textD,
    boolD,
    mapped,
    checked,
    delayed,

    -- * What holds other values
    elementsOf,
    nonEmptyD,
    keyedBy,
    orNull,
    undecided,
  )
where

import Data.ByteString qualified as B
import Data.Foldable (toList)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Text (Text)
import Data.Vector qualified as V
import GHC.Base (unIO)
import GHC.Exts hiding (toList)
import Tern.Error (Reason (Refused))
import Tern.Internal.Json.Container (Key (..))
import Tern.Internal.Json.Members (memberAt, size)
import Tern.Internal.Json.Numeral (nearDouble, numberFromInt, numberFromInteger, wholeNumber)
import Tern.Internal.Json.Value (Object (..), Value (..), valueR, valueW)
import Tern.Internal.Read (Context, Reader (..), failAt, restart, runReader)
import Tern.Internal.Wire.Direct.Pile (Pile, newPile)
import Tern.Internal.Wire.Direct.Pile qualified as Pile
import Tern.Internal.Write (Writer (..))
import Tern.Limits (unlimited)
import Tern.Prim.Buffer (Fill, Room, ensure, fillAgain, newRoom)

-- | How a value becomes a document of any shape, and what value such a document is.
data Direct a = Direct {toDirect :: To a, fromDirect :: From a}

-- | A function of pointers alone, which GHC calls at once where it is not known.
type To a = Scratch -> a -> State# RealWorld -> (# State# RealWorld, Value #)

-- | The value is evaluated. 'undecided' where the document is not what the type writes.
type From a = Scratch -> Value -> State# RealWorld -> (# State# RealWorld, a #)

-- | What a run has for pieces that go over bytes, where they are read, and where they are; and for
-- values that wait.
data Scratch = Scratch Context Room Pile

-- * Running

-- | The document of a value, unless bytes have to say what it is.
document :: Direct a -> a -> Maybe Value
document direct a = running (\scratch -> toDirect direct scratch a)
{-# OPAQUE document #-}

-- | The value of a document, likewise.
value :: Direct a -> Value -> Maybe a
value direct v = running (\scratch -> fromDirect direct scratch v)
{-# OPAQUE value #-}

-- | A run is a reader's, of no input: what leaves it is what leaves any.
running :: (Scratch -> State# RealWorld -> (# State# RealWorld, a #)) -> Maybe a
running act = either (\() -> Nothing) Just (runReader unlimited (\_ _ -> ()) reader B.empty)
  where
    reader = Reader $ \ctx _ c s -> case unIO (newRoom 64) s of
      (# s1, room #) -> case newPile s1 of
        (# s2, pile #) -> case act (Scratch ctx room pile) s2 of (# s3, a #) -> (# s3, c, a #)
{-# INLINE running #-}

-- | The way over bytes decides.
undecided :: State# RealWorld -> (# State# RealWorld, a #)
undecided s = case failAt nullAddr# (Refused mempty) s of (# s1, _, a #) -> (# s1, a #)
{-# NOINLINE undecided #-}

-- * Pieces

-- | A piece as its writer writes it and its reader reads it.
--
-- The room is used again for each: no reader of JSON keeps a part of its input.
overBytes :: Writer a -> Reader a -> Direct a
overBytes = overKnown
{-# OPAQUE overBytes #-}

-- | The same, compiled for a writer and a reader.
overKnown :: Writer a -> Reader a -> Direct a
overKnown writer reader =
  Direct
    (\scratch a s -> through writer valueR scratch a s)
    (\scratch v s -> through valueW reader scratch v s)
{-# INLINE overKnown #-}

-- | With 16 spaces after it, for which a fill leaves room: readers of numbers are quicker where the
-- input does not end, and a value ends before them.
through :: Writer a -> Reader b -> Scratch -> a -> State# RealWorld -> (# State# RealWorld, b #)
through writer (Reader step) (Scratch ctx room _) a s =
  case fillAgain room (filling writer a) s of
    (# s1, array, c, end #) ->
      let !e = plusAddr# end 16#
       in case step ctx e c (restart ctx e (spaces end 0# (spaces end 1# s1))) of
            (# s2, c1, b #) -> case touch# array s2 of
              s3 -> case eqAddr# c1 end of
                1# -> (# s3, b #)
                _ -> undecided s3
  where
    spaces at i = writeWord64OffAddr# at i (wordToWord64# 0x2020202020202020##)
{-# INLINE through #-}

filling :: Writer a -> a -> Fill
filling writer a = case writer of
  FillWriter fill -> fill a
  BoundedWriter (I# n) poke -> \mba op s -> case ensure n mba op s of
    (# s1, mba1, op1 #) -> case poke a op1 s1 of (# s2, op2 #) -> (# s2, mba1, op2 #)
{-# INLINE filling #-}

-- | A document is its own.
same :: Direct Value
same = Direct (\_ !v s -> (# s, v #)) (\_ v s -> (# s, v #))

-- | An integer of a machine; what is none there is for its writer and reader.
integral :: (Integral a) => Writer a -> Reader a -> Direct a
integral writer reader = Direct to from
  where
    !(Direct anyTo anyFrom) = overBytes writer reader
    to scratch a s = case fromIntegral a of
      i | holds i a -> (# s, Number (numberFromInt i) #)
      _ -> anyTo scratch a s
    from scratch v s = case v of
      Number n | Just i <- wholeNumber n, a <- fromIntegral i, holds i a -> (# s, a #)
      _ -> anyFrom scratch v s
    -- Also where one of them has no sign.
    holds i a = fromIntegral a == (i :: Int) && fromIntegral i == a && (i < 0) == (a < 0)
{-# INLINEABLE integral #-}

-- | An integer of any size.
integerD :: Writer Integer -> Reader Integer -> Direct Integer
integerD writer reader =
  Direct (\_ i s -> case numberFromInteger i of n -> (# s, Number n #)) from
  where
    !(Direct _ anyFrom) = overBytes writer reader
    from scratch v s = case v of
      Number n | Just i <- wholeNumber n, !a <- toInteger i -> (# s, a #)
      _ -> anyFrom scratch v s
{-# OPAQUE integerD #-}

-- | A double.
doubleD :: Writer Double -> Reader Double -> Direct Double
doubleD writer reader = Direct to from
  where
    !(Direct to anyFrom) = overKnown writer reader
    from scratch v s = case v of
      Number n | Just x <- nearDouble n -> (# s, x #)
      _ -> anyFrom scratch v s
{-# INLINE doubleD #-}

-- | A string is the text itself, and no copy. Other documents are 'undecided'.
textD :: Direct Text
textD = Direct (\_ t s -> (# s, String t #)) $ \_ v s -> case v of
  String !t -> (# s, t #)
  _ -> undecided s

-- | A truth value. Other documents are 'undecided'.
boolD :: Direct Bool
boolD = Direct (\_ b s -> (# s, Bool b #)) $ \_ v s -> case v of
  Bool !b -> (# s, b #)
  _ -> undecided s

-- | By another type.
mapped :: (a -> b) -> (b -> a) -> Direct a -> Direct b
mapped to from a = Direct (\scratch b -> toDirect a scratch (from b)) $ \scratch v s ->
  case fromDirect a scratch v s of (# s1, x #) -> case to x of !b -> (# s1, b #)
{-# OPAQUE mapped #-}

-- | The same where not every value is one of the other type's.
checked :: (a -> Either e b) -> (b -> a) -> Direct a -> Direct b
checked check from a = Direct (\scratch b -> toDirect a scratch (from b)) $ \scratch v s ->
  case fromDirect a scratch v s of
    (# s1, x #) -> case check x of
      Right !b -> (# s1, b #)
      Left _ -> undecided s1
{-# OPAQUE checked #-}

-- | The same, of which nothing is asked before there is a value.
delayed :: Direct a -> Direct a
delayed a = Direct (\scratch x -> toDirect a scratch x) (\scratch v -> fromDirect a scratch v)
{-# OPAQUE delayed #-}

-- * What holds other values

-- | An array, of what is a list of its elements, in their order, and is made of that.
elementsOf :: (b -> [a]) -> ([a] -> b) -> Direct a -> Direct b
elementsOf list made a = Direct to from
  where
    to scratch@(Scratch _ _ pile) b s = case Pile.top pile s of
      (# s1, from' #) ->
        let go xs t = case xs of
              [] -> t
              x : rest -> case toDirect a scratch x t of
                (# t1, v #) -> go rest (Pile.push pile v t1)
         in case Pile.takeElements pile from' (go (list b) s1) of (# s2, vs #) -> (# s2, Array vs #)
    from scratch v s = case v of
      Array vs -> collect (V.length vs - 1) [] s
        where
          collect i xs t
            | i < 0 = case made xs of !b -> (# t, b #)
            | !w <- V.unsafeIndex vs i = case fromDirect a scratch w t of
                (# t1, x #) -> collect (i - 1) (x : xs) t1
      _ -> undecided s
{-# OPAQUE elementsOf #-}

-- | An array of one element at least.
nonEmptyD :: Direct a -> Direct (NonEmpty a)
nonEmptyD a = checked nonEmpty toList (elementsOf id id a)
  where
    nonEmpty = \case
      [] -> Left ()
      x : xs -> Right (x :| xs)

-- | A map, of what are its pairs, in their order, and what is made of them, the last one first.
keyedBy ::
  (m -> [(k, v)]) -> ([(k, v)] -> m) -> Key k -> (Direct k, Direct v) -> Direct m
keyedBy pairs made key (k, v) = case key of
  TextKey name parse -> Direct (objectTo name) (objectFrom parse)
  LimitedKey name parse -> Direct (objectTo name) (objectFrom (parse unlimited))
  NoKey -> elementsOf pairs (made . reverse) (both k v)
  where
    objectTo name scratch@(Scratch _ _ pile) m s = case Pile.top pile s of
      (# s1, from #) ->
        let go left t = case left of
              [] -> t
              (x, y) : rest -> case toDirect v scratch y (Pile.push pile (String (name x)) t) of
                (# t1, y' #) -> go rest (Pile.push pile y' t1)
         in Pile.takeMembers pile from (go (pairs m) s1)
    objectFrom parse scratch document' s = case document' of
      Object (MakeObject members) -> go 0 [] s
        where
          !n = size members
          go i done t
            | i >= n = case made done of !m -> (# t, m #)
            | (# label, y #) <- memberAt members i = case parse label of
                Right x -> case fromDirect v scratch y t of
                  (# t1, y' #) -> go (i + 1) ((x, y') : done) t1
                Left _ -> undecided t
      _ -> undecided s
{-# OPAQUE keyedBy #-}

-- | An array of two.
both :: Direct a -> Direct b -> Direct (a, b)
both a b = Direct to from
  where
    to scratch (x, y) s = case toDirect a scratch x s of
      (# s1, v #) -> case toDirect b scratch y s1 of
        (# s2, w #) -> case V.fromListN 2 [v, w] of !vs -> (# s2, Array vs #)
    from scratch document' s = case document' of
      Array vs
        | V.length vs == 2,
          !v <- V.unsafeIndex vs 0 -> case fromDirect a scratch v s of
            (# s1, x #) -> case fromDirect b scratch (V.unsafeIndex vs 1) s1 of
              (# s2, y #) -> (# s2, (x, y) #)
      _ -> undecided s

-- | The value or null.
orNull :: Direct a -> Direct (Maybe a)
orNull a = Direct to from
  where
    to scratch x s = case x of
      Nothing -> (# s, Null #)
      Just y -> toDirect a scratch y s
    from scratch v s = case v of
      Null -> (# s, Nothing #)
      _ -> case fromDirect a scratch v s of (# s1, x #) -> (# s1, Just x #)
{-# OPAQUE orNull #-}
