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

import Control.Monad (zipWithM)
import Data.Bifunctor (first)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as B
import Data.IORef (readIORef, writeIORef)
import Data.IntMap.Strict qualified as IntMap
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isJust)
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector.Mutable qualified as MV
import GHC.Clock (getMonotonicTime)
import Tern.Wasm.Binary (decodeBy, decodeLazily)
import Tern.Wasm.Code (Lowered (..))
import Tern.Wasm.Compiled (Compiled (..), compile)
import Tern.Wasm.Error
import Tern.Wasm.Host (Guest (..), Host, Row, Scalar, hostCode)
import Tern.Wasm.Instance (Failure (..))
import Tern.Wasm.Instance qualified as Instance
import Tern.Wasm.Interface (ExternType (..), exportTypes, importTypes)
import Tern.Wasm.Lasting (at, holding, lasting)
import Tern.Wasm.Layout (funcSize)
import Tern.Wasm.Lower (Options (..))
import Tern.Wasm.Machine (Stop, Suspended)
import Tern.Wasm.Machine qualified as Machine
import Tern.Wasm.Machine.Unwind (TraceEntry (..))
import Tern.Wasm.Metered (Metered, Outcome (..), price)
import Tern.Wasm.Native (Tier (..), available)
import Tern.Wasm.Prim (Ptr, castPtr, copyBytes, nullPtr, plusPtr)
import Tern.Wasm.Profile (newProfile, totals)
import Tern.Wasm.Profile qualified as Profile
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
import Tern.Wasm.Text.Parse (assemble, renderTextError)
import Tern.Wasm.Valid
  ( Rules (..),
    Spaces (..),
    Valid (..),
    validateBy,
    validateLazily,
    validateSoon,
  )
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

-- * Errors

-- | Why something did not work, by the specification's phases.
data Error
  = MalformedModule !Malformed
  | -- | A text that is no module: line and column, and what was expected.
    MalformedText !Text
  | InvalidModule !Invalid
  | UnlinkableModule !Unlinkable
  | -- | More than the store's settings allow, all told.
    TooLarge
  | -- | With the innermost functions, those that were called last before.
    Trapped !Trap ![TraceEntry]
  | Exhausted !Exhaustion ![TraceEntry]
  | -- | An exception that nothing caught, and its values.
    UncaughtException !Tag ![Value] ![TraceEntry]
  | -- | The fuel is used up; see 'continue'.
    OutOfFuel !Suspended
  | -- | A suspended call that has gone on before: 'continue' once.
    AlreadyContinued
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
  TooLarge -> T.pack "the module needs more memory, tables or other room than the store is allowed"
  Trapped t _ -> T.pack "trap: " <> renderTrap t
  Exhausted e _ -> renderExhaustion e
  UncaughtException _ values _ ->
    T.pack "an exception with values of types "
      <> renderTypes (map valueType values)
      <> T.pack " was not caught"
  OutOfFuel _ -> renderExhaustion FuelExhausted
  AlreadyContinued -> T.pack "a suspended call has gone on before, and cannot a second time"
  NoExport name ->
    T.concat [T.pack "there is no export \"", renderName name, T.pack "\" of that kind"]
  ArgumentsDiffer expected given ->
    T.concat
      [ T.pack
          "the function takes ",
        renderTypes expected,
        T.pack ", was given ",
        renderTypes given
      ]
  ExportDiffers name wanted found ->
    T.concat
      [ T.pack
          "the export \"",
        renderName name,
        T.pack "\" is a function ",
        arrow found,
        T.pack ", not ",
        arrow wanted
      ]
  OtherStore -> T.pack "a value belongs to another store"
  where
    arrow (FuncType ps rs) = T.concat [renderTypes ps, T.pack " -> ", renderTypes rs]

-- | Where a computation was when it stopped, innermost first.
errorTrace :: Error -> [TraceEntry]
errorTrace = \case
  Trapped _ places -> places
  Exhausted _ places -> places
  UncaughtException _ _ places -> places
  _ -> []

-- | A place in one line: the function's name or index, and the instruction's
-- offset in the module.
renderPlace :: TraceEntry -> Text
renderPlace (TraceEntry x name offset) =
  T.concat
    [ maybe
        (T.pack ("function " <> show x))
        ( \n ->
            T.concat [renderName n, T.pack (" (function " <> show x <> ")")]
        )
        name,
      maybe T.empty (\o -> T.pack (" at byte " <> show o)) offset
    ]

-- * Modules

-- | Decode and validate; functions are lowered when they are first called.
load :: ByteString -> IO (Either Error Compiled)
load = loadWith defaultLoading

-- | The same by the rules of an edition of the specification.
loadBy :: Rules -> ByteString -> IO (Either Error Compiled)
loadBy rules = loadWith defaultLoading {loadingRules = rules}

-- | How to load a module.
data Loading = Loading
  { -- | The edition by whose rules it is judged.
    loadingRules :: !Rules,
    -- | Count what its instances run, at some cost of time.
    loadingProfile :: !Bool,
    -- | Every NaN that an operator makes is the canonical one, so that results
    -- are the same on every machine; costs an instruction for each such operator.
    loadingCanonicalNaNs :: !Bool,
    -- | Look at each function when it is first called, not now: a large module
    -- starts much sooner, and a function that is malformed or invalid is a trap
    -- where it is called ('BrokenFunction').
    loadingLazily :: !Bool,
    -- | How its functions are run.
    loadingTier :: !Tier
  }
  deriving stock (Eq, Show)

-- | By the third edition; without counting; NaNs as the machine makes them; all
-- functions checked; native code for what runs long, where there is any.
defaultLoading :: Loading
defaultLoading = Loading Rules3 False False False Auto

-- | The same with choices of one's own.
loadWith :: Loading -> ByteString -> IO (Either Error Compiled)
loadWith how bytes = case checked of
  Left e -> pure (Left e)
  Right v -> do
    profile <- if loadingProfile how then Just <$> newProfile (B.length bytes) else pure Nothing
    Right <$> compile (Options profile (loadingCanonicalNaNs how) Nothing tier) v
  where
    rules = loadingRules how
    tier = if available then loadingTier how else Interpreter
    checked
      | loadingLazily how = do
          m <- first MalformedModule (decodeLazily rules bytes)
          first InvalidModule (validateLazily rules m)
      -- What is not soon found to be right is looked at once more, for what is
      -- wrong with it: malformed bytes anywhere come before what is invalid.
      | Right m <- decodeLazily rules bytes,
        Just v <- validateSoon rules m =
          Right v
      | otherwise = do
          m <- first MalformedModule (decodeBy rules bytes)
          first InvalidModule (validateBy rules m)

-- | Load a module in the text format.
loadText :: ByteString -> IO (Either Error Compiled)
loadText source =
  either (pure . Left . MalformedText . renderTextError source) load (assemble source)

-- | The binary module that bytes hold in either format: what does not begin as a
-- binary module is taken for text.
binaryOf :: ByteString -> Either Error ByteString
binaryOf bytes
  | B.pack [0, 0x61, 0x73, 0x6D] `B.isPrefixOf` bytes = Right bytes
  | otherwise = either (Left . MalformedText . renderTextError bytes) Right (assemble bytes)

-- | Load a module whose instances count what they run, at some cost of time.
loadProfiled :: ByteString -> IO (Either Error Compiled)
loadProfiled = loadWith defaultLoading {loadingProfile = True}

-- | What the instances of a module have run, by function; empty unless it was
-- loaded by 'loadProfiled'.
profileOf :: Compiled -> IO [Profile.Entry]
profileOf = maybe (pure []) totals . optionProfile . compiledOptions

-- | What the module's name section calls a function, by its index.
functionName :: Compiled -> Int -> Maybe Text
functionName m x = IntMap.lookup x (compiledNames m)

-- | The functions of a module that have native code by now, by their index.
nativeFunctions :: Compiled -> IO [Int]
nativeFunctions m = do
  lowered <- mapM (MV.read (compiledCode m)) [0 .. MV.length (compiledCode m) - 1]
  pure
    [ k + spaceImportedFuncs (validSpaces (compiledValid m))
      | (k, Just l) <-
          zip [0 ..] lowered,
        isJust (loweredNative l)
    ]

-- | From now on look after every @n@ jumps and calls (an @n@ below 1 counts as 1)
-- which functions are open. The samples are the same on every run of the same program.
sampleStacks :: Store -> Int -> IO ()
sampleStacks store n = do
  writeIORef (storeSlice store) (max 1 n)
  writeIORef (storeSamples store) (Just Map.empty)

-- | How often each row of open functions was found, the outermost first.
stackSamples :: Store -> IO (Map [Text] Int)
stackSamples store = fromMaybe Map.empty <$> readIORef (storeSamples store)

-- * Stores

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
-- a store, and so under no deadline but that of 'inTime'.
setDeadline :: Store -> Maybe Double -> IO ()
setDeadline store seconds = do
  now <- getMonotonicTime
  writeIORef (storeDeadline store) (fmap (now +) seconds)

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

stopped :: Stop -> Error
stopped = \case
  Machine.Trapped t places -> Trapped t places
  Machine.Exhausted e places -> Exhausted e places
  Machine.OutOfFuel s -> OutOfFuel s
  Machine.Spent -> AlreadyContinued
  Machine.Uncaught tag values places -> UncaughtException tag values places

-- | What came of a call.
finished :: Either Stop a -> Either Error a
finished = first stopped

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
      chargeHeap store costOfGlobal >>= \there ->
        if there
          then Just <$> make
          else pure Nothing
  where
    make = do
      g <- newGlobal store (GlobalType m (valueType v))
      g <$ at (globalBlock g) (`writeValue` v)

-- | A table of nulls; 'Nothing' above the store's limit.
hostTable :: Store -> TableType -> IO (Maybe Table)
hostTable = newTable

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
