{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The native format's scalars and strings for writers.
--
-- The idea: no value says what it is, and none but a number's or a string's
-- length how long it is; what a reader knows from the type is not written.
--
-- INLINE where a writer is a thin shell around a call or a store.
module Tern.Internal.Native.Write
  ( -- * Integers
    word,
    word8,
    word16,
    word32,
    word64,
    int,
    int8,
    int16,
    int32,
    int64,
    natural,
    integer,

    -- * Integers of a fixed size
    fixed32,
    fixed64,

    -- * Reals
    float,
    double,

    -- * Truth and characters
    bool,
    char,

    -- * Strings
    text,
    bytes,

    -- * Pieces
    varint,
    tag,
    number,
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
import GHC.Int (Int16 (..), Int32 (..), Int64 (..), Int8 (..))
import GHC.Num (integerSizeInBase#, integerToAddr#)
import GHC.Word (Word16 (..), Word32 (..), Word64 (..), Word8 (..))
import Numeric.Natural (Natural)
import Tern.Internal.Write (Write, Writer (..), bounded, byte, contramapWriter, toFill)
import Tern.Prim.BigEndian (copyOut)
import Tern.Prim.Buffer (Fill, Poke, ensure)
import Tern.Prim.Native (maxVarint, store16, store32, store64, store8, storeVarint, zigzag)
import Tern.Prim.Text qualified as Text

-- * Integers

-- | A varint; so are the unsigned integers of 32 and 64 bits.
word :: Writer Word
word = BoundedWriter maxVarint (\(W# w) -> storeVarint w)
{-# INLINE word #-}

-- | A varint of at most five bytes.
word32 :: Writer Word32
word32 = BoundedWriter 5 (\(W32# w) -> storeVarint (word32ToWord# w))
{-# INLINE word32 #-}

-- | A varint of at most nine bytes.
word64 :: Writer Word64
word64 = BoundedWriter maxVarint (\(W64# w) -> storeVarint (word64ToWord# w))
{-# INLINE word64 #-}

-- | One byte.
word8 :: Writer Word8
word8 = BoundedWriter 1 (\(W8# w) -> stored 1# (\op -> store8 op (word8ToWord# w)))
{-# INLINE word8 #-}

-- | Two bytes.
word16 :: Writer Word16
word16 = BoundedWriter 2 (\(W16# w) -> stored 2# (\op -> store16 op (word16ToWord# w)))
{-# INLINE word16 #-}

-- | A varint of the zigzag form; so are the integers of 32 and 64 bits.
int :: Writer Int
int = BoundedWriter maxVarint (\(I# i) -> storeVarint (inline zigzag i))
{-# INLINE int #-}

-- | A varint of the zigzag form, of at most five bytes.
int32 :: Writer Int32
int32 = BoundedWriter 5 (\(I32# i) -> storeVarint (inline zigzag (int32ToInt# i)))
{-# INLINE int32 #-}

-- | A varint of the zigzag form, of at most nine bytes.
int64 :: Writer Int64
int64 = BoundedWriter maxVarint (\(I64# i) -> storeVarint (inline zigzag (int64ToInt# i)))
{-# INLINE int64 #-}

-- | One byte in two's complement.
int8 :: Writer Int8
int8 = BoundedWriter 1 (\(I8# i) -> stored 1# (\op -> store8 op (int2Word# (int8ToInt# i))))
{-# INLINE int8 #-}

-- | Two bytes in two's complement, the lowest first.
int16 :: Writer Int16
int16 = BoundedWriter 2 (\(I16# i) -> stored 2# (\op -> store16 op (int2Word# (int16ToInt# i))))
{-# INLINE int16 #-}

-- | Up to @2^56 - 1@ as 'word'; from there on the byte @ff@, the number of
-- bytes, and the bytes, the lowest first.
natural :: Writer Natural
natural = contramapWriter toInteger (FillWriter magnitude)
{-# INLINE natural #-}

-- | Zigzag, and then as 'natural'.
integer :: Writer Integer
integer =
  contramapWriter (\n -> if n >= 0 then 2 * n else negate (2 * n) - 1) (FillWriter magnitude)
{-# INLINE integer #-}

-- | An integer from 0 on.
magnitude :: Integer -> Fill
magnitude n mba op s
  | n < 0x100000000000000,
    W# w <- fromInteger n =
      toFill (bounded maxVarint (storeVarint w)) mba op s
  | otherwise =
      let !size = word2Int# (integerSizeInBase# 256## n)
       in case ensure (size +# 10#) mba op s of
            (# s1, mba1, op1 #) -> case store8 op1 0xff## s1 of
              s2 -> case storeVarint (int2Word# size) (plusAddr# op1 1#) s2 of
                (# s3, op2 #) -> case integerToAddr# n op2 0# s3 of
                  (# s4, _ #) -> (# s4, mba1, plusAddr# op2 size #)
{-# NOINLINE magnitude #-}

-- * Integers of a fixed size

-- | Four bytes, the lowest first.
fixed32 :: Writer Word32
fixed32 = BoundedWriter 4 (\(W32# w) -> stored 4# (\op -> store32 op (word32ToWord# w)))
{-# INLINE fixed32 #-}

-- | Eight bytes, the lowest first.
fixed64 :: Writer Word64
fixed64 = BoundedWriter 8 (\(W64# w) -> stored 8# (\op -> store64 op (word64ToWord# w)))
{-# INLINE fixed64 #-}

-- * Reals

-- | Four bytes, bit for bit.
float :: Writer Float
float = BoundedWriter 4 (\(F# x) -> stored 4# (\op -> writeFloatOffAddr# op 0# x))
{-# INLINE float #-}

-- | Eight bytes, bit for bit.
double :: Writer Double
double = BoundedWriter 8 (\(D# x) -> stored 8# (\op -> writeDoubleOffAddr# op 0# x))
{-# INLINE double #-}

-- * Truth and characters

-- | The byte 00 for 'False', 01 for 'True'.
bool :: Writer Bool
bool = BoundedWriter 1 (\b -> stored 1# (\op -> store8 op (int2Word# (dataToTag# b))))
{-# INLINE bool #-}

-- | The code point, a varint. Half of a surrogate pair, which is no character of Unicode, is
-- written as U+FFFD; by arithmetic, since after a branch the rest would be there twice.
char :: Writer Char
char = BoundedWriter 3 (\(C# c) -> storeVarint (scalar (int2Word# (ord# c))))
  where
    scalar w =
      w
        `plusWord#` ( int2Word# (ltWord# (w `xor#` 0xd800##) 0x800##)
                        `timesWord#` (0xfffd## `minusWord#` w)
                    )
    {-# INLINE scalar #-}
{-# INLINE char #-}

-- * Strings

-- | The number of bytes, a varint, and the text in UTF-8.
text :: Writer Text
text = FillWriter $ \(Text (TA.ByteArray array) (I# off) (I# n)) -> pokeText array off n
{-# INLINE text #-}

pokeText :: ByteArray# -> Int# -> Int# -> Fill
pokeText array off n mba op s = case ensure (n +# 9#) mba op s of
  (# s1, mba1, op1 #) -> case inline lengthOf n op1 s1 of
    (# s2, op2 #) -> case inline Text.store array off n op2 s2 of
      s3 -> (# s3, mba1, plusAddr# op2 n #)
{-# NOINLINE pokeText #-}

-- | The number of bytes, a varint, and the bytes.
bytes :: Writer ByteString
bytes = FillWriter pokeBytes
{-# INLINE bytes #-}

pokeBytes :: ByteString -> Fill
pokeBytes string mba op s = case B.length string of
  I# n -> case ensure (n +# 9#) mba op s of
    (# s1, mba1, op1 #) -> case inline lengthOf n op1 s1 of
      (# s2, op2 #) -> case copyOut string op2 s2 of s3 -> (# s3, mba1, plusAddr# op2 n #)
{-# NOINLINE pokeBytes #-}

-- | A string's number of bytes: most have few.
lengthOf :: Int# -> Poke
lengthOf n op s = case n <# 128# of
  1# -> case store8 op (int2Word# n) s of s1 -> (# s1, plusAddr# op 1# #)
  _ -> storeVarint (int2Word# n) op s
{-# INLINEABLE lengthOf #-}

-- * Pieces

-- | A number from 0 on.
varint :: Int# -> Poke
varint n = storeVarint (int2Word# n)
{-# INLINE varint #-}

-- | The number of a constructor of at most 256, from 0.
tag :: Word8 -> Write
tag = byte
{-# INLINE tag #-}

-- | The number @i@ of a constructor, of @count@ in all.
number :: Int -> Int -> Write
number count i@(I# i#)
  | count <= 256 = byte (fromIntegral i)
  | otherwise = bounded 2 (stored 2# (\op -> store16 op (int2Word# i#)))
{-# INLINE number #-}

stored :: Int# -> (Addr# -> State# RealWorld -> State# RealWorld) -> Poke
stored n store op s = case store op s of s1 -> (# s1, plusAddr# op n #)
{-# INLINE stored #-}
