{-# LANGUAGE DeriveAnyClass #-}

-- | What a handful of timings says, and what it cannot say.
--
-- The idea: what is timed in the same rounds is disturbed alike, so medians are
-- compared; the best run says what the code can do, the quartiles how far to
-- trust it all, and the same code compared with itself which differences mean
-- nothing. Nothing here assumes a distribution.
module Tern.Lab.Stats
  ( Spread (..),
    spread,
    mean,
    quantile,
    difference,
    unseen,
  )
where

import Data.List.NonEmpty (NonEmpty (..))
import Data.List.NonEmpty qualified as NonEmpty
import GHC.Generics (Generic)
import Tern (Wire)

-- $setup
-- >>> import Data.List.NonEmpty (NonEmpty (..))

-- | Where a sample lies, in the sample's own unit.
data Spread = Spread
  { best :: !Double,
    lowerQuartile :: !Double,
    median :: !Double,
    upperQuartile :: !Double
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | O(n).
--
-- >>> mean (1 :| [2, 6])
-- 3.0
mean :: NonEmpty Double -> Double
mean sample = sum sample / fromIntegral (length sample)

-- | O(n log n).
--
-- >>> spread (5 :| [1, 2, 4, 3])
-- Spread {best = 1.0, lowerQuartile = 2.0, median = 3.0, upperQuartile = 4.0}
spread :: NonEmpty Double -> Spread
spread sample =
  Spread
    { best = at 0,
      lowerQuartile = at 0.25,
      median = at 0.5,
      upperQuartile = at 0.75
    }
  where
    at = quantile (NonEmpty.sort sample)

-- | The point below which a fraction (0 to 1) of a sorted sample lies, between
-- two neighbours in proportion (the rule that R numbers 7).
--
-- >>> quantile (10 :| [20]) 0.25
-- 12.5
quantile :: NonEmpty Double -> Double -> Double
quantile sorted fraction = case NonEmpty.drop below sorted of
  a : b : _ -> a + (position - fromIntegral below) * (b - a)
  [a] -> a
  [] -> NonEmpty.last sorted
  where
    position = fraction * fromIntegral (length sorted - 1)
    below = floor position :: Int

-- | How far apart two times are, as a part of the smaller one.
--
-- >>> difference 100 103
-- 3.0e-2
difference :: Double -> Double -> Double
difference a b
  | smaller <= 0 = 0
  | otherwise = abs (a - b) / smaller
  where
    smaller = min a b

-- | The A\/A floor: each sample, in the order in which it was taken, is divided
-- into its odd and its even runs. Both halves timed the same code in the same
-- rounds, so a difference between their medians is noise, and one of this size
-- between two codecs may be noise as well. The largest of all samples.
--
-- >>> unseen [10 :| [11, 10, 11], 50 :| [50, 50, 50]]
-- 0.1
unseen :: [NonEmpty Double] -> Double
unseen samples = maximum (0 : map between samples)
  where
    between sample = case halves (NonEmpty.toList sample) of
      (a : as, b : bs) -> difference (middle (a :| as)) (middle (b :| bs))
      _ -> 0
    halves (a : b : rest) = let (as, bs) = halves rest in (a : as, b : bs)
    halves rest = (rest, [])
    middle = median . spread
