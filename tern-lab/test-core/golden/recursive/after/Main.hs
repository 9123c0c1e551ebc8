module Main (main) where

import Times

main :: IO ()
main = print (go 0 2000)
  where
    go :: Int -> Int -> Int
    go acc 0 = acc
    go acc n = go (times 10 (\x -> x * n + 1) acc) (n - 1)
