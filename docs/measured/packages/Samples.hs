-- | What gauges of a laboratory measured, by the methods of a textbook: summaries, tests of two and
-- of many samples, straight lines through them, densities, and how a gauge repeats itself.
module Main (main) where

import Data.Maybe (fromMaybe)
import qualified Data.Vector.Unboxed as U
import Statistics.Autocorrelation (autocorrelation)
import Statistics.Correlation (pearson, spearman)
import Statistics.Correlation.Kendall (kendall)
import Statistics.Distribution (complCumulative, cumulative, fromSample, quantile)
import Statistics.Distribution.Binomial (binomial)
import Statistics.Distribution.Gamma (gammaDistr)
import Statistics.Distribution.Normal (NormalDistribution)
import Statistics.Distribution.StudentT (studentT)
import Statistics.Quantile (cadpw, continuousBy, median, midspread, weightedAvg)
import Statistics.Regression (olsRegress)
import Statistics.Sample (kurtosis, meanVarianceUnb, skewness)
import Statistics.Sample.Histogram (histogram)
import Statistics.Sample.KernelDensity (kde)
import Statistics.Test.KolmogorovSmirnov (kolmogorovSmirnovTest2)
import Statistics.Test.KruskalWallis (kruskalWallis)
import Statistics.Test.MannWhitneyU (mannWhitneyUtest)
import Statistics.Test.Types (PositionTest (..), testSignificance)
import Statistics.Test.WilcoxonT (wilcoxonMatchedPairTest)
import Statistics.Types (mkPValue, pValue)

-- | A gauge drifts, swings with the day, and is noisy.
gauge :: Int -> Int -> U.Vector Double
gauge g n = U.generate n at
  where
    at k =
      let t = fromIntegral k
       in 20 + fromIntegral g / 8 + t / 900 + 3 * sin (t / 24) + noise (g * 7919 + k * 104729)
    noise s = fromIntegral ((s * 1103515245 + 12345) `mod` 2048) / 1024 - 1

main :: IO ()
main = do
  mapM_ summarised [1 .. 12]
  mapM_ compared [1 .. 12]
  print (kruskalWallis [gauge g 300 | g <- [1 .. 8]])
  where
    summarised g = do
      let xs = gauge g 2000
          d = fromMaybe (error "no spread") (fromSample xs) :: NormalDistribution
          (correlated, _, _) = autocorrelation (U.take 400 xs)
          (mesh, density) = kde 256 xs
          (lows, counts) = histogram 24 xs :: (U.Vector Double, U.Vector Int)
      print (meanVarianceUnb xs, skewness xs, kurtosis xs)
      print (median cadpw xs, midspread cadpw 4 xs, weightedAvg 9 10 xs, continuousBy cadpw 1 8 xs)
      print (U.maxIndex counts, U.last lows, mesh U.! U.maxIndex density, U.maxIndex (U.tail correlated))
      print (sum [cumulative d (fromIntegral k) | k <- [10 .. 40 :: Int]], quantile d 0.95)
    compared g = do
      let xs = gauge g 400
          ys = gauge (g + 3) 400
          days = U.generate 400 fromIntegral
          swing = U.map (\t -> sin (t / 24)) days
          small k = U.take 18 (U.drop k (gauge k 60))
          (coefficients, fit) = olsRegress [days, swing] xs
      print (pearson (U.zip xs ys), spearman (U.zip xs ys), kendall (U.zip xs ys))
      print (U.toList coefficients, fit)
      print (mannWhitneyUtest SamplesDiffer (mkPValue 0.05) (small g) (small (g + 5)), mannWhitneyUtest AGreater (mkPValue 0.01) xs ys)
      print (pValue (testSignificance (wilcoxonMatchedPairTest SamplesDiffer (U.zip (U.take 80 xs) (U.take 80 ys)))))
      print (fmap (pValue . testSignificance) (kolmogorovSmirnovTest2 xs ys))
      print (sum [quantile (gammaDistr (fromIntegral k) 2) 0.9 | k <- [1 .. 40 :: Int]], complCumulative (studentT 12) 2.1, cumulative (binomial 80 0.3) 30)
