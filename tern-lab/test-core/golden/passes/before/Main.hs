module Main (main) where

import Weigh

main :: IO ()
main = print (total [1 .. 20000 :: Int])
