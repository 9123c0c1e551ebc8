{-# LANGUAGE MagicHash #-}
{-# LANGUAGE NegativeLiterals #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Records as JSON objects ("Tern.Internal.Record" says how a record is read).
--
-- The hot path compares the next key, its quotes and colon with what it should
-- be, as words; 'readRest' takes over where something else stands there.
module Tern.Internal.Json.Object
  ( -- * Reading
    thenField,
    thenSkipped,
    record,
    recordAt,
    readRest,

    -- * Writing
    optionalMember,
    closeMembers,
  )
where

import Data.Text.Array qualified as TA
import Data.Text.Internal (Text (..))
import GHC.Exts
import Tern.Error (Expected (..))
import Tern.Internal.Json.Read qualified as Json
import Tern.Internal.Read (Context, Reader (..), cursor, enter, leave, setCursor)
import Tern.Internal.Record
  ( Run,
    Seen,
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
import Tern.Internal.Write (Write, Writer, bounded, byte, general, literal, toFill, write)
import Tern.Prim.Byte (byteAt)
import Tern.Prim.Literal qualified as Literal
import Tern.Prim.Names qualified as Names

-- * Reading

-- | A field by what stands before its value (@,"name":@), then the others.
--
-- INLINE: a record is one straight line. Proof: the allocation
-- ceiling "a record of 25 integers".
thenField :: String -> Reader a -> Run -> Run
thenField key reader rest slots i ctx e c s = case minusAddr# e c <# n of
  1# -> (# s, c, i #)
  _ -> case Literal.matchesHere key c s of
    (# s1, 0# #) -> (# s1, c, i #)
    (# s1, _ #) -> thenSlot reader rest slots i ctx e (plusAddr# c n) s1
  where
    !(I# n) = Literal.size key
{-# INLINE thenField #-}

-- | What stands before a value that is stepped over, then the other fields.
thenSkipped :: String -> Run -> Run
thenSkipped key rest slots i ctx e c s = case minusAddr# e c <# n of
  1# -> (# s, c, i #)
  _ -> case Literal.matchesHere key c s of
    (# s1, 0# #) -> (# s1, c, i #)
    (# s1, _ #) -> case Json.skip ctx e (plusAddr# c n) s1 of
      (# s2, c1, () #) -> rest slots i ctx e c1 s2
  where
    !(I# n) = Literal.size key
{-# INLINE thenSkipped #-}

-- | A record of @n@ fields that is an object by itself: its hot path, whose
-- first key has the opening brace before it, and how it is built from slots.
record ::
  Table -> Int -> Run -> (Slots -> State# RealWorld -> (# State# RealWorld, a #)) -> Reader a
record fields n run assemble = Reader $ \ctx e c s ->
  let !start = inline Json.skipSpace e c
   in case inline enter ctx start s of
        s1 -> case recordAt fields n run assemble start 1# of
          Reader step -> case step ctx e start s1 of
            (# s2, c2, x #) -> case inline leave ctx s2 of s3 -> (# s3, c2, x #)
{-# INLINE record #-}

-- | A record in an object that begins at @start@: with 1, its fields come at
-- the cursor; with 0, they are to be looked for from the start.
recordAt ::
  Table ->
  Int ->
  Run ->
  (Slots -> State# RealWorld -> (# State# RealWorld, a #)) ->
  Addr# ->
  Int# ->
  Reader a
recordAt fields (I# n) run assemble start here = Reader $ \ctx e c s -> case newSlots n s of
  (# s1, slots #) -> case hot slots ctx e c s1 of
    (# s2, c2, i #) -> case ending slots ctx e c2 i s2 of
      (# s3, c3 #) -> case assemble slots s3 of (# s4, x #) -> (# s4, c3, x #)
  where
    hot ::
      Slots -> Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
    hot slots ctx e c s = case here of
      1# -> run slots 0# ctx e c s
      _ -> (# s, start, 0# #)
    {-# INLINE hot #-}
    ending ::
      Slots ->
      Context ->
      Addr# ->
      Addr# ->
      Int# ->
      State# RealWorld ->
      (# State# RealWorld, Addr# #)
    ending slots ctx e c i s
      | isTrue# (i ==# n),
        isTrue# (ltAddr# c e),
        isTrue# (eqWord# (byteAt c) 125##) =
          (# s, plusAddr# c 1# #)
      | otherwise = readRest fields slots start i ctx e c s
    {-# INLINE ending #-}
{-# INLINE recordAt #-}

-- | The rest of a record, from where derived code could not go on: @i@ fields
-- have been read in their declared order into the slots, and the cursor stands
-- after the value of the last one. @start@ is where the record begins, and
-- where reading begins with 0. Returns the address after the closing brace, all slots
-- filled.
--
-- The guess stays the same as in derived code: that the next key is the field
-- after the last one.
readRest ::
  Table ->
  Slots ->
  Addr# ->
  Int# ->
  Context ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr# #)
readRest fields@(Table names _ _ _) slots start i0 ctx e c0 s0 = case i0 of
  -- A tag that has been read is among the unknown fields then.
  0# -> case Json.objectOpen e start s0 of
    (# s1, c1, () #) -> next 0## 0# 1# c1 s1
  _ -> next (seenBefore i0) i0 0# c0 s0
  where
    -- After the opening brace, or after a value.
    next seen i first c s = case Names.nextMember names i (first `orI#` closed) ctx e c s of
      (# s1, k #) -> case k of
        -1# -> case cursor ctx s1 of
          (# s2, c1 #) -> case fillAbsent fields slots seen start s2 of s3 -> (# s3, c1 #)
        -2# -> case cursor ctx s1 of (# s2, c1 #) -> careful seen i c1 s2
        -3# -> case cursor ctx s1 of
          (# s2, c1 #) -> case Json.failExpected CommaOrBrace e c1 s2 of
            (# s3, c2, () #) ->
              (# s3, c2 #)
        _ -> value seen (numberOf fields k) s1
    -- That what is not in the table is looked at with care.
    !closed = uncheckedIShiftL# (isClosed fields) 1#
    -- A member whose name has escapes, or one with something wrong.
    careful seen i c s = case Json.key ctx e c s of
      (#
        s1,
        c1,
        name@(Text (TA.ByteArray array) (I# off) (I# n))
        #) -> case Names.findIn names array off n s1 of
          (# s2, -1# #) -> case unknownField fields c name s2 of
            s3 -> case Json.skip ctx e c1 s3 of
              (# s4, c2, () #) -> next seen i 0# c2 s4
          (# s2, k #) -> case setCursor ctx c1 s2 of s3 -> value seen (numberOf fields k) s3
    value :: Seen -> Int# -> State# RealWorld -> (# State# RealWorld, Addr# #)
    value seen k s = case readField fields slots seen k ctx s of
      (# s1, c1, seen1 #) -> next seen1 (k +# 1#) 0# c1 s1
{-# OPAQUE readRest #-}

-- * Writing

-- | A member and a comma, or nothing. The key has its quotes and colon.
optionalMember :: String -> Writer a -> Maybe a -> Write
optionalMember key writer value = general $ \mba op s -> case value of
  Nothing -> (# s, mba, op #)
  Just a -> toFill (literal key <> write writer a <> byte 44) mba op s
{-# INLINE optionalMember #-}

-- | The brace that closes an object each of whose members ends with a comma: it
-- takes the last comma's place. An opening brace or a comma was written before
-- it, by the same write.
closeMembers :: Write
closeMembers = bounded 1 $ \op s -> case readWord8OffAddr# op -1# s of
  (# s1, w #) -> case word8ToWord# w of
    44## -> case writeWord8OffAddr# op -1# (wordToWord8# 125##) s1 of s2 -> (# s2, op #)
    _ -> case writeWord8OffAddr# op 0# (wordToWord8# 125##) s1 of s2 -> (# s2, plusAddr# op 1# #)
{-# INLINE closeMembers #-}
