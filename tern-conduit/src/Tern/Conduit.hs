-- | The sequences of "Tern.Stream" as conduits: 'decodeC' from chunks to elements
-- and faults, 'encodeC' from values to chunks. (Containers: "Tern.Conduit.Container".)
--
-- The idea: a decoder asks for more where a conduit awaits, and that is all there
-- is to it.
module Tern.Conduit
  ( decodeC,
    encodeC,
  )
where

import Conduit (ConduitT, MonadIO (..), await, yield)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Tern.Conduit.Chunk (nextChunk)
import Tern.Internal.Stream.Encoder (conclude, newOutlet, offer, usualChunk)
import Tern.Internal.Write (Writer)
import Tern.Stream (Decoder, Fault, Sequence, Step (..), next)

-- $setup
-- >>> import Conduit
-- >>> import Tern (defaultLimits, jsonR, jsonW)
-- >>> import Tern.Stream

-- | Decode a sequence. After a damaged element it goes on where the next one can
-- be found; to end at the first fault, follow it by @takeWhileC isRight@. Chunks
-- may be empty.
--
-- >>> :{
-- runConduit (yieldMany ["1\n2", "3\n"] .| decodeC
--   (decoderWith JsonLines defaultLimits jsonR :: Decoder Int) .| sinkList)
-- :}
-- [Right 1,Right 23]
decodeC :: (Monad m) => Decoder a -> ConduitT ByteString (Either Fault a) m ()
decodeC d = case next d of
  Element a d' -> yield (Right a) >> decodeC d'
  Damaged fault rest -> yield (Left fault) >> mapM_ decodeC rest
  NeedMore feed -> nextChunk >>= decodeC . feed
  End -> pure ()

-- | Encode values as a sequence, in chunks of about 32 KiB.
--
-- INLINE: the writer is known where it is given.
--
-- >>> runConduit (yieldMany [1, 2, 3 :: Int] .| encodeC JsonArray jsonW .| foldC)
-- "[1,2,3]"
encodeC :: (MonadIO m) => Sequence -> Writer a -> ConduitT a ByteString m ()
encodeC order writer = liftIO (newOutlet usualChunk order) >>= go
  where
    go outlet =
      await >>= \case
        Nothing -> liftIO (conclude outlet) >>= out
        Just value -> liftIO (offer outlet writer value) >>= out >> go outlet
    out bytes
      | B.null bytes = pure ()
      | otherwise = yield bytes
{-# INLINE encodeC #-}
