{-# LANGUAGE RankNTypes #-}

-- | Words counted, an index and a cache, in tables of three kinds.
module Main (main) where

import Control.Monad (foldM, forM_, when)
import Control.Monad.ST (ST, runST)
import qualified Data.HashTable.Class as C
import qualified Data.HashTable.IO as H
import qualified Data.HashTable.ST.Basic as B
import qualified Data.HashTable.ST.Cuckoo as K
import qualified Data.HashTable.ST.Linear as L

numbers :: [Int]
numbers = iterate (\k -> (k * 1103515245 + 12345) `mod` 2147483648) 7

word :: Int -> String
word k = "w" ++ show (k `mod` 997 * (k `mod` 13))

counted :: (C.HashTable h) => (forall s. ST s (h s String Int)) -> [String] -> (Int, Int)
counted new ws = runST $ do
  table <- new
  forM_ ws $ \w -> C.lookup table w >>= C.insert table w . maybe 1 (+ 1)
  C.foldM (\(n, m) (_, k) -> pure (n + 1, max m k)) (0, 0) table

-- | How long the runs of Collatz are, of which each one is kept.
longest :: H.CuckooHashTable Int Int -> Int -> IO Int
longest table = go
  where
    go 1 = pure 0
    go n = H.lookup table n >>= maybe (longer n) pure
    longer n = do
      k <- (+ 1) <$> go (if even n then n `div` 2 else 3 * n + 1)
      H.insert table n k
      pure k

-- | The last so many that were asked for stay.
cached :: H.BasicHashTable Int Int -> [Int] -> IO Int
cached table ks = foldM asked 0 ks
  where
    asked hits k = do
      found <- H.lookup table k
      when (k `mod` 7 == 0) (H.delete table (k `div` 7))
      case found of
        Just v -> pure $! hits + v `mod` 2
        Nothing -> H.insert table k (k * 3) >> pure hits

main :: IO ()
main = do
  let ws = map word (take 150000 numbers)
  print (counted B.new ws)
  print (counted K.new ws)
  print (counted L.new ws)
  table <- H.new
  runs <- mapM (longest table) [1 .. 50000]
  print (maximum runs, sum runs)
  all' <- H.toList table
  print (length all')
  cache <- H.newSized 2000
  hits <- cached cache (map (`mod` 5003) (take 400000 numbers))
  print hits
  again <- H.fromList (zip (take 40000 numbers) [1 ..]) :: IO (H.LinearHashTable Int Int)
  H.mapM_ (\(k, _) -> when (even k) (H.delete again k)) again
  left <- H.foldM (\n (_, v) -> pure $! n + v) 0 again
  print left
