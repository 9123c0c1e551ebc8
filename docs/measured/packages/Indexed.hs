module Main (main) where

import qualified Data.MultiMap as M
import qualified Data.SetMap as S

-- | The words of a page, each with the lines that it stands in.
page :: Int -> [(String, Int)]
page n = [(word (i * 7 + l * l), l) | l <- [1 .. n], i <- [1 .. 9]]
  where
    word k = ["the", "a", "bird", "flies", "over", "water", "and", "sings", "early"] !! (k `mod` 9) ++ show (k `mod` 40)

main :: IO ()
main = do
  let index = M.fromList (page 6000)
      later = foldl (\m (w, l) -> M.insert w l m) index [(w, l + 10000) | (w, l) <- page 2000]
      once = foldl (\m (w, l) -> S.insert w (l `mod` 100) m) S.empty (page 4000)
  print (M.numKeys later, M.numValues later, length (M.lookup "bird12" later))
  print (M.size (M.delete "the1" later), sum (map length (M.elems (M.map (+ 1) later))))
  print (sum [length w + l | (w, l) <- M.toList later])
  print (length (S.keys once), S.numValues once)
