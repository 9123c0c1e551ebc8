module Main (main) where

-- The first equation is left by its first pattern before it comes to the total.
walk :: [Int] -> Int -> (Int, Bool)
walk [] total = (total, True)
walk (0 : xs) total = walk xs total
walk (x : xs) total
  | x < 0 = (total, False)
  | otherwise = walk xs (total + x)
{-# NOINLINE walk #-}

main :: IO ()
main = print (walk [1 .. 100000] 0)
