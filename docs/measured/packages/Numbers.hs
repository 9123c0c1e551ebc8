-- | Numbers of other kinds: constructive reals, decimals of fixed precision, floating decimals,
-- derivatives, intervals, symbols and lazy naturals, each asked for what it is for.
module Main (main) where

import Data.Number.BigFloat
import Data.Number.CReal
import Data.Number.Dif
import Data.Number.Fixed
import Data.Number.Interval
import Data.Number.Natural
import Data.Number.Symbolic

reals :: [CReal]
reals = [sqrt x * exp (sin x) + log (x + 1) | n <- [1 .. 12 :: Int], let x = fromIntegral n / 7]

decimals :: [Fixed Prec50]
decimals = [sqrt x + exp (x / 3) * cos x | n <- [1 .. 20 :: Int], let x = fromIntegral n / 11]

floats :: [BigFloat Prec50]
floats = scanl (\a n -> a * fromIntegral n + 1 / fromIntegral n) 1 [1 .. 150 :: Int]

newton :: (Dif Double -> Dif Double) -> Double -> Double
newton f = go (30 :: Int)
  where
    go 0 x = x
    go n x = let y = f (dVar x) in go (n - 1) (x - val y / val (df y))

derivative :: Int -> Double
derivative n = val (iterate df (sin (dVar 0.7) * exp (dVar 0.7)) !! n)

polynomial :: (Num a) => a -> Int -> a
polynomial x n = sum [fromIntegral k * x ^ (k `mod` 5) | k <- [1 .. n]]

main :: IO ()
main = do
  mapM_ (putStrLn . showCReal 60) reals
  mapM_ print decimals
  mapM_ print (drop 140 floats)
  print (sum [newton (\x -> x * x * x - fromIntegral k * x - 1) 3 | k <- [1 .. 400 :: Int]])
  print (map derivative [0 .. 11])
  print (foldr (\k i -> (i + ival (fromIntegral k) (fromIntegral (k + 1))) * 0.5) 0 [1 .. 3000 :: Int] :: Interval Double)
  putStrLn (take 400 (show (polynomial (var "x" :: Sym Int) 60)))
  print (toInteger (unSym (subst "x" 3 (polynomial (var "x") 60)) :: Integer))
  print (toInteger (sum (map fromIntegral [1 .. 200 :: Int]) :: Natural), (3000 :: Natural) `min` infinity)
