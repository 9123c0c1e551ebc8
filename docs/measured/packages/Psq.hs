-- | A cache that forgets what was used least lately, tasks by urgency, and shortest ways.
module Main (main) where

import qualified Data.IntPSQ as I
import qualified Data.List as List
import qualified Data.OrdPSQ as O

data Cache = Cache {clock :: !Int, held :: !(O.OrdPSQ String Int Int), hits :: !Int}

use :: Int -> Cache -> String -> Cache
use size (Cache t q h) key = case O.alter look key q of
  (True, q') -> Cache (t + 1) q' (h + 1)
  (False, q')
    | O.size q' > size -> Cache (t + 1) (O.deleteMin q') h
    | otherwise -> Cache (t + 1) q' h
  where
    look old = case old of
      Just (_, v) -> (True, Just (t, v))
      Nothing -> (False, Just (t, length key))

ways :: Int -> I.IntPSQ Int () -> [(Int, Int)]
ways n = go n (const False)
  where
    go left done q
      | left == 0 = []
      | otherwise = case I.minView q of
          Nothing -> []
          Just (k, d, _, rest) ->
            (k, d) : go (left - 1) done (List.foldl' (better d) rest [k * 2 + 1, k * 3 + 2, k + 7])
    better d q k
      | k > 200000 = q
      | otherwise =
          snd (I.alter (\old -> ((), Just (maybe (d + cost k) (min (d + cost k) . fst) old, ()))) k q)
    cost k = 1 + k * 31 `mod` 17

main :: IO ()
main = do
  let requests = ["page" ++ show (k * k * 7 `mod` 997 + k `mod` 5) | k <- [1 .. 20000 :: Int]]
      cache = List.foldl' (use 200) (Cache 0 O.empty 0) requests
  print (hits cache, O.size (held cache))
  print (sum (map snd (ways 8000 (I.singleton 1 0 ()))))
  let tasks = O.fromList [("task" ++ show k, k * 7919 `mod` 1009, k) | k <- [1 .. 5000 :: Int]]
  print (take 3 (O.toList (snd' (O.atMostView 5 tasks))))
  print (O.fold' (\_ p v n -> n + p * v) 0 (O.map (\_ _ v -> v * 2) tasks))
  where
    snd' (_, q) = q
