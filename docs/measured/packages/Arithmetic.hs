-- | Tables of a number theorist: primes, divisors and totients of many numbers, roots modulo primes,
-- binomials, and numbers that are taken apart.
module Main (main) where

import qualified Data.List.Infinite as Inf
import Data.Maybe (mapMaybe)
import qualified Data.Set as Set
import Math.NumberTheory.ArithmeticFunctions (carmichael, divisors, moebius, runMoebius, sigma, tau, totient)
import Math.NumberTheory.Moduli.Chinese (chinese)
import Math.NumberTheory.Moduli.JacobiSymbol (jacobi, symbolToNum)
import Math.NumberTheory.Moduli.Sqrt (sqrtsModPrime)
import Math.NumberTheory.Primes (factorise, isPrime, nextPrime, primes, unPrime)
import Math.NumberTheory.Primes.Counting (primeCount)
import Math.NumberTheory.Quadratic.GaussianIntegers (GaussianInteger (..))
import Math.NumberTheory.Recurrences (binomial, fibonacci, partition)
import Math.NumberTheory.SmoothNumbers (fromList, smoothOver)

main :: IO ()
main = do
  print (sum (map totient [1 .. 6000 :: Int]), sum (map (sigma 1) [1 .. 4000 :: Int]) :: Int)
  print (sum (map (sum . Set.toList . divisors) [1 .. 3000 :: Integer]), sum (map tau [1 .. 3000 :: Integer]) :: Int)
  print (sum (map (runMoebius . moebius) [1 .. 4000 :: Word]) :: Int, maximum (map carmichael [1 .. 2000 :: Integer]))
  print (sum (take 4000 (map unPrime primes)) :: Integer, primeCount 400000)
  print (length (mapMaybe isPrime [100001, 100003 .. 110001 :: Integer]), unPrime (nextPrime (10 ^ (12 :: Int) :: Integer)))
  print [factorise (fibonacci n :: Integer) | n <- [60 .. 72]]
  print (sum [r | n <- [3 .. 400], let p = nextPrime (n * 7 :: Integer), r <- take 1 (sqrtsModPrime n p)])
  print (sum [symbolToNum (jacobi a b) :: Integer | a <- [1 .. 120 :: Integer], b <- [3, 5 .. 121]])
  print (foldr (\k acc -> acc >>= \x -> chinese x (k * k + 1, 6 * k + 1)) (Just (1, 2)) [1 .. 40 :: Integer])
  print (sum (map (sum . take 40) (take 120 (Inf.toList (binomial :: Inf.Infinite [Integer])))), Inf.head (Inf.drop 400 partition) :: Integer)
  print (length (takeWhile (< 200000) (smoothOver (fromList [2, 3, 5, 7 :: Integer]))))
  print [factorise (a :+ b) | a <- [11 .. 16], b <- [1 .. 12]]
