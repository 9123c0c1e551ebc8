-- | What may be said of two times, on made-up machines whose noise is known.
module Tern.Lab.IntervalTest (tests) where

import Control.Monad (void)
import Data.List (unfoldr)
import Data.List.NonEmpty (NonEmpty (..))
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (isJust)
import Tern.Lab.Interval (Interval (..), interval, seen)
import Tern.Lab.Random (Seed, below, seed, several)
import Tern.Lab.Stats (unseen)
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "interval"
    [ testGroup
        "the same code has a winner in at most a few of a thousand runs"
        [ testCase (machineName machine <> ", " <> show rounds <> " rounds") $ do
            let winners =
                  length (filter id [verdict (sampled machine rounds 1 n) | n <- [1 .. 1000]])
            assertBool (show winners) (winners <= 5)
          | machine <- [quiet, busy, drifting],
            rounds <- [10, 40]
        ],
      testCase "a difference of a tenth is found on a quiet machine" $
        found quiet 40 1.1 @?= 100,
      testCase "a difference of a third is mostly found on a busy one" $ do
        let n = found busy 40 1.33
        assertBool (show n) (n >= 95),
      testCase "a difference below the floor is none" $
        void (seen 0.2 (steady 110) (steady 100)) @?= Nothing,
      testCase "the same samples say the same" $ do
        let (a, b) = sampled busy 40 1.2 7
        interval a b @?= interval a b,
      testCase "the bounds change places with the samples" $ do
        let (a, b) = sampled quiet 40 1.2 7
        case (interval a b, interval b a) of
          (Just x, Just y) ->
            assertBool
              (show (x, y))
              ( abs (lower x * upper y - 1) < 0.001
                  && abs (middle x * middle y - 1) < 0.001
              )
          other -> assertFailure (show other),
      testCase "a few rounds say nothing, however far apart" $
        [isJust (interval (steady' n 200) (steady' n 100)) | n <- [2, 5, 9, 10, 11]]
          @?= [False, False, False, True, True],
      testCase
        "a ratio that changes in the middle of the run by more than it is, is no difference"
        $ void
          ( seen
              0
              ( NonEmpty.fromList
                  (replicate 20 105 <> replicate 20 101)
              )
              (steady 100)
          )
          @?= Nothing,
      testCase "times of zero have no ratio" $
        interval (steady 0) (steady 0) @?= Nothing
    ]
  where
    verdict (a, b) = isJust (seen (unseen [a, b]) a b)
    found machine rounds factor =
      length (filter id [verdict (sampled machine rounds factor n) | n <- [1 .. 100]])

steady :: Double -> NonEmpty Double
steady = steady' 40

steady' :: Int -> Double -> NonEmpty Double
steady' n x = x :| replicate (n - 1) x

-- | How a machine disturbs what it times.
data Machine = Machine
  { machineName :: String,
    -- | How far single times lie around the middle, as a part of it.
    around :: Double,
    -- | How often a time is disturbed by up to twice its length, in a hundred.
    disturbed :: Int,
    -- | How far each of two programs wanders by itself, from round to round.
    wandering :: Double
  }

quiet, busy, drifting :: Machine
quiet = Machine "quiet" 0.01 3 0
busy = Machine "busy" 0.06 20 0
drifting = Machine "drifting" 0.015 6 0.004

-- | Two programs in @rounds@ rounds, of which the first takes @factor@ times as long: a
-- machine that is faster or slower for both for some time, steps once, and disturbs
-- each by itself.
sampled :: Machine -> Int -> Double -> Int -> (NonEmpty Double, NonEmpty Double)
sampled Machine {..} rounds factor n =
  (NonEmpty.map ((* factor) . fst) both, NonEmpty.map snd both)
  where
    both = NonEmpty.fromList (take rounds (unfoldr (Just . step) (0 :: Int, 1, 1, 1, seed n)))
    step (i, shared, a, b, s0) =
      let (x, s1) = normal s0
          (y, s2) = normal s1
          (z, s3) = normal s2
          shared' = 1 + 0.7 * (shared - 1) + 0.015 * x
          a' = 1 + 0.6 * (a - 1) + wandering * y
          b' = 1 + 0.6 * (b - 1) + wandering * z
          (timeA, s4) = single s3
          (timeB, s5) = single s4
          level = shared' * (if i < rounds `div` 3 then 100 else 108)
       in ((level * a' * timeA, level * b' * timeB), (i + 1, shared', a', b', s5))
    single s0 =
      let (x, s1) = normal s0
          (hit, s2) = below 100 s1
          (far, s3) = uniform s2
       in (max 0.5 (1 + around * x) * (if hit < disturbed then 1 + far else 1), s3)

uniform :: Seed -> (Double, Seed)
uniform s = case below 1000000 s of (i, next) -> ((fromIntegral i + 0.5) / 1000000, next)

-- | About so distributed: the sum of twelve.
normal :: Seed -> (Double, Seed)
normal s = case several 12 uniform s of (xs, next) -> (sum xs - 6, next)
