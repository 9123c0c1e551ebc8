module Main (main) where

import qualified Data.List as List
import Diagrams.Solve.Polynomial (cubForm, quadForm, quartForm)
import Diagrams.Solve.Tridiagonal (solveCyclicTriDiagonal, solveTriDiagonal)

-- | Second derivatives of a natural cubic spline through points at distance one.
natural :: [Double] -> [Double]
natural ys = 0 : solveTriDiagonal (replicate (n - 1) 1) (replicate n 4) (replicate (n - 1) 1) rhs ++ [0]
  where
    rhs = zipWith3 (\a b c -> 6 * (a - 2 * b + c)) ys (drop 1 ys) (drop 2 ys)
    n = length rhs

-- | The same for a closed curve.
closed :: [Double] -> [Double]
closed ys = solveCyclicTriDiagonal (replicate (n - 1) 1) (replicate n 4) (replicate (n - 1) 1) rhs 1 1
  where
    n = length ys
    rhs = zipWith3 (\a b c -> 6 * (a - 2 * b + c)) (last ys : ys) ys (drop 1 (cycle ys))

curve :: Int -> [Double]
curve k = [sin (fromIntegral (i * k) / 40) * 10 + fromIntegral (i * i `mod` 7) | i <- [1 .. 400 :: Int]]

-- | Where two parabolas and other curves cross.
crossings :: Int -> [Double]
crossings i =
  quadForm 1 (t - 3) (-2 * t)
    ++ cubForm (1 + t) (-2) (-t) 3
    ++ quartForm 1 (-t) (-5) (2 * t) 1.5
  where
    t = fromIntegral (i `mod` 97) / 13

checksum :: [Double] -> Double
checksum = List.foldl' (\s x -> s * 0.999 + x) 0

main :: IO ()
main = do
  print (sum [checksum (natural (curve k)) | k <- [1 .. 150]])
  print (sum [checksum (closed (curve k)) | k <- [1 .. 150]])
  print (sum (map (length . crossings) [1 .. 20000]))
  print (sum [checksum (crossings i) | i <- [1 .. 20000]])
