module Main (main) where

import Control.Monad (forM_)
import Data.IORef

main :: IO ()
main = do
  total <- newIORef (0 :: Int)
  forM_ [1 .. 100000] $ \i -> modifyIORef total (+ i)
  readIORef total >>= print
