module Main (main) where

import Data.BloomFilter (notElem)
import qualified Data.BloomFilter as F
import Data.BloomFilter.Easy (easyList)
import Data.BloomFilter.Hash (cheapHashes)
import qualified Data.ByteString.Char8 as B
import Prelude hiding (notElem)

-- | The words of a dictionary.
dictionary :: Int -> [String]
dictionary n = [concat [["ba", "ke", "lo", "mu", "ti"] !! (k `div` p `mod` 5) | p <- [1, 5, 25, 125, 625]] ++ show (k `mod` 13) | k <- [1 .. n]]

main :: IO ()
main = do
  let ws = dictionary 15000
      strings = easyList 0.01 ws
      packed = F.fromList (cheapHashes 7) (2 ^ (18 :: Int)) (map B.pack ws)
  print (length (filter (`notElem` strings) (map ('x' :) ws)), length (filter (`notElem` strings) ws))
  print (length (filter (`F.notElem` packed) (map (B.pack . reverse) ws)), F.length packed)
