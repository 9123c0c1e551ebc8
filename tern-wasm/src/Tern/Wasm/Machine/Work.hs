-- | Work that is done for a computation, piece by piece, and how a computation stops.
--
-- The idea: whoever does something for a guest says what it costs before it is done
-- ("Tern.Wasm.Metered"). Here that is taken from the store's fuel and the deadline is
-- looked at; a computation that cannot pay is suspended with what is left to do.
--
-- Start at 'working'.
module Tern.Wasm.Machine.Work
  ( -- * Computations
    Run (..),
    onward,
    Stop (..),
    Stopping,
    Suspended (..),
    suspended,
    stackEnd,

    -- * Work in pieces
    working,
    hosted,
    atOnce,
    isLate,
    noRoom,
    within,
    bytesPerUnit,
  )
where

import Control.Concurrent (yield)
import Control.Exception (bracket_)
import Data.ByteString qualified as B
import Data.IORef (IORef, modifyIORef', readIORef, writeIORef)
import Data.Word (Word64)
import GHC.Clock (getMonotonicTime)
import System.Timeout (timeout)
import Tern.Wasm.Error (Exhaustion (..), Trap)
import Tern.Wasm.Held (Asleep (..), watching)
import Tern.Wasm.Lasting (address)
import Tern.Wasm.Machine.Unwind (Point, TraceEntry)
import Tern.Wasm.Metered (Outcome (..))
import Tern.Wasm.Prim (Ptr, castPtr, minusPtr, plusPtr)
import Tern.Wasm.Settings (Settings (..))
import Tern.Wasm.Store (Func, Store (..), Tag)
import Tern.Wasm.Value (Value)

-- * Computations

-- | A call from outside: the store, the function that was called and where its stack
-- begins.
data Run = Run
  { runStore :: !Store,
    runCalled :: !Func,
    runBase :: !(Ptr ()),
    -- | Words that it holds beside its stack now.
    runBeside :: ![Word64],
    -- | How a computation goes on from a point: "Tern.Wasm.Machine.Drive".
    runOn :: !(Run -> Point -> IO (Either Stop ()))
  }

-- | Go on from a point to the end of the call.
onward :: Run -> Point -> IO (Either Stop ())
onward run = runOn run run

-- | Why a call did not return, and where it was.
data Stop
  = Trapped !Trap ![TraceEntry]
  | Exhausted !Exhaustion ![TraceEntry]
  | -- | An exception that nothing caught.
    Uncaught !Tag ![Value] ![TraceEntry]
  | -- | The fuel is used up; the call can go on when there is more.
    OutOfFuel !Suspended
  | -- | A suspended call that has gone on before, and cannot a second time.
    Spent

-- | How to stop, where it is known in which frames.
type Stopping = ([TraceEntry] -> Stop) -> IO (Either Stop ())

-- | A call that has stopped between two instructions, or before a piece of work.
data Suspended = Suspended
  { suspendedRun :: !Run,
    -- | What was on its stack; nothing when it has gone on since.
    suspendedStack :: !(IORef (Maybe Asleep)),
    -- | The fuel that it owes.
    suspendedOwed :: !Int,
    -- | What is left to do.
    suspendedRest :: IO (Either Stop ())
  }

-- | Keep the stack and what is left to do, and the fuel that is owed.
suspended :: Run -> Int -> IO (Either Stop ()) -> IO (Either Stop ())
suspended run owed rest = do
  saved <- B.packCStringLen (castPtr (runBase run), stackEnd (runStore run) `minusPtr` runBase run)
  cell <- watching (storeAsleep (runStore run)) (Just (Asleep saved (runBeside run)))
  pure (Left (OutOfFuel (Suspended run cell owed rest)))

-- | The first address above a store's stack, which grows upwards.
stackEnd :: Store -> Ptr ()
stackEnd store = address (storeStack store) `plusPtr` settingStack (storeSettings store)

-- * Work in pieces

-- | Do work piece by piece, each paid for before, and then go on.
working :: Run -> Stopping -> IO (Outcome a) -> (a -> IO (Either Stop ())) -> IO (Either Stop ())
working run stopping work next =
  work >>= \case
    Done a -> next a
    Refused t -> stopping (Trapped t)
    Exhausts e -> stopping (Exhausted e)
    Price bytes rest ->
      paying run stopping bytes (unitsOf bytes) (working run stopping rest next)

-- | Take @units@ of fuel for @bytes@ bytes, look at the deadline, and go on with @next@.
-- Where less fuel is left, take that and stop, to go on when the rest is paid too.
paying :: Run -> Stopping -> Int -> Int -> IO (Either Stop ()) -> IO (Either Stop ())
paying run stopping bytes units next = do
  fuel <- readIORef (storeFuel store)
  if fuel < units
    then do
      writeIORef (storeFuel store) 0
      suspended run 0 (paying run stopping bytes (units - max 0 fuel) next)
    else do
      writeIORef (storeFuel store) $! if fuel == maxBound then fuel else fuel - units
      modifyIORef' (storeSpent store) (\spent -> min mostSpent (spent + units))
      -- What is small is looked after by the next poll.
      late <- if bytes > 0 && bytes < 4096 then pure False else yield >> isLate store
      if late then stopping (Exhausted TimeExhausted) else next
  where
    store = runStore run

-- | Run host code; calls that it makes use the stack from an address.
hosted :: Store -> Ptr () -> IO (Outcome ()) -> IO (Outcome ())
hosted store above action = do
  before <- readIORef (storeTop store)
  r <- bracket_ (writeIORef (storeTop store) above) (writeIORef (storeTop store) before) action
  pure $ case r of
    Price n rest -> Price n (hosted store above rest)
    other -> other

-- | The same for what cannot be suspended, as an instance in the making: without the
-- fuel for the next piece it ends.
atOnce :: Store -> IO (Outcome ()) -> IO (Either Stop ())
atOnce store work =
  work >>= \case
    Done () -> pure (Right ())
    Refused t -> pure (Left (Trapped t []))
    Exhausts e -> pure (Left (Exhausted e []))
    Price bytes rest -> do
      let units = unitsOf bytes
      fuel <- readIORef (storeFuel store)
      late <- isLate store
      if late || fuel < units
        then pure (Left (Exhausted (if late then TimeExhausted else FuelExhausted) []))
        else do
          writeIORef (storeFuel store) $! if fuel == maxBound then fuel else fuel - units
          atOnce store rest

-- | Whether a store's deadline is over; never without one. One that is no number is over.
isLate :: Store -> IO Bool
isLate store =
  readIORef (storeDeadline store)
    >>= maybe (pure False) (\t -> (\now -> isNaN t || now > t) <$> getMonotonicTime)

-- | Why there is no room for something: the heap is used up, unless it was the time that
-- ended, and with it the collection that might have made some.
noRoom :: Store -> IO Exhaustion
noRoom store = (\late -> if late then TimeExhausted else HeapExhausted) <$> isLate store

-- | Do something that cannot be cut into pieces within the time that is left, if the
-- store has a deadline; 'Nothing' where that is over. The action is interrupted wherever
-- it allocates, so what it makes must be nobody else's yet.
within :: Store -> IO a -> IO (Maybe a)
within store action =
  readIORef (storeDeadline store) >>= \case
    Nothing -> Just <$> action
    Just t -> do
      now <- getMonotonicTime
      -- An hour is beyond all that is done so; and what is no number is no time.
      timeout (truncate (1000000 * max 0 (min 3600 (t - now)))) action

-- | How many bytes take one from the fuel, in an instruction over whole memories, tables
-- or arrays and in a host function that says what it costs: they take about as long as
-- a jump.
bytesPerUnit :: Int
bytesPerUnit = 64

-- | The fuel for bytes. A number below 0, as a guest's large one becomes when it is taken for
-- an 'Int', is more than there is of anything: it counts as the largest.
unitsOf :: Int -> Int
unitsOf bytes = (if bytes < 0 then maxBound else bytes) `div` bytesPerUnit

-- | More than any slice has. What has been spent since limits were looked at is not counted
-- further, so that no sum of prices becomes a number below 0.
mostSpent :: Int
mostSpent = 1000000000
