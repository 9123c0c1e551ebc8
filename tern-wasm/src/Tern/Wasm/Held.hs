-- | What Haskell holds of a store's objects: references that the host has, and calls that
-- are suspended.
--
-- The idea: each is a cell that the store knows by a weak pointer. As long as somebody
-- has the cell, what is in it is a root of a collection; when nobody has it any more,
-- Haskell's own collector finds out, and the weak pointer is dropped. Bits of a
-- reference are had only out of its cell, for the length of an action that keeps it.
--
-- An object has one cell at a time, so that references are equal where their cells are.
--
-- Start at 'Reference' and 'Watched'.
module Tern.Wasm.Held
  ( -- * References
    Reference,
    withReference,
    referenceOf,

    -- * Suspended calls
    Asleep (..),

    -- * What is watched
    Watched,
    nothingWatched,
    watching,
    stillWatched,
  )
where

import Data.Bits (testBit)
import Data.ByteString (ByteString)
import Data.IORef (IORef, mkWeakIORef, newIORef, readIORef, writeIORef)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.Maybe (catMaybes)
import Data.Word (Word64)
import System.Mem.Weak (Weak, deRefWeak)
import Tern.Wasm.Lasting (keeping)

-- * References

-- | A reference as the host has it: to an object or an exception, which stays as long as
-- this does, or a small integer or null.
data Reference
  = Cell !(IORef Word64)
  | Immediate !Word64
  deriving stock (Eq)

-- | Use a reference's bits; what it refers to stays meanwhile.
withReference :: Reference -> (Word64 -> IO a) -> IO a
withReference r action = case r of
  Immediate bits -> action bits
  Cell cell -> keeping cell (readIORef cell >>= action)

-- | The reference with these bits: the one that the host has, if it has one. Nobody
-- collects meanwhile, and one thread at a time.
referenceOf :: IORef (Watched Word64) -> Word64 -> IO Reference
referenceOf held bits
  -- Null is nobody's; objects and exceptions are marked 0 and 3.
  | bits == 0 || testBit bits 0 /= testBit bits 1 = pure (Immediate bits)
  | otherwise = do
      known <- readIORef held
      found <- maybe (pure Nothing) deRefWeak (watched (fromIntegral bits) known)
      case found of
        Just cell -> pure (Cell cell)
        Nothing -> do
          cell <- newIORef bits
          watch (fromIntegral bits) cell known >>= (writeIORef held $!)
          pure (Cell cell)

-- * Suspended calls

-- | What stood on a suspended call's stack, and words that it has beside it.
data Asleep = Asleep !ByteString ![Word64]

-- * What is watched

-- | Cells by numbers; how many there may be, and before how many the dropped ones are
-- looked for.
data Watched a = Watched !Int !Int !(IntMap (Weak (IORef a)))

-- | No cell yet. From a thousand on, dropped ones are looked for.
nothingWatched :: Watched a
nothingWatched = Watched 0 1000 IntMap.empty

-- | A cell with a value in it, which is watched.
watching :: IORef (Watched a) -> a -> IO (IORef a)
watching known value = do
  cell <- newIORef value
  cells <- readIORef known
  cell <$ (watch (next cells) cell cells >>= (writeIORef known $!))

-- | Watch one more; for one that was dropped under the same number. Those that were
-- dropped take at most as much room as the others, and time for them in proportion.
watch :: Int -> IORef a -> Watched a -> IO (Watched a)
watch n cell (Watched many most known) = do
  weak <- mkWeakIORef cell (pure ())
  let known' = IntMap.insert n weak known
  if many < most
    then pure (Watched (many + 1) most known')
    else do
      living <- IntMap.traverseMaybeWithKey (\_ w -> (w <$) <$> deRefWeak w) known'
      let left = IntMap.size living
      pure (Watched left (max 1000 (2 * left)) living)

-- | A number that is not used.
next :: Watched a -> Int
next (Watched _ _ known) = maybe 0 ((+ 1) . fst) (IntMap.lookupMax known)

watched :: Int -> Watched a -> Maybe (Weak (IORef a))
watched n (Watched _ _ known) = IntMap.lookup n known

-- | The cells that somebody has.
stillWatched :: Watched a -> IO [IORef a]
stillWatched (Watched _ _ known) = catMaybes <$> mapM deRefWeak (IntMap.elems known)
