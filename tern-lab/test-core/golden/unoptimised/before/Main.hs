module Main (main) where

import Steps

main :: IO ()
main = print (go 0 50000)
  where
    go :: Int -> Int -> Int
    go acc 0 = acc
    go acc n = go (step acc n) (n - 1)
