-- | Lowering: from a validated body to the register bytecode.
--
-- The idea: the operand stack is walked through, not run; what is on it is known
-- by "Tern.Wasm.Lower.State", and "Tern.Wasm.Lower.Instr" has a case for each
-- instruction.
--
-- Start at 'lower'.
module Tern.Wasm.Lower
  ( lower,
    position,
    Options (..),
  )
where

import Control.Monad (foldM, forM_, when)
import Data.IORef (readIORef, writeIORef)
import Data.Vector qualified as V
import Tern.Wasm.Binary.Instr (instrAt)
import Tern.Wasm.Buffer qualified as Buffer
import Tern.Wasm.Code (Lowered (..), Op (..))
import Tern.Wasm.Lasting (Keeper, newKeeper)
import Tern.Wasm.Lower.Block (beginBlock, finish, skip)
import Tern.Wasm.Lower.Instr (step)
import Tern.Wasm.Lower.Join (join)
import Tern.Wasm.Lower.State (Env (..), Options (..), breakStraight, emit_, start)
import Tern.Wasm.Profile (noteInstr)
import Tern.Wasm.Syntax (Expr (..), Functions (..), Instr (..), Module (..), Nesting (..), nesting)
import Tern.Wasm.Valid (Spaces (..), Valid (..))

-- | The bytecode of the function with an index among the module's own, which a keeper
-- is given; 'Nothing' where it would have more than a number of bytes, as the code of
-- very many locals or results has. Linear in what is written, up to a logarithm of the
-- nesting.
lower :: Int -> Keeper -> Options -> Valid -> Int -> IO (Maybe Lowered)
lower most keeper how valid x = do
  (l, st) <- lowering most keeper how valid x
  over <- Buffer.full (code st)
  if over then pure Nothing else Just l <$ join (loweredCode l) (loweredSize l)

-- | The byte offset in the module of the instruction that a place in a function's bytecode
-- comes from. Lowers the function once more.
position :: Options -> Valid -> Int -> Int -> IO (Maybe Int)
position how valid x place = do
  keeper <- newKeeper
  lowering maxBound keeper how {optionProfile = Nothing, optionSought = Just place} valid x
    >>= readIORef . origin . snd

lowering :: Int -> Keeper -> Options -> Valid -> Int -> IO (Lowered, Env)
lowering most keeper how valid x = do
  st <-
    start
      most
      how
      valid
      (x + spaceImportedFuncs (validSpaces valid))
      (functionAt (moduleFuncs (validModule valid)) x)
  beginBlock st
  walk st
  (bytes, size) <- Buffer.freeze keeper (code st)
  -- Evaluated: what was put off would hold what it is made of.
  caught <- readIORef (handlers st) >>= foldM (\done h -> h `seq` pure (h : done)) []
  pure (Lowered bytes size (V.fromList caught) Nothing False, st)

-- * Walking

walk :: Env -> IO ()
walk st = go 0
  where
    go p = do
      d <- readIORef (depth st)
      over <- Buffer.full (code st)
      when (d >= 0 && not over) $ case instrAt (body st) p of
        Right (i, next) -> do
          -- Asked first, so that nothing of the instruction is held while it is lowered.
          let !another = begins i
          unreachable <- readIORef (dead st)
          if unreachable
            then skip st i
            else breakStraight st >> mark p >> count i >> step st i
          when another (beginBlock st)
          go next
        -- The decoder has read these bytes.
        Left _ -> emit_ st Stop 0 0 0 >> finish st

    -- What only says where a block is does nothing.
    count i = case nesting i of
      Opens -> pure ()
      Divides -> pure ()
      Closes -> pure ()
      OpensTwo -> counted i
      Within -> counted i
    counted i =
      mapM_ (\p -> readIORef (counting st) >>= \n -> noteInstr p n i) (optionProfile (options st))
    -- The last that begins there or before.
    mark p = forM_ (optionSought (options st)) $ \place -> do
      here <- Buffer.position (code st)
      when (here <= place) (writeIORef (origin st) $! Just $! base + p)
    base = case body st of
      Expr o _ -> o
      ExprFunc _ -> 0
    begins = \case
      Loop _ -> True
      If _ -> True
      Else -> True
      End -> True
      BrIf _ -> True
      BrOnNull _ -> True
      BrOnNonNull _ -> True
      BrOnCast {} -> True
      TryTable _ _ -> True
      _ -> False
