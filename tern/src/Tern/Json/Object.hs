{-# LANGUAGE MagicHash #-}
{-# LANGUAGE NegativeLiterals #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Objects whose fields are known beforehand: records.
--
-- The idea: a record decodes into slots, one a field. The hot path is not
-- here: derived code guesses that the next key is the next declared field,
-- compares it as words and reads its value in a straight line. Where the guess
-- fails, 'readRest' takes over at that field: it accepts fields in any order,
-- steps over unknown ones, and reads through the type's 'Table', which is
-- built once. No part of the input is read twice.
--
-- Policy: of a repeated field the last value counts; unknown fields are
-- stepped over (and checked); a missing field is an error unless its type has
-- a value for absence, as 'Maybe' has.
module Tern.Json.Object
  ( -- * Slots
    Slots,
    newSlots,
    putSlot,
    getSlot,
    getSlotOf,

    -- * Tables
    Field (..),
    field,
    Table,
    table,

    -- * Reading records
    Run,
    thenField,
    endFields,
    record,
    recordAt,
    readRest,

    -- * Writing members
    optionalMember,
    closeMembers,
  )
where

import Data.Primitive.SmallArray (SmallArray, indexSmallArray, smallArrayFromList)
import Data.Text qualified as T
import Data.Text.Array qualified as TA
import Data.Text.Encoding qualified as T
import Data.Text.Internal (Text (..))
import GHC.Exts
import Tern.Error
import Tern.Json.Read qualified as Json
import Tern.Prim.Literal qualified as Literal
import Tern.Prim.Names (Names)
import Tern.Prim.Names qualified as Names
import Tern.Read
import Tern.Write
import Unsafe.Coerce (unsafeCoerce)

-- * Slots

-- | Where field values wait until all are there. Slot @i@ holds a value of the
-- type of field @i@, or 'unset'. Only code that knows the types, derived from
-- one declaration, may fill and empty it.
type Slots = SmallMutableArray# RealWorld Any

-- | What is in a slot that nothing was put into. OPAQUE: it is told from a
-- value by its address, so there must be one of it, and nobody may see that it
-- equals another.
unset :: Unset
unset = Unset 0
{-# OPAQUE unset #-}

-- | With a field: GHC would put a constructor without one in place of any
-- variable that is known to be it.
data Unset = Unset !Int

-- | Both sides are evaluated first: only then are equal things equal pointers.
-- That is so of the coerced one too, which is a thunk of its own where nothing
-- is optimised.
isUnset :: Any -> Bool
isUnset !x = isTrue# (reallyUnsafePtrEquality# x none)
  where
    !none = unsafeCoerce unset

newSlots :: Int# -> State# RealWorld -> (# State# RealWorld, Slots #)
newSlots n = newSmallArray# n (unsafeCoerce unset)
{-# INLINE newSlots #-}

putSlot :: Slots -> Int# -> a -> State# RealWorld -> State# RealWorld
putSlot slots i x = writeSmallArray# slots i (unsafeCoerce x)
{-# INLINE putSlot #-}

-- | What a slot holds, evaluated as its reader left it.
getSlot :: Slots -> Int# -> State# RealWorld -> (# State# RealWorld, a #)
getSlot slots i s = case readSmallArray# slots i s of
  (# s1, x #) -> (# s1, unsafeCoerce x #)
{-# INLINE getSlot #-}

-- | As 'getSlot', of the type that a reader reads.
getSlotOf :: Reader a -> Slots -> Int# -> State# RealWorld -> (# State# RealWorld, a #)
getSlotOf _ = getSlot
{-# INLINE getSlotOf #-}

-- * Tables

-- | A field's name, how its value is read, and the value that stands for its
-- absence where there is one.
data Field = Field String (Context -> State# RealWorld -> (# State# RealWorld, Any #)) (Maybe Any)

-- | A field of any type: what it reads goes to a slot of that type alone.
--
-- Its reader finds the cursor in the context and leaves it there: GHC calls an
-- unknown function of pointers at once, but one of addresses by a partial
-- application for each of them.
field :: String -> Reader a -> Maybe a -> Field
field name (Reader step) absent = Field name stepped (unsafeCoerce absent)
  where
    stepped ctx s = case cursor ctx s of
      (# s1, c #) -> case inputEnd ctx s1 of
        (# s2, e #) -> case step ctx e c s2 of
          (# s3, c1, x #) -> case setCursor ctx c1 s3 of s4 -> (# s4, unsafeCoerce x #)
{-# INLINE field #-}

-- | The fields of a record, to be looked up by name.
data Table = Table !Names !(SmallArray Field)

-- | Built once for each record type. OPAQUE: applied to a constant list it is
-- itself a constant, which is floated to the top and kept; split into a worker
-- it would be rebuilt at every use. Proof: the allocation ceiling "fields in
-- any order".
table :: [Field] -> Table
table fields =
  Table (Names.fromList [T.encodeUtf8 (T.pack name) | Field name _ _ <- fields]) (smallArrayFromList fields)
{-# OPAQUE table #-}

-- * Reading records

-- | The hot path: the fields from number @i@ on, as long as they come in their
-- order and compactly written; the number of the first that did not, and where
-- it should have been.
type Run = Slots -> Int# -> Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)

-- | A field by what stands before its value (@,"name":@), then the others.
--
-- INLINE: a record is one straight line. Proof: inspect "records are read
-- without closures".
thenField :: String -> Reader a -> Run -> Run
thenField key (Reader step) rest slots i ctx e c s = case Literal.matches key e c s of
  (# s1, 0# #) -> (# s1, c, i #)
  (# s1, _ #) -> case Literal.size key of
    I# n -> case step ctx e (plusAddr# c n) s1 of
      (# s2, c2, x #) -> case putSlot slots i x s2 of
        s3 -> rest slots (i +# 1#) ctx e c2 s3
{-# INLINE thenField #-}

endFields :: Run
endFields _ i _ _ c s = (# s, c, i #)
{-# INLINE endFields #-}

-- | A record of @n@ fields that is an object by itself: its hot path, whose
-- first key has the opening brace before it, and how it is built from slots.
record :: Table -> Int -> Run -> (Slots -> State# RealWorld -> (# State# RealWorld, a #)) -> Reader a
record fields n run assemble = Reader $ \ctx e c s ->
  let !start = inline Json.skipSpace e c
   in case enter ctx start s of
        s1 -> case recordAt fields n run assemble start 1# of
          Reader step -> case step ctx e start s1 of
            (# s2, c2, x #) -> case inline leave ctx s2 of s3 -> (# s3, c2, x #)
{-# INLINE record #-}

-- | A record in an object that begins at @start@: with 1, its fields come at
-- the cursor; with 0, they are to be looked for from the start.
recordAt :: Table -> Int -> Run -> (Slots -> State# RealWorld -> (# State# RealWorld, a #)) -> Addr# -> Int# -> Reader a
recordAt fields (I# n) run assemble start here = Reader $ \ctx e c s -> case newSlots n s of
  (# s1, slots #) -> case hot slots ctx e c s1 of
    (# s2, c2, i #) -> case ending slots ctx e c2 i s2 of
      (# s3, c3 #) -> case assemble slots s3 of (# s4, x #) -> (# s4, c3, x #)
  where
    hot :: Slots -> Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
    hot slots ctx e c s = case here of
      1# -> run slots 0# ctx e c s
      _ -> (# s, start, 0# #)
    {-# INLINE hot #-}
    ending :: Slots -> Context -> Addr# -> Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Addr# #)
    ending slots ctx e c i s
      | isTrue# (i ==# n), isTrue# (ltAddr# c e), isTrue# (eqWord# (byteAt c) 125##) = (# s, plusAddr# c 1# #)
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
readRest :: Table -> Slots -> Addr# -> Int# -> Context -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr# #)
readRest (Table names fields) slots start i0 ctx e c0 s0 = case i0 of
  -- A tag that has been read is among the unknown fields then.
  0# -> case Json.objectOpen e start s0 of
    (# s1, c1, () #) -> next 0# 1# c1 s1
  _ -> next i0 0# c0 s0
  where
    -- After the opening brace, or after a value.
    next i first c s = case Names.nextMember names i first ctx e c s of
      (# s1, c1 #) -> case answer ctx s1 of
        (# s2, k #) -> case word2Int# k of
          -1# -> complete c1 s2
          -2# -> careful i c1 s2
          -3# -> case Json.failExpected CommaOrBrace e c1 s2 of (# s3, c2, () #) -> (# s3, c2 #)
          found -> value found c1 s2
    -- A member whose name has escapes, or one with something wrong.
    careful i c s = case Json.key ctx e c s of
      (# s1, c1, Text (TA.ByteArray array) (I# off) (I# n) #) -> case Names.findIn names array off n s1 of
        (# s2, -1# #) -> case Json.skip ctx e c1 s2 of
          (# s3, c2, () #) -> next i 0# c2 s3
        (# s2, k #) -> value k c1 s2
    -- The value of field @k@.
    value k c s = case indexSmallArray fields (I# k) of
      Field _ step _ -> case setCursor ctx c s of
        s1 -> case step ctx s1 of
          (# s2, x #) -> case cursor ctx s2 of
            (# s3, c1 #) -> case putSlot slots k x s3 of
              s4 -> next (k +# 1#) 0# c1 s4
    -- What is still unset is absent.
    complete c s = fill 0# s
      where
        fill k t
          | isTrue# (k >=# sizeofSmallMutableArray# slots) = (# t, c #)
          | otherwise = case readSmallArray# slots k t of
              (# t1, x #)
                | isUnset x -> case indexSmallArray fields (I# k) of
                    Field _ _ (Just absent) -> case putSlot slots k absent t1 of t2 -> fill (k +# 1#) t2
                    Field name _ Nothing -> case failAt start (MissingField (T.pack name)) t1 of
                      (# t2, c1, () #) -> (# t2, c1 #)
                | otherwise -> fill (k +# 1#) t1
{-# NOINLINE readRest #-}

byteAt :: Addr# -> Word#
byteAt a = word8ToWord# (indexWord8OffAddr# a 0#)
{-# INLINE byteAt #-}

-- * Writing members

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
