{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The straight lines that write and read the article's record as MessagePack,
-- its fields as an array.
--
-- As "Tern.Bench.Limit.Native", and of a number's formats the reader takes the
-- shortest alone.
module Tern.Bench.Limit.MessagePack
  ( encodePackedLimit,
    decodePackedLimit,
  )
where

import Control.Monad (unless)
import Data.Bits (unsafeShiftL, unsafeShiftR, (.&.), (.|.))
import Data.ByteString (ByteString)
import Data.Text (Text)
import Data.Text.Internal (Text (..))
import Data.Word (byteSwap32, byteSwap64)
import GHC.Float (castDoubleToWord64, castFloatToWord32, castWord32ToFloat, castWord64ToDouble)
import Tern.Bench.Limit.Line
  ( Get,
    Put,
    byte',
    double',
    exactly,
    float',
    getByte,
    giveUp,
    putByte,
    putContents,
    putDouble,
    putFloat,
    room,
    runGet,
    textOf,
    then_,
  )
import Tern.Bench.Native.Record (Article (..), Choice (..))

-- * Writing

-- | Of small numbers, and others in nine bytes; for the texts here it is exact.
sizeOf :: Article by -> Int
sizeOf (Article c t i _ _ w m l) =
  17
    + (case c of Whole k -> 6 + sizeOfInt k; Short _ -> 11)
    + sizeOfText t
    + sizeOfInt i
    + sizeOfInt (fromIntegral w)
    + maybe 1 sizeOfText m
    + sum (map sizeOfText l)
  where
    sizeOfText (Text _ _ n) = (if n < 32 then 1 else 5) + n
    sizeOfInt :: Int -> Int
    sizeOfInt n = if n >= -32 && n < 128 then 1 else 9

putInt :: Int -> Put
putInt i
  | i >= -32 && i < 128 = putByte (fromIntegral i .&. 255)
  | i < 0 = putByte 0xd3 `then_` putWide 8 (fromIntegral i)
  | otherwise = putWord (fromIntegral i)
{-# INLINE putInt #-}

putWord :: Word -> Put
putWord w
  | w < 128 = putByte w
  | w < 256 = putByte 0xcc `then_` putWide 1 w
  | w < 65536 = putByte 0xcd `then_` putWide 2 w
  | w < 4294967296 = putByte 0xce `then_` putWide 4 w
  | otherwise = putByte 0xcf `then_` putWide 8 w
{-# INLINE putWord #-}

-- | The lowest bytes of a number, the highest first.
putWide :: Int -> Word -> Put
putWide k w op s = case k of
  0 -> (# s, op #)
  _ -> (putByte ((w `unsafeShiftR` (8 * (k - 1))) .&. 255) `then_` putWide (k - 1) w) op s
{-# NOINLINE putWide #-}

putText :: Text -> Put
putText t@(Text _ _ n) = header `then_` putContents t
  where
    header
      | n < 32 = putByte (0xa0 .|. fromIntegral n)
      | otherwise = putByte 0xdb `then_` putWide 4 (fromIntegral n)
{-# INLINE putText #-}

putFloats :: Float -> Put
putFloats x = putByte 0xca `then_` putFloat (castWord32ToFloat (byteSwap32 (castFloatToWord32 x)))
{-# INLINE putFloats #-}

putArticle :: Article by -> Put
putArticle (Article c t i d f w m l) =
  putByte 0x98
    `then_` putByte 0x81
    `then_` ( \op s -> case c of
                Whole k ->
                  (putText "Whole" `then_` putInt k) op s
                Short x -> (putText "Short" `then_` putFloats x) op s
            )
    `then_` putText t
    `then_` putInt i
    `then_` putByte 0xcb
    `then_` putDouble (castWord64ToDouble (byteSwap64 (castDoubleToWord64 d)))
    `then_` putFloats f
    `then_` putWord w
    `then_` maybe (putByte 0xc0) putText m
    `then_` putTexts l
{-# INLINE putArticle #-}

-- | Fewer than sixteen.
putTexts :: [Text] -> Put
putTexts xs = putByte (0x90 .|. fromIntegral (length xs)) `then_` go xs
  where
    go ys op s = case ys of
      [] -> (# s, op #)
      y : rest -> case putText y op s of (# s1, op1 #) -> go rest op1 s1

encodePackedLimit :: Article by -> ByteString
encodePackedLimit a = exactly (sizeOf a) (putArticle a)
{-# NOINLINE encodePackedLimit #-}

-- * Reading

getInt :: Get Int
getInt =
  getByte >>= \b ->
    if b < 128
      then pure (fromIntegral b)
      else if b >= 0xe0 then pure (fromIntegral b - 256) else getLong b
{-# INLINE getInt #-}

getLong :: Word -> Get Int
getLong = \case
  0xcc -> wide 1
  0xcd -> wide 2
  0xce -> wide 4
  0xcf -> wide 8 >>= \i -> if i < 0 then giveUp else pure i
  0xd3 -> wide 8
  _ -> giveUp
{-# NOINLINE getLong #-}

wide :: Int -> Get Int
wide k = room k *> go k 0
  where
    go :: Int -> Int -> Get Int
    go 0 w = pure w
    go n w = byte' >>= \b -> go (n - 1) ((w `unsafeShiftL` 8) .|. fromIntegral b)

getText :: Get Text
getText =
  getByte >>= \b ->
    if b .&. 0xe0 == 0xa0
      then textOf (b .&. 31)
      else if b == 0xdb then wide 4 >>= textOf . fromIntegral else giveUp
{-# NOINLINE getText #-}

expect :: Word -> Get ()
expect w = getByte >>= \b -> unless (b == w) giveUp
{-# INLINE expect #-}

getFloats :: Get Float
getFloats =
  expect 0xca *> room 4 *> fmap (\f -> castWord32ToFloat (byteSwap32 (castFloatToWord32 f))) float'
{-# INLINE getFloats #-}

getArticle :: Get (Article by)
getArticle = do
  expect 0x98
  expect 0x81
  name <- getText
  c <-
    if name == "Whole"
      then Whole <$> getInt
      else if name == "Short" then Short <$> getFloats else giveUp
  t <- getText
  i <- getInt
  expect 0xcb
  room 8
  d <- fmap (\x -> castWord64ToDouble (byteSwap64 (castDoubleToWord64 x))) double'
  f <- getFloats
  w <- getInt
  m <-
    getByte >>= \b ->
      if b == 0xc0
        then pure Nothing
        else if b .&. 0xe0 == 0xa0 then Just <$> textOf (b .&. 31) else giveUp
  n <- getByte
  unless (n .&. 0xf0 == 0x90) giveUp
  l <- texts (n .&. 15)
  pure (Article c t i d f (fromIntegral w) m l)
  where
    texts :: Word -> Get [Text]
    texts 0 = pure []
    texts k = getText >>= \x -> (x :) <$> texts (k - 1)
{-# INLINE getArticle #-}

decodePackedLimit :: ByteString -> Maybe (Article by)
decodePackedLimit = runGet getArticle
{-# NOINLINE decodePackedLimit #-}
