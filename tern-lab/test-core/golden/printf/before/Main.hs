module Main (main) where

import Control.Monad (forM_)
import Text.Printf (printf)

main :: IO ()
main = forM_ [1 .. 200 :: Int] $ \i -> printf "%d %d\n" i (i * i)
