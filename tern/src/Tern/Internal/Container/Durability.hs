-- | When values that were put are safe, and from what.
--
-- The idea: a value that was put waits in its block until that is full; a block that went
-- out is with the system, and survives its writer; what was synced is on the disk, and
-- survives the system. A writer chooses how often each happens by itself, and can ask
-- for it at any time.
--
-- What a crash can lose stands in a table in @docs\/how-to\/keep-values-in-a-container.md@.
-- Start at 'Sink'.
module Tern.Internal.Container.Durability
  ( Durability (..),
    Often (..),
    Reach (..),
    whenFull,
    Sink (..),
    sinkTo,
  )
where

import Control.Concurrent (forkIO, killThread, threadDelay)
import Control.Concurrent.MVar (newMVar, withMVar)
import Control.Exception (IOException, bracket, catch, throwIO)
import Control.Monad (forever, join, unless, when, (>=>))
import Data.ByteString (ByteString)
import Data.IORef (newIORef, readIORef, writeIORef)
import System.IO (Handle)
import Tern.Internal.Container.Block (NextBlock (..))
import Tern.Internal.Container.Encoder (Outlet, flushed, offer, outletPlace)
import Tern.Internal.Write (Writer)
import Tern.Prim.Disk (syncHandle, writeHandle)

-- | How often what was put goes out by itself, and how far.
data Durability = Durability
  { often :: !Often,
    reach :: !Reach
  }
  deriving stock (Eq, Show)

-- | After how much a block is written.
data Often
  = -- | Each block when it is full.
    WhenFull
  | -- | After each @n@ elements; 1 is after each.
    EachElements !Int
  | -- | After each @t@ seconds in which something was put.
    EachSeconds !Double
  deriving stock (Eq, Show)

-- | How far what was written has gone by then.
data Reach
  = -- | It outlives the process.
    ToSystem
  | -- | It outlives a loss of power, as far as the disk keeps its word.
    ToDisk
  deriving stock (Eq, Show)

-- | Full blocks to the system.
whenFull :: Durability
whenFull = Durability WhenFull ToSystem

-- | What values are put to. For one thread at a time.
data Sink a = Sink
  { put :: a -> IO (),
    -- | Everything that was put goes to the system now, as a block of its own.
    flush :: IO (),
    -- | The same, and on to the disk: the file, and its name in its folder.
    sync :: IO (),
    -- | Elements that the file had before.
    already :: !Int
  }

-- | Run an action with a sink whose blocks go to a handle. The first action is what makes
-- the file's name safe.
--
-- INLINE: the writer is known where it is given.
sinkTo :: Durability -> IO () -> Handle -> Outlet -> Writer a -> (Sink a -> IO r) -> IO r
sinkTo durability named h outlet writer act = do
  before <- placeFirst <$> outletPlace outlet
  policy
    durability
    ( Sink
        { put =
            offer outlet writer >=> putOut durability h,
          flush = flushTo h outlet,
          sync = flushTo h outlet >> syncHandle h >> named,
          already = before
        }
    )
    act
{-# INLINE sinkTo #-}

-- | A block, if there is one.
putOut :: Durability -> Handle -> [ByteString] -> IO ()
putOut durability h pieces = unless (null pieces) $ do
  mapM_ (writeHandle h) pieces
  when (reach durability == ToDisk) (syncHandle h)

flushTo :: Handle -> Outlet -> IO ()
flushTo h outlet = flushed outlet >>= mapM_ (writeHandle h)

policy :: Durability -> Sink a -> (Sink a -> IO r) -> IO r
policy (Durability how far) sink act = case how of
  WhenFull -> act sink
  EachElements n -> do
    count <- newIORef (0 :: Int)
    act . counting count n $ sink
  EachSeconds seconds -> do
    turn <- newMVar ()
    waiting <- newIORef False
    failure <- newIORef (pure ())
    let alone :: IO b -> IO b
        alone io = withMVar turn (const (join (readIORef failure) >> io))
        -- An error is thrown where something is put next, or at the end.
        tick = withMVar turn $ \() -> do
          some <- readIORef waiting
          when some $
            (out >> writeIORef waiting False)
              `catch` \e -> writeIORef failure (throwIO (e :: IOException))
        guarded =
          sink
            { put = \a -> alone (writeIORef waiting True >> put sink a),
              flush = alone (flush sink),
              sync = alone (sync sink)
            }
    -- It is ended while it is not at work: a block is written whole.
    bracket
      ( forkIO
          (forever (threadDelay (microseconds seconds) >> tick))
      )
      (withMVar turn . const . killThread)
      (const (act guarded <* alone (pure ())))
  where
    out = case far of
      ToSystem -> flush sink
      ToDisk -> sync sink
    counting count n inner =
      inner
        { put = \a -> do
            put inner a
            k <- readIORef count
            if k + 1 >= n then writeIORef count 0 >> out else writeIORef count (k + 1)
        }
    -- As much as a machine word holds is more than anybody waits for.
    microseconds seconds = max 1000 (min 1000000000000 (round (seconds * 1000000)))
