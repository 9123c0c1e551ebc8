-- | Writers that keep what they are told as a chain.
module Logs (runs) where

import Control.Monad
import Control.Monad.RWS.Strict qualified as R
import Control.Monad.State.Strict qualified as S
import Control.Monad.Trans.Writer.CPS qualified as C
import Control.Monad.Writer.Lazy qualified as L
import Control.Monad.Writer.Strict qualified as W
import Data.Monoid (Sum (..))

runs :: [(String, IO ())]
runs =
  [ ("counted", print (counted 20000)),
    ("countedCured", print (countedCured 20000)),
    ("logged", print (length (logged 5000))),
    ("loggedCured", print (length (loggedCured 5000))),
    ("both", print (both 20000)),
    ("bothCured", print (bothCured 20000)),
    ("onceTold", print (onceTold 3))
  ]

-- Found: writer
counted :: Int -> Int
counted n = getSum (W.execWriter (forM_ [1 .. n] $ \i -> W.tell (Sum i)))
{-# NOINLINE counted #-}

-- Healthy
countedCured :: Int -> Int
countedCured n = getSum (C.execWriter (forM_ [1 .. n] $ \i -> C.tell (Sum i)))
{-# NOINLINE countedCured #-}

-- Found: writer
logged :: Int -> [String]
logged n = L.execWriter (forM_ [1 .. n] $ \i -> when (even i) (L.tell [show i]))
{-# NOINLINE logged #-}

-- Healthy
loggedCured :: Int -> [String]
loggedCured n = reverse (S.execState (forM_ [1 .. n] $ \i -> when (even i) (S.modify' (show i :))) [])
{-# NOINLINE loggedCured #-}

-- Found: writer
both :: Int -> (Int, Sum Int)
both n = (\((), s, w) -> (s, w)) (R.runRWS (forM_ [1 .. n] $ \i -> R.tell (Sum i) >> R.modify' (+ 1)) () 0)
{-# NOINLINE both #-}

-- Healthy
bothCured :: Int -> (Int, Sum Int)
bothCured n = S.execState (forM_ [1 .. n] $ \i -> S.modify' (\(!s, !w) -> (s + 1, w <> Sum i))) (0, mempty)
{-# NOINLINE bothCured #-}

-- Healthy
onceTold :: Int -> (Int, [String])
onceTold n = W.runWriter (W.tell ["three"] >> pure (n + 1))
{-# NOINLINE onceTold #-}
