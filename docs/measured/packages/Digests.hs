module Main (main) where

import Data.Bits (shiftR, (.&.))
import qualified Data.ByteString.Char8 as B
import qualified Data.ByteString.Lazy.Char8 as L
import Data.Digest.Murmur32 (asWord32, hash32)
import Data.Digest.Murmur64 (Hashable64 (..), asWord64, combine, hash64)
import qualified Data.IntSet as IntSet

-- | A visit that a server has seen.
data Visit = Visit
  { address :: B.ByteString,
    path :: String,
    size :: Int
  }

instance Hashable64 Visit where
  hash64Add v = hash64Add (address v) `combine` hash64Add (path v) `combine` hash64Add (size v)

visits :: Int -> [Visit]
visits n =
  [ Visit
      (B.pack ("192.168." ++ show (i `mod` 200) ++ "." ++ show (i `mod` 77)))
      ("/birds/" ++ show (i * i `mod` 911))
      (i `mod` 4096)
    | i <- [1 .. n]
  ]

-- | How many differ, by a filter of some bits as Bloom's.
distinct :: [Visit] -> Int
distinct = IntSet.size . IntSet.fromList . map bits
  where
    bits v = let w = asWord64 (hash64 v) in fromIntegral ((w `shiftR` 7) .&. 0xfffff)

main :: IO ()
main = do
  let seen = visits 20000
      blocks = [B.pack (concatMap show [i .. i + 60]) | i <- [1 .. 1500 :: Int]]
  print (distinct seen)
  print (sum [fromIntegral (asWord32 (hash32 b)) `mod` 1000 | b <- blocks] :: Int)
  print (sum [fromIntegral (asWord64 (hash64 (L.fromStrict b))) `mod` 1000 | b <- blocks] :: Int)
  print (asWord64 (hash64 [(size v, path v) | v <- take 5000 seen]))
