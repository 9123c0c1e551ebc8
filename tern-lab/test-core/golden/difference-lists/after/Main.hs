module Main (main) where

data Tree = Leaf | Node Tree Int Tree

build :: Int -> Int -> Tree
build a b
  | a > b = Leaf
  | otherwise = let m = (a + b) `div` 2 in Node (build a (m - 1)) m (build (m + 1) b)

flatten :: Tree -> [Int]
flatten tree = go tree []
  where
    go Leaf = id
    go (Node l x r) = go l . (x :) . go r

main :: IO ()
main = print (sum (flatten (build 1 20000)))
