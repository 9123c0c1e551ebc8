-- | Sequences of values that need not fit into memory: JSON Lines, JSON values or
-- MessagePack values behind each other, one large JSON array.
--
-- Decoding starts with 'decoderWith'. Give it to 'foldStream' with a source of
-- chunks, to 'decodeLazy' with a lazy string, or drive it yourself by 'next'.
-- Encoding is 'encodeToWith' for handles and sockets, 'encodeLazyWith' for lists.
--
-- >>> let lines = decoderWith JsonLines defaultLimits jsonR :: Decoder Int
-- >>> mapM_ print (decodeLazy lines "1\n2\nthree\n4")
-- Right 1
-- Right 2
-- Left (Fault {faultIndex = 2, faultStart = 4, faultError = Error {errorOffset = 4, errorPath = [], errorReason = Unexpected AnInteger}})
-- Right 4
module Tern.Stream
  ( -- * Sequences
    Sequence (..),

    -- * Decoding by pull
    foldStream,
    foldOutcomes,
    chunksFrom,
    chunkSize,
    pull,
    decodeLazy,

    -- * Decoding by push
    Decoder,
    decoderWith,
    Step (..),
    next,
    elementsBefore,
    position,
    unread,

    -- * Faults
    Fault (..),
    renderFault,

    -- * Encoding
    encodeToWith,
    encodeLazyWith,
  )
where

import Tern.Stream.Decoder
import Tern.Stream.Encoder
import Tern.Stream.Fault
import Tern.Stream.Pull
import Tern.Stream.Sequence

-- $setup
-- >>> import Tern (defaultLimits, jsonR)
