{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MonoLocalBinds #-}

-- | JSON, the front door: values to documents and back.
--
-- What is written is compact and has no white space. What is read is RFC 8259
-- without extensions, one value with white space around it, in UTF-8 without a
-- byte-order mark. 'decodeJsonErrors' looks for all errors of a document: the decoder itself finds
-- each, so that what a codec by hand refuses is found too, and success costs what it always costs.
module Tern.Json
  ( -- * Encoding
    encodeJson,
    encodeJsonLazy,
    encodeJsonShort,
    encodeJsonTo,
    encodeJsonText,

    -- * Decoding
    decodeJson,
    decodeJsonLazy,
    decodeJsonText,
    decodeJsonWith,

    -- * All errors of a document
    decodeJsonErrors,
    decodeJsonErrorsWith,
    renderErrors,

    -- * Values of any shape
    toValue,
    fromValue,

    -- * Pieces that are copied
    Raw,
    raw,
    rawBytes,
    rawValue,
    rawOf,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString.Lazy qualified as BL
import Data.Text (Text)
import Data.Text.Encoding qualified as T
import Tern.Error (Error)
import Tern.Internal.Json.Document (decodeWith, encodeShortWith, encodeToWith, encodeWith)
import Tern.Internal.Json.Raw (Raw, raw, rawBytes, rawOf, rawValue)
import Tern.Internal.Wire.Class (direct, jsonRIn, jsonWIn)
import Tern.Internal.Wire.Direct (document, value)
import Tern.Json.Errors (decodeJsonErrors, decodeJsonErrorsWith, renderErrors)
import Tern.Limits (Limits, defaultLimits, unlimited)
import Tern.Value (Value, valueR, valueW)
import Tern.Wire (Wire, WireFormat (..), WireIn)

-- $setup
-- >>> import Data.ByteString.Char8 qualified as BC
-- >>> import Tern.Error (Error)
-- >>> import Tern.Value (Value)

-- | A value as a compact document.
--
-- INLINE: the writer is known where the type is.
--
-- >>> encodeJson [(1 :: Int, True)]
-- "[[1,true]]"
encodeJson :: (WireIn 'AsJson a) => a -> ByteString
encodeJson = encodeWith jsonWIn
{-# INLINE encodeJson #-}

-- | As 'encodeJson', in one lazy chunk.
encodeJsonLazy :: (WireIn 'AsJson a) => a -> BL.ByteString
encodeJsonLazy a = BL.fromStrict (encodeJson a)
{-# INLINE encodeJsonLazy #-}

-- | As 'encodeJson', if the document is short: some 3 KiB, or 32 KiB where most of it is one text.
-- A longer one costs no more than that, and is 'Nothing'.
encodeJsonShort :: (WireIn 'AsJson a) => a -> Maybe ByteString
encodeJsonShort = encodeShortWith jsonWIn
{-# INLINE encodeJsonShort #-}

-- | As 'encodeJson', to a consumer, in chunks of about 3 KiB, each of which it gets when it
-- is full: a document of any length needs the memory of one. An exception of the value or of
-- the consumer ends it where it is.
--
-- >>> encodeJsonTo BC.putStrLn [1 :: Int, 2]
-- [1,2]
encodeJsonTo :: (WireIn 'AsJson a) => (ByteString -> IO ()) -> a -> IO ()
encodeJsonTo = encodeToWith jsonWIn
{-# INLINE encodeJsonTo #-}

-- | As 'encodeJson', as text.
encodeJsonText :: (WireIn 'AsJson a) => a -> Text
encodeJsonText a = T.decodeUtf8 (encodeJson a)
{-# INLINE encodeJsonText #-}

-- | The value that a whole document stands for, within 'defaultLimits'.
--
-- >>> decodeJson "[1, 2, 3]" :: Either Error [Int]
-- Right [1,2,3]
decodeJson :: (WireIn 'AsJson a) => ByteString -> Either Error a
decodeJson = decodeJsonWith defaultLimits
{-# INLINE decodeJson #-}

-- | As 'decodeJson'. The chunks are joined first.
decodeJsonLazy :: (WireIn 'AsJson a) => BL.ByteString -> Either Error a
decodeJsonLazy input = decodeJson (BL.toStrict input)
{-# INLINE decodeJsonLazy #-}

-- | As 'decodeJson'. Offsets count bytes of UTF-8.
decodeJsonText :: (WireIn 'AsJson a) => Text -> Either Error a
decodeJsonText input = decodeJson (T.encodeUtf8 input)
{-# INLINE decodeJsonText #-}

-- | As 'decodeJson', within the limits given.
--
-- INLINE: the reader is known where the type is.
decodeJsonWith :: (WireIn 'AsJson a) => Limits -> ByteString -> Either Error a
decodeJsonWith = decodeWith jsonRIn
{-# INLINE decodeJsonWith #-}

-- * Values of any shape

-- | A value's document as data, without its bytes. Time and memory are those of the tree.
--
-- What a codec by hand writes that is no JSON is an error. A piece of which the library knows
-- nothing better, as of 'Raw', is written and read by itself; so are the values of sums without
-- tags.
--
-- >>> toValue [(1 :: Int, True)]
-- Right (Array [Array [Number 1,Bool True]])
toValue :: (Wire a) => a -> Either Error Value
toValue a = case document direct a of
  Just tree -> Right tree
  Nothing -> decodeWith valueR unlimited (encodeJson a)

-- | The value that a document stands for, likewise. A document that is not what 'toValue'
-- makes of the value is read over its bytes, as one with an error is: an error's offset counts in
-- the compact document, its path in any.
--
-- >>> fromValue =<< toValue [1, 2 :: Int] :: Either Error [Double]
-- Right [1.0,2.0]
fromValue :: (Wire a) => Value -> Either Error a
fromValue tree = case value direct tree of
  Just a -> Right a
  Nothing -> decodeJsonWith unlimited (encodeWith valueW tree)
