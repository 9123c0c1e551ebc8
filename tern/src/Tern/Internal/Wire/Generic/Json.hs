{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UndecidableInstances #-}
-- The class begins in "Tern.Internal.Wire.Class", whose defaults need it.
{-# OPTIONS_GHC -Wno-orphans #-}

-- | JSON by generics: what @deriving anyclass Wire@ runs.
--
-- The idea: everything is inlined where the instance is derived, once, and what
-- is left is the same as if it had been written out by hand: names as
-- constants, no representation, no dictionary.
module Tern.Internal.Wire.Generic.Json (GBody (..)) where

import GHC.Exts (Int (..), Int#, Symbol, proxy#, (-#), (<#))
import GHC.Generics
import GHC.TypeLits (AppendSymbol, KnownSymbol, symbolVal')
import GHC.TypeNats (KnownNat)
import Tern.Internal.Json.Container qualified as Json
import Tern.Internal.Json.Name (KeyAfter, Quoted)
import Tern.Internal.Json.Object (record, recordAt, thenField)
import Tern.Internal.Json.Sum qualified as Sum
import Tern.Internal.Read (Reader, Step)
import Tern.Internal.Record (Entry, Run, endFields, entry)
import Tern.Internal.Wire.Class (GJsonR (..), GJsonW (..), Wire, absent, jsonR, jsonW)
import Tern.Internal.Wire.Generic.Layout
  ( Body (..),
    BodyOf,
    FieldCount,
    FieldNames,
    GEnum (..),
    GSlots,
    GSum (..),
    Layout (..),
    LayoutOf,
    NoField,
    built,
    fieldCount,
    tableOf,
  )
import Tern.Internal.Write (Write, byte, literal, toFill, write)
import Tern.Prim.Buffer (Fill)

instance (GType (LayoutOf f) f) => GJsonW (D1 m f) where
  gJsonW (M1 x) = gTypeW @(LayoutOf f) x
  {-# INLINE gJsonW #-}

instance (GType (LayoutOf f) f) => GJsonR (D1 m f) where
  gJsonR k = gTypeR @(LayoutOf f) (\x -> k (M1 x))
  {-# INLINE gJsonR #-}

class GType (layout :: Layout) f where
  gTypeW :: f p -> Fill
  gTypeR :: (f p -> a) -> Reader a

-- | The bodies that stand by themselves: all but members.
class GBody (body :: Body) f where
  gBodyW :: f p -> Write
  gBodyR :: (f p -> a) -> Reader a

instance GBody 'Nullary U1 where
  gBodyW _ = literal "[]"
  {-# INLINE gBodyW #-}
  gBodyR k = fmap (\() -> k U1) Json.unitR
  {-# INLINE gBodyR #-}

instance (Wire a) => GBody 'Unary (S1 m (Rec0 a)) where
  gBodyW (M1 (K1 x)) = write jsonW x
  {-# INLINE gBodyW #-}
  gBodyR k = fmap (\x -> k (M1 (K1 x))) jsonR
  {-# INLINE gBodyR #-}

instance (GArray f, GArray g, KnownNat (FieldCount (f :*: g))) => GBody 'Array (f :*: g) where
  gBodyW x = Json.open <> gArrayW x <> Json.close
  {-# INLINE gBodyW #-}
  gBodyR k = Json.bracket n (fmap k (gArrayR True n) <* Json.done n)
    where
      n = fieldCount @(f :*: g)
  {-# INLINE gBodyR #-}

instance
  (GRecord "{" f, GSlots f, KnownNat (FieldCount f), KnownSymbol (FieldNames f)) =>
  GBody 'Record f
  where
  gBodyW x = gRecordW @"{" x <> byte 125
  {-# INLINE gBodyW #-}
  gBodyR k =
    record
      (tableOf @f (gEntries @"{" @f []))
      (fieldCount @f)
      (gRecordR @"{" @f endFields)
      (built k)
  {-# INLINE gBodyR #-}

-- ** Types of one constructor

instance (GBody (BodyOf m f) f) => GType 'Single (C1 m f) where
  gTypeW (M1 x) = toFill (gBodyW @(BodyOf m f) x)
  {-# INLINE gTypeW #-}
  gTypeR k = gBodyR @(BodyOf m f) (\x -> k (M1 x))
  {-# INLINE gTypeR #-}

-- ** Several constructors

--
-- The code for a constructor is put in its place a phase after the outermost
-- choice between them (and GHC's own @from@, which waits for phase 1): the
-- choice is then still small where the compiler moves
-- it into the type's own constructors, and none of the representation is left.
-- Proof: inspect "no generic representation is left".

instance (GSum f, GSum g, GEnum f, GEnum g, GName f, GName g) => GType 'Enumeration (f :+: g) where
  gTypeW = \case
    L1 x -> gNameW x
    R1 x -> gNameW x
  {-# INLINE gTypeW #-}
  gTypeR k = Sum.enumeration (Sum.constructors (gSumNames @(f :+: g) [])) (gEnum k)
  {-# INLINE gTypeR #-}

-- | Constructors without fields.
class GName f where
  gNameW :: f p -> Fill

instance (GName f, GName g) => GName (f :+: g) where
  gNameW = \case
    L1 x -> gNameW x
    R1 x -> gNameW x
  {-# INLINE [0] gNameW #-}

instance (KnownSymbol (Quoted n)) => GName (C1 ('MetaCons n x r) U1) where
  gNameW _ = toFill (literal (symbolVal' (proxy# @(Quoted n))))
  {-# INLINE [0] gNameW #-}

instance (GSum f, GSum g, GAlternative f, GAlternative g) => GType 'TaggedObject (f :+: g) where
  gTypeW = \case
    L1 x -> gAlternativeW x
    R1 x -> gAlternativeW x
  {-# INLINE gTypeW #-}
  gTypeR k =
    Sum.taggedObject "tag" "contents" (Sum.constructors (gSumNames @(f :+: g) [])) (gAlternativeR k)
  {-# INLINE gTypeR #-}

-- | Constructors in objects with a tag.
class GAlternative f where
  gAlternativeW :: f p -> Fill
  gAlternativeR :: (f p -> a) -> Sum.Tagged -> Int# -> Step a

instance (GSum f, GAlternative f, GAlternative g) => GAlternative (f :+: g) where
  gAlternativeW = \case
    L1 x -> gAlternativeW x
    R1 x -> gAlternativeW x
  {-# INLINE [0] gAlternativeW #-}
  gAlternativeR k found i ctx e c s = case gSumCount @f of
    I# n -> case i <# n of
      1# -> gAlternativeR (\x -> k (L1 x)) found i ctx e c s
      _ -> gAlternativeR (\x -> k (R1 x)) found (i -# n) ctx e c s
  {-# INLINE gAlternativeR #-}

instance (GTagged (BodyOf ('MetaCons n x r) f) n f) => GAlternative (C1 ('MetaCons n x r) f) where
  gAlternativeW (M1 x) = toFill (gTaggedW @(BodyOf ('MetaCons n x r) f) @n x)
  {-# INLINE [0] gAlternativeW #-}
  gAlternativeR k found _ = gTaggedR @(BodyOf ('MetaCons n x r) f) @n (\x -> k (M1 x)) found
  {-# INLINE gAlternativeR #-}

-- | A constructor in an object with a tag; reading begins after the tag, or
-- where 'Sum.Tagged' says.
class GTagged (body :: Body) (n :: Symbol) f where
  gTaggedW :: f p -> Write
  gTaggedR :: (f p -> a) -> Sum.Tagged -> Step a

-- | @{"tag":"Name"@
type Tag n = AppendSymbol "{\"tag\":" (Quoted n)

-- | @{"tag":"Name","contents":@
type TagContents n = AppendSymbol (Tag n) ",\"contents\":"

instance (KnownSymbol (Tag n)) => GTagged 'Nullary n U1 where
  gTaggedW _ = literal (symbolVal' (proxy# @(Tag n))) <> byte 125
  {-# INLINE gTaggedW #-}
  gTaggedR k = Sum.caseNullary (k U1)
  {-# INLINE gTaggedR #-}

instance (KnownSymbol (TagContents n), GBody 'Unary f) => GTagged 'Unary n f where
  gTaggedW x = literal (symbolVal' (proxy# @(TagContents n))) <> gBodyW @'Unary x <> byte 125
  {-# INLINE gTaggedW #-}
  gTaggedR k = Sum.caseContents ",\"contents\":" "contents" (gBodyR @'Unary k)
  {-# INLINE gTaggedR #-}

instance (KnownSymbol (TagContents n), GBody 'Array f) => GTagged 'Array n f where
  gTaggedW x = literal (symbolVal' (proxy# @(TagContents n))) <> gBodyW @'Array x <> byte 125
  {-# INLINE gTaggedW #-}
  gTaggedR k = Sum.caseContents ",\"contents\":" "contents" (gBodyR @'Array k)
  {-# INLINE gTaggedR #-}

instance
  ( NoField
      "tag"
      n
      f,
    GRecord (AppendSymbol (Tag n) ",") f,
    GRecord "," f,
    GSlots f,
    KnownNat (FieldCount f),
    KnownSymbol (FieldNames f)
  ) =>
  GTagged 'Record n f
  where
  gTaggedW x = gRecordW @(AppendSymbol (Tag n) ",") x <> byte 125
  {-# INLINE gTaggedW #-}
  gTaggedR k =
    Sum.caseRecord
      ( recordAt
          (tableOf @f (gEntries @"," @f []))
          (fieldCount @f)
          (gRecordR @"," @f endFields)
          (built k)
      )
  {-# INLINE gTaggedR #-}

-- ** Fields without names

class GArray f where
  gArrayW :: f p -> Write

  -- | The elements of an array of @n@; is the first of them among these?
  gArrayR :: Bool -> Int -> Reader (f p)

instance (GArray f, GArray g) => GArray (f :*: g) where
  gArrayW (x :*: y) = gArrayW x <> Json.comma <> gArrayW y
  {-# INLINE gArrayW #-}
  gArrayR leading n = (:*:) <$> gArrayR leading n <*> gArrayR False n
  {-# INLINE gArrayR #-}

instance (Wire a) => GArray (S1 m (Rec0 a)) where
  gArrayW (M1 (K1 x)) = write jsonW x
  {-# INLINE gArrayW #-}
  gArrayR leading n = fmap (\x -> M1 (K1 x)) (if leading then jsonR else Json.next n jsonR)
  {-# INLINE gArrayR #-}

-- ** Fields with names

-- | The members of an object. @prefix@ is what stands before the first key:
-- the opening brace, a comma, or a tag.
class GRecord (prefix :: Symbol) f where
  gRecordW :: f p -> Write

  -- | The fields, and then others.
  gRecordR :: Run -> Run

  -- | How the table reads each of the fields, and then others.
  gEntries :: [Entry] -> [Entry]

instance (GRecord prefix f, GRecord "," g) => GRecord prefix (f :*: g) where
  gRecordW (x :*: y) = gRecordW @prefix x <> gRecordW @"," y
  {-# INLINE gRecordW #-}
  gRecordR rest = gRecordR @prefix @f (gRecordR @"," @g rest)
  {-# INLINE gRecordR #-}
  gEntries rest = gEntries @prefix @f (gEntries @"," @g rest)
  {-# INLINE gEntries #-}

instance
  (KnownSymbol (KeyAfter prefix n), Wire a) =>
  GRecord prefix (S1 ('MetaSel ('Just n) u v w) (Rec0 a))
  where
  gRecordW (M1 (K1 x)) = literal (symbolVal' (proxy# @(KeyAfter prefix n))) <> write jsonW x
  {-# INLINE gRecordW #-}
  gRecordR = thenField (symbolVal' (proxy# @(KeyAfter prefix n))) (jsonR @a)
  {-# INLINE gRecordR #-}
  gEntries rest = entryOf @a : rest
  {-# INLINE gEntries #-}

-- | How a record's table reads a field of the type.
--
-- INLINABLE: where the type is known it is specialised, once for all fields of that
-- type. Inlined it would be compiled for each field: a fifth of what a record of a
-- hundred costs the compiler (@bench --compile-time@). In phase 1, as @putSlot@ is: what is
-- exchanged in phase 0 costs each module another round of it (decision 039).
entryOf :: forall a. (Wire a) => Entry
entryOf = entry (jsonR @a) absent
{-# INLINEABLE [1] entryOf #-}
