module Main (main) where

import Code

points :: [(Int, Double)]
points = [(k, fromIntegral (k * 7 `mod` 31)) | k <- [1 .. 150]]

far :: (Int, Double) -> (Int, Double) -> Double
far (_, a) (_, b) = abs (a - b)

total :: (Int, Int -> Int -> Double) -> Double
total (n, d) = go 1 1 0
  where
    go i j s
      | i > n = s
      | j > n = go (i + 1) 1 s
      | otherwise = go i (j + 1) (s + d i j)
{-# NOINLINE total #-}

main :: IO ()
main = print (total (distances points far))
