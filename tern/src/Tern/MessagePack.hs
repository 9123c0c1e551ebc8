{-# LANGUAGE DataKinds #-}
{-# LANGUAGE MonoLocalBinds #-}

-- | MessagePack, the front door: values to documents and back.
--
-- A type's document says the same as its JSON, with MessagePack's own types:
-- @docs\/spec\/msgpack-mapping.md@ is the whole mapping. Everything is written in
-- its shortest format, and read in any.
module Tern.MessagePack
  ( -- * Encoding
    encodeMessagePack,
    encodeMessagePackLazy,
    encodeMessagePackShort,
    encodeMessagePackTo,

    -- * Decoding
    decodeMessagePack,
    decodeMessagePackLazy,
    decodeMessagePackWith,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString.Lazy qualified as BL
import Tern.Error (Error)
import Tern.Internal.MessagePack.Document (decodeWith, encodeShortWith, encodeToWith, encodeWith)
import Tern.Internal.Wire.Class (mpackRIn, mpackWIn)
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
-- >>> encodeMessagePack [(1 :: Int, True)]
-- "\145\146\SOH\195"
encodeMessagePack :: (WireIn 'AsMessagePack a) => a -> ByteString
encodeMessagePack = encodeWith mpackWIn
{-# INLINE encodeMessagePack #-}

-- | As 'encodeMessagePack', in one lazy chunk.
encodeMessagePackLazy :: (WireIn 'AsMessagePack a) => a -> BL.ByteString
encodeMessagePackLazy a = BL.fromStrict (encodeMessagePack a)
{-# INLINE encodeMessagePackLazy #-}

-- | As 'encodeMessagePack', if the document is short: some 3 KiB, or 32 KiB where most of it is
-- one text. A longer one costs no more than that, and is 'Nothing'.
encodeMessagePackShort :: (WireIn 'AsMessagePack a) => a -> Maybe ByteString
encodeMessagePackShort = encodeShortWith mpackWIn
{-# INLINE encodeMessagePackShort #-}

-- | As 'encodeMessagePack', to a consumer, in chunks of about 3 KiB, each of which it gets when it
-- is full: a document of any length needs the memory of one. An exception of the value or of
-- the consumer ends it where it is.
--
-- >>> encodeMessagePackTo (print . B.length) [1 :: Int, 2]
-- 3
encodeMessagePackTo :: (WireIn 'AsMessagePack a) => (ByteString -> IO ()) -> a -> IO ()
encodeMessagePackTo = encodeToWith mpackWIn
{-# INLINE encodeMessagePackTo #-}

-- | The value that a whole document stands for, within 'defaultLimits'. Time and
-- memory are linear in the document's bytes, whatever its headers claim.
--
-- >>> decodeMessagePack "\x92\x01\x02" :: Either Error [Int]
-- Right [1,2]
decodeMessagePack :: (WireIn 'AsMessagePack a) => ByteString -> Either Error a
decodeMessagePack = decodeMessagePackWith defaultLimits
{-# INLINE decodeMessagePack #-}

-- | As 'decodeMessagePack'. The chunks are joined first.
decodeMessagePackLazy :: (WireIn 'AsMessagePack a) => BL.ByteString -> Either Error a
decodeMessagePackLazy input = decodeMessagePack (BL.toStrict input)
{-# INLINE decodeMessagePackLazy #-}

-- | As 'decodeMessagePack', within the limits given.
--
-- INLINE: the reader is known where the type is.
decodeMessagePackWith :: (WireIn 'AsMessagePack a) => Limits -> ByteString -> Either Error a
decodeMessagePackWith = decodeWith mpackRIn
{-# INLINE decodeMessagePackWith #-}
