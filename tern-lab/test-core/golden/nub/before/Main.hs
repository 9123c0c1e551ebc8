module Main (main) where

import Data.List (nub)

-- How many different remainders the squares have.
different :: Int -> Int
different n = length (nub [k * k `mod` n | k <- [1 .. n]])
{-# NOINLINE different #-}

main :: IO ()
main = print (different 20011)
