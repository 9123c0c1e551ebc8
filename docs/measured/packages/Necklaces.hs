module Main (main) where

import Math.Combinatorics.Multiset

main :: IO ()
main = do
  let letters = fromList "mississippi"
  print (length (permutations letters))
  print (sum (map (length . toCounts) (partitions (fromCounts [('a', 4), ('b', 3), ('c', 2), ('d', 1)]))))
  print (length (splits (fromCounts (zip ['a' .. 'h'] (cycle [1, 2, 3])))))
  print (length (kSubsets 7 (fromCounts (zip ['a' .. 'p'] (cycle [1, 2])))))
  print (length (cycles (fromCounts [('r', 6), ('g', 4), ('b', 4)])))
  print (length (bracelets (fromCounts [('r', 6), ('g', 6), ('b', 5)])))
  print (length (sequenceMS (fromCounts [("abcd", 2), ("efg", 3), ("hi", 1)])))
