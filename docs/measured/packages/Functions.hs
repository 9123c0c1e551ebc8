-- | Tables of special functions, their inverses, roots, series and sums.
module Main (main) where

import qualified Data.Vector.Unboxed as U
import Numeric.Polynomial (evaluatePolynomialL)
import Numeric.Polynomial.Chebyshev (chebyshev)
import Numeric.RootFinding
import Numeric.Series (enumSequenceFrom, scanSequence, sumSeries)
import Numeric.SpecFunctions
import Numeric.Sum hiding (sum)

grid :: Int -> Double -> Double -> [Double]
grid n lo hi = [lo + (hi - lo) * fromIntegral k / fromIntegral n | k <- [1 .. n - 1]]

shown :: String -> Double -> IO ()
shown name x = putStrLn (name ++ " " ++ show (fromIntegral (round (x * 1e6) :: Int) / 1e6 :: Double))

main :: IO ()
main = do
  shown "gamma" (sumVector kbn (U.fromList [incompleteGamma a x | a <- grid 120 0.1 40, x <- grid 100 0.1 60]))
  shown "inverse gamma" (sumVector kb2 (U.fromList [invIncompleteGamma a p | a <- grid 60 0.1 40, p <- grid 50 0 1]))
  shown "beta" (sumVector kahan (U.fromList [incompleteBeta a b x | a <- grid 25 0.2 30, b <- grid 25 0.2 30, x <- grid 30 0 1]))
  shown "inverse beta" (pairwiseSum (U.fromList [invIncompleteBeta a b p | a <- grid 12 0.2 9, b <- grid 12 0.2 9, p <- grid 40 0 1]))
  shown "errors" (sumVector kbn (U.fromList [erf x + erfc (x / 2) + invErf (x / 8) | x <- grid 60000 (-4) 4]))
  shown "digamma" (sumVector kbn (U.fromList (map digamma (grid 60000 0.01 90))))
  shown "factorials" (sum [logFactorial n + logChoose (n + 5) 5 | n <- [1 .. 3000 :: Int]])
  shown "choices" (sum [logBase 2 (choose n k) | n <- [2 .. 90], k <- [1 .. n - 1]])
  shown "exponents" (sum [expm1 x + log1p x + log1pmx x + sinc x | x <- grid 60000 (-0.9) 0.9])
  let found =
        [ fromRoot 0 (ridders (RiddersParam 100 (RelTol 1e-12)) (0, 9) (\x -> x * x * x - c))
            + fromRoot 0 (newtonRaphson (NewtonParam 100 (RelTol 1e-12)) (0, 1, 9) (\x -> (x * x - c, 2 * x)))
          | c <- grid 12000 0.1 60
        ]
  shown "roots" (sum found)
  let e x = sumSeries (scanSequence (\t n -> t * x / n) 1 (enumSequenceFrom 1))
  shown "series" (sum (map e (grid 12000 0 3)))
  let coefficients = U.generate 24 (\k -> 1 / fromIntegral (k * k + 1))
  shown "polynomials" (sum [chebyshev x coefficients + evaluatePolynomialL x [1, 2, 3, 4, 5, 6] | x <- grid 60000 (-1) 1])
