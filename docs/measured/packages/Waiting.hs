module Main (main) where

import qualified Data.Map.Strict as M
import Data.PSQueue (Binding (..), PSQ)
import qualified Data.PSQueue as Q

-- | The shortest ways from one corner of a town to all others.
ways :: Int -> M.Map (Int, Int) Int
ways n = go (Q.singleton (0, 0) 0) M.empty
  where
    go queue done = case Q.minView queue of
      Nothing -> done
      Just (at :-> d, rest) -> go (foldr (relax d) rest [p | p <- around at, M.notMember p done]) (M.insert at d done)
    relax d p = Q.alter (Just . maybe (d + cost p) (min (d + cost p))) p
    around (x, y) = [(a, b) | (a, b) <- [(x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)], a >= 0, b >= 0, a < n, b < n]
    cost (x, y) = 1 + (x * 7 + y * 13) `mod` 9

-- | Appointments by the hour, those that are due, and others that move.
appointments :: Int -> PSQ Int Int
appointments n = Q.fromList [((k * 7919) `mod` 20011) :-> ((k * 7919) `mod` 1440) | k <- [1 .. n]]

main :: IO ()
main = do
  let w = ways 70
      book = appointments 20000
      moved = foldr (Q.adjust (+ 30)) book [1, 7 .. 20000]
  print (sum (M.elems w))
  print (Q.size moved, length (Q.atMost 60 moved), length (Q.atMostRange 200 (100, 5000) moved))
  print (sum [p * k | k :-> p <- Q.toList moved], Q.findMin moved)
