-- | How two times compare, and how far that can be trusted.
--
-- The idea: what was timed in the same rounds was disturbed alike, so each round
-- gives one ratio, and the median of the ratios is what counts. How far it may be
-- off is asked of the sample itself: rounds are drawn from it again and again (the
-- bootstrap; Efron, 1979). The draws have a fixed seed: equal samples give equal
-- answers. What lasts for several rounds the bootstrap cannot see; the halves of
-- the ratios, which should be alike, show that. What lasts for all rounds nothing here can
-- see: who times makes sure that nothing of the kind is in one sample alone
-- ("docs/decisions/115").
--
-- Start at 'seen', by which the reports decide what they may say. Proof, of disturbances
-- that come and go: lab "the same code has a winner in at most a few of a thousand runs".
module Tern.Lab.Interval
  ( Interval (..),
    interval,
    fewestRounds,
    seen,

    -- * Of different runs
    apart,
    seenApart,
  )
where

import Data.List (sort, sortOn, unfoldr)
import Data.List.NonEmpty (NonEmpty (..))
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (fromMaybe)
import Data.Vector qualified as V
import Data.Vector.Unboxed qualified as U
import Tern.Lab.Random (below, seed, several)
import Tern.Lab.Stats (Spread (median), difference, quantile, spread, unseen)

-- $setup
-- >>> import Data.List.NonEmpty (NonEmpty (..))

-- | A ratio, between two bounds.
data Interval = Interval
  { lower :: !Double,
    middle :: !Double,
    upper :: !Double
  }
  deriving stock (Eq, Show)

-- | Of fewer rounds than this nothing is said.
fewestRounds :: Int
fewestRounds = 10

-- | The median ratio of the first sample's times to the second's, with the bounds
-- between which it lies in 999 of 1,000 draws. Both samples are in the order of the
-- rounds; what one has more than the other is left out. Nothing for fewer than
-- 'fewestRounds', and where a time is not above 0. O(n log n + 1,000 n).
--
-- >>> interval (10 :| replicate 19 10) (5 :| replicate 19 5)
-- Just (Interval {lower = 2.0, middle = 2.0, upper = 2.0})
-- >>> interval (10 :| [10]) (5 :| [5])
-- Nothing
interval :: NonEmpty Double -> NonEmpty Double -> Maybe Interval
interval first second = ofRatios <$> ratiosOf first second

-- | One ratio a round.
ratiosOf :: NonEmpty Double -> NonEmpty Double -> Maybe (NonEmpty Double)
ratiosOf first second
  | length pairs < fewestRounds || any ((<= 0) . uncurry min) pairs = Nothing
  | otherwise = Just (NonEmpty.map (uncurry (/)) pairs)
  where
    pairs = NonEmpty.zip first second

ofRatios :: NonEmpty Double -> Interval
ofRatios sample = bounded (median (spread sample)) (mediansOf sample (draws (length sample)))

-- | What lies in the middle, with the bounds that hold 999 of 1,000 of what was drawn.
bounded :: Double -> [Double] -> Interval
bounded middle drawnOf = Interval {lower = at 0.0005, middle, upper = at 0.9995}
  where
    at = case sort drawnOf of
      least : more -> quantile (least :| more)
      [] -> const middle

-- | The median of each sample that was drawn.
mediansOf :: NonEmpty Double -> [U.Vector Int] -> [Double]
mediansOf sample = map medianOf
  where
    count = length sample
    ratios = U.fromList (NonEmpty.toList sample)
    -- The rounds from the least figure to the largest.
    ordered = U.fromList (sortOn (ratios U.!) [0 .. count - 1])
    -- The median of a sample in which each round is as often as is said.
    medianOf often = (at' ((count - 1) `div` 2) + at' (count `div` 2)) / 2
      where
        at' = go 0
        go i left
          | i >= count - 1 || left < times = ratios U.! index
          | otherwise = go (i + 1) (left - times)
          where
            index = ordered U.! i
            times = often U.! index

-- | How often each of @count@ rounds is in each of 999 samples of as many. They are the
-- same for every sample of that length, so that those of usual lengths are made once.
draws :: Int -> [U.Vector Int]
draws count = fromMaybe (drawn count) (usual V.!? count)

usual :: V.Vector [U.Vector Int]
usual = V.generate 129 drawn

drawn :: Int -> [U.Vector Int]
drawn count = take 999 (unfoldr (Just . draw) (seed count))
  where
    draw state = case several count (below count) state of
      (rounds, next) -> (U.accum (+) (U.replicate count 0) [(i, 1) | i <- rounds], next)

-- | The ratio of the first sample's times to the second's, where they differ for
-- certain: the interval leaves 1 out, and the difference is above the floor, which
-- is a part of the smaller ('Tern.Lab.Stats.unseen'), and above what parts odd
-- rounds from even ones and early ones from late ones. Else no difference is seen.
seen :: Double -> NonEmpty Double -> NonEmpty Double -> Maybe Interval
seen floorOfTime first second = do
  ratios <- ratiosOf first second
  let found = ofRatios ratios
      certain = lower found > 1 || upper found < 1
      hidden = maximum [floorOfTime, unseen [ratios], lasting ratios]
  if certain && difference 1 (middle found) > hidden then Just found else Nothing
  where
    lasting ratios = case NonEmpty.splitAt (length ratios `div` 2) ratios of
      (a : as, b : bs) -> difference (median (spread (a :| as))) (median (spread (b :| bs)))
      _ -> 0

-- * Of different runs

-- | The ratio of the first sample's median to the second's, where they were not taken in
-- the same rounds, with the bounds between which it lies in 999 of 1,000 draws from
-- both. Nothing for fewer than 'fewestRounds', and where a time is not above 0.
--
-- >>> apart (10 :| replicate 9 10) (5 :| replicate 19 5)
-- Just (Interval {lower = 2.0, middle = 2.0, upper = 2.0})
apart :: NonEmpty Double -> NonEmpty Double -> Maybe Interval
apart first second
  | min (length first) (length second) < fewestRounds || any (<= 0) first || any (<= 0) second =
      Nothing
  | otherwise =
      Just
        ( bounded
            (of' first / of' second)
            ( zipWith
                (/)
                (mediansOf first (draws (length first)))
                (mediansOf second (reverse (draws (length second))))
            )
        )
  where
    of' = median . spread

-- | The same where they differ for certain: the interval leaves 1 out, and the difference
-- is above the floor and above what parts the halves of either. What the machine did to
-- one of the runs as a whole nothing here can see.
seenApart :: Double -> NonEmpty Double -> NonEmpty Double -> Maybe Interval
seenApart floorOfTime first second = do
  found <- apart first second
  let certain = lower found > 1 || upper found < 1
      hidden = max floorOfTime (unseen [first, second])
  if certain && difference 1 (middle found) > hidden then Just found else Nothing
