-- | Shortest ways through a grid, the last words of a text, and tasks by their times, by heaps.
module Main (main) where

import Data.Foldable (toList)
import qualified Data.Heap as Heap
import qualified Data.IntMap.Strict as IntMap

-- | The costs of the shortest ways from the first field of a square grid.
shortest :: Int -> (Int -> Int) -> IntMap.IntMap Int
shortest size cost = go (Heap.singleton (Heap.Entry 0 0)) IntMap.empty
  where
    go heap done = case Heap.viewMin heap of
      Nothing -> done
      Just (Heap.Entry d at, rest)
        | IntMap.member at done -> go rest done
        | otherwise ->
            go
              (foldr Heap.insert rest [Heap.Entry (d + cost n) n | n <- around at])
              (IntMap.insert at d done)
    around at =
      [at - 1 | at `mod` size > 0]
        ++ [at + 1 | at `mod` size < size - 1]
        ++ [at - size | at >= size]
        ++ [at + size | at < size * (size - 1)]

-- | The greatest few of many, kept in a small heap.
greatest :: Int -> [Int] -> [Int]
greatest n = toList . foldl keep Heap.empty
  where
    keep heap x
      | Heap.size heap < n = Heap.insert x heap
      | Heap.minimum heap < x = Heap.insert x (Heap.deleteMin heap)
      | otherwise = heap

numbers :: Int -> Int -> [Int]
numbers seed n = take n (iterate (\x -> (x * 1103515245 + 12345) `mod` 2147483648) seed)

main :: IO ()
main = do
  let ways = shortest 100 (\n -> 1 + n * 7919 `mod` 13)
  print (IntMap.size ways, sum (IntMap.elems ways))
  print (sum (greatest 50 (numbers 7 50000)))
  let heap = Heap.fromList (numbers 3 20000)
      (small, large) = Heap.partition (< 1000000000) heap
  print (Heap.size small, Heap.size large, Heap.minimum (Heap.union large small))
  print (sum (zipWith (*) (cycle [1, -1]) (Heap.sort (numbers 5 30000))))
  print (take 5 (toList (Heap.take 5 (Heap.nub (Heap.map (`mod` 1000) heap)))))
  print (length (Heap.toUnsortedList (Heap.group (Heap.fromList (map (`mod` 50) (numbers 9 5000))))))
