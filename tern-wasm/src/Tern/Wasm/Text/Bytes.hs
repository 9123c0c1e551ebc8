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

opcode :: Int -> Builder
opcode code
  | code < 0x100 = BB.word8 (fromIntegral code)
  | code < 0x200 = prefixed 0xFC (code - 0x100)
  | otherwise = prefixed 0xFD (code - 0x200)

prefixed :: Word8 -> Int -> Builder
prefixed p n = BB.word8 p <> leb n

leb :: Int -> Builder
leb = unsignedLeb . fromIntegral

unsignedLeb :: Word64 -> Builder
unsignedLeb n
  | n < 128 = BB.word8 (fromIntegral n)
  | otherwise = BB.word8 (fromIntegral (n .&. 127) .|. 128) <> unsignedLeb (n `shiftR` 7)

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
