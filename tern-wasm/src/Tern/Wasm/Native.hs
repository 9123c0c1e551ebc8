-- | The second tier: native code for x86-64.
--
-- The idea: a function's bytecode is compiled when it is first called, if all of
-- its instructions are covered. Native code has the interpreter's frames and return
-- addresses, takes the same fuel, and leaves at the same instructions for the same
-- reasons, so the driver does not care which of the two ran. The first instruction
-- and the gates of a compiled function become 'Native', where the driver goes on
-- with its code.
--
-- Start at 'emitted'.
module Tern.Wasm.Native
  ( Tier (..),
    available,
    Processor,
    processor,
    oldest,
    emitted,
    emittedPages,
    install,
    steer,
    callStub,
    returnStub,
    run,
  )
where

import Control.Monad (forM_)
import Data.Vector.Unboxed qualified as U
import Data.Word (Word16)
import Tern.Wasm.Byte (opNumber)
import Tern.Wasm.Code (Lowered (..), Op (..), gateAddress)
import Tern.Wasm.Lasting (Keeper, Lasting, address, at)
import Tern.Wasm.Native.Emit (Emitted (..), emit)
import Tern.Wasm.Native.Encoding (position)
import Tern.Wasm.Native.Flow (Body (..), bodyLength, covered, effectAt, instruction)
import Tern.Wasm.Native.Located (Located (..), allSteps, bytecodeAt, steps)
import Tern.Wasm.Native.Processor (Processor, oldest)
import Tern.Wasm.Native.Region (available, callStub, executable, processor, returnStub, run)
import Tern.Wasm.Native.Tier (Tier (..))
import Tern.Wasm.Prim (plusPtr, pokeByteOff)

-- | The native code of a function whose bytecode has gates, unless it is too long or has
-- an instruction without native code; given for which processor, where the instance's block
-- has the table of native functions, and how many bytes its memory has at least. Touches
-- nothing that is there. About linear in the bytecode.
emitted :: Processor -> Int -> Int -> Lowered -> IO (Maybe Emitted)
emitted for table least l
  | loweredSize l > longest = pure Nothing
  | otherwise = do
      whole <- (`Body` catches) <$> steps l
      if all (\k -> covered (instruction whole k) (effectAt whole k)) [0 .. bodyLength whole - 1]
        then emit for table least (bytecodeAt l) whole
        else pure Nothing
  where
    catches = not (null (loweredHandlers l))

-- | The bytes of the pages that it takes.
emittedPages :: Emitted -> IO Int
emittedPages (Emitted a _) = do
  n <- position a
  pure (4096 * ((n + 4095) `div` 4096))

-- | Give it pages of its own, held by the bytecode's keeper, and let the bytecode lead
-- there; 'Nothing' where the system has none, or something in it leads nowhere.
install :: Keeper -> Lowered -> Emitted -> IO (Maybe Lasting)
install keeper l (Emitted a gates) =
  executable keeper a >>= mapM leadThere
  where
    leadThere native = do
      U.forM_ gates $ \(gate, entry) -> at (loweredCode l) $ \p -> do
        let from = fromIntegral gate
        pokeByteOff p (from + gateAddress) (address native `plusPtr` fromIntegral entry)
        pokeByteOff p from (fromIntegral (opNumber Native) :: Word16)
      pure native

-- | Let what returns to a function without native code, from native code, leave it.
-- To be done before the function is run.
steer :: Lowered -> IO ()
steer l = do
  code <- steps l
  forM_ (allSteps code) $ \s -> case stepOp s of
    Gate -> at (loweredCode l) $ \p -> pokeByteOff p (stepAt s + gateAddress) returnStub
    _ -> pure ()

-- | The longest bytecode that is compiled, in bytes.
longest :: Int
longest = 4000000
