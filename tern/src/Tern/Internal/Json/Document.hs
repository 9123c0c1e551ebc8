{-# LANGUAGE UnboxedTuples #-}

-- | Whole JSON documents by any codec: one value and nothing after it.
module Tern.Internal.Json.Document
  ( encodeWith,
    encodeShortWith,
    encodeToWith,
    decodeWith,

    -- * As text
    encodeTextWith,
    decodeTextWith,
  )
where

import Data.ByteString (ByteString)
import Data.Text (Text)
import Data.Text.Encoding qualified as T
import Tern.Error (Error (..), Reason)
import Tern.Internal.Json.Path (pathTo)
import Tern.Internal.Json.Read qualified as Json
import Tern.Internal.Read (Reader (..), runReader)
import Tern.Internal.Write (Writer, runWriter, runWriterTo, runWriterWithin)
import Tern.Limits (Limits, defaultLimits)

-- | A value as a compact document.
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

-- | The value that a whole document stands for, within the limits given.
--
-- INLINE: the reader is known where it is given.
decodeWith :: Reader a -> Limits -> ByteString -> Either Error a
decodeWith reader limits input = runReader limits (located input) (whole reader) input
{-# INLINE decodeWith #-}

-- | A value as a compact document.
encodeTextWith :: Writer a -> a -> Text
encodeTextWith writer a = T.decodeUtf8 (encodeWith writer a)

-- | The value that a whole document stands for, within 'defaultLimits'.
decodeTextWith :: Reader a -> Text -> Either Error a
decodeTextWith reader input = decodeWith reader defaultLimits (T.encodeUtf8 input)

-- | One value and nothing after it.
whole :: Reader a -> Reader a
whole (Reader step) = Reader $ \ctx e c s -> case step ctx e c s of
  (# s1, c1, a #) -> case Json.end e c1 s1 of
    (# s2, c2, () #) -> (# s2, c2, a #)
{-# INLINE whole #-}

-- NOINLINE: only failures come here.
located :: ByteString -> Int -> Reason -> Error
located input offset reason = Error offset (pathTo input offset reason) reason
{-# NOINLINE located #-}
