-- | Work that is paid for before it is done.
--
-- The idea: whatever takes longer than a moment is cut into pieces, and before each
-- piece the driver is told how many bytes it goes over ('Price'). The driver takes
-- fuel for them, looks at the deadline, lets asynchronous exceptions and other threads
-- in, and then runs the rest; or keeps the rest until there is more fuel. So bulk
-- instructions and host functions obey the same limits as loops do, and nobody else
-- looks at fuel or clocks.
--
-- Between pieces nothing may be held that must be given back: the rest may never run.
--
-- Start at 'Outcome' and 'pieces'.
module Tern.Wasm.Metered
  ( Outcome (..),
    followedBy,
    pieces,
    backwards,
    pieceBytes,

    -- * Host functions
    Metered (..),
    price,
    refused,
  )
where

import Control.Monad (ap, liftM)
import Control.Monad.IO.Class (MonadIO (..))
import Tern.Wasm.Error (Exhaustion, Trap)

-- | What came of work.
data Outcome a
  = Done a
  | Refused !Trap
  | Exhausts !Exhaustion
  | -- | Bytes that the next piece goes over, and the rest. With 0 bytes only the
    -- limits are looked at.
    Price !Int (IO (Outcome a))

-- | Work, and when it is done what comes after it.
followedBy :: IO (Outcome a) -> (a -> IO (Outcome b)) -> IO (Outcome b)
followedBy action f =
  action >>= \case
    Done a -> f a
    Refused t -> pure (Refused t)
    Exhausts e -> pure (Exhausts e)
    Price n rest -> pure (Price n (followedBy rest f))

-- | Bytes in a piece: some tenths of a millisecond.
pieceBytes :: Int
pieceBytes = 1048576

-- | Do work over @n@ elements in pieces: each is given the first element's number and
-- how many there are. An element is paid for as @each@ bytes.
pieces :: Int -> Int -> (Int -> Int -> IO ()) -> IO (Outcome ())
pieces each n work = go 0
  where
    most = max 1 (pieceBytes `div` max 1 each)
    go from
      | from >= n = pure (Done ())
      | otherwise = do
          let k = min most (n - from)
          pure (Price (each * k) (work from k >> go (from + k)))

-- | The same from the end, for copies to a place that overlaps what comes after.
backwards :: Int -> Int -> (Int -> Int -> IO ()) -> IO (Outcome ())
backwards each n work = pieces each n (\from k -> work (n - from - k) k)

-- * Host functions

-- | An action of a host function that says what it costs as it goes. See 'price'.
newtype Metered a = Metered {runMetered :: IO (Outcome a)}

instance Functor Metered where
  fmap = liftM

instance Applicative Metered where
  pure = Metered . pure . Done
  (<*>) = ap

instance Monad Metered where
  Metered m >>= f = Metered (m `followedBy` (runMetered . f))

instance MonadIO Metered where
  liftIO = Metered . fmap Done

-- | Pay for @n@ bytes; here the call may be stopped, or suspended until there is
-- more fuel. With 0 bytes it costs nothing and may still be stopped. An @n@ below 0, which a
-- guest's number may be that has 64 bits, counts as 'maxBound': no guest pays less for more.
price :: Int -> Metered ()
price n = Metered (pure (Price n (pure (Done ()))))

-- | Trap.
refused :: Trap -> Metered a
refused = Metered . pure . Refused
