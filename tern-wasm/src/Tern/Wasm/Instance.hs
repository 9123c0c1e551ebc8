-- | Instantiation: a compiled module and its imports become an instance.
--
-- The idea: chapter 4.5.4 of the specification in its order. Imports are matched
-- by type, the instance's blocks are laid out, globals and segments evaluated,
-- active segments copied, and the start function run.
--
-- Start at 'instantiate'.
module Tern.Wasm.Instance
  ( Failure (..),
    instantiate,
  )
where

import Control.Monad (forM, forM_)
import Data.ByteString qualified as B
import Data.Map.Strict qualified as Map
import Data.Maybe (catMaybes)
import Data.Text (Text)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as MV
import Data.Word (Word32, Word64)
import Foreign.ForeignPtr
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr
import Foreign.Storable
import System.IO (fixIO)
import Tern.Wasm.Binary.Instr (instructions)
import Tern.Wasm.Code
import Tern.Wasm.Error
import Tern.Wasm.Machine
import Tern.Wasm.Profile (counters)
import Tern.Wasm.Store
import Tern.Wasm.Syntax hiding (Func (..), Global (..))
import Tern.Wasm.Syntax qualified as Syntax
import Tern.Wasm.Valid

-- | Why there is no instance.
data Failure
  = Unlinked !Unlinkable
  | -- | A segment does not fit, or the start function stopped.
    Stopped !Stop
  | -- | A memory or a table beyond the store's settings.
    BeyondSettings

-- | Instantiate in a store; the function finds imports by their two names.
instantiate :: Store -> Compiled -> (Text -> Text -> Maybe Extern) -> IO (Either Failure Instance)
instantiate store compiled provide = do
  matched <- mapM (match store types provide) (V.toList (moduleImports m))
  case sequence matched of
    Left e -> pure (Left (Unlinked e))
    Right externs -> do
      tables <- mapM (newTable store) (moduleTables m)
      memories <- mapM (newMemory store) (moduleMems m)
      case (sequence tables, sequence memories) of
        (Just ts, Just ms) -> build store compiled externs ts ms
        _ -> pure (Left BeyondSettings)
  where
    m = validModule (compiledValid compiled)
    types = moduleTypes m

-- * Imports

match :: Store -> Vector FuncType -> (Text -> Text -> Maybe Extern) -> Import -> IO (Either Unlinkable Extern)
match store types provide (Import from name desc) = case provide from name of
  Nothing -> pure (Left (Unlinkable from name UnknownImport))
  Just e -> do
    fits <- case (desc, e) of
      (ImportFunc t, ExternFunc f) -> pure (funcSignature f == types V.! t && storeCount (funcStore f) == here)
      (ImportTable (TableType l k), ExternTable t) -> do
        n <- tableSize t
        pure (k == tableKind t && within l (fromIntegral n) (tableMax t) && tableOwner t == here)
      (ImportMem l, ExternMemory mem) -> do
        n <- memoryPages mem
        pure (within l (fromIntegral n) (memoryMax mem) && memoryOwner mem == here)
      (ImportGlobal t, ExternGlobal g) -> pure (t == globalKind g && globalOwner g == here)
      _ -> pure False
    pure (if fits then Right e else Left (Unlinkable from name IncompatibleImport))
  where
    here = storeCount store

-- | Whether a size and a maximum are within limits.
within :: Limits -> Word32 -> Maybe Word32 -> Bool
within (Limits low high) n most = n >= low && maybe True (\h -> maybe False (<= h) most) high

-- * Building

build :: Store -> Compiled -> [Extern] -> Vector Table -> Vector Memory -> IO (Either Failure Instance)
build store compiled externs newTables newMemories = do
  block <- zeroed (layoutSize at)
  code <- zeroed (8 * V.length (spaceFuncs sp))
  records <- zeroed (funcSize * V.length (moduleFuncs m))
  elems <- V.thaw (V.map (const V.empty) (moduleElems m))
  datas <- V.thaw (V.map dataInit (moduleDatas m))
  let cell k = layoutGlobals at + 16 * k
      ownGlobals =
        V.imap
          (\k g -> Global (storeCount store) (Syntax.globalType g) (block `plusForeignPtr` cell (k + V.length importedGlobals)))
          (moduleGlobals m)
      externOf funcs = \case
        ExportFunc x -> ExternFunc (funcs V.! x)
        ExportTable x -> ExternTable (tables V.! x)
        ExportMem x -> ExternMemory (memories V.! x)
        ExportGlobal x -> ExternGlobal ((importedGlobals <> ownGlobals) V.! x)
  i <- fixIO $ \self -> do
    own <- forM (V.indexed (moduleFuncs m)) $ \(k, f) ->
      newFunc
        store
        (moduleTypes m V.! Syntax.funcType f)
        (OwnFunc self (k + V.length importedFuncs))
        (address block)
        (records `plusForeignPtr` (funcSize * k))
    let funcs = importedFuncs <> own
    pure
      Instance
        { instanceCompiled = compiled,
          instanceStore = store,
          instanceBlock = block,
          instanceCode = code,
          instanceFuncs = funcs,
          instanceTables = tables,
          instanceMemory = memories V.!? 0,
          instanceGlobals = importedGlobals <> ownGlobals,
          instanceElems = elems,
          instanceDatas = datas,
          instanceExports = Map.fromList [(name, externOf funcs d) | Export name d <- V.toList (moduleExports m)]
        }
  keep store i
  withForeignPtr block $ \p -> do
    pokeByteOff p instCode (address code)
    mapM_ (pokeByteOff p instCounters . address . counters) (compiledProfile compiled)
    V.imapM_ (\k t -> typeNumber store t >>= pokeByteOff p (layoutTypes at + 8 * k)) (moduleTypes m)
    V.imapM_ (\k t -> pokeByteOff p (layoutTables at + 8 * k) (address (tableRecord t))) tables
    V.imapM_ (\k f -> pokeByteOff p (layoutFuncs at + 8 * k) (funcAddress f)) (instanceFuncs i)
    V.imapM_ (\k g -> pokeByteOff p (cell k) (address (globalBlock g))) importedGlobals
  withForeignPtr code $ \p -> forM_ [V.length importedFuncs .. V.length (spaceFuncs sp) - 1] $ \x ->
    pokeByteOff p (8 * x) (stubOf compiled x)
  V.forM_ (V.zip (moduleGlobals m) ownGlobals) $ \(g, own) ->
    withForeignPtr (globalBlock own) $ \p -> constant i (Syntax.globalInit g) >>= put p
  V.iforM_ (moduleElems m) $ \k e -> do
    values <- V.mapM (fmap fst . constant i) (elemInit e)
    MV.write elems k values
  active <- activeSegments i
  case active of
    Left e -> pure (Left e)
    Right () -> case moduleStart m of
      Nothing -> pure (Right i)
      Just x ->
        either (Left . Stopped) (const (Right i))
          <$> call store (instanceFuncs i V.! x) (const (pure ())) (const (pure ()))
  where
    m = validModule (compiledValid compiled)
    sp = validSpaces (compiledValid compiled)
    at = compiledLayout compiled
    tables = V.fromList [t | ExternTable t <- externs] <> newTables
    memories = V.fromList [x | ExternMemory x <- externs] <> newMemories
    importedFuncs = V.fromList [f | ExternFunc f <- externs]
    importedGlobals = V.fromList [g | ExternGlobal g <- externs]
    put p (low, high) = pokeByteOff p 0 low >> pokeByteOff p 8 high

address :: ForeignPtr a -> Ptr ()
address = castPtr . unsafeForeignPtrToPtr

-- | The value of a constant expression, as one slot or two.
constant :: Instance -> Expr -> IO (Word64, Word64)
constant i e = case map snd (instructions e) of
  I32Const v : _ -> pure (fromIntegral (fromIntegral v :: Word32), 0)
  I64Const v : _ -> pure (fromIntegral v, 0)
  F32Const v : _ -> pure (fromIntegral v, 0)
  F64Const v : _ -> pure (v, 0)
  V128Const low high : _ -> pure (low, high)
  RefFunc x : _ -> pure (fromIntegral (ptrToWordPtr (funcAddress (instanceFuncs i V.! x))), 0)
  GlobalGet x : _ -> withForeignPtr (globalBlock (instanceGlobals i V.! x)) $ \p ->
    (,) <$> peekByteOff p 0 <*> peekByteOff p 8
  _ -> pure (0, 0)

-- | Copy the active segments to their tables and memories. By the first edition
-- all of them are checked before any is copied, and one that does not fit makes
-- the module unlinkable.
activeSegments :: Instance -> IO (Either Failure ())
activeSegments i = do
  elems <- fmap catMaybes . forM (V.toList (V.indexed (moduleElems m))) $ \(k, e) -> case elemMode e of
    ElemActive x offset -> do
      to <- offsetOf offset
      values <- MV.read (instanceElems i) k
      MV.write (instanceElems i) k V.empty
      let t = instanceTables i V.! x
      pure $
        Just
          ( (\size -> to + V.length values <= size) <$> tableSize t,
            initTable t to values 0 (V.length values)
          )
    ElemDeclarative -> Nothing <$ MV.write (instanceElems i) k V.empty
    ElemPassive -> pure Nothing
  datas <- fmap catMaybes . forM (V.toList (V.indexed (moduleDatas m))) $ \(k, d) -> case dataMode d of
    DataActive _ offset -> do
      to <- offsetOf offset
      MV.write (instanceDatas i) k B.empty
      let n = B.length (dataInit d)
      pure $
        Just
          ( maybe (pure False) (fmap (\(_, size) -> to + n <= size) . memoryView) (instanceMemory i),
            initMemory i to (dataInit d) 0 n
          )
    DataPassive -> pure Nothing
  let segments = elems <> datas
  fit <- if rules == Rules1 then and <$> mapM fst segments else pure True
  if fit
    then copyAll (map snd segments)
    else pure (Left (Unlinked (Unlinkable mempty mempty SegmentDoesNotFit)))
  where
    m = validModule (compiledValid (instanceCompiled i))
    rules = spaceRules (validSpaces (compiledValid (instanceCompiled i)))
    offsetOf e = fromIntegral . (fromIntegral :: Word64 -> Word32) . fst <$> constant i e
    copyAll [] = pure (Right ())
    copyAll (s : rest) = s >>= maybe (copyAll rest) (pure . Left . Stopped . Trapped)
