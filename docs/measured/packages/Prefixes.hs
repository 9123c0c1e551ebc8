module Main (main) where

import qualified Data.Trie as Trie

ws :: Int -> [String]
ws n = [go (k * 7919 + 13) | k <- [1 .. n]]
  where
    go 0 = ""
    go m = toEnum (97 + m `mod` 11) : go (m `div` 11)

main :: IO ()
main = do
  let t = Trie.fromList (ws 20000)
  print (length (Trie.toList t))
  print (length (concatMap (\w -> Trie.possibleSuffixes (take 3 w) t) (ws 300)))
  print (sum (map (\w -> length (Trie.certainSuffix (take 4 w) t)) (ws 5000)))
