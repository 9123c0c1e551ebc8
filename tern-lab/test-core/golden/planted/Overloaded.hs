-- | Numbers whose type nobody has chosen, in functions without a signature.
module Overloaded (runs) where

runs :: [(String, IO ())]
runs =
  [ ("longest", print longest),
    ("longestCured", print longestCured)
  ]

chain n = go n 1
  where
    go 1 k = k
    go m k
      | even m = go (m `div` 2) (k + 1)
      | otherwise = go (3 * m + 1) (k + 1)

-- Found: integer-default
longest = maximum (map chain [1 .. 2000])
{-# NOINLINE longest #-}

-- Healthy
longestCured :: Int
longestCured = maximum (map chain [1 .. 2000 :: Int])
{-# NOINLINE longestCured #-}
