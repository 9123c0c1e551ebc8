-- | Calls from outside: a function is called, and a call that ran out of fuel goes on.
--
-- The idea: arguments and results stand on the store's own stack, where the first frame
-- begins; "Tern.Wasm.Machine.Drive" does the rest.
--
-- Start at 'call'.
module Tern.Wasm.Machine
  ( Stop (..),
    Suspended,
    call,
    resume,
    atOnce,
    isLate,
    within,
    owning,
  )
where

import Control.Concurrent (myThreadId)
import Control.Concurrent.MVar (withMVar)
import Control.Exception (bracket_)
import Data.ByteString.Unsafe qualified as B
import Data.IORef (atomicModifyIORef', modifyIORef', readIORef, writeIORef)
import Data.Text qualified as T
import Tern.Wasm.Code (linkOffset, linkSize)
import Tern.Wasm.Error (Exhaustion (..), Trap (..))
import Tern.Wasm.Held (Asleep (..))
import Tern.Wasm.Lasting (holding)
import Tern.Wasm.Machine.Call (codeOf)
import Tern.Wasm.Machine.Drive (drive)
import Tern.Wasm.Machine.Unwind (Point (..), halt)
import Tern.Wasm.Machine.Work
  ( Run (..),
    Stop (..),
    Suspended (..),
    atOnce,
    hosted,
    isLate,
    stackEnd,
    within,
    working,
  )
import Tern.Wasm.Prim (Ptr, castPtr, copyBytes, plusPtr, pokeByteOff)
import Tern.Wasm.Store (Func (..), FuncBody (..), Store (..))
import Tern.Wasm.Syntax (ValType, funcResults)

-- | Call a function: write the arguments to the slots at an address, run, and
-- read the results from there.
call :: Store -> Func -> (Ptr () -> IO ()) -> (Ptr () -> IO a) -> IO (Either Stop a)
call store f write read_ = owning store $ do
  base <- readIORef (storeTop store)
  let link = linkOffset (funcSignature f)
      above = base `plusPtr` (link + linkSize)
      run = Run store f base [] drive
  if above `plusPtr` guard > stackEnd store
    then pure (Left (Exhausted StackExhausted []))
    else do
      write base
      outcome <- case funcBody f of
        HostFunc code ->
          working
            run
            (\because -> pure (Left (because [])))
            (hosted store above (code base))
            (pure . Right)
        OwnFunc i x -> do
          pokeByteOff base link halt
          pokeByteOff base (link + 8) base
          target <- codeOf i x
          drive run (Point i [] target base)
      mapM (const (read_ base)) outcome

-- | Go on with a call that ran out of fuel; the action is given the store and the
-- results' types. The stack must be as free as it was: while another call of the
-- store is under way, its frames stand there. It goes on once: what it does in
-- memory, and elsewhere, must not be done twice.
resume :: Suspended -> (Store -> [ValType] -> Ptr () -> IO a) -> IO (Either Stop a)
resume (Suspended (Run store f base _ _) asleep owed rest) read_ = owning store $ do
  top <- readIORef (storeTop store)
  if top /= base
    then
      pure
        ( Left
            ( Trapped
                ( HostTrap
                    ( T.pack
                        "a suspended call cannot go on inside of another call"
                    )
                )
                []
            )
        )
    else atomicModifyIORef' asleep (Nothing,) >>= maybe (pure (Left Spent)) goOn
  where
    goOn (Asleep saved _) = do
      B.unsafeUseAsCStringLen saved $ uncurry (copyBytes (castPtr base))
      modifyIORef' (storeFuel store) (\fuel -> if fuel == maxBound then fuel else fuel - owed)
      outcome <- rest
      mapM (const (read_ store (funcResults (funcSignature f)) base)) outcome

-- | One thread at a time runs in a store; it may call into it again from a host
-- function.
owning :: Store -> IO a -> IO a
owning store action = do
  me <- myThreadId
  owner <- readIORef (storeOwner store)
  if owner == Just me
    then kept
    else withMVar (storeLock store) $ \_ ->
      bracket_
        (writeIORef (storeOwner store) (Just me))
        (writeIORef (storeOwner store) Nothing)
        kept
  where
    -- What the loop reads by address lives as long as the store.
    kept = holding (storeKeeper store) action

-- | Bytes that must be free below the stack's end before anything is called.
guard :: Int
guard = 256
