{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The floating-point number nearest to a decimal one, ties to even.
--
-- Up to 19 digits: exact multiplication or division where both sides are exact
-- (William Clinger, 1990), else one or two products with a 128-bit power of
-- ten (Daniel Lemire, "Number parsing at a gigabyte per second", 2021; Noble
-- Mushtak and Daniel Lemire, "Fast number parsing without fallback", 2022).
-- More digits: between the numbers for the digits cut off and for the next one
-- up nothing is left to decide unless they differ; then integers decide.
module Tern.Prim.Nearest
  ( double,
    float,
    exactDouble,
    exactFloat,
  )
where

import GHC.Exts
import GHC.Float (castWord32ToFloat, castWord64ToDouble)
import GHC.Num (integerLog2)
import GHC.Word (Word32 (..), Word64 (..))
import Tern.Prim.PowersOfTen qualified as PowersOfTen

-- | @w * 10^q@.
double :: Word# -> Int# -> Double#
double w q = case leWord# w 0x20000000000000## `andI#` ((q >=# -22#) `andI#` (q <=# 22#)) of
  1# ->
    let !d = word2Double# w
     in case q <# 0# of
          1# -> d /## exactPower (negateInt# q)
          _ -> d *## exactPower q
  _ -> case castWord64ToDouble (W64# (wordToWord64# (nearest 52# -1023# 0x7ff# -4# 23# w q))) of
    D# d ->
      d
  where
    exactPower n = case PowersOfTen.exact of Ptr t -> indexDoubleOffAddr# t n

-- | @w * 10^q@.
float :: Word# -> Int# -> Float#
float w q = case castWord32ToFloat (W32# (wordToWord32# (nearest 23# -127# 0xff# -17# 10# w q))) of
  F# f ->
    f

-- | The bits of the nearest number of a format with @bits@ fraction bits, the
-- exponent bias @-bias@ and all-ones exponent @top@; only for powers between
-- @tieLow@ and @tieHigh@ can a decimal number lie exactly halfway.
nearest :: Int# -> Int# -> Int# -> Int# -> Int# -> Word# -> Int# -> Word#
nearest bits bias top tieLow tieHigh w q
  | isTrue# (eqWord# w 0##) = 0##
  | I# q < PowersOfTen.lowest = 0##
  | isTrue# (q ># 308#) = int2Word# top `uncheckedShiftL#` bits
  | otherwise = nearestInRange bits bias top tieLow tieHigh w q

-- | As 'nearest', for @w@ above 0 and a power that is in the table.
nearestInRange :: Int# -> Int# -> Int# -> Int# -> Int# -> Word# -> Int# -> Word#
nearestInRange bits bias top tieLow tieHigh w q
  | isTrue# (power2 <=# 0#) = subnormal
  | isTrue# (power2' >=# top) = infinity
  | otherwise =
      (int2Word# power2' `uncheckedShiftL#` bits) `or#` (m' `and#` (hidden `minusWord#` 1##))
  where
    !infinity = int2Word# top `uncheckedShiftL#` bits
    !hidden = 1## `uncheckedShiftL#` bits
    !zeros = word2Int# (clz# w)
    !(# high, low #) = approximate (61# -# bits) (w `uncheckedShiftL#` zeros) q
    !upper = word2Int# (high `uncheckedShiftRL#` 63#)
    -- How far the product must come down to leave two bits below the result.
    !shift = (upper +# 61#) -# bits
    !m0 = high `uncheckedShiftRL#` shift
    !power2 = (((q *# 217706#) `uncheckedIShiftRA#` 16#) +# 63#) +# upper -# zeros -# bias
    subnormal
      | isTrue# ((1# -# power2) >=# 64#) = 0##
      | otherwise =
          let !m = m0 `uncheckedShiftRL#` (1# -# power2)
           in -- Rounding up to the hidden bit makes the least normal number.
              (m `plusWord#` (m `and#` 1##)) `uncheckedShiftRL#` 1#
    -- Exactly halfway: the last bit kept is even, so round down.
    !tie =
      leWord# low 1##
        `andI#` (q >=# tieLow)
        `andI#` (q <=# tieHigh)
        `andI#` eqWord# (m0 `and#` 3##) 1##
        `andI#` eqWord# (m0 `uncheckedShiftL#` shift) high
    !m1 = m0 `and#` not# (int2Word# tie)
    !m2 = (m1 `plusWord#` (m1 `and#` 1##)) `uncheckedShiftRL#` 1#
    !over = geWord# m2 (hidden `uncheckedShiftL#` 1#)
    !m' = case over of
      1# -> hidden
      _ -> m2
    !power2' = power2 +# over

-- | The product of a normalised significand and a power of ten, precise enough
-- for the bits that are kept: @spare@ low bits of the high word, all ones,
-- would make the low word's carry matter.
approximate :: Int# -> Word# -> Int# -> (# Word#, Word# #)
approximate spare w q = case PowersOfTen.power q of
  (# p1, p0 #) -> case timesWord2# w (word64ToWord# p1) of
    (# high, low #) ->
      let !mask = (1## `uncheckedShiftL#` spare) `minusWord#` 1##
       in case eqWord# (high `and#` mask) mask of
            1# -> case timesWord2# w (word64ToWord# p0 `plusWord#` int2Word# roundedUp) of
              (# high', _ #) -> case addWordC# low high' of
                (# low', carry #) -> (# high `plusWord#` int2Word# carry, low' #)
            _ -> (# high, low #)
  where
    -- The reciprocals of small powers are taken from above.
    !roundedUp = (q >=# -27#) `andI#` (q <# 0#)
{-# INLINE approximate #-}

-- | @m * 10^q@ for integers not below zero, exactly rounded, in time that
-- depends on the digits of @m@: powers out of the format's range cost nothing.
exactDouble :: Integer -> Int -> Double
exactDouble m q = castWord64ToDouble (fromInteger (exact 52 1023 m q))

-- | As 'exactDouble'.
exactFloat :: Integer -> Int -> Float
exactFloat m q = castWord32ToFloat (fromInteger (exact 23 127 m q))

exact :: Int -> Int -> Integer -> Int -> Integer
exact bits bias m q
  | m == 0 || q < -400 - log2 m = 0
  | q > 400 = infinity
  | otherwise =
      let (n, d) = if q >= 0 then (m * 10 ^ q, 1) else (m, 10 ^ negate q)
          -- The quotient by d * 2^e has two or three bits more than are kept.
          e = log2 n - log2 d - bits - 2
          (quotient, remainder) =
            if e >= 0 then n `quotRem` (d * 2 ^ e) else (n * 2 ^ negate e) `quotRem` d
          -- Below the least normal number fewer bits are kept.
          extra = max (log2 quotient - bits) ((1 - bias - bits) - e)
          (kept, cut) = quotient `quotRem` (2 ^ extra)
          half = 2 ^ (extra - 1)
          up = cut > half || cut == half && (remainder > 0 || odd kept)
       in pack (if up then kept + 1 else kept) (e + extra + bias + bits)
  where
    top = 2 * bias + 1
    infinity = toInteger top * 2 ^ bits
    pack mantissa biased
      | mantissa < 2 ^ bits = mantissa
      | mantissa == 2 ^ (bits + 1) = pack (2 ^ bits) (biased + 1)
      | biased >= top = infinity
      | otherwise = toInteger biased * 2 ^ bits + (mantissa - 2 ^ bits)

log2 :: Integer -> Int
log2 n = fromIntegral (integerLog2 n)
