{-# LANGUAGE Haskell2010 #-}
{-# LANGUAGE Safe #-}

module Main (main) where

import Inferred

main :: IO ()
main = print (next 1)
