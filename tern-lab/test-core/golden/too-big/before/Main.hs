module Main (main) where

import Work
import Data.Bits

main :: IO ()
main = print (go 0 40000)
  where
    go :: Int -> Int -> Int
    go acc n = case step (\a b -> a `xor` (b + n)) n acc of
      Done r -> r
      Next m r -> go r m
