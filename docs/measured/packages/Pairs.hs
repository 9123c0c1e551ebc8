-- | Seats and guests: who sits where, asked both ways, and changed.
module Main (main) where

import qualified Data.Bimap as B
import qualified Data.List as List
import Data.Maybe (fromMaybe)

numbers :: [Int]
numbers = iterate (\k -> (k * 1103515245 + 12345) `mod` 2147483648) 7

guest :: Int -> String
guest k = "guest " ++ show (k `mod` 20011)

main :: IO ()
main = do
  let seated = List.foldl' (\m (k, n) -> B.insert k (guest n) m) B.empty (zip [1 ..] (take 15000 numbers))
  print (B.size seated)
  let tried = List.foldl' (\m k -> B.tryInsert (k `mod` 9000) (guest (k + 1)) m) seated (take 15000 numbers)
  print (B.size tried, length [() | k <- take 40000 numbers, B.memberR (guest k) tried])
  let moved = B.mapR (++ "!") (B.filter (\k _ -> even k) tried)
  print (B.size moved, length (B.elems moved), sum (B.keys moved) `mod` 1000003)
  let left = List.foldl' (flip B.deleteR) tried (map guest (take 5000 numbers))
  print (B.size left, fst (B.findMin left), B.valid left)
  print (sum [fromMaybe 0 (B.lookupR (guest k) left) | k <- take 60000 numbers] `mod` 1000003)
