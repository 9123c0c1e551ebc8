-- | Code that is written out of the way of what is usual: polls, traps, the rare half of an
-- operator.
--
-- The idea: it is put off, and written in islands, which the usual way does not come through.
-- What is put off is held until it is written, so an island comes as soon as some has
-- gathered where nothing comes from before, and is jumped over where much has.
--
-- Start at 'island'.
module Tern.Wasm.Native.Cold
  ( island,
    coldCode,
  )
where

import Control.Monad (unless, when)
import Data.IORef (readIORef, writeIORef)
import Tern.Wasm.Native.Assembler (jump, newLabel, place)
import Tern.Wasm.Native.Flow (effectAt, fallsThrough, leadsOn)
import Tern.Wasm.Native.Frame (Env (..))

-- | Before the code of an instruction, by its number: write what was put off, if it is time.
-- What is known of slots on the usual way is known after it.
island :: Env -> Int -> IO ()
island env k = do
  n <- readIORef (waiting env)
  when (n >= some && k > 0) $
    if passed
      then when (n >= much) $ do
        over <- newLabel (asm env)
        jump (asm env) over
        written
        place (asm env) over
      else written
  where
    passed = fallsThrough (effectAt (body env) (k - 1)) || leadsOn (body env) (k - 1)
    written = do
      kept <- readIORef (clean env)
      compared <- readIORef (reach env)
      coldCode env
      writeIORef (clean env) kept
      writeIORef (reach env) compared

-- | What was put off, and what that puts off.
coldCode :: Env -> IO ()
coldCode env = do
  actions <- readIORef (later env)
  unless (null actions) $ do
    writeIORef (later env) []
    writeIORef (waiting env) 0
    sequence_ (reverse actions)
    coldCode env

-- | How much is put off before an island is made where nothing comes from before, and where
-- it must be jumped over.
some, much :: Int
some = 128
much = 512
