-- | Sequences that are sent while they happen, for as long as the client listens.
--
-- The idea: what is handed on goes out at once, and where nothing was for a while a sign
-- of life does, which every reader of the format passes over. So neither a server nor a
-- proxy takes the connection for dead, and a client that went away is noticed though
-- nothing happens. A format without such a sign ends its answer instead, whole; its client
-- asks again.
--
-- Start at 'liveTo'.
module Tern.Http.Live
  ( liveTo,
  )
where

import Control.Concurrent (threadDelay)
import Control.Concurrent.Async (race_)
import Control.Concurrent.MVar (newMVar, putMVar, takeMVar, withMVar)
import Data.ByteString (ByteString)
import Data.IORef (atomicModifyIORef', newIORef, writeIORef)
import Tern (Wire)
import Tern.Http.Series (SeriesEntry (..))

-- | Put out the values that an action hands on, each when it is handed on, with a sign of
-- life after each @silence@ microseconds without one. An exception of the consumer ends
-- the action, and the other way round.
liveTo ::
  (Wire a) => SeriesEntry -> Int -> (ByteString -> IO ()) -> ((a -> IO ()) -> IO ()) -> IO ()
liveTo kind silence consume act = seriesPush kind consume $ \put -> do
  turn <- newMVar ()
  spoken <- newIORef False
  let live value = withMVar turn (\() -> put value >> writeIORef spoken True)
      watch = do
        threadDelay silence
        takeMVar turn
        heard <- atomicModifyIORef' spoken (False,)
        case seriesSign kind of
          _ | heard -> putMVar turn () >> watch
          Just sign -> consume sign >> putMVar turn () >> watch
          -- The turn is kept, so that the action is not ended within a value.
          Nothing -> pure ()
  race_ (act live) watch
