-- | Blocks of bytes outside of the collected heap, and what grows in them: tables and
-- memories.
--
-- The idea: each has a record at an address that does not change, which says to code
-- where the block is and how long ("Tern.Wasm.Layout"); growing moves the block. Its
-- capacity doubles, so that growing step by step copies each byte a few times.
--
-- Start at 'Table' and 'Memory'. Stores, which keep them, are in "Tern.Wasm.Store".
module Tern.Wasm.Block
  ( zeroed,

    -- * Tables
    Table (..),
    newTable,
    tableSize,
    tableElementsAt,
    growTable,

    -- * Memories
    Memory (..),
    newMemory,
    memoryPages,
    memoryView,
    growMemory,
  )
where

import Control.Exception (IOException, try)
import Control.Monad (when)
import Data.IORef
import Data.Maybe (fromMaybe)
import Data.Word (Word32, Word64, Word8)
import Foreign.ForeignPtr
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Marshal.Alloc (callocBytes, finalizerFree)
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr
import Foreign.Storable
import Tern.Wasm.Layout
import Tern.Wasm.Metered (pieceBytes)
import Tern.Wasm.Syntax (AddressType, Limits (..), MemoryType (..), RefType, TableType (..))

-- | A block of zeroes outside of the collected heap; the system gives large ones
-- their pages when they are first touched.
zeroed :: Int -> IO (ForeignPtr a)
zeroed n = callocBytes (max 16 n) >>= newForeignPtr finalizerFree

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
              withForeignPtr from $ \p -> withForeignPtr to $ \q -> copyBytes (q `plusPtr` o) (p `plusPtr` o) (min pieceBytes (n - o))
              go (o + pieceBytes)
            else pure False

-- * Tables

-- | Invariant: size <= capacity <= ceiling, and what is between the two is null.
data Table = Table
  { tableOwner :: !(IORef Int),
    tableRecord :: !(ForeignPtr ()),
    tableBlock :: !(IORef (ForeignPtr Word64)),
    -- | In elements.
    tableCapacity :: !(IORef Int),
    tableAddressing :: !AddressType,
    -- | An index in it is the store's number.
    tableKind :: !RefType,
    -- | As declared.
    tableMax :: !(Maybe Word64),
    tableCeiling :: !Word64
  }

-- | A table of nulls, of the store that is known by a reference; 'Nothing' above a
-- number of elements.
newTable :: IORef Int -> Word32 -> TableType -> IO (Maybe Table)
newTable owner most (TableType address (Limits n high) kind)
  | n > ceiling_ = pure Nothing
  | otherwise = zeroedIfAny (8 * fromIntegral n) >>= mapM make
  where
    ceiling_ = fromIntegral most
    make block = do
      record <- zeroed 16
      withForeignPtr record $ \p -> do
        pokeByteOff p tableElements (unsafeForeignPtrToPtr block)
        pokeByteOff p tableCount (fromIntegral n :: Int)
      ref <- newIORef block
      capacity <- newIORef (fromIntegral n)
      pure (Table owner record ref capacity address kind high (min ceiling_ (fromMaybe ceiling_ high)))

tableSize :: Table -> IO Int
tableSize t = withForeignPtr (tableRecord t) (`peekByteOff` tableCount)

tableElementsAt :: Table -> IO (Ptr Word64)
tableElementsAt t = withForeignPtr (tableRecord t) (`peekByteOff` tableElements)

-- | So many elements more, of one value; the size before, unless it may not be, or an
-- action says meanwhile that there is no more time. Capacity doubles, as a memory's
-- does.
growTable :: IO Bool -> Table -> Word64 -> Word64 -> IO (Maybe Int)
growTable timely t n v = do
  size <- tableSize t
  capacity <- readIORef (tableCapacity t)
  let size' = size + fromIntegral n
      most = fromIntegral (tableCeiling t)
  if n > tableCeiling t || size' > most
    then pure Nothing
    else
      if size' <= capacity
        then Just <$> sized size size'
        else do
          let capacity' = min most (max size' (2 * capacity))
          block <- zeroedIfAny (8 * capacity')
          moved_ <- maybe (pure False) (copied size) block
          if moved_ then mapM (moved size size' capacity') block else pure Nothing
  where
    copied size block = do
      old <- readIORef (tableBlock t)
      copyTimely timely (castForeignPtr old) (castForeignPtr block) (8 * size)
    moved size size' capacity' block = do
      writeIORef (tableBlock t) block
      writeIORef (tableCapacity t) capacity'
      withForeignPtr (tableRecord t) $ \p -> pokeByteOff p tableElements (unsafeForeignPtrToPtr block)
      sized size size'
    sized size size' = do
      to <- tableElementsAt t
      when (v /= 0) $ mapM_ (\i -> pokeElemOff to i v) [size .. size' - 1]
      withForeignPtr (tableRecord t) $ \p -> pokeByteOff p tableCount size'
      pure size

-- * Memories

-- | Invariant: size <= capacity <= what the maximum allows, and the bytes from
-- the size to the capacity are zero.
data Memory = Memory
  { memoryOwner :: !(IORef Int),
    memoryBlock :: !(IORef (ForeignPtr Word8)),
    -- | Where it begins and its size, for code that has no register for them.
    memoryRecord :: !(ForeignPtr ()),
    -- | In bytes.
    memorySize :: !(IORef Int),
    memoryCapacity :: !(IORef Int),
    memoryAddressing :: !AddressType,
    memoryMax :: !(Maybe Word64),
    -- | In pages.
    memoryCeiling :: !Word64
  }

-- | A memory of zeroes; 'Nothing' above a number of pages.
newMemory :: IORef Int -> Word32 -> MemoryType -> IO (Maybe Memory)
newMemory owner most (MemoryType address (Limits n high))
  | n > ceiling_ = pure Nothing
  | otherwise = zeroedIfAny size >>= mapM make
  where
    ceiling_ = fromIntegral most
    size = fromIntegral n * 65536
    make block = do
      record <- zeroed 16
      m <- Memory owner <$> newIORef block <*> pure record <*> newIORef size <*> newIORef size <*> pure address <*> pure high <*> pure (min ceiling_ (fromMaybe ceiling_ high))
      record_ m
      pure m

-- | Write the record again after a change.
record_ :: Memory -> IO ()
record_ m = do
  block <- readIORef (memoryBlock m)
  size <- readIORef (memorySize m)
  withForeignPtr (memoryRecord m) $ \p -> do
    pokeByteOff p memoryBase (unsafeForeignPtrToPtr block)
    pokeByteOff p memoryBytes size

memoryPages :: Memory -> IO Int
memoryPages m = (`div` 65536) <$> readIORef (memorySize m)

-- | The first byte and how many there are, until it grows.
memoryView :: Memory -> IO (ForeignPtr Word8, Int)
memoryView m = (,) <$> readIORef (memoryBlock m) <*> readIORef (memorySize m)

-- | So many pages more; the pages before, unless there may not be so many, or an
-- action says meanwhile that there is no more time.
-- Capacity doubles, so that growing page by page copies each byte a few times.
growMemory :: IO Bool -> Memory -> Word64 -> IO (Maybe Int)
growMemory timely m n = do
  size <- readIORef (memorySize m)
  capacity <- readIORef (memoryCapacity m)
  let size' = size + fromIntegral n * 65536
      most = fromIntegral (memoryCeiling m) * 65536
  if n > memoryCeiling m || size' > most
    then pure Nothing
    else
      if size' <= capacity
        then do
          writeIORef (memorySize m) size'
          record_ m
          pure (Just (size `div` 65536))
        else do
          let capacity' = min most (max size' (2 * capacity))
          -- Where there is no room to double there may be for what is asked.
          block <- zeroedIfAny capacity' >>= maybe (fmap (,size') <$> zeroedIfAny size') (pure . Just . (,capacity'))
          moved_ <- maybe (pure False) (copied size . fst) block
          if moved_ then mapM (moved size size') block else pure Nothing
  where
    copied size block = readIORef (memoryBlock m) >>= \old -> copyTimely timely old block size
    moved size size' (block, capacity') = do
      writeIORef (memoryBlock m) block
      writeIORef (memoryCapacity m) capacity'
      writeIORef (memorySize m) size'
      record_ m
      pure (size `div` 65536)
