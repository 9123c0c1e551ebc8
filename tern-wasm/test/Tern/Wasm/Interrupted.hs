-- | Actions that are interrupted, anywhere in their course, without a clock.
--
-- The idea: GHC ends a thread by an asynchronous exception when it has allocated more than
-- it may. That is looked at where a block of 4 KiB of its nursery is full, so an action is
-- met at each place where it allocates, if as often some bytes more are allocated before
-- it. Which action it is changes nothing: no exception comes from another thread, and none
-- depends on how fast the machine is.
--
-- Start at 'interrupted'.
module Tern.Wasm.Interrupted
  ( interrupted,
    somewhere,
    manyTimes,
  )
where

import Control.Exception (AllocationLimitExceeded (..), finally, try)
import Control.Monad (replicateM_)
import Data.IORef (newIORef, readIORef)
import Data.Int (Int64)
import System.Mem (disableAllocationLimit, enableAllocationLimit, setAllocationCounter)

-- | Run an action, which is interrupted when it has allocated so many bytes and the block that
-- is filled then is full; what came of it, if it ended before. The second number says how many
-- cells of 16 bytes are allocated first.
interrupted :: Int64 -> Int -> IO a -> IO (Maybe a)
interrupted bytes cells act = do
  replicateM_ cells (newIORef () >>= readIORef)
  setAllocationCounter bytes
  outcome <- try ((enableAllocationLimit >> act) `finally` disableAllocationLimit)
  pure (either (\AllocationLimitExceeded -> Nothing) Just outcome)

-- | The same of an action that allocates little. Each number interrupts it elsewhere: 'manyTimes'
-- meet all of its places a few times, with and without optimisation.
somewhere :: Int -> IO a -> IO (Maybe a)
somewhere k = interrupted (4096 * fromIntegral (k `mod` 6)) (k `mod` 511)

-- | Numbers for 'somewhere'.
manyTimes :: [Int]
manyTimes = [0 .. 4999]
