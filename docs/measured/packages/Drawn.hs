module Main (main) where

import Text.Dot

-- | A network of routers, its regions in clusters, and what each region depends on.
network :: Int -> Dot ()
network regions = do
  attribute ("rankdir", "LR")
  hubs <- mapM region [1 .. regions]
  sequence_ [edge a b [("label", "from " ++ show i), ("style", "dashed")] | (i, a, b) <- zip3 [1 :: Int ..] hubs (drop 1 hubs)]
  where
    region n = do
      (_, hub) <- cluster $ do
        attribute ("label", "region \"" ++ show n ++ "\"")
        hub <- node [("shape", "box"), ("label", "hub " ++ show n)]
        (_, leaves) <- cluster (mapM (leaf n) [1 .. 12 :: Int])
        mapM_ (hub .->.) leaves
        same leaves
        pure hub
      pure hub
    leaf n i = node [("label", "leaf " ++ show i ++ " of " ++ show n), ("color", if even i then "red" else "blue")]

-- | Gates of a circuit, as a netlist.
circuit :: Int -> [(Int, (String, [Int]))]
circuit n = [(i, ("gate " ++ show i, [i `div` 2, i `div` 3, n + i `mod` 7])) | i <- [1 .. n]]

main :: IO ()
main = do
  let drawn = showDot (network 1500)
      gates = showDot (netlistGraph (\(name, _) -> [("label", name)]) snd (circuit 8000))
  print (length drawn, length gates)
  putStrLn (take 200 drawn)
