{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | CBOR (RFC 8949) for writers, in its preferred serialization: each head in the
-- fewest bytes, each floating-point number in the fewest that say it, and lengths
-- before what they count.
--
-- The idea: an item is a head, a major type in three bits and a number of one, two,
-- four or eight bytes. The number is shifted to the top of a word and stored whole;
-- which bytes of it count follows from comparisons, without a branch for each
-- width.
--
-- INLINE where a writer is a thin shell around a call, and where a constant
-- is known when a program is compiled: its head then is a constant as well.
module Tern.Internal.Cbor.Write
  ( -- * Null, undefined, truth, other simple values
    null,
    undefined,
    bool,
    simpleValue,

    -- * Integers
    int,
    word,
    negative,

    -- * Reals
    double,
    float,

    -- * Strings
    text,
    constant,
    bytes,

    -- * Frames
    arrayHeader,
    mapHeader,
    arrayOf,
    mapOf,

    -- * Tags
    tag,
    tagOf,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text.Array qualified as TA
import Data.Text.Internal (Text (..))
import GHC.Exts
import GHC.Float (castDoubleToWord64, castFloatToWord32, float2Double)
import GHC.Word (Word16 (..), Word32 (..), Word64 (..))
import Tern.Internal.Cbor.Simple (Simple, simpleNumber)
import Tern.Internal.Write (Write, Writer (..), bounded, byte)
import Tern.Prim.BigEndian (copyOut, store16, store64)
import Tern.Prim.Buffer (Fill, Poke, ensure)
import Tern.Prim.Cbor (constantSize, doubleToHalf, doubleToSingle, pokeConstant, pokeHead)
import Tern.Prim.Text qualified as Text
import Prelude hiding (null, undefined)

-- * Null, undefined, truth, other simple values

-- | The byte f6 (RFC 8949, section 3.3).
null :: Write
null = byte 0xf6
{-# INLINE null #-}

-- | The byte f7. Where a value may be missing it is read as 'null' is.
undefined :: Write
undefined = byte 0xf7
{-# INLINE undefined #-}

-- | The byte f4 for 'False', f5 for 'True'.
bool :: Writer Bool
bool = BoundedWriter 1 (\b -> firstByte (int2Word# (dataToTag# b +# 0xf4#)))
{-# INLINE bool #-}

-- | One that has no name.
simpleValue :: Writer Simple
simpleValue = BoundedWriter 2 (\v -> case fromIntegral (simpleNumber v) of W# n -> pokeSimple n)
{-# INLINE simpleValue #-}

-- | Up to 19 in the first byte, from 32 on in a second.
pokeSimple :: Word# -> Poke
pokeSimple n op s = case ltWord# n 24## of
  1# -> firstByte (0xe0## `or#` n) op s
  _ -> (# store16 op (0xf800## `or#` n) s, plusAddr# op 2# #)
{-# INLINE pokeSimple #-}

-- | The low byte of a word.
firstByte :: Word# -> Poke
firstByte w =
  \op s -> case writeWord8OffAddr# op 0# (wordToWord8# w) s of s1 -> (# s1, plusAddr# op 1# #)
{-# INLINE firstByte #-}

-- * Integers

-- | One to nine bytes: major type 0, or 1 for what is below 0 (RFC 8949, section 3.1).
int :: Writer Int
int = BoundedWriter 9 (\(I# i) -> pokeInt i)
{-# INLINE int #-}

-- | What is below 0 is @-1@ less its argument: its bits turned over, and the major
-- type is 1. NOINLINE: one call for each number keeps a record of a hundred of them
-- small.
pokeInt :: Int# -> Poke
pokeInt i = \op s ->
  let !sign = int2Word# (uncheckedIShiftRA# i 63#)
   in pokeHead (sign `and#` 0x20##) (int2Word# i `xor#` sign) op s
{-# NOINLINE pokeInt #-}

-- | One to nine bytes of major type 0.
word :: Writer Word
word = BoundedWriter 9 (\(W# w) -> pokeWord 0## w)
{-# INLINE word #-}

-- | The integer that is @-1@ less the word: down to -2^64.
negative :: Writer Word
negative = BoundedWriter 9 (\(W# w) -> pokeWord 0x20## w)
{-# INLINE negative #-}

-- | A head of a major type and its argument.
pokeWord :: Word# -> Word# -> Poke
pokeWord major w = \op s -> pokeHead major w op s
{-# NOINLINE pokeWord #-}

-- * Reals

-- | In two, four or eight bytes, the fewest that have all its bits; so the bits of
-- a NaN as well.
double :: Writer Double
double = BoundedWriter 9 pokeDouble
{-# INLINE double #-}

-- | Most numbers that are no whole ones have some of their low bits set, and so
-- need all eight bytes.
pokeDouble :: Double -> Poke
pokeDouble x op s = case castDoubleToWord64 x of
  W64# w64 -> case word64ToWord# w64 of
    w -> case w `and#` 0x1fffffff## of
      0## -> shorterDouble x op s
      _ -> real 3# w op s
{-# NOINLINE pokeDouble #-}

shorterDouble :: Double -> Poke
shorterDouble x op s = case doubleToHalf x of
  Just (W16# h) -> real 1# (word16ToWord# h) op s
  Nothing -> case doubleToSingle x of
    Just (W32# w) -> real 2# (word32ToWord# w) op s
    Nothing -> case castDoubleToWord64 x of W64# w -> real 3# (word64ToWord# w) op s
{-# NOINLINE shorterDouble #-}

-- | In two or four bytes.
float :: Writer Float
float = BoundedWriter 5 pokeFloat
{-# INLINE float #-}

pokeFloat :: Float -> Poke
pokeFloat x op s = case castFloatToWord32 x of
  W32# w32 -> case word32ToWord# w32 of
    w
      -- A NaN that says more than two bytes can must not pass through a double.
      | isTrue# (neWord# (w `and#` 0x1fff##) 0##) -> real 2# w op s
      | otherwise -> case halfOf w of
          Just (W16# h) -> real 1# (word16ToWord# h) op s
          Nothing -> real 2# w op s
  where
    halfOf w
      | isNaN x =
          Just
            ( W16#
                ( wordToWord16#
                    ( uncheckedShiftRL# (w `and#` 0x80000000##) 16#
                        `or#` 0x7c00##
                        `or#` uncheckedShiftRL# (w `and#` 0x7fffff##) 13#
                    )
                )
            )
      | otherwise = doubleToHalf (float2Double x)
{-# NOINLINE pokeFloat #-}

-- | The low @2^k@ bytes, from f9 on. All nine bytes are written.
real :: Int# -> Word# -> Poke
real k w op s = case writeWord8OffAddr# op 0# (wordToWord8# (plusWord# 0xf8## (int2Word# k))) s of
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
{-# INLINE real #-}

-- * Strings

-- | Major type 3: a head that counts the bytes of UTF-8, and these.
text :: Writer Text
text = FillWriter $ \(Text (TA.ByteArray array) (I# off) (I# n)) -> pokeText array off n
{-# INLINE text #-}

pokeText :: ByteArray# -> Int# -> Int# -> Fill
pokeText array off n mba op s = case ensure (n +# 9#) mba op s of
  (# s1, mba1, op1 #) -> case pokeHead 0x60## (int2Word# n) op1 s1 of
    (# s2, op2 #) -> case Text.store array off n op2 s2 of
      s3 -> (# s3, mba1, plusAddr# op2 n #)
{-# NOINLINE pokeText #-}

-- | A text that is known when a program is compiled, head and all.
constant :: String -> Write
constant string = bounded (constantSize string) (pokeConstant string)
{-# INLINE constant #-}

-- | Bytes that are no text.
bytes :: Writer ByteString
bytes = FillWriter pokeBytes
{-# INLINE bytes #-}

pokeBytes :: ByteString -> Fill
pokeBytes string mba op s = case B.length string of
  I# n -> case ensure (n +# 9#) mba op s of
    (# s1, mba1, op1 #) -> case pokeHead 0x40## (int2Word# n) op1 s1 of
      (# s2, op2 #) -> case copyOut string op2 s2 of s3 -> (# s3, mba1, plusAddr# op2 n #)
{-# NOINLINE pokeBytes #-}

-- * Frames

-- | The head of an array of @n@ elements, from 0 on.
arrayHeader :: Writer Int
arrayHeader = BoundedWriter 9 (\(I# n) -> pokeWord 0x80## (int2Word# n))
{-# INLINE arrayHeader #-}

-- | The head of a map of @n@ pairs, from 0 on.
mapHeader :: Writer Int
mapHeader = BoundedWriter 9 (\(I# n) -> pokeWord 0xa0## (int2Word# n))
{-# INLINE mapHeader #-}

-- | 'arrayHeader' of a constant: no more bytes than it needs.
arrayOf :: Int -> Write
arrayOf n@(I# n#) = bounded (sizeOf n) (pokeHead 0x80## (int2Word# n#))
{-# INLINE arrayOf #-}

-- | 'mapHeader' of a constant.
mapOf :: Int -> Write
mapOf n@(I# n#) = bounded (sizeOf n) (pokeHead 0xa0## (int2Word# n#))
{-# INLINE mapOf #-}

sizeOf :: Int -> Int
sizeOf n
  | n < 24 = 1
  | n < 256 = 2
  | n < 65536 = 3
  | otherwise = 9
{-# INLINE sizeOf #-}

-- * Tags

-- | The head of a tag: its content must follow.
tag :: Writer Word
tag = BoundedWriter 9 (\(W# n) -> pokeWord 0xc0## n)
{-# INLINE tag #-}

-- | 'tag' of a constant.
tagOf :: Word -> Write
tagOf n@(W# n#) = bounded (sizeOf (fromIntegral (min n 65536))) (pokeHead 0xc0## n#)
{-# INLINE tagOf #-}
