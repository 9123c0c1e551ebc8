-- | From what rounds took to the figures that are kept.
module Tern.Lab.Cost
  ( costOf,
    without,
  )
where

import Data.List.NonEmpty (NonEmpty)
import Data.List.NonEmpty qualified as NonEmpty
import Tern.Lab.Measure (Timing (..))
import Tern.Lab.Result (Cost (..))
import Tern.Lab.Stats (Spread (..), mean, spread)

-- | The figures of one of @count@ things that an operation does each time; it allocated
-- @bytes@ for all of them.
costOf :: Int -> Double -> Timing -> Cost
costOf count bytes Timing {..} =
  Cost
    { time = spread cpu,
      samples = Just (NonEmpty.toList cpu),
      collector = median . spread . each <$> collectorTimes,
      wall = median (spread (each wallTimes)),
      allocated = bytes / times,
      copied = mean . each <$> copiedEach,
      collections = mean . each <$> collectionsEach,
      copiedSamples = NonEmpty.toList . each <$> copiedEach,
      collectionsSamples = NonEmpty.toList . each <$> collectionsEach,
      instructions = Nothing,
      mostLive = Nothing,
      mostHeld = Nothing
    }
  where
    cpu = each cpuTimes
    each = NonEmpty.map (/ times)
    times = fromIntegral count :: Double

-- | @timing `without` empty@: an operation's times less those of the empty one beside it,
-- round by round.
without :: Timing -> Timing -> Timing
without Timing {..} empty =
  Timing
    { cpuTimes = less cpuOf cpuTimes,
      wallTimes = less wallOf wallTimes,
      ..
    }
  where
    less :: (Timing -> NonEmpty Double) -> NonEmpty Double -> NonEmpty Double
    less of' = NonEmpty.zipWith (\nothing taken -> max 0 (taken - nothing)) (of' empty)
    cpuOf Timing {cpuTimes = of'} = of'
    wallOf Timing {wallTimes = of'} = of'
