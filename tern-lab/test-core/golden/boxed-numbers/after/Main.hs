module Main (main) where

import Data.IORef

main :: IO ()
main = do
  counter <- newIORef (Pair 0 0)
  loop counter 50000
  Pair a b <- readIORef counter
  print (a + b)

data Pair = Pair !Int !Int

loop :: IORef Pair -> Int -> IO ()
loop _ 0 = pure ()
loop counter n = do
  Pair a b <- readIORef counter
  let a' = a + n
      b' = b + a'
  a' `seq` b' `seq` writeIORef counter (Pair a' b')
  loop counter (n - 1)
