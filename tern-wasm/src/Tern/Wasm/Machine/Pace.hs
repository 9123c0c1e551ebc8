-- | How long code runs before it is looked at: slices of fuel, deadlines, and who runs long.
--
-- The idea: each time that a slice has ended others are let in, and limits are looked at. What
-- the driver does counts as well, so that it cannot be had for nothing.
--
-- Start at 'polled'.
module Tern.Wasm.Machine.Pace
  ( sliceOf,
    polled,
    after,
  )
where

import Control.Concurrent (yield)
import Control.Monad (zipWithM_)
import Data.IORef (modifyIORef', readIORef, writeIORef)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Wasm.Error (Exhaustion (..))
import Tern.Wasm.Machine.Stopping (stop)
import Tern.Wasm.Machine.Tiers (seen, tierOf)
import Tern.Wasm.Machine.Unwind (Point (..), TraceEntry (..), frames, trace)
import Tern.Wasm.Machine.Work (Run (..), Stop (..), isLate, onward, suspended)
import Tern.Wasm.Native (Tier (..))
import Tern.Wasm.Store (Store (..))

-- | A slice of the fuel has ended, at a jump that was made but is not paid for yet
-- (1) or before a function (0). So what a program uses does not depend on where
-- its slices end.
polled :: Run -> Int -> Int -> Point -> IO (Either Stop ())
polled run owed rest point
  | rest <= 0 = suspended run (owed - rest) (onward run point)
  | otherwise = do
      modifyIORef'
        (storeFuel (runStore run))
        ( \fuel ->
            if fuel == maxBound
              then fuel
              else fuel - owed
        )
      looked run point

-- | After how many jumps and calls limits are looked at. With a deadline sooner: where
-- every access to memory misses the caches each of them takes some microseconds.
sliceOf :: Store -> IO Int
sliceOf store = do
  slice <- readIORef (storeSlice store)
  deadline <- readIORef (storeDeadline store)
  pure (maybe slice (const (min 20000 slice)) deadline)

-- | Let others in, look who runs long, and at the time.
looked :: Run -> Point -> IO (Either Stop ())
looked run point = do
  yield
  writeIORef (storeSpent store) 0
  heat point
  readIORef (storeSamples store) >>= mapM_ (sample store point)
  late <- isLate store
  if late then stop point (Exhausted TimeExhausted) else onward run point
  where
    store = runStore run

-- | What the driver does takes as long as some jumps, which code without jumps does not
-- make: it counts for when limits are looked at next, and is no fuel.
after :: Run -> Point -> IO (Either Stop ())
after run point = do
  spent <- (+ 64) <$> readIORef (storeSpent store)
  slice <- sliceOf store
  writeIORef (storeSpent store) $! spent
  if spent >= slice then looked run point else onward run point
  where
    store = runStore run

-- | Whoever is seen here has run long, and those that called it.
heat :: Point -> IO ()
heat point
  | tierOf (pointInstance point) == Auto =
      frames 4 point
        >>= zipWithM_ (\weight (j, own, l) -> seen weight j own l) [1000, 250, 250, 250]
  | otherwise = pure ()

sample :: Store -> Point -> Map [Text] Int -> IO ()
sample store point counts = do
  places <- trace 500 point
  let row =
        reverse
          [ fromMaybe (T.pack ("function " <> show (placeFunction p))) (placeName p)
            | p <-
                places
          ]
  writeIORef (storeSamples store) $! Just $! Map.insertWith (+) row 1 counts
