-- | Work that goes on for long, in turns.
--
-- The idea: GHC lets a thread run for 20 ms before the next one may. Fifty clients with bombs,
-- or with answers that nobody reads, would so hold up everybody else for a second. Long work is
-- therefore done in pieces of less than a millisecond, after which others may run.
--
-- What is decompressed never waits for anything, so that it may queue for a turn ('turns'). What
-- makes an answer may wait for a data base, and nobody should wait for it: it only lets others
-- run between two pieces ('paced').
--
-- Start at 'turns'.
module Tern.Http.Turns
  ( turns,
    paced,
  )
where

import Control.Concurrent (getNumCapabilities, yield)
import Control.Concurrent.QSem (QSem, newQSem, signalQSem, waitQSem)
import Control.Exception (bracket_)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.IORef (newIORef, readIORef, writeIORef)
import System.IO.Unsafe (unsafePerformIO)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.ByteString qualified as B

-- | How to do the pieces of one piece of work: the first @n@ at once, as what is short is
-- done, and each after them when it is its turn. At most as many are under way as there are
-- processors but one. A piece must not wait for anything, a client above all.
--
-- >>> inTurn <- turns 1 :: IO (IO Char -> IO Char)
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

-- | A consumer that lets others run after each 32 KiB.
--
-- >>> consume <- paced (print . B.length)
-- >>> mapM_ consume ["ab", "c"]
-- 2
-- 1
paced :: (ByteString -> IO ()) -> IO (ByteString -> IO ())
paced consume = do
  left <- newIORef size
  pure $ \chunk -> do
    consume chunk
    n <- subtract (B.length chunk) <$> readIORef left
    if n > 0 then writeIORef left n else writeIORef left size >> yield
  where
    size = 32768
