module Work (step, Step (..)) where

import Data.Bits

data Step = Done Int | Next Int Int

step :: (Int -> Int -> Int) -> Int -> Int -> Step
step f n acc = case n .&. 7 of
  0 -> Next (n - 1) (f acc (n `xor` 3) + f n 1)
  1 -> Next (n - 1) (f acc (n `shiftR` 1) + f n 2)
  2 -> Next (n - 1) (f acc (n `shiftL` 1) + f n 3)
  3 -> Next (n - 1) (f acc (n .|. 12) + f n 4)
  4 -> Next (n - 1) (f acc (n `xor` 5) + f n 5)
  5 -> Next (n - 1) (f acc (n * 3) + f n 6)
  6 -> Next (n - 1) (f acc (n `div` 3) + f n 7)
  _ -> if n <= 0 then Done acc else Next (n - 1) (f acc n + f n 8)

