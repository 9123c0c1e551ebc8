-- | Waiting for the system, in pieces of time between which the program's limits hold.
--
-- Start at 'awaiting'.
module Tern.Wasm.Wasi.Wait
  ( awaiting,
    persistently,
    aside,
    waitMilliseconds,
  )
where

import Control.Concurrent (forkIO)
import Control.Concurrent.MVar (newEmptyMVar, putMVar, tryTakeMVar)
import Control.Monad (unless, void)
import Control.Monad.IO.Class (liftIO)
import Tern.Wasm.Wasi.Errno (Errno (..))
import Tern.Wasm.Wasi.State (Act, Descriptor (..), callBytes, io, pause, pay)
import Tern.Wasm.Wasi.System (Interest, Ready (..), poll, using)

-- | How long a program waits before its limits are looked at.
waitMilliseconds :: Int
waitMilliseconds = 10

-- | Wait until something can be read or written; the limits hold meanwhile.
awaiting :: Descriptor -> Interest -> Act ()
awaiting d interest = go 0
  where
    go milliseconds = do
      ready <- io (using (descriptorOwned d) (\h -> poll [(h, interest)] milliseconds))
      unless (any isReady ready) (pause >> go waitMilliseconds)

-- | Do something until the system does not say that it should be tried again. It may say so
-- for ever of what it also says is ready: each time is paid for, and limits are looked at.
persistently :: Act (Either Errno a) -> Act (Either Errno a)
persistently try_ =
  try_ >>= \case
    Left EAGAIN -> pay callBytes >> persistently try_
    r -> pure r

-- | Do something that the system may take long for; the limits hold meanwhile, and it
-- goes on if the program is stopped.
aside :: IO (Either Errno a) -> Act a
aside action = do
  result <- liftIO $ do
    result <- newEmptyMVar
    _ <- forkIO (action >>= putMVar result)
    pure result
  let look_ n = do
        r <- liftIO (tryTakeMVar result)
        maybe (liftIO (napping n) >> pause >> look_ (n + 1)) (io . pure) r
  look_ (0 :: Int)
  where
    napping n = if n < 20 then pure () else void (poll [] (min waitMilliseconds n))
