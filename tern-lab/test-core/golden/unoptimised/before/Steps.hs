{-# OPTIONS_GHC -O0 #-}

module Steps (step) where

step :: Int -> Int -> Int
step a n = a * 3 + n
