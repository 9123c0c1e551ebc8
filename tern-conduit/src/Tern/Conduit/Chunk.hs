-- | What a conduit is given, as a decoder wants it.
module Tern.Conduit.Chunk
  ( nextChunk,
  )
where

import Conduit (ConduitT, await)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B

-- | The next chunk, and an empty one at the end; those that come empty are none.
nextChunk :: (Monad m) => ConduitT ByteString o m ByteString
nextChunk =
  await >>= \case
    Nothing -> pure B.empty
    Just bytes
      | B.null bytes -> nextChunk
      | otherwise -> pure bytes
