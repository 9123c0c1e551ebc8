{-# LANGUAGE TemplateHaskell #-}

module Shapes (Shape (..), twice, area, join, mean) where

import Language.Haskell.TH

data Shape = Square Int | Dot
  deriving (Eq, Show)

$( do
     x <- newName "x"
     let name = mkName "twice"
     pure
       [ SigD name (AppT (AppT ArrowT (ConT ''Int)) (ConT ''Int)),
         FunD name [Clause [VarP x] (NormalB (InfixE (Just (VarE x)) (VarE '(+)) (Just (VarE x)))) []]
       ]
 )

area :: Shape -> (Int -> Int) -> Int
area shape round' = case shape of
  Square n -> round' (helper (n * n))
  Dot -> helper 3

helper :: Int -> Int
helper n = if n > 100 then n else helper (n * 3)
{-# NOINLINE helper #-}

-- | Nested names that are the same in the source.
join :: [Int] -> [Int] -> (Int, Int)
join xs ys = (sum (let n = length xs in map (+ n) ys), sum (let n = length ys in map (* n) xs))

-- | Its zero becomes a part of its own.
mean :: [Double] -> Double
mean = go 0 (0 :: Int)
  where
    go s n [] = if n == 0 then 0 else s / fromIntegral n
    go s n (x : xs) = go (s + x) (n + 1) xs
