-- | A table of routes, read, asked for many addresses, changed and written.
module Main (main) where

import Data.IP
import qualified Data.IP.RouteTable as T
import qualified Data.List as List
import Data.Maybe (mapMaybe)

numbers :: [Int]
numbers = iterate (\k -> (k * 1103515245 + 12345) `mod` 2147483648) 7

range :: Int -> String
range n = concat [show (1 + n `mod` 223), ".", show (n `div` 256 `mod` 256), ".", show (n `div` 65536 `mod` 256), ".0/", show (8 + n `mod` 17)]

six :: Int -> String
six n = concat ["2001:db8:", hex (n `mod` 65536), ":", hex (n `div` 7 `mod` 65536), "::/", show (32 + n `mod` 33)]
  where
    hex k = ["0123456789abcdef" !! (k `div` d `mod` 16) | d <- [4096, 256, 16, 1]]

main :: IO ()
main = do
  let ranges = map (read . range) (take 5000 numbers) :: [AddrRange IPv4]
      table = List.foldl' (\t (r, k) -> T.insert r k t) T.empty (zip ranges [1 :: Int ..])
      asked = [makeAddrRange (toIPv4 [1 + k `mod` 223, k `div` 256 `mod` 256, k `div` 65536 `mod` 256, k `mod` 251]) 32 | k <- take 40000 (drop 9000 numbers)]
  print (length (mapMaybe (`T.lookup` table) asked))
  print (sum (mapMaybe (`T.lookup` table) asked) `mod` 1000003)
  let less = List.foldl' (flip T.delete) table (take 1000 ranges)
  print (length (T.toList less), sum (map (length . show . fst) (T.toList less)))
  let sixes = map (read . six) (take 1000 numbers) :: [AddrRange IPv6]
      table6 = T.fromList (zip sixes [1 :: Int ..])
  print (length (mapMaybe ((`T.lookup` table6) . read . six) (take 2000 (drop 500 numbers))))
  print (sum (map (length . show . fst) (T.toList table6)))
