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

import Control.Exception (evaluate, mask_)
import Control.Monad (forM, forM_, unless, when, (>=>))
import Control.Monad.Trans.Class (lift)
import Control.Monad.Trans.Except (ExceptT (..), runExceptT, throwE)
import Data.IORef (atomicModifyIORef', readIORef, writeIORef)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isNothing)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as MV
import Data.Word (Word64)
import System.IO (fixIO)
import Tern.Wasm.Allowance (giveBack, left)
import Tern.Wasm.Collect (collectSoon, stillFull)
import Tern.Wasm.Compiled (Compiled (..), stubOf)
import Tern.Wasm.Error (Exhaustion (..), Unlinkable (..), UnlinkableReason (..))
import Tern.Wasm.Instance.Constant (constant)
import Tern.Wasm.Instance.Segment (Failure (..), activeSegments)
import Tern.Wasm.Lasting (Lasting, address, at, beside, keep, lasting, record)
import Tern.Wasm.Layout (Layout (..), funcSize, instCode, instCounters)
import Tern.Wasm.Lower (Options (..))
import Tern.Wasm.Machine (Stop (..), call, isLate, owning, within)
import Tern.Wasm.Native (Tier (..), callStub)
import Tern.Wasm.Prim (Ptr, pokeByteOff)
import Tern.Wasm.Profile (counters)
import Tern.Wasm.Settings (Account (..))
import Tern.Wasm.Store
  ( Extern (..),
    Func (..),
    FuncBody (..),
    Global (..),
    Instance (..),
    Memory (..),
    Roots (..),
    Store (..),
    Table (..),
    Tag (..),
    chargeHeap,
    costOfFunction,
    costOfGlobal,
    costOfPart,
    fillTable,
    funcAddress,
    memoryPages,
    newFunc,
    newMemory,
    newTable,
    newTag,
    refundHeap,
    tableSize,
    tracing,
    typeNumbers,
    typeOfNumber,
    zeroed,
  )
import Tern.Wasm.Syntax hiding (Func (..), Global (..), Table (..))
import Tern.Wasm.Syntax qualified as Syntax
import Tern.Wasm.Valid (Spaces (..), Valid (..), funcTypeAt)

-- | Instantiate in a store; the function finds imports by their two names. No code of
-- the store runs in another thread meanwhile. It ends with the time of the store: what was
-- made by then is nobody's, and what was copied to imports stays.
instantiate :: Store -> Compiled -> (Text -> Text -> Maybe Extern) -> IO (Either Failure Instance)
instantiate store compiled provide = owning store $ do
  -- Its constants are made where nobody looks for references.
  readIORef (storeTop store) >>= \top ->
    collectSoon store (not <$> isLate store) top (costOf compiled)
  made <- within store $ do
    room <- left (accountHeap (storeAccount store))
    -- Its types are the store's from here on.
    if costOf compiled > room then pure (Left BeyondSettings) else linked store compiled provide
  case made of
    Nothing -> pure (Left (Stopped (Exhausted TimeExhausted [])))
    Just (Left BeyondSettings) -> Left BeyondSettings <$ stillFull store
    Just (Left e) -> pure (Left e)
    Just (Right i) -> started i

-- | Run the start function, which looks at limits itself.
started :: Instance -> IO (Either Failure Instance)
started i = case moduleStart (validModule (compiledValid (instanceCompiled i))) of
  Nothing -> pure (Right i)
  Just x ->
    either (Left . Stopped) (const (Right i))
      <$> call (instanceStore i) (instanceFuncs i V.! x) (const (pure ())) (const (pure ()))

linked :: Store -> Compiled -> (Text -> Text -> Maybe Extern) -> IO (Either Failure Instance)
linked store compiled provide =
  numbersIn store compiled >>= maybe (pure (Left BeyondSettings)) (joined store compiled provide)

-- | The same when its types have numbers.
joined ::
  Store ->
  Compiled ->
  (Text -> Text -> Maybe Extern) ->
  Vector Int ->
  IO (Either Failure Instance)
joined store compiled provide numbers = do
  known <- typeOfNumber store
  let own = fromMaybe (-1) . (numbers V.!?)
      ref r = case renumber own (Ref r) of
        Ref r' -> r'
        _ -> r
  matched <- mapM (match store known own provide) (V.toList (moduleImports m))
  case sequence matched of
    Left e -> pure (Left (Unlinked e))
    Right externs ->
      roomFor store compiled >>= \case
        False -> pure (Left BeyondSettings)
        True -> do
          memories <- mapM (newMemory store) (moduleMems m)
          tables <-
            if any isNothing memories
              then pure V.empty
              else
                mapM
                  ( \t ->
                      newTable
                        store
                        (Syntax.tableType t) {tableRef = ref (tableRef (Syntax.tableType t))}
                  )
                  (moduleTables m)
          case (sequence tables, sequence memories) of
            (Just ts, Just ms) -> build store compiled known numbers externs ts ms
            _ ->
              Left BeyondSettings
                <$ unmade store compiled (V.catMaybes tables) (V.catMaybes memories)
  where
    m = validModule (compiledValid compiled)

-- | Give back what an instance was to have, and what was charged for it: the system had no room
-- for all. Nobody has seen it.
unmade :: Store -> Compiled -> Vector Table -> Vector Memory -> IO ()
unmade store compiled tables memories = mask_ $ do
  forM_ memories $ \x -> memoryPages x >>= giveBack (memoryAllowance x)
  forM_ tables $ \t -> tableSize t >>= giveBack (tableAllowance t)
  atomicModifyIORef' (storeRoots store) $ \roots ->
    (roots {rootTables = filter stays (rootTables roots)}, ())
  refundHeap store (costOf compiled)
  where
    stays t = Set.notMember (place t) gone
    gone = Set.fromList (map place (V.toList tables))
    place :: Table -> Ptr ()
    place = address . record . tableBlock

-- | Whether the store has room for an instance of a module: what its memories and
-- tables begin with is looked at, so that of what is too large nothing is made; what
-- the rest takes is charged.
roomFor :: Store -> Compiled -> IO Bool
roomFor store compiled = do
  pages <- left (accountPages (storeAccount store))
  elements <- left (accountElements (storeAccount store))
  if sum (map (least . memoryLimits) (V.toList (moduleMems m))) > toInteger pages
    || sum
      ( map
          (least . tableLimits . Syntax.tableType)
          (V.toList (moduleTables m))
      )
      > toInteger elements
    then pure False
    else chargeHeap store (costOf compiled)
  where
    m = validModule (compiledValid compiled)
    least (Limits low _) = toInteger low

-- | What an instance takes of the host's memory, in bytes and about. Linear in what
-- the module has.
costOf :: Compiled -> Int
costOf compiled =
  layoutSize (compiledLayout compiled)
    + costOfFunction * functionCount (moduleFuncs m)
    + costOfGlobal * V.length (moduleGlobals m)
    + costOfPart
      * ( V.length (moduleTables m)
            + V.length (moduleMems m)
            + V.length (moduleTags m)
            + V.length (moduleElems m)
            + V.length (moduleDatas m)
            + V.length (moduleImports m)
            + V.length (moduleExports m)
        )
    + costOfType * V.length (spaceTypes (validSpaces (compiledValid compiled)))
    + sum (fmap ((costOfElement *) . V.length . elemInit) (moduleElems m))
  where
    m = validModule (compiledValid compiled)
    -- A value of its own and its place.
    costOfElement = 24
    costOfType = 300

-- | The numbers of the module's types in the store; those of the store before are
-- remembered, so that instances after the first cost nothing here. 'Nothing' where the store
-- has no room for what it is to know of them.
numbersIn :: Store -> Compiled -> IO (Maybe (Vector Int))
numbersIn store compiled =
  readIORef (compiledNumbers compiled) >>= \case
    Just (owner, numbers) | owner == storeCount store -> pure (Just numbers)
    _ -> do
      paid <- chargeHeap store (costOfField * compiledParts compiled)
      if paid then Just <$> new else pure Nothing
  where
    new = do
      numbers <- typeNumbers store (validSpaces (compiledValid compiled))
      writeIORef (compiledNumbers compiled) (Just (storeCount store, numbers))
      pure numbers
    -- A parameter, a result or a field of a type, where the store keeps it.
    costOfField = 200

-- * Imports

match ::
  Store ->
  Known ->
  (Index -> Int) ->
  (Text -> Text -> Maybe Extern) ->
  Import ->
  IO (Either Unlinkable Extern)
match store known own provide (Import from name desc) = case provide from name of
  Nothing -> pure (Left (Unlinkable from name UnknownImport))
  Just e -> do
    fits <- case (desc, e) of
      (ImportFunc t, ExternFunc f) ->
        pure
          ( matchesHeap known (Defined (funcTypeNumber f)) (Defined (own t))
              && storeCount (funcStore f) == here
          )
      (ImportTable (TableType a l k), ExternTable t) -> do
        n <- tableSize t
        pure
          ( renumber own (Ref k) == Ref (tableKind t)
              && a == tableAddressing t
              && inside l (fromIntegral n) (tableMax t)
              && tableOwner t == here
          )
      (ImportMem (MemoryType a l), ExternMemory mem) -> do
        n <- memoryPages mem
        pure
          ( a == memoryAddressing mem
              && inside l (fromIntegral n) (memoryMax mem)
              && memoryOwner mem == here
          )
      (ImportGlobal (GlobalType mut t), ExternGlobal g) ->
        let t' = renumber own t
            GlobalType mut' found = globalKind g
         in pure
              ( mut == mut'
                  && (if mut == Const then matches known found t' else found == t')
                  && globalOwner g == here
              )
      (ImportTag t, ExternTag tag) -> pure (own t == tagTypeNumber tag && tagOwner tag == here)
      _ -> pure False
    pure (if fits then Right e else Left (Unlinkable from name IncompatibleImport))
  where
    here = storeCount store

-- | Whether a size and a maximum are within limits.
inside :: Limits -> Word64 -> Maybe Word64 -> Bool
inside (Limits low high) n most = n >= low && maybe True (\h -> maybe False (<= h) most) high

-- * Building

build ::
  Store ->
  Compiled ->
  Known ->
  Vector Int ->
  [Extern] ->
  Vector Table ->
  Vector Memory ->
  IO (Either Failure Instance)
build store compiled known numbers externs newTables newMemories = do
  block <- zeroed (layoutSize places) >>= lasting (storeKeeper store)
  code <- zeroed (8 * V.length (spaceFuncs sp)) >>= lasting (storeKeeper store)
  records <- zeroed (funcSize * functionCount (moduleFuncs m)) >>= lasting (storeKeeper store)
  elems <- V.thaw (V.map (const V.empty) (moduleElems m))
  datas <- V.thaw (V.map dataInit (moduleDatas m))
  ownTags <- forM (moduleTags m) $ \t -> newTag store (numbers V.! t) (inStore (funcTypeAt sp t))
  let cell k = layoutGlobals places + 16 * k
      ownGlobals =
        V.imap
          ( \k g ->
              Global
                (storeCount store)
                (ofStore (Syntax.globalType g))
                (block `beside` cell (k + V.length importedGlobals))
          )
          (moduleGlobals m)
      -- One for each type, that functions share with the store.
      signatures = V.map (signature . known) numbers
      signature = \case
        Just (SubType _ _ (CompFunc ft)) -> ft
        _ -> FuncType [] []
      externOf funcs = \case
        ExportFunc x -> ExternFunc (funcs V.! x)
        ExportTable x -> ExternTable (tables V.! x)
        ExportMem x -> ExternMemory (memories V.! x)
        ExportTag x -> ExternTag ((importedTags <> ownTags) V.! x)
        ExportGlobal x -> ExternGlobal ((importedGlobals <> ownGlobals) V.! x)
  forM_ (V.indexed (moduleElems m)) $ \(k, e) ->
    tracing store (renumber own (Ref (elemType e))) $ \roots ->
      roots {rootSegments = (k, elems) : rootSegments roots}
  forM_ ownGlobals $ \g ->
    tracing store (globalValue (globalKind g)) $ \roots ->
      roots {rootCells = globalBlock g : rootCells roots}
  i <- fixIO $ \self -> do
    functions <- V.generateM (functionCount (moduleFuncs m)) $ \k -> do
      let t = functionTypeAt (moduleFuncs m) k
      newFunc
        store
        (signatures V.! t)
        (numbers V.! t)
        (OwnFunc self (k + V.length importedFuncs))
        (addressOf block)
        (records `beside` (funcSize * k))
    let funcs = importedFuncs <> functions
    pure
      Instance
        { instanceCompiled = compiled,
          instanceStore = store,
          instanceBlock = block,
          instanceCode = code,
          instanceFuncs = funcs,
          instanceTables = tables,
          instanceMemories = memories,
          instanceTags = importedTags <> ownTags,
          instanceTypes = numbers,
          instanceGlobals = importedGlobals <> ownGlobals,
          instanceElems = elems,
          instanceDatas = datas,
          instanceExports =
            Map.fromList [(name, externOf funcs d) | Export name d <- V.toList (moduleExports m)]
        }
  keep (storeKeeper store) i
  at block $ \p -> do
    pokeByteOff p instCode (addressOf code)
    mapM_
      ( lasting (compiledKeeper compiled) . counters
          >=> pokeByteOff p instCounters . addressOf
      )
      (optionProfile (compiledOptions compiled))
    V.imapM_ (\k n -> pokeByteOff p (layoutTypes places + 8 * k) n) numbers
    V.imapM_
      ( \k x ->
          pokeByteOff p (layoutMems places + 8 * k) (addressOf (record (memoryBlock x)))
      )
      memories
    V.imapM_
      ( \k t ->
          pokeByteOff p (layoutTables places + 8 * k) (addressOf (record (tableBlock t)))
      )
      tables
    V.imapM_ (\k f -> pokeByteOff p (layoutFuncs places + 8 * k) (funcAddress f)) (instanceFuncs i)
    V.imapM_ (\k g -> pokeByteOff p (cell k) (addressOf (globalBlock g))) importedGlobals
  at code $ \p -> forM_ [V.length importedFuncs .. V.length (spaceFuncs sp) - 1] $ \x ->
    pokeByteOff p (8 * x) (stubOf compiled x)
  when (optionTier (compiledOptions compiled) /= Interpreter) . at block $ \p ->
    forM_ [V.length importedFuncs .. V.length (spaceFuncs sp) - 1] $ \x ->
      pokeByteOff p (layoutNative places + 8 * x) callStub
  either (Left . Stopped) id <$> runExceptT (prepare i (externTables externs))
  where
    prepare i imported = do
      forM_ (V.zip (moduleTables m) (V.drop imported tables)) $ \(t, table) ->
        forM_ (Syntax.tableInit t) $ \e -> do
          (v, _) <- ExceptT (constant i e)
          filled <- lift (fillTable (not <$> isLate store) table v)
          unless filled (throwE (Exhausted TimeExhausted []))
      V.forM_
        ( V.zip
            (moduleGlobals m)
            (V.drop (V.length importedGlobals) (instanceGlobals i))
        )
        $ \(g, cellOf) -> do
          v <- ExceptT (constant i (Syntax.globalInit g))
          lift (at (globalBlock cellOf) (`put` v))
      V.iforM_ (moduleElems m) $ \k e -> do
        values <- V.mapM (fmap fst . ExceptT . constant i) (elemInit e)
        -- Whoever copies from it first must not be the one who makes it, also where the making
        -- of the instance ends before the segment's turn.
        lift (evaluate values >>= MV.write (instanceElems i) k)
      (i <$) <$> lift (activeSegments i)
    externTables es = length [() | ExternTable _ <- es]
    inStore (FuncType ps rs) = FuncType (map (renumber own) ps) (map (renumber own) rs)
    ofStore (GlobalType mut t) = GlobalType mut (renumber own t)
    own = fromMaybe (-1) . (numbers V.!?)
    m = validModule (compiledValid compiled)
    sp = validSpaces (compiledValid compiled)
    places = compiledLayout compiled
    tables = V.fromList [t | ExternTable t <- externs] <> newTables
    memories = V.fromList [x | ExternMemory x <- externs] <> newMemories
    importedFuncs = V.fromList [f | ExternFunc f <- externs]
    importedGlobals = V.fromList [g | ExternGlobal g <- externs]
    importedTags = V.fromList [t | ExternTag t <- externs]
    put :: Ptr () -> (Word64, Word64) -> IO ()
    put p (low, high) = pokeByteOff p 0 low >> pokeByteOff p 8 high
    addressOf :: Lasting -> Ptr ()
    addressOf = address
