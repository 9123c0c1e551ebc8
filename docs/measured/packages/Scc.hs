-- | Components of a graph of 20,000 nodes.
module Main (main) where

import Data.Graph.SCC

main :: IO ()
main = do
  let n = 20000 :: Int
      comps = stronglyConnComp (map node [0 .. n - 1])
      node i = (i, i, [(i * 7 + 3) `mod` n, (i * i + 1) `mod` n])
  print (length comps)
