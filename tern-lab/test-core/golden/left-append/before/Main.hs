module Main (main) where

squares :: Int -> [Int]
squares = go []
  where
    go :: [Int] -> Int -> [Int]
    go acc 0 = acc
    go acc n = go (acc ++ [n * n]) (n - 1)
{-# NOINLINE squares #-}

main :: IO ()
main = print (sum (squares 500))
