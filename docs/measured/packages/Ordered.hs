module Main (main) where

import qualified Data.List as List
import qualified Data.Map.Ordered as OMap
import qualified Data.Set.Ordered as OSet

-- | Tasks in the order in which they came, each once.
tasks :: Int -> OSet.OSet Int
tasks n = List.foldl' (OSet.|>) OSet.empty [i * i `mod` 4001 | i <- [1 .. n]]

-- | What was opened last stands last.
recent :: Int -> OSet.OSet String
recent n = List.foldl' (OSet.>|) OSet.empty ["file" ++ show (i * 31 `mod` 97) | i <- [1 .. n]]

-- | How often each word comes, in the order of their first use.
counts :: [String] -> OMap.OMap String Int
counts = List.foldl' (\m w -> OMap.alter (Just . maybe 1 (+ 1)) w m) OMap.empty

main :: IO ()
main = do
  let early = tasks 9000
      late = OSet.filter even (tasks 3000)
  print (OSet.size early, sum (OSet.toAscList (early OSet.|<> late)))
  print (fmap (take 3 . show) (OSet.elemAt (recent 6000) 5), OSet.findIndex "file3" (recent 2000))
  print (take 5 (OMap.assocs (counts ["word" ++ show (i * i `mod` 211) | i <- [1 .. 8000 :: Int]])))
