-- | How a block's bytes are made fewer.
--
-- The idea: a way to compress is a value, and this package brings none: the one
-- that the format names, Zstandard, is in the package @tern-zstd@.
module Tern.Internal.Container.Compression
  ( Compression (..),
  )
where

import Data.ByteString (ByteString)
import Data.Word (Word8)

-- | A way to compress, and back.
data Compression = Compression
  { -- | What the format calls it: 1 is Zstandard; 0 and 255 mean something else.
    compressionCode :: !Word8,
    -- | Fewer bytes, or 'Nothing' where they are not fewer.
    compress :: ByteString -> Maybe ByteString,
    -- | The bytes again, of which there are @n@; 'Nothing' for what is damaged, or has
    -- another number. It allocates no more than @n@ bytes, whatever the input says.
    decompress :: Int -> ByteString -> Maybe ByteString
  }
