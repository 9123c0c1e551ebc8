-- | Work that goes on for long, in turns.
--
-- The idea: GHC lets a thread run for 20 ms before the next one may. Fifty clients with bombs
-- would so hold up everybody else for a second. Long work is therefore done in pieces of some
-- ten microseconds, and at most as many pieces are under way as there are processors but one:
-- all other threads that work long wait in a queue of their own, and those that work short
-- wait for a piece at most.
--
-- Start at 'turns'.
module Tern.Http.Turns
  ( turns,
  )
where

import Control.Concurrent (getNumCapabilities, yield)
import Control.Concurrent.QSem (QSem, newQSem, signalQSem, waitQSem)
import Control.Exception (bracket_)
import Data.IORef (newIORef, readIORef, writeIORef)
import System.IO.Unsafe (unsafePerformIO)

-- | How to do the pieces of one piece of work: the first @n@ at once, as what is short is
-- done, and each after them when it is its turn. A piece must not wait for anything, a client
-- above all.
--
-- >>> inTurn <- turns 1
-- >>> mapM inTurn [pure 'a', pure 'b', pure 'c']
-- "abc"
turns :: Int -> IO (IO a -> IO a)
turns first = do
  left <- newIORef first
  pure $ \piece -> do
    n <- readIORef left
    if n > 0
      then writeIORef left (n - 1) >> piece
      else bracket_ (waitQSem lanes) (signalQSem lanes) piece <* yield

-- | NOINLINE: the processors are those of the process.
lanes :: QSem
lanes = unsafePerformIO (newQSem . max 1 . subtract 1 =<< getNumCapabilities)
{-# NOINLINE lanes #-}
