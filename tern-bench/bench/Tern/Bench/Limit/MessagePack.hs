{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The straight lines that write the article's record as MessagePack, its fields as an
-- array; "Tern.Bench.Limit.Binary" reads it.
module Tern.Bench.Limit.MessagePack
  ( encodePackedLimit,
  )
where

import Data.Bits ((.&.), (.|.))
import Data.ByteString (ByteString)
import Data.Text (Text)
import Data.Text.Internal (Text (..))
import Data.Word (byteSwap32, byteSwap64)
import GHC.Float (castDoubleToWord64, castFloatToWord32, castWord32ToFloat, castWord64ToDouble)
import Tern.Bench.Limit.Line
  ( Put,
    cutting,
    putByte,
    putContents,
    putDouble,
    putFloat,
    putLast,
    then_,
  )
import Tern.Bench.Limit.Native (mostOf)
import Tern.Bench.Native.Record (Article (..), Choice (..))

putInt :: Int -> Put
putInt i
  | i >= -32 && i < 128 = putByte (fromIntegral i .&. 255)
  | i < 0 = putByte 0xd3 `then_` putLast 8 (fromIntegral i)
  | otherwise = putWord (fromIntegral i)
{-# INLINE putInt #-}

putWord :: Word -> Put
putWord w
  | w < 128 = putByte w
  | w < 256 = putByte 0xcc `then_` putLast 1 w
  | w < 65536 = putByte 0xcd `then_` putLast 2 w
  | w < 4294967296 = putByte 0xce `then_` putLast 4 w
  | otherwise = putByte 0xcf `then_` putLast 8 w
{-# INLINE putWord #-}

putText :: Text -> Put
putText t@(Text _ _ n) = header `then_` putContents t
  where
    header
      | n < 32 = putByte (0xa0 .|. fromIntegral n)
      | otherwise = putByte 0xdb `then_` putLast 4 (fromIntegral n)
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
encodePackedLimit a = cutting (mostOf a) (putArticle a)
{-# NOINLINE encodePackedLimit #-}
