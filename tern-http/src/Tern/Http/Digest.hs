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
import Data.ByteString.Lazy qualified as BL
import Data.ByteString.Unsafe (unsafeUseAsCStringLen)
import Foreign.Ptr (castPtr)
import GHC.Fingerprint (Fingerprint, fingerprintData, fingerprintFingerprints)
import System.IO.Unsafe (unsafeDupablePerformIO)

-- $setup
-- >>> :set -XOverloadedStrings

-- | 32 hexadecimal digits, whatever chunks the bytes are in: of more than a block of 64
-- KiB the digest of its blocks' digests, so that no more than a block has to be one string.
--
-- >>> digest "tern"
-- "1ccb2c23242dcb980f1a8de7d4991484"
digest :: BL.ByteString -> ByteString
digest bytes = BC.pack . show $ case map ofBlock (blocks bytes) of
  [one] -> one
  several -> fingerprintFingerprints several

ofBlock :: ByteString -> Fingerprint
ofBlock block = unsafeDupablePerformIO . unsafeUseAsCStringLen block $ \(start, size) ->
  fingerprintData (castPtr start) size

-- | Of 64 KiB each but the last; there is at least one.
blocks :: BL.ByteString -> [ByteString]
blocks bytes
  | BL.null rest = [BL.toStrict block]
  | otherwise = BL.toStrict block : blocks rest
  where
    (block, rest) = BL.splitAt 65536 bytes
