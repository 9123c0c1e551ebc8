-- | Exceptions that are thrown, and objects that are collected.
--
-- The idea: an exception goes to the innermost block that catches it, on the store's stack; a
-- reference to it is made only where one is asked for.
--
-- Start at 'throwing'.
module Tern.Wasm.Machine.Throw
  ( throwing,
    collecting,
  )
where

import Control.Monad (zipWithM_)
import Data.Maybe (isJust)
import Data.Word (Word64)
import Foreign.Marshal.Alloc (allocaBytes)
import Tern.Wasm.Code (Handler (..))
import Tern.Wasm.Collect (collect)
import Tern.Wasm.Heap (Heap (heapEager))
import Tern.Wasm.Heap.Place (grown, isDue, refused, worthwhile)
import Tern.Wasm.Machine.Pace (after)
import Tern.Wasm.Machine.Stopping (stop)
import Tern.Wasm.Machine.Unwind (Point (..), unwind)
import Tern.Wasm.Machine.Work (Run (..), Stop (..), isLate, noRoom, working)
import Tern.Wasm.Prim (Ptr, plusPtr, pokeByteOff)
import Tern.Wasm.Store
  ( Store (..),
    Tag (..),
    Thrown (..),
    costOfThrown,
    newThrown,
  )
import Tern.Wasm.Syntax (funcParams)
import Tern.Wasm.Value (readValues)

-- | Collect, given where the operands of the innermost frame end.
collecting :: Run -> Ptr () -> IO Bool
collecting run end = collect store (not <$> isLate store) end (runBeside run)
  where
    store = runStore run

-- | Go on where an exception is caught; with the reference that it has, if it was caught
-- with one before.
throwing :: Run -> Point -> Maybe Word64 -> Thrown -> IO (Either Stop ())
throwing run point known e@(Thrown tag values) =
  working holder (stop point) (unwind tag point) $ \case
    Nothing -> do
      held <- allocaBytes (8 * max 1 (length values)) $ \p -> do
        zipWithM_ (\k v -> pokeByteOff p (8 * k) v) [0 ..] values
        readValues store (funcParams (tagSignature tag)) p
      stop point (Uncaught tag held)
    Just (there, h) -> do
      let home = pointFrame there `plusPtr` handlerSlot h
          given = maybe [] (const values) (handlerTag h)
      zipWithM_ (\k v -> pokeByteOff home (8 * k) v) [0 ..] given
      if handlerRef h
        then
          maybe (throwable holder home e) (pure . Just) known >>= \case
            Just n -> pokeByteOff home (8 * length given) n >> after run there
            Nothing -> noRoom store >>= stop point . Exhausted
        else after run there
  where
    store = runStore run
    -- Until it is caught the frames do not have it.
    holder = run {runBeside = maybe id (:) known values}

-- | A reference to an exception, given where the operands end, unless the store has no
-- room for more. Logarithmic in how many there are.
throwable :: Run -> Ptr () -> Thrown -> IO (Maybe Word64)
throwable run end e = do
  due <- if heapEager heap then pure True else isDue heap
  collected <- if due then collecting run end else pure False
  there <- newThrown store e
  wanted <- if isJust there || collected then pure False else worthwhile heap
  again <- if wanted then collecting run end else pure False
  made <- if again then newThrown store e else pure there
  made <$ if isJust made then grown heap (costOfThrown e) else refused heap
  where
    store = runStore run
    heap = storeHeap store
