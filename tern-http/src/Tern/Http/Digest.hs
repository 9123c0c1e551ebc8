-- | A digest of bytes for entity tags: equal bytes have equal digests, and others do not
-- by chance.
--
-- It is MD5, which comes with GHC. That is enough against chance; who could make two
-- values of one resource with the same digest on purpose can also say the same in both.
--
-- Why this is safe: the string's bytes are read while it is kept alive, and nothing else
-- is done to them, so that the result depends on nothing else.
module Tern.Http.Digest
  ( digest,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Unsafe (unsafeUseAsCStringLen)
import Foreign.Ptr (castPtr)
import GHC.Fingerprint (fingerprintData)
import System.IO.Unsafe (unsafeDupablePerformIO)

-- $setup
-- >>> :set -XOverloadedStrings

-- | 32 hexadecimal digits.
--
-- >>> digest "tern"
-- "1ccb2c23242dcb980f1a8de7d4991484"
digest :: ByteString -> ByteString
digest bytes = unsafeDupablePerformIO . unsafeUseAsCStringLen bytes $ \(start, size) ->
  BC.pack . show <$> fingerprintData (castPtr start) size
