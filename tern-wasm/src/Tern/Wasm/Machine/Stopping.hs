-- | How a computation stops at a point, and work that is done there.
--
-- The idea: who stops says where, as a trace; and an instruction traps with what its row
-- says ("Tern.Wasm.Traps"), whoever found the trap: the loop, native code or the driver.
--
-- Start at 'trap'.
module Tern.Wasm.Machine.Stopping
  ( stop,
    stopBelow,
    trap,
    work,
    hostWork,
    paidFor,
  )
where

import Tern.Wasm.Error (Trap (..))
import Tern.Wasm.Machine.Instruction (trapsAt)
import Tern.Wasm.Machine.Unwind (Point (..), trace, traceBelow)
import Tern.Wasm.Machine.Work (Run, Stop (..), Stopping, bytesPerUnit, working)
import Tern.Wasm.Metered (Outcome (..))

-- | With a trace of where.
stop :: Point -> Stopping
stop point because = Left . because <$> trace traceLength point

-- | The same where the frame is gone, given the point to which it returns.
stopBelow :: Maybe Point -> Stopping
stopBelow below because = Left . because <$> traceBelow traceLength below

-- | What the instruction at a point traps with. With what its row does not name none does:
-- that would be a defect of the engine, and ends the computation as well.
trap :: Point -> Trap -> IO (Either Stop ())
trap point t = named point t >>= stop point . Trapped

named :: Point -> Trap -> IO Trap
named point t = do
  known <- trapsAt (pointIp point)
  pure (if t `elem` known then t else TrapUnreachable)

-- | What the instruction at a point does, piece by piece; then go on.
work :: Run -> Point -> IO (Outcome a) -> (a -> IO (Either Stop ())) -> IO (Either Stop ())
work run point = hostWork run point . said
  where
    said action =
      action >>= \case
        Refused t -> Refused <$> named point t
        Price n rest -> pure (Price n (said rest))
        Done a -> pure (Done a)
        Exhausts e -> pure (Exhausts e)

-- | The same of what is not the instruction's own: a function of the host, or one that has no
-- code yet. It refuses with what it likes.
hostWork :: Run -> Point -> IO (Outcome a) -> (a -> IO (Either Stop ())) -> IO (Either Stop ())
hostWork run point = working run (stop point)

-- | Go on when the values of an instruction are paid for, by their bytes. A few, fewer than
-- one of the fuel is taken for, are in what the instruction itself costs.
paidFor :: Run -> Point -> Int -> IO (Either Stop ()) -> IO (Either Stop ())
paidFor run point bytes next
  | bytes < bytesPerUnit = next
  | otherwise = hostWork run point (pure (Price bytes (pure (Done ())))) (const next)

-- | How many frames a trace has at most.
traceLength :: Int
traceLength = 32
