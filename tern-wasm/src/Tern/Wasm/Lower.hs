-- | Lowering: from a validated body to the register bytecode.
--
-- The idea: the operand stack is walked through, not run; what is on it is known
-- by "Tern.Wasm.Lower.State", and "Tern.Wasm.Lower.Instr" has a case for each
-- instruction.
--
-- Start at 'lower'.
module Tern.Wasm.Lower
  ( lower,
    positions,
    Options (..),
  )
where

import Control.Monad (when)
import Data.IORef (modifyIORef', readIORef)
import Data.Vector qualified as V
import Tern.Wasm.Binary.Instr (instrAt)
import Tern.Wasm.Buffer qualified as Buffer
import Tern.Wasm.Code (Lowered (..), Op (..))
import Tern.Wasm.Lasting (Keeper, newKeeper)
import Tern.Wasm.Lower.Block (beginBlock, finish, skip)
import Tern.Wasm.Lower.Instr (step)
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
  pure (if over then Nothing else Just l)

-- | For places in a function's bytecode the byte offsets in the module of the
-- instructions there, the last first. Lowers the function once more.
positions :: Options -> Valid -> Int -> IO [(Int, Int)]
positions how valid x = do
  keeper <- newKeeper
  lowering maxBound keeper how {optionProfile = Nothing, optionMarks = True} valid x
    >>= readIORef . marks . snd

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
  caught <- readIORef (handlers st)
  pure (Lowered bytes size (V.fromList (reverse caught)) Nothing False, st)

-- * Walking

walk :: Env -> IO ()
walk st = go 0
  where
    go p = do
      d <- readIORef (depth st)
      over <- Buffer.full (code st)
      when (d >= 0 && not over) $ case instrAt (body st) p of
        Right (i, next) -> do
          unreachable <- readIORef (dead st)
          if unreachable
            then skip st i
            else breakStraight st >> mark p >> count i >> step st i
          when (begins i) (beginBlock st)
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
    mark p = when (optionMarks (options st)) $ do
      here <- Buffer.position (code st)
      modifyIORef' (marks st) ((here, base + p) :)
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
