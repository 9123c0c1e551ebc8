-- | The numeric operators that are more than a machine instruction, as the
-- specification's chapter 4.3 defines them.
--
-- The idea: rounding, minimum and maximum, conversions and their traps are pure
-- functions here, for scalars and lanes alike; 'step' runs one of them for the
-- loop over the slots of a frame.
--
-- A NaN result is the first NaN operand made quiet, by adding: so canonical
-- operands give a canonical result.
module Tern.Wasm.Numeric
  ( step,

    -- * Floats
    Rounding (..),
    round32,
    round64,
    min32,
    max32,
    min64,
    max64,

    -- * From floats to integers
    truncSatS32,
    truncSatU32,
    truncSatS64,
    truncSatU64,

    -- * From integers to floats
    fromWord64F32,
    fromWord64F64,
  )
where

import Data.Bits (popCount, shiftR, (.&.), (.|.))
import Data.Int (Int32, Int64)
import Data.Word (Word16, Word32, Word64)
import GHC.Float
  ( castDoubleToWord64,
    castFloatToWord32,
    castWord32ToFloat,
    castWord64ToDouble,
    float2Double,
    int2Double,
    int2Float,
  )
import Tern.Wasm.Code (SlowOp (..), exitConversion, exitOverflow)
import Tern.Wasm.Prim (Ptr, Storable, peekByteOff, pokeByteOff)

-- | Run the instruction at an address over a frame; 0, or the trap's code.
step :: Ptr () -> Ptr () -> IO Int
step ip fp = do
  d <- peekByteOff ip 2 :: IO Word16
  a <- field 4
  b <- field 8
  c <- field 12
  let get :: (Storable a) => Int -> IO a
      get = peekByteOff fp
      put :: (Storable a) => a -> IO Int
      put v = 0 <$ pokeByteOff fp a v
      one :: (Storable a, Storable b) => (a -> b) -> IO Int
      one f = get b >>= put . f
      two :: (Storable a, Storable b) => (a -> a -> b) -> IO Int
      two f = do
        x <- get b
        y <- get c
        put (f x y)
      -- The value as a double (exact), the exclusive bounds, the conversion.
      trunc :: (Storable b) => Double -> Double -> Double -> (Double -> b) -> IO Int
      trunc x low high f
        | isNaN x = pure exitConversion
        | x > low && x < high = put (f x)
        | otherwise = pure exitOverflow
      single = float2Double <$> get b
      double = get b :: IO Double
  case toEnum (fromIntegral d) of
    PopCount32 -> one (\x -> fromIntegral (popCount (x :: Word32)) :: Word32)
    PopCount64 -> one (\x -> fromIntegral (popCount (x :: Word64)) :: Word64)
    Ceil32 -> one (round32 Ceil)
    Floor32 -> one (round32 Floor)
    Trunc32 -> one (round32 Trunc)
    Nearest32 -> one (round32 Nearest)
    Min32 -> two min32
    Max32 -> two max32
    CopySign32 -> two (\x y -> (x .&. 0x7FFFFFFF) .|. (y .&. 0x80000000) :: Word32)
    Ceil64 -> one (round64 Ceil)
    Floor64 -> one (round64 Floor)
    Trunc64 -> one (round64 Trunc)
    Nearest64 -> one (round64 Nearest)
    Min64 -> two min64
    Max64 -> two max64
    CopySign64 -> two (\x y -> (x .&. 0x7FFFFFFFFFFFFFFF) .|. (y .&. 0x8000000000000000) :: Word64)
    TruncS32F32 -> single >>= \x -> trunc x (-2147483649) 2147483648 truncSatS32
    TruncU32F32 -> single >>= \x -> trunc x (-1) 4294967296 truncSatU32
    TruncS32F64 -> double >>= \x -> trunc x (-2147483649) 2147483648 truncSatS32
    TruncU32F64 -> double >>= \x -> trunc x (-1) 4294967296 truncSatU32
    TruncS64F32 -> single >>= \x -> trunc x below63 9223372036854775808 truncSatS64
    TruncU64F32 -> single >>= \x -> trunc x (-1) 18446744073709551616 truncSatU64
    TruncS64F64 -> double >>= \x -> trunc x below63 9223372036854775808 truncSatS64
    TruncU64F64 -> double >>= \x -> trunc x (-1) 18446744073709551616 truncSatU64
    F32FromU64 -> one fromWord64F32
    F64FromU64 -> one fromWord64F64
    SatS32F32 -> single >>= put . truncSatS32
    SatU32F32 -> single >>= put . truncSatU32
    SatS32F64 -> double >>= put . truncSatS32
    SatU32F64 -> double >>= put . truncSatU32
    SatS64F32 -> single >>= put . truncSatS64
    SatU64F32 -> single >>= put . truncSatU64
    SatS64F64 -> double >>= put . truncSatS64
    SatU64F64 -> double >>= put . truncSatU64
  where
    field o = fromIntegral <$> (peekByteOff ip o :: IO Int32) :: IO Int

-- | The largest double below -2^63.
below63 :: Double
below63 = -9223372036854777856

-- * Floats

-- | To which integer a float is rounded: up, down, towards zero, or to the nearest, ties to even.
data Rounding = Ceil | Floor | Trunc | Nearest
  deriving stock (Eq)

-- | Round to an integer. Below 2^52 adding and taking off 2^52 rounds to the
-- nearest, ties to even, as the processor's mode is; the sign is the operand's.
round64 :: Rounding -> Double -> Double
round64 mode x
  | isNaN x = x + x
  | a >= 4503599627370496 = x
  | otherwise = castWord64ToDouble (castDoubleToWord64 rounded .|. sign)
  where
    sign = castDoubleToWord64 x .&. 0x8000000000000000
    a = abs x
    n = (a + 4503599627370496) - 4503599627370496
    down = if n > a then n - 1 else n
    up = if n < a then n + 1 else n
    rounded = case mode of
      Nearest -> n
      Trunc -> down
      Floor -> if sign == 0 then down else up
      Ceil -> if sign == 0 then up else down

-- | The same below 2^23.
round32 :: Rounding -> Float -> Float
round32 mode x
  | isNaN x = x + x
  | a >= 8388608 = x
  | otherwise = castWord32ToFloat (castFloatToWord32 rounded .|. sign)
  where
    sign = castFloatToWord32 x .&. 0x80000000
    a = abs x
    n = (a + 8388608) - 8388608
    down = if n > a then n - 1 else n
    up = if n < a then n + 1 else n
    rounded = case mode of
      Nearest -> n
      Trunc -> down
      Floor -> if sign == 0 then down else up
      Ceil -> if sign == 0 then up else down

-- | The lesser and the greater, where -0 is less than 0; a NaN if an operand is one.
min32, max32 :: Float -> Float -> Float
min32 x y
  | isNaN x || isNaN y = x + y
  | x == y = castWord32ToFloat (castFloatToWord32 x .|. castFloatToWord32 y)
  | x < y = x
  | otherwise = y
max32 x y
  | isNaN x || isNaN y = x + y
  | x == y = castWord32ToFloat (castFloatToWord32 x .&. castFloatToWord32 y)
  | x > y = x
  | otherwise = y

-- | The same of 64 bits.
min64, max64 :: Double -> Double -> Double
min64 x y
  | isNaN x || isNaN y = x + y
  | x == y = castWord64ToDouble (castDoubleToWord64 x .|. castDoubleToWord64 y)
  | x < y = x
  | otherwise = y
max64 x y
  | isNaN x || isNaN y = x + y
  | x == y = castWord64ToDouble (castDoubleToWord64 x .&. castDoubleToWord64 y)
  | x > y = x
  | otherwise = y

-- * From floats to integers

-- | Towards zero; the nearest bound beyond the range, and 0 for a NaN.
truncSatS32 :: Double -> Int32
truncSatS32 x
  | isNaN x = 0
  | x <= -2147483648 = minBound
  | x >= 2147483647 = maxBound
  | otherwise = fromIntegral (truncate x :: Int)

-- | The same without a sign: from 0 to 2^32 - 1.
truncSatU32 :: Double -> Word32
truncSatU32 x
  | isNaN x || x <= 0 = 0
  | x >= 4294967295 = maxBound
  | otherwise = fromIntegral (truncate x :: Int)

-- | The same of 64 bits: from -2^63 to 2^63 - 1.
truncSatS64 :: Double -> Int64
truncSatS64 x
  | isNaN x = 0
  | x <= -9223372036854775808 = minBound
  | x >= 9223372036854775808 = maxBound
  | otherwise = fromIntegral (truncate x :: Int)

-- | The same of 64 bits without a sign: from 0 to 2^64 - 1.
truncSatU64 :: Double -> Word64
truncSatU64 x
  | isNaN x || x <= 0 = 0
  | x >= 18446744073709551616 = maxBound
  | x < 9223372036854775808 = fromIntegral (truncate x :: Int)
  | otherwise = fromIntegral (truncate (x - 9223372036854775808) :: Int) .|. 0x8000000000000000

-- * From integers to floats

-- | Rounded once: half the number, with the lost bit kept, has the same
-- rounding.
fromWord64F64 :: Word64 -> Double
fromWord64F64 w
  | w <= 0x7FFFFFFFFFFFFFFF = int2Double (fromIntegral w)
  | otherwise = 2 * int2Double (fromIntegral (halved w))

-- | The same to 32 bits.
fromWord64F32 :: Word64 -> Float
fromWord64F32 w
  | w <= 0x7FFFFFFFFFFFFFFF = int2Float (fromIntegral w)
  | otherwise = 2 * int2Float (fromIntegral (halved w))

halved :: Word64 -> Word64
halved w = (w `shiftR` 1) .|. (w .&. 1)
