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

import Control.Concurrent.MVar (putMVar, tryTakeMVar)
import Control.Exception (evaluate, finally, mask, mask_, onException)
import Control.Monad (join, unless, when)
import Data.Bifunctor (first)
import Data.IORef (readIORef, writeIORef)
import Data.Maybe (isJust, isNothing)
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as MV
import Data.Word (Word16)
import Tern.Wasm.Allowance (draw, giveBack, left)
import Tern.Wasm.Binary (checkBody)
import Tern.Wasm.Code (Lowered (..), gateAddress, unit)
import Tern.Wasm.Compiled (Compiled (..), codeAt, remember)
import Tern.Wasm.Error (Exhaustion (..), Trap (..), renderInvalid, renderMalformed)
import Tern.Wasm.Lasting (address, at, keep, newKeeper)
import Tern.Wasm.Layout (Layout (..))
import Tern.Wasm.Lower (Options (..), lower)
import Tern.Wasm.Machine.Work (within)
import Tern.Wasm.Metered (Outcome (..))
import Tern.Wasm.Native (Tier (..))
import Tern.Wasm.Native qualified as Native
import Tern.Wasm.Prim (Ptr, peekByteOff, pokeByteOff)
import Tern.Wasm.Settings (Account (..))
import Tern.Wasm.Store (Instance (..), Store (..), chargeHeap, instanceAddress)
import Tern.Wasm.Syntax (Functions (..), Index, Limits (..), MemoryType (..), Module (..))
import Tern.Wasm.Valid (Spaces (..), validLazily, validModule, validSpaces, validateBody)

-- * Bytecode

-- | The code of an instance's own function, lowered now if nobody has yet; the
-- instance's table leads to it from now on. What it takes is charged to the store for
-- which it is made.
lowered :: Instance -> Index -> IO (Outcome (Ptr ()))
lowered i x
  | validLazily valid =
      within (instanceStore i) (evaluate checked) >>= \case
        Nothing -> pure (Exhausts TimeExhausted)
        Just (Left broken) -> pure (Refused (BrokenFunction broken))
        Just (Right ()) -> made
  | otherwise = made
  where
    valid = compiledValid (instanceCompiled i)
    own = x - spaceImportedFuncs (validSpaces valid)
    made = either Exhausts Done <$> lowering i x own
    -- Where the module was loaded without a look at its functions, this is it.
    checked = do
      first
        renderMalformed
        ( checkBody
            (spaceRules (validSpaces valid))
            (validModule valid)
            (functionAt (moduleFuncs (validModule valid)) own)
        )
      first renderInvalid (validateBody valid own)

lowering :: Instance -> Index -> Index -> IO (Either Exhaustion (Ptr ()))
lowering i x own =
  MV.read (compiledCode compiled) own >>= maybe new (pure . Right) >>= mapM placed
  where
    compiled = instanceCompiled i
    store = instanceStore i
    new = do
      most <- left (accountHeap (storeAccount store))
      -- It is given to the module when it is paid for.
      keeper <- newKeeper
      within store (written most keeper) >>= \case
        Nothing -> pure (Left TimeExhausted)
        Just Nothing -> pure (Left HeapExhausted)
        Just (Just l) -> mask_ $ do
          paid <- chargeHeap store (loweredSize l + overhead + handlers l)
          if paid then Right <$> known keeper l else pure (Left HeapExhausted)
    written most keeper = do
      l <- lower (most - overhead) keeper (compiledOptions compiled) (compiledValid compiled) own
      l <$ when (tierOf i /= Interpreter) (mapM_ Native.steer l)
    known keeper l = do
      keep (compiledKeeper compiled) keeper
      -- Another instance may have lowered it twice at once; each lasts.
      remember compiled own l
      MV.write (compiledCode compiled) own (Just l)
      pure l
    placed l = do
      let place = codeAddress l
      -- Once the table leads there nobody asks again.
      when (tierOf i == NativeCode) (warm i own l)
      at (instanceCode i) $ \p -> pokeByteOff p (8 * x) place
      pure place
    -- What is kept of a function beside its code, and of what it catches.
    overhead = 256
    handlers l = 104 * V.length (loweredHandlers l)

-- | Where a function's bytecode begins: good while the keeper of its module is held.
codeAddress :: Lowered -> Ptr ()
codeAddress = address . loweredCode

-- * Native code

-- | How the functions of an instance are run, as its module was compiled for.
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
  tried <- if loweredTried known then pure known else alone make
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
    -- Another store may be making code of the module for long; nobody waits for it.
    alone action =
      mask $ \restore ->
        tryTakeMVar (compiledLock compiled) >>= \case
          Nothing -> pure known
          Just () -> restore action `finally` putMVar (compiledLock compiled) ()
    make =
      codeAt compiled (codeAddress known) >>= \case
        -- Meanwhile another thread has done it.
        Just (_, l, _) | loweredTried l -> pure l
        _ -> do
          -- Each takes a page at least: code with very many functions must not take
          -- much more memory than it has bytes.
          many <- readIORef (compiledNatives compiled)
          -- What native code takes is known when it is made; before, some four times what
          -- the bytecode takes, and a page, are drawn for it.
          let guess = 4096 + 4 * loweredSize known
          -- Whoever interrupts finds what was drawn given back, or code that it was drawn for.
          mask $ \unmasked -> do
            paid <- if many >= mostNatives then pure False else draw allowance guess
            (emitted, size) <-
              if paid
                then unmasked sized `onException` giveBack allowance guess
                else pure (Just Nothing, 0)
            fits <- if paid then exchange guess size else pure False
            native <- case join emitted of
              Just code
                | fits -> Native.install (compiledKeeper compiled) known code
                | otherwise -> pure Nothing
              Nothing -> pure Nothing
            when (isJust native) (writeIORef (compiledNatives compiled) (many + 1))
            when (paid && isNothing native) (giveBack allowance (if fits then size else guess))
            -- Where the time is over the function is as it was.
            if isNothing emitted then pure known else tried_ native
    sized = do
      emitted <- within (instanceStore i) (Native.emitted for table least known)
      (emitted,) <$> maybe (pure 0) Native.emittedPages (join emitted)
    for = optionProcessor (compiledOptions compiled)
    allowance = accountNative (storeAccount (instanceStore i))
    -- One size for another that was drawn, if there is as much.
    exchange drawn size
      | size > drawn = draw allowance (size - drawn)
      | otherwise = True <$ giveBack allowance (drawn - size)
    tried_ native = do
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
