module Main (main) where

import Data.IORef

main :: IO ()
main = do
  counter <- newIORef 0
  loop counter 50000
  readIORef counter >>= print

loop :: IORef Int -> Int -> IO ()
loop _ 0 = pure ()
loop counter n = do
  x <- readIORef counter
  writeIORef counter $! (x * 3 + n)
  loop counter (n - 1)
{-# NOINLINE loop #-}
