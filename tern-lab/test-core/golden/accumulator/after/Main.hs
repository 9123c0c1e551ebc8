{-# LANGUAGE BangPatterns #-}

module Main (main) where

mean :: [Int] -> (Int, Int)
mean = go (0, 0)
  where
    go :: (Int, Int) -> [Int] -> (Int, Int)
    go acc [] = acc
    go (!total, !count) (x : xs) = go (total + x, count + 1) xs
{-# NOINLINE mean #-}

main :: IO ()
main = print (mean [1 .. 100000])
