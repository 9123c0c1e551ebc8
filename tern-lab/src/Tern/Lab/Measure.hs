{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}
{-# OPTIONS_GHC -fno-full-laziness #-}

-- | How an operation is measured: bytes exactly, time as well as the machine
-- allows.
--
-- The idea: allocation decides, time informs. Allocated bytes come from the
-- thread's own counter and are the same in every run. Times are taken in
-- rounds, one batch of every operation in each round, so that whatever the
-- machine does meanwhile is done to all of them; each batch is long enough for
-- the clock. Before it everything is collected, and then as much is done without
-- the clock: a collection of everything gives memory back to the system, and a
-- batch right after it would measure how the system hands it out again
-- ("docs/decisions/025").
--
-- Start at 'operation'. The loop counts in a machine word and passes the state
-- itself, so that it allocates nothing even where nothing is optimised. The
-- module is compiled without full laziness, and the loop is OPAQUE: an application
-- that does not depend on the loop's counter would otherwise be computed once and
-- shared. Proof: lab "a loop runs its operation every time".
module Tern.Lab.Measure
  ( -- * Operations
    Operation,
    operation,
    operationWith,
    action,
    dropping,
    keeping,
    runOperation,

    -- * Bytes
    allocatedBy,

    -- * Time
    Settings (..),
    defaultSettings,
    Timing (..),
    timings,
  )
where

import Control.Exception (bracket)
import Control.Monad (forM)
import Data.List (transpose)
import Data.List.NonEmpty (NonEmpty)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (mapMaybe)
import GHC.Clock (getMonotonicTimeNSec)
import GHC.Conc (getAllocationCounter, setAllocationCounter)
import GHC.Exts
import GHC.IO (IO (..))
import GHC.Stats (RTSStats (gc_cpu_ns), getRTSStats, getRTSStatsEnabled)
import System.CPUTime (getCPUTime)
import System.Mem (performMajorGC, performMinorGC)

-- * Operations

-- | Something that can be done any number of times, between something that is made
-- ready for it and something that is done afterwards, which are not measured.
data Operation = forall input. Operation (IO input) (input -> Int -> IO ()) (input -> IO ())

-- | Apply a function to an argument, to weak head normal form, and then settle
-- the result as far as a program could need it.
operation :: (a -> b) -> (b -> ()) -> a -> Operation
operation work settle argument = Operation (pure ()) (\() -> repeated work settle argument) pure

-- | The same of an argument that is made ready before each batch, and whose memory
-- is free after it.
operationWith :: (a -> b) -> (b -> ()) -> IO a -> Operation
operationWith work settle ready = Operation ready (repeated work settle) (const (pure ()))

-- | Do an action with what is made ready before each batch, settle what it gives, and
-- clear away after the batch.
action :: (a -> IO b) -> (b -> ()) -> IO a -> (a -> IO ()) -> Operation
action act settle ready = Operation ready (acting act settle)

acting :: (a -> IO b) -> (b -> ()) -> a -> Int -> IO ()
acting act settle argument = go
  where
    go n
      | n <= 0 = pure ()
      | otherwise = act argument >>= \ !result -> case settle result of () -> go (n - 1)
{-# OPAQUE acting #-}

repeated :: (a -> b) -> (b -> ()) -> a -> Int -> IO ()
repeated work settle argument (I# times) = IO (go times)
  where
    go :: Int# -> State# RealWorld -> (# State# RealWorld, () #)
    go n s
      | isTrue# (n <=# 0#) = (# s, () #)
      | otherwise = case work argument of !result -> case settle result of () -> go (n -# 1#) s
{-# OPAQUE repeated #-}

-- | The function at each argument in turn; each result is settled and forgotten.
dropping :: (a -> b) -> (b -> ()) -> [a] -> ()
dropping work settle = go
  where
    go = \case
      [] -> ()
      argument : rest -> case work argument of !result -> case settle result of () -> go rest
{-# OPAQUE dropping #-}

-- | The same, and all results are alive at the end, the last first. The list takes
-- 24 bytes for each of them.
keeping :: (a -> b) -> (b -> ()) -> [a] -> [b]
keeping work settle = go []
  where
    go done = \case
      [] -> done
      argument : rest -> case work argument of !result -> case settle result of () -> go (result : done) rest
{-# OPAQUE keeping #-}

-- | Run the operation @times@ times.
runOperation :: Operation -> Int -> IO ()
runOperation one times = withInput one ($ times)

-- | The loop, between what is done before and afterwards, come what may.
withInput :: Operation -> ((Int -> IO ()) -> IO a) -> IO a
withInput (Operation ready loop clear) use = bracket ready clear (use . loop)

-- * Bytes

-- | Bytes that the operation allocates each time, averaged over as many as fit
-- into 64 MiB, at most 4,096. Exact for an operation that always allocates the
-- same; the cost of looking is taken off.
allocatedBy :: Operation -> IO Double
allocatedBy one = withInput one $ \loop -> do
  loop 2
  let counted :: Int -> IO Int
      counted times = do
        setAllocationCounter 0
        loop times
        fromIntegral . negate <$> getAllocationCounter
  nothing <- counted 0
  once <- subtract nothing <$> counted 1
  -- Evaluated here: what is left to be computed would be counted.
  let !times = max 1 (min 4096 (64 * 1024 * 1024 `div` max 1 once))
  several <- subtract nothing <$> counted times
  pure (fromIntegral several / fromIntegral times)

-- * Time

-- | How much patience there is.
data Settings = Settings
  { -- | How often every operation is timed, at least 2.
    rounds :: !Int,
    -- | How long one batch lasts, in nanoseconds of CPU time.
    batch :: !Double
  }
  deriving stock (Eq, Show)

-- | 40 rounds of 5 ms.
defaultSettings :: Settings
defaultSettings = Settings {rounds = 40, batch = 5e6}

-- | Nanoseconds for each time, one figure a round in the order of the rounds.
data Timing = Timing
  { -- | CPU time of the process, its collections included: what other
    -- processes do does not count.
    cpuTimes :: !(NonEmpty Double),
    wallTimes :: !(NonEmpty Double),
    -- | What of the CPU time was collections; absent where the program was not
    -- started with @+RTS -T@.
    collectorTimes :: !(Maybe (NonEmpty Double))
  }

-- | Time operations together. The order is reversed after every two rounds, so
-- that none is always the one after a certain other, and that odd rounds and
-- even ones see both orders alike ('Tern.Lab.Stats.unseen'). The action is told
-- each round that begins, from 1.
timings :: Settings -> (Int -> IO ()) -> [Operation] -> IO [Timing]
timings Settings {rounds, batch} beginning operations = do
  sized <- forM operations $ \one -> (,) one <$> calibrated batch one
  results <- forM [1 .. max 2 rounds] $ \number -> do
    beginning number
    if even (number `div` 2) then reverse <$> mapM timed (reverse sized) else mapM timed sized
  pure (mapMaybe gather (transpose results))
  where
    timed (one, times) = withInput one $ \loop -> do
      performMajorGC
      loop times
      performMinorGC
      Clocked {..} <- clocked loop times
      let each ns = ns / fromIntegral times
      pure (each cpuTaken, each wallTaken, each <$> collectorTaken)
    gather samples = do
      taken <- NonEmpty.nonEmpty samples
      pure
        Timing
          { cpuTimes = NonEmpty.map (\(cpu, _, _) -> cpu) taken,
            wallTimes = NonEmpty.map (\(_, wall, _) -> wall) taken,
            collectorTimes = traverse (\(_, _, collector) -> collector) taken
          }

-- | How many times fill a batch: doubled until a quarter is full, then in
-- proportion.
calibrated :: Double -> Operation -> IO Int
calibrated target one = withInput one $ \loop -> do
  let go times = do
        cpu <- cpuTaken <$> clocked loop times
        if cpu * 4 >= target || times >= 2 ^ (40 :: Int)
          then pure (max 1 (round (fromIntegral times * target / max 1 cpu)))
          else go (times * 2)
  loop 1
  go 1

-- | Nanoseconds.
data Clocked = Clocked
  { cpuTaken :: !Double,
    wallTaken :: !Double,
    collectorTaken :: !(Maybe Double)
  }

-- | What @times@ turns of a loop take.
clocked :: (Int -> IO ()) -> Int -> IO Clocked
clocked loop times = do
  told <- getRTSStatsEnabled
  let collected = if told then Just . gc_cpu_ns <$> getRTSStats else pure Nothing
  collector <- collected
  wall <- getMonotonicTimeNSec
  cpu <- getCPUTime
  loop times
  cpu' <- getCPUTime
  wall' <- getMonotonicTimeNSec
  collector' <- collected
  pure
    Clocked
      { cpuTaken = fromIntegral (cpu' - cpu) / 1000,
        wallTaken = fromIntegral (wall' - wall),
        collectorTaken = (\before after -> fromIntegral (after - before)) <$> collector <*> collector'
      }
