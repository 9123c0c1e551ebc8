module Main (main) where

import Running

main :: IO ()
main = print (highest [n * n `mod` 1009 - 500 | n <- [1 .. 20000 :: Int]])
