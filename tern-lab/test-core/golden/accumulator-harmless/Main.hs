module Main (main) where

-- | Each round waits until its result is asked for: after the tree library's
-- numbering of a forest.
numbered :: Int -> [Tree] -> (Int, [Tree])
numbered n [] = (n, [])
numbered n (Tree _ ts : rest) =
  let (m, ts') = numbered (n + 1) ts
      (k, rest') = numbered m rest
   in (k, Tree n ts' : rest')

data Tree = Tree Int [Tree]

-- | The state of what is open goes along with a list that is made on demand:
-- after an XML parser.
nodes :: [(Int, Int)] -> [Int] -> [(Int, Int)]
nodes _ [] = []
nodes open (x : xs) = (x, length (filter ((== x) . fst) open)) : nodes (insert x open) xs

insert :: Int -> [(Int, Int)] -> [(Int, Int)]
insert x = take 3 . ((x, x) :)
{-# NOINLINE insert #-}

total :: Tree -> Int
total (Tree n ts) = n + sum (map total ts)

grow :: Int -> Tree
grow n = Tree n [grow m | m <- [n - 1, n - 2], m > 0]

main :: IO ()
main = do
  print (sum (map total (snd (numbered 0 [grow 15]))))
  print (sum (map snd (nodes [] (map (`mod` 5) [1 .. 1000]))))
