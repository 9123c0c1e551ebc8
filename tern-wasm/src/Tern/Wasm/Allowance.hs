-- | How much of something a store may have in all, and how much of it is taken.
--
-- The idea: what a guest can make the host allocate is taken from an allowance of its
-- store before it is allocated, so that many small things are bounded as one large
-- thing is. A store has three ('Tern.Wasm.Store.Account').
--
-- Start at 'Allowance' and 'draw'.
module Tern.Wasm.Allowance
  ( Allowance,
    newAllowance,
    draw,
    giveBack,
    taken,
    left,
  )
where

import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef)

-- | Invariant: @0 <= taken <= most@.
data Allowance = Allowance !Int !(IORef Int)

-- | Nothing is taken yet.
newAllowance :: Int -> IO Allowance
newAllowance most = Allowance (max 0 most) <$> newIORef 0

-- | Take an amount, if it is there; whether it was. Threads may do so at once.
draw :: Allowance -> Int -> IO Bool
draw (Allowance most ref) n
  | n < 0 = pure False
  | otherwise =
      atomicModifyIORef' ref (\used -> if n <= most - used then (used + n, True) else (used, False))

-- | Give back what was drawn and has been freed.
giveBack :: Allowance -> Int -> IO ()
giveBack (Allowance _ ref) n = atomicModifyIORef' ref (\used -> (max 0 (used - max 0 n), ()))

-- | What is drawn now, and what may be drawn yet, in the units of who made it. Other threads
-- may change both meanwhile.
taken, left :: Allowance -> IO Int
taken (Allowance _ ref) = readIORef ref
left (Allowance most ref) = (most -) <$> readIORef ref
