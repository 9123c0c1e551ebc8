module Main (main) where

import Control.Monad.Memo

-- | In how many ways a sum is paid with these coins.
ways :: (Int, Int) -> Memo (Int, Int) Int Int
ways (total, kinds)
  | total == 0 = return 1
  | total < 0 || kinds == 0 = return 0
  | otherwise = do
      without <- memo ways (total, kinds - 1)
      with <- memo ways (total - coins !! (kinds - 1), kinds)
      return ((without + with) `mod` 1000000007)
  where
    coins = [1, 2, 5, 10, 20, 50, 100, 200]

-- | How long until a number is one.
steps :: Int -> Memo Int Int Int
steps n
  | n == 1 = return 1
  | even n = (+ 1) <$> memo steps (n `div` 2)
  | otherwise = (+ 1) <$> memo steps (3 * n + 1)

-- | The same for many.
longest :: Int -> (Int, Int)
longest n = startEvalMemo (go 1 (0, 0))
  where
    go k best
      | k > n = return best
      | otherwise = do
          s <- memo steps k
          go (k + 1) (max best (s, k))

main :: IO ()
main = do
  print (startEvalMemo (ways (5000, 8)))
  print (longest 60000)
  print (startEvalMemo (for3 900))
  where
    for3 n = foldr (\k rest -> (+) <$> memo fibonacci (k `mod` 90) <*> rest) (return 0) [1 .. n :: Int]
    fibonacci :: Int -> Memo Int Integer Integer
    fibonacci k
      | k < 2 = return (toInteger k)
      | otherwise = (+) <$> memo fibonacci (k - 1) <*> memo fibonacci (k - 2)
