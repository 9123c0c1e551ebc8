{-# LANGUAGE TemplateHaskell #-}

module Shapes (Shape (..), twice, area, join) where

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
