-- The class is in "Tern.Internal.Wire.Class", apart from its instances, which use every
-- format's codecs.
{-# OPTIONS_GHC -Wno-orphans #-}

-- | Haskell's own types: for each the codec that it has. "Tern.Internal.Wire.Scalar" and
-- "Tern.Internal.Wire.Container" say what that is in each format.
--
-- INLINE on the instances of types with parameters: their codecs are put together
-- where the parameters are known. Proof: inspect "no codec is handed on".
module Tern.Internal.Wire.Instances () where

import Data.HashMap.Strict (HashMap)
import Data.Hashable (Hashable)
import Data.Int (Int16, Int32, Int64, Int8)
import Data.List.NonEmpty (NonEmpty)
import Data.Map.Strict (Map)
import Data.Text (Text)
import Data.Text.Lazy qualified as TL
import Data.Vector qualified as V
import Data.Vector.Storable qualified as VS
import Data.Vector.Unboxed qualified as VU
import Data.Word (Word16, Word32, Word64, Word8)
import Numeric.Natural (Natural)
import Tern.Internal.Cbor.Value qualified as Cbor
import Tern.Internal.Json.Raw (Raw)
import Tern.Internal.MessagePack.Value qualified as Mpack
import Tern.Internal.Wire.Class (Wire (..))
import Tern.Internal.Wire.Container
  ( eitherOf,
    hashMapOf,
    listOf,
    mapOf,
    maybeOf,
    nonEmptyOf,
    pairOf,
    storableOf,
    tuple3,
    tuple4,
    tuple5,
    tuple6,
    tuple7,
    unboxedOf,
    vectorOf,
  )
import Tern.Internal.Wire.Document (cborValue, jsonRaw, jsonValue, mpackValue)
import Tern.Internal.Wire.Scalar
  ( bool,
    char,
    double,
    float,
    int,
    int16,
    int32,
    int64,
    int8,
    integer,
    lazyText,
    natural,
    text,
    unit,
    word,
    word16,
    word32,
    word64,
    word8,
  )
import Tern.Value qualified as Json

instance Wire Int where
  codec = int

instance Wire Int8 where
  codec = int8

instance Wire Int16 where
  codec = int16

instance Wire Int32 where
  codec = int32

instance Wire Int64 where
  codec = int64

instance Wire Word where
  codec = word

instance Wire Word8 where
  codec = word8

instance Wire Word16 where
  codec = word16

instance Wire Word32 where
  codec = word32

instance Wire Word64 where
  codec = word64

instance Wire Integer where
  codec = integer

instance Wire Natural where
  codec = natural

instance Wire Double where
  codec = double

instance Wire Float where
  codec = float

instance Wire Bool where
  codec = bool

instance Wire Text where
  codec = text

instance Wire TL.Text where
  codec = lazyText

instance Wire Char where
  codec = char

instance Wire () where
  codec = unit

instance Wire Json.Value where
  codec = jsonValue

instance Wire Raw where
  codec = jsonRaw

instance Wire Mpack.Value where
  codec = mpackValue

instance Wire Cbor.Value where
  codec = cborValue

instance (Wire a) => Wire [a] where
  codec = listOf codec
  {-# INLINE codec #-}

instance (Wire a) => Wire (NonEmpty a) where
  codec = nonEmptyOf codec
  {-# INLINE codec #-}

instance (Wire a) => Wire (V.Vector a) where
  codec = vectorOf codec
  {-# INLINE codec #-}

instance (VU.Unbox a, Wire a) => Wire (VU.Vector a) where
  codec = unboxedOf codec
  {-# INLINE codec #-}

instance (VS.Storable a, Wire a) => Wire (VS.Vector a) where
  codec = storableOf codec
  {-# INLINE codec #-}

instance (Ord k, Wire k, Wire v) => Wire (Map k v) where
  codec = mapOf codec codec
  {-# INLINE codec #-}

instance (Hashable k, Ord k, Wire k, Wire v) => Wire (HashMap k v) where
  codec = hashMapOf codec codec
  {-# INLINE codec #-}

instance (Wire a) => Wire (Maybe a) where
  codec = maybeOf codec
  {-# INLINE codec #-}

instance (Wire a, Wire b) => Wire (Either a b) where
  codec = eitherOf codec codec
  {-# INLINE codec #-}

instance (Wire a, Wire b) => Wire (a, b) where
  codec = pairOf codec codec
  {-# INLINE codec #-}

instance (Wire a, Wire b, Wire c) => Wire (a, b, c) where
  codec = tuple3 codec codec codec
  {-# INLINE codec #-}

instance (Wire a, Wire b, Wire c, Wire d) => Wire (a, b, c, d) where
  codec = tuple4 codec codec codec codec
  {-# INLINE codec #-}

instance (Wire a, Wire b, Wire c, Wire d, Wire e) => Wire (a, b, c, d, e) where
  codec = tuple5 codec codec codec codec codec
  {-# INLINE codec #-}

instance (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f) => Wire (a, b, c, d, e, f) where
  codec = tuple6 codec codec codec codec codec codec
  {-# INLINE codec #-}

instance
  (Wire a, Wire b, Wire c, Wire d, Wire e, Wire f, Wire g) =>
  Wire (a, b, c, d, e, f, g)
  where
  codec = tuple7 codec codec codec codec codec codec codec
  {-# INLINE codec #-}
