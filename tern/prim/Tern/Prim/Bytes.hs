{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# LANGUAGE UnliftedFFITypes #-}

-- | Bytes as text, and from it: base64, hexadecimal digits, UUIDs
-- (@cbits\/tern_bytes.c@).
--
-- All are unsafe foreign calls, which do not call back. A caller owes addresses of
-- memory that it keeps alive, and room for what is written.
module Tern.Prim.Bytes
  ( -- * Alphabets
    Alphabet (..),
    encodedSize,
    encode,
    decode,

    -- * UUIDs
    uuidSize,
    pokeUuid,
    uuidHigh,
    uuidLow,
  )
where

import Data.ByteString.Internal (ByteString (..))
import Foreign.Ptr (Ptr)
import GHC.Exts hiding (Ptr)
import GHC.Exts qualified as Exts
import GHC.ForeignPtr (ForeignPtr (..), mallocPlainForeignPtrBytes, unsafeWithForeignPtr)
import GHC.IO (IO (..))
import GHC.Int (Int64 (..))
import GHC.Word (Word64 (..), Word8)
import Tern.Prim.Buffer (Poke)

foreign import ccall unsafe "tern_base64_write"
  c_base64_write ::
    Ptr Word8 -> Word64 -> Word64 -> Ptr Word8 -> IO ()

foreign import ccall unsafe "tern_base64_read"
  c_base64_read ::
    Ptr Word8 -> Word64 -> Word64 -> Ptr Word8 -> IO Int64

foreign import ccall unsafe "tern_hex_write"
  c_hex_write ::
    Ptr Word8 -> Word64 -> Ptr Word8 -> IO ()

foreign import ccall unsafe "tern_hex_read"
  c_hex_read ::
    Ptr Word8 -> Word64 -> Ptr Word8 -> IO Int64

foreign import ccall unsafe "tern_uuid_write" c_uuid_write :: Word64 -> Word64 -> Ptr Word8 -> IO ()

foreign import ccall unsafe "tern_uuid_high"
  c_uuid_high ::
    Ptr Word8 -> MutableByteArray# RealWorld -> IO Word64

foreign import ccall unsafe "tern_uuid_low"
  c_uuid_low ::
    Ptr Word8 -> MutableByteArray# RealWorld -> IO Word64

-- * Alphabets

-- | How bytes are text (RFC 4648).
data Alphabet
  = -- | Padded when written.
    Base64
  | -- | For addresses and names of files; not padded when written.
    Base64Url
  | -- | Two hexadecimal digits a byte, in small letters when written.
    Base16

-- | How many characters @n@ bytes are.
encodedSize :: Alphabet -> Int -> Int
encodedSize alphabet n = case alphabet of
  Base64 -> (n + 2) `quot` 3 * 4
  Base64Url -> (n * 4 + 2) `quot` 3
  Base16 -> n * 2

-- | Write bytes as text, for which there is room.
encode :: Alphabet -> ByteString -> Poke
encode alphabet (BS from n) op s = case unsafeWithForeignPtr from (\p -> writer p) of
  IO f -> case f s of (# s1, () #) -> (# s1, plusAddr# op size #)
  where
    to = Exts.Ptr op
    count = fromIntegral n
    !(I# size) = encodedSize alphabet n
    writer p = case alphabet of
      Base64 -> c_base64_write p count 0 to
      Base64Url -> c_base64_write p count 1 to
      Base16 -> c_hex_write p count to
{-# NOINLINE encode #-}

-- | The bytes that the @n@ characters from an address say; or -1 - the offset of the
-- first that is wrong, and no bytes. Linear time.
decode :: Alphabet -> Addr# -> Int# -> State# RealWorld -> (# State# RealWorld, Int#, ByteString #)
decode alphabet a n s = case mallocPlainForeignPtrBytes room of
  IO allocate -> case allocate s of
    (# s1, to@(ForeignPtr op _) #) -> case reader (Exts.Ptr op) of
      IO f -> case f s1 of
        (# s2, I64# k #) -> case touch# to s2 of
          s3
            | isTrue# (int64ToInt# k <# 0#) -> (# s3, int64ToInt# k, BS to 0 #)
            | otherwise -> (# s3, int64ToInt# k, BS to (I# (int64ToInt# k)) #)
  where
    from = Exts.Ptr a
    count = fromIntegral (I# n)
    room = case alphabet of
      Base64 -> I# n `quot` 4 * 3 + 2
      Base64Url -> I# n `quot` 4 * 3 + 2
      Base16 -> I# n `quot` 2
    reader to = case alphabet of
      Base64 -> c_base64_read from count 0 to
      Base64Url -> c_base64_read from count 1 to
      Base16 -> c_hex_read from count to
{-# NOINLINE decode #-}

-- * UUIDs

-- | The characters of a UUID.
uuidSize :: Int
uuidSize = 36

-- | Write the text of a UUID, the high word first.
pokeUuid :: Word# -> Word# -> Poke
pokeUuid
  high
  low
  op
  s = case c_uuid_write (W64# (wordToWord64# high)) (W64# (wordToWord64# low)) (Exts.Ptr op) of
    IO f -> case f s of (# s1, () #) -> (# s1, plusAddr# op 36# #)
{-# INLINE pokeUuid #-}

-- | Of the 36 characters from an address what the first 18, and the last 18, say. The
-- array's first word is set to 0, or to 1 + the offset of the first that is wrong.
uuidHigh,
  uuidLow ::
    MutableByteArray# RealWorld -> Addr# -> State# RealWorld -> (# State# RealWorld, Word64 #)
uuidHigh wrong a = case c_uuid_high (Exts.Ptr a) wrong of IO f -> f
uuidLow wrong a = case c_uuid_low (Exts.Ptr (plusAddr# a 18#)) wrong of IO f -> f
{-# INLINE uuidHigh #-}
{-# INLINE uuidLow #-}
