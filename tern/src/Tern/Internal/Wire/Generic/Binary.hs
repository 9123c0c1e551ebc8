{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UndecidableInstances #-}
-- The class begins in "Tern.Internal.Wire.Class", whose defaults need it.
{-# OPTIONS_GHC -Wno-orphans #-}

-- | The binary formats by generics, MessagePack and CBOR: what @deriving anyclass
-- Wire@ runs.
--
-- The idea is that of "Tern.Internal.Wire.Generic.Json", and so are the layouts: a record
-- is a map whose keys are the fields' names. The format is the instances' first
-- parameter ("Tern.Internal.Binary.Syntax").
module Tern.Internal.Wire.Generic.Binary (GBody (..)) where

import GHC.Exts (Int (..), Int#, proxy#, (-#), (<#))
import GHC.Generics
import GHC.TypeLits (KnownSymbol, symbolVal')
import GHC.TypeNats (KnownNat)
import Tern.Internal.Binary.Container (exactly, unitR, unitW)
import Tern.Internal.Binary.Record (Keys (..), record, recordOf, thenField)
import Tern.Internal.Binary.Sum qualified as Sum
import Tern.Internal.Binary.Syntax (Syntax (..))
import Tern.Internal.Constructors (constructors)
import Tern.Internal.Read (Reader, Step)
import Tern.Internal.Record (Entry, Run, endFields, entry)
import Tern.Internal.Wire.Binary (BinaryFormat (..))
import Tern.Internal.Wire.Class (GBinaryR (..), GBinaryW (..), Wire (..), absent)
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
    built,
    fieldCount,
    tableOf,
  )
import Tern.Internal.Write (Write, toFill, write)
import Tern.Prim.Buffer (Fill)

instance (GType b (LayoutOf f) f) => GBinaryW b (D1 m f) where
  gBinaryW (M1 x) = gTypeW @b @(LayoutOf f) x
  {-# INLINE gBinaryW #-}

instance (GType b (LayoutOf f) f) => GBinaryR b (D1 m f) where
  gBinaryR k = gTypeR @b @(LayoutOf f) (\x -> k (M1 x))
  {-# INLINE gBinaryR #-}

class GType b (layout :: Layout) f where
  gTypeW :: f p -> Fill
  gTypeR :: (f p -> a) -> Reader a

-- | The bodies that stand by themselves.
class GBody b (body :: Body) f where
  gBodyW :: f p -> Write
  gBodyR :: (f p -> a) -> Reader a

instance (BinaryFormat b) => GBody b 'Nullary U1 where
  gBodyW _ = write (unitW @b) ()
  {-# INLINE gBodyW #-}
  gBodyR k = fmap (\() -> k U1) (unitR @b)
  {-# INLINE gBodyR #-}

instance (BinaryFormat b, Wire a) => GBody b 'Unary (S1 m (Rec0 a)) where
  gBodyW (M1 (K1 x)) = write (writerOf @b codec) x
  {-# INLINE gBodyW #-}
  gBodyR k = fmap (\x -> k (M1 (K1 x))) (readerOf @b codec)
  {-# INLINE gBodyR #-}

instance
  (BinaryFormat b, GArray b f, GArray b g, KnownNat (FieldCount (f :*: g))) =>
  GBody b 'Array (f :*: g)
  where
  gBodyW x = arrayOf @b (fieldCount @(f :*: g)) <> gArrayW @b x
  {-# INLINE gBodyW #-}
  gBodyR k = exactly @b (fieldCount @(f :*: g)) (fmap k (gArrayR @b))
  {-# INLINE gBodyR #-}

instance
  (BinaryFormat b, GRecord b f, GSlots f, KnownNat (FieldCount f), KnownSymbol (FieldNames f)) =>
  GBody b 'Record f
  where
  gBodyW x = mapOf @b (fieldCount @f) <> gRecordW @b x
  {-# INLINE gBodyW #-}
  gBodyR k =
    record
      @b
      Named
      (tableOf @f (gEntries @b @f []))
      (fieldCount @f)
      (gRecordR @b @f endFields)
      (built k)
  {-# INLINE gBodyR #-}

-- * Types of one constructor

instance (GBody b (BodyOf m f) f) => GType b 'Single (C1 m f) where
  gTypeW (M1 x) = toFill (gBodyW @b @(BodyOf m f) x)
  {-# INLINE gTypeW #-}
  gTypeR k = gBodyR @b @(BodyOf m f) (\x -> k (M1 x))
  {-# INLINE gTypeR #-}

-- * Several constructors

-- The phases are those of "Tern.Internal.Wire.Generic.Json".

instance
  (BinaryFormat b, GSum f, GSum g, GEnum f, GEnum g, GName b f, GName b g) =>
  GType b 'Enumeration (f :+: g)
  where
  gTypeW = \case
    L1 x -> gNameW @b x
    R1 x -> gNameW @b x
  {-# INLINE gTypeW #-}
  gTypeR k = Sum.enumeration @b (constructors (gSumNames @(f :+: g) [])) (gEnum k)
  {-# INLINE gTypeR #-}

-- | Constructors without fields.
class GName b f where
  gNameW :: f p -> Fill

instance (GName b f, GName b g) => GName b (f :+: g) where
  gNameW = \case
    L1 x -> gNameW @b x
    R1 x -> gNameW @b x
  {-# INLINE [0] gNameW #-}

instance (BinaryFormat b, KnownSymbol n) => GName b (C1 ('MetaCons n x r) U1) where
  gNameW _ = toFill (constant @b (symbolVal' (proxy# @n)))
  {-# INLINE [0] gNameW #-}

instance
  (BinaryFormat b, GSum f, GSum g, GAlternative b f, GAlternative b g) =>
  GType b 'TaggedObject (f :+: g)
  where
  gTypeW = \case
    L1 x -> gAlternativeW @b x
    R1 x -> gAlternativeW @b x
  {-# INLINE gTypeW #-}
  gTypeR k =
    Sum.taggedMap @b "tag" "contents" (constructors (gSumNames @(f :+: g) [])) (gAlternativeR @b k)
  {-# INLINE gTypeR #-}

-- | Constructors in maps with a tag.
class GAlternative b f where
  gAlternativeW :: f p -> Fill
  gAlternativeR :: (f p -> a) -> Sum.Tagged -> Int# -> Step a

instance (GSum f, GAlternative b f, GAlternative b g) => GAlternative b (f :+: g) where
  gAlternativeW = \case
    L1 x -> gAlternativeW @b x
    R1 x -> gAlternativeW @b x
  {-# INLINE [0] gAlternativeW #-}
  gAlternativeR k found i ctx e c s = case gSumCount @f of
    I# n -> case i <# n of
      1# -> gAlternativeR @b (\x -> k (L1 x)) found i ctx e c s
      _ -> gAlternativeR @b (\x -> k (R1 x)) found (i -# n) ctx e c s
  {-# INLINE gAlternativeR #-}

instance
  (BinaryFormat b, KnownSymbol n, GTagged b (BodyOf ('MetaCons n x r) f) f) =>
  GAlternative b (C1 ('MetaCons n x r) f)
  where
  gAlternativeW (M1 x) =
    toFill
      ( mapOf @b (1 + gTaggedPairs @b @(BodyOf ('MetaCons n x r) f) @f)
          <> constant @b "tag"
          <> constant @b (symbolVal' (proxy# @n))
          <> gTaggedW @b @(BodyOf ('MetaCons n x r) f) x
      )
  {-# INLINE [0] gAlternativeW #-}
  gAlternativeR k found _ = gTaggedR @b @(BodyOf ('MetaCons n x r) f) (\x -> k (M1 x)) found
  {-# INLINE gAlternativeR #-}

-- | What stands after the tag.
class GTagged b (body :: Body) f where
  gTaggedPairs :: Int
  gTaggedW :: f p -> Write
  gTaggedR :: (f p -> a) -> Sum.Tagged -> Step a

instance (BinaryFormat b) => GTagged b 'Nullary U1 where
  gTaggedPairs = 0
  {-# INLINE gTaggedPairs #-}
  gTaggedW _ = mempty
  {-# INLINE gTaggedW #-}
  gTaggedR k = Sum.caseNullary @b (k U1)
  {-# INLINE gTaggedR #-}

instance (BinaryFormat b, GBody b 'Unary f) => GTagged b 'Unary f where
  gTaggedPairs = 1
  {-# INLINE gTaggedPairs #-}
  gTaggedW x = constant @b "contents" <> gBodyW @b @'Unary x
  {-# INLINE gTaggedW #-}
  gTaggedR k = Sum.caseContents @b "contents" (gBodyR @b @'Unary k)
  {-# INLINE gTaggedR #-}

instance (BinaryFormat b, GBody b 'Array f) => GTagged b 'Array f where
  gTaggedPairs = 1
  {-# INLINE gTaggedPairs #-}
  gTaggedW x = constant @b "contents" <> gBodyW @b @'Array x
  {-# INLINE gTaggedW #-}
  gTaggedR k = Sum.caseContents @b "contents" (gBodyR @b @'Array k)
  {-# INLINE gTaggedR #-}

instance
  (BinaryFormat b, GRecord b f, GSlots f, KnownNat (FieldCount f), KnownSymbol (FieldNames f)) =>
  GTagged b 'Record f
  where
  gTaggedPairs = fieldCount @f
  {-# INLINE gTaggedPairs #-}
  gTaggedW = gRecordW @b
  {-# INLINE gTaggedW #-}
  gTaggedR k =
    Sum.caseRecord
      ( recordOf
          @b
          Named
          (tableOf @f (gEntries @b @f []))
          (fieldCount @f)
          (gRecordR @b @f endFields)
          (built k)
      )
  {-# INLINE gTaggedR #-}

-- * Fields without names

class GArray b f where
  gArrayW :: f p -> Write
  gArrayR :: Reader (f p)

instance (GArray b f, GArray b g) => GArray b (f :*: g) where
  gArrayW (x :*: y) = gArrayW @b x <> gArrayW @b y
  {-# INLINE gArrayW #-}
  gArrayR = (:*:) <$> gArrayR @b <*> gArrayR @b
  {-# INLINE gArrayR #-}

instance (BinaryFormat b, Wire a) => GArray b (S1 m (Rec0 a)) where
  gArrayW (M1 (K1 x)) = write (writerOf @b codec) x
  {-# INLINE gArrayW #-}
  gArrayR = fmap (\x -> M1 (K1 x)) (readerOf @b codec)
  {-# INLINE gArrayR #-}

-- * Fields with names

class GRecord b f where
  gRecordW :: f p -> Write

  -- | The fields, and then others.
  gRecordR :: Run -> Run

  -- | How the table reads each of the fields, and then others.
  gEntries :: [Entry] -> [Entry]

instance (GRecord b f, GRecord b g) => GRecord b (f :*: g) where
  gRecordW (x :*: y) = gRecordW @b x <> gRecordW @b y
  {-# INLINE gRecordW #-}
  gRecordR rest = gRecordR @b @f (gRecordR @b @g rest)
  {-# INLINE gRecordR #-}
  gEntries rest = gEntries @b @f (gEntries @b @g rest)
  {-# INLINE gEntries #-}

instance
  (BinaryFormat b, KnownSymbol n, Wire a) =>
  GRecord b (S1 ('MetaSel ('Just n) u v w) (Rec0 a))
  where
  gRecordW (M1 (K1 x)) = constant @b (symbolVal' (proxy# @n)) <> write (writerOf @b codec) x
  {-# INLINE gRecordW #-}
  gRecordR = thenField @b (symbolVal' (proxy# @n)) (readerOf @b (codec @a))
  {-# INLINE gRecordR #-}
  gEntries rest = entryOf @b @a : rest
  {-# INLINE gEntries #-}

-- | How a record's table reads a field of the type: specialised and not inlined, as that
-- of "Tern.Internal.Wire.Generic.Json".
entryOf :: forall b a. (BinaryFormat b, Wire a) => Entry
entryOf = entry (readerOf @b (codec @a)) absent
{-# INLINEABLE [1] entryOf #-}
