module Running (highest) where

highest :: (Num a, Ord a) => [a] -> a
highest = totals 0 0
  where
    totals :: (Num b, Ord b) => b -> b -> [b] -> b
    totals best _ [] = best
    totals best total (x : rest) =
      let next = total + x
       in totals (max best next) next rest
