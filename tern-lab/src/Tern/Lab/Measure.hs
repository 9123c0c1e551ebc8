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
    actionEach,
    emptyLike,
    dropping,
    keeping,
    runOperation,

    -- * Bytes
    allocatedBy,
    allocations,

    -- * Time
    Settings (..),
    defaultSettings,
    Timing (..),
    timings,
    timedFor,
  )
where

import Control.Exception (bracket)
import Control.Monad (forM)
import Data.List (transpose)
import Data.List.NonEmpty (NonEmpty)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (mapMaybe)
import Data.Monoid (Sum (..))
import Data.Word (Word64)
import GHC.Clock (getMonotonicTimeNSec)
import GHC.Conc (getAllocationCounter)
import GHC.Exts (Int (..), Int#, RealWorld, State#, isTrue#, (-#), (<=#))
import GHC.IO (IO (..))
import GHC.Stats (RTSStats (copied_bytes, gc_cpu_ns, gcs), getRTSStats, getRTSStatsEnabled)
import System.CPUTime (getCPUTime)
import System.Mem (performMajorGC, performMinorGC)

-- * Operations

-- | Something that can be done any number of times.
data Operation
  = -- | In a loop, between something that is made ready for the whole loop and
    -- something that is done after it, which are not measured.
    forall input. Batched (IO input) (input -> Int -> IO ()) (input -> IO ())
  | -- | Between something that is made ready for each time and something that is done
    -- after each, which are not measured.
    forall input. Apiece (IO input) (input -> IO ()) (input -> IO ())

-- | Apply a function to an argument, to weak head normal form, and then settle
-- the result as far as a program could need it.
operation :: (a -> b) -> (b -> ()) -> a -> Operation
operation work settle argument = Batched (pure ()) (\() -> repeated work settle argument) pure

-- | The same of an argument that is made ready before each batch, and whose memory
-- is free after it.
operationWith :: (a -> b) -> (b -> ()) -> IO a -> Operation
operationWith work settle ready = Batched ready (repeated work settle) (const (pure ()))

-- | Do an action with what is made ready before each batch, settle what it gives, and
-- clear away after the batch.
action :: (a -> IO b) -> (b -> ()) -> IO a -> (a -> IO ()) -> Operation
action act settle ready = Batched ready (acting act settle)

-- | The same with what is made ready before each time and cleared away after it. The
-- clock is looked at before and after each time, so that what takes less than a
-- microsecond is measured roughly.
actionEach :: (a -> IO b) -> (b -> ()) -> IO a -> (a -> IO ()) -> Operation
actionEach act settle ready = Apiece ready (\input -> acting act settle input 1)

-- | Nothing at all, done as the operation is done: what it costs is what measuring costs.
emptyLike :: Operation -> Operation
emptyLike = \case
  Batched {} -> operation id id ()
  Apiece {} -> actionEach pure id (pure ()) pure

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
      argument : rest -> case work argument of
        !result -> case settle result of
          () ->
            go (result : done) rest
{-# OPAQUE keeping #-}

-- | Run the operation @times@ times.
runOperation :: Operation -> Int -> IO ()
runOperation one times = metered (pure ()) (\_ _ -> ()) one ($ times)

-- | Use a function that does the operation some number of times and gives by how much
-- that moved a figure. What is made ready is cleared away come what may.
metered ::
  (Monoid change) =>
  IO figure ->
  (figure -> figure -> change) ->
  Operation ->
  ((Int -> IO change) -> IO a) ->
  IO a
metered look change one use = case one of
  Batched ready loop clear -> bracket ready clear (\input -> use (around . loop input))
  Apiece ready act clear ->
    let times n total
          | n <= (0 :: Int) = pure total
          | otherwise =
              bracket ready clear (around . act) >>= \ !moved ->
                let !total' =
                      total <> moved
                 in times (n - 1) total'
     in use (`times` mempty)
  where
    around act = do
      before <- look
      () <- act
      after <- look
      -- Evaluated here: what is left to be computed would be counted.
      pure $! change before after
-- OPAQUE: an operation and the empty one go through the same code.
{-# OPAQUE metered #-}

-- * Bytes

-- | Bytes that the operation allocates each time, averaged over as many as fit
-- into 64 MiB, at most 4,096. Exact for an operation that always allocates the
-- same; the cost of looking is taken off.
allocatedBy :: Operation -> IO Double
allocatedBy one = snd <$> allocations one

-- | Those of the very first time, and 'allocatedBy'. An operation that allocates at
-- first alone has computed something that it then only looks at.
allocations :: Operation -> IO (Int, Double)
allocations one =
  metered look moved one $ \counted -> metered look moved (emptyLike one) $ \nothing -> do
    let without times =
          (\some none -> getSum some - getSum none) <$> counted times <*> nothing times
    first <- without 1
    _ <- counted 1
    once <- without 1
    let !times = max 1 (min 4096 (64 * 1024 * 1024 `div` max 1 once))
    several <- without times
    pure (first, fromIntegral several / fromIntegral times)
  where
    look = getAllocationCounter
    moved before after = Sum (fromIntegral (before - after) :: Int)

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
    -- started with @+RTS -T@, as are the next two.
    collectorTimes :: !(Maybe (NonEmpty Double)),
    -- | How many bytes collections copied for each time, and how many collections
    -- there were.
    copiedEach :: !(Maybe (NonEmpty Double)),
    collectionsEach :: !(Maybe (NonEmpty Double))
  }

-- | Time operations together. The order is reversed after every two rounds, so
-- that none is always the one after a certain other, and that odd rounds and
-- even ones see both orders alike ('Tern.Lab.Stats.unseen'). The action is told
-- each round that begins, from 1.
timings :: Settings -> (Int -> IO ()) -> [Operation] -> IO [Timing]
timings Settings {rounds, batch} beginning operations = do
  roughly <- forM operations $ \one -> (,) one <$> calibrated batch one
  -- What runs first takes longer than all that comes after it: fresh memory, cold caches. So
  -- how many fill a batch is asked again, of batches as they are timed, once all have run;
  -- what fills one by itself is asked once.
  sized <- refined 1 roughly >>= refined 2 >>= refined 2
  results <- forM [1 .. max 2 rounds] $ \number -> do
    beginning number
    if even (number `div` 2) then reverse <$> mapM timed (reverse sized) else mapM timed sized
  pure (mapMaybe gather (transpose results))
  where
    refined least = mapM $ \(one, times) ->
      if times < least
        then pure (one, times)
        else do
          (_, found) <- timed (one, times)
          pure (one, max times (filling batch times (cpuTaken found)))
    timed (one, times) = metered clock taken one $ \clocked -> do
      performMajorGC
      -- As much without the clock; of what is made ready for each time, once.
      _ <- clocked (case one of Batched {} -> times; Apiece {} -> 1)
      performMinorGC
      (,) times <$> clocked times
    gather samples = do
      rounds' <- NonEmpty.nonEmpty samples
      let each figure =
            NonEmpty.map (\(times, taken') -> figure taken' / fromIntegral times) rounds'
          collections figure =
            NonEmpty.zipWith (\(times, _) one -> figure one / fromIntegral times) rounds'
              <$> traverse (collector . snd) rounds'
      pure
        Timing
          { cpuTimes = each cpuTaken,
            wallTimes = each wallTaken,
            collectorTimes = collections collectorTaken,
            copiedEach = collections bytesCopied,
            collectionsEach = collections collectionsDone
          }

-- | CPU and wall time of one operation in nanoseconds, from one batch of @lasting@
-- nanoseconds of CPU time. Half as much is done before, to find out how many that are.
timedFor :: Double -> Operation -> IO (Double, Double)
timedFor lasting one = do
  times <- calibrated lasting one
  found <- metered clock taken one ($ times)
  pure (cpuTaken found / fromIntegral times, wallTaken found / fromIntegral times)

-- | How many times fill a batch: doubled until a quarter is full, then in
-- proportion.
calibrated :: Double -> Operation -> IO Int
calibrated target one = metered clock taken one $ \clocked -> do
  let go times = do
        cpu <- cpuTaken <$> clocked times
        if cpu * 4 >= target || times >= 2 ^ (40 :: Int)
          then pure (filling target times cpu)
          else go (times * 2)
  _ <- clocked 1
  go 1

-- | How many times fill a batch, where @times@ took @cpu@ nanoseconds.
filling :: Double -> Int -> Double -> Int
filling target times cpu = max 1 (round (fromIntegral times * target / max 1 cpu))

-- | What runs of an operation took, in nanoseconds.
data Taken = Taken
  { cpuTaken :: !Double,
    wallTaken :: !Double,
    -- | Absent where the runtime does not say.
    collector :: !(Maybe Collector)
  }

-- | What collections did meanwhile.
data Collector = Collector
  { collectorTaken :: !Double,
    bytesCopied :: !Double,
    collectionsDone :: !Double
  }

instance Semigroup Taken where
  Taken cpu wall collected <> Taken cpu' wall' collected' =
    Taken (cpu + cpu') (wall + wall') (added <$> collected <*> collected')
    where
      added (Collector a b c) (Collector a' b' c') = Collector (a + a') (b + b') (c + c')

instance Monoid Taken where
  mempty = Taken 0 0 (Just (Collector 0 0 0))

-- | Both clocks, and what the runtime says of its collector.
data Clock = Clock !Integer !Word64 !(Maybe RTSStats)

clock :: IO Clock
clock = do
  told <- getRTSStatsEnabled
  statistics <- if told then Just <$> getRTSStats else pure Nothing
  wall <- getMonotonicTimeNSec
  cpu <- getCPUTime
  pure (Clock cpu wall statistics)

taken :: Clock -> Clock -> Taken
taken (Clock cpu wall statistics) (Clock cpu' wall' statistics') =
  Taken
    { cpuTaken = fromIntegral (cpu' - cpu) / 1000,
      wallTaken = fromIntegral (wall' - wall),
      collector = between <$> statistics <*> statistics'
    }
  where
    between before after =
      Collector
        { collectorTaken = fromIntegral (gc_cpu_ns after - gc_cpu_ns before),
          bytesCopied = fromIntegral (copied_bytes after - copied_bytes before),
          collectionsDone = fromIntegral (gcs after - gcs before)
        }
