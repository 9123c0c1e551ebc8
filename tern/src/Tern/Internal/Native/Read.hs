{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The native format's scalars and strings for readers.
--
-- The idea: each value has one spelling and any other is refused, so that a
-- document that is read would be written again as the same bytes.
--
-- The offset of an error is that of the value's first byte, or of a string's
-- first bad one; of a value that is cut off, the input's end.
module Tern.Internal.Native.Read
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
    varintAt,
    varintExtent,
    lengthHere,
    end,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Int (Int16, Int32, Int64, Int8)
import Data.Text (Text)
import Data.Word (Word16, Word32, Word64, Word8)
import GHC.Exts
import GHC.Int (Int16 (..), Int32 (..), Int64 (..), Int8 (..))
import GHC.Num (integerFromAddr#)
import GHC.Word (Word16 (..), Word32 (..), Word64 (..), Word8 (..))
import Numeric.Natural (Natural)
import Tern.Error (Reason (..))
import Tern.Internal.Native.Reader (Extent, NativeReader, bounded, failEnd, failWith, fixed, flat)
import Tern.Internal.Read (Step, failAt, notes)
import Tern.Prim.BigEndian (copyIn)
import Tern.Prim.Native
  ( load16,
    load32,
    load64,
    load8,
    loadVarint,
    maxVarint,
    unzigzag,
    varintWidth,
  )
import Tern.Prim.Scan qualified as Scan
import Tern.Prim.Text qualified as Text
import Tern.Prim.View qualified as View

-- * Pieces

-- | A number of one to nine bytes, all of which are there.
--
-- NOINLINE: a record of a hundred of them is a hundred calls.
varintAt :: Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Word# #)
varintAt c s = case load8 c of
  b -> case ltWord# b 0x80## of
    1# -> (# s, plusAddr# c 1#, b #)
    _ ->
      let !width = varintWidth b
       in case loadVarint width c of
            (# w, 1# #) -> (# s, plusAddr# c width, w #)
            _ -> case failAt c Overlong s of (# s1, c1, () #) -> (# s1, c1, 0## #)
{-# NOINLINE varintAt #-}

-- | The same of a number that may be cut off.
--
-- INLINE: most lengths and counts have one byte.
varint :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Word# #)
varint e c s = case short of
  1# -> (# s, plusAddr# c 1#, load8 c #)
  _ -> longVarint e c s
  where
    short = case ltAddr# c e of
      1# -> ltWord# (load8 c) 0x80##
      _ -> 0#
    {-# INLINE short #-}
{-# INLINE varint #-}

longVarint :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Word# #)
longVarint e c s = case leAddr# (varintExtent e c) e of
  1# -> varintAt c s
  _ -> case failEnd e s of (# s1, c1, () #) -> (# s1, c1, 0## #)
{-# NOINLINE longVarint #-}

-- | How far a varint reaches, by its first byte. Without one it reaches a byte beyond the end.
varintExtent :: Extent
varintExtent e c = case ltAddr# c e of
  1# -> plusAddr# c (varintWidth (load8 c))
  _ -> plusAddr# c 1#
{-# NOINLINE varintExtent #-}

-- | The length of a string: the address after it, and how many bytes there are
-- from there on, all of them in the input.
lengthHere :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Int# #)
lengthHere e c s = case varint e c s of
  (# s1, c1, n #) -> case leWord# n (int2Word# (minusAddr# e c1)) of
    1# -> (# s1, c1, word2Int# n #)
    _ ->
      case failAt c (Overclaimed (clamped n) (I# (minusAddr# e c1))) s1 of
        (# s2, c2, () #) ->
          (# s2, c2, 0# #)
{-# INLINE lengthHere #-}

clamped :: Word# -> Int
clamped n = if isTrue# (word2Int# n <# 0#) then maxBound else I# (word2Int# n)

-- | Nothing may follow.
end :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, () #)
end e c s = case eqAddr# c e of
  1# -> (# s, c, () #)
  _ -> failAt c TrailingInput s
{-# INLINE end #-}

-- | What has a varint.
number ::
  Int ->
  (Word# -> Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, a #)) ->
  NativeReader a
number n make =
  bounded n varintExtent $ \_ _ c s -> case varintAt c s of (# s1, c1, w #) -> make w c c1 s1
{-# INLINE number #-}

-- | What always has @n@ bytes, and is a value whatever they are.
plain :: Int -> (Addr# -> a) -> NativeReader a
plain (I# n) make = fixed (I# n) (\_ _ c s -> case make c of !a -> (# s, plusAddr# c n, a #))
{-# INLINE plain #-}

-- * Integers

-- | A varint of one to nine bytes. One that is not the shortest for its number is refused.
word :: NativeReader Word
word = number maxVarint (\w _ c1 s -> (# s, c1, W# w #))
{-# INLINE word #-}

-- | As 'word'.
word64 :: NativeReader Word64
word64 = number maxVarint (\w _ c1 s -> case wordToWord64# w of w64 -> (# s, c1, W64# w64 #))
{-# INLINE word64 #-}

-- | As 'word', but that 2^32 and what is above it are 'OutOfRange'.
word32 :: NativeReader Word32
word32 = number maxVarint $ \w c c1 s -> case leWord# w 0xffffffff## of
  1# -> case wordToWord32# w of w32 -> (# s, c1, W32# w32 #)
  _ -> failAt c (OutOfRange "Word32") s
{-# INLINE word32 #-}

-- | Two bytes, the lowest first.
word16 :: NativeReader Word16
word16 = plain 2 (\c -> W16# (wordToWord16# (load16 c)))
{-# INLINE word16 #-}

-- | One byte.
word8 :: NativeReader Word8
word8 = plain 1 (\c -> W8# (wordToWord8# (load8 c)))
{-# INLINE word8 #-}

-- | A varint of the zigzag form, read as 'word' is.
int :: NativeReader Int
int = number maxVarint (\w _ c1 s -> case inline unzigzag w of i -> (# s, c1, I# i #))
{-# INLINE int #-}

-- | As 'int'.
int64 :: NativeReader Int64
int64 =
  number maxVarint (\w _ c1 s -> case intToInt64# (inline unzigzag w) of i -> (# s, c1, I64# i #))
{-# INLINE int64 #-}

-- | As 'int', but that what has more than 32 bits is 'OutOfRange'.
int32 :: NativeReader Int32
int32 = number maxVarint $ \w c c1 s -> case leWord# w 0xffffffff## of
  1# -> case intToInt32# (inline unzigzag w) of i -> (# s, c1, I32# i #)
  _ -> failAt c (OutOfRange "Int32") s
{-# INLINE int32 #-}

-- | Two bytes in two's complement, the lowest first.
int16 :: NativeReader Int16
int16 = plain 2 (\c -> I16# (intToInt16# (word2Int# (load16 c))))
{-# INLINE int16 #-}

-- | One byte in two's complement.
int8 :: NativeReader Int8
int8 = plain 1 (\c -> I8# (intToInt8# (word2Int# (load8 c))))
{-# INLINE int8 #-}

-- | A varint below 2^56; from there on the byte @ff@, a length, and as many bytes, the lowest
-- first. Each number has one spelling, and any other is refused.
natural :: NativeReader Natural
natural =
  flat $ \_ e c s -> case magnitude e c s of
    (# s1, c1, n #) -> case fromInteger n of
      !m ->
        (# s1, c1, m #)
{-# INLINE natural #-}

-- | Zigzag, and then as 'natural'.
integer :: NativeReader Integer
integer = flat $ \_ e c s -> case magnitude e c s of
  (# s1, c1, n #) -> case n `quotRem` 2 of
    (half, 0) -> (# s1, c1, half #)
    (half, _) -> case negate half - 1 of !i -> (# s1, c1, i #)
{-# INLINE integer #-}

-- | An integer from 0 on.
magnitude :: Addr# -> Addr# -> State# RealWorld -> (# State# RealWorld, Addr#, Integer #)
magnitude e c s = case ltAddr# c e of
  1# -> case load8 c of
    0xff## -> case lengthHere e (plusAddr# c 1#) s of
      (# s1, c1, n #)
        | isTrue# (n >=# 8#),
          isTrue# (neWord# (load8 (plusAddr# c1 (n -# 1#))) 0##) ->
            case integerFromAddr# (int2Word# n) c1 0# s1 of
              (# s2, i #) -> (# s2, plusAddr# c1 n, i #)
        | otherwise -> failAt c Overlong s1
    _ -> case varint e c s of (# s1, c1, w #) -> (# s1, c1, toInteger (W# w) #)
  _ -> failEnd e s
{-# NOINLINE magnitude #-}

-- * Integers of a fixed size

-- | Four bytes, the lowest first.
fixed32 :: NativeReader Word32
fixed32 = plain 4 (\c -> W32# (wordToWord32# (load32 c)))
{-# INLINE fixed32 #-}

-- | Eight bytes, the lowest first.
fixed64 :: NativeReader Word64
fixed64 = plain 8 (\c -> W64# (wordToWord64# (load64 c)))
{-# INLINE fixed64 #-}

-- * Reals

-- | Four bytes, bit for bit.
float :: NativeReader Float
float = plain 4 (\c -> F# (indexFloatOffAddr# c 0#))
{-# INLINE float #-}

-- | Eight bytes, bit for bit.
double :: NativeReader Double
double = plain 8 (\c -> D# (indexDoubleOffAddr# c 0#))
{-# INLINE double #-}

-- * Truth and characters

-- | The byte 00 or 01. Another is refused ('NoConstructor').
bool :: NativeReader Bool
bool = fixed 1 $ \_ _ c s -> case load8 c of
  0## -> (# s, plusAddr# c 1#, False #)
  1## -> (# s, plusAddr# c 1#, True #)
  b -> failWith (`NoConstructor` 2) (word2Int# b) c s
{-# INLINE bool #-}

-- | The number of a character of Unicode, which half of a surrogate pair is not.
char :: NativeReader Char
char = number maxVarint $ \w c c1 s ->
  case leWord# w 0x10ffff## `andI#` geWord# (w `xor#` 0xd800##) 0x800## of
    1# -> case chr# (word2Int# w) of x -> (# s, c1, C# x #)
    _ -> failAt c (OutOfRange "Char") s
{-# INLINE char #-}

-- * Strings

-- | Copied.
text :: NativeReader Text
text = flat (\ctx e c s -> textHere ctx e c s)
{-# INLINE text #-}

textHere :: Step Text
textHere ctx e c s = case lengthHere e c s of
  (# s1, body, n #) -> case notes ctx s1 of
    (# s2, keeper #) -> case eqAddr# keeper nullAddr# of
      1# -> case Text.fromUtf8 body n s2 of
        (# s3, k, t #) -> case k ==# n of
          1# -> (# s3, plusAddr# body n, t #)
          _ -> failAt (plusAddr# body k) InvalidUtf8 s3
      _ -> case Scan.utf8Prefix body n s2 of
        (# s3, k #) -> case k ==# n of
          1# -> case View.textAt keeper body n s3 of (# s4, t #) -> (# s4, plusAddr# body n, t #)
          _ -> failAt (plusAddr# body k) InvalidUtf8 s3
{-# NOINLINE textHere #-}

-- | Copied, or a piece of the document where its run has a keeper.
bytes :: NativeReader ByteString
bytes = flat (\ctx e c s -> bytesHere ctx e c s)
{-# INLINE bytes #-}

bytesHere :: Step ByteString
bytesHere ctx e c s = case lengthHere e c s of
  (# s1, body, n #) -> case n of
    0# -> (# s1, body, B.empty #)
    _ -> case notes ctx s1 of
      (# s2, keeper #) -> case eqAddr# keeper nullAddr# of
        1# -> case copyIn body n s2 of (# s3, string #) -> (# s3, plusAddr# body n, string #)
        _ -> case View.bytesAt keeper body n s2 of
          (# s3, string #) ->
            (# s3, plusAddr# body n, string #)
{-# NOINLINE bytesHere #-}
