{-# LANGUAGE MultiParamTypeClasses #-}

-- | Three uses of one tree: a text that is edited, a queue of tasks, and what is on at an hour.
module Main (main) where

import Data.FingerTree (FingerTree, Measured (..))
import qualified Data.FingerTree as F
import Data.Foldable (toList)
import qualified Data.Foldable as Foldable
import qualified Data.IntervalMap.FingerTree as I
import qualified Data.PriorityQueue.FingerTree as Q

newtype Size = Size Int
  deriving (Eq, Ord, Show)

instance Semigroup Size where
  Size a <> Size b = Size (a + b)

instance Monoid Size where
  mempty = Size 0

newtype Line = Line String

instance Measured Size Line where
  measure (Line s) = Size (length s + 1)

edit :: FingerTree Size Line -> Int -> FingerTree Size Line
edit text n =
  let (before, after) = F.split (> Size (n * 7919 `mod` 20000)) text
   in (before F.|> Line ("line " ++ show n)) F.>< after

numbers :: Int -> [Int]
numbers n = take n (iterate (\k -> (k * 1103515245 + 12345) `mod` 2147483648) 7)

drained :: Q.PQueue Int Int -> [Int]
drained q = case Q.minViewWithKey q of
  Nothing -> []
  Just ((k, v), rest)
    | v `mod` 5 == 0 -> k : drained (Q.insert (k + 1000000) (v + 1) rest)
    | otherwise -> k : drained rest

main :: IO ()
main = do
  let text = Foldable.foldl' edit (F.fromList [Line ("first " ++ show k) | k <- [1 .. 2000 :: Int]]) [1 .. 20000]
  print (measure text, length (toList text))
  print (sum (drained (Q.fromList (zip (numbers 20000) [1 ..]))) `mod` 1000003)
  let talks = Foldable.foldl' (\m (n, k) -> I.insert (I.Interval (k `mod` 10000) (k `mod` 10000 + n `mod` 37)) n m) I.empty (zip [1 .. 10000 :: Int] (numbers 10000))
  print (sum [length (I.search k talks) | k <- [1, 5 .. 10000]])
  print (sum [length (I.intersections (I.Interval k (k + 20)) talks) | k <- [1, 50 .. 10000]])
