-- | Texts taken apart in five ways.
module Main (main) where

import Data.List.Split

main :: IO ()
main = do
  let line = concat [show i ++ ", " | i <- [1 .. 20000 :: Int]]
  print (length (splitOn ", " line))
  print (length (wordsBy (`elem` ", ") line))
  print (sum (map length (chunksOf 7 line)))
  print (length (split (oneOf ",") line))
  print (length (splitWhen (== '9') line))
