{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Whole MessagePack documents by any codec: one value and nothing after it.
module Tern.Internal.MessagePack.Document
  ( encodeWith,
    encodeShortWith,
    encodeToWith,
    decodeWith,
  )
where

import Data.ByteString (ByteString)
import GHC.Exts (minusAddr#)
import Tern.Error (Error (..), Reason)
import Tern.Internal.MessagePack.Path (pathTo)
import Tern.Internal.MessagePack.Read qualified as MessagePack
import Tern.Internal.Read (Reader (..), allowClaims, runReader)
import Tern.Internal.Write (Writer, runWriter, runWriterTo, runWriterWithin)
import Tern.Limits (Limits)

-- | A value as a document.
--
-- INLINE: the writer is known where it is given.
encodeWith :: Writer a -> a -> ByteString
encodeWith = runWriter
{-# INLINE encodeWith #-}

-- | The same, if it is short.
--
-- INLINE: as 'encodeWith'.
encodeShortWith :: Writer a -> a -> Maybe ByteString
encodeShortWith = runWriterWithin
{-# INLINE encodeShortWith #-}

-- | The same, in chunks to a consumer.
--
-- INLINE: as 'encodeWith'.
encodeToWith :: Writer a -> (ByteString -> IO ()) -> a -> IO ()
encodeToWith = runWriterTo
{-# INLINE encodeToWith #-}

-- | The value that a whole document stands for, within the limits given. Time
-- and memory are linear in the document's bytes, whatever its headers claim.
--
-- INLINE: the reader is known where it is given.
decodeWith :: Reader a -> Limits -> ByteString -> Either Error a
decodeWith reader limits input = runReader limits (located input) (whole reader) input
{-# INLINE decodeWith #-}

-- | One value and nothing after it. All headers together may claim one value
-- for each byte.
whole :: Reader a -> Reader a
whole (Reader step) =
  Reader $ \ctx e c s -> case step ctx e c (allowClaims ctx (minusAddr# e c) s) of
    (# s1, c1, a #) -> case MessagePack.end e c1 s1 of
      (# s2, c2, () #) -> (# s2, c2, a #)
{-# INLINE whole #-}

-- NOINLINE: only failures come here.
located :: ByteString -> Int -> Reason -> Error
located input offset reason = Error offset (pathTo input offset) reason
{-# NOINLINE located #-}
