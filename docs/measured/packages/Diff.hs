module Main (main) where

import Data.Algorithm.Diff
import Data.Algorithm.DiffOutput

main :: IO ()
main = do
  let a = map show [1 .. 3000 :: Int]
      b = [if n `mod` 20 == 0 then "x" ++ show n else show n | n <- [1 .. 3000 :: Int], n `mod` 33 /= 0]
  print (length (ppDiff (getGroupedDiff a b)))
  -- Blocks that are equal, one after the other: the accumulators alone.
  print (length (diffToLineRanges (replicate 300000 (Both ["x"] ["x"]) ++ [First ["y"]])))
  print [lrNumbers r | Deletion r _ <- diffToLineRanges (replicate 300000 (Both ["x"] ["x"]) ++ [First ["y"]])]
