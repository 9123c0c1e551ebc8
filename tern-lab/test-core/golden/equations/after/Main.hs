{-# LANGUAGE BangPatterns #-}

module Main (main) where

walk :: [Int] -> Int -> (Int, Bool)
walk [] !total = (total, True)
walk (0 : xs) !total = walk xs total
walk (x : xs) !total
  | x < 0 = (total, False)
  | otherwise = walk xs (total + x)
{-# NOINLINE walk #-}

main :: IO ()
main = print (walk [1 .. 100000] 0)
