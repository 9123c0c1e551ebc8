module Times (times) where

times :: Int -> (Int -> Int) -> Int -> Int
times m f = go m
  where
    go :: Int -> Int -> Int
    go 0 x = x
    go n x = go (n - 1) (f x)
{-# INLINE times #-}
