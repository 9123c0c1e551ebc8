{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What can be measured: a codec, and a type with the codecs that it has.
--
-- The idea: a codec may work on a model of its own (a newtype that carries the
-- instances of one way of deriving) and may give bytes in the shape that is
-- natural to it. What turns the subject's type into the model and back, or the
-- output into one string, is kept apart from the work, so that only the work
-- is measured.
--
-- Start at 'Codec'; 'tern' and 'aeson' make one, and 'peer' that of a further
-- library.
module Tern.Lab.Subject
  ( -- * Codecs
    Codec (..),
    tern,
    ternMessagePack,
    ternCbor,
    ternNative,
    aeson,
    binary,
    cereal,
    store,
    serialise,
    cborg,
    peer,
    encoded,
    decoded,

    -- * Subjects
    Subject (..),
    codecNames,
    keptCodecs,
  )
where

import Codec.CBOR.Decoding qualified as Cbor (Decoder)
import Codec.CBOR.Encoding qualified as Cbor (Encoding)
import Codec.CBOR.Read qualified as Cbor (deserialiseFromBytes)
import Codec.CBOR.Write qualified as Cbor (toLazyByteString)
import Codec.Serialise qualified as Serialise
import Control.DeepSeq (NFData, rnf)
import Data.Aeson (FromJSON, ToJSON)
import Data.Aeson qualified as Aeson
import Data.Bifunctor (first)
import Data.Binary qualified as Binary
import Data.ByteString (ByteString)
import Data.ByteString.Lazy qualified as Lazy
import Data.Coerce (Coercible, coerce)
import Data.Serialize qualified as Cereal
import Data.Store qualified as Store
import Data.Text (Text)
import Data.Text qualified as T
import Tern
  ( Wire,
    decodeCbor,
    decodeJson,
    decodeMessagePack,
    decodeNative,
    encodeCbor,
    encodeJson,
    encodeMessagePack,
    encodeNative,
    renderBinaryError,
    renderError,
  )

-- * Codecs

-- | One way to turn an @a@ into bytes and back.
data Codec a = forall model output.
  Codec
  { codecName :: Text,
    -- | Codecs of one format must understand each other's bytes.
    codecFormat :: Text,
    toModel :: a -> model,
    fromModel :: model -> a,
    -- | Evaluates a model as far as a program could ever need it.
    settleModel :: model -> (),
    -- | Measured.
    encode :: model -> output,
    -- | Evaluates an output to its last byte.
    settleOutput :: output -> (),
    toBytes :: output -> ByteString,
    -- | Measured. The complaint is one line.
    decode :: ByteString -> Either Text model
  }

-- | The codec that Tern's class gives to a model of the type, as JSON. INLINE:
-- the codec's code is then that of one type, as it is in a program that uses the
-- type.
tern :: forall model a. (Wire model, NFData a, Coercible a model) => Text -> Codec a
tern name =
  peer @model name "json" id encodeJson (\bytes -> first (renderError bytes) (decodeJson bytes))
{-# INLINE tern #-}

-- | The same as MessagePack.
ternMessagePack :: forall model a. (Wire model, NFData a, Coercible a model) => Text -> Codec a
ternMessagePack name =
  peer @model
    name
    "messagepack"
    id
    encodeMessagePack
    ( \bytes ->
        first (renderBinaryError bytes) (decodeMessagePack bytes)
    )
{-# INLINE ternMessagePack #-}

-- | The same as CBOR.
ternCbor :: forall model a. (Wire model, NFData a, Coercible a model) => Text -> Codec a
ternCbor name =
  peer @model
    name
    "cbor"
    id
    encodeCbor
    ( \bytes ->
        first (renderBinaryError bytes) (decodeCbor bytes)
    )
{-# INLINE ternCbor #-}

-- | The same in the native format.
ternNative :: forall model a. (Wire model, NFData a, Coercible a model) => Text -> Codec a
ternNative name =
  peer @model
    name
    "native"
    id
    encodeNative
    ( \bytes ->
        first (renderBinaryError bytes) (decodeNative bytes)
    )
{-# INLINE ternNative #-}

-- | The codec that aeson's classes give to a model of the type. It gives its
-- bytes lazily, as aeson does.
aeson ::
  forall model a. (ToJSON model, FromJSON model, NFData a, Coercible a model) => Text -> Codec a
aeson name =
  peer @model name "json" Lazy.toStrict Aeson.encode (first T.pack . Aeson.eitherDecodeStrict)
{-# INLINE aeson #-}

-- | The codec that binary's class gives to a model of the type.
binary :: forall model a. (Binary.Binary model, NFData a, Coercible a model) => Text -> Codec a
binary name =
  peer
    @model
    name
    "binary"
    Lazy.toStrict
    Binary.encode
    $ \bytes -> case Binary.decodeOrFail (Lazy.fromStrict bytes) of
      Right (rest, _, value) -> nothingAfter rest value
      Left (_, _, message) -> Left (T.pack message)
{-# INLINE binary #-}

-- | The codec of cereal, of a function that puts a model and one that gets it: its
-- class has no instance for text.
cereal ::
  forall model a.
  (NFData a, Coercible a model) =>
  Text ->
  (model -> Cereal.Put) ->
  Cereal.Get model ->
  Codec a
cereal name put get =
  peer @model name "cereal" id (Cereal.runPut . put) (first T.pack . Cereal.runGet whole)
  where
    whole =
      get >>= \value ->
        Cereal.isEmpty >>= \end ->
          if end
            then pure value
            else fail (T.unpack moreAfter)
{-# INLINE cereal #-}

-- | The codec that store's class gives to a model of the type.
store :: forall model a. (Store.Store model, NFData a, Coercible a model) => Text -> Codec a
store name = peer @model name "store" id Store.encode (first (T.pack . show) . Store.decode)
{-# INLINE store #-}

-- | The codec that serialise's class gives to a model of the type.
serialise ::
  forall model a. (Serialise.Serialise model, NFData a, Coercible a model) => Text -> Codec a
serialise name =
  peer @model name "serialise" Lazy.toStrict Serialise.serialise (cborOf Serialise.decode)
{-# INLINE serialise #-}

-- | The codec of cborg, of a function that encodes a model and one that decodes it.
cborg ::
  forall model a.
  (NFData a, Coercible a model) =>
  Text ->
  (model -> Cbor.Encoding) ->
  (forall s. Cbor.Decoder s model) ->
  Codec a
cborg name encoding decoder =
  peer @model name "cbor" Lazy.toStrict (Cbor.toLazyByteString . encoding) (cborOf decoder)
{-# INLINE cborg #-}

cborOf :: (forall s. Cbor.Decoder s model) -> ByteString -> Either Text model
cborOf decoder bytes = case Cbor.deserialiseFromBytes decoder (Lazy.fromStrict bytes) of
  Right (rest, value) -> nothingAfter rest value
  Left failure -> Left (T.pack (show failure))
{-# INLINE cborOf #-}

-- | A codec reads a whole document: what stands after the value is refused.
nothingAfter :: Lazy.ByteString -> model -> Either Text model
nothingAfter rest value
  | Lazy.null rest = Right value
  | otherwise = Left moreAfter

moreAfter :: Text
moreAfter = "there is more after the value"

-- | The codec of a library, for a model of the type: a name, a format, how one
-- string is made of its output, and both directions.
peer ::
  forall model a output.
  (NFData a, NFData output, Coercible a model) =>
  Text ->
  Text ->
  (output -> ByteString) ->
  (model -> output) ->
  (ByteString -> Either Text model) ->
  Codec a
peer name format toBytes encode decode =
  Codec
    { codecName = name,
      codecFormat = format,
      toModel = coerce @a @model,
      fromModel = coerce @model @a,
      settleModel = \model -> rnf (coerce @model @a model),
      settleOutput = rnf,
      ..
    }
{-# INLINE peer #-}

-- | The bytes that a codec makes of a value.
encoded :: Codec a -> a -> ByteString
encoded Codec {..} = toBytes . encode . toModel

-- | The value that a codec makes of bytes.
decoded :: Codec a -> ByteString -> Either Text a
decoded Codec {..} = fmap fromModel . decode

-- * Subjects

-- | A type with its codecs, of which the first is what the others are compared
-- with, and values of it where the type brings some.
data Subject = forall a.
  (Eq a) =>
  Subject
  { subjectName :: Text,
    -- | One line: what it is and where it comes from.
    subjectAbout :: Text,
    subjectCodecs :: [Codec a],
    subjectValue :: Maybe a,
    -- | By their numbers, each another.
    subjectValues :: Maybe (Int -> a)
  }

-- | In the subject's order.
codecNames :: Subject -> [Text]
codecNames Subject {subjectCodecs} = map codecName subjectCodecs

-- | The codecs that are named, in their order; all where none is. One that is named
-- again is there again, with a number: the same code against itself.
keptCodecs :: [Text] -> [Codec a] -> [Codec a]
keptCodecs names codecs
  | null names = codecs
  | otherwise = concatMap copies codecs
  where
    copies codec = zipWith (numbered codec) [1 :: Int ..] (filter (== codecName codec) names)
    numbered codec n name
      | n == 1 = codec
      | otherwise = codec {codecName = T.concat [name, " (", T.pack (show n), ")"]}
