-- | A request's content, within limits: as it comes, and once it is decompressed.
--
-- The idea: one source of chunks with a limit before each coding that is undone and one
-- after it. Going over a limit is thrown where the chunk is drawn, and nothing is read
-- from then on: what is too large costs its limit, not its size.
--
-- Start at 'contentSource'.
module Tern.Http.Content
  ( ContentLimits (..),
    defaultContentLimits,
    contentSource,
    boundedSource,
    wholeOf,
    ContentFault (..),
    faultsOf,
  )
where

import Control.Exception (Exception, Handler (..), catches, throwIO)
import Control.Monad (foldM)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Network.Wai (Request, RequestBodyLength (..), getRequestBodyChunk, requestBodyLength)
import Tern (Limits (..), defaultLimits)
import Tern.Http.Coding (Broken, Coding, Source, decoding)

-- | What a request's content may cost.
data ContentLimits = ContentLimits
  { -- | Bytes as they come.
    maxReceived :: !Int,
    -- | Bytes once they are decompressed, and after each coding that is undone.
    maxDecoded :: !Int,
    -- | Beyond the first 256 KiB, as many times as many bytes as came there may be after each
    -- coding that is undone. So a bomb costs no more than what was sent is worth.
    maxExpansion :: !Int,
    -- | For the decoder of the value, or of each value of a sequence.
    contentLimits :: !Limits
  }
  deriving stock (Eq, Show)

-- | 16 MiB as they come, 64 MiB decompressed, beyond 256 KiB no more than 250 times what came,
-- and the decoders' own limits.
defaultContentLimits :: ContentLimits
defaultContentLimits =
  ContentLimits
    { maxReceived =
        16 * 1024 * 1024,
      maxDecoded = 64 * 1024 * 1024,
      maxExpansion = 250,
      contentLimits = defaultLimits
    }

-- | What was wrong with a request's content before it was read as a format.
data ContentFault
  = -- | More bytes came than this.
    TooLarge !Int
  | -- | Decompressed, it has more bytes than this.
    TooLargeDecoded !Int
  | -- | It is not compressed as it says.
    NotDecoded !Broken
  deriving stock (Eq, Show)

instance Exception ContentFault

-- | The chunks of a request's content with these codings undone, the first one first.
-- What announces itself as too large is not read at all.
contentSource :: ContentLimits -> [Coding] -> Request -> IO Source
contentSource limits codings request = case requestBodyLength request of
  KnownLength size
    | size > fromIntegral (maxReceived limits) ->
        throwIO (TooLarge (maxReceived limits))
  _ -> boundedSource limits codings (getRequestBodyChunk request)

-- | The chunks of a source with these codings undone, the first one first, within these
-- limits.
boundedSource :: ContentLimits -> [Coding] -> Source -> IO Source
boundedSource limits codings source = do
  came <- newIORef 0
  let received = limited TooLarge (pure (maxReceived limits)) came source
      undone before coding =
        limited TooLargeDecoded (worth limits <$> readIORef came)
          <$> newIORef 0
          <*> decoding coding before
  foldM undone received codings

-- | To how many bytes this number of bytes may become.
worth :: ContentLimits -> Int -> Int
worth limits came
  | came > (maxDecoded limits - least) `div` max 1 (maxExpansion limits) = maxDecoded limits
  | otherwise = min (maxDecoded limits) (least + came * maxExpansion limits)
  where
    least = 256 * 1024

-- | The same chunks, counted, or the fault once they have more bytes than they may.
limited :: (Int -> ContentFault) -> IO Int -> IORef Int -> Source -> Source
limited fault allowed count source = do
  chunk <- source
  most <- allowed
  n <- (+ B.length chunk) <$> readIORef count
  if n > most then throwIO (fault most) else chunk <$ writeIORef count n

-- | All that is left of a source.
wholeOf :: Source -> IO ByteString
wholeOf source = go []
  where
    go chunks = do
      chunk <- source
      if B.null chunk then pure (B.concat (reverse chunks)) else go (chunk : chunks)

-- | What an action gives, or the fault that it ended with.
faultsOf :: IO a -> IO (Either ContentFault a)
faultsOf action =
  fmap Right action
    `catches` [Handler (pure . Left), Handler (pure . Left . NotDecoded)]
