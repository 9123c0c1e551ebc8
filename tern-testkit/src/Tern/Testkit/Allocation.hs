-- | Allocated bytes of one operation, exact to a word.
--
-- Allocation does not depend on the machine or on what else it is doing, so a
-- test may hold code to a ceiling where it could not hold it to a time.
module Tern.Testkit.Allocation
  ( allocatedBy,
    optimised,
  )
where

import Control.Exception (evaluate)
import Control.Monad (replicateM_, void)
import GHC.Conc (getAllocationCounter, setAllocationCounter)

-- | Bytes that one evaluation of @f x@ to weak head normal form allocates,
-- averaged over 1,000 of them after a warm-up, the loop's own cost taken off.
allocatedBy :: (a -> b) -> a -> IO Double
allocatedBy f x = do
  replicateM_ 64 (apply f x)
  empty <- measure (apply (const ()) x)
  full <- measure (apply f x)
  pure (fromIntegral (full - empty) / fromIntegral rounds)
  where
    measure action = do
      setAllocationCounter 0
      replicateM_ rounds action
      negate <$> getAllocationCounter

rounds :: Int
rounds = 1000

-- NOINLINE: the application must be made anew each time, not floated out of
-- the loop; a shared result would read as no allocation at all.
apply :: (a -> b) -> a -> IO ()
apply f x = void (evaluate (f x))
{-# NOINLINE apply #-}

-- | Was the code optimised? Ceilings are promises of optimised code; without, they are
-- wider, or there are none.
optimised :: Bool
optimised = asked ()

-- | The rule fires only where the optimiser runs. NOINLINE, so that it can.
asked :: () -> Bool
asked () = False
{-# NOINLINE [1] asked #-}

{-# RULES "optimised" forall u. asked u = True #-}
