module Main (main) where

apply :: (Int -> Int) -> Int -> Int
apply f x = f (f x)
{-# NOINLINE apply #-}

plus :: Int -> Int -> Int -> Int
plus a b c = a * b + c
{-# INLINE plus #-}

main :: IO ()
main = print (go 0 50000)
  where
    go :: Int -> Int -> Int
    go acc 0 = acc
    go acc n = go (apply (plus acc n) n) (n - 1)
