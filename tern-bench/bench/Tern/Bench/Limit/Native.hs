{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The straight lines that write the native format's records; "Tern.Bench.Limit.Binary"
-- reads them.
--
-- The writer of one record has room for all that it could be, and never asks for more; that of
-- many counts on a mebibyte to be enough (looking at ten thousand records twice takes it twice as
-- long) and gives back what it did not use. Within a
-- record both count on lists of less than 128 elements. They share no code with the library.
module Tern.Bench.Limit.Native
  ( encodeArticleLimit,
    encodeEntriesLimit,
    mostOf,
  )
where

import Data.Bits (countLeadingZeros, unsafeShiftL, unsafeShiftR, xor, (.&.), (.|.))
import Data.ByteString (ByteString)
import Data.Text (Text)
import Data.Text.Internal (Text (..))
import GHC.Exts
import Tern.Bench.Limit.Line
  ( Put,
    cutting,
    putByte,
    putContents,
    putDouble,
    putFloat,
    putLast,
    then_,
    within,
  )
import Tern.Bench.Native.Record (Article (..), Choice (..), Entry (..), Figure (..))

-- | More than any format here makes of the record: its texts, nine bytes for each number and
-- for each text's length, and what is around them.
mostOf :: Article by -> Int
mostOf (Article _ t _ _ _ _ m l) = room t + maybe 0 room m + sum (map room l) + 80
  where
    room (Text _ _ n) = n + 9

sizeOfWord :: Word -> Int
sizeOfWord w
  | w < 128 = 1
  | w >= 0x100000000000000 = 9
  | otherwise = (70 - countLeadingZeros w) `quot` 7

folded :: Int -> Word
folded i = fromIntegral ((i `unsafeShiftL` 1) `xor` (i `unsafeShiftR` 63))
{-# INLINE folded #-}

-- * Writing

putWord :: Word -> Put
putWord w op s
  | w < 128 = putByte w op s
  | otherwise = putLong w op s
{-# INLINE putWord #-}

-- | As many ones in front as bytes follow the first.
putLong :: Word -> Put
putLong w = case sizeOfWord w of
  9 -> putByte 255 `then_` putLast 8 w
  size ->
    putLast size (w .|. ((255 `unsafeShiftL` (9 - size)) .&. 255) `unsafeShiftL` (8 * (size - 1)))

putInt :: Int -> Put
putInt i = putWord (folded i)
{-# INLINE putInt #-}

putText :: Text -> Put
putText t@(Text _ _ n) = putWord (fromIntegral n) `then_` putContents t
{-# INLINE putText #-}

putList :: (a -> Put) -> [a] -> Put
putList put xs op s = case putSome put 127 xs (plusAddr# op 1#) s of
  (# s1, op1, n, _ #) -> case putByte (fromIntegral n) op s1 of (# s2, _ #) -> (# s2, op1 #)
{-# INLINE putList #-}

-- | Put at most @most@ elements; gives how many were put, and the others.
putSome ::
  (a -> Put) -> Int -> [a] -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int, [a] #)
putSome put most = go 0
  where
    go n ys op s = case ys of
      y : rest | n < most -> case put y op s of (# s1, op1 #) -> go (n + 1) rest op1 s1
      _ -> (# s, op, n, ys #)
{-# INLINE putSome #-}

putMaybe :: (a -> Put) -> Maybe a -> Put
putMaybe put = \case
  Nothing -> putByte 0
  Just x -> putByte 1 `then_` put x
{-# INLINE putMaybe #-}

putArticle :: Article by -> Put
putArticle (Article c t i d f w m l) =
  ( \op s -> case c of
      Whole k ->
        (putByte 0 `then_` putInt k) op s
      Short x -> (putByte 1 `then_` putFloat x) op s
  )
    `then_` putText t
    `then_` putInt i
    `then_` putDouble d
    `then_` putFloat f
    `then_` putWord w
    `then_` putMaybe putText m
    `then_` putList putText l
{-# INLINE putArticle #-}

encodeArticleLimit :: Article by -> ByteString
encodeArticleLimit a = cutting (mostOf a) (putArticle a)
{-# NOINLINE encodeArticleLimit #-}

putEntry :: Entry by -> Put
putEntry (Entry i n x k t f a c) =
  putInt i
    `then_` putText n
    `then_` putDouble x
    `then_` putMaybe putText k
    `then_` putList putText t
    `then_` putFigure f
    `then_` putByte (if a then 1 else 0)
    `then_` putList putInt c
{-# INLINE putEntry #-}

putFigure :: Figure by -> Put
putFigure = \case
  Circle r -> putByte 0 `then_` putDouble r
  Rectangle a b -> putByte 1 `then_` putDouble a `then_` putDouble b
  Polygon ps -> putByte 2 `then_` putList putInt ps
  Empty -> putByte 3

-- | In chunks of 4,096, of which none has less than 128.
putEntries :: [Entry by] -> Put
putEntries xs op s = case putSome putEntry 4096 xs (plusAddr# op 2#) s of
  (# s1, op1, I# n, rest #) -> case ( putByte (W# (int2Word# (uncheckedIShiftRL# n 8#) `or#` 128##))
                                        `then_` putByte (W# (int2Word# n))
                                    )
    op
    s1 of
    (# s2, _ #) -> if isTrue# (n <# 4096#) then (# s2, op1 #) else putEntries rest op1 s2

encodeEntriesLimit :: [Entry by] -> ByteString
encodeEntriesLimit xs = within 1048576 (putEntries xs)
{-# NOINLINE encodeEntriesLimit #-}
