module Main (main) where

import Data.IntTrie (IntTrie, apply, identity, modify, modify', modifyAscList, overwrite)
import qualified Data.List as List

-- | How often each remainder comes.
tally :: [Int] -> IntTrie Int
tally = List.foldl' (\t i -> modify' i (+ 1) t) (pure 0)

-- | What is looked up often is computed once for each number: steps of Collatz.
steps :: IntTrie Int
steps = fmap count identity
  where
    count :: Int -> Int
    count n
      | n <= 1 = 0
      | even n = 1 + at (n `div` 2)
      | otherwise = 1 + at (3 * n + 1)
    at = apply steps

-- | Seats that are given, and changed now and then.
seats :: IntTrie Int
seats = List.foldl' change (modifyAscList [(i, (+ i)) | i <- [1 .. 2000]] (pure 0)) [1 .. 12000]
  where
    change t i
      | even i = modify (i * 7 `mod` 2003) (+ i) t
      | otherwise = overwrite (i * 11 `mod` 2003) i t

main :: IO ()
main = do
  let counted = tally [i * i `mod` 1009 - 500 | i <- [1 .. 40000]]
  print (sum [apply counted i | i <- [-500 .. 508 :: Int]], apply counted (4 :: Int))
  print (maximum [(apply steps i, i) | i <- [1 .. 6000 :: Int]])
  print (sum [apply seats i | i <- [0 .. 2002 :: Int]])
