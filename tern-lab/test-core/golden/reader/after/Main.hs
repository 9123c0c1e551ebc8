module Main (main) where

import Step

main :: IO ()
main = print (go 0 20000)
  where
    go :: Int -> Int -> Int
    go !acc 0 = acc
    go !acc i = go (runStep (step i) acc) (i - 1)
