module Main (main) where

import Data.Graph.Inductive.Graph
import Data.Graph.Inductive.PatriciaTree
import Data.Graph.Inductive.Query.BCC
import Data.Graph.Inductive.Query.DFS
import Data.Graph.Inductive.Query.Dominators
import Data.Graph.Inductive.Query.SP

main :: IO ()
main = do
  let n = 3000
      chain = mkGraph [(i, i) | i <- [1 .. n]] ([(i, i + 1, 1) | i <- [1 .. n - 1]] <> [(i, (i * 7) `mod` n + 1, 5) | i <- [1, 11 .. n]]) :: Gr Int Int
  print (sum (topsort chain))
  print (length (scc chain))
  print (length (dom (mkGraph [(i, i) | i <- [1 .. 300]] [(i, i + 1, 1) | i <- [1 .. 299]] :: Gr Int Int) 1))
  print (sum (concat (sp 1 n chain)))
