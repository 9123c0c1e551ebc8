module Main (main) where

import Control.Monad (forM, forM_)
import Data.Equivalence.Monad
import qualified Data.List as List

-- | Which towns are joined by roads that are short enough, and how large each part is.
parts :: Int -> [(Int, Int)] -> [Int]
parts n roads = runEquivM (const 1) (+) $ do
  forM_ roads (uncurry equate)
  sizes <- forM [1 .. n] classDesc
  together <- forM (zip [1 .. n] [2 .. n]) (uncurry equivalent)
  return (length (filter id together) : sizes)

-- | Names of one person, written in several ways.
people :: [(String, String)] -> Int
people same = runEquivM (: []) (++) $ do
  forM_ same (uncurry equate)
  fmap length classes

main :: IO ()
main = do
  let n = 4000
      roads = [(i * 37 `mod` n + 1, i * i `mod` n + 1) | i <- [1 .. 6000]]
      sizes = parts n roads
  print (sum sizes, maximum sizes)
  print (people [(name i, name (i `div` 3)) | i <- [1 .. 3000 :: Int]])
  print (List.foldl' (+) 0 (parts 50 [(i, i + 7) | i <- [1 .. 40]]))
  where
    name i = "person" ++ show (i `mod` 700)
