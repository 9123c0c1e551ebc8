{-# LANGUAGE OverloadedStrings #-}

-- | Numbers of the text format.
--
-- The idea: an integer or a float is read exactly, as a number without bounds,
-- then fitted to its type: rounded once, or refused.
module Tern.Wasm.Text.Number
  ( unsigned,
    unsigned64,
    integer,
    float32,
    float64,
  )
where

import Data.Bits (shiftL, (.&.), (.|.))
import Data.ByteString (ByteString)
import Data.ByteString.Char8 qualified as BC
import Data.Char (digitToInt, isDigit, isHexDigit)
import Data.Ratio ((%))
import Data.Word (Word32, Word64)
import GHC.Float (castDoubleToWord64, castFloatToWord32)

-- | Digits with single underscores between them, in a base.
digits :: Bool -> ByteString -> Maybe Integer
digits hex text
  | BC.null text || BC.head text == '_' || BC.last text == '_' || "__" `BC.isInfixOf` text = Nothing
  | not (BC.all (\c -> c == '_' || isOne c) text) = Nothing
  | otherwise = Just (value (BC.unpack (BC.filter (/= '_') text)))
  where
    isOne = if hex then isHexDigit else isDigit
    base = if hex then 16 else 10 :: Integer
    -- By halves: quadratic only in what one multiplication costs.
    value ds = fst (go (length ds) ds)
    go n ds
      | n <= 16 = (foldl (\v d -> v * base + toInteger (digitToInt d)) 0 (take n ds), drop n ds)
      | otherwise =
          let half = n `div` 2
              (high, rest) = go half ds
              (low, rest') = go (n - half) rest
           in (high * base ^ (n - half) + low, rest')

natural :: ByteString -> Maybe Integer
natural text = case BC.stripPrefix "0x" text of
  Just h -> digits True h
  Nothing -> digits False text

-- | A number without a sign below 2^32.
unsigned :: ByteString -> Maybe Word32
unsigned text =
  natural text >>= \n -> if n < 4294967296 then Just (fromInteger n) else Nothing

-- | The same below 2^64.
unsigned64 :: ByteString -> Maybe Word64
unsigned64 text =
  natural text >>= \n -> if n < 18446744073709551616 then Just (fromInteger n) else Nothing

-- | A number of @bits@ bits, signed or not, as its bits.
integer :: Int -> ByteString -> Maybe Word64
integer bits text = do
  let (negative, rest) = sign text
  n <- natural rest
  let v = if negative then negate n else n
  if v >= negate (1 `shiftL` (bits - 1)) && v < 1 `shiftL` bits
    then Just (fromInteger (v .&. ((1 `shiftL` bits) - 1)))
    else Nothing

sign :: ByteString -> (Bool, ByteString)
sign text = case BC.uncons text of
  Just ('-', rest) -> (True, rest)
  Just ('+', rest) -> (False, rest)
  _ -> (False, text)

-- | The bits of a float: a number, decimal or hexadecimal, @inf@ or @nan@, with a payload or
-- without. 'Nothing' for what is none, and for a number that is rounded to infinity.
float32 :: ByteString -> Maybe Word32
float32 text = fromIntegral <$> float 23 0x7F800000 0x80000000 round_ text
  where
    round_ r =
      let x = fromRational r :: Float
       in if isInfinite x
            then Nothing
            else Just (fromIntegral (castFloatToWord32 x))

-- | The same of 64 bits.
float64 :: ByteString -> Maybe Word64
float64 = float 52 0x7FF0000000000000 0x8000000000000000 round_
  where
    round_ r =
      let x = fromRational r :: Double
       in if isInfinite x
            then Nothing
            else Just (castDoubleToWord64 x)

-- | A float's bits: given the fraction's bits, those of infinity and the sign's,
-- and how to round.
float :: Int -> Word64 -> Word64 -> (Rational -> Maybe Word64) -> ByteString -> Maybe Word64
float fraction infinity signBit round_ text = (if negative then (.|. signBit) else id) <$> magnitude
  where
    (negative, rest) = sign text
    magnitude
      | rest == "inf" = Just infinity
      | rest == "nan" = Just (infinity .|. (1 `shiftL` (fraction - 1)))
      | Just payload <- BC.stripPrefix "nan:0x" rest = do
          n <- digits True payload
          if n > 0 && n < 1 `shiftL` fraction then Just (infinity .|. fromInteger n) else Nothing
      | Just h <- BC.stripPrefix "0x" rest = number True h
      | otherwise = number False rest
    number hex body = do
      let (mantissa, power) = BC.break (`elem` (if hex then "pP" else "eE" :: String)) body
          (whole, dotted) = BC.break (== '.') mantissa
          part = BC.drop 1 dotted
      w <- digits hex whole
      (f, n) <-
        if BC.null part
          then Just (0, 0)
          else (,BC.length (BC.filter (/= '_') part)) <$> digits hex part
      e <-
        if BC.null power
          then Just 0
          else
            let (down, k) =
                  sign (BC.drop 1 power)
             in (if down then negate else id) <$> digits False k
      let base = if hex then 16 else 10 :: Integer
          m = w * base ^ n + f
          -- The number is m / base^n * step^e. Far beyond all floats the power
          -- need not be computed.
          size = toInteger (BC.length body) * 4
      if m == 0
        then round_ 0
        else
          if e > 5000 + size
            then Nothing
            else
              if e < negate (5000 + size)
                then round_ 0
                else round_ (scaled (m % (base ^ n)) (if hex then 2 else 10) e)
    scaled :: Rational -> Integer -> Integer -> Rational
    scaled r step e =
      if e >= 0
        then r * fromInteger (step ^ e)
        else r / fromInteger (step ^ negate e)
