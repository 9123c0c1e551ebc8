module Main (main) where

import Control.Monad (forM_)

main :: IO ()
main = forM_ [1 .. 200 :: Int] $ \i -> putStrLn (shows i (showChar ' ' (show (i * i))))
