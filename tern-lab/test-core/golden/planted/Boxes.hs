-- | Numbers in boxes that need none.
module Boxes (runs) where

import Control.Monad
import Control.Monad.ST
import Data.Array (Array)
import Data.Array qualified as A
import Data.Array.Base (unsafeAt, unsafeRead, unsafeWrite)
import Data.Array.ST (newArray, readArray, runSTArray, runSTUArray, writeArray)
import Data.Array.Unboxed (UArray)
import Data.Array.Unboxed qualified as UA
import Data.Bits ((.&.))
import Data.List (foldl')
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as VM
import Data.Vector.Unboxed qualified as U
import Data.Vector.Unboxed.Mutable qualified as UM

runs :: [(String, IO ())]
runs =
  [ ("squares", print (V.sum (squares 2000))),
    ("squaresCured", print (U.sum (squaresCured 2000))),
    ("sieve", print (sieve 5000)),
    ("sieveCured", print (sieveCured 5000)),
    ("weights", print (weights 3000)),
    ("weightsCured", print (weightsCured 3000)),
    ("marked", print (length (filter id (A.elems (marked 40000))))),
    ("markedCured", print (length (filter id (UA.elems (markedCured 40000))))),
    ("counted", print (sum (A.elems (counted 40000)))),
    ("countedCured", print (sum (UA.elems (countedCured 40000)))),
    ("crossed", print (length (filter id (UA.elems (crossed 40000))))),
    ("crossedCured", print (length (filter id (UA.elems (crossedCured 40000))))),
    ("names", print (V.length (names 10)))
  ]

-- Found: boxed-elements
squares :: Int -> V.Vector Int
squares n = V.generate n (\i -> i * i)
{-# NOINLINE squares #-}

-- Healthy
squaresCured :: Int -> U.Vector Int
squaresCured n = U.generate n (\i -> i * i)
{-# NOINLINE squaresCured #-}

-- Found: boxed-elements
sieve :: Int -> Int
sieve n = length (filter (== n) (V.toList marks))
  where
    marks = runST $ do
      m <- VM.replicate n (0 :: Int)
      forM_ [2 .. n - 1] $ \i -> VM.write m i (i * 2)
      V.unsafeFreeze m
{-# NOINLINE sieve #-}

-- Healthy
sieveCured :: Int -> Int
sieveCured n = length (filter (== n) (U.toList marks))
  where
    marks = runST $ do
      m <- UM.replicate n (0 :: Int)
      forM_ [2 .. n - 1] $ \i -> UM.write m i (i * 2)
      U.unsafeFreeze m
{-# NOINLINE sieveCured #-}

-- Found: boxed-elements
weights :: Int -> Double
weights n = foldl' (\acc i -> acc + table A.! i) 0 [0 .. n]
  where
    table :: Array Int Double
    table = A.listArray (0, n) [sqrt (fromIntegral i) | i <- [0 .. n]]
{-# NOINLINE weights #-}

-- Healthy
weightsCured :: Int -> Double
weightsCured n = foldl' (\acc i -> acc + table UA.! i) 0 [0 .. n]
  where
    table :: UArray Int Double
    table = UA.listArray (0, n) [sqrt (fromIntegral i) | i <- [0 .. n]]
{-# NOINLINE weightsCured #-}

-- Found: boxed-elements
marked :: Int -> Array Int Bool
marked n = runSTArray $ do
  m <- newArray (2, n) True
  forM_ [2 .. n] $ \i -> when (i * i <= n) $ forM_ [i * i, i * i + i .. n] $ \k -> writeArray m k False
  pure m
{-# NOINLINE marked #-}

-- Healthy
markedCured :: Int -> UArray Int Bool
markedCured n = runSTUArray $ do
  m <- newArray (2, n) True
  forM_ [2 .. n] $ \i -> when (i * i <= n) $ forM_ [i * i, i * i + i .. n] $ \k -> writeArray m k False
  pure m
{-# NOINLINE markedCured #-}

-- Found: boxed-elements
counted :: Int -> Array Int Int
counted n = runSTArray $ do
  m <- newArray (0, 99) 0
  forM_ [1 .. n] $ \i -> do
    k <- readArray m (i `mod` 100)
    writeArray m (i `mod` 100) $! k + i
  pure m
{-# NOINLINE counted #-}

-- Healthy
countedCured :: Int -> UArray Int Int
countedCured n = runSTUArray $ do
  m <- newArray (0, 99) 0
  forM_ [1 .. n] $ \i -> do
    k <- readArray m (i `mod` 100)
    writeArray m (i `mod` 100) $! k + i
  pure m
{-# NOINLINE countedCured #-}

-- Healthy
names :: Int -> V.Vector String
names n = V.generate n show
{-# NOINLINE names #-}

-- The inner loop ends with a pair, for which its turn stays in a box. GHC makes one place of what
-- both branches go on with, and a worker of the loop.
-- Found: kept-boxed
crossed :: Int -> UArray Int Bool
crossed n = runSTUArray $ do
  marks <- newArray (0, n) True
  let from p
        | 7 < p = pure marks
        | otherwise = do
            (over, turn) <- cross (p * 2) 0 p
            unsafeWrite marks ((over + turn) `mod` n) True
            from (p + 1)
      cross step turn i
        | n < i = pure (i - n, turn)
        | otherwise = do
            there <- unsafeRead marks i
            when there (unsafeWrite marks i False)
            cross step ((turn + 1) .&. 7) (i + step * spoke turn + on (step + turn) - on (hub turn + step))
  from 1
{-# NOINLINE crossed #-}

-- Healthy
crossedCured :: Int -> UArray Int Bool
crossedCured n = runSTUArray $ do
  marks <- newArray (0, n) True
  let from p
        | 7 < p = pure marks
        | otherwise = do
            (over, turn) <- cross (p * 2) 0 p
            unsafeWrite marks ((over + turn) `mod` n) True
            from (p + 1)
      cross step !turn i
        | n < i = pure (i - n, turn)
        | otherwise = do
            there <- unsafeRead marks i
            when there (unsafeWrite marks i False)
            cross step ((turn + 1) .&. 7) (i + step * spoke turn + on (step + turn) - on (hub turn + step))
  from 1
{-# NOINLINE crossedCured #-}

spoke, hub, on :: Int -> Int
spoke = unsafeAt (UA.listArray (0, 7) [1, 2, 1, 3, 1, 2, 4, 1] :: UArray Int Int)
hub = unsafeAt (UA.listArray (0, 7) [2, 2, 1, 3, 2, 2, 4, 1] :: UArray Int Int)
on i = spoke (i .&. 7) + hub ((i + 1) .&. 7)
