-- | Counting what runs: how often each function's basic blocks are entered, and
-- thereby every instruction.
--
-- The idea: lowering for a profile puts a counter at the start of each basic
-- block and remembers what instructions the block has. Counts are exact and the
-- same on every run.
--
-- Start at 'newProfile' and 'totals'.
module Tern.Wasm.Profile
  ( Profile,
    newProfile,
    counters,
    nextBlock,
    noteInstr,
    Entry (..),
    totals,
  )
where

import Data.IORef (IORef, atomicModifyIORef', modifyIORef', newIORef, readIORef)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Word (Word64)
import Foreign.ForeignPtr (ForeignPtr, newForeignPtr, withForeignPtr)
import Foreign.Marshal.Alloc (callocBytes, finalizerFree)
import Tern.Wasm.Prim (peekElemOff)
import Tern.Wasm.Syntax (Index, Instr)
import Tern.Wasm.Text.Name (instrName)

-- | How often each basic block of a module ran, and what instructions it has.
data Profile = Profile
  { -- | One for each basic block that has been lowered.
    counters :: !(ForeignPtr Word64),
    room :: !Int,
    blocks :: !(IORef (IntMap Block))
  }

-- | The function that a block is in, and its instructions.
data Block = Block !Index !(Map String Int)

-- | A profile with room for @n@ basic blocks; a module has no more of them than bytes.
newProfile :: Int -> IO Profile
newProfile n = do
  p <- callocBytes (8 * max 1 n)
  Profile <$> newForeignPtr finalizerFree p <*> pure (max 1 n) <*> newIORef IntMap.empty

-- | A new block of a function: the number of its counter. Should there be no
-- room, the last counter stands for all others.
nextBlock :: Profile -> Index -> IO Int
nextBlock p x = atomicModifyIORef' (blocks p) $ \m ->
  let n =
        min (room p - 1) (maybe 0 ((+ 1) . fst) (IntMap.lookupMax m))
   in (IntMap.insertWith (\_ old -> old) n (Block x Map.empty) m, n)

-- | An instruction of a block.
noteInstr :: Profile -> Int -> Instr -> IO ()
noteInstr p n i =
  modifyIORef'
    (blocks p)
    ( IntMap.adjust
        ( \(Block x m) ->
            Block x (Map.insertWith (+) (instrName i) 1 m)
        )
        n
    )

-- | A function's index, how many instructions of each name it has run, and how
-- many in all.
data Entry = Entry
  { entryFunc :: !Index,
    entryMix :: !(Map String Integer),
    entryTotal :: !Integer
  }

-- | What has run so far, by function.
totals :: Profile -> IO [Entry]
totals p = do
  m <- readIORef (blocks p)
  rows <- withForeignPtr (counters p) $ \q -> mapM (row q) (IntMap.toList m)
  pure [Entry x mix (sum mix) | (x, mix) <- Map.toList (Map.fromListWith (Map.unionWith (+)) rows)]
  where
    row q (n, Block x mix) = do
      times <- toInteger <$> peekElemOff q n
      pure (x, fmap ((* times) . toInteger) mix)
