module Main (main) where

import Data.List (foldl')

dot :: [Int] -> [Int] -> Int
dot xs ys = foldl' (+) 0 (zipWith (*) xs ys)
{-# NOINLINE dot #-}

main :: IO ()
main = print (dot [1 .. 2000] [2 .. 2001])
