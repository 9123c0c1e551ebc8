-- | The instruction at which code was left.
--
-- The idea: the driver reads it as the loop does: what it means, and its fields.
module Tern.Wasm.Machine.Instruction
  ( Instruction (..),
    instructionAt,
    trapsAt,
    field,
  )
where

import Data.Int (Int32)
import Data.Word (Word16)
import Tern.Wasm.Byte (opNumbered)
import Tern.Wasm.Code (Op)
import Tern.Wasm.Error (Trap)
import Tern.Wasm.Meaning (Meaning, meaning)
import Tern.Wasm.Prim (Ptr, peekByteOff)
import Tern.Wasm.Traps (traps)

-- | What an instruction means, and its fields d, a, b and c.
data Instruction = Instruction !Meaning !Int !Int !Int !Int

-- | The instruction at an address in bytecode. Its field d has no sign, and the others have one.
instructionAt :: Ptr () -> IO Instruction
instructionAt ip = do
  (op, d) <- headOf ip
  Instruction (meaning op) d
    <$> field ip 4
    <*> field ip 8
    <*> field ip 12

-- | With what it may trap.
trapsAt :: Ptr () -> IO [Trap]
trapsAt ip = uncurry traps <$> headOf ip

-- | The instruction and its field d.
headOf :: Ptr () -> IO (Op, Int)
headOf ip = do
  op <- peekByteOff ip 0 :: IO Word16
  d <- peekByteOff ip 2 :: IO Word16
  pure (opNumbered (fromIntegral op), fromIntegral d)

-- | A field of four bytes, at a distance.
field :: Ptr () -> Int -> IO Int
field p o = fromIntegral <$> (peekByteOff p o :: IO Int32)
