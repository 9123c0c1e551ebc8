module Main (main) where

import Work

main :: IO ()
main = print (run 5 40000)
