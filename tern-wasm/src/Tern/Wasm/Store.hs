-- | What exists at run time: functions, tables, memories, globals and instances,
-- in a store.
--
-- The idea: what the loop reads lies in raw blocks, laid out by
-- "Tern.Wasm.Code"; beside each block a Haskell value knows its type and keeps
-- it alive. A store keeps all that was made in it, so that references between
-- its blocks may be plain addresses; the collector frees a store as a whole.
--
-- Start at 'Store' and 'Instance'.
module Tern.Wasm.Store
  ( -- * Stores
    Store (..),
    Settings (..),
    defaultSettings,
    newStore,
    keep,
    typeNumber,
    funcByAddress,
    zeroed,

    -- * Compiled modules
    Compiled (..),
    compile,
    stubOf,

    -- * Functions
    Func (..),
    FuncBody (..),
    HostCode,
    funcAddress,
    newFunc,

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

    -- * Globals
    Global (..),
    newGlobal,

    -- * Instances
    Instance (..),
    instanceAddress,
    Extern (..),
  )
where

import Control.Concurrent (ThreadId)
import Control.Concurrent.MVar
import Control.Exception (IOException, try)
import Control.Monad (when)
import Data.ByteString (ByteString)
import Data.IORef
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as MV
import Data.Word (Word32, Word64, Word8)
import Foreign.ForeignPtr
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Marshal.Alloc (callocBytes, finalizerFree)
import Foreign.Marshal.Utils (copyBytes, fillBytes)
import Foreign.Ptr
import Foreign.Storable
import Tern.Wasm.Code
import Tern.Wasm.Error (Trap)
import Tern.Wasm.Profile (Profile)
import Tern.Wasm.Syntax (FuncType, GlobalType, Index, Limits (..), Module (..), RefType, TableType (..))
import Tern.Wasm.Valid

-- * Stores

data Settings = Settings
  { -- | Bytes of the stack for the frames of WebAssembly functions.
    settingStack :: !Int,
    -- | Pages of 64 KiB that one memory may have.
    settingPages :: !Word32,
    -- | Elements that one table may have.
    settingElements :: !Word32
  }
  deriving stock (Eq, Show)

-- | 1 MiB of stack, memories up to 4 GiB, tables up to ten million elements.
defaultSettings :: Settings
defaultSettings = Settings 1048576 65536 10000000

data Store = Store
  { storeSettings :: !Settings,
    -- | Held by the thread that runs code of the store.
    storeLock :: !(MVar ()),
    storeOwner :: !(IORef (Maybe ThreadId)),
    storeTypes :: !(IORef (Map FuncType Int)),
    storeFuncs :: !(IORef (IntMap Func)),
    -- | How many functions there are. The reference also tells stores apart: what
    -- was made in one can be used in no other.
    storeCount :: !(IORef Int),
    storeKept :: !(IORef [Kept]),
    storeStack :: !(ForeignPtr ()),
    -- | Where the next invocation's first frame goes.
    storeTop :: !(IORef (Ptr ())),
    -- | Jumps and calls that may still be made.
    storeFuel :: !(IORef Int),
    -- | When to stop, in seconds of the monotonic clock.
    storeDeadline :: !(IORef (Maybe Double))
  }

-- | Something that must live as long as the store.
data Kept = forall a. Kept a

newStore :: Settings -> IO Store
newStore settings = do
  block <- zeroed (settingStack settings)
  Store settings
    <$> newMVar ()
    <*> newIORef Nothing
    <*> newIORef Map.empty
    <*> newIORef IntMap.empty
    <*> newIORef 0
    <*> newIORef []
    <*> pure block
    <*> newIORef (unsafeForeignPtrToPtr block)
    <*> newIORef maxBound
    <*> newIORef Nothing

keep :: Store -> a -> IO ()
keep store a = atomicModifyIORef' (storeKept store) (\ks -> (Kept a : ks, ()))

-- | The same, unless the system has no such memory.
zeroedIfAny :: Int -> IO (Maybe (ForeignPtr a))
zeroedIfAny n = either none Just <$> try (zeroed n)
  where
    none :: IOException -> Maybe b
    none = const Nothing

-- | A block of zeroes outside of the collected heap; the system gives large ones
-- their pages when they are first touched.
zeroed :: Int -> IO (ForeignPtr a)
zeroed n = callocBytes (max 16 n) >>= newForeignPtr finalizerFree

-- | Equal types of functions have equal numbers in a store.
typeNumber :: Store -> FuncType -> IO Int
typeNumber store ft = atomicModifyIORef' (storeTypes store) $ \m -> case Map.lookup ft m of
  Just n -> (m, n)
  Nothing -> let n = Map.size m in (Map.insert ft n m, n)

-- | The function whose record is at an address that came from this store.
funcByAddress :: Store -> Ptr () -> IO (Maybe Func)
funcByAddress store p
  | p == nullPtr = pure Nothing
  | otherwise = do
      n <- peekByteOff p funcNumber :: IO Int
      IntMap.lookup n <$> readIORef (storeFuncs store)

-- * Compiled modules

-- | A validated module with the code of its functions, lowered when each is
-- first called and shared by all instances.
data Compiled = Compiled
  { compiledValid :: !Valid,
    compiledLayout :: !Layout,
    compiledCode :: !(MV.IOVector (Maybe (ForeignPtr Word8, Int))),
    -- | For each function an instruction that asks for it to be lowered.
    compiledStubs :: !(ForeignPtr ()),
    compiledProfile :: !(Maybe Profile)
  }

compile :: Maybe Profile -> Valid -> IO Compiled
compile counted valid = do
  let sp = validSpaces valid
      n = V.length (spaceFuncs sp)
  code <- MV.replicate (V.length (moduleFuncs (validModule valid))) Nothing
  stubs <- mallocForeignPtrBytes (max unit (n * unit))
  withForeignPtr stubs $ \p -> mapM_ (stub p) [0 .. n - 1]
  pure (Compiled valid (layout sp) code stubs counted)
  where
    stub p x = do
      pokeByteOff p (x * unit) (fromIntegral (fromEnum Lower) :: Word64)
      pokeByteOff p (x * unit + 8) (fromIntegral x :: Word32)
      pokeByteOff p (x * unit + 12) (0 :: Word32)

stubOf :: Compiled -> Index -> Ptr ()
stubOf c x = unsafeForeignPtrToPtr (compiledStubs c) `plusPtr` (x * unit)

-- * Functions

data Func = Func
  { funcSignature :: !FuncType,
    funcBody :: !FuncBody,
    funcRecord :: !(ForeignPtr ()),
    funcStore :: !Store
  }

data FuncBody
  = -- | A function of an instance, by its index there.
    OwnFunc Instance !Index
  | HostFunc !HostCode

-- | Reads its arguments from the slots at an address and writes its results
-- there.
type HostCode = Ptr () -> IO (Maybe Trap)

funcAddress :: Func -> Ptr ()
funcAddress = unsafeForeignPtrToPtr . funcRecord

-- | Register a function, given the address of its instance's block (null for a
-- host function) and a block of 'funcSize' bytes for its record. The instance
-- itself is not looked at: it may be in the making.
newFunc :: Store -> FuncType -> FuncBody -> Ptr () -> ForeignPtr () -> IO Func
newFunc store ft body inst record = do
  t <- typeNumber store ft
  n <- atomicModifyIORef' (storeCount store) (\n -> (n + 1, n))
  let f = Func ft body record store
  withForeignPtr record $ \p -> do
    pokeByteOff p funcInst inst
    pokeByteOff p funcCode $ case body of
      OwnFunc _ x -> 8 * x
      HostFunc _ -> 0 :: Int
    pokeByteOff p funcTypeId t
    pokeByteOff p funcNumber n
  atomicModifyIORef' (storeFuncs store) (\m -> (IntMap.insert n f m, ()))
  pure f

-- * Tables

data Table = Table
  { tableOwner :: !(IORef Int),
    tableRecord :: !(ForeignPtr ()),
    tableBlock :: !(IORef (ForeignPtr Word64)),
    tableKind :: !RefType,
    -- | As declared.
    tableMax :: !(Maybe Word32),
    tableCeiling :: !Word32
  }

-- | A table of nulls; 'Nothing' above the store's limit.
newTable :: Store -> TableType -> IO (Maybe Table)
newTable store (TableType (Limits n high) kind)
  | n > ceiling_ = pure Nothing
  | otherwise = zeroedIfAny (8 * fromIntegral n) >>= mapM make
  where
    ceiling_ = settingElements (storeSettings store)
    make block = do
      record <- zeroed 16
      withForeignPtr record $ \p -> do
        pokeByteOff p tableElements (unsafeForeignPtrToPtr block)
        pokeByteOff p tableCount (fromIntegral n :: Int)
      ref <- newIORef block
      let t = Table (storeCount store) record ref kind high (min ceiling_ (fromMaybe ceiling_ high))
      keep store t
      pure t

tableSize :: Table -> IO Int
tableSize t = withForeignPtr (tableRecord t) (`peekByteOff` tableCount)

tableElementsAt :: Table -> IO (Ptr Word64)
tableElementsAt t = withForeignPtr (tableRecord t) (`peekByteOff` tableElements)

-- | So many elements more, of one value; the size before, unless it may not be.
growTable :: Table -> Word32 -> Word64 -> IO (Maybe Int)
growTable t n v = do
  size <- tableSize t
  let size' = size + fromIntegral n
  if size' > fromIntegral (tableCeiling t)
    then pure Nothing
    else do
      old <- readIORef (tableBlock t)
      zeroedIfAny (8 * size') >>= mapM (moved size size' old)
  where
    moved size size' old block = do
      withForeignPtr old $ \from -> withForeignPtr block $ \to -> do
        copyBytes to from (8 * size)
        when (v /= 0) $ mapM_ (\i -> pokeElemOff to i v) [size .. size' - 1]
      writeIORef (tableBlock t) block
      withForeignPtr (tableRecord t) $ \p -> do
        pokeByteOff p tableElements (unsafeForeignPtrToPtr block)
        pokeByteOff p tableCount size'
      pure size

-- * Memories

-- | Invariant: size <= capacity <= what the maximum allows, and the bytes from
-- the size to the capacity are zero.
data Memory = Memory
  { memoryOwner :: !(IORef Int),
    memoryBlock :: !(IORef (ForeignPtr Word8)),
    -- | In bytes.
    memorySize :: !(IORef Int),
    memoryCapacity :: !(IORef Int),
    memoryMax :: !(Maybe Word32),
    memoryCeiling :: !Word32
  }

-- | A memory of zeroes; 'Nothing' above the store's limit.
newMemory :: Store -> Limits -> IO (Maybe Memory)
newMemory store (Limits n high)
  | n > ceiling_ = pure Nothing
  | otherwise = zeroedIfAny size >>= mapM make
  where
    ceiling_ = settingPages (storeSettings store)
    size = fromIntegral n * 65536
    make block = do
      m <- Memory (storeCount store) <$> newIORef block <*> newIORef size <*> newIORef size <*> pure high <*> pure (min ceiling_ (fromMaybe 65536 high))
      keep store m
      pure m

memoryPages :: Memory -> IO Int
memoryPages m = (`div` 65536) <$> readIORef (memorySize m)

-- | The first byte and how many there are, until it grows.
memoryView :: Memory -> IO (ForeignPtr Word8, Int)
memoryView m = (,) <$> readIORef (memoryBlock m) <*> readIORef (memorySize m)

-- | So many pages more; the pages before, unless there may not be so many.
-- Capacity doubles, so that growing page by page copies each byte a few times.
growMemory :: Memory -> Word32 -> IO (Maybe Int)
growMemory m n = do
  size <- readIORef (memorySize m)
  capacity <- readIORef (memoryCapacity m)
  let size' = size + fromIntegral n * 65536
      most = fromIntegral (memoryCeiling m) * 65536
  if size' > most
    then pure Nothing
    else
      if size' <= capacity
        then Just (size `div` 65536) <$ writeIORef (memorySize m) size'
        else do
          let capacity' = min most (max size' (2 * capacity))
          -- Where there is no room to double there may be for what is asked.
          block <- zeroedIfAny capacity' >>= maybe (fmap (,size') <$> zeroedIfAny size') (pure . Just . (,capacity'))
          mapM (moved size size') block
  where
    moved size size' (block, capacity') = do
      old <- readIORef (memoryBlock m)
      withForeignPtr old $ \from -> withForeignPtr block $ \to -> copyBytes to from size
      writeIORef (memoryBlock m) block
      writeIORef (memoryCapacity m) capacity'
      writeIORef (memorySize m) size'
      pure (size `div` 65536)

-- * Globals

-- | A cell of 16 bytes, in a block of its own or an instance's.
data Global = Global
  { globalOwner :: !(IORef Int),
    globalKind :: !GlobalType,
    globalBlock :: !(ForeignPtr ())
  }

newGlobal :: Store -> GlobalType -> IO Global
newGlobal store t = do
  block <- mallocForeignPtrBytes 16
  withForeignPtr block $ \p -> fillBytes p 0 16
  let g = Global (storeCount store) t block
  keep store g
  pure g

-- * Instances

data Instance = Instance
  { instanceCompiled :: !Compiled,
    instanceStore :: !Store,
    instanceBlock :: !(ForeignPtr ()),
    -- | The address of each function's code.
    instanceCode :: !(ForeignPtr ()),
    -- | Lazy: a function of the module refers to the instance.
    instanceFuncs :: Vector Func,
    instanceTables :: !(Vector Table),
    instanceMemory :: !(Maybe Memory),
    instanceGlobals :: !(Vector Global),
    -- | Segments that have not been dropped.
    instanceElems :: !(MV.IOVector (Vector Word64)),
    instanceDatas :: !(MV.IOVector ByteString),
    instanceExports :: !(Map Text Extern)
  }

instanceAddress :: Instance -> Ptr ()
instanceAddress = unsafeForeignPtrToPtr . instanceBlock

-- | What can be imported and exported.
data Extern
  = ExternFunc !Func
  | ExternTable !Table
  | ExternMemory !Memory
  | ExternGlobal !Global
