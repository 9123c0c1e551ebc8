{-# LANGUAGE Haskell2010 #-}

module Inferred (next) where

next :: Int -> Int
next n = n + 1
