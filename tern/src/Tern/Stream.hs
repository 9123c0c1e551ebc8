-- | Sequences of values that need not fit into memory: JSON Lines, JSON,
-- MessagePack or CBOR values one after the other, one large JSON array.
--
-- Decoding starts with 'decoder'. Give it to 'foldStream' with a source of chunks,
-- to 'decodeLazy' with a lazy string, or drive it yourself by 'next'. Encoding is
-- 'encodeTo' for handles and sockets, 'encodeLazy' for lists. Functions that end in
-- @With@ are given a reader or a writer.
--
-- >>> mapM_ print (decodeLazy (decoder JsonLines defaultLimits :: Decoder Int) "1\n2\nthree\n4")
-- Right 1
-- Right 2
-- Left (Fault {faultIndex = 2, faultStart = 4, faultError = Error {errorOffset = 4, errorPath = [],
-- errorReason = Unexpected AnInteger}, faultLine = Just 3})
-- Right 4
module Tern.Stream
  ( -- * Sequences
    Sequence (..),

    -- * Decoding by pull
    Decoder,
    decoder,
    decoderWith,
    foldStream,
    foldOutcomes,
    chunksFrom,
    chunkSize,
    pull,
    decodeLazy,

    -- * Decoding by push
    Step (..),
    next,
    elementsBefore,
    position,
    unread,

    -- * Faults
    Fault (..),
    renderFault,

    -- * Encoding
    encodeTo,
    encodeToWith,
    encodeChunksTo,
    encodeChunksToWith,
    encodeLazy,
    encodeLazyWith,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString.Lazy qualified as BL
import Tern.Internal.Stream.Decoder
  ( Decoder,
    Step (..),
    decoderWith,
    elementsBefore,
    next,
    position,
    unread,
  )
import Tern.Internal.Stream.Encoder (encodeChunksToWith, encodeLazyWith, encodeToWith)
import Tern.Internal.Stream.Fault (Fault (..), renderFault)
import Tern.Internal.Stream.Pull (chunkSize, chunksFrom, decodeLazy, foldOutcomes, foldStream, pull)
import Tern.Internal.Stream.Sequence (Notation (..), Sequence (..), notation)
import Tern.Limits (Limits)
import Tern.Wire (Wire, cborR, cborW, jsonR, jsonW, mpackR, mpackW)

-- $setup
-- >>> import Tern (defaultLimits)

-- * Decoding by pull

-- | A decoder for a sequence of any type with formats, as 'decoderWith'.
--
-- INLINE: the reader is known where the type is.
decoder :: (Wire a) => Sequence -> Limits -> Decoder a
decoder order limits = case notation order of
  Json -> decoderWith order limits jsonR
  MessagePack -> decoderWith order limits mpackR
  Cbor -> decoderWith order limits cborR
{-# INLINE decoder #-}

-- * Encoding

-- | Put out one value after the other, as 'encodeToWith'.
--
-- INLINE: the writer is known where the type is.
encodeTo :: (Wire a) => Sequence -> (ByteString -> IO ()) -> ((a -> IO ()) -> IO r) -> IO r
encodeTo order = case notation order of
  Json -> encodeToWith order jsonW
  MessagePack -> encodeToWith order mpackW
  Cbor -> encodeToWith order cborW
{-# INLINE encodeTo #-}

-- | Put out one value after the other, as 'encodeTo', in chunks that go out when they have
-- this number of bytes; for a consumer that gathers by itself.
--
-- INLINE: the writer is known where the type is.
--
-- >>> encodeChunksTo 3 JsonArray print (\put -> mapM_ put [10, 20, 30 :: Int])
-- "[10"
-- ",20"
-- ",30"
-- "]"
encodeChunksTo ::
  (Wire a) => Int -> Sequence -> (ByteString -> IO ()) -> ((a -> IO ()) -> IO r) -> IO r
encodeChunksTo size order = case notation order of
  Json -> encodeChunksToWith size order jsonW
  MessagePack -> encodeChunksToWith size order mpackW
  Cbor -> encodeChunksToWith size order cborW
{-# INLINE encodeChunksTo #-}

-- | The values of a list as a sequence, as 'encodeLazyWith'.
--
-- INLINE: the writer is known where the type is.
--
-- >>> encodeLazy JsonArray [True, False]
-- "[true,false]"
encodeLazy :: (Wire a) => Sequence -> [a] -> BL.ByteString
encodeLazy order = case notation order of
  Json -> encodeLazyWith order jsonW
  MessagePack -> encodeLazyWith order mpackW
  Cbor -> encodeLazyWith order cborW
{-# INLINE encodeLazy #-}
