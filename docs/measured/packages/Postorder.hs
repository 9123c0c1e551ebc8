module Main (main) where

import Data.Graph.Inductive.Basic (postorderF)
import Data.Tree

main :: IO ()
main = print (sum (postorderF [deep 3000, deep 1000])) where deep n = if n == 0 then Node (0 :: Int) [] else Node n [deep (n - 1), Node 1 []]
