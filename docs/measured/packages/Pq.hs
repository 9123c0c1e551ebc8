-- | A heap filled and emptied, and the shortest ways of a grid.
module Main (main) where

import qualified Data.PQueue.Min as Q
import qualified Data.PQueue.Prio.Min as P
import qualified Data.Set as S

ways :: Int -> Int
ways n = go (P.singleton 0 (0, 0)) S.empty
  where
    go q seen = case P.minViewWithKey q of
      Nothing -> 0
      Just ((d, at@(x, y)), rest)
        | at == (n - 1, n - 1) -> d
        | S.member at seen -> go rest seen
        | otherwise ->
            go
              (foldr (\p -> P.insert (d + 1 + (x * 7 + y * 13) `mod` 9) p) rest (near x y))
              (S.insert at seen)
    near x y =
      [ (a, b)
        | (a, b) <- [(x + 1, y), (x, y + 1), (x - 1, y)],
          a >= 0,
          a < n,
          b < n
      ]

main :: IO ()
main = do
  let keys = [(i * 7919) `mod` 100003 | i <- [1 .. 50000 :: Int]]
  print (sum (take 1000 (Q.toAscList (Q.fromList keys))))
  print (ways 60)
