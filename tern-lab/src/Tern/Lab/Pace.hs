-- | How fast the machine is just now.
--
-- The idea: what the machine does to a run as a whole (another program on the same core,
-- a slower clock) is in every time of it, and its rounds do not show that. So a piece of
-- work that is always the same is timed in the same rounds, and kept with the result: by
-- as much as its times differ in two results, the machine did.
--
-- Start at 'paceWork'.
module Tern.Lab.Pace
  ( paceWork,
    paceNow,

    -- * Kinds of work
    arithmetic,
    lists,
    walk,
    scattered,
  )
where

import Data.Bits (xor)
import Data.Vector.Unboxed qualified as U
import Tern.Lab.Measure (Operation, operation, timedFor)

-- | Arithmetic, lists that are made and collected, and memory that the nearest cache does
-- not hold: about a third of the time each.
paceWork :: Operation
paceWork = operation work (`seq` ()) 500
  where
    work n = arithmetic (6 * n) + lists n + walk nearby (4 * n)

-- | CPU and wall time of that work now, in nanoseconds, done for about @lasting@ nanoseconds:
-- as long as what is measured beside it, for who runs briefly is seldom kept waiting.
paceNow :: Double -> IO (Double, Double)
paceNow lasting = timedFor lasting paceWork

-- * Kinds of work

-- | The first @n@ numbers of a chain, each of which depends on the one before.
arithmetic :: Int -> Int
arithmetic n = go n 1
  where
    go :: Int -> Int -> Int
    go i x
      | i <= 0 = x
      | otherwise = go (i - 1) ((x * 6364136223846793005 + 1442695040888963407) `xor` i)

-- | The sum of a list of @n@ numbers that was made, reversed and made again.
lists :: Int -> Int
lists n = sum (map (+ 1) (reverse [1 .. n]))

-- | @n@ steps, from each place to the one that it names.
walk :: U.Vector Int -> Int -> Int
walk places n = go n 0
  where
    go :: Int -> Int -> Int
    go i place
      | i <= 0 = place
      | otherwise = go (i - 1) (places U.! place)

-- | One way through all of @size@ places, a power of two, none of which is met twice (a
-- generator of full period; Hull and Dobell, 1962).
scattered :: Int -> U.Vector Int
scattered size = U.generate size (\i -> (i * 5 + 1234567) `mod` size)

-- | 1 MB.
nearby :: U.Vector Int
nearby = scattered 131072
{-# NOINLINE nearby #-}
