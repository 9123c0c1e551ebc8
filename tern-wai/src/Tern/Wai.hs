-- | Bodies of WAI's requests as values and sequences, and sequences as responses.
--
-- The idea: the chunks of a body are a source as "Tern.Stream" and "Tern.Container"
-- want one, and WAI's way to send is a place for an encoder's chunks; so memory is
-- bounded by one element, however long the body is, and a client that is slow is waited
-- for.
--
-- Start at 'foldBody' for many values, at 'bodyUpTo' for one.
module Tern.Wai
  ( -- * Requests
    bodyUpTo,
    foldBody,
    foldBodyOutcomes,

    -- * Responses
    responseSequence,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (byteString)
import Network.HTTP.Types (ResponseHeaders, Status)
import Network.Wai
import Tern (Limits (..), Wire)
import Tern.Stream

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.IORef
-- >>> import Network.Wai (defaultRequest, setRequestBodyChunks)
-- >>> import Tern
-- >>> import Tern.Stream
-- >>> let request chunks = do { left <- newIORef chunks; pure (setRequestBodyChunks (atomicModifyIORef' left (\cs -> (drop 1 cs, mconcat (take 1 cs)))) defaultRequest) }

-- | The body as one string, for a decoder of one value that has the same limits.
--
-- Where a body has more than 'maxBytes', reading ends with the chunk in which it does, so
-- that nobody can fill the memory. The decoder then refuses the string, for it is too long.
--
-- >>> body <- bodyUpTo defaultLimits =<< request ["[1,", "2]"]
-- >>> decodeJson body :: Either Error [Int]
-- Right [1,2]
--
-- >>> let few = defaultLimits {maxBytes = 4}
-- >>> body <- bodyUpTo few =<< request ["[1,", "2,", "3,", "4]"]
-- >>> body
-- "[1,2,"
-- >>> either (errorReason) (const TrailingInput) (decodeJsonWith few body :: Either Error [Int])
-- LimitExceeded (TooManyBytes 4)
bodyUpTo :: Limits -> Request -> IO ByteString
bodyUpTo limits request = go [] 0
  where
    go chunks size
      | size > maxBytes limits = pure (whole chunks)
      | otherwise = do
          chunk <- getRequestBodyChunk request
          if B.null chunk then pure (whole chunks) else go (chunk : chunks) (size + B.length chunk)
    whole = B.concat . reverse

-- | Fold over the values of a body, in order, until it ends or is damaged, as
-- 'foldStream' does. The limits are those of the decoder and hold for each element.
--
-- >>> foldBody (\n x -> pure (n + x)) 0 (decoder JsonLines defaultLimits :: Decoder Int) =<< request ["1\n2", "0\n", "3"]
-- (24,Nothing)
foldBody :: (s -> a -> IO s) -> s -> Decoder a -> Request -> IO (s, Maybe Fault)
foldBody f start d request = foldStream f start (getRequestBodyChunk request) d

-- | The same, and on behind a damaged element where the next one can be found, as
-- 'foldOutcomes' does.
foldBodyOutcomes :: (s -> Either Fault a -> IO s) -> s -> Decoder a -> Request -> IO s
foldBodyOutcomes f start d request = foldOutcomes f start (getRequestBodyChunk request) d

-- | A response of all values that an action hands on, in chunks of about 32 KiB, of which
-- each is flushed: what has been made is not kept back for what is not.
--
-- An exception of the action ends the response, as it does in WAI; the client then sees
-- that it is not whole.
responseSequence :: (Wire a) => Status -> ResponseHeaders -> Sequence -> ((a -> IO ()) -> IO ()) -> Response
responseSequence status headers order act =
  responseStream status headers $ \send flush ->
    encodeTo order (\chunk -> send (byteString chunk) >> flush) act
{-# INLINE responseSequence #-}
