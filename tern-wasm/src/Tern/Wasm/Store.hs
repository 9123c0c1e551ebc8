-- | What exists at run time: functions, tables, memories, globals and instances,
-- in a store.
--
-- The idea: what the loop reads lies in raw blocks, laid out by
-- "Tern.Wasm.Layout"; beside each block a Haskell value knows its type and keeps
-- it alive. A store keeps all that was made in it, so that references between
-- its blocks may be plain addresses; the collector frees a store as a whole.
--
-- Start at 'Store' and 'Instance'.
module Tern.Wasm.Store
  ( -- * Stores
    Store (..),
    newStore,
    longestSlice,
    chargeHeap,
    refundHeap,
    typeNumber,
    typeNumbers,
    typeOfNumber,
    typeCount,
    funcByAddress,

    -- * Roots
    Roots (..),
    isTraced,
    tracing,
    hold,
    copying,

    -- * Functions
    Func (..),
    FuncBody (..),
    HostCode,
    funcAddress,
    newFunc,

    -- * Tables and memories
    module Blocks,
    newTable,
    newMemory,

    -- * Globals
    Global (..),
    newGlobal,

    -- * Exceptions
    Tag (..),
    newTag,
    Thrown (..),
    AllThrown (..),
    noneThrown,
    oneMoreThrown,
    newThrown,
    thrownBy,
    costOfThrown,

    -- * Instances
    Instance (..),
    instanceMemory,
    instanceAddress,
    Extern (..),

    -- * Costs
    costOfPart,
    costOfGlobal,
    costOfFunction,
  )
where

import Control.Concurrent (ThreadId)
import Control.Concurrent.MVar (MVar, newMVar, withMVar)
import Control.Exception (evaluate, mask_)
import Control.Monad (when)
import Data.ByteString (ByteString)
import Data.IORef (IORef, atomicModifyIORef', newIORef, readIORef, writeIORef)
import Data.IntMap.Strict (IntMap)
import Data.IntMap.Strict qualified as IntMap
import Data.Map.Strict (Map)
import Data.Text (Text)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as MV
import Data.Word (Word64)
import Tern.Wasm.Allowance (draw, giveBack)
import Tern.Wasm.Block as Blocks hiding (newMemory, newTable)
import Tern.Wasm.Block qualified as Block
import Tern.Wasm.Compiled (Compiled (..))
import Tern.Wasm.Heap (Heap (..), newHeap, referenceToThrown, thrownOf)
import Tern.Wasm.Held (Asleep, Reference, Watched, nothingWatched, referenceOf, watching)
import Tern.Wasm.Lasting (Keeper, Lasting, address, at, lasting, newKeeper)
import Tern.Wasm.Layout (funcCode, funcInst, funcNumber, funcTypeId)
import Tern.Wasm.Metered (Outcome)
import Tern.Wasm.Numbered (Types, countNumbered, nothingNumbered, numberAll, numberPlain, numbered)
import Tern.Wasm.Prim (Ptr, nullPtr, peekByteOff, pokeByteOff)
import Tern.Wasm.Settings (Account (..), Settings (..), newAccount)
import Tern.Wasm.Syntax
  ( GlobalType (..),
    Index,
    MemoryType,
    TableType (..),
  )
import Tern.Wasm.Type
  ( FuncType,
    HeapType (..),
    Known,
    RefType (..),
    ValType (..),
    topOf,
  )
import Tern.Wasm.Valid (Spaces)

-- * Stores

-- | What instances share: their memories, tables, functions and objects, and one account of all.
-- One thread runs its code at a time.
data Store = Store
  { storeSettings :: !Settings,
    -- | Held by the thread that runs code of the store.
    storeLock :: !(MVar ()),
    storeOwner :: !(IORef (Maybe ThreadId)),
    storeTypes :: !(IORef Types),
    -- | Held while types are added.
    storeNumbering :: !(MVar ()),
    storeFuncs :: !(IORef (IntMap Func)),
    -- | How many functions there are. The reference also tells stores apart: what
    -- was made in one can be used in no other.
    storeCount :: !(IORef Int),
    -- | Holds what was made in it.
    storeKeeper :: !Keeper,
    storeAccount :: !Account,
    -- | How many tags there are.
    storeTags :: !(IORef Int),
    -- | The exceptions that are referred to, and how many there were.
    storeThrown :: !(IORef AllThrown),
    storeThrowings :: !(IORef Int),
    -- | Structures and arrays.
    storeHeap :: !Heap,
    storeRoots :: !(IORef Roots),
    -- | References that the host has, by their bits.
    storeHeld :: !(IORef (Watched Word64)),
    -- | Suspended calls; one that has gone on is nothing.
    storeAsleep :: !(IORef (Watched (Maybe Asleep))),
    -- | Element segments that somebody copies from.
    storeCopied :: !(IORef (Watched (Vector Word64))),
    storeStack :: !Lasting,
    -- | Where the next invocation's first frame goes.
    storeTop :: !(IORef (Ptr ())),
    -- | Jumps and calls that may still be made.
    storeFuel :: !(IORef Int),
    -- | When to stop, in seconds of the monotonic clock.
    storeDeadline :: !(IORef (Maybe Double)),
    -- | After how many jumps and calls the loop returns to its driver, at most 'longestSlice'.
    storeSlice :: !(IORef Int),
    -- | Jumps and calls since then, never below 0.
    storeSpent :: !(IORef Int),
    -- | How often each row of functions, the outermost first, was found where the
    -- loop returned, if that is wanted.
    storeSamples :: !(IORef (Maybe (Map [Text] Int)))
  }

-- | A store with nothing in it. A stack of less than no bytes has none.
newStore :: Settings -> IO Store
newStore given = do
  let settings = given {settingStack = max 0 (settingStack given)}
  keeper <- newKeeper
  block <- zeroed (settingStack settings) >>= lasting keeper
  account <- newAccount settings
  heap <- newHeap (settingEagerly settings) keeper (accountHeap account)
  Store settings
    <$> newMVar ()
    <*> newIORef Nothing
    <*> newIORef nothingNumbered
    <*> newMVar ()
    <*> newIORef IntMap.empty
    <*> newIORef 0
    <*> pure keeper
    <*> pure account
    <*> newIORef 0
    <*> newIORef noneThrown
    <*> newIORef 0
    <*> pure heap
    <*> newIORef (Roots [] [] [])
    <*> newIORef nothingWatched
    <*> newIORef nothingWatched
    <*> newIORef nothingWatched
    <*> pure block
    <*> newIORef (address block)
    <*> newIORef maxBound
    <*> newIORef Nothing
    <*> newIORef longestSlice
    <*> newIORef 0
    <*> newIORef Nothing

-- | After how many jumps and calls others are let in and limits are looked at, if not sooner.
longestSlice :: Int
longestSlice = 100000

-- | Charge a store for bytes that the host is about to hold for a guest, a descriptor
-- or a buffer: whether there is room for them within 'settingHeap'.
chargeHeap :: Store -> Int -> IO Bool
chargeHeap = draw . accountHeap . storeAccount

-- | Give back what was charged and is no longer held.
refundHeap :: Store -> Int -> IO ()
refundHeap = giveBack . accountHeap . storeAccount

-- | The number of a function type that is declared to be nothing else; the types
-- in it are already the store's.
typeNumber :: Store -> FuncType -> IO Int
typeNumber store ft = numbering store (numberPlain ft)

-- | The numbers of a module's types.
typeNumbers :: Store -> Spaces -> IO (Vector Int)
typeNumbers store sp = numbering store (numberAll sp)

-- | Add types. They are evaluated before anybody sees them: this may be interrupted, and
-- whoever looks up a type next must not finish it, perhaps beyond a deadline of their own.
numbering :: Store -> (Types -> (a, Types)) -> IO a
numbering store number = withMVar (storeNumbering store) $ \_ -> do
  (numbers, types) <- number <$> readIORef (storeTypes store)
  _ <- evaluate types
  a <- evaluate numbers
  a <$ writeIORef (storeTypes store) types

-- | What a number means.
typeOfNumber :: Store -> IO Known
typeOfNumber store = numbered <$> readIORef (storeTypes store)

-- | How many types there are.
typeCount :: Store -> IO Int
typeCount store = countNumbered <$> readIORef (storeTypes store)

-- | The function whose record is at an address that came from this store.
funcByAddress :: Store -> Ptr () -> IO (Maybe Func)
funcByAddress store p
  | p == nullPtr = pure Nothing
  | otherwise = do
      n <- peekByteOff p funcNumber :: IO Int
      IntMap.lookup n <$> readIORef (storeFuncs store)

-- * Roots

-- | Where references to objects may stand for as long as the store lives: tables, cells of
-- globals, and element segments with their places in a row of them.
data Roots = Roots
  { rootTables :: ![Table],
    rootCells :: ![Lasting],
    rootSegments :: ![(Int, MV.IOVector (Vector Word64))]
  }

-- | Whether a value of a type may refer to an object or an exception.
isTraced :: Known -> ValType -> Bool
isTraced known = \case
  Ref r -> topOf known (refHeap r) /= Just FuncHeap
  I32 -> False
  I64 -> False
  F32 -> False
  F64 -> False
  V128 -> False

-- | Look at a place from now on where a value of a type stands, if that may be.
tracing :: Store -> ValType -> (Roots -> Roots) -> IO ()
tracing store t more = do
  known <- typeOfNumber store
  when (isTraced known t) (atomicModifyIORef' (storeRoots store) (\roots -> (more roots, ())))

-- | The bits that an action finds, and the reference with them for the host. Any thread
-- may ask.
hold :: Store -> IO Word64 -> IO (Word64, Reference)
hold store look = withMVar (heapLock (storeHeap store)) $ \_ -> do
  bits <- look
  (bits,) <$> referenceOf (storeHeld store) bits

-- | How to have an element segment as it is now, for as long as the action is held: who
-- copies from it may be suspended, and it dropped meanwhile.
copying :: Store -> Vector Word64 -> IO (IO (Vector Word64))
copying store elements = readIORef <$> watching (storeCopied store) elements

-- * Functions

-- | A function of a store: a module's or a host's.
data Func = Func
  { -- | Indices in it are the store's numbers.
    funcSignature :: !FuncType,
    funcTypeNumber :: !Int,
    funcBody :: !FuncBody,
    funcRecord :: !Lasting,
    funcStore :: !Store
  }

-- | What a call of a function runs.
data FuncBody
  = -- | A function of an instance, by its index there.
    OwnFunc Instance !Index
  | HostFunc !HostCode

-- | Reads its arguments from the slots at an address and writes its results
-- there.
type HostCode = Ptr () -> IO (Outcome ())

-- | Where a function's record is; as a number it is a reference's bits. Good while the store is
-- held.
funcAddress :: Func -> Ptr ()
funcAddress = address . funcRecord

-- | Register a function, given the address of its instance's block (null for a
-- host function) and a block of @funcSize@ bytes for its record. The instance
-- itself is not looked at: it may be in the making.
newFunc :: Store -> FuncType -> Int -> FuncBody -> Ptr () -> Lasting -> IO Func
newFunc store ft t body inst record = do
  n <- atomicModifyIORef' (storeCount store) (\n -> (n + 1, n))
  let f = Func ft t body record store
  at record $ \p -> do
    pokeByteOff p funcInst inst
    pokeByteOff p funcCode $ case body of
      OwnFunc _ x -> 8 * x
      HostFunc _ -> 0 :: Int
    pokeByteOff p funcTypeId t
    pokeByteOff p funcNumber n
  atomicModifyIORef' (storeFuncs store) (\m -> (IntMap.insert n f m, ()))
  pure f

-- * Tables and memories

-- | A table of nulls; 'Nothing' above the store's limit.
newTable :: Store -> TableType -> IO (Maybe Table)
newTable store t = do
  made <-
    Block.newTable
      (storeKeeper store)
      (storeCount store)
      (accountElements (storeAccount store))
      (settingElements (storeSettings store))
      t
  made <$ mapM_ look made
  where
    look table =
      tracing store (Ref (tableRef t)) $ \roots -> roots {rootTables = table : rootTables roots}

-- | A memory of zeroes; 'Nothing' above the store's limit.
newMemory :: Store -> MemoryType -> IO (Maybe Memory)
newMemory store =
  Block.newMemory
    (storeKeeper store)
    (storeCount store)
    (accountPages (storeAccount store))
    (settingPages (storeSettings store))

-- * Globals

-- | A cell of 16 bytes, in a block of its own or an instance's.
data Global = Global
  { globalOwner :: !(IORef Int),
    globalKind :: !GlobalType,
    globalBlock :: !Lasting
  }

-- | A global of zeroes in a cell of its own. The collector looks there if it may hold a reference
-- to an object.
newGlobal :: Store -> GlobalType -> IO Global
newGlobal store t = do
  cell <- zeroed 16 >>= lasting (storeKeeper store)
  tracing store (globalValue t) $ \roots -> roots {rootCells = cell : rootCells roots}
  pure (Global (storeCount store) t cell)

-- * Exceptions

-- | A kind of exception: its number in the store, and the types of its values.
data Tag = Tag
  { tagOwner :: !(IORef Int),
    tagNumber :: !Int,
    tagTypeNumber :: !Int,
    -- | The types of an exception's values are its parameters.
    tagSignature :: !FuncType
  }

-- | A tag that is equal to no other, given the number of its type in the store, and the type.
newTag :: Store -> Int -> FuncType -> IO Tag
newTag store t ft = do
  n <- atomicModifyIORef' (storeTags store) (\n -> (n + 1, n))
  pure (Tag (storeCount store) n t ft)

-- | An exception: its values as they stand in slots.
data Thrown = Thrown !Tag ![Word64]

-- | Exceptions by their numbers, and what all of them cost.
data AllThrown = AllThrown !Int !(IntMap Thrown)

-- | No exception.
noneThrown :: AllThrown
noneThrown = AllThrown 0 IntMap.empty

-- | One more, under a number that none has. Logarithmic in how many there are.
oneMoreThrown :: Int -> Thrown -> AllThrown -> AllThrown
oneMoreThrown n e (AllThrown cost es) = AllThrown (cost + costOfThrown e) (IntMap.insert n e es)

-- | A reference to an exception, unless there is no room for it, which is charged.
newThrown :: Store -> Thrown -> IO (Maybe Word64)
newThrown store e = mask_ $ do
  there <- chargeHeap store (costOfThrown e)
  if there
    then do
      n <- atomicModifyIORef' (storeThrowings store) (\n -> (n + 1, n))
      atomicModifyIORef' (storeThrown store) (\all_ -> (oneMoreThrown n e all_, ()))
      pure (Just (referenceToThrown (storeHeap store) n))
    else pure Nothing

-- | The exception that a reference is to; 'Nothing' for null.
thrownBy :: Store -> Word64 -> IO (Maybe Thrown)
thrownBy store bits =
  (\(AllThrown _ es) -> IntMap.lookup (thrownOf (storeHeap store) bits) es)
    <$> readIORef (storeThrown store)

-- | What the host holds for an exception that is referred to, in bytes and about.
costOfThrown :: Thrown -> Int
costOfThrown (Thrown _ values) = 128 + 40 * length values

-- * Instances

-- | A module with what it imports, and state of its own.
data Instance = Instance
  { instanceCompiled :: !Compiled,
    instanceStore :: !Store,
    instanceBlock :: !Lasting,
    -- | The address of each function's code.
    instanceCode :: !Lasting,
    -- | Lazy: a function of the module refers to the instance.
    instanceFuncs :: Vector Func,
    instanceTables :: !(Vector Table),
    instanceMemories :: !(Vector Memory),
    instanceGlobals :: !(Vector Global),
    instanceTags :: !(Vector Tag),
    -- | The numbers of its module's types.
    instanceTypes :: !(Vector Int),
    -- | Segments that have not been dropped.
    instanceElems :: !(MV.IOVector (Vector Word64)),
    instanceDatas :: !(MV.IOVector ByteString),
    instanceExports :: !(Map Text Extern)
  }

-- | The first memory.
instanceMemory :: Instance -> Maybe Memory
instanceMemory i = instanceMemories i V.!? 0

-- | Where an instance's block begins; "Tern.Wasm.Layout" says what is there. Good while the store
-- is held.
instanceAddress :: Instance -> Ptr ()
instanceAddress = address . instanceBlock

-- | What can be imported and exported.
data Extern
  = ExternFunc !Func
  | ExternTable !Table
  | ExternMemory !Memory
  | ExternGlobal !Global
  | ExternTag !Tag

-- * Costs

-- | What the host holds, in bytes and about, beside what is counted as such: for a
-- memory, a table, a tag, a segment, an export or an import; for a global; for a
-- function.
costOfPart, costOfGlobal, costOfFunction :: Int
costOfPart = 400
costOfGlobal = 160
costOfFunction = 240
