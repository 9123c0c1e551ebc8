{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The class of types that have wire formats, and what its defaults are made
-- of.
--
-- Each format has its own methods, and each method is monomorphic: a class
-- that is polymorphic in the format does not specialise in GHC (see
-- @docs\/decisions@). A method is a value, a codec, so that where a type is
-- known its codec is too: the instances are a table of codecs, and generic
-- deriving puts a record's together from those of its fields.
--
-- The classes for generics begin here and go on in @Tern.Wire.Generic@, a module
-- a format, which need 'Wire' for the fields' types: their instances for a
-- declared type are orphans, and "Tern.Wire" brings all of them.
module Tern.Wire.Class
  ( Wire (..),
    shapeOf,

    -- * Generic deriving
    genericJsonW,
    genericJsonR,
    genericMpackW,
    genericMpackR,
    genericNativeW,
    genericNativeR,
    genericShape,
    GJsonW (..),
    GJsonR (..),
    GMpackW (..),
    GMpackR (..),
    GNativeW (..),
    GNativeR (..),
    GShape (..),
  )
where

import Data.Typeable (Typeable)
import GHC.Generics
import Tern.Json.Container qualified as Json
import Tern.MessagePack.Container qualified as Mpack
import Tern.Native.List qualified as Native
import Tern.Native.Reader (NativeReader)
import Tern.Prim.Buffer (Fill)
import Tern.Read
import Tern.Shape (Shape, ShapeOf (..))
import Tern.Shape qualified as Shape
import Tern.Write

-- $setup
-- >>> import Data.Text (Text)
-- >>> import Tern.Wire.Instances ()

-- | Types with wire formats. All methods have defaults by 'Generic'.
--
-- The superclass names the type, in shapes.
class (Typeable a) => Wire a where
  -- | How a value is written as JSON.
  jsonW :: Writer a
  default jsonW :: (Generic a, GJsonW (Rep a)) => Writer a
  jsonW = genericJsonW

  -- | How a value is read from JSON.
  jsonR :: Reader a
  default jsonR :: (Generic a, GJsonR (Rep a)) => Reader a
  jsonR = genericJsonR

  -- | How a value is written as MessagePack.
  mpackW :: Writer a
  default mpackW :: (Generic a, GMpackW (Rep a)) => Writer a
  mpackW = genericMpackW

  -- | How a value is read from MessagePack.
  mpackR :: Reader a
  default mpackR :: (Generic a, GMpackR (Rep a)) => Reader a
  mpackR = genericMpackR

  -- | How a value is written in the native format.
  nativeW :: Writer a
  default nativeW :: (Generic a, GNativeW (Rep a)) => Writer a
  nativeW = genericNativeW

  -- | How a value is read from the native format.
  nativeR :: NativeReader a
  default nativeR :: (Generic a, GNativeR (Rep a)) => NativeReader a
  nativeR = genericNativeR

  -- | What the values look like on the wire. Codecs by hand say it with
  -- 'Shape.opaque' or 'Shape.like'.
  shape :: ShapeOf a
  default shape :: (Generic a, GShape (Rep a)) => ShapeOf a
  shape = genericShape

  -- | The value of a record's field that is not there, for types that have one,
  -- as 'Maybe' has.
  absent :: Maybe a
  absent = Nothing

  -- | How a value is the key of a JSON object. Of a type whose values cannot be
  -- keys, a map is an array of pairs.
  jsonKey :: Json.Key a
  jsonKey = Json.NoKey

  -- | How a list of values is written; it is a string for 'Char'.
  jsonListW :: Writer [a]
  jsonListW = Json.listW jsonW

  -- | How a list of values is read.
  jsonListR :: Reader [a]
  jsonListR = Json.listR jsonR

  -- | How a list of values is the key of a JSON object.
  jsonListKey :: Json.Key [a]
  jsonListKey = Json.NoKey

  -- | How a list of values is written as MessagePack.
  mpackListW :: Writer [a]
  mpackListW = Mpack.listW mpackW

  -- | How a list of values is read from MessagePack.
  mpackListR :: Reader [a]
  mpackListR = Mpack.listR mpackR

  -- | How a list of values is written in the native format.
  nativeListW :: Writer [a]
  nativeListW = Native.listW nativeW

  -- | How a list of values is read from the native format.
  nativeListR :: NativeReader [a]
  nativeListR = Native.listR nativeR

  -- | The shape of a list of values.
  listShape :: ShapeOf [a]
  listShape = ShapeOf (Shape.List 0 (shapeOf @a))

-- | The shape of a type.
--
-- >>> shapeOf @[(Text, Maybe Bool)]
-- "[(text, boolean?)]"
shapeOf :: forall a. (Wire a) => Shape
shapeOf = Shape.theShape (shape @a)

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
genericMpackW :: (Generic a, GMpackW (Rep a)) => Writer a
genericMpackW = FillWriter (\x -> gMpackW (from x))
{-# INLINE genericMpackW #-}

-- | The generic reader of MessagePack.
genericMpackR :: (Generic a, GMpackR (Rep a)) => Reader a
genericMpackR = gMpackR to
{-# INLINE genericMpackR #-}

-- | The generic writer of the native format.
genericNativeW :: (Generic a, GNativeW (Rep a)) => Writer a
genericNativeW = FillWriter (\x -> gNativeW (from x))
{-# INLINE genericNativeW #-}

-- | The generic reader of the native format. It knows nothing of whether the type
-- is within itself, and so takes it for one that is ("Tern.Native.Record").
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

-- | Representations of declared types that can be written as MessagePack.
class GMpackW f where
  gMpackW :: f p -> Fill

-- | Representations of declared types that can be read from MessagePack.
class GMpackR f where
  gMpackR :: (f p -> a) -> Reader a

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
    constructors = gShape @(Rep a) []
    outline = \case
      [_] -> Shape.One
      _
        | gAllNullary @(Rep a) -> Shape.NamesAlone
        | otherwise -> Shape.taggedAs "tag" "contents"
{-# NOINLINE genericShape #-}

-- | Representations of declared types that have a shape.
class GShape f where
  gShape :: [Shape.Draft a] -> [Shape.Draft a]
  gAllNullary :: Bool
