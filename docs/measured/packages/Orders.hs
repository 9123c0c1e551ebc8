module Main (main) where

import qualified Data.List as List
import qualified Data.Map as Map
import qualified Data.Set as Set
import Topograph

-- | Modules of a program, and which of them each imports.
imports :: Int -> Map.Map Int (Set.Set Int)
imports n = Map.fromList [(i, Set.fromList (filter (< i) [i - 1, i `div` 2, i `div` 3, (i * 7) `mod` (i + 1), i - 5, 3])) | i <- [0 .. n - 1]]

main :: IO ()
main = do
  let small = imports 300
  print (runG' small (\g -> Set.size (edgesSet (reduction g))))
  print (runG' small (\g -> Set.size (edgesSet (closure g))))
  print (fmap (\m -> sum (map Set.size (Map.elems m))) (runG' (imports 600) (\g -> adjacencyMap (transpose g))))
  print (runG' small (\g -> sum [maximum (longestPathLengths g v) | v <- gVertices g]))
  print (runG' small (\g -> sum [sum (shortestPathLengths g v) | v <- gVertices g]))
  print (runG' (imports 28) (\g -> List.foldl' (\n p -> n + length p) 0 (concatMap (dfs g) (gVertices g))))
  print (runG' (imports 30) (\g -> length (allPaths g (head (gVertices g)) (last (gVertices g)))))
