module Main (main) where

import Data.Set qualified as Set

-- How many different remainders the squares have.
different :: Int -> Int
different n = Set.size (Set.fromList [k * k `mod` n | k <- [1 .. n]])
{-# NOINLINE different #-}

main :: IO ()
main = print (different 20011)
