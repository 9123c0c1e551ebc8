-- | What the processor's flags say of a slot.
--
-- The idea: most operators leave the flags as a comparison of their result with zero would, so
-- that a jump right after one need not compare. That holds as long as no code is written after
-- it, no label stands there, and the slot gets no other value, for which there need not be code
-- ('Tern.Wasm.Native.Frame.written').
--
-- Start at 'flagging'.
module Tern.Wasm.Native.Flag
  ( flagging,
    flagged,
    unflagged,
  )
where

import Data.IORef (readIORef, writeIORef)
import Tern.Wasm.Native.Assembler (Size (..), position)
import Tern.Wasm.Native.Frame (Env (..))

-- | The flags are now as if a slot were compared with zero, as far as they say whether it is.
flagging :: Env -> Size -> Int -> IO ()
flagging env size_ slot = do
  at <- position (asm env)
  writeIORef (flags env) (at, slot, size_)

-- | Whether they are.
flagged :: Env -> Size -> Int -> IO Bool
flagged env size_ slot = do
  at <- position (asm env)
  (== (at, slot, size_)) <$> readIORef (flags env)

-- | They are not known any more.
unflagged :: Env -> IO ()
unflagged env = writeIORef (flags env) (-1, 0, Half)
