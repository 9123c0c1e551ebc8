-- | Numbers as the binary format writes them.
module Tern.Wasm.Text.Bytes
  ( opcode,
    prefixed,
    leb,
    unsignedLeb,
    signedLeb,
    extend,
    sizedBytes,
  )
where

import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.ByteString qualified as B
import Data.ByteString.Builder (Builder)
import Data.ByteString.Builder qualified as BB
import Data.ByteString.Lazy qualified as BL
import Data.Int (Int64)
import Data.Word (Word64, Word8)

-- | The bytes of a code of "Tern.Wasm.Opcode": one byte below 0x100, else the prefix 0xFC or 0xFD
-- and a number.
opcode :: Int -> Builder
opcode code
  | code < 0x100 = BB.word8 (fromIntegral code)
  | code < 0x200 = prefixed 0xFC (code - 0x100)
  | otherwise = prefixed 0xFD (code - 0x200)

-- | A prefix, then a number in unsigned LEB128.
prefixed :: Word8 -> Int -> Builder
prefixed p n = BB.word8 p <> leb n

-- | A number that is not negative, in unsigned LEB128.
leb :: Int -> Builder
leb = unsignedLeb . fromIntegral

-- | Unsigned LEB128 in as few bytes as can be: 1 to 10.
unsignedLeb :: Word64 -> Builder
unsignedLeb n
  | n < 128 = BB.word8 (fromIntegral n)
  | otherwise = BB.word8 (fromIntegral (n .&. 127) .|. 128) <> unsignedLeb (n `shiftR` 7)

-- | Signed LEB128 in as few bytes as can be: 1 to 10.
signedLeb :: Int64 -> Builder
signedLeb n
  | n >= -64 && n < 64 = BB.word8 (fromIntegral n .&. 127)
  | otherwise = BB.word8 (fromIntegral (n .&. 127) .|. 128) <> signedLeb (n `shiftR` 7)

-- | Bits of a width as a signed number.
extend :: Int -> Word64 -> Int64
extend bits v = (fromIntegral v `shiftL` (64 - bits)) `shiftR` (64 - bits)

-- | Something with its size in front.
sizedBytes :: Builder -> Builder
sizedBytes body =
  let bytes = BL.toStrict (BB.toLazyByteString body) in leb (B.length bytes) <> BB.byteString bytes
