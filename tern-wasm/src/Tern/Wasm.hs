{-# LANGUAGE AllowAmbiguousTypes #-}

-- | WebAssembly in the process: untrusted code, validated, metered, with
-- functions of the host.
--
-- Bytes become a module by 'load', which refuses what is malformed or invalid. A
-- module is instantiated in a 'Store', as often as one likes; the functions of an
-- instance are called with 'invoke'. Nothing that a module does can raise an
-- exception or reach memory that is not its own: it returns, or the call gives an
-- 'Error' with the phase that refused it.
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
    Rules (..),
    loadProfiled,
    profileOf,
    Profile.Entry (..),

    -- * Stores
    Store,
    Settings (..),
    defaultSettings,
    newStore,
    setFuel,
    fuelLeft,
    setDeadline,

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
    Scalar,
    Row,
    hostFunc,
    hostGlobal,
    hostTable,
    hostMemory,

    -- * Memory
    memoryPages,
    readMemory,
    writeMemory,

    -- * Types
    ValType (..),
    RefType (..),
    FuncType (..),
    GlobalType (..),
    TableType (..),
    Limits (..),
    Mut (..),

    -- * Errors
    Error (..),
    renderError,
    module Tern.Wasm.Error,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as B
import Data.IORef
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Data.Text qualified as T
import Foreign.ForeignPtr
import Foreign.Marshal.Utils (copyBytes)
import Foreign.Ptr
import GHC.Clock (getMonotonicTime)
import Tern.Wasm.Binary (decode)
import Tern.Wasm.Code (funcSize)
import Tern.Wasm.Error
import Tern.Wasm.Host
import Tern.Wasm.Instance (Failure (..))
import Tern.Wasm.Instance qualified as Instance
import Tern.Wasm.Machine (Stop, Suspended)
import Tern.Wasm.Machine qualified as Machine
import Tern.Wasm.Profile (newProfile, totals)
import Tern.Wasm.Profile qualified as Profile
import Tern.Wasm.Store
import Tern.Wasm.Syntax hiding (Func (..), Global (..))
import Tern.Wasm.Text.Parse (assemble, renderTextError)
import Tern.Wasm.Valid
import Tern.Wasm.Value

-- * Errors

-- | Why something did not work, by the specification's phases.
data Error
  = MalformedModule !Malformed
  | -- | A text that is no module: line and column, and what was expected.
    MalformedText !Text
  | InvalidModule !Invalid
  | UnlinkableModule !Unlinkable
  | -- | A memory or a table larger than the store's settings.
    TooLarge
  | Trapped !Trap
  | Exhausted !Exhaustion
  | -- | The fuel is used up; see 'continue'.
    OutOfFuel !Suspended
  | -- | There is no export of the kind with this name.
    NoExport !Text
  | -- | The arguments do not have the function's types.
    ArgumentsDiffer ![ValType] ![ValType]
  | -- | The export has another type than it was asked for with: the one that was
    -- asked for, and its own.
    ExportDiffers !Text !FuncType !FuncType
  | -- | A value or an object of another store.
    OtherStore

-- | The error in one line.
renderError :: Error -> Text
renderError = \case
  MalformedModule e -> renderMalformed e
  MalformedText e -> T.pack "malformed text: " <> e
  InvalidModule e -> renderInvalid e
  UnlinkableModule e -> renderUnlinkable e
  TooLarge -> T.pack "a memory or table is larger than the limit that was set"
  Trapped t -> T.pack "trap: " <> renderTrap t
  Exhausted e -> renderExhaustion e
  OutOfFuel _ -> renderExhaustion FuelExhausted
  NoExport name -> T.concat [T.pack "there is no export \"", T.take 80 name, T.pack "\" of that kind"]
  ArgumentsDiffer expected given ->
    T.concat [T.pack "the function takes ", renderTypes expected, T.pack ", was given ", renderTypes given]
  ExportDiffers name wanted found ->
    T.concat [T.pack "the export \"", T.take 80 name, T.pack "\" is a function ", arrow found, T.pack ", not ", arrow wanted]
  OtherStore -> T.pack "a value belongs to another store"
  where
    arrow (FuncType ps rs) = T.concat [renderTypes ps, T.pack " -> ", renderTypes rs]

-- * Modules

-- | Decode and validate; functions are lowered when they are first called.
load :: ByteString -> IO (Either Error Compiled)
load = loadBy Rules2

-- | The same by the rules of an edition of the specification.
loadBy :: Rules -> ByteString -> IO (Either Error Compiled)
loadBy rules bytes = case decode bytes of
  Left e -> pure (Left (MalformedModule e))
  Right m -> either (pure . Left . InvalidModule) (fmap Right . compile Nothing) (validateBy rules m)

-- | Load a module in the text format.
loadText :: ByteString -> IO (Either Error Compiled)
loadText source = either (pure . Left . MalformedText . renderTextError source) load (assemble source)

-- | The binary module that bytes hold in either format: what does not begin as a
-- binary module is taken for text.
binaryOf :: ByteString -> Either Error ByteString
binaryOf bytes
  | B.pack [0, 0x61, 0x73, 0x6D] `B.isPrefixOf` bytes = Right bytes
  | otherwise = either (Left . MalformedText . renderTextError bytes) Right (assemble bytes)

-- | Load a module whose instances count what they run, at some cost of time.
loadProfiled :: ByteString -> IO (Either Error Compiled)
loadProfiled bytes = case decode bytes of
  Left e -> pure (Left (MalformedModule e))
  Right m -> case validate m of
    Left e -> pure (Left (InvalidModule e))
    Right v -> do
      profile <- newProfile (B.length bytes)
      Right <$> compile (Just profile) v

-- | What the instances of a module have run, by function; empty unless it was
-- loaded by 'loadProfiled'.
profileOf :: Compiled -> IO [Profile.Entry]
profileOf = maybe (pure []) totals . compiledProfile

-- * Stores

-- | How many jumps and calls may be made from now on.
setFuel :: Store -> Int -> IO ()
setFuel store = writeIORef (storeFuel store) . max 0

-- | How many may still be made; 'maxBound' where nothing was set.
fuelLeft :: Store -> IO Int
fuelLeft = readIORef . storeFuel

-- | Stop whatever runs in the store in so many seconds.
setDeadline :: Store -> Maybe Double -> IO ()
setDeadline store seconds = do
  now <- getMonotonicTime
  writeIORef (storeDeadline store) (fmap (now +) seconds)

-- * Instances

-- | What is provided under a module's name and its own.
type Imports = Map (Text, Text) Extern

noImports :: Imports
noImports = Map.empty

-- | Things under one module's name.
importsFrom :: Text -> [(Text, Extern)] -> Imports
importsFrom m things = Map.fromList [((m, name), e) | (name, e) <- things]

-- | All exports of an instance under a module's name.
fromInstance :: Text -> Instance -> Imports
fromInstance m i = importsFrom m (Map.toList (instanceExports i))

instantiate :: Store -> Compiled -> Imports -> IO (Either Error Instance)
instantiate store compiled imports =
  either (Left . failure) Right <$> Instance.instantiate store compiled (curry (`Map.lookup` imports))
  where
    failure = \case
      Unlinked e -> UnlinkableModule e
      Stopped s -> stopped s
      BeyondSettings -> TooLarge

stopped :: Stop -> Error
stopped = \case
  Machine.Trapped t -> Trapped t
  Machine.Exhausted e -> Exhausted e
  Machine.OutOfFuel s -> OutOfFuel s

exportNamed :: Instance -> Text -> Maybe Extern
exportNamed i name = Map.lookup name (instanceExports i)

exportNames :: Instance -> [Text]
exportNames = Map.keys . instanceExports

-- * Calling

-- | Call an exported function.
invoke :: Instance -> Text -> [Value] -> IO (Either Error [Value])
invoke i name args = case exportNamed i name of
  Just (ExternFunc f) -> callFunc (instanceStore i) f args
  _ -> pure (Left (NoExport name))

callFunc :: Store -> Func -> [Value] -> IO (Either Error [Value])
callFunc store f args
  | map valueType args /= params = pure (Left (ArgumentsDiffer params (map valueType args)))
  | not (all (belongs store) args) || storeCount (funcStore f) /= storeCount store = pure (Left OtherStore)
  | otherwise = either (Left . stopped) Right <$> Machine.call store f (`writeValues` args) (readValues store results)
  where
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
    wanted = FuncType (guestParams (Proxy @Error) (Proxy @f)) (guestResults (Proxy @Error) (Proxy @f))
    calling :: Func -> (Ptr () -> IO ()) -> (Ptr () -> IO r) -> IO (Either Error r)
    calling f write read_ = either (Left . stopped) Right <$> Machine.call (instanceStore i) f write read_

-- | Go on with a call that ran out of fuel; give its store fuel first. Once for
-- each suspension: what it has changed in memory stays changed.
continue :: Suspended -> IO (Either Error [Value])
continue s = either (Left . stopped) Right <$> Machine.resume s readValues

-- | The value of an exported global.
readGlobal :: Instance -> Text -> IO (Either Error Value)
readGlobal i name = case exportNamed i name of
  Just (ExternGlobal g) -> withForeignPtr (globalBlock g) (fmap Right . readValue (instanceStore i) (globalValue (globalKind g)))
  _ -> pure (Left (NoExport name))

-- * What the host provides

-- | A function in Haskell. It is given values of the parameters' types; results
-- of other types than declared are a trap, and so is its own refusal.
hostFunc :: Store -> FuncType -> ([Value] -> IO (Either Text [Value])) -> IO Func
hostFunc store ft@(FuncType params results) f = do
  record <- zeroed funcSize
  newFunc store ft (HostFunc code) nullPtr record
  where
    code p = do
      args <- readValues store params p
      f args >>= \case
        Left refusal -> pure (Just (HostTrap refusal))
        Right values
          | map valueType values /= results || not (all (belongs store) values) ->
              pure (Just (HostTrap (T.pack "a host function returned values of other types than it declares")))
          | otherwise -> Nothing <$ writeValues p values

-- | A Haskell function of scalars as an import.
--
-- > hostFunction store (\a b -> pure (a + b :: Word32))
hostFunction :: (Host f) => Store -> f -> IO Func
hostFunction store f = do
  record <- zeroed funcSize
  newFunc store ft (HostFunc code) nullPtr record
  where
    (ft, code) = hostCode f

-- | A global; 'Nothing' for a function of another store.
hostGlobal :: Store -> Mut -> Value -> IO (Maybe Global)
hostGlobal store m v
  | not (belongs store v) = pure Nothing
  | otherwise = do
      g <- newGlobal store (GlobalType m (valueType v))
      withForeignPtr (globalBlock g) (`writeValue` v)
      pure (Just g)

-- | A table of nulls; 'Nothing' above the store's limit.
hostTable :: Store -> TableType -> IO (Maybe Table)
hostTable = newTable

-- | A memory of zeroes; 'Nothing' above the store's limit.
hostMemory :: Store -> Limits -> IO (Maybe Memory)
hostMemory = newMemory

-- * Memory

-- | A copy of so many bytes at an address, if all are there.
readMemory :: Memory -> Int -> Int -> IO (Maybe ByteString)
readMemory m at n = do
  (block, size) <- memoryView m
  if at < 0 || n < 0 || at > size || n > size - at
    then pure Nothing
    else withForeignPtr block $ \p -> Just <$> B.packCStringLen (castPtr (p `plusPtr` at), n)

-- | Copy bytes to an address, if there is room for all.
writeMemory :: Memory -> Int -> ByteString -> IO Bool
writeMemory m at bytes = do
  (block, size) <- memoryView m
  if at < 0 || at > size || B.length bytes > size - at
    then pure False
    else True <$ withForeignPtr block (\p -> B.unsafeUseAsCStringLen bytes (uncurry (copyBytes (p `plusPtr` at))))
