{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MonoLocalBinds #-}

-- | CBOR (RFC 8949), the front door: values to documents and back.
--
-- A type's document says the same as its JSON, with CBOR's own types:
-- @docs\/spec\/cbor-mapping.md@ is the whole mapping. Everything is written in the
-- preferred serialization, and read in any. "Tern.Cbor.Value" has documents
-- of any shape and of which there is one for each value, and shows them;
-- "Tern.Internal.Cbor.Tag" has codecs with tags.
module Tern.Cbor
  ( -- * Encoding
    encodeCbor,
    encodeCborLazy,
    encodeCborShort,
    encodeCborTo,

    -- * Decoding
    decodeCbor,
    decodeCborLazy,
    decodeCborWith,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString.Lazy qualified as BL
import Tern.Error (Error)
import Tern.Internal.Cbor.Document (decodeWith, encodeShortWith, encodeToWith, encodeWith)
import Tern.Internal.Wire.Class (cborRIn, cborWIn)
import Tern.Limits (Limits, defaultLimits)
import Tern.Wire (WireFormat (..), WireIn)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.ByteString qualified as B
-- >>> import Tern.Error (Error)

-- | A value as a document.
--
-- INLINE: the writer is known where the type is.
--
-- >>> encodeCbor [(1 :: Int, True)]
-- "\129\130\SOH\245"
encodeCbor :: (WireIn 'AsCbor a) => a -> ByteString
encodeCbor = encodeWith cborWIn
{-# INLINE encodeCbor #-}

-- | As 'encodeCbor', in one lazy chunk.
encodeCborLazy :: (WireIn 'AsCbor a) => a -> BL.ByteString
encodeCborLazy a = BL.fromStrict (encodeCbor a)
{-# INLINE encodeCborLazy #-}

-- | As 'encodeCbor', if the document is short: some 3 KiB, or 32 KiB where most of it is one text.
-- A longer one costs no more than that, and is 'Nothing'.
encodeCborShort :: (WireIn 'AsCbor a) => a -> Maybe ByteString
encodeCborShort = encodeShortWith cborWIn
{-# INLINE encodeCborShort #-}

-- | As 'encodeCbor', to a consumer, in chunks of about 3 KiB, each of which it gets when it
-- is full: a document of any length needs the memory of one. An exception of the value or of
-- the consumer ends it where it is.
--
-- >>> encodeCborTo (print . B.length) [1 :: Int, 2]
-- 3
encodeCborTo :: (WireIn 'AsCbor a) => (ByteString -> IO ()) -> a -> IO ()
encodeCborTo = encodeToWith cborWIn
{-# INLINE encodeCborTo #-}

-- | The value that a whole document stands for, within 'defaultLimits'. Time and
-- memory are linear in the document's bytes, whatever its heads claim.
--
-- >>> decodeCbor "\x82\x01\x02" :: Either Error [Int]
-- Right [1,2]
decodeCbor :: (WireIn 'AsCbor a) => ByteString -> Either Error a
decodeCbor = decodeCborWith defaultLimits
{-# INLINE decodeCbor #-}

-- | As 'decodeCbor'. The chunks are joined first.
decodeCborLazy :: (WireIn 'AsCbor a) => BL.ByteString -> Either Error a
decodeCborLazy input = decodeCbor (BL.toStrict input)
{-# INLINE decodeCborLazy #-}

-- | As 'decodeCbor', within the limits given.
--
-- INLINE: the reader is known where the type is.
decodeCborWith :: (WireIn 'AsCbor a) => Limits -> ByteString -> Either Error a
decodeCborWith = decodeWith cborRIn
{-# INLINE decodeCborWith #-}
