-- | Cells and states that are given what is only to be computed.
module LazyState (runs) where

import Control.Concurrent.MVar
import Control.Concurrent.STM
import Control.Monad
import Control.Monad.ST
import Control.Monad.State.Lazy qualified as L
import Control.Monad.State.Strict qualified as S
import Data.IORef
import Data.STRef

runs :: [(String, IO ())]
runs =
  [ ("tick", print (S.runState (replicateM_ 20000 tick) 0)),
    ("tickCured", print (S.runState (replicateM_ 20000 tickCured) 0)),
    ("inBranch", print (inBranch [1 .. 20000])),
    ("inBranchCured", print (inBranchCured [1 .. 20000])),
    ("counted", counted 20000 >>= print),
    ("countedCured", countedCured 20000 >>= print),
    ("summed", print (summed [1 .. 20000])),
    ("summedCured", print (summedCured [1 .. 20000])),
    ("shared", shared 20000 >>= print),
    ("sharedCured", sharedCured 20000 >>= print),
    ("lazyState", print (lazyState [1 .. 20000])),
    ("lazyStateCured", print (lazyStateCured [1 .. 20000])),
    ("strictState", print (strictState [1 .. 20000])),
    ("strictStateCured", print (strictStateCured [1 .. 20000])),
    ("inMVar", inMVar 20000 >>= print),
    ("inMVarCured", inMVarCured 20000 >>= print),
    ("pairState", print (pairState [1 .. 20000])),
    ("pairStateCured", print (pairStateCured [1 .. 20000])),
    ("recordState", print (recordState [1 .. 20000])),
    ("recordStateCured", print (recordStateCured [1 .. 20000])),
    ("atomically'", atomically' 20000 >>= print),
    ("atomically'Cured", atomically'Cured 20000 >>= print),
    ("pushed", pushed [1 .. 2000] >>= print . length),
    ("start", start 4 >>= print),
    ("needed", print (needed [1 .. 100]))
  ]

-- Found: lazy-state
counted :: Int -> IO Int
counted n = do
  cell <- newIORef 0
  forM_ [1 .. n] $ \i -> modifyIORef cell (+ i)
  readIORef cell
{-# NOINLINE counted #-}

-- Healthy
countedCured :: Int -> IO Int
countedCured n = do
  cell <- newIORef 0
  forM_ [1 .. n] $ \i -> modifyIORef' cell (+ i)
  readIORef cell
{-# NOINLINE countedCured #-}

-- Found: lazy-state
summed :: [Int] -> Int
summed xs = runST $ do
  cell <- newSTRef 0
  mapM_ (\x -> modifySTRef cell (+ x)) xs
  readSTRef cell
{-# NOINLINE summed #-}

-- Healthy
summedCured :: [Int] -> Int
summedCured xs = runST $ do
  cell <- newSTRef 0
  mapM_ (\x -> modifySTRef' cell (+ x)) xs
  readSTRef cell
{-# NOINLINE summedCured #-}

-- Found: lazy-state
shared :: Int -> IO Int
shared n = do
  cell <- newTVarIO 0
  replicateM_ n (atomically (modifyTVar cell (+ 1)))
  readTVarIO cell
{-# NOINLINE shared #-}

-- Healthy
sharedCured :: Int -> IO Int
sharedCured n = do
  cell <- newTVarIO 0
  replicateM_ n (atomically (modifyTVar' cell (+ 1)))
  readTVarIO cell
{-# NOINLINE sharedCured #-}

-- Found: lazy-state
lazyState :: [Int] -> ((), Int)
lazyState xs = L.runState (mapM_ (\x -> L.modify (+ x)) xs) 0
{-# NOINLINE lazyState #-}

-- Healthy
lazyStateCured :: [Int] -> ((), Int)
lazyStateCured xs = S.runState (mapM_ (\x -> S.modify' (+ x)) xs) 0
{-# NOINLINE lazyStateCured #-}

-- The monad is strict in its pairs, not in its state.
-- Found: lazy-state
strictState :: [Int] -> ((), Int)
strictState xs = S.runState (mapM_ (\x -> S.modify (\n -> n + x)) xs) 0
{-# NOINLINE strictState #-}

-- Healthy
strictStateCured :: [Int] -> ((), Int)
strictStateCured xs = S.runState (mapM_ (\x -> S.modify' (\n -> n + x)) xs) 0
{-# NOINLINE strictStateCured #-}

-- Found: lazy-state
inMVar :: Int -> IO Int
inMVar n = do
  cell <- newMVar 0
  forM_ [1 .. n] $ \i -> modifyMVar_ cell (pure . (+ i))
  readMVar cell
{-# NOINLINE inMVar #-}

-- Healthy
inMVarCured :: Int -> IO Int
inMVarCured n = do
  cell <- newMVar 0
  forM_ [1 .. n] $ \i -> modifyMVar_ cell (\x -> pure $! x + i)
  readMVar cell
{-# NOINLINE inMVarCured #-}

-- Found: lazy-fields
pairState :: [Int] -> (Int, Int)
pairState xs = S.execState (mapM_ (\x -> S.modify' (\(s, n) -> (s + x, n + 1))) xs) (0, 0)
{-# NOINLINE pairState #-}

-- Healthy
pairStateCured :: [Int] -> (Int, Int)
pairStateCured xs = S.execState (mapM_ (\x -> S.modify' (\(s, n) -> let s' = s + x; n' = n + 1 in s' `seq` n' `seq` (s', n'))) xs) (0, 0)
{-# NOINLINE pairStateCured #-}

data Lazily = Lazily {seen :: Int, largest :: Int}
  deriving (Show)

-- Found: lazy-fields
recordState :: [Int] -> (Int, Int)
recordState xs = (\s -> (seen s, largest s)) (S.execState (mapM_ (\x -> S.modify' (\s -> s {seen = seen s + 1, largest = max x (largest s)})) xs) (Lazily 0 0))
{-# NOINLINE recordState #-}

data Strictly = Strictly {seen' :: !Int, largest' :: !Int}
  deriving (Show)

-- Healthy
recordStateCured :: [Int] -> (Int, Int)
recordStateCured xs = (\s -> (seen' s, largest' s)) (S.execState (mapM_ (\x -> S.modify' (\s -> s {seen' = seen' s + 1, largest' = max x (largest' s)})) xs) (Strictly 0 0))
{-# NOINLINE recordStateCured #-}

-- Found: lazy-state
atomically' :: Int -> IO Int
atomically' n = do
  cell <- newIORef 0
  replicateM_ n (atomicModifyIORef cell (\x -> (x + 1, ())))
  readIORef cell
{-# NOINLINE atomically' #-}

-- Healthy
atomically'Cured :: Int -> IO Int
atomically'Cured n = do
  cell <- newIORef 0
  replicateM_ n (atomicModifyIORef' cell (\x -> (x + 1, ())))
  readIORef cell
{-# NOINLINE atomically'Cured #-}

-- A cell of a list is made at once, and is no chain of computations.
-- Healthy
pushed :: [Int] -> IO [Int]
pushed xs = do
  cell <- newIORef []
  forM_ xs $ \x -> modifyIORef cell (x :)
  readIORef cell
{-# NOINLINE pushed #-}

-- Once.
-- Healthy
start :: Int -> IO Int
start n = do
  cell <- newIORef n
  modifyIORef cell (+ 1)
  readIORef cell
{-# NOINLINE start #-}

-- GHC sees that the state is needed.
-- Healthy
needed :: [Int] -> Int
needed xs = S.execState (mapM_ (\x -> S.modify (+ x)) xs) 0
{-# NOINLINE needed #-}

-- The loop is around the action's user.
-- Found: lazy-state
tick :: S.State Int ()
tick = S.modify (+ 1)
{-# NOINLINE tick #-}

-- Healthy
tickCured :: S.State Int ()
tickCured = S.modify' (+ 1)
{-# NOINLINE tickCured #-}

-- Found: lazy-state
inBranch :: [Int] -> (Int, Int)
inBranch xs = runST $ do
  a <- newSTRef 0
  b <- newSTRef 0
  forM_ xs $ \x -> do
    modifySTRef a (+ x)
    when (even x) $ modifySTRef b (+ 1)
  (,) <$> readSTRef a <*> readSTRef b
{-# NOINLINE inBranch #-}

-- Healthy
inBranchCured :: [Int] -> (Int, Int)
inBranchCured xs = runST $ do
  a <- newSTRef 0
  b <- newSTRef 0
  forM_ xs $ \x -> do
    modifySTRef' a (+ x)
    when (even x) $ modifySTRef' b (+ 1)
  (,) <$> readSTRef a <*> readSTRef b
{-# NOINLINE inBranchCured #-}
