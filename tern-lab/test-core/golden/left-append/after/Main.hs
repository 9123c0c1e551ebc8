module Main (main) where

squares :: Int -> [Int]
squares = reverse . go []
  where
    go :: [Int] -> Int -> [Int]
    go acc 0 = acc
    go acc n = go (n * n : acc) (n - 1)
{-# NOINLINE squares #-}

main :: IO ()
main = print (sum (squares 500))
