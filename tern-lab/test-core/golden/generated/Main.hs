module Main (main) where

import Lexer
import Parser

text :: Int -> String
text n = concat (replicate n "7919,n23,")

main :: IO ()
main = do
  print (weights (scan (text 20000)))
  print (length (readings (scan (text 20000 ++ "5"))))
  putStrLn (heaviest [3 .. 20000])
