{-# LANGUAGE DataKinds #-}
{-# LANGUAGE ExplicitNamespaces #-}

-- | Codecs by hand: one value for all formats, made of the codecs of other types.
--
-- The idea: a t'Codec' says how values of a type are written and read in every format,
-- and what they look like, and so schemas, fingerprints, evolution and containers serve
-- it as they serve what is derived. Where it is put together in one expression it is
-- compiled like derived code.
--
-- A codec's type lists its formats, and to ask it for another is an error of the compiler.
-- Where that was told to go on (@-fdefer-type-errors@), the program's reading fails with an error
-- that names the format, and its writing throws t'Control.Exception.TypeError', as GHC does
-- of types that are wrong: bytes that are not there would be data lost in silence.
--
-- Start at 'refine' and 'object'. The module is made to be imported qualified; examples
-- are in @docs\/how-to\/write-a-codec-by-hand.md@.
module Tern.Codec
  ( Codec,

    -- * Some formats
    CodecIn,
    WireFormat (..),
    Every,
    Has,
    Within,
    onlyIn,

    -- * Codecs of other types' values
    mapCodec,
    refine,
    describe,
    examples,

    -- * Records
    -- $names
    FieldsIn,
    Fields,
    FieldName,
    object,
    type (++),
    (<.>),
    (<.),
    field,
    optional,
    fieldWithDefault,
    alias,
    flatten,
    computed,
    ignored,
    KnownNames,
    RejectUnknownFields (..),

    -- * Sums
    OneOf,
    Is (..),
    AlternativesIn,
    Alternatives,
    TagName,
    oneOf,
    constant,
    contents,
    fields,
    (<+>),
    untagged,
    enum,

    -- * Types within themselves
    named,
    recursive,

    -- * Names that are known when the program runs
    NamedFieldsIn,
    NamedFields,
    fieldNamed,
    optionalNamed,
    fieldNamedWithDefault,
    aliasNamed,
    flattenNamed,
    computedNamed,
    objectNamed,
    oneOfNamed,
    enumNamed,
    Mistake (..),
    renderMistake,

    -- * Codecs of containers
    module Tern.Internal.Wire.Container,

    -- * Codecs of scalars
    module Tern.Internal.Wire.Scalar,
    fixedWidth,
    MachineInteger,

    -- * Documents
    encodeJson,
    decodeJson,
    encodeMessagePack,
    decodeMessagePack,
    encodeCbor,
    decodeCbor,
    encodeNative,
    decodeNative,
  )
where

import Data.ByteString (ByteString)
import Tern.Error (Error)
import Tern.Internal.Cbor.Document qualified as Cbor
import Tern.Internal.Codec.Distinct (Mistake (..), renderMistake)
import Tern.Internal.Codec.Enum (enum, enumNamed)
import Tern.Internal.Codec.Object
  ( FieldName,
    Fields,
    FieldsIn,
    KnownNames,
    NamedFields,
    NamedFieldsIn,
    RejectUnknownFields (..),
    alias,
    aliasNamed,
    computed,
    computedNamed,
    field,
    fieldNamed,
    fieldNamedWithDefault,
    fieldWithDefault,
    flatten,
    flattenNamed,
    ignored,
    object,
    objectNamed,
    optional,
    optionalNamed,
    (<.),
    (<.>),
    type (++),
  )
import Tern.Internal.Codec.Recursive (named, recursive)
import Tern.Internal.Codec.Sum
  ( Alternatives,
    AlternativesIn,
    Is (..),
    OneOf,
    TagName,
    constant,
    contents,
    fields,
    oneOf,
    oneOfNamed,
    untagged,
    (<+>),
  )
import Tern.Internal.Json.Document qualified as Json
import Tern.Internal.MessagePack.Document qualified as MessagePack
import Tern.Internal.Native.Document qualified as Native
import Tern.Internal.Native.Shaped (layoutOf)
import Tern.Internal.Wire.Codec (Codec, CodecIn (..), describe, examples, mapCodec, onlyIn, refine)
import Tern.Internal.Wire.Container
import Tern.Internal.Wire.FixedWidth (MachineInteger, fixedWidth)
import Tern.Internal.Wire.Format (Every, Has, WireFormat (..), Within)
import Tern.Internal.Wire.Scalar
import Tern.Limits (Limits)
import Tern.Shape (ShapeOf (..))

-- $setup
-- >>> :set -XDataKinds -XOverloadedStrings
-- >>> import Tern (Error, Wire (..), defaultLimits)
-- >>> import Tern.Codec qualified as Codec
-- >>> import Tern.Codec ((<.>))

-- $names
-- The names of fields and tags are types: @field \@"name"@, with the extension
-- @DataKinds@. So two of one name are an error of the compiler, and what a document
-- has of a name is a constant of the program.
--
-- >>> data Bird = Bird {name :: String, wings :: Int} deriving Show
-- >>> :{
-- bird = Codec.object (Bird <$> Codec.field @"name" name codec <.> Codec.fieldWithDefault @"wings"
--   2 wings codec)
-- :}
-- >>> Codec.encodeJson bird (Bird "tern" 2)
-- "{\"name\":\"tern\",\"wings\":2}"
-- >>> Codec.decodeJson bird defaultLimits "{\"name\": \"auk\"}"
-- Right (Bird {name = "auk", wings = 2})

-- * Documents

-- | A value as a compact JSON document.
encodeJson :: (Has 'AsJson formats) => CodecIn formats a -> a -> ByteString
encodeJson codec = Json.encodeWith (jsonWriter codec)
{-# INLINE encodeJson #-}

-- | The value that a whole JSON document stands for.
decodeJson :: (Has 'AsJson formats) => CodecIn formats a -> Limits -> ByteString -> Either Error a
decodeJson codec = Json.decodeWith (jsonReader codec)
{-# INLINE decodeJson #-}

-- | A value as MessagePack.
encodeMessagePack :: (Has 'AsMessagePack formats) => CodecIn formats a -> a -> ByteString
encodeMessagePack codec = MessagePack.encodeWith (mpackWriter codec)
{-# INLINE encodeMessagePack #-}

-- | The value that a whole document of MessagePack stands for.
decodeMessagePack ::
  (Has 'AsMessagePack formats) => CodecIn formats a -> Limits -> ByteString -> Either Error a
decodeMessagePack codec = MessagePack.decodeWith (mpackReader codec)
{-# INLINE decodeMessagePack #-}

-- | A value as CBOR.
encodeCbor :: (Has 'AsCbor formats) => CodecIn formats a -> a -> ByteString
encodeCbor codec = Cbor.encodeWith (cborWriter codec)
{-# INLINE encodeCbor #-}

-- | The value that a whole document of CBOR stands for.
decodeCbor :: (Has 'AsCbor formats) => CodecIn formats a -> Limits -> ByteString -> Either Error a
decodeCbor codec = Cbor.decodeWith (cborReader codec)
{-# INLINE decodeCbor #-}

-- | A value in the native format.
encodeNative :: (Has 'AsNative formats) => CodecIn formats a -> a -> ByteString
encodeNative codec = Native.encodeWith (nativeWriter codec)
{-# INLINE encodeNative #-}

-- | The value that a whole document in the native format stands for.
decodeNative ::
  (Has 'AsNative formats) => CodecIn formats a -> Limits -> ByteString -> Either Error a
decodeNative codec = Native.decodeWith (layoutOf (theShape (codecShape codec))) (nativeReader codec)
{-# INLINE decodeNative #-}
