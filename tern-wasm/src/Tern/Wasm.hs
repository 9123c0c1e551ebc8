{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE PatternSynonyms #-}

-- | WebAssembly in the process: untrusted code, validated, metered, with
-- functions of the host.
--
-- Bytes become a module by 'load', which refuses what is malformed or invalid. A
-- module is instantiated in a 'Store', as often as one likes; the functions of an
-- instance are called with 'invoke'. Nothing that a module does can raise an
-- exception or reach memory that is not its own: it returns, or the call gives an
-- 'Error' with the phase that refused it.
--
-- What a module wants and offers is known before ('importTypes', 'exportTypes').
--
-- > Right m <- load bytes
-- > store <- newStore defaultSettings
-- > Right i <- instantiate store m noImports
-- > invoke i "fib" [I32Value 30]
module Tern.Wasm
  ( -- * Modules
    Compiled,
    load,
    loadBy,
    loadText,
    binaryOf,
    loadWith,
    Loading (..),
    defaultLoading,
    Tier (..),
    available,
    nativeFunctions,
    Rules (..),
    loadProfiled,
    profileOf,
    Profile.Entry (..),
    functionName,
    ExternType (..),
    importTypes,
    exportTypes,
    sampleStacks,
    stackSamples,

    -- * Stores
    Store,
    Settings (..),
    defaultSettings,
    newStore,
    setFuel,
    fuelLeft,
    setDeadline,
    inTime,
    chargeHeap,
    refundHeap,

    -- * Instances
    Instance,
    Imports,
    noImports,
    importsFrom,
    fromInstance,
    instantiate,
    exportNamed,
    exportNames,

    -- * Calling
    Value (..),
    valueType,
    invoke,
    callFunc,
    exportFunction,
    Guest,
    readGlobal,
    Suspended,
    continue,

    -- * What the host provides
    Extern (..),
    Func,
    funcSignature,
    Table,
    Memory,
    Global,
    hostFunction,
    Host,
    Metered,
    price,
    Scalar,
    Row,
    hostFunc,
    hostGlobal,
    hostTable,
    hostMemory,
    hostTag,
    Tag,
    tagSignature,

    -- * Memory
    memoryPages,
    readMemory,
    writeMemory,

    -- * Types
    ValType (..),
    RefType (..),
    HeapType (..),
    pattern FuncRef,
    pattern ExternRef,
    FuncType (..),
    GlobalType (..),
    TableType (..),
    MemoryType (..),
    AddressType (..),
    Limits (..),
    Mut (..),

    -- * Errors
    Error (..),
    renderError,
    TraceEntry (..),
    errorTrace,
    renderPlace,
    module Tern.Wasm.Error,
  )
where

import Control.Exception (mask_)
import Control.Monad (zipWithM)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as B
import Data.IORef (readIORef, writeIORef)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Clock (getMonotonicTime)
import Tern.Wasm.Compiled (Compiled)
import Tern.Wasm.Error
import Tern.Wasm.Host (Guest (..), Host, Row, Scalar, hostCode)
import Tern.Wasm.Instance (Failure (..))
import Tern.Wasm.Instance qualified as Instance
import Tern.Wasm.Interface (ExternType (..), exportTypes, importTypes)
import Tern.Wasm.Lasting (at, holding, lasting)
import Tern.Wasm.Layout (funcSize)
import Tern.Wasm.Loading
  ( Loading (..),
    binaryOf,
    defaultLoading,
    functionName,
    load,
    loadBy,
    loadProfiled,
    loadText,
    loadWith,
    nativeFunctions,
    profileOf,
  )
import Tern.Wasm.Machine (Suspended)
import Tern.Wasm.Machine qualified as Machine
import Tern.Wasm.Machine.Unwind (TraceEntry (..))
import Tern.Wasm.Metered (Metered, Outcome (..), price)
import Tern.Wasm.Native (Tier (..), available)
import Tern.Wasm.Prim (Ptr, castPtr, copyBytes, nullPtr, plusPtr)
import Tern.Wasm.Profile qualified as Profile
import Tern.Wasm.Refusal (Error (..), errorTrace, finished, renderError, renderPlace, stopped)
import Tern.Wasm.Settings (Settings (..), defaultSettings)
import Tern.Wasm.Store
  ( Extern (..),
    Func (..),
    FuncBody (..),
    Global (..),
    Instance (..),
    Memory,
    Store (..),
    Table,
    Tag (..),
    chargeHeap,
    costOfGlobal,
    longestSlice,
    memoryPages,
    newFunc,
    newGlobal,
    newMemory,
    newStore,
    newTable,
    newTag,
    refundHeap,
    typeNumber,
    withMemory,
    writing,
    zeroed,
  )
import Tern.Wasm.Syntax hiding (Func (..), Global (..), Table (..))
import Tern.Wasm.Valid (Rules (..))
import Tern.Wasm.Value
  ( Value (..),
    belongs,
    fits,
    readValue,
    readValues,
    valueType,
    writeValue,
    writeValues,
  )

-- * Stores

-- | From now on look after every @n@ jumps and calls (an @n@ below 1 counts as 1, and one
-- above 100,000 as that, since others are let in then, and limits looked at) which functions
-- are open; with a deadline after 20,000 at the latest. The samples are the same on every run
-- of the same program.
sampleStacks :: Store -> Int -> IO ()
sampleStacks store n = do
  writeIORef (storeSlice store) (max 1 (min longestSlice n))
  writeIORef (storeSamples store) (Just Map.empty)

-- | How often each row of open functions was found, the outermost first.
stackSamples :: Store -> IO (Map [Text] Int)
stackSamples store = fromMaybe Map.empty <$> readIORef (storeSamples store)

-- | How many jumps and calls may be made from now on. Code in a row takes one for each
-- 128 instructions of the bytecode, and what goes over whole memories, tables or arrays
-- one more for each 64 bytes of them.
setFuel :: Store -> Int -> IO ()
setFuel store = writeIORef (storeFuel store) . max 0

-- | How many may still be made; 'maxBound' where nothing was set.
fuelLeft :: Store -> IO Int
fuelLeft = fmap (max 0) . readIORef . storeFuel

-- | Stop whatever runs in the store when this number of @seconds@ has passed from now, and
-- instances that are being made; 'Nothing' takes the deadline away. A module is loaded without
-- a store, and so under no deadline but that of 'inTime'. What is no number ('isNaN') is over.
setDeadline :: Store -> Maybe Double -> IO ()
setDeadline store seconds = do
  now <- getMonotonicTime
  writeIORef (storeDeadline store) $! case seconds of
    Nothing -> Nothing
    Just s -> Just $! now + s

-- | Do something for a store, as load a module, within the time that it has left
-- ('setDeadline'); when that is over it is an error ('TimeExhausted'). Without a deadline it
-- takes as long as it takes. What is done is interrupted as by an asynchronous exception.
--
-- > store <- newStore defaultSettings
-- > setDeadline store (Just 0.5)
-- > loaded <- inTime store (load bytes)
inTime :: Store -> IO (Either Error a) -> IO (Either Error a)
inTime store action =
  fromMaybe (Left (Exhausted TimeExhausted [])) <$> Machine.within store action

-- * Instances

-- | What is provided under a module's name and its own.
type Imports = Map (Text, Text) Extern

-- | Of a module that imports nothing.
noImports :: Imports
noImports = Map.empty

-- | Things under one module's name.
importsFrom :: Text -> [(Text, Extern)] -> Imports
importsFrom m things = Map.fromList [((m, name), e) | (name, e) <- things]

-- | All exports of an instance under a module's name.
fromInstance :: Text -> Instance -> Imports
fromInstance m i = importsFrom m (Map.toList (instanceExports i))

-- | An instance of a module: its imports are looked up and checked, its memories and tables filled,
-- and its start function is run. A trap of that is an error, and what it did before is done.
instantiate :: Store -> Compiled -> Imports -> IO (Either Error Instance)
instantiate store compiled imports =
  Instance.instantiate store compiled (curry (`Map.lookup` imports)) >>= \case
    Right i -> pure (Right i)
    Left (Unlinked e) -> pure (Left (UnlinkableModule e))
    Left (Stopped s) -> pure (Left (stopped s))
    Left BeyondSettings -> pure (Left TooLarge)

-- | What an instance exports under a name.
exportNamed :: Instance -> Text -> Maybe Extern
exportNamed i name = Map.lookup name (instanceExports i)

-- | The names of all that an instance exports, in order.
exportNames :: Instance -> [Text]
exportNames = Map.keys . instanceExports

-- * Calling

-- | Call an exported function.
invoke :: Instance -> Text -> [Value] -> IO (Either Error [Value])
invoke i name args = case exportNamed i name of
  Just (ExternFunc f) -> callFunc (instanceStore i) f args
  _ -> pure (Left (NoExport name))

-- | Call a function of a store with values of its parameters' types, which are checked. Traps,
-- uncaught exceptions and limits that were met are errors.
callFunc :: Store -> Func -> [Value] -> IO (Either Error [Value])
callFunc store f args
  | not (all (belongs store) args) || storeCount (funcStore f) /= storeCount store =
      pure (Left OtherStore)
  | length args /= length params = differ
  | otherwise = holding (storeKeeper store) $ do
      fit <- and <$> zipWithM (fits store) params args
      if fit
        then finished <$> Machine.call store f (`writeValues` args) (readValues store results)
        else differ
  where
    differ = pure (Left (ArgumentsDiffer params (map valueType args)))
    FuncType params results = funcSignature f

-- | An export as a Haskell function, if it has that function's type.
--
-- > add <- exportFunction i "add" :: Either Error (Word32 -> Word32 -> IO (Either Error Word32))
exportFunction :: forall f. (Guest Error f) => Instance -> Text -> Either Error f
exportFunction i name = case exportNamed i name of
  Just (ExternFunc f)
    | funcSignature f == wanted -> Right (guestCall @Error (calling f) (const (pure ())) 0)
    | otherwise -> Left (ExportDiffers name wanted (funcSignature f))
  _ -> Left (NoExport name)
  where
    wanted =
      FuncType (guestParams (Proxy @Error) (Proxy @f)) (guestResults (Proxy @Error) (Proxy @f))
    calling :: Func -> (Ptr () -> IO ()) -> (Ptr () -> IO r) -> IO (Either Error r)
    calling f write read_ =
      finished <$> Machine.call (instanceStore i) f write read_

-- | Go on with a call that ran out of fuel; give its store fuel first. Once for
-- each suspension, since what it has changed in memory stays changed: a second time is
-- refused ('AlreadyContinued'), and changes nothing.
continue :: Suspended -> IO (Either Error [Value])
continue s = finished <$> Machine.resume s readValues

-- | The value of an exported global.
readGlobal :: Instance -> Text -> IO (Either Error Value)
readGlobal i name = case exportNamed i name of
  Just (ExternGlobal g) ->
    holding (storeKeeper (instanceStore i)) $
      at (globalBlock g) (fmap Right . readValue (instanceStore i) (globalValue (globalKind g)))
  _ -> pure (Left (NoExport name))

-- * What the host provides

-- | A function in Haskell. It is given values of the parameters' types; results
-- of other types than declared are a trap, and so is its own refusal.
hostFunc :: Store -> FuncType -> ([Value] -> IO (Either Text [Value])) -> IO Func
hostFunc store ft@(FuncType params results) f = do
  record <- zeroed funcSize >>= lasting (storeKeeper store)
  n <- typeNumber store ft
  newFunc store ft n (HostFunc code) nullPtr record
  where
    code p = do
      args <- readValues store params p
      f args >>= \case
        Left refusal -> pure (Refused (HostTrap refusal))
        Right values -> do
          fit <-
            if length values == length results && all (belongs store) values
              then and <$> zipWithM (fits store) results values
              else pure False
          if fit
            then Done <$> writeValues p values
            else
              pure
                ( Refused
                    ( HostTrap
                        ( T.pack
                            "a host function returned values of other types than it declares"
                        )
                    )
                )

-- | A Haskell function of scalars as an import. One in 'IO' is not interrupted for fuel
-- or time: what it does is its author's to bound. One in 'Metered' says with 'price'
-- how many bytes it will go over, before it does; there it may be suspended until there
-- is more fuel, or stopped, and then the rest of it does not run.
--
-- > hostFunction store (\a b -> pure (a + b) :: IO Word32)
-- > hostFunction store (\n -> price (fromIntegral n) >> liftIO (work n) :: Metered ())
hostFunction :: (Host f) => Store -> f -> IO Func
hostFunction store f = do
  record <- zeroed funcSize >>= lasting (storeKeeper store)
  n <- typeNumber store ft
  newFunc store ft n (HostFunc code) nullPtr record
  where
    (ft, code) = hostCode f

-- | A global; 'Nothing' for a function of another store, or above the store's limit.
hostGlobal :: Store -> Mut -> Value -> IO (Maybe Global)
hostGlobal store m v
  | not (belongs store v) = pure Nothing
  | otherwise =
      mask_ $
        chargeHeap store costOfGlobal >>= \there ->
          if there
            then Just <$> make
            else pure Nothing
  where
    make = do
      g <- newGlobal store (GlobalType m (valueType v))
      g <$ at (globalBlock g) (`writeValue` v)

-- | A table of nulls; 'Nothing' above the store's limit, and where its type has no null.
hostTable :: Store -> TableType -> IO (Maybe Table)
hostTable store t@(TableType _ _ (RefType nullable _))
  | nullable = newTable store t
  | otherwise = pure Nothing

-- | A memory of zeroes; 'Nothing' above the store's limit.
hostMemory :: Store -> MemoryType -> IO (Maybe Memory)
hostMemory = newMemory

-- | A kind of exception with values of these types.
hostTag :: Store -> [ValType] -> IO Tag
hostTag store params = do
  n <- typeNumber store (FuncType params [])
  newTag store n (FuncType params [])

-- * Memory

-- | A copy of the @n@ bytes from the address @from@ on, if all are there. Any thread may
-- ask: while the guest runs in another one it sees the memory as it was before or after
-- growing, and bytes as the guest has written them so far.
readMemory :: Memory -> Int -> Int -> IO (Maybe ByteString)
readMemory m from n = withMemory m $ \p size ->
  if from < 0 || n < 0 || from > size || n > size - from
    then pure Nothing
    else Just <$> B.packCStringLen (castPtr (p `plusPtr` from), n)

-- | Copy bytes to an address, if there is room for all. Any thread may ask, as for
-- 'readMemory'; nothing is lost when the memory grows meanwhile.
writeMemory :: Memory -> Int -> ByteString -> IO Bool
writeMemory m to !bytes = writing m $ \p size ->
  if to < 0 || to > size || B.length bytes > size - to
    then pure False
    else True <$ B.unsafeUseAsCStringLen bytes (uncurry (copyBytes (p `plusPtr` to)))
