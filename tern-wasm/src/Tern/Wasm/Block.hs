-- | Blocks of bytes outside of the collected heap, and what grows in them: tables and
-- memories.
--
-- The idea: each has a record at an address that does not change, which says to code
-- where the block is and how long ('Moving'); growing moves the block. Its capacity
-- doubles, so that growing step by step copies each byte a few times. A block and its
-- size are read as one value, so that another thread never takes the size of a new
-- block for that of the old. Whoever looks at a memory is counted: the old block is freed
-- when it has moved, and not while a host's thread reads there.
--
-- A new block is filled before anything leads to it. Then the block, its size, its capacity
-- and what is paid for it change as one: whoever interrupts finds all of them or none.
--
-- Start at 'Table' and 'Memory'. Stores, which keep them, are in "Tern.Wasm.Store".
module Tern.Wasm.Block
  ( zeroed,
    pagesAt,

    -- * Tables
    Table (..),
    newTable,
    tableSize,
    withTable,
    fillTable,
    growTable,

    -- * Memories
    Memory (..),
    newMemory,
    memoryPages,
    withMemory,
    ownMemory,
    writing,
    growMemory,
    ownPages,
  )
where

import Control.Concurrent.MVar (MVar, newMVar, withMVar)
import Control.Exception (IOException, mask, mask_, onException, try)
import Control.Monad (when)
import Data.IORef (IORef, newIORef, readIORef, writeIORef)
import Data.Maybe (fromMaybe)
import Data.Word (Word32, Word64, Word8)
import Foreign.C.Types (CSize (..))
import Foreign.ForeignPtr
  ( FinalizerEnvPtr,
    ForeignPtr,
    castForeignPtr,
    newForeignPtr,
    newForeignPtrEnv,
    withForeignPtr,
  )
import Foreign.Marshal.Alloc (callocBytes, finalizerFree)
import Foreign.Marshal.Error (throwIfNull)
import Tern.Wasm.Allowance (Allowance, draw, giveBack)
import Tern.Wasm.Lasting (Keeper, Moving, View (..), lookingAt, move, newMoving, view, viewed)
import Tern.Wasm.Metered (pieceBytes)
import Tern.Wasm.Prim (Ptr, copyBytes, nullPtr, plusPtr, pokeElemOff)
import Tern.Wasm.Syntax (AddressType, Limits (..), MemoryType (..), RefType, TableType (..))

-- | A block of zeroes outside of the collected heap. A large one has pages of its own, which the
-- system gives when they are first touched, and takes back when the block ends: what calloc gives
-- for the second time it has to fill.
zeroed :: Int -> IO (ForeignPtr a)
zeroed n
  | n < pieceBytes = callocBytes (max 16 n) >>= newForeignPtr finalizerFree
  | otherwise =
      mask_ (throwIfNull "no memory" (newPages (fromIntegral n)) >>= pagesAt n)

-- | @n@ bytes of pages that the system gave, which it gets back when nobody holds them.
pagesAt :: Int -> Ptr a -> IO (ForeignPtr a)
pagesAt n = newForeignPtrEnv endPages (nullPtr `plusPtr` n)

foreign import ccall unsafe "tern_wasm_pages" newPages :: CSize -> IO (Ptr a)

foreign import ccall unsafe "&tern_wasm_end_pages" endPages :: FinalizerEnvPtr () a

-- | The same, unless the system has no such memory.
zeroedIfAny :: Int -> IO (Maybe (ForeignPtr a))
zeroedIfAny n = either none Just <$> try (zeroed n)
  where
    none :: IOException -> Maybe b
    none = const Nothing

-- | Copy bytes from one block to another in pieces, as long as there is time.
copyTimely :: IO Bool -> ForeignPtr Word8 -> ForeignPtr Word8 -> Int -> IO Bool
copyTimely timely from to n = go 0
  where
    go o
      | o >= n = pure True
      | otherwise = do
          yes <- timely
          if yes
            then do
              withForeignPtr from $ \p ->
                withForeignPtr to $ \q ->
                  copyBytes (q `plusPtr` o) (p `plusPtr` o) (min pieceBytes (n - o))
              go (o + pieceBytes)
            else pure False

-- | Write a value to the elements of a block from one on and before another, in pieces, as
-- long as there is time.
fillTimely :: IO Bool -> ForeignPtr Word64 -> Word64 -> Int -> Int -> IO Bool
fillTimely timely block v from end
  | from >= end = pure True
  | otherwise = do
      let next = min end (from + pieceBytes `div` 8)
          go p i
            | i >= next = pure ()
            | otherwise = pokeElemOff p i v >> go p (i + 1)
      yes <- timely
      if yes
        then withForeignPtr block (`go` from) >> fillTimely timely block v next end
        else pure False

-- | Take an amount from an allowance and use it; where nothing comes of it, it is
-- given back. Exceptions of other threads wait for the end, so that what was done is paid
-- for and what was given back was not done; the action lets them in where it takes long.
drawing :: Allowance -> Int -> ((IO Bool -> IO Bool) -> IO (Maybe a)) -> IO (Maybe a)
drawing allowance n make = mask $ \unmasked -> do
  there <- draw allowance n
  if there
    then do
      made <- make unmasked `onException` giveBack allowance n
      when (null made) (giveBack allowance n)
      pure made
    else pure Nothing

-- * Tables

-- | Invariant: size <= capacity <= ceiling. What is between the first two is no element:
-- null, or what is left of growing that was given up.
data Table = Table
  { tableOwner :: !(IORef Int),
    -- | Sizes are in elements.
    tableBlock :: !(Moving Word64),
    tableCapacity :: !(IORef Int),
    -- | What its elements are taken from.
    tableAllowance :: !Allowance,
    tableAddressing :: !AddressType,
    -- | An index in it is the store's number.
    tableKind :: !RefType,
    -- | As declared.
    tableMax :: !(Maybe Word64),
    tableCeiling :: !Word64
  }

-- | A table of @n@ nulls, of the store that @owner@ is the reference of; 'Nothing' where
-- @n@ is more than @most@, than the allowance has left, or than there is memory for.
newTable :: Keeper -> IORef Int -> Allowance -> Word32 -> TableType -> IO (Maybe Table)
newTable keeper owner allowance most (TableType addressing (Limits n high) kind)
  | n > ceiling_ = pure Nothing
  | otherwise =
      drawing allowance (fromIntegral n) $ \_ ->
        zeroedIfAny (8 * fromIntegral n) >>= mapM make
  where
    ceiling_ = fromIntegral most
    make block = do
      space <- zeroed 16
      moving <- newMoving keeper space (View block (fromIntegral n))
      capacity <- newIORef (fromIntegral n)
      pure
        ( Table
            owner
            moving
            capacity
            allowance
            addressing
            kind
            high
            (min ceiling_ (fromMaybe ceiling_ high))
        )

-- | How many elements a table has now.
tableSize :: Table -> IO Int
tableSize t = viewSize <$> view (tableBlock t)

-- | The first element and how many there are, for the length of an action.
withTable :: Table -> (Ptr Word64 -> Int -> IO a) -> IO a
withTable = viewed . tableBlock

-- | Give all elements a value; whether there was time for it, which the action says.
fillTable :: IO Bool -> Table -> Word64 -> IO Bool
fillTable timely t v = do
  View block size <- view (tableBlock t)
  fillTimely timely block v 0 size

-- | @n@ elements more, each with the value @v@; gives the size before. 'Nothing' where
-- they are not allowed or there is no memory for them, or where @timely@ says meanwhile
-- that no time is left. Capacity doubles, as a memory's does. One thread at a time.
growTable :: IO Bool -> Table -> Word64 -> Word64 -> IO (Maybe Int)
growTable timely t n v = do
  View old size <- view (tableBlock t)
  capacity <- readIORef (tableCapacity t)
  let size' = size + fromIntegral n
      most = fromIntegral (tableCeiling t)
      filled block = fillTimely timely block v size size'
      -- A new block has nulls already.
      copied block = do
        done <- copyTimely timely (castForeignPtr old) (castForeignPtr block) (8 * size)
        if done && v /= 0 then filled block else pure done
      grown block capacity' = do
        move (tableBlock t) (View block size')
        size <$ writeIORef (tableCapacity t) capacity'
  if n > tableCeiling t || size' > most
    then pure Nothing
    else drawing (tableAllowance t) (fromIntegral n) $ \unmasked ->
      if size' <= capacity
        then unmasked (filled old) >>= onlyIf (grown old capacity)
        else do
          let capacity' = min most (max size' (2 * capacity))
          zeroedIfAny (8 * capacity') >>= \case
            Nothing -> pure Nothing
            Just block -> unmasked (copied block) >>= onlyIf (grown block capacity')

-- | Do something if all before it was done.
onlyIf :: IO a -> Bool -> IO (Maybe a)
onlyIf action yes = if yes then Just <$> action else pure Nothing

-- * Memories

-- | Invariant: size <= capacity <= what the maximum allows, and the bytes from
-- the size to the capacity are zero.
data Memory = Memory
  { memoryOwner :: !(IORef Int),
    -- | Sizes are in bytes.
    memoryBlock :: !(Moving Word8),
    memoryCapacity :: !(IORef Int),
    -- | Held while the block is changed, and while the host writes to it.
    memoryLock :: !(MVar ()),
    -- | What its pages are taken from.
    memoryAllowance :: !Allowance,
    memoryAddressing :: !AddressType,
    memoryMax :: !(Maybe Word64),
    -- | In pages.
    memoryCeiling :: !Word64
  }

-- | A memory of @n@ pages of zeroes; 'Nothing' where @n@ is more than @most@, than the
-- allowance has left, or than there is memory for. A large one has room to double: the system
-- gives it no pages before they are touched, and it grows once more without being copied.
newMemory :: Keeper -> IORef Int -> Allowance -> Word32 -> MemoryType -> IO (Maybe Memory)
newMemory keeper owner allowance most (MemoryType addressing (Limits n high))
  | n > ceiling_ = pure Nothing
  | otherwise = drawing allowance (fromIntegral n) (\_ -> roomy size wanted >>= mapM make)
  where
    ceiling_ = min (fromIntegral most) (fromMaybe (fromIntegral most) high)
    size = fromIntegral n * 65536
    -- A smaller block is filled with zeroes when it is made, so that room in it would cost time.
    wanted = if size < pieceBytes then size else min (fromIntegral ceiling_ * 65536) (2 * size)
    make (block, capacity) = do
      space <- zeroed 16
      moving <- newMoving keeper space (View block size)
      Memory owner moving
        <$> newIORef capacity
        <*> newMVar ()
        <*> pure allowance
        <*> pure addressing
        <*> pure high
        <*> pure ceiling_

-- | A block of zeroes with room for a capacity or, where the system has no such memory, for a
-- size alone; and what it has room for.
roomy :: Int -> Int -> IO (Maybe (ForeignPtr Word8, Int))
roomy size capacity =
  zeroedIfAny capacity
    >>= maybe (fmap (,size) <$> zeroedIfAny size) (pure . Just . (,capacity))

-- | How many pages of 64 KiB a memory has now.
memoryPages :: Memory -> IO Int
memoryPages m = (`div` 65536) . viewSize <$> view (memoryBlock m)

-- | The first byte and how many there are, read as one, for the length of an action, which may
-- be another thread's than the guest's. What is there is the memory's until it grows, and
-- nobody's afterwards.
withMemory :: Memory -> (Ptr Word8 -> Int -> IO a) -> IO a
withMemory = lookingAt . memoryBlock

-- | The same for instructions: the guest's own thread, in which nothing grows meanwhile.
ownMemory :: Memory -> (Ptr Word8 -> Int -> IO a) -> IO a
ownMemory = viewed . memoryBlock

-- | The same for a host that writes, perhaps from another thread than the guest's:
-- what it writes is not lost when the memory grows at that moment.
writing :: Memory -> (Ptr Word8 -> Int -> IO a) -> IO a
writing m action = withMVar (memoryLock m) (\_ -> withMemory m action)

-- | @n@ pages more; gives the number of pages before. 'Nothing' where they are not
-- allowed or there is no memory for them, or where @timely@ says meanwhile that no time
-- is left.
-- Capacity doubles, so that growing page by page copies each byte a few times.
growMemory :: IO Bool -> Memory -> Word64 -> IO (Maybe Int)
growMemory timely m n = withMVar (memoryLock m) $ \_ -> do
  View old size <- view (memoryBlock m)
  capacity <- readIORef (memoryCapacity m)
  let size' = size + fromIntegral n * 65536
      most = fromIntegral (memoryCeiling m) * 65536
      grown (block, capacity') = do
        move (memoryBlock m) (View block size')
        (size `div` 65536) <$ writeIORef (memoryCapacity m) capacity'
  if n > memoryCeiling m || size' > most
    then pure Nothing
    else drawing (memoryAllowance m) (fromIntegral n) $ \unmasked ->
      if size' <= capacity
        then Just <$> grown (old, capacity)
        else do
          roomy size' (min most (max size' (2 * capacity))) >>= \case
            Nothing -> pure Nothing
            Just new@(block, _) ->
              unmasked (copyTimely timely old block size) >>= onlyIf (grown new)

-- | The bytes of a memory that has pages of its own, so that others may be put in their place; its
-- size. For who makes it: nobody else knows of it.
ownPages :: Memory -> IO (Maybe (View Word8))
ownPages m = do
  capacity <- readIORef (memoryCapacity m)
  if capacity < pieceBytes then pure Nothing else Just <$> view (memoryBlock m)
