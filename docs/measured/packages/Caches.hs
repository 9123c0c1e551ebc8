module Main (main) where

import Data.Cache.LRU
import qualified Data.List as List
import Prelude hiding (lookup)

-- | Pages that are asked for, most of them again and again.
asked :: Int -> [Int]
asked n = take n (map (`mod` 4000) (iterate (\x -> (x * 1103515245 + 12345) `mod` 2147483648) 42) >>= \x -> [x, x `div` 7, x `mod` 97])

-- | How many were there.
served :: LRU Int String -> [Int] -> (LRU Int String, Int)
served cache = List.foldl' step (cache, 0)
  where
    step (c, n) page = case lookup page c of
      (c', Just _) -> (c', n + 1)
      (c', Nothing) -> (insert page ("page " ++ show page) c', n)

main :: IO ()
main = do
  let (cache, hits) = served (newLRU (Just 500)) (asked 150000)
  print (hits, size cache)
  print (fmap fst (snd (pop cache)))
  print (sum (map fst (toList cache)))
