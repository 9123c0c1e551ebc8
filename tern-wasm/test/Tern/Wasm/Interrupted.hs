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
    allocated,
    among,
    somewhere,
    manyTimes,
  )
where

import Control.Exception (AllocationLimitExceeded (..), mask, try)
import Control.Monad (replicateM_)
import Data.IORef (newIORef, readIORef)
import Data.Int (Int64)
import System.Mem
  ( disableAllocationLimit,
    enableAllocationLimit,
    getAllocationCounter,
    setAllocationCounter,
  )

-- | Run an action, which is interrupted when it has allocated so many bytes and the block that
-- is filled then is full; what came of it, if it ended before. The second number says how many
-- cells of 16 bytes are allocated first.
interrupted :: Int64 -> Int -> IO a -> IO (Maybe a)
interrupted bytes cells act = do
  replicateM_ cells (newIORef () >>= readIORef)
  mask $ \unmasked -> do
    setAllocationCounter bytes
    outcome <- try (unmasked (enableAllocationLimit >> act))
    disableAllocationLimit
    -- Where much is allocated while exceptions wait, more than one has come.
    let others = try (unmasked (pure ())) >>= either (\AllocationLimitExceeded -> others) pure
    others
    pure (either (\AllocationLimitExceeded -> Nothing) Just outcome)

-- | How many bytes an action allocates.
allocated :: IO a -> IO Int64
allocated act = do
  setAllocationCounter maxBound
  before <- getAllocationCounter
  _ <- act
  after <- getAllocationCounter
  pure (before - after)

-- | Interrupt an action that allocates so many bytes, given which of how many interruptions
-- it is: they go over all that it does, and the last tenth of them come too late.
among :: Int64 -> Int -> Int -> IO a -> IO (Maybe a)
among bytes many k = interrupted (bytes * fromIntegral k `div` late) (k `mod` 511)
  where
    late = max 1 (fromIntegral many * 9 `div` 10)

-- | Interrupt an action that allocates little, given which of 'manyTimes' it is: after fewer than
-- six blocks, and every second time after fewer than forty. An action that was interrupted may
-- leave more work to the next one.
somewhere :: Int -> IO a -> IO (Maybe a)
somewhere k = interrupted (4096 * fromIntegral (half `mod` blocks)) (k `mod` 511)
  where
    (half, odd_) = k `divMod` 2
    blocks = if odd_ == 0 then 6 else 40

-- | Numbers for 'somewhere'.
manyTimes :: [Int]
manyTimes = [0 .. 4999]
