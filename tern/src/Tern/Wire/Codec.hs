-- | A codec: all that the library knows of a type, as one value.
--
-- The idea: a plain record with a field for each format and direction, of which
-- none is evaluated before it is asked for. Where a type is known its codec is a
-- constructor applied to names, so that asking for a field of it costs nothing
-- when a program runs: the compiler takes the name.
--
-- A further format is two fields more here. 'plain' gets them as arguments, so
-- that the compiler finds every place that has to say something of them.
--
-- Start at 'Codec', then 'plain'.
module Tern.Wire.Codec
  ( Codec (..),
    plain,
    keyed,
  )
where

import Tern.Json.Container (Key (NoKey), scalarKey)
import Tern.Native.Reader (NativeReader)
import Tern.Read (Reader)
import Tern.Shape (ShapeOf)
import Tern.Write (Writer)

-- | How the values of a type are written and read, in every format.
data Codec a = Codec
  { -- | What the values look like on the wire.
    codecShape :: ShapeOf a,
    -- | The value of a record's field that is not there, for types that have one,
    -- as 'Maybe' has.
    codecAbsent :: Maybe a,
    -- | How a value is the key of a JSON object. Of a type whose values cannot be
    -- keys, a map is an array of pairs.
    codecKey :: Key a,
    -- | The codec of a list of values, where it is not that of an array of them: of
    -- a string, for 'Char'.
    codecList :: Maybe (Codec [a]),
    -- | How a value is written as JSON.
    jsonWriter :: Writer a,
    -- | How a value is read from JSON.
    jsonReader :: Reader a,
    -- | How a value is written as MessagePack.
    mpackWriter :: Writer a,
    -- | How a value is read from MessagePack.
    mpackReader :: Reader a,
    -- | How a value is written as CBOR.
    cborWriter :: Writer a,
    -- | How a value is read from CBOR.
    cborReader :: Reader a,
    -- | How a value is written in the native format.
    nativeWriter :: Writer a,
    -- | How a value is read from the native format.
    nativeReader :: NativeReader a
  }

-- | A shape, and a writer and a reader for each format: JSON, MessagePack, CBOR, the
-- native format. There is no value for absence, and no key.
--
-- INLINE, here and in the modules that make codecs of codecs: what a codec is made
-- of is known where the type is. Proof: inspect "no dictionary is passed".
plain :: ShapeOf a -> Writer a -> Reader a -> Writer a -> Reader a -> Writer a -> Reader a -> Writer a -> NativeReader a -> Codec a
plain shape jsonW jsonR mpackW mpackR cborW cborR nativeW nativeR =
  Codec
    { codecShape = shape,
      codecAbsent = Nothing,
      codecKey = NoKey,
      codecList = Nothing,
      jsonWriter = jsonW,
      jsonReader = jsonR,
      mpackWriter = mpackW,
      mpackReader = mpackR,
      cborWriter = cborW,
      cborReader = cborR,
      nativeWriter = nativeW,
      nativeReader = nativeR
    }
{-# INLINE plain #-}

-- | The same for a type whose JSON has no quotes: as a key it has them.
keyed :: Codec a -> Codec a
keyed c = c {codecKey = scalarKey (jsonWriter c) (jsonReader c)}
{-# INLINE keyed #-}
