-- | Numbers that could be in registers, and functions that could be jumped to.
module Registers (runs) where

import Control.Monad (forM_)
import Control.Monad.State qualified as S
import Data.Bits (xor)
import Data.IORef

runs :: [(String, IO ())]
runs =
  [ ("deep", print (sum [deep (* 2) n | n <- [1 .. 2000]])),
    ("deepCured", print (sum [deepCured (* 2) n | n <- [1 .. 2000]])),
    ("weigh", print (let go acc n = if n == 0 then acc else go (acc + weigh (* 2) n) (n - 1) in go 0 (20000 :: Int))),
    ("weighCured", print (let go acc n = if n == 0 then acc else go (acc + weighCured (* 2) n) (n - 1) in go 0 (20000 :: Int))),
    ("search", print (search 30000)),
    ("searchCured", print (searchCured 30000)),
    ("latest", print (latest 0 5 numbers)),
    ("latestCured", print (latestCured 0 5 numbers)),
    ("visit", print (visit (\f -> f 3) 20000 1)),
    ("visitCured", print (visitCured (\f -> f 3) 20000 1)),
    ("delayed", print (sum (take 5 (delayed 20000 1)))),
    ("delayedCured", print (sum (take 5 (delayedCured 20000 1)))),
    ("clocked", clocked 20000 >>= print),
    ("clockedCured", clockedCured 20000 >>= print),
    ("counted", print (counted 20000)),
    ("countedCured", print (countedCured 20000))
  ]

numbers :: [Int]
numbers = [(i * 7919) `mod` 1013 | i <- [1 .. 20000]]
{-# NOINLINE numbers #-}

-- One branch gives what a variable gives, and so all give boxes.
-- Found: boxed-result
deep :: (Int -> Int) -> Int -> Int
deep k n
  | n `rem` 100 == 0 = k n
  | otherwise = deep k (n - 1) + n
{-# NOINLINE deep #-}

-- Healthy
deepCured :: (Int -> Int) -> Int -> Int
deepCured k = go
  where
    go n
      | n `rem` 100 == 0 = k n
      | otherwise = go (n - 1) + n
{-# INLINE deepCured #-}

-- Found: boxed-result
weigh :: (Int -> Int) -> Int -> Int
weigh k n
  | n `rem` 1000 == 0 = k n
  | even n = (n * 3 + 1) `xor` (n * 5)
  | otherwise = (n - 7) `xor` (n * 11)
{-# NOINLINE weigh #-}

-- Healthy
weighCured :: (Int -> Int) -> Int -> Int
weighCured k n
  | n `rem` 1000 == 0 = k n
  | even n = (n * 3 + 1) `xor` (n * 5)
  | otherwise = (n - 7) `xor` (n * 11)
{-# INLINE weighCured #-}

-- The last round hands its number on in a box.
-- Found: kept-boxed
search :: Int -> Maybe Int
search n0 = go n0
  where
    go n
      | n > 60000 = Nothing
      | n `rem` 59999 == 0 = Just n
      | otherwise = go (n + 1)
{-# NOINLINE search #-}

data Search = Missing | Hit !Int

instance Show Search where
  show Missing = "Nothing"
  show (Hit n) = "Just " ++ show n

-- Healthy
searchCured :: Int -> Search
searchCured n0 = go n0
  where
    go n
      | n > 60000 = Missing
      | n `rem` 59999 == 0 = Hit n
      | otherwise = go (n + 1)
{-# NOINLINE searchCured #-}

-- A list that ends has no need of the last sum.
-- Found: kept-boxed
latest :: Int -> Int -> [Int] -> Int
latest _ _ [] = 0
latest before x (y : ys)
  | y > 2000 = before
  | otherwise = x `seq` latest (x * 3) (y + 1) ys
{-# NOINLINE latest #-}

-- Healthy
latestCured :: Int -> Int -> [Int] -> Int
latestCured !_ !_ [] = 0
latestCured before x (y : ys)
  | y > 2000 = before
  | otherwise = x `seq` latestCured (x * 3) (y + 1) ys
{-# NOINLINE latestCured #-}

-- Handed on in one round of a hundred.
-- Found: lost-jump
visit :: ((Int -> Int) -> Int) -> Int -> Int -> Int
visit _ 0 !acc = acc
visit k n !acc =
  let {-# NOINLINE finish #-}
      finish x = visit k (n - 1) (((x * 31) `xor` (acc * 7)) + ((x + n) `rem` 1013) * (acc `xor` n))
   in if n `rem` 100 == 0 then k finish else if even n then finish (acc + 1) else finish (acc - 2)
{-# NOINLINE visit #-}

-- Healthy
visitCured :: ((Int -> Int) -> Int) -> Int -> Int -> Int
visitCured _ 0 !acc = acc
visitCured k n !acc
  | n `rem` 100 == 0 = k (visitCured k (n - 1) . mixed n acc)
  | even n = visitCured k (n - 1) (mixed n acc (acc + 1))
  | otherwise = visitCured k (n - 1) (mixed n acc (acc - 2))
{-# NOINLINE visitCured #-}

mixed :: Int -> Int -> Int -> Int
mixed n acc x = ((x * 31) `xor` (acc * 7)) + ((x + n) `rem` 1013) * (acc `xor` n)

-- Found: lost-jump
delayed :: Int -> Int -> [Int]
delayed 0 !acc = [acc]
delayed n !acc =
  let {-# NOINLINE next #-}
      next x = delayed (n - 1) (((x * 31) `xor` (acc * 7)) + ((x + n) `rem` 1013) * (acc `xor` n))
   in if n `rem` 5000 == 0 then acc : next n else if even n then next (acc + 1) else next (acc - 2)
{-# NOINLINE delayed #-}

delayedCured :: Int -> Int -> [Int]
delayedCured 0 !acc = [acc]
delayedCured n !acc
  | n `rem` 5000 == 0 = acc : delayedCured (n - 1) (mixed n acc n)
  | even n = delayedCured (n - 1) (mixed n acc (acc + 1))
  | otherwise = delayedCured (n - 1) (mixed n acc (acc - 2))
{-# NOINLINE delayedCured #-}

data Lazily = Lazily {clock :: Int, served :: Int}

data Strictly = Strictly {clock' :: !Int, served' :: !Int}

-- The record is evaluated in the next round, and its fields never.
-- Found: lazy-state
clocked :: Int -> IO (Int, Int)
clocked n = do
  cell <- newIORef (Lazily 0 0)
  forM_ [1 .. n] $ \i -> do
    s <- readIORef cell
    writeIORef cell s {clock = clock s + i, served = served s + 1}
  s <- readIORef cell
  pure (clock s, served s)
{-# NOINLINE clocked #-}

-- Healthy
clockedCured :: Int -> IO (Int, Int)
clockedCured n = do
  cell <- newIORef (Strictly 0 0)
  forM_ [1 .. n] $ \i -> do
    s <- readIORef cell
    writeIORef cell $! s {clock' = clock' s + i, served' = served' s + 1}
  s <- readIORef cell
  pure (clock' s, served' s)
{-# NOINLINE clockedCured #-}

-- Found: lazy-state
counted :: Int -> (Int, Int)
counted n = (clock s, served s)
  where
    s = S.execState (mapM_ (\i -> S.modify (\r -> r {clock = clock r + i, served = served r + 1})) [1 .. n]) (Lazily 0 0)
{-# NOINLINE counted #-}

-- Healthy
countedCured :: Int -> (Int, Int)
countedCured n = (clock' s, served' s)
  where
    s = S.execState (mapM_ (\i -> S.modify' (\r -> r {clock' = clock' r + i, served' = served' r + 1})) [1 .. n]) (Strictly 0 0)
{-# NOINLINE countedCured #-}
