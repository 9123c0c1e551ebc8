module Main (main) where

import Rules

rules :: [Rule]
rules = [Rule (show n) n (odd n) | n <- [1 .. 40]]

main :: IO ()
main =
  print
    ( sum
        [ maybe 0 length (snd (runParser (choice rules "a text of a line") 97 at))
          | at <- [1 .. 2000]
        ]
    )
