{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE MonoLocalBinds #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The class of types that have wire formats, and what its default is made of.
--
-- The class has one method, a codec, which has a field for each format: a class
-- that is polymorphic in the format does not specialise in GHC (see
-- @docs\/decisions@). Where a type is known its codec is too, so that what is asked
-- of it is known when a program is compiled: the instances are a table of codecs,
-- and generic deriving puts a record's together from those of its fields.
--
-- The classes for generics begin here and go on in @Tern.Wire.Generic@, a module
-- a format, which need 'Wire' for the fields' types: their instances for a
-- declared type are orphans, and "Tern.Wire" brings all of them.
module Tern.Internal.Wire.Class
  ( Wire (..),
    WireIn (..),
    jsonWIn,
    jsonRIn,
    mpackWIn,
    mpackRIn,
    cborWIn,
    cborRIn,
    nativeWIn,
    nativeRIn,
    directIn,
    absentIn,
    jsonKeyIn,

    -- * What a type's codec has
    jsonW,
    jsonR,
    mpackW,
    mpackR,
    cborW,
    cborR,
    nativeW,
    nativeR,
    direct,
    shape,
    absent,
    jsonKey,
    shapeOf,
    fingerprintOf,

    -- * Generic deriving
    genericJsonW,
    genericJsonR,
    genericMpackW,
    genericMpackR,
    genericCborW,
    genericCborR,
    genericNativeW,
    genericNativeR,
    genericShape,
    genericDirect,
    GJsonW (..),
    GJsonR (..),
    GBinaryW (..),
    GBinaryR (..),
    GNativeW (..),
    GNativeR (..),
    GShape (..),
    GKey (..),
  )
where

import Data.Typeable (Typeable)
import Data.Word (Word64)
import GHC.Generics
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.Json.Container (Key)
import Tern.Internal.MessagePack.Codec (MessagePack)
import Tern.Internal.Native.Reader (NativeReader)
import Tern.Internal.Read (Reader)
import Tern.Internal.Wire.Codec (Codec, CodecIn (..), keyInside, objectKey, plain, trusted)
import Tern.Internal.Wire.Direct (Direct)
import Tern.Internal.Wire.Format (WireFormat (..))
import Tern.Internal.Wire.Plan (Plan, namesAlone, plannedDirect, plannedDrafts)
import Tern.Internal.Write (Writer (..))
import Tern.Prim.Buffer (Fill)
import Tern.Shape (Shape, ShapeOf (..))
import Tern.Shape qualified as Shape

-- $setup
-- >>> import Data.Text (Text)
-- >>> import Tern.Internal.Wire.Instances ()
-- >>> import Tern.Shape (fingerprint)

-- | Types with wire formats: each has a codec, for all of them. It has a default
-- by 'Generic'.
--
-- > data Station = Station {name :: Text, height :: Int}
-- >   deriving stock (Generic)
-- >   deriving anyclass (Wire)
--
-- The superclass names the type, in shapes.
class (Typeable a) => Wire a where
  codec :: Codec a
  default codec ::
    ( Generic
        a,
      GKey (Rep a),
      GShape (Rep a),
      GJsonW (Rep a),
      GJsonR (Rep a),
      GBinaryW MessagePack (Rep a),
      GBinaryR MessagePack (Rep a),
      GBinaryW Cbor (Rep a),
      GBinaryR Cbor (Rep a),
      GNativeW (Rep a),
      GNativeR (Rep a)
    ) =>
    Codec a
  codec =
    gKey
      from
      to
      ( plain
          genericShape
          genericJsonW
          genericJsonR
          genericMpackW
          genericMpackR
          genericCborW
          genericCborR
          genericNativeW
          genericNativeR
      )
        { codecDirect = genericDirect
        }

-- | Types with one format, by its name: all those with every format, and those that a
-- declaration gives some ('Tern.Derive.wireFormats').
--
-- The instances of types that lack formats are incoherent, and it does no harm: such a
-- type has no instance of 'Wire', so that no place has the choice.
class (Typeable a) => WireIn (format :: WireFormat) a where
  codecIn :: CodecIn '[format] a

instance {-# OVERLAPPABLE #-} (Wire a) => WireIn format a where
  codecIn = trusted codec
  {-# INLINE codecIn #-}

-- * What a type's codec has

-- | How a value is written as JSON.
jsonW :: (Wire a) => Writer a
jsonW = jsonWriter codec
{-# INLINE jsonW #-}

-- | How a value is read from JSON.
jsonR :: (Wire a) => Reader a
jsonR = jsonReader codec
{-# INLINE jsonR #-}

-- | How a value is written as MessagePack.
mpackW :: (Wire a) => Writer a
mpackW = mpackWriter codec
{-# INLINE mpackW #-}

-- | How a value is read from MessagePack.
mpackR :: (Wire a) => Reader a
mpackR = mpackReader codec
{-# INLINE mpackR #-}

-- | How a value is written as CBOR.
cborW :: (Wire a) => Writer a
cborW = cborWriter codec
{-# INLINE cborW #-}

-- | How a value is read from CBOR.
cborR :: (Wire a) => Reader a
cborR = cborReader codec
{-# INLINE cborR #-}

-- | How a value is written in the native format.
nativeW :: (Wire a) => Writer a
nativeW = nativeWriter codec
{-# INLINE nativeW #-}

-- | How a value is read from the native format.
nativeR :: (Wire a) => NativeReader a
nativeR = nativeReader codec
{-# INLINE nativeR #-}

-- | How a value is a document of any shape.
direct :: (Wire a) => Direct a
direct = codecDirect codec

-- | What the values look like on the wire.
shape :: (Wire a) => ShapeOf a
shape = codecShape codec

-- | The value of a record's field that is not there, for types that have one, as
-- 'Maybe' has.
absent :: (Wire a) => Maybe a
absent = codecAbsent codec
{-# INLINE absent #-}

-- | How a value is the key of a JSON object, for types whose values can be.
jsonKey :: (Wire a) => Key a
jsonKey = objectKey codec

-- | The shape of a type.
--
-- >>> shapeOf @[(Text, Maybe Bool)]
-- "[(text, boolean?)]"
shapeOf :: forall a. (Wire a) => Shape
shapeOf = theShape (shape @a)

-- | The fingerprint of a type's shape. It is made once for a type, where its codec is, so
-- that asking again costs nothing.
--
-- >>> fingerprintOf @Bool == fingerprint (shapeOf @Bool)
-- True
fingerprintOf :: forall a. (Wire a) => Word64
fingerprintOf = theFingerprint (shape @a)

-- * The same of types with one format

-- | As 'jsonW', of a type that need not have another format.
jsonWIn :: (WireIn 'AsJson a) => Writer a
jsonWIn = jsonWriter (codecIn @'AsJson)
{-# INLINE jsonWIn #-}

-- | As 'jsonR', of a type that need not have another format.
jsonRIn :: (WireIn 'AsJson a) => Reader a
jsonRIn = jsonReader (codecIn @'AsJson)
{-# INLINE jsonRIn #-}

-- | As 'mpackW', of a type that need not have another format.
mpackWIn :: (WireIn 'AsMessagePack a) => Writer a
mpackWIn = mpackWriter (codecIn @'AsMessagePack)
{-# INLINE mpackWIn #-}

-- | As 'mpackR', of a type that need not have another format.
mpackRIn :: (WireIn 'AsMessagePack a) => Reader a
mpackRIn = mpackReader (codecIn @'AsMessagePack)
{-# INLINE mpackRIn #-}

-- | As 'cborW', of a type that need not have another format.
cborWIn :: (WireIn 'AsCbor a) => Writer a
cborWIn = cborWriter (codecIn @'AsCbor)
{-# INLINE cborWIn #-}

-- | As 'cborR', of a type that need not have another format.
cborRIn :: (WireIn 'AsCbor a) => Reader a
cborRIn = cborReader (codecIn @'AsCbor)
{-# INLINE cborRIn #-}

-- | As 'nativeW', of a type that need not have another format.
nativeWIn :: (WireIn 'AsNative a) => Writer a
nativeWIn = nativeWriter (codecIn @'AsNative)
{-# INLINE nativeWIn #-}

-- | As 'nativeR', of a type that need not have another format.
nativeRIn :: (WireIn 'AsNative a) => NativeReader a
nativeRIn = nativeReader (codecIn @'AsNative)
{-# INLINE nativeRIn #-}

-- | Documents of any shape are JSON's.
directIn :: (WireIn 'AsJson a) => Direct a
directIn = codecDirect (codecIn @'AsJson)

-- | As 'absent', by the codec that a type has for one format.
absentIn :: forall format a. (WireIn format a) => Maybe a
absentIn = codecAbsent (codecIn @format)
{-# INLINE absentIn #-}

-- | As 'jsonKey', of a type that need not have another format.
jsonKeyIn :: (WireIn 'AsJson a) => Key a
jsonKeyIn = objectKey (codecIn @'AsJson)

-- * Generic deriving

-- INLINE on the generic code but not on the defaults: the code is put together
-- once, in the module that derives the instance. With INLINE on the default
-- every use would put the record together again.

-- | The generic writer of JSON.
genericJsonW :: (Generic a, GJsonW (Rep a)) => Writer a
genericJsonW = FillWriter (\x -> gJsonW (from x))
{-# INLINE genericJsonW #-}

-- | The generic reader of JSON.
genericJsonR :: (Generic a, GJsonR (Rep a)) => Reader a
genericJsonR = gJsonR to
{-# INLINE genericJsonR #-}

-- | The generic writer of MessagePack.
genericMpackW :: (Generic a, GBinaryW MessagePack (Rep a)) => Writer a
genericMpackW = FillWriter (\x -> gBinaryW @MessagePack (from x))
{-# INLINE genericMpackW #-}

-- | The generic reader of MessagePack.
genericMpackR :: (Generic a, GBinaryR MessagePack (Rep a)) => Reader a
genericMpackR = gBinaryR @MessagePack to
{-# INLINE genericMpackR #-}

-- | The generic writer of CBOR.
genericCborW :: (Generic a, GBinaryW Cbor (Rep a)) => Writer a
genericCborW = FillWriter (\x -> gBinaryW @Cbor (from x))
{-# INLINE genericCborW #-}

-- | The generic reader of CBOR.
genericCborR :: (Generic a, GBinaryR Cbor (Rep a)) => Reader a
genericCborR = gBinaryR @Cbor to
{-# INLINE genericCborR #-}

-- | The generic writer of the native format.
genericNativeW :: (Generic a, GNativeW (Rep a)) => Writer a
genericNativeW = FillWriter (\x -> gNativeW (from x))
{-# INLINE genericNativeW #-}

-- | The generic reader of the native format. It knows nothing of whether the type
-- is within itself, and so takes it for one that is ("Tern.Internal.Native.Record").
genericNativeR :: (Generic a, GNativeR (Rep a)) => NativeReader a
genericNativeR = gNativeR to
{-# INLINE genericNativeR #-}

-- | Representations of declared types that can be written as JSON.
class GJsonW f where
  gJsonW :: f p -> Fill

-- | Representations of declared types that can be read from JSON. What makes a
-- value of its representation is handed down to each constructor, so that none
-- is left in the code: a branch that returned one would meet the others first.
class GJsonR f where
  gJsonR :: (f p -> a) -> Reader a

-- | Representations of declared types that can be written in a binary format, which
-- is the first parameter.
class GBinaryW b f where
  gBinaryW :: f p -> Fill

-- | Representations of declared types that can be read from a binary format.
class GBinaryR b f where
  gBinaryR :: (f p -> a) -> Reader a

-- | Representations of declared types that can be written in the native format.
class GNativeW f where
  gNativeW :: f p -> Fill

-- | Representations of declared types that can be read from the native format.
class GNativeR f where
  gNativeR :: (f p -> a) -> NativeReader a

-- | The generic shape.
--
-- Nothing here is inlined: the code that derives an instance only passes
-- dictionaries together, and they are put to work when a shape is asked for.
genericShape :: forall a. (Typeable a, Generic a, GShape (Rep a)) => ShapeOf a
genericShape = Shape.declare (outline constructors) constructors
  where
    plan = gPlan @(Rep a)
    constructors = plannedDrafts plan []
    outline = \case
      [_] -> Shape.One
      _
        | namesAlone plan -> Shape.NamesAlone
        | otherwise -> Shape.taggedAs "tag" "contents"
{-# OPAQUE genericShape #-}

-- | The generic way between values and documents of any shape. It is made of the same plan.
genericDirect :: forall a. (Generic a, GShape (Rep a)) => Direct a
genericDirect = plannedDirect (gPlan @(Rep a)) from to
{-# OPAQUE genericDirect #-}

-- | Representations of declared types around one value, whose keys are that value's; and of
-- all others, of which nothing is said.
class GKey f where
  gKey :: (a -> f ()) -> (f () -> a) -> Codec a -> Codec a

instance
  {-# OVERLAPPING #-}
  (Wire x) =>
  GKey (D1 m (C1 n (S1 ('MetaSel 'Nothing u v w) (Rec0 x))))
  where
  gKey apart made =
    keyInside (\a -> case apart a of M1 (M1 (M1 (K1 x))) -> x) (made . M1 . M1 . M1 . K1) jsonKey

instance {-# OVERLAPPABLE #-} GKey (D1 m f) where
  gKey _ _ c = c

-- | Representations of declared types, as data.
class GShape f where
  gPlan :: Plan f
