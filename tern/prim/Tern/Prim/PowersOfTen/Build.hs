-- | The table of "Tern.Prim.PowersOfTen", computed. It runs when the package is
-- compiled; nothing of it is left in a program.
module Tern.Prim.PowersOfTen.Build
  ( tableBytes,
    exactBytes,
    lowest,
    highest,
  )
where

import Data.Bits (shiftL, shiftR)
import Data.Word (Word8)
import GHC.Float (castDoubleToWord64)

-- | The range that reading (from -342) and writing (to 324) a double needs.
lowest, highest :: Int
lowest = -342
highest = 324

-- | For each exponent the greatest 128-bit number that is not above the power,
-- scaled by a power of two so that its high bit is set: the high word, then
-- the low word, each with its least significant byte first.
tableBytes :: [Word8]
tableBytes = concat [word (m `shiftR` 64) <> word m | k <- [lowest .. highest], let m = scaled k]

-- | The powers that are exact as doubles, 10^0 to 10^22.
exactBytes :: [Word8]
exactBytes = concat [word (toInteger (castDoubleToWord64 (10 ^ k))) | k <- [0 .. 22 :: Int]]

word :: Integer -> [Word8]
word w = [fromIntegral (w `shiftR` (8 * i)) | i <- [0 .. 7]]

scaled :: Int -> Integer
scaled k
  | k >= 0 = normalise (10 ^ k)
  | otherwise = normalise ((1 `shiftL` 1400) `div` (10 ^ negate k))
  where
    -- 1,400 bits leave at least 128 after division by the largest power.
    normalise m = let n = bits m in if n >= 128 then m `shiftR` (n - 128) else m `shiftL` (128 - n)

bits :: Integer -> Int
bits = go 0
  where
    go !n m
      | m == 0 = n
      | otherwise = go (n + 1) (m `shiftR` 1)
