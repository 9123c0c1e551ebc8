-- | Primes by the differences of ordered lists, and some sets.
module Main (main) where

import Data.List.Ordered

primes :: [Int]
primes = 2 : 3 : minus [5, 7 ..] (unionAll [[p * p, p * p + 2 * p ..] | p <- drop 1 primes])

numbers :: Int -> [Int]
numbers n = [k * 7919 `mod` 100003 | k <- [1 .. n]]

main :: IO ()
main = do
  print (primes !! 9000)
  print (sum (nubSort (numbers 60000)))
  print (length (sortOn (`mod` 1009) (numbers 60000)))
  print (length (isect (nubSort (numbers 40000)) (sort (map (* 3) (numbers 40000)))))
  print (length (mergeAll [[k, k + 7 .. 30000] | k <- [1 .. 200]]))
  print (length (filter (`member` nubSort (numbers 300)) [1 .. 300]))
