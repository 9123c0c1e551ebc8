-- | The driver of the loop: it enters "Tern.Wasm.Exec" or native code, does what they
-- leave to it, and goes on.
--
-- The idea: code is left for whatever touches Haskell's world (host functions, growing,
-- tables, bulk operations, lowering, calls to another instance) and when a slice of
-- fuel is used up. Each return is a safe point: asynchronous exceptions are delivered,
-- other threads run, and fuel and deadline are looked at ("Tern.Wasm.Machine.Pace"). Every
-- function here takes the computation and the point where it is.
--
-- Start at 'drive' and 'leaving'.
module Tern.Wasm.Machine.Drive
  ( drive,
  )
where

import Control.Monad (forM)
import Data.IORef (readIORef, writeIORef)
import Data.Vector qualified as V
import Data.Word (Word16, Word32)
import Tern.Wasm.Byte (opNumber)
import Tern.Wasm.Code
  ( Op (..),
    exitCall,
    exitEntry,
    exitForeign,
    exitLeave,
    exitPoll,
    exitStack,
    gateAddress,
    heapOf,
    linkOffset,
    linkSize,
    unit,
  )
import Tern.Wasm.Compiled (codeAt)
import Tern.Wasm.Error (Exhaustion (..), Trap (..))
import Tern.Wasm.Exec (Exit (..), enter)
import Tern.Wasm.Heap.Place (refused, worthwhile)
import Tern.Wasm.Lasting (nowhere, view, within)
import Tern.Wasm.Layout (instExitFrame, instExitIp, instFuel, instStackLimit)
import Tern.Wasm.Machine.Aggregate (aggregated)
import Tern.Wasm.Machine.Bulk (bulk)
import Tern.Wasm.Machine.Call (callElement, calling, enterFunc, tailFunc)
import Tern.Wasm.Machine.Instruction (Instruction (..), instructionAt)
import Tern.Wasm.Machine.Pace (after, polled, sliceOf)
import Tern.Wasm.Machine.Stopping (hostWork, paidFor, stop, trap, work)
import Tern.Wasm.Machine.Throw (collecting, throwing)
import Tern.Wasm.Machine.Tiers (lowered, seen)
import Tern.Wasm.Machine.Unwind (Crossing (..), Point (..))
import Tern.Wasm.Machine.Work (Run (..), Stop (..), isLate, noRoom, stackEnd)
import Tern.Wasm.Meaning (Driver (..), Meaning (..))
import Tern.Wasm.Metered (Outcome (..))
import Tern.Wasm.Native qualified as Native
import Tern.Wasm.Object (referenceIs)
import Tern.Wasm.Prim (peekByteOff, plusPtr, pokeByteOff)
import Tern.Wasm.Store
  ( Func (..),
    Instance (..),
    Memory (..),
    Store (..),
    Tag (..),
    Thrown (..),
    instanceAddress,
    instanceMemory,
    thrownBy,
  )
import Tern.Wasm.Syntax (HeapType (..), RefType (..), funcParams, slotTotal)
import Tern.Wasm.Traps (trapOf)

-- * Running

-- | Go on from a point to the end of the call.
drive :: Run -> Point -> IO (Either Stop ())
drive run point = do
  available <- readIORef (storeFuel store)
  slice <- sliceOf store
  spent <- readIORef (storeSpent store)
  -- Never more than a slice, whatever was spent.
  let n = max 0 (min (min slice (slice - spent)) available)
  pokeByteOff block instStackLimit (stackEnd store)
  pokeByteOff block instFuel n
  Exit code ip fp <- entered point
  left <- peekByteOff block instFuel
  writeIORef (storeSpent store) $! spent + n - left
  let rest = available - (n - left)
  writeIORef (storeFuel store) $! if available == maxBound then available else rest
  ended run code rest point {pointIp = ip, pointFrame = fp}
  where
    store = runStore run
    block = instanceAddress (pointInstance point)

-- | Run code, native or not, until it is left.
entered :: Point -> IO Exit
entered (Point i _ ip fp) = do
  op <- peekByteOff ip 0 :: IO Word16
  v <- maybe (pure nowhere) (view . memoryBlock) (instanceMemory i)
  within v $ \memory size ->
    if fromIntegral op == opNumber Native
      then do
        target <- peekByteOff ip gateAddress
        code <- Native.run target fp memory size block
        Exit code <$> peekByteOff block instExitIp <*> peekByteOff block instExitFrame
      else enter ip fp memory size block
  where
    block = instanceAddress i

-- | Why code was left, with how much fuel there is then.
ended :: Run -> Int -> Int -> Point -> IO (Either Stop ())
ended run code rest point
  | code == exitLeave = leaving run point
  | code == exitPoll = polled run 1 rest point
  | code == exitEntry = polled run 0 rest point
  | code == exitForeign = calling run True point
  | code == exitCall = warmed run point
  | code == exitStack = stop point (Exhausted StackExhausted)
  | otherwise = case trapOf code of
      -- Another type than the one that is asked for may be below it.
      Just IndirectCallTypeMismatch -> calling run False point
      Just t -> trap point t
      -- Code is left with no other number.
      Nothing -> stop point (Trapped TrapUnreachable)

-- | What native code calls often gets native code as well; and the instance is told.
warmed :: Run -> Point -> IO (Either Stop ())
warmed run point@(Point i _ ip _) = do
  found <- codeAt (instanceCompiled i) ip
  mapM_ (\(own, l, _) -> seen 1 i own l) found
  op <- peekByteOff ip 0 :: IO Word16
  if fromIntegral op == opNumber Lower then leaving run point else drive run point

-- * What code leaves to the driver

-- | Do what the instruction says at which code was left.
leaving :: Run -> Point -> IO (Either Stop ())
leaving run point@(Point i _ ip fp) = do
  instruction@(Instruction what _ a b _) <- instructionAt ip
  let home = fp `plusPtr` a
      function = instanceFuncs i V.! b
  case what of
    Driven _ _ how -> driven run point instruction how
    CallsHost -> enterFunc run point function home (ip `plusPtr` unit)
    TailCallsHost -> tailFunc run point function home 16
    CallsByDriver -> callElement run point instruction
    -- From one tier to the other.
    Switches -> drive run point
    Gates -> drive run point
    -- Code is left at no other instruction.
    _ -> trap point TrapUnreachable

driven :: Run -> Point -> Instruction -> Driver -> IO (Either Stop ())
driven run point@(Point i crossings ip fp) (Instruction _ d a b c) = \case
  Ends -> pure (Right ())
  Crosses -> case crossings of
    Crossing caller back : rest -> drive run (Point caller rest back fp)
    -- Only a crossing leaves this return address.
    [] -> pure (Right ())
  Lowers -> hostWork run point lowering (\target -> drive run point {pointIp = target})
  Throws -> do
    let tag = instanceTags i V.! b
        slots = slotTotal (funcParams (tagSignature tag))
    paidFor run point (8 * slots) $ do
      values <- forM [0 .. slots - 1] $ \k -> peekByteOff home (8 * k)
      throwing run point Nothing (Thrown tag values)
  ThrowsAgain -> do
    n <- peekByteOff home 0
    thrownBy store n >>= maybe (trap point NullReference) (thrownAgain n)
  Aggregates ->
    work run point (aggregated (collecting run) i (toEnum d) b c home) (const next)
  TestsReference -> do
    yes <- isA
    pokeByteOff home 0 (if yes then 1 else 0 :: Word32)
    next
  CastsReference -> do
    yes <- isA
    if yes then next else trap point CastFailure
  Bulk how -> work run point (bulk (not <$> isLate store) i how d b c home) (const next)
  where
    store = runStore run
    thrownAgain n e@(Thrown _ values) =
      paidFor run point (8 * length values) (throwing run point (Just n) e)
    home = fp `plusPtr` a
    next = after run point {pointIp = ip `plusPtr` unit}
    -- What nobody reaches any more makes room for code.
    lowering =
      lowered i b >>= \case
        Exhausts HeapExhausted -> do
          wanted <- worthwhile (storeHeap store)
          done <- if wanted then collecting run called else pure False
          if done then lowered i b >>= noted else noted (Exhausts HeapExhausted)
        outcome -> pure outcome
    -- After a collection as well: what is garbage next time was none this time.
    noted outcome = case outcome of
      Exhausts HeapExhausted -> refused (storeHeap store) >> Exhausts <$> noRoom store
      _ -> pure outcome
    -- The frame is the called function's, which has its arguments yet and where it returns.
    called = fp `plusPtr` (linkOffset (funcSignature (instanceFuncs i V.! b)) + linkSize)
    isA = do
      bits <- peekByteOff fp b
      let h = case heapOf c of
            Defined x -> Defined (instanceTypes i V.! x)
            other -> other
      referenceIs store (RefType (d /= 0) h) bits
