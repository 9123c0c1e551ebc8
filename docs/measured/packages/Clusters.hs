-- | Stations grouped by how far they are from each other, by each linkage.
module Main (main) where

import Data.Clustering.Hierarchical

data Station = Station Double Double

stations :: Int -> [Station]
stations n = [Station (part (i * 7919)) (part (i * 104729 + 31)) | i <- [1 .. n]]
  where
    part i = fromIntegral (i * i `mod` 9973) / 9973

far :: Station -> Station -> Distance
far (Station a b) (Station c d) = sqrt ((a - c) * (a - c) + (b - d) * (b - d))

height :: Dendrogram a -> Int
height (Leaf _) = 0
height (Branch _ l r) = 1 + max (height l) (height r)

main :: IO ()
main =
  mapM_
    report
    [(SingleLinkage, 1200), (CLINK, 1200), (CompleteLinkage, 240), (UPGMA, 240)]
  where
    report (linkage, n) = do
      let tree = dendrogram linkage (stations n) far
      print
        ( linkage,
          height tree,
          length (elements tree),
          map (length . cutAt tree) [0.01, 0.05, 0.2]
        )
