{-# LANGUAGE DataKinds #-}
{-# LANGUAGE RoleAnnotations #-}
{-# LANGUAGE UnboxedTuples #-}

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
-- What is made of the fields of other codecs is inlined in phase 2, not before: whoever
-- asks a codec for one field puts all of them together and throws the others away,
-- which is cheap while nothing is inlined in them (@docs\/decisions\/040@).
--
-- Start at 'CodecIn', then 'plain'.
module Tern.Internal.Wire.Codec
  ( CodecIn (..),
    Codec,
    plain,
    directly,
    overJson,

    -- * Formats
    onlyIn,
    trusted,
    inNone,

    -- * Keys
    keyed,
    objectKey,
    keyInside,

    -- * Codecs of codecs
    mapCodec,
    refine,
    describe,
    examples,
    writeAs,
    readAs,
  )
where

import Control.Exception (TypeError (..), throw)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Error (Reason (Refused))
import Tern.Internal.Binary.Container qualified as Binary
import Tern.Internal.Json.Container (Key (..), mapKey, refineKey, scalarKey, stringKey)
import Tern.Internal.Json.Container qualified as Json
import Tern.Internal.Native.Reader (NativeReader, deep, refined)
import Tern.Internal.Read (Reader (..), failAt)
import Tern.Internal.Wire.Direct (Direct, checked, mapped, overBytes)
import Tern.Internal.Wire.Format (Every, WireFormat (..), Within)
import Tern.Internal.Write (Writer (..), contramapWriter, runWriter)
import Tern.Shape (Notation (..), ShapeOf (..), keyNotation, like)
import Tern.Shape qualified as Shape

-- | How the values of a type are written and read in some formats. The other formats'
-- fields are not there to be asked: who asks for one has to show that it is @Has@.
data CodecIn (formats :: [WireFormat]) a = Codec
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
    codecList :: Maybe (CodecIn '[] [a]),
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
    nativeReader :: NativeReader a,
    -- | How a value is a JSON document of any shape, and the other way, without bytes.
    codecDirect :: Direct a
  }

-- The list says what may be asked of a codec: no coercion changes it.
type role CodecIn nominal representational

-- | How the values of a type are written and read, in every format.
type Codec = CodecIn Every

-- | The same codec, of which only these formats may be asked, as one knows of it.
--
-- > legacy :: CodecIn '[ 'AsJson, 'AsCbor] Invoice
-- > legacy = onlyIn codec
onlyIn :: (Within formats others) => CodecIn others a -> CodecIn formats a
onlyIn = trusted
{-# INLINE onlyIn #-}

-- | The same codec, whatever is said of its formats.
trusted :: CodecIn others a -> CodecIn formats a
trusted c = c {codecShape = codecShape c}
{-# INLINE trusted #-}

-- | A codec of no format: a shape alone.
inNone :: ShapeOf a -> CodecIn '[] a
inNone theirs =
  trusted $
    plain
      theirs
      (lackingW AsJson)
      (lackingR AsJson)
      (lackingW AsMessagePack)
      (lackingR AsMessagePack)
      (lackingW AsCbor)
      (lackingR AsCbor)
      (lackingW AsNative)
      (deep (stepOf (lackingR AsNative)))
  where
    stepOf (Reader step) = step

-- Nobody asks: the fields' names are the library's own, and what is exported wants @Has@. Only
-- a program whose types are wrong gets here, where its compiler was told to go on
-- (@-fdefer-type-errors@). A reader has an error to give. A writer has none, and nothing
-- written would be data lost in silence: it throws what GHC throws of such a program.
lackingW :: WireFormat -> Writer a
lackingW format =
  FillWriter (\_ mba op s -> case throw (TypeError (lacking format)) of () -> (# s, mba, op #))

lackingR :: WireFormat -> Reader a
lackingR format = Reader (\_ _ c s -> failAt c (Refused (T.pack (lacking format))) s)

lacking :: WireFormat -> String
lacking format =
  "the codec does not have " <> case format of
    AsJson -> "JSON"
    AsMessagePack -> "MessagePack"
    AsCbor -> "CBOR"
    AsNative -> "the native format"

-- | A shape, and a writer and a reader for each format: JSON, MessagePack, CBOR, the
-- native format. There is no value for absence, and no key; documents of any shape are made
-- by the bytes of JSON.
--
-- INLINE, here and in the modules that make codecs of codecs: what a codec is made
-- of is known where the type is. Proof: inspect "no dictionary is passed".
plain ::
  ShapeOf a ->
  Writer a ->
  Reader a ->
  Writer a ->
  Reader a ->
  Writer a ->
  Reader a ->
  Writer a ->
  NativeReader a ->
  CodecIn fs a
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
      nativeReader = nativeR,
      codecDirect = overBytes jsonW jsonR
    }
{-# INLINE plain #-}

-- | A codec with JSON.
overJson :: Writer a -> Reader a -> CodecIn others a -> CodecIn fs a
overJson writer reader c =
  c {jsonWriter = writer, jsonReader = reader, codecDirect = overBytes writer reader}
{-# INLINE overJson #-}

-- | The same codec, whose values are documents in a shorter way than over bytes.
directly :: Direct a -> CodecIn fs a -> CodecIn fs a
directly direct c = c {codecDirect = direct}
{-# INLINE directly #-}

-- | The same for a type whose JSON has no quotes: as a key it has them.
keyed :: CodecIn fs a -> CodecIn fs a
keyed c = c {codecKey = scalarKey (jsonWriter c) (jsonReader c)}
{-# INLINE keyed #-}

-- | How values are the keys of an object. A codec that says nothing of that is asked for its
-- shape: what is a string, a number or a name in JSON is a key, so that nobody's map
-- becomes an array because a newtype was written by hand.
objectKey :: CodecIn fs a -> Key a
objectKey a = case codecKey a of
  NoKey -> case keyNotation (theShape (codecShape a)) of
    Just InText -> stringKey (jsonWriter a) (jsonReader a)
    Just InNumber -> scalarKey (jsonWriter a) (jsonReader a)
    Nothing -> NoKey
  key -> key
{-# INLINE [2] objectKey #-}

-- | A codec of a type around one other, whose keys are that one's, where it has any.
keyInside :: (b -> a) -> (a -> b) -> Key a -> CodecIn fs b -> CodecIn fs b
keyInside from to key b =
  b
    { codecKey = case key of
        NoKey -> codecKey b
        _ -> mapKey from to key
    }
{-# INLINE keyInside #-}

-- * Codecs of codecs

-- | What another type's values stand for: they are written as those are, and look
-- like them.
mapCodec :: (a -> b) -> (b -> a) -> CodecIn fs a -> CodecIn fs b
mapCodec to from a =
  Codec
    { codecShape = like (codecShape a),
      codecAbsent = to <$> codecAbsent a,
      codecKey = mapKey from to (codecKey a),
      codecList = Nothing,
      jsonWriter = writeAs from (jsonWriter a),
      jsonReader = readAs to (jsonReader a),
      mpackWriter = writeAs from (mpackWriter a),
      mpackReader = readAs to (mpackReader a),
      cborWriter = writeAs from (cborWriter a),
      cborReader = readAs to (cborReader a),
      nativeWriter = writeAs from (nativeWriter a),
      nativeReader = readAs to (nativeReader a),
      codecDirect = mapped to from (codecDirect a)
    }
{-# INLINE mapCodec #-}

-- | The same where not every value stands for one: why not, in the program's words.
-- The refusal has an offset, that of the value, and a path, as any error has.
refine :: (a -> Either Text b) -> (b -> a) -> CodecIn fs a -> CodecIn fs b
refine check from a =
  Codec
    { codecShape = like (codecShape a),
      codecAbsent = codecAbsent a >>= either (const Nothing) Just . check,
      codecKey = refineKey from check (codecKey a),
      codecList = Nothing,
      jsonWriter = writeAs from (jsonWriter a),
      jsonReader = Json.refinedR check (jsonReader a),
      mpackWriter = writeAs from (mpackWriter a),
      mpackReader = Binary.refinedR check (mpackReader a),
      cborWriter = writeAs from (cborWriter a),
      cborReader = Binary.refinedR check (cborReader a),
      nativeWriter = writeAs from (nativeWriter a),
      nativeReader = refined check (nativeReader a),
      codecDirect = checked check from (codecDirect a)
    }
{-# INLINE refine #-}

-- | With words for people: they become the @description@ of JSON Schema
-- ("Tern.Schema"). Bytes and fingerprint are the same.
describe :: Text -> CodecIn fs a -> CodecIn fs a
describe text c =
  c {codecShape = Shape.describe text (codecShape c), codecList = listed <$> codecList c}
  where
    -- Of a list of them each is described; a string has no elements.
    listed list = list {codecShape = Shape.describeElements text (codecShape list)}
{-# INLINE describe #-}

-- | With values that show people what there is: they become the @examples@ of JSON Schema.
examples :: [a] -> CodecIn fs a -> CodecIn fs a
examples values c =
  c
    { codecShape =
        ShapeOf
          ( Shape.said
              (Shape.Examples (map (runWriter (jsonWriter c)) values))
              (theShape (codecShape c))
          )
    }
{-# INLINE examples #-}

-- | 'contramapWriter', a phase later, as the containers' functions.
writeAs :: (b -> a) -> Writer a -> Writer b
writeAs = contramapWriter
{-# INLINE [2] writeAs #-}

-- | 'fmap', a phase later.
readAs :: (Functor reader) => (a -> b) -> reader a -> reader b
readAs = fmap
{-# INLINE [2] readAs #-}
