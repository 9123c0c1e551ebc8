module Main (main) where

import Data.List (foldl')

dot :: [Int] -> [Int] -> Int
dot xs ys = foldl' (\acc i -> acc + xs !! i * ys !! i) 0 [0 .. length xs - 1]
{-# NOINLINE dot #-}

main :: IO ()
main = print (dot [1 .. 2000] [2 .. 2001])
