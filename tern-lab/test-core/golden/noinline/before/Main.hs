module Main (main) where

both :: Int -> Int -> (Int -> Int -> Int) -> Int
both a b k = k (a + b) (a - b)
{-# NOINLINE both #-}

main :: IO ()
main = print (go 0 50000)
  where
    go :: Int -> Int -> Int
    go acc 0 = acc
    go acc n = go (both acc n (\x y -> if x > y then x - n else y + n)) (n - 1)
