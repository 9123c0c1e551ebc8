{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Whole native documents by any codec: one value and nothing after it.
module Tern.Internal.Native.Document
  ( encodeWith,
    encodeShortWith,
    encodeToWith,
    decodeWith,
    decodeViewsWith,
  )
where

import Control.Exception (evaluate)
import Data.ByteString (ByteString)
import GHC.Exts (Ptr (..), minusAddr#)
import GHC.IO (unsafeDupablePerformIO)
import Tern.Error (Error (..), Reason)
import Tern.Internal.Native.Layout (Layout)
import Tern.Internal.Native.Path (pathTo)
import Tern.Internal.Native.Read qualified as Native
import Tern.Internal.Native.Reader (NativeReader, step)
import Tern.Internal.Read (Reader (..), allowClaims, runReader, setNotes)
import Tern.Internal.Write (Writer, runWriter, runWriterPiecesTo, runWriterWithin)
import Tern.Limits (Limits)
import Tern.Prim.View (keeperAddress, newKeeper, releaseKeeper)

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
encodeToWith = runWriterPiecesTo
{-# INLINE encodeToWith #-}

-- | The value that a whole document stands for, within the limits given. Time
-- and memory are linear in the document's bytes, whatever its headers claim.
-- The layout is asked for names only where it does not decode.
--
-- INLINE: the reader is known where it is given.
decodeWith :: Layout -> NativeReader a -> Limits -> ByteString -> Either Error a
decodeWith layout r = \limits input -> runReader limits (located layout input) (whole r) input
{-# INLINE decodeWith #-}

-- | The same value, whose texts and bytes are pieces of the document and keep all of it. A text is
-- a copy where the document's memory is none of Haskell's own, as a mapped file's.
--
-- INLINE: the reader is known where it is given.
decodeViewsWith :: Layout -> NativeReader a -> Limits -> ByteString -> Either Error a
decodeViewsWith layout r = \limits input -> unsafeDupablePerformIO $ do
  keeper <- newKeeper input
  result <-
    evaluate
      ( runReader
          limits
          (located layout input)
          (viewed (keeperAddress keeper) (whole r))
          input
      )
  releaseKeeper keeper
  pure result
{-# INLINE decodeViewsWith #-}

-- | In a run of the native format's the notes are those of who keeps the document.
viewed :: Ptr () -> Reader a -> Reader a
viewed (Ptr keeper) (Reader read') = Reader $ \ctx e c s -> read' ctx e c (setNotes ctx keeper s)
{-# INLINE viewed #-}

-- | One value and nothing after it. Every value has a byte at least, so that
-- all headers together may claim one for each byte.
whole :: NativeReader a -> Reader a
whole r = Reader $ \ctx e c s -> case step r ctx e c (allowClaims ctx (minusAddr# e c) s) of
  (# s1, c1, a #) -> case Native.end e c1 s1 of
    (# s2, c2, () #) -> (# s2, c2, a #)
{-# INLINE whole #-}

-- NOINLINE: only failures come here.
located :: Layout -> ByteString -> Int -> Reason -> Error
located layout input offset reason = Error offset (pathTo layout input offset) reason
{-# NOINLINE located #-}
