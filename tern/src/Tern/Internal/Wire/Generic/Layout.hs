{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UndecidableInstances #-}

-- | What the formats' generic code has in common: how a declaration is laid out,
-- how its constructors are numbered, and how a record is built from slots.
module Tern.Internal.Wire.Generic.Layout
  ( -- * Layouts
    Layout (..),
    LayoutOf,
    Body (..),
    BodyOf,

    -- * Constructors
    GSum (..),
    GEnum (..),

    -- * Fields
    FieldCount,
    fieldCount,
    FieldNames,
    tableOf,
    NoField,
    GSlots (..),
    built,
  )
where

import GHC.Exts (Constraint, Int (..), Int#, RealWorld, State#, Symbol, proxy#, (+#), (-#), (<#))
import GHC.Generics
import GHC.TypeLits (AppendSymbol, ErrorMessage (..), KnownSymbol, symbolVal')
import GHC.TypeNats (KnownNat, Nat, natVal', type (+))
import Tern.Internal.Record (Entry, Slots, Table, getSlot, tableFrom)
import Tern.Internal.Refused (Refused)

-- * Layouts

-- | How a type is laid out, which its constructors decide.
data Layout
  = -- | One constructor.
    Single
  | -- | Several, none of which has fields: names.
    Enumeration
  | -- | Several: objects with a tag.
    TaggedObject

-- | By the representation of the constructors, which is within that of the declaration.
type family LayoutOf f :: Layout where
  LayoutOf (C1 m f) = 'Single
  LayoutOf f = Several (AllNullary f)

type family Several (allNullary :: Bool) :: Layout where
  Several 'True = 'Enumeration
  Several 'False = 'TaggedObject

type family AllNullary f :: Bool where
  AllNullary (f :+: g) = Both (AllNullary f) (AllNullary g)
  AllNullary (C1 m U1) = 'True
  AllNullary f = 'False

type family Both (a :: Bool) (b :: Bool) :: Bool where
  Both 'True b = b
  Both 'False b = 'False

-- | What a constructor's fields are written as.
data Body
  = -- | No fields.
    Nullary
  | -- | One field without a name: its value.
    Unary
  | -- | Several without names: an array.
    Array
  | -- | Fields with names: members of an object.
    Record

-- | By what a constructor says of itself, and the representation of its fields. One field with a
-- name is a 'Record' too.
type family BodyOf (m :: Meta) f :: Body where
  BodyOf m U1 = 'Nullary
  BodyOf ('MetaCons n x 'True) f = 'Record
  BodyOf m (S1 s f) = 'Unary
  BodyOf m f = 'Array

-- * Constructors

-- | Sums of constructors, numbered from the left.
class GSum f where
  gSumNames :: [String] -> [String]
  gSumCount :: Int

instance (GSum f, GSum g) => GSum (f :+: g) where
  gSumNames rest = gSumNames @f (gSumNames @g rest)
  {-# INLINE gSumNames #-}
  gSumCount = gSumCount @f + gSumCount @g
  {-# INLINE gSumCount #-}

instance (KnownSymbol n) => GSum (C1 ('MetaCons n x r) f) where
  gSumNames rest = symbolVal' (proxy# @n) : rest
  {-# INLINE gSumNames #-}
  gSumCount = 1
  {-# INLINE gSumCount #-}

-- | Constructors without fields, by number.
class GEnum f where
  gEnum :: (f p -> a) -> Int# -> a

instance (GSum f, GEnum f, GEnum g) => GEnum (f :+: g) where
  gEnum k i = case gSumCount @f of
    I# n -> case i <# n of
      1# -> gEnum (\x -> k (L1 x)) i
      _ -> gEnum (\x -> k (R1 x)) (i -# n)
  {-# INLINE gEnum #-}

instance GEnum (C1 m U1) where
  gEnum k _ = k (M1 U1)
  {-# INLINE gEnum #-}

-- * Fields

-- | How many fields there are.
type family FieldCount f :: Nat where
  FieldCount (f :*: g) = FieldCount f + FieldCount g
  FieldCount (S1 m f) = 1

-- | The same as a number of the program's.
fieldCount :: forall f. (KnownNat (FieldCount f)) => Int
fieldCount = fromIntegral (natVal' (proxy# @(FieldCount f)))
{-# INLINE fieldCount #-}

-- | The names of the fields, each with a space after it: one constant for all of them.
type family FieldNames f :: Symbol where
  FieldNames (f :*: g) = AppendSymbol (FieldNames f) (FieldNames g)
  FieldNames (S1 ('MetaSel ('Just n) u v w) a) = AppendSymbol n " "

-- | How a record's fields are found by name, from how each is read.
tableOf :: forall f. (KnownSymbol (FieldNames f)) => [Entry] -> Table
tableOf = tableFrom (symbolVal' (proxy# @(FieldNames f)))
{-# INLINE tableOf #-}

-- | No field of a constructor is called as the tag beside it.
type family NoField (tag :: Symbol) (constructor :: Symbol) f :: Constraint where
  NoField tag n (f :*: g) = (NoField tag n f, NoField tag n g)
  NoField tag n (S1 ('MetaSel ('Just tag) u v w) a) =
    Refused
      ( 'Text
          "The constructor "
          ':<>: 'Text n
          ':<>: 'Text " has a field that is called as the tag beside it, "
          ':<>: 'ShowType tag
          ':<>: 'Text ": rename it, or the tag (Tern.Deriving)"
      )
  NoField tag n f = ()

-- | The fields from the slots, from number @i@ on, and the number after theirs.
class GSlots f where
  gSlots :: Slots -> Int# -> State# RealWorld -> (# State# RealWorld, Int#, f p #)

instance (GSlots f, GSlots g) => GSlots (f :*: g) where
  gSlots slots i s = case gSlots @f slots i s of
    (# s1, j, x #) -> case gSlots @g slots j s1 of
      (# s2, k, y #) -> (# s2, k, x :*: y #)
  {-# INLINE gSlots #-}

instance GSlots (S1 m (Rec0 a)) where
  gSlots slots i s = case getSlot slots i s of (# s1, x #) -> (# s1, i +# 1#, M1 (K1 x) #)
  {-# INLINE gSlots #-}

-- | A value from its representation, whose fields are in the slots.
built :: (GSlots f) => (f p -> a) -> Slots -> State# RealWorld -> (# State# RealWorld, a #)
built k slots s = case gSlots slots 0# s of (# s1, _, x #) -> case k x of !a -> (# s1, a #)
{-# INLINE built #-}
