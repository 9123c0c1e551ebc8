{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}

module Main (main) where

import GHC.Generics (Generic)
import Total

data Row = Row Int Int Int Int
  deriving (Generic, Total)

main :: IO ()
main = print (sum [total (Row i 1 2 3) | i <- [1 .. 5000]])
