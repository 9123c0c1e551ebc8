module Main (main) where

import Data.List (maximumBy)
import Data.Ord (comparing)
import Data.Text (Text)
import qualified Data.Text as T
import Data.Text.Metrics

-- | Names as people write them, and as a list has them.
names, written :: [Text]
names = [T.pack (first ++ " " ++ middle ++ " " ++ family) | first <- words "Anna Bernard Charlotte Dmitri", middle <- words "Maria Louis Jean", family <- words "Peterson Winterbottom Kowalczyk Okonkwo Fitzgerald"]
written = [T.map (\c -> if c == 'e' then 'a' else c) (T.drop k n) | n <- names, k <- [0 .. 3]]

best :: (Ord a) => (Text -> Text -> a) -> Text -> Text
best measure w = maximumBy (comparing (measure w)) names

main :: IO ()
main = do
  print (sum [T.length (best (\a b -> negate (levenshtein a b)) w) | w <- written])
  print (sum [T.length (best (\a b -> negate (damerauLevenshtein a b)) w) | w <- written])
  print (sum [T.length (best jaroWinkler w) | w <- written])
  print (sum [T.length (best jaccard w) | w <- written])
  print (sum [T.length (best overlap w) | w <- written])
  print (length [() | a <- written, b <- names, Just n <- [hamming a b], n < 4])
