-- | CRC32C of bytes, and the search for the head of a container's block.
--
-- The idea: a checksum runs over every byte of a container, so it must cost next
-- to nothing beside decoding: the processor's own instruction, three runs at a
-- time, and tables where it has none (@cbits\/tern_crc32c.c@).
--
-- What callers owe: nothing. The C reads only the bytes it is given.
module Tern.Prim.Checksum
  ( crc32c,
    crc32cByTables,
    findHead,
  )
where

import Data.ByteString.Internal (ByteString (..))
import Data.Word (Word32, Word64, Word8)
import Foreign.Ptr (Ptr)
import GHC.ForeignPtr (unsafeWithForeignPtr)
import System.IO.Unsafe (unsafeDupablePerformIO)

foreign import ccall unsafe "tern_crc32c" c_crc32c :: Ptr Word8 -> Int -> Int -> IO Word64

foreign import ccall unsafe "tern_crc32c_tables"
  c_crc32c_tables ::
    Ptr Word8 -> Int -> Int -> IO Word64

foreign import ccall unsafe "tern_find_head"
  c_find_head ::
    Ptr Word8 -> Int -> Int -> Word64 -> Word64 -> IO Int

-- | The checksum of RFC 3720, appendix B.4. Nothing has 0.
crc32c :: ByteString -> Word32
crc32c (BS bytes n) =
  fromIntegral (unsafeDupablePerformIO (unsafeWithForeignPtr bytes (\p -> c_crc32c p 0 n)))

-- | The same on a processor without an instruction for it.
crc32cByTables :: ByteString -> Word32
crc32cByTables (BS bytes n) =
  fromIntegral (unsafeDupablePerformIO (unsafeWithForeignPtr bytes (\p -> c_crc32c_tables p 0 n)))

-- | The first offset from the one given on, where 64 bytes are a head as far as its
-- checksum says: one that begins with the mark or, where that is not known, one that
-- has zeros where every head has them.
findHead :: Maybe Word64 -> Int -> ByteString -> Maybe Int
findHead mark from (BS bytes n)
  | found < n = Just found
  | otherwise = Nothing
  where
    (known, wanted) = maybe (0, 0) (1,) mark
    found =
      unsafeDupablePerformIO (unsafeWithForeignPtr bytes (\p -> c_find_head p from n known wanted))
