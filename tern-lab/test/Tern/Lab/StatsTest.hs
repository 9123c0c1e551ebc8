-- | Quantiles lie where they should, whatever the sample.
module Tern.Lab.StatsTest (tests) where

import Data.List.NonEmpty (NonEmpty (..))
import Data.List.NonEmpty qualified as NonEmpty
import Tern.Lab.Stats (Spread (..), difference, spread, unseen)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (sample, scale)

newtype Times = Times (NonEmpty Double)
  deriving stock (Show)

instance Arbitrary Times where
  arbitrary = Times <$> ((:|) <$> time <*> listOf time)
    where
      time = getPositive <$> arbitrary
  shrink (Times (a :| rest)) = [Times (a :| less) | less <- shrinkList (const []) rest]

tests :: TestTree
tests =
  testGroup
    "stats"
    [ testProperty
        "best <= lower quartile <= median <= upper quartile <= worst"
        $ \(Times sample) ->
          let Spread {..} = spread sample
           in conjoin
                ( zipWith
                    (\a b -> property (a <= b))
                    [best, lowerQuartile, median, upperQuartile]
                    [lowerQuartile, median, upperQuartile, maximum sample]
                ),
      testProperty "the best is the least of the sample" $ \(Times sample) ->
        best (spread sample) === minimum sample,
      testProperty "order does not matter" $ \(Times sample) ->
        spread (NonEmpty.reverse sample) === spread sample,
      testProperty "a scaled sample has a scaled spread" $ \(Times sample) ->
        median (spread (NonEmpty.map (* 2) sample)) === 2 * median (spread sample),
      testProperty "half of a sample lies on each side of its median" $ \(Times sample) ->
        let m = median (spread sample)
            half = length sample `div` 2
         in (length (NonEmpty.filter (<= m) sample) >= half)
              .&&. (length (NonEmpty.filter (>= m) sample) >= half),
      testProperty "a difference does not care which is first" $ \(Positive a) (Positive b) ->
        difference a b === difference b a,
      testCase "a steady sample shows every difference" $
        unseen [5 :| replicate 9 5] @?= 0,
      testCase "a sample whose halves differ hides as much" $
        unseen [100 :| [110, 100, 110], 7 :| [7]] @?= 0.1,
      testCase "without samples nothing is hidden" $
        unseen [] @?= 0
    ]
