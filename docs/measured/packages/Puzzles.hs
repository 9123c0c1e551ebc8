-- | Queens, coins and a map coloured: searched fairly, once and all ways.
module Main (main) where

import Control.Applicative (Alternative (..))
import Control.Monad (guard, msum)
import Control.Monad.Logic

choose :: [a] -> Logic a
choose = msum . map pure

queens :: Int -> Logic [Int]
queens n = go n []
  where
    go 0 qs = pure qs
    go k qs = do
      q <- choose [1 .. n]
      guard (and [q /= p && abs (q - p) /= d | (d, p) <- zip [1 ..] qs])
      go (k - 1) (q : qs)

coins :: Int -> [Int] -> Logic [Int]
coins 0 _ = pure []
coins n cs = do
  c <- choose cs
  guard (c <= n)
  (c :) <$> coins (n - c) (filter (<= c) cs)

colours :: [(Int, Int)] -> Int -> Logic [(Int, Char)]
colours borders n = go n []
  where
    go 0 done = pure done
    go k done = do
      c <- choose "rgby"
      ifte (choose [() | (a, b) <- borders, a == k, lookup b done == Just c]) (const empty) (go (k - 1) ((k, c) : done))

triples :: Logic (Int, Int, Int)
triples = do
  c <- from 5
  a <- choose [1 .. c] >>- \a -> pure a
  b <- choose [a .. c]
  guard (a * a + b * b == c * c)
  pure (a, b, c)
  where
    from k = pure k `interleave` from (k + 1)

main :: IO ()
main = do
  print (length (observeAll (queens 10)), observe (queens 16))
  print (length (observeAll (coins 300 [50, 20, 10, 5, 2])))
  print (length (observeAll (lnot (queens 3) >> coins 60 [20, 10, 5, 1])))
  print (take 3 (observeMany 40 (colours [(a, b) | a <- [1 .. 12], b <- [a + 1 .. 12], (a * b) `mod` 5 < 1] 12)))
  print (observeMany 25 triples)
  print (length (observeAll (once (queens 9) <|> queens 7)))
