-- | Decoding a sequence from where its chunks come from: a handle, a lazy string,
-- the body of a request.
--
-- The idea: a source is an action that returns the next chunk, and an empty one
-- at the end and ever after. That is what @getRequestBodyChunk@ of WAI is for a
-- request, and @brRead@ of http-client for a response; 'chunksFrom' makes one of
-- a handle. Elements are handed over as they are decoded, and nothing keeps them.
module Tern.Internal.Stream.Pull
  ( -- * Folding
    foldStream,
    foldOutcomes,

    -- * Sources
    chunksFrom,
    chunkSize,

    -- * One at a time
    pull,
    decodeLazy,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.ByteString.Lazy.Internal qualified as BL
import System.IO (Handle)
import Tern.Internal.Stream.Decoder (Decoder, Step (..), next)
import Tern.Internal.Stream.Fault (Fault)

-- | Fold all elements from a source, as long as they decode. The first fault ends
-- it and is returned with what was folded before.
--
-- Memory: that of the decoder, and of what the fold keeps. The state is
-- evaluated at each element.
--
-- INLINABLE: the monad is known where it is used.
foldStream :: (Monad m) => (s -> a -> m s) -> s -> m ByteString -> Decoder a -> m (s, Maybe Fault)
foldStream f = \start source d0 ->
  let go !s d = case next d of
        Element a d' -> f s a >>= \s' -> go s' d'
        NeedMore feed -> source >>= \chunk -> go s (feed chunk)
        Damaged fault _ -> pure (s, Just fault)
        End -> pure (s, Nothing)
   in go start d0
{-# INLINEABLE foldStream #-}

-- | As 'foldStream', over elements and faults: it goes on after a damaged
-- element wherever the next one can be found. The sequence is not complete if a
-- fault is the last of it, but for JSON Lines, where each line is for itself.
foldOutcomes :: (Monad m) => (s -> Either Fault a -> m s) -> s -> m ByteString -> Decoder a -> m s
foldOutcomes f = \start source d0 ->
  let go !s d = case next d of
        Element a d' -> f s (Right a) >>= \s' -> go s' d'
        NeedMore feed -> source >>= \chunk -> go s (feed chunk)
        Damaged fault (Just d') -> f s (Left fault) >>= \s' -> go s' d'
        Damaged fault Nothing -> f s (Left fault)
        End -> pure s
   in go start d0
{-# INLINEABLE foldOutcomes #-}

-- * Sources

-- | Chunks of at most @size@ bytes, as they come.
chunksFrom :: Int -> Handle -> IO ByteString
chunksFrom size handle = B.hGetSome handle (max 1 size)

-- | 32 KiB: few calls, and in a processor's nearer cache.
chunkSize :: Int
chunkSize = 32 * 1024

-- * One at a time

-- | The next element or fault from a source, and where to go on; 'Nothing' at the
-- end, which a fault may have been. For loops that a fold does not fit.
pull :: (Monad m) => m ByteString -> Decoder a -> m (Maybe (Either Fault a, Maybe (Decoder a)))
pull source = go
  where
    go d = case next d of
      Element a d' -> pure (Just (Right a, Just d'))
      Damaged fault d' -> pure (Just (Left fault, d'))
      NeedMore feed -> source >>= go . feed
      End -> pure Nothing
{-# INLINEABLE pull #-}

-- | All elements and faults of a lazy string, each when it is asked for; a
-- chunk of it is let go when its elements have been. @takeWhile isRight@ is the
-- way to stop at damage.
decodeLazy :: Decoder a -> BL.ByteString -> [Either Fault a]
decodeLazy d input = case next d of
  Element a d' -> Right a : decodeLazy d' input
  Damaged fault rest -> Left fault : maybe [] (`decodeLazy` input) rest
  NeedMore feed -> case input of
    BL.Empty -> decodeLazy (feed B.empty) BL.Empty
    BL.Chunk chunk later -> decodeLazy (feed chunk) later
  End -> []
