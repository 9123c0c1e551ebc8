-- | The ways out of native code: for a trap, or for the driver.
--
-- The idea: they stand out of the way, each with the fuel that was taken ahead given
-- back. An instruction has a way out only for what its row in "Tern.Wasm.Traps" names.
--
-- Start at 'trapping'.
module Tern.Wasm.Native.Leave
  ( trapping,
    departing,
  )
where

import Control.Monad (when)
import Data.IORef (readIORef, writeIORef)
import Tern.Wasm.Native.Assembler
  ( Arithmetic (..),
    Label,
    Operand (..),
    Size (..),
    arithmeticImmediate,
    newLabel,
    place,
  )
import Tern.Wasm.Native.Frame (Env (..), cold, fuel, leaveWith)
import Tern.Wasm.Native.Located (Located (..))
import Tern.Wasm.Trap (Trap)
import Tern.Wasm.Traps (exitOf, traps)

-- | A label out of the way, where a trap is. An instruction whose row does not name the trap
-- has no way out for it, and its function no native code.
trapping :: Env -> Trap -> Located -> IO Label
trapping env trap s = case exitOf trap of
  Just code | trap `elem` traps (stepOp s) (stepD s) -> departing env code s
  _ -> do
    writeIORef (complete env) False
    newLabel (asm env)

-- | A label out of the way, where code is left for a reason.
departing :: Env -> Int -> Located -> IO Label
departing env code s = do
  l <- newLabel (asm env)
  ahead <- readIORef (paid env)
  cold env $ do
    place (asm env) l
    when (ahead > 0) (arithmeticImmediate (asm env) Add Full (Reg fuel) ahead)
    leaveWith env code (stepAt s)
  pure l
