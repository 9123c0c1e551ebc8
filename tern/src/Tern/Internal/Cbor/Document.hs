{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Whole CBOR documents by any codec: one item and nothing after it.
module Tern.Internal.Cbor.Document
  ( encodeWith,
    encodeShortWith,
    encodeToWith,
    decodeWith,

    -- * Documents that say what they are
    selfDescribed,
    afterSelfDescribed,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import GHC.Exts
import Tern.Error (Error (..), Reason)
import Tern.Internal.Binary.Read (end)
import Tern.Internal.Cbor.Path (pathTo)
import Tern.Internal.Read (Reader (..), allowClaims, runReader)
import Tern.Internal.Write (Writer, runWriter, runWriterTo, runWriterWithin)
import Tern.Limits (Limits)
import Tern.Prim.BigEndian (load16)

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
-- and memory are linear in the document's bytes, whatever its heads claim.
--
-- INLINE: the reader is known where it is given.
decodeWith :: Reader a -> Limits -> ByteString -> Either Error a
decodeWith reader limits input = runReader limits (located input) (whole reader) input
{-# INLINE decodeWith #-}

-- | One item and nothing after it. All heads together may claim one item for
-- each byte.
whole :: Reader a -> Reader a
whole (Reader step) =
  Reader $ \ctx e c s -> case step ctx e c (allowClaims ctx (minusAddr# e c) s) of
    (# s1, c1, a #) -> case end e c1 s1 of
      (# s2, c2, () #) -> (# s2, c2, a #)
{-# INLINE whole #-}

-- NOINLINE: only failures come here.
located :: ByteString -> Int -> Reason -> Error
located input offset reason = Error offset (pathTo input offset) reason
{-# NOINLINE located #-}

-- * Documents that say what they are

-- | Tag 55799, whose three bytes begin no text in any encoding of Unicode (RFC
-- 8949, section 3.4.6). A document may begin with it.
selfDescribed :: ByteString
selfDescribed = B.pack [0xd9, 0xd9, 0xf7]

-- | The same, from after that tag where a document begins with it.
afterSelfDescribed :: Reader a -> Reader a
afterSelfDescribed (Reader step) = Reader $ \ctx e c s -> case minusAddr# e c ># 3# of
  1# -> case eqWord# (load16 c) 0xd9d9## `andI#` eqWord# (load16 (plusAddr# c 1#)) 0xd9f7## of
    1# -> step ctx e (plusAddr# c 3#) s
    _ -> step ctx e c s
  _ -> step ctx e c s
