{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | MessagePack's formats for writers: each item in the fewest bytes that its
-- type allows.
--
-- The idea: an item is a first byte and a big-endian number of one, two, four
-- or eight bytes. The number is shifted to the top of a word and stored whole;
-- which bytes of it count follows from comparisons, without a branch for each
-- width.
--
-- Whatever has more than 2^32 - 1 bytes or elements cannot be said in
-- MessagePack. Strings and binaries of that size are written as nil; who
-- writes a frame's header owes a smaller count.
--
-- INLINE where a writer is a thin shell around a call, and where a constant
-- is known when a program is compiled: its header then is a constant as well.
module Tern.Internal.MessagePack.Write
  ( -- * Nil, truth, integers
    nil,
    bool,
    int,
    word,

    -- * Integers of a fixed format
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,

    -- * Reals
    float32,
    float64,

    -- * Strings and binaries
    text,
    constant,
    binary,

    -- * Frames
    arrayHeader,
    mapHeader,
    arrayOf,
    mapOf,
    maxCount,

    -- * Extensions
    ext,
    extHeader,
    timestamp,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Text (Text)
import Data.Text.Array qualified as TA
import Data.Text.Internal (Text (..))
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Exts
import GHC.Float (castDoubleToWord64, castFloatToWord32)
import GHC.Int (Int16 (..), Int32 (..), Int64 (..), Int8 (..))
import GHC.Word (Word16 (..), Word32 (..), Word64 (..), Word8 (..))
import Tern.Internal.MessagePack.Timestamp (Timestamp, nanoseconds, seconds)
import Tern.Internal.Write (Write, Writer (..), bounded, byte, toFill)
import Tern.Prim.BigEndian (copyOut, store16, store32, store64)
import Tern.Prim.Buffer (Fill, Poke, ensure)
import Tern.Prim.MessagePack (constantSize, pokeConstant)
import Tern.Prim.Text qualified as Text

-- * Nil, truth, integers

-- | The byte c0.
nil :: Write
nil = byte 0xc0
{-# INLINE nil #-}

-- | The byte c2 for 'False', c3 for 'True'.
bool :: Writer Bool
bool = BoundedWriter 1 (\b -> firstByte (int2Word# (dataToTag# b +# 0xc2#)))
{-# INLINE bool #-}

-- | The shortest format that holds the integer; one of the unsigned ones from
-- 0 on.
int :: Writer Int
int = BoundedWriter 9 (\(I# i) -> pokeInt i)
{-# INLINE int #-}

-- | The shortest unsigned format that holds the integer: one to nine bytes.
word :: Writer Word
word = BoundedWriter 9 (\(W# w) -> pokeWord w)
{-# INLINE word #-}

-- | NOINLINE: one call for each number keeps a record of a hundred of them
-- small.
pokeInt :: Int# -> Poke
pokeInt i = \op s -> case i >=# -32# of
  1# -> case i <# 128# of
    1# -> firstByte (int2Word# i) op s
    _ -> numbered 0xcc## (unsignedClass (int2Word# i)) (int2Word# i) op s
  _ ->
    let !u = int2Word# (notI# i)
        !k = gtWord# u 0x7f## +# gtWord# u 0x7fff## +# gtWord# u 0x7fffffff##
     in numbered 0xd0## k (int2Word# i) op s
{-# NOINLINE pokeInt #-}

pokeWord :: Word# -> Poke
pokeWord w = \op s -> case ltWord# w 128## of
  1# -> firstByte w op s
  _ -> numbered 0xcc## (unsignedClass w) w op s
{-# NOINLINE pokeWord #-}

-- | The logarithm of the bytes that a number needs: 0 to 3.
unsignedClass :: Word# -> Int#
unsignedClass w = gtWord# w 0xff## +# gtWord# w 0xffff## +# gtWord# w 0xffffffff##
{-# INLINE unsignedClass #-}

-- | The low byte of a word.
firstByte :: Word# -> Poke
firstByte w =
  \op s -> case writeWord8OffAddr# op 0# (wordToWord8# w) s of s1 -> (# s1, plusAddr# op 1# #)
{-# INLINE firstByte #-}

-- | The @k@th format from a first one, and the low @2^k@ bytes of a number. All
-- nine bytes are written.
numbered :: Word# -> Int# -> Word# -> Poke
numbered
  first
  k
  w
  op
  s = case writeWord8OffAddr# op 0# (wordToWord8# (plusWord# first (int2Word# k))) s of
    s1 ->
      let !width = uncheckedIShiftL# 1# k
       in case store64
            (plusAddr# op 1#)
            ( uncheckedShiftL#
                w
                (64# -# uncheckedIShiftL# width 3#)
            )
            s1 of
            s2 -> (# s2, plusAddr# op (1# +# width) #)
{-# INLINE numbered #-}

-- * Integers of a fixed format

-- | The format int 8, two bytes, whatever the number; and so for the others.
int8 :: Writer Int8
int8 = fixed 2 (\(I8# i) -> numbered 0xd0## 0# (int2Word# (int8ToInt# i)))
{-# INLINE int8 #-}

-- | The format int 16, three bytes.
int16 :: Writer Int16
int16 = fixed 3 (\(I16# i) -> numbered 0xd0## 1# (int2Word# (int16ToInt# i)))
{-# INLINE int16 #-}

-- | The format int 32, five bytes.
int32 :: Writer Int32
int32 = fixed 5 (\(I32# i) -> numbered 0xd0## 2# (int2Word# (int32ToInt# i)))
{-# INLINE int32 #-}

-- | The format int 64, nine bytes.
int64 :: Writer Int64
int64 = fixed 9 (\(I64# i) -> numbered 0xd0## 3# (int2Word# (int64ToInt# i)))
{-# INLINE int64 #-}

-- | The format uint 8, two bytes.
uint8 :: Writer Word8
uint8 = fixed 2 (\(W8# w) -> numbered 0xcc## 0# (word8ToWord# w))
{-# INLINE uint8 #-}

-- | The format uint 16, three bytes.
uint16 :: Writer Word16
uint16 = fixed 3 (\(W16# w) -> numbered 0xcc## 1# (word16ToWord# w))
{-# INLINE uint16 #-}

-- | The format uint 32, five bytes.
uint32 :: Writer Word32
uint32 = fixed 5 (\(W32# w) -> numbered 0xcc## 2# (word32ToWord# w))
{-# INLINE uint32 #-}

-- | The format uint 64, nine bytes.
uint64 :: Writer Word64
uint64 = fixed 9 (\(W64# w) -> numbered 0xcc## 3# (word64ToWord# w))
{-# INLINE uint64 #-}

-- | What 'numbered' writes beyond its bytes goes to the slack.
fixed :: Int -> (a -> Poke) -> Writer a
fixed n poke = BoundedWriter n (\a op s -> poke a op s)
{-# INLINE fixed #-}

-- * Reals

-- | Five bytes, bit for bit.
float32 :: Writer Float
float32 =
  BoundedWriter 5 $ \x -> case castFloatToWord32 x of W32# w -> numbered 0xc8## 2# (word32ToWord# w)
{-# INLINE float32 #-}

-- | Nine bytes, bit for bit.
float64 :: Writer Double
float64 =
  BoundedWriter 9 $ \x -> case castDoubleToWord64 x of
    W64# w ->
      numbered 0xc8## 3# (word64ToWord# w)
{-# INLINE float64 #-}

-- * Strings and binaries

-- | A string of UTF-8.
text :: Writer Text
text = FillWriter $ \(Text (TA.ByteArray array) (I# off) (I# n)) -> pokeText array off n
{-# INLINE text #-}

pokeText :: ByteArray# -> Int# -> Int# -> Fill
pokeText array off n mba op s
  | I# n > maxCount = toFill nil mba op s
  | otherwise = case ensure (n +# 5#) mba op s of
      (# s1, mba1, op1 #) -> case strHeader n op1 s1 of
        (# s2, op2 #) -> case Text.store array off n op2 s2 of
          s3 -> (# s3, mba1, plusAddr# op2 n #)
{-# NOINLINE pokeText #-}

strHeader :: Int# -> Poke
strHeader n = \op s -> case n <# 32# of
  1# -> firstByte (0xa0## `or#` int2Word# n) op s
  _ -> numbered 0xd9## (unsignedClass (int2Word# n)) (int2Word# n) op s
{-# INLINE strHeader #-}

-- | A string that is known when a program is compiled, header and all. At most
-- 'maxCount' bytes of UTF-8.
constant :: String -> Write
constant string = bounded (constantSize string) (pokeConstant string)
{-# INLINE constant #-}

-- | Bytes that are no text.
binary :: Writer ByteString
binary = FillWriter pokeBinary
{-# INLINE binary #-}

pokeBinary :: ByteString -> Fill
pokeBinary bytes mba op s = case B.length bytes of
  I# n
    | I# n > maxCount -> toFill nil mba op s
    | otherwise -> case ensure (n +# 5#) mba op s of
        (# s1, mba1, op1 #) ->
          case numbered 0xc4## (unsignedClass (int2Word# n)) (int2Word# n) op1 s1 of
            (# s2, op2 #) -> case copyOut bytes op2 s2 of s3 -> (# s3, mba1, plusAddr# op2 n #)
{-# NOINLINE pokeBinary #-}

-- * Frames

-- | The most bytes or elements that MessagePack can count.
maxCount :: Int
maxCount = 4294967295

-- | The header of an array, from the number of its elements, 0 to 'maxCount'.
arrayHeader :: Writer Int
arrayHeader = BoundedWriter 5 (\(I# n) -> frame 0x90## 0xdb## n)
{-# INLINE arrayHeader #-}

-- | The header of a map, from the number of its pairs, 0 to 'maxCount'.
mapHeader :: Writer Int
mapHeader = BoundedWriter 5 (\(I# n) -> frame 0x80## 0xdd## n)
{-# INLINE mapHeader #-}

frame :: Word# -> Word# -> Int# -> Poke
frame fix first n = \op s -> case n <# 16# of
  1# -> firstByte (fix `or#` int2Word# n) op s
  _ -> numbered first (1# +# (n ># 0xffff#)) (int2Word# n) op s
{-# INLINE frame #-}

-- | 'arrayHeader' of a constant: no more bytes than it needs.
arrayOf :: Int -> Write
arrayOf n@(I# n#) = bounded (frameSize n) (frame 0x90## 0xdb## n#)
{-# INLINE arrayOf #-}

-- | 'mapHeader' of a constant.
mapOf :: Int -> Write
mapOf n@(I# n#) = bounded (frameSize n) (frame 0x80## 0xdd## n#)
{-# INLINE mapOf #-}

frameSize :: Int -> Int
frameSize n
  | n < 16 = 1
  | n < 65536 = 3
  | otherwise = 5
{-# INLINE frameSize #-}

-- * Extensions

-- | Type and body. Type -1 is 'timestamp', which writes it well-formed; the
-- other negative ones are the specification's.
ext :: Writer (Int8, ByteString)
ext = FillWriter (\(I8# kind, bytes) -> pokeExt (int8ToInt# kind) bytes)
{-# INLINE ext #-}

pokeExt :: Int# -> ByteString -> Fill
pokeExt kind bytes mba op s = case B.length bytes of
  I# n
    | I# n > maxCount -> toFill nil mba op s
    | otherwise -> case ensure (n +# 6#) mba op s of
        (# s1, mba1, op1 #) -> case pokeExtHeader kind n op1 s1 of
          (# s2, op2 #) -> case copyOut bytes op2 s2 of s3 -> (# s3, mba1, plusAddr# op2 n #)
{-# NOINLINE pokeExt #-}

-- | The header of an extension: its type and its length, 0 to 'maxCount'.
extHeader :: Writer (Int8, Int)
extHeader = BoundedWriter 6 (\(I8# kind, I# n) -> pokeExtHeader (int8ToInt# kind) n)
{-# INLINE extHeader #-}

pokeExtHeader :: Int# -> Int# -> Poke
pokeExtHeader kind n op s = case sized of
  (# s1, op1 #) -> firstByte (int2Word# kind) op1 s1
  where
    sized = case n of
      1# -> firstByte 0xd4## op s
      2# -> firstByte 0xd5## op s
      4# -> firstByte 0xd6## op s
      8# -> firstByte 0xd7## op s
      16# -> firstByte 0xd8## op s
      _ -> numbered 0xc7## (unsignedClass (int2Word# n)) (int2Word# n) op s
{-# NOINLINE pokeExtHeader #-}

-- | The shortest of the three forms: 6 bytes up to the year 2106 without
-- nanoseconds, 10 up to 2514 with them, 15 for every other time.
timestamp :: Writer Timestamp
timestamp = BoundedWriter 15 pokeTimestamp
{-# INLINE timestamp #-}

pokeTimestamp :: Timestamp -> Poke
pokeTimestamp t op s = case (seconds t, nanoseconds t) of
  (I64# s64, W32# n32)
    | isTrue# (ltWord# sec 0x100000000##),
      isTrue# (eqWord# nano 0##) -> case store16 op 0xd6ff## s of
        s1 -> case store32 (plusAddr# op 2#) sec s1 of s2 -> (# s2, plusAddr# op 6# #)
    | isTrue# (ltWord# sec 0x400000000##) -> case store16 op 0xd7ff## s of
        s1 -> case store64 (plusAddr# op 2#) (uncheckedShiftL# nano 34# `or#` sec) s1 of
          s2 ->
            (# s2, plusAddr# op 10# #)
    | otherwise -> case store16 op 0xc70c## s of
        s1 -> case firstByte 0xff## (plusAddr# op 2#) s1 of
          (# s2, op2 #) -> case store32 op2 nano s2 of
            s3 -> case store64 (plusAddr# op2 4#) sec s3 of s4 -> (# s4, plusAddr# op2 12# #)
    where
      -- One below 0 is a large word.
      !sec = int2Word# (int64ToInt# s64)
      !nano = word32ToWord# n32
{-# NOINLINE pokeTimestamp #-}
