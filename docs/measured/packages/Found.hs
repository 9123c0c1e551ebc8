module Main (main) where

import qualified Data.ByteString.Char8 as B
import qualified Data.ByteString.Lazy.Char8 as L
import qualified Data.ByteString.Lazy.Search as Lazy
import qualified Data.ByteString.Search as Search
import qualified Data.ByteString.Search.DFA as Dfa
import qualified Data.ByteString.Search.KarpRabin as KarpRabin

-- | A log in which somebody looks for names.
record :: Int -> B.ByteString
record n = B.concat (map line [1 .. n])
  where
    line i = B.pack ("host" ++ show (i `mod` 50) ++ " answered tern " ++ show i ++ " with error " ++ show (i `mod` 7) ++ "\n")

main :: IO ()
main = do
  let text = record 6000
      lazy = L.fromChunks [B.take 4000 (B.drop (4000 * k) text) | k <- [0 .. B.length text `div` 4000]]
      host k = B.pack ("host" ++ show k)
  print (sum [length (Search.indices (host k) text) | k <- [10 .. 39 :: Int]])
  print (sum (map (length . (`Dfa.nonOverlappingIndices` text)) [host 7, B.pack "error 3\nhost"]))
  print (sum (map (length . snd) (KarpRabin.indicesOfAny [host 12, host 33, B.pack "error 6"] text)))
  print (L.length (Lazy.replace (B.pack "error") (B.pack "failure") lazy))
  print (length (Search.split (B.pack " answered ") text), length (Lazy.breakFindAfter (host 49) lazy `seq` "done"))
