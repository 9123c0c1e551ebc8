-- | Loops that carry a constructor around, in a module of -O.
module Specialised (runs, Amount (..), amountOf) where

runs :: [(String, IO ())]
runs =
  [ ("latest", print (latest [1 .. 5000])),
    ("machine", print (machine 5000))
  ]

-- What an amount is counted in is said here.
newtype Amount = Amount Integer

amountOf :: Int -> Amount
amountOf = Amount . fromIntegral
{-# NOINLINE amountOf #-}

-- Found: spec-constr
latest :: [Int] -> Int
latest = go (None 0)
  where
    go :: Best -> [Int] -> Int
    go best xs = case xs of
      [] -> case best of
        None n -> n
        Some a b -> a + b
      x : rest -> case best of
        None n
          | x > 10 -> go (Some x n) rest
          | otherwise -> go (None (n + 1)) rest
        Some a b
          | x `rem` 7 == 0 -> go (None a) rest
          | otherwise -> go (Some (a + x) b) rest
{-# NOINLINE latest #-}

data Best = None !Int | Some !Int !Int

data State = Low !Int | High !Int !Int

-- Found: spec-constr
machine :: Int -> Int
machine n = go n (Low 0)
  where
    go :: Int -> State -> Int
    go i s = case s of
      Low a
        | i == 0 -> a
        | even i -> go (i - 1) (High a i)
        | otherwise -> go (i - 1) (Low (a + 1))
      High a b
        | i == 0 -> a + b
        | otherwise -> go (i - 1) (Low (a * 3 `rem` (b + 1)))
{-# NOINLINE machine #-}
