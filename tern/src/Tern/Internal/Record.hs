{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
-- Program coverage puts a counter around every variable, and with it a thunk in place
-- of the pointer that 'isUnset' compares: a field that is missing would be taken for
-- one that is there, and what is no value read as one.
{-# OPTIONS_GHC -fno-hpc #-}

-- | What reading a record needs in any format whose fields have names.
--
-- The idea: a record decodes into slots, one a field. Derived code guesses
-- that the next key is the next declared field and reads in a straight line
-- ('Run'). Where the guess fails a format's own code goes on at that field: it
-- takes fields in any order and reads them through the type's 'Table', which
-- is built once. No part of the input is read twice.
--
-- Policy: of a repeated field the last value counts; unknown fields are
-- stepped over (and checked), unless the table is closed; a missing field is an
-- error unless its type has a value for absence, as 'Maybe' has.
module Tern.Internal.Record
  ( -- * Slots
    Slots,
    Slot (..),
    slot,
    newSlots,
    putSlot,
    getSlot,
    getSlotOf,
    FromSlots (..),
    fromSlots,
    tied,
    valueOf,
    sameType,

    -- * Tables
    Field (..),
    Entry,
    field,
    fieldOf,
    entry,
    Table (..),
    table,
    tableFrom,
    closedTable,
    isClosed,
    numberOf,
    unknownField,

    -- * Straight lines
    Run,
    thenSlot,
    thenConstant,
    endFields,

    -- * Other orders
    Seen,
    seenBefore,
    readField,
    fillAbsent,
  )
where

import Data.Foldable (toList)
import Data.Primitive.PrimArray (PrimArray, indexPrimArray, primArrayFromList)
import Data.Primitive.SmallArray (SmallArray, indexSmallArray, sizeofSmallArray, smallArrayFromList)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.Exts hiding (toList)
import Tern.Error (Reason (..))
import Tern.Internal.Read (Context, Reader (..), cursor, failAt, inputEnd, setCursor)
import Tern.Prim.Names (Names)
import Tern.Prim.Names qualified as Names
import Unsafe.Coerce (unsafeCoerce)

-- * Slots

-- | Where field values wait until all are there. Slot @i@ holds a value of the
-- type of field @i@, or 'unset'. Only code that knows the types, derived from
-- one declaration, may fill and empty it.
type Slots = SmallMutableArray# RealWorld Slot

-- | A value of the type that whoever takes it out says. To take one out costs the compiler
-- a type argument: a coercion in its place, in each field of each format, is gone
-- through in every pass (decision 039).
newtype Slot = Slot (forall a. a)

-- | A value without its type, which whoever takes it out has to know. It is not evaluated.
slot :: a -> Slot
slot x = Slot (unsafeCoerce x)
{-# INLINE slot #-}

-- | What is in a slot that nothing was put into. OPAQUE: it is told from a
-- value by its address, so there must be one of it, and nobody may see that it
-- equals another.
unset :: Unset
unset = Unset 0
{-# OPAQUE unset #-}

-- | With a field: GHC would put a constructor without one in place of any
-- variable that is known to be it.
data Unset = Unset !Int

-- | Both sides are evaluated first: only then are equal things equal pointers, for what
-- a slot holds is a thunk of its own where nothing is optimised.
isUnset :: Slot -> Bool
isUnset (Slot x) = isTrue# (reallyUnsafePtrEquality# held none)
  where
    !held = x :: Unset
    !none = unset

-- | @n@ slots that nothing was put into.
newSlots :: Int# -> State# RealWorld -> (# State# RealWorld, Slots #)
newSlots n = newSmallArray# n unfilled
{-# INLINE newSlots #-}

-- | A slot that nothing was put into. OPAQUE: its coercion would be a constant of each
-- module that reads records, which GHC 9.10 inlines again in its last pass, after which it
-- goes through the module once more (decision 039).
unfilled :: Slot
unfilled = slot unset
{-# OPAQUE unfilled #-}

-- | INLINE [1]: until then it is a name in each field, which the compiler looks at in every
-- pass. Phase 1 goes through the module more than once anyway; phase 0 has one round less to go
-- where it finds nothing new (decision 039).
putSlot :: Slots -> Int# -> a -> State# RealWorld -> State# RealWorld
putSlot slots i x = writeSmallArray# slots i (slot x)
{-# INLINE [1] putSlot #-}

-- | What a slot holds, evaluated as its reader left it.
getSlot :: Slots -> Int# -> State# RealWorld -> (# State# RealWorld, a #)
getSlot slots i s = case readSmallArray# slots i s of
  (# s1, Slot x #) -> (# s1, x #)
{-# INLINE getSlot #-}

-- | As 'getSlot', of the type that a reader reads.
getSlotOf :: Reader a -> Slots -> Int# -> State# RealWorld -> (# State# RealWorld, a #)
getSlotOf _ = getSlot
{-# INLINE getSlotOf #-}

-- | How a value is built from its slots. A type without unboxed tuples in it, for a
-- module of the user's that has no extension for them.
newtype FromSlots a = FromSlots (Slots -> State# RealWorld -> (# State# RealWorld, a #))

-- | The value of slots, each of which has been filled with a value of its field's type.
fromSlots :: FromSlots a -> Slots -> State# RealWorld -> (# State# RealWorld, a #)
fromSlots (FromSlots f) = f
{-# INLINE fromSlots #-}

-- | The second. The first only has a type: code that Template Haskell makes ties types
-- together with it, none of which it writes.
tied :: t -> a -> a
tied _ a = a
{-# INLINE tied #-}

-- | A value of the type that a reader reads.
valueOf :: Reader a -> a -> a
valueOf _ a = a
{-# INLINE valueOf #-}

-- | Nothing is done with a value of the type that is built.
sameType :: FromSlots a -> a -> ()
sameType _ _ = ()
{-# INLINE sameType #-}

-- * Tables

-- | A field by its name, and other names that documents may have for it.
data Field = Field String [String] Entry

-- | How a field's value is read, and the value that stands for its absence where
-- there is one.
data Entry = Entry (Context -> State# RealWorld -> (# State# RealWorld, Slot #)) (Maybe Slot)

-- | A field of any type: what it reads goes to a slot of that type alone.
field :: String -> Reader a -> Maybe a -> Field
field name = fieldOf name []
{-# INLINE field #-}

-- | The same with other names.
fieldOf :: String -> [String] -> Reader a -> Maybe a -> Field
fieldOf name others reader absent = Field name others (entry reader absent)
{-# INLINE fieldOf #-}

-- | Its reader finds the cursor in the context and leaves it there: GHC calls an
-- unknown function of pointers at once, but one of addresses by a partial
-- application for each of them.
entry :: Reader a -> Maybe a -> Entry
entry (Reader step) absent = Entry stepped (fmap slot absent)
  where
    stepped ctx s = case cursor ctx s of
      (# s1, c #) -> case inputEnd ctx s1 of
        (# s2, e #) -> case step ctx e c s2 of
          (# s3, c1, x #) -> case setCursor ctx c1 s3 of s4 -> (# s4, slot x #)
{-# INLINE entry #-}

-- | The fields of a record, to be looked up by name; which fields the names after theirs
-- belong to; and what becomes of others.
data Table = Table !Names !(SmallArray Field) !(PrimArray Int) !Others

-- | What becomes of fields that the type does not have.
data Others
  = -- | They are stepped over.
    SteppedOver
  | -- | They are errors, but for these, which somebody else has read.
    Closed ![Text]

-- | Built once for each record type. OPAQUE: applied to a constant list it is
-- itself a constant, which is floated to the top and kept; split into a worker
-- it would be rebuilt at every use. Proof: the allocation ceiling "fields in
-- any order".
table :: [Field] -> Table
table = tableOf SteppedOver
{-# OPAQUE table #-}

-- | The same of names, each with a space after it, and of how each of the fields is read.
tableFrom :: String -> [Entry] -> Table
tableFrom names = table . zipWith (\name -> Field name []) (words names)
{-# OPAQUE tableFrom #-}

-- | A table of a record that has no other fields than its own and those of the given
-- names, which count for nothing: the tag beside a record.
closedTable :: [String] -> [Field] -> Table
closedTable beside = tableOf (Closed (map T.pack beside))
{-# OPAQUE closedTable #-}

tableOf :: Others -> [Field] -> Table
tableOf others fields =
  Table
    ( Names.fromList
        (map (T.encodeUtf8 . T.pack) (names <> map fst older))
    )
    (smallArrayFromList fields)
    (primArrayFromList (map snd older))
    others
  where
    names = [name | Field name _ _ <- fields]
    older = [(name, i) | (i, Field _ earlier _) <- zip [0 ..] fields, name <- earlier]

-- | 1 where a field that the type does not have may be an error, or 0.
isClosed :: Table -> Int#
isClosed (Table _ _ _ others) = case others of
  SteppedOver -> 0#
  Closed _ -> 1#
{-# INLINE isClosed #-}

-- | The number of the field that has name number @k@ of the table: its own, or another.
numberOf :: Table -> Int# -> Int#
numberOf (Table _ fields older _) k = case sizeofSmallArray fields of
  I# n -> case k <# n of
    1# -> k
    _ -> case indexPrimArray older (I# (k -# n)) of I# i -> i
{-# INLINE numberOf #-}

-- | A field that is not in the table, whose name begins at an address: nothing, or an
-- error.
unknownField :: Table -> Addr# -> Text -> State# RealWorld -> State# RealWorld
unknownField (Table _ fields _ others) at name s = case others of
  Closed beside
    | name
        `notElem` beside -> case failAt
        at
        ( UnknownField
            name
            ( [T.pack known | Field known _ _ <- toList fields]
                <> beside
            )
        )
        s of
        (# s1, _, () #) -> s1
  Closed _ -> s
  SteppedOver -> s
{-# NOINLINE unknownField #-}

-- * Straight lines

-- | The hot path: the fields from number @i@ on, as long as they come in their
-- order and as they are usually written; the number of the first that did not,
-- and where it should have been.
type Run =
  Slots ->
  Int# ->
  Context ->
  Addr# ->
  Addr# ->
  State# RealWorld ->
  (# State# RealWorld, Addr#, Int# #)

-- | Read a value for slot @i@, then the other fields.
thenSlot :: Reader a -> Run -> Run
thenSlot (Reader step) rest slots i ctx e c s = case step ctx e c s of
  (# s1, c1, x #) -> case putSlot slots i x s1 of
    s2 -> rest slots (i +# 1#) ctx e c1 s2
{-# INLINE thenSlot #-}

-- | A field whose key is a constant of @n@ bytes, as it is usually written, then the
-- others. The function compares them at an address, which has as many: 1 or 0.
thenConstant ::
  Int# -> (Addr# -> State# RealWorld -> (# State# RealWorld, Int# #)) -> Reader a -> Run -> Run
thenConstant n matches reader rest slots i ctx e c s = case minusAddr# e c <# n of
  1# -> (# s, c, i #)
  _ -> case matches c s of
    (# s1, 0# #) -> (# s1, c, i #)
    (# s1, _ #) -> thenSlot reader rest slots i ctx e (plusAddr# c n) s1
{-# INLINE thenConstant #-}

-- | No further field: all came in their order. The cursor, and how many there were.
endFields :: Run
endFields _ i _ _ c s = (# s, c, i #)
{-# INLINE endFields #-}

-- * Other orders

-- | Which of the first 64 fields have been read, a bit for each: so that most
-- records need not be looked through for what is missing.
type Seen = Word#

-- | The fields before number @i@.
seenBefore :: Int# -> Seen
seenBefore i = case i >=# 64# of
  1# -> not# 0##
  _ -> uncheckedShiftL# 1## i `minusWord#` 1##
{-# INLINE seenBefore #-}

-- | Read the value of field @k@, at the address that 'setCursor' left, into its
-- slot: the address after it.
readField ::
  Table ->
  Slots ->
  Seen ->
  Int# ->
  Context ->
  State# RealWorld ->
  (# State# RealWorld, Addr#, Seen #)
readField (Table _ fields _ _) slots seen k ctx s = case indexSmallArray fields (I# k) of
  Field _ _ (Entry step _) -> case step ctx s of
    (# s1, x #) -> case cursor ctx s1 of
      (# s2, c #) -> case putSlot slots k x s2 of
        s3 -> (# s3, c, seen `or#` uncheckedShiftL# 1## (k `andI#` 63#) #)
{-# INLINE readField #-}

-- | What is still unset is absent, or missing from the record that begins at
-- an address.
fillAbsent :: Table -> Slots -> Seen -> Addr# -> State# RealWorld -> State# RealWorld
fillAbsent fields slots seen start s
  | isTrue# (n <=# 64#), isTrue# (eqWord# seen (seenBefore n)) = s
  | otherwise = fillUnset fields slots start s
  where
    !n = sizeofSmallMutableArray# slots
{-# INLINE fillAbsent #-}

fillUnset :: Table -> Slots -> Addr# -> State# RealWorld -> State# RealWorld
fillUnset (Table _ fields _ _) slots start = fill 0#
  where
    fill k t
      | isTrue# (k >=# sizeofSmallMutableArray# slots) = t
      | otherwise = case readSmallArray# slots k t of
          (# t1, x #)
            | isUnset x -> case indexSmallArray fields (I# k) of
                Field _ _ (Entry _ (Just absent)) -> case putSlot slots k absent t1 of
                  t2 ->
                    fill (k +# 1#) t2
                Field name _ (Entry _ Nothing) ->
                  case failAt start (MissingField (T.pack name)) t1 of
                    (# t2, _, () #) -> t2
            | otherwise -> fill (k +# 1#) t1
{-# NOINLINE fillUnset #-}
