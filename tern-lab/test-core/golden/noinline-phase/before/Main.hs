module Main (main) where

main :: IO ()
main = print (go 0 50000)
  where
    go :: Int -> Int -> Int
    go acc 0 = acc
    go acc n = go (late acc (\x -> if x > n then x - n else x * 2 + n)) (n - 1)

late :: Int -> (Int -> Int) -> Int
late n k = step n k
{-# INLINE [1] late #-}

step :: Int -> (Int -> Int) -> Int
step n k = if n > 10 then k (n - 1) else k (n + 1)
{-# NOINLINE [~1] step #-}
