-- | The second tier: native code for x86-64.
--
-- The idea: a function's bytecode is compiled when it is first called, if all of
-- its instructions are covered. Native code has the interpreter's frames and return
-- addresses, takes the same fuel, and leaves at the same instructions for the same
-- reasons, so the driver does not care which of the two ran. The first instruction
-- and the gates of a compiled function become 'Native', where the driver goes on
-- with its code.
--
-- Start at 'compile'.
module Tern.Wasm.Native
  ( Tier (..),
    available,
    compile,
    steer,
    callStub,
    returnStub,
    run,
  )
where

import Control.Monad (forM, forM_, join)
import Data.Vector qualified as V
import Data.Vector.Unboxed qualified as U
import Data.Word (Word16)
import Tern.Wasm.Code (Lowered (..), Op (..), gateAddress, unit)
import Tern.Wasm.Lasting (Keeper, Lasting, address, at)
import Tern.Wasm.Native.Emit (Emitted (..), emit)
import Tern.Wasm.Native.Flow (Located (..), bytecodeAt, covered, effect, steps)
import Tern.Wasm.Native.Region (available, callStub, executable, returnStub, run)
import Tern.Wasm.Native.Tier (Tier (..))
import Tern.Wasm.Prim (plusPtr, pokeByteOff)

-- | Compile a function whose bytecode has gates, unless it is too long or has an
-- instruction without native code; given where the instance's block has the table
-- of native functions, and the bytecode's keeper. Afterwards the bytecode leads there.
-- About linear in the bytecode.
compile :: Keeper -> Int -> Int -> Lowered -> IO (Maybe Lasting)
compile keeper table least l
  | loweredSize l > longest = pure Nothing
  | otherwise = do
      code <- steps l
      let effects = V.map (effect (not (null (loweredHandlers l)))) code
      if not (V.and (V.zipWith covered code effects))
        then pure Nothing
        else do
          let places =
                U.replicate (loweredSize l `div` unit + 1) 0
                  U.// [ (stepAt s `div` unit, k)
                         | (k, s) <-
                             V.toList (V.indexed code)
                       ]
              indexAt from = places U.! (from `div` unit)
          emitted <- emit table least (bytecodeAt l) code effects indexAt
          forM emitted (\(Emitted a gates) -> fmap (,gates) <$> executable keeper a)
            >>= \made -> case join made of
              Nothing -> pure Nothing
              Just (native, gates) -> do
                forM_ gates $ \(gate, entry) -> at (loweredCode l) $ \p -> do
                  pokeByteOff p (gate + gateAddress) (address native `plusPtr` entry)
                  pokeByteOff p gate (fromIntegral (fromEnum Native) :: Word16)
                pure (Just native)

-- | Let what returns to a function without native code, from native code, leave it.
-- To be done before the function is run.
steer :: Lowered -> IO ()
steer l = do
  code <- steps l
  forM_ code $ \s -> case stepOp s of
    Gate -> at (loweredCode l) $ \p -> pokeByteOff p (stepAt s + gateAddress) returnStub
    _ -> pure ()

-- | The longest bytecode that is compiled, in bytes.
longest :: Int
longest = 4000000
