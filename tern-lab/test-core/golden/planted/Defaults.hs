-- | Numbers whose type nobody has said.
module Defaults (runs) where

import Data.List (foldl')

runs :: [(String, IO ())]
runs =
  [ ("fizz", fizz),
    ("fizzCured", fizzCured),
    ("matching", print (matching "a long line of text, with commas, of which there are few")),
    ("matchingCured", print (matchingCured "a long line of text, with commas, of which there are few")),
    ("collatz", print (sum (map collatz [1 .. 300]))),
    ("collatzCured", print (sum (map collatzCured [1 .. 300]))),
    ("squared", print (squared 7))
  ]

-- Found: integer-default
matching :: String -> String
matching text = show count
  where
    count = foldl' (\n c -> if c == ',' then (n * 3 + 1) `rem` 1000003 else n + 1) 0 (concat (replicate 100 text))
{-# NOINLINE matching #-}

-- Healthy
matchingCured :: String -> String
matchingCured text = show count
  where
    count :: Int
    count = foldl' (\n c -> if c == ',' then (n * 3 + 1) `rem` 1000003 else n + 1) 0 (concat (replicate 100 text))
{-# NOINLINE matchingCured #-}

-- Found: integer-default
collatz :: Int -> Int
collatz start = fromIntegral (go 0 (fromIntegral start))
  where
    go steps n
      | n == 1 = steps
      | even n = go (steps + 1) (n `div` 2)
      | otherwise = go (steps + 1) (3 * n + 1)
{-# NOINLINE collatz #-}

-- Healthy
collatzCured :: Int -> Int
collatzCured start = go 0 start
  where
    go :: Int -> Int -> Int
    go !steps n
      | n == 1 = steps
      | even n = go (steps + 1) (n `div` 2)
      | otherwise = go (steps + 1) (3 * n + 1)
{-# NOINLINE collatzCured #-}

-- Healthy
squared :: Int -> Int
squared n = n ^ 2
{-# NOINLINE squared #-}

-- Found: integer-default
fizz :: IO ()
fizz = mapM_ (\i -> if i `mod` 4999 == 0 then putStrLn "fizz" else pure ()) [1 .. 100000]
{-# NOINLINE fizz #-}

-- Healthy
fizzCured :: IO ()
fizzCured = mapM_ (\i -> if i `mod` 4999 == 0 then putStrLn "fizz" else pure ()) [1 .. 100000 :: Int]
{-# NOINLINE fizzCured #-}
