-- | Zstandard for the blocks of Tern's native containers.
--
-- The idea: a block says how many bytes it has decompressed, and that has been held
-- against the reader's bounds before. So there is room for just as many, and what
-- the compressed bytes say of themselves is not asked.
--
-- > writeContainerFile defaultBlocks {compressed = Just (zstd 3)} …
-- > containerDecoder defaultSettings {understood = [zstd 3]} …
module Tern.Zstd
  ( zstd,
  )
where

import Codec.Compression.Zstd.FFI qualified as Z
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Internal qualified as B
import Data.ByteString.Unsafe qualified as BU
import Foreign.Ptr (castPtr)
import System.IO.Unsafe (unsafeDupablePerformIO)
import Tern.Container (Compression (..))

-- $setup
-- >>> import Tern.Container
-- >>> import Data.ByteString qualified as B

-- | Compression by a level from 1 (fast) to 22 (small); others are brought within.
-- It decompresses what any level has made.
--
-- >>> let bytes = B.replicate 1000 7
-- >>> (< 100) . B.length <$> compress (zstd 3) bytes
-- Just True
-- >>> (compress (zstd 3) bytes >>= decompress (zstd 3) 1000) == Just bytes
-- True
zstd :: Int -> Compression
zstd level =
  Compression
    { compressionCode = 1,
      compress = fewer (max 1 (min Z.maxCLevel level)),
      decompress = again
    }

fewer :: Int -> ByteString -> Maybe ByteString
fewer level bytes
  -- There is room for one byte less than there was: where that does not do, the bytes
  -- are not fewer.
  | room < 1 = Nothing
  | otherwise = unsafeDupablePerformIO . BU.unsafeUseAsCStringLen bytes $ \(from, n) -> do
      (found, size) <- B.createUptoN' room $ \to -> do
        size <-
          Z.compress
            (castPtr to)
            (fromIntegral room)
            (castPtr from)
            (fromIntegral n)
            (fromIntegral level)
        pure (if Z.isError size then 0 else fromIntegral size, size)
      pure (if Z.isError size then Nothing else Just (B.copy found))
  where
    room = B.length bytes - 1

again :: Int -> ByteString -> Maybe ByteString
again n bytes
  | n <= 0 = Nothing
  | otherwise = unsafeDupablePerformIO . BU.unsafeUseAsCStringLen bytes $ \(from, size) -> do
      (found, made) <- B.createUptoN' n $ \to -> do
        made <- Z.decompress (castPtr to) (fromIntegral n) (castPtr from) (fromIntegral size)
        pure (if Z.isError made then 0 else fromIntegral made, made)
      pure (if Z.isError made || fromIntegral made /= n then Nothing else Just found)
