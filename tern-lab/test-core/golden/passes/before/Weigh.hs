module Weigh (total) where

total :: (Integral a) => [a] -> a
total xs = weigh 1 xs + weigh 2 xs

weigh :: (Integral a) => a -> [a] -> a
weigh factor = go 0
  where
    go acc [] = acc
    go acc (x : xs) = go (acc + factor * (x `mod` 7)) xs
