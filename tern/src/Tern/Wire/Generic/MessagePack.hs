{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MagicHash #-}
{-# LANGUAGE TypeFamilies #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UndecidableInstances #-}
-- The class begins in "Tern.Wire.Class", whose defaults need it.
{-# OPTIONS_GHC -Wno-orphans #-}

-- | MessagePack by generics: what @deriving anyclass Wire@ runs.
--
-- The idea is that of "Tern.Wire.Generic.Json", and so are the layouts: a record
-- is a map whose keys are the fields' names.
module Tern.Wire.Generic.MessagePack () where

import GHC.Exts
import GHC.Generics
import GHC.TypeLits
import Tern.Constructors (constructors)
import Tern.MessagePack.Container qualified as Mpack
import Tern.MessagePack.Record
import Tern.MessagePack.Sum qualified as Sum
import Tern.MessagePack.Write (constant, mapOf)
import Tern.Prim.Buffer (Fill)
import Tern.Read
import Tern.Record
import Tern.Wire.Class
import Tern.Wire.Generic.Layout
import Tern.Write

instance (GType (LayoutOf f) f) => GMpackW (D1 m f) where
  gMpackW (M1 x) = gTypeW @(LayoutOf f) x
  {-# INLINE gMpackW #-}

instance (GType (LayoutOf f) f) => GMpackR (D1 m f) where
  gMpackR k = gTypeR @(LayoutOf f) (\x -> k (M1 x))
  {-# INLINE gMpackR #-}

class GType (layout :: Layout) f where
  gTypeW :: f p -> Fill
  gTypeR :: (f p -> a) -> Reader a

-- | The bodies that stand by themselves.
class GBody (body :: Body) f where
  gBodyW :: f p -> Write
  gBodyR :: (f p -> a) -> Reader a

instance GBody 'Nullary U1 where
  gBodyW _ = write Mpack.unitW ()
  {-# INLINE gBodyW #-}
  gBodyR k = fmap (\() -> k U1) Mpack.unitR
  {-# INLINE gBodyR #-}

instance (Wire a) => GBody 'Unary (S1 m (Rec0 a)) where
  gBodyW (M1 (K1 x)) = write mpackW x
  {-# INLINE gBodyW #-}
  gBodyR k = fmap (\x -> k (M1 (K1 x))) mpackR
  {-# INLINE gBodyR #-}

instance (GArray f, GArray g, GFieldCount f, GFieldCount g) => GBody 'Array (f :*: g) where
  gBodyW x = Mpack.arrayOf (gFieldCount @(f :*: g)) <> gArrayW x
  {-# INLINE gBodyW #-}
  gBodyR k = Mpack.exactly (gFieldCount @(f :*: g)) (fmap k gArrayR)
  {-# INLINE gBodyR #-}

instance (GRecord f, GSlots f) => GBody 'Record f where
  gBodyW x = mapOf (gFieldCount @f) <> gRecordW x
  {-# INLINE gBodyW #-}
  gBodyR k = record Named (table (gRecordTable @f [])) (gFieldCount @f) (gRecordR @f endFields) (built k)
  {-# INLINE gBodyR #-}

-- * Types of one constructor

instance (GBody (BodyOf m f) f) => GType 'Single (C1 m f) where
  gTypeW (M1 x) = toFill (gBodyW @(BodyOf m f) x)
  {-# INLINE gTypeW #-}
  gTypeR k = gBodyR @(BodyOf m f) (\x -> k (M1 x))
  {-# INLINE gTypeR #-}

-- * Several constructors

-- The phases are those of "Tern.Wire.Generic.Json".

instance (GSum f, GSum g, GEnum f, GEnum g, GName f, GName g) => GType 'Enumeration (f :+: g) where
  gTypeW = \case
    L1 x -> gNameW x
    R1 x -> gNameW x
  {-# INLINE gTypeW #-}
  gTypeR k = Sum.enumeration (constructors (gSumNames @(f :+: g) [])) (gEnum k)
  {-# INLINE gTypeR #-}

-- | Constructors without fields.
class GName f where
  gNameW :: f p -> Fill

instance (GName f, GName g) => GName (f :+: g) where
  gNameW = \case
    L1 x -> gNameW x
    R1 x -> gNameW x
  {-# INLINE [0] gNameW #-}

instance (KnownSymbol n) => GName (C1 ('MetaCons n x r) U1) where
  gNameW _ = toFill (constant (symbolVal' (proxy# @n)))
  {-# INLINE [0] gNameW #-}

instance (GSum f, GSum g, GAlternative f, GAlternative g) => GType 'TaggedObject (f :+: g) where
  gTypeW = \case
    L1 x -> gAlternativeW x
    R1 x -> gAlternativeW x
  {-# INLINE gTypeW #-}
  gTypeR k = Sum.taggedMap "tag" "contents" (constructors (gSumNames @(f :+: g) [])) (gAlternativeR k)
  {-# INLINE gTypeR #-}

-- | Constructors in maps with a tag.
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

instance (KnownSymbol n, GTagged (BodyOf ('MetaCons n x r) f) f) => GAlternative (C1 ('MetaCons n x r) f) where
  gAlternativeW (M1 x) =
    toFill (mapOf (1 + gTaggedPairs @(BodyOf ('MetaCons n x r) f) @f) <> constant "tag" <> constant (symbolVal' (proxy# @n)) <> gTaggedW @(BodyOf ('MetaCons n x r) f) x)
  {-# INLINE [0] gAlternativeW #-}
  gAlternativeR k found _ = gTaggedR @(BodyOf ('MetaCons n x r) f) (\x -> k (M1 x)) found
  {-# INLINE gAlternativeR #-}

-- | What stands behind the tag.
class GTagged (body :: Body) f where
  gTaggedPairs :: Int
  gTaggedW :: f p -> Write
  gTaggedR :: (f p -> a) -> Sum.Tagged -> Step a

instance GTagged 'Nullary U1 where
  gTaggedPairs = 0
  {-# INLINE gTaggedPairs #-}
  gTaggedW _ = mempty
  {-# INLINE gTaggedW #-}
  gTaggedR k = Sum.caseNullary (k U1)
  {-# INLINE gTaggedR #-}

instance (GBody 'Unary f) => GTagged 'Unary f where
  gTaggedPairs = 1
  {-# INLINE gTaggedPairs #-}
  gTaggedW x = constant "contents" <> gBodyW @'Unary x
  {-# INLINE gTaggedW #-}
  gTaggedR k = Sum.caseContents "contents" (gBodyR @'Unary k)
  {-# INLINE gTaggedR #-}

instance (GBody 'Array f) => GTagged 'Array f where
  gTaggedPairs = 1
  {-# INLINE gTaggedPairs #-}
  gTaggedW x = constant "contents" <> gBodyW @'Array x
  {-# INLINE gTaggedW #-}
  gTaggedR k = Sum.caseContents "contents" (gBodyR @'Array k)
  {-# INLINE gTaggedR #-}

instance (GRecord f, GSlots f) => GTagged 'Record f where
  gTaggedPairs = gFieldCount @f
  {-# INLINE gTaggedPairs #-}
  gTaggedW = gRecordW
  {-# INLINE gTaggedW #-}
  gTaggedR k = Sum.caseRecord (recordOf Named (table (gRecordTable @f [])) (gFieldCount @f) (gRecordR @f endFields) (built k))
  {-# INLINE gTaggedR #-}

-- * Fields without names

class GArray f where
  gArrayW :: f p -> Write
  gArrayR :: Reader (f p)

instance (GArray f, GArray g) => GArray (f :*: g) where
  gArrayW (x :*: y) = gArrayW x <> gArrayW y
  {-# INLINE gArrayW #-}
  gArrayR = (:*:) <$> gArrayR <*> gArrayR
  {-# INLINE gArrayR #-}

instance (Wire a) => GArray (S1 m (Rec0 a)) where
  gArrayW (M1 (K1 x)) = write mpackW x
  {-# INLINE gArrayW #-}
  gArrayR = fmap (\x -> M1 (K1 x)) mpackR
  {-# INLINE gArrayR #-}

-- * Fields with names

class GRecord f where
  gRecordW :: f p -> Write

  -- | The fields, and then others.
  gRecordR :: Run -> Run

  gRecordTable :: [Field] -> [Field]

instance (GRecord f, GRecord g) => GRecord (f :*: g) where
  gRecordW (x :*: y) = gRecordW x <> gRecordW y
  {-# INLINE gRecordW #-}
  gRecordR rest = gRecordR @f (gRecordR @g rest)
  {-# INLINE gRecordR #-}
  gRecordTable rest = gRecordTable @f (gRecordTable @g rest)
  {-# INLINE gRecordTable #-}

instance (KnownSymbol n, Wire a) => GRecord (S1 ('MetaSel ('Just n) u v w) (Rec0 a)) where
  gRecordW (M1 (K1 x)) = constant (symbolVal' (proxy# @n)) <> write mpackW x
  {-# INLINE gRecordW #-}
  gRecordR = thenField (symbolVal' (proxy# @n)) (mpackR @a)
  {-# INLINE gRecordR #-}
  gRecordTable rest = field (symbolVal' (proxy# @n)) (mpackR @a) absent : rest
  {-# INLINE gRecordTable #-}
