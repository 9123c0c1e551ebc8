-- | The code of functions when it is wanted: bytecode at the first call, native code
-- from when a function runs long.
--
-- The idea: a function without code has an instruction that asks for it, in the
-- instance's table; what is made is shared by all instances of the module, and each
-- learns of it where it calls. Start at 'lowered' and 'warm'.
module Tern.Wasm.Machine.Tiers
  ( -- * Bytecode
    lowered,
    codeAddress,

    -- * Native code
    tierOf,
    seen,
  )
where

import Control.Concurrent.MVar (withMVar)
import Control.Monad (unless, when)
import Data.Bifunctor (first)
import Data.IORef (readIORef, writeIORef)
import Data.Maybe (isJust)
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as MV
import Data.Word (Word16)
import Tern.Wasm.Allowance (draw, left)
import Tern.Wasm.Binary (checkBody)
import Tern.Wasm.Code (Lowered (..), gateAddress, unit)
import Tern.Wasm.Error (Exhaustion (..), Trap (..), renderInvalid, renderMalformed)
import Tern.Wasm.Lasting (address, at, keep, newKeeper)
import Tern.Wasm.Layout (Layout (..))
import Tern.Wasm.Lower (Options (..), lower)
import Tern.Wasm.Metered (Outcome (..))
import Tern.Wasm.Native (Tier (..))
import Tern.Wasm.Native qualified as Native
import Tern.Wasm.Prim (Ptr, peekByteOff, pokeByteOff)
import Tern.Wasm.Store
  ( Account (..),
    Compiled (..),
    Instance (..),
    Store (..),
    chargeHeap,
    codeAt,
    instanceAddress,
    remember,
  )
import Tern.Wasm.Syntax (Functions (..), Index, Limits (..), MemoryType (..), Module (..))
import Tern.Wasm.Valid (Spaces (..), validLazily, validModule, validSpaces, validateBody)

-- * Bytecode

-- | The code of an instance's own function, lowered now if nobody has yet; the
-- instance's table leads to it from now on. What it takes is charged to the store for
-- which it is made.
lowered :: Instance -> Index -> IO (Outcome (Ptr ()))
lowered i x = case checked of
  Left broken -> pure (Refused (BrokenFunction broken))
  Right () -> maybe (Exhausts HeapExhausted) Done <$> make
  where
    valid = compiledValid (instanceCompiled i)
    own = x - spaceImportedFuncs (validSpaces valid)
    -- Where the module was loaded without a look at its functions, this is it.
    checked
      | validLazily valid = do
          first
            renderMalformed
            ( checkBody
                (spaceRules (validSpaces valid))
                (validModule valid)
                (functionAt (moduleFuncs (validModule valid)) own)
            )
          first renderInvalid (validateBody valid own)
      | otherwise = Right ()
    make = lowering i x own

lowering :: Instance -> Index -> Index -> IO (Maybe (Ptr ()))
lowering i x own = MV.read (compiledCode compiled) own >>= maybe new (pure . Just) >>= mapM placed
  where
    compiled = instanceCompiled i
    new = do
      most <- left (accountHeap (storeAccount (instanceStore i)))
      -- It is given to the module when it is paid for.
      keeper <- newKeeper
      made <- lower (most - overhead) keeper (compiledOptions compiled) (compiledValid compiled) own
      paid <-
        maybe (pure False) (\l -> chargeHeap (instanceStore i) (loweredSize l + overhead)) made
      if paid then mapM (known keeper) made else pure Nothing
    known keeper l = do
      keep (compiledKeeper compiled) keeper
      when (tierOf i /= Interpreter) (Native.steer l)
      MV.write (compiledCode compiled) own (Just l)
      -- Another instance may have lowered it twice at once; each lasts.
      remember compiled own l
      pure l
    placed l = do
      let place = codeAddress l
      at (instanceCode i) $ \p -> pokeByteOff p (8 * x) place
      when (tierOf i == NativeCode) (warm i own l)
      pure place
    -- What is kept of a function beside its code.
    overhead = 256

codeAddress :: Lowered -> Ptr ()
codeAddress = address . loweredCode

-- * Native code

tierOf :: Instance -> Tier
tierOf = optionTier . compiledOptions . instanceCompiled

-- | A function was seen to run, for about as long as it takes to leave native code a
-- number of times. It gets native code when that is about as long, all told, as making
-- the code takes: so what is done in vain is never more than what is done. The count
-- stands in the first instruction, which has a field to spare.
seen :: Int -> Instance -> Index -> Lowered -> IO ()
seen weight i own l
  | loweredTried l || tierOf i /= Auto = warm i own l
  | otherwise = do
      before <- at (loweredCode l) (`peekByteOff` countOffset) :: IO Word16
      let now = fromIntegral before + weight
      if now >= min mostCounted (loweredSize l `div` unit)
        then warm i own l
        else at (loweredCode l) $ \p -> pokeByteOff p countOffset (fromIntegral now :: Word16)
  where
    countOffset = 2
    mostCounted = 60000

-- | Make native code for a function, by its index among the module's own, unless that
-- was tried before; then let the instance's native code call it directly. One thread
-- at a time, and what was made is kept as long as the module.
warm :: Instance -> Index -> Lowered -> IO ()
warm i own known = unless (tierOf i == Interpreter) $ do
  tried <- if loweredTried known then pure known else withMVar (compiledLock compiled) (const make)
  when (isJust (loweredNative tried)) $ do
    entry <- peekByteOff (codeAddress tried) gateAddress :: IO (Ptr ())
    pokeByteOff
      (instanceAddress i)
      ( table
          + 8 * (own + spaceImportedFuncs (validSpaces (compiledValid compiled)))
      )
      entry
  where
    compiled = instanceCompiled i
    table = layoutNative (compiledLayout compiled)
    -- A memory never gets smaller than it is declared.
    least = case spaceMems (validSpaces (compiledValid compiled)) V.!? 0 of
      Just m -> 65536 * fromIntegral (min 65536 (limitMin (memoryLimits m)))
      Nothing -> 0
    make =
      codeAt compiled (codeAddress known) >>= \case
        -- Meanwhile another thread has done it.
        Just (_, l, _) | loweredTried l -> pure l
        _ -> do
          -- Each takes a page at least: code with very many functions must not take
          -- much more memory than it has bytes.
          many <- readIORef (compiledNatives compiled)
          -- Native code is some four times as long as the bytecode, and has pages of its
          -- own.
          paid <-
            if many >= mostNatives
              then pure False
              else
                draw
                  (accountNative (storeAccount (instanceStore i)))
                  (4096 + 4 * loweredSize known)
          native <-
            if paid
              then Native.compile (compiledKeeper compiled) table least known
              else pure Nothing
          when (isJust native) (writeIORef (compiledNatives compiled) (many + 1))
          let l = known {loweredNative = native, loweredTried = True}
          remember compiled own l
          current <- MV.read (compiledCode compiled) own
          when
            (fmap codeAddress current == Just (codeAddress known))
            (MV.write (compiledCode compiled) own (Just l))
          pure l

-- | The most functions of a module that have native code, the first that run long; the
-- others are interpreted.
mostNatives :: Int
mostNatives = 16384
