{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Records as maps of a binary format ("Tern.Internal.Record" says how a record is read).
--
-- The idea: the header says how many pairs there are. Where that is the number
-- of fields, the hot path compares each key, its header included, with what it
-- should be, as words; 'readRest' takes over where something else stands
-- there, and where there are more pairs or fewer.
module Tern.Internal.Binary.Record
  ( -- * Keys
    Keys (..),
    numbers,

    -- * Reading
    Records (..),
    restOf,
    thenField,
    record,
    recordOf,

    -- * Writing
    present,
    optionalPair,
  )
where

import Data.Primitive.PrimArray (PrimArray, indexPrimArray, primArrayFromList, sizeofPrimArray)
import Data.Text qualified as T
import Data.Text.Array qualified as TA
import Data.Text.Internal (Text (..))
import GHC.Exts
import Tern.Error (Expected (..), Reason (..))
import Tern.Internal.Binary.Syntax (Syntax (..), within)
import Tern.Internal.Read (Context, Reader (..), Step, failAt, setCursor)
import Tern.Internal.Record
  ( Run,
    Slots,
    Table (..),
    fillAbsent,
    isClosed,
    newSlots,
    numberOf,
    readField,
    seenBefore,
    thenSlot,
    unknownField,
  )
import Tern.Internal.Write (Write, Writer, general, toFill, write)
import Tern.Prim.Byte (byteAt)
import Tern.Prim.Names (Names)
import Tern.Prim.Names qualified as Names

-- * Keys

-- | What a record's keys are.
data Keys
  = -- | The fields' names, as texts.
    Named
  | -- | Integers, one a field.
    Numbered !(PrimArray Int)

-- | OPAQUE: a constant that is kept, as in "Tern.Internal.Record".
numbers :: [Int] -> Keys
numbers ns = Numbered (primArrayFromList ns)
{-# OPAQUE numbers #-}

-- * Reading

-- | What is compiled once for each format, and called.
class (Syntax f) => Records f where
  -- | The rest of a record, from where derived code could not go on: @i@ fields
  -- have been read in their declared order into the slots, and @k@ pairs are
  -- still to come. Before the context come where the map begins, @i@ and @k@. Returns
  -- the address after the last of them, all slots filled. An instance is 'restOf',
  -- not inlined.
  readRest ::
    Keys ->
    Table ->
    Slots ->
    Addr# ->
    Int# ->
    Int# ->
    Context ->
    Addr# ->
    Addr# ->
    State# RealWorld ->
    (# State# RealWorld, Addr# #)

  -- | The number of the name that the text at the cursor is, or -1; and the address
  -- after it.
  findName ::
    Names -> Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
  findName names ctx e c s = case isOpenText @f e c of
    1# -> case readText @f ctx e c s of
      (# s1, c1, Text (TA.ByteArray array) (I# off) (I# n) #) ->
        case Names.findIn names array off n s1 of
          (# s2, i #) -> (# s2, c1, i #)
    _ -> case textHeader @f e c s of
      (# s1, body, n #) -> case Names.find names body n s1 of
        (# s2, i #) -> (# s2, plusAddr# body n, i #)
  {-# INLINE findName #-}

-- | 'readRest' for a format.
--
-- INLINE: each format has it once.
restOf ::
  forall f.
  (Records f) =>
  Keys ->
  Table ->
  Slots ->
  Addr# ->
  Int# ->
  Int# ->
  Context ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr# #)
restOf keys fields@(Table names _ _ _) slots start i0 = next (seenBefore i0) i0
  where
    -- The guess stays that the next key is the field after the last one.
    next seen i k ctx e c s = case k of
      0# -> case fillAbsent fields slots seen start s of s1 -> (# s1, c #)
      _ -> case found i ctx e c s of
        (# s1, c1, -1# #) -> case unknown ctx e c s1 of
          s2 -> case skip @f ctx e c1 s2 of
            (# s3, c2, () #) -> next seen i (k -# 1#) ctx e c2 s3
        (# s1, c1, found' #) ->
          let !n = numberOf fields found'
           in case setCursor ctx c1 s1 of
                s2 -> case readField fields slots seen n ctx s2 of
                  (# s3, c2, seen1 #) -> next seen1 (n +# 1#) (k -# 1#) ctx e c2 s3
    -- The field whose key is at the cursor, or -1, and the address of its value.
    found ::
      Int# -> Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
    found i ctx e c s = case keys of
      Named | isTrue# (isText @f e c) -> findName @f names ctx e c s
      Numbered ns | isTrue# (isInteger @f e c) -> case keyInteger @f e c s of
        -- One that is no 'Int' is no field's.
        (# s1, c1, w, 1# #) -> (# s1, c1, numbered ns (I# w) i #)
        (# s1, c1, _, _ #) -> (# s1, c1, -1# #)
      _ -> case skip @f ctx e c s of (# s1, c1, () #) -> (# s1, c1, -1# #)
    -- What becomes of a key that is no field's.
    unknown :: Context -> Addr# -> Addr# -> State# RealWorld -> State# RealWorld
    unknown ctx e c s = case isClosed fields of
      0# -> s
      _
        | isTrue# (isText @f e c) -> case readText @f ctx e c s of
            (# s1, _, name #) ->
              unknownField fields c name s1
        | isTrue# (isInteger @f e c) -> case keyInteger @f e c s of
            (# s1, _, w, 1# #) -> unknownField fields c (T.pack (show (I# w))) s1
            (# s1, _, _, _ #) -> noName c s1
        | otherwise -> noName c s
    noName c s = case failAt c (Unexpected AString) s of (# s1, _, () #) -> s1
    numbered :: PrimArray Int -> Int -> Int# -> Int#
    numbered ns w i
      | I# i < sizeofPrimArray ns, indexPrimArray ns (I# i) == w = i
      | otherwise = search 0
      where
        search j@(I# j#)
          | j >= sizeofPrimArray ns = -1#
          | indexPrimArray ns j == w = j#
          | otherwise = search (j + 1)
{-# INLINE restOf #-}

-- | A field by its name, then the others.
--
-- INLINE: a record is one straight line. Proof: the allocation
-- ceiling "a record of 25 integers".
thenField :: forall f a. (Syntax f) => String -> Reader a -> Run -> Run
thenField name reader rest slots i ctx e c s = case minusAddr# e c <# n of
  1# -> (# s, c, i #)
  _ -> case matchesConstant @f name c s of
    (# s1, 0# #) -> (# s1, c, i #)
    (# s1, _ #) -> thenSlot reader rest slots i ctx e (plusAddr# c n) s1
  where
    !(I# n) = constantSize @f name
{-# INLINE thenField #-}

-- | A record of @n@ fields that is a map by itself: its hot path and how it is
-- built from slots.
record ::
  forall f a.
  (Records f) =>
  Keys ->
  Table ->
  Int ->
  Run ->
  (Slots -> State# RealWorld -> (# State# RealWorld, a #)) ->
  Reader a
record keys fields n run assemble = Reader $ \ctx e c s -> case headerOf @f n ctx e c s of
  (# s1, c1, k #) -> within @f (recordOf @f keys fields n run assemble c k) ctx e c c1 s1
{-# INLINE record #-}

-- | The header of a map, of @n@ pairs most likely. Such a one of one byte
-- claims nothing: what is allocated is the type's, not the document's.
headerOf ::
  forall f.
  (Syntax f) =>
  Int ->
  Context ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr#, Int# #)
headerOf (I# n) ctx e c s = case mapByte @f n of
  (# one, b #) -> case one `andI#` ltAddr# c e of
    1# -> case eqWord# (byteAt c) b of
      1# -> (# s, plusAddr# c 1#, n #)
      _ -> mapHeader @f ctx e c s
    _ -> mapHeader @f ctx e c s
{-# INLINE headerOf #-}

-- | A record in the @k@ pairs at the cursor, of a map that begins at @start@.
recordOf ::
  forall f a.
  (Records f) =>
  Keys ->
  Table ->
  Int ->
  Run ->
  (Slots -> State# RealWorld -> (# State# RealWorld, a #)) ->
  Addr# ->
  Int# ->
  Step a
recordOf keys fields (I# n) run assemble start k ctx e c s = case newSlots n s of
  (# s1, slots #) -> case k ==# n of
    1# -> case run slots 0# ctx e c s1 of
      (# s2, c2, i #) -> case i ==# n of
        1# -> built slots c2 s2
        _ -> others slots i c2 s2
    _ -> others slots 0# c s1
  where
    built :: Slots -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, a #)
    built slots c1 t = case assemble slots t of (# t1, x #) -> (# t1, c1, x #)
    {-# NOINLINE built #-}
    others :: Slots -> Int# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, a #)
    others slots i c1 t = case readRest @f keys fields slots start i (k -# i) ctx e c1 t of
      (# t1, c2 #) -> built slots c2 t1
{-# INLINE recordOf #-}

-- * Writing

-- | 1 for a value that is there.
present :: Maybe a -> Int
present = \case
  Nothing -> 0
  Just _ -> 1
{-# INLINE present #-}

-- | A pair whose key is written by the first, or nothing.
optionalPair :: Write -> Writer a -> Maybe a -> Write
optionalPair key writer value = general $ \mba op s -> case value of
  Nothing -> (# s, mba, op #)
  Just a -> toFill (key <> write writer a) mba op s
{-# INLINE optionalPair #-}
