-- | Bytes at another place each time.
--
-- The idea: where in a line of the cache a string begins makes what reads it quicker or
-- slower by a few per cent, in every round alike, so that no interval shows it: of two
-- copies of one string the second was read 2 % faster in every run. Bytes that come from a
-- file or a socket begin anywhere. So each batch is given a copy that begins elsewhere, and
-- what the place does is in the spread (after Curtsinger and Berger, "Stabilizer", 2013).
--
-- Start at 'elsewhere'.
module Tern.Lab.Place
  ( elsewhere,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.IORef (atomicModifyIORef', newIORef)

-- | An action that gives a copy of the bytes each time. A copy begins 0 to 63 bytes into its
-- memory; 64 copies in a row begin at 64 different distances. O(n) for a copy of @n@ bytes.
elsewhere :: ByteString -> IO (IO ByteString)
elsewhere bytes = do
  next <- newIORef 0
  pure $ do
    -- An odd step meets all 64, and neighbours are far apart.
    offset <- atomicModifyIORef' next (\now -> ((now + 37) `mod` 64, now))
    pure $! B.drop offset (B.replicate offset 0 <> bytes)
