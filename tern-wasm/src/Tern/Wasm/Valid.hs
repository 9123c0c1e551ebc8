{-# LANGUAGE OverloadedStrings #-}

-- | Validation: the only way to a module that can be lowered and run.
--
-- The idea: a 'Valid' module cannot be made otherwise, so that what comes after
-- relies on its types without asking again. It carries the index spaces with
-- imports first, which every later stage needs.
--
-- Start at 'validate'; the bodies are checked in "Tern.Wasm.Valid.Body".
module Tern.Wasm.Valid
  ( Valid,
    validate,
    validateBy,
    Rules (..),
    validModule,
    validSpaces,
    Spaces (..),
  )
where

import Control.Monad (unless, when)
import Data.Foldable (forM_)
import Data.IntSet qualified as IntSet
import Data.Maybe (fromMaybe)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Tern.Wasm.Binary.Instr (instructions)
import Tern.Wasm.Error
import Tern.Wasm.Syntax
import Tern.Wasm.Valid.Body
import Tern.Wasm.Valid.Spaces

-- | A module that passed 'validate', with its index spaces.
data Valid = Valid
  { validModule :: !Module,
    validSpaces :: !Spaces
  }

-- | The module, or the first thing that is wrong with it. Linear in the bytes
-- of the bodies, up to a logarithm of their nesting.
validate :: Module -> Either Invalid Valid
validate = validateBy Rules2

-- | The same by the rules of an edition.
validateBy :: Rules -> Module -> Either Invalid Valid
validateBy rules m = do
  forM_ (indexed (moduleTypes m)) $ \(x, FuncType params results) -> do
    within "type" x "parameters" 1000 (length params)
    within "type" x "results" (if rules == Rules1 then 1 else 1000) (length results)
  forM_ (indexed (moduleImports m)) $ \(x, i) -> case importDesc i of
    ImportFunc t -> known "import" x "type" t (moduleTypes m)
    ImportTable t -> tableLimits_ "import" x t
    ImportMem l -> memLimits "import" x l
    ImportGlobal _ -> Right ()
  forM_ (indexed (moduleFuncs m)) $ \(x, f) -> known "function" (x + imported) "type" (funcType f) (moduleTypes m)
  forM_ (indexed (moduleTables m)) $ uncurry (tableLimits_ "table")
  forM_ (indexed (moduleMems m)) $ uncurry (memLimits "memory")
  when (rules == Rules1) (within "table" 1 "tables" 1 (V.length (spaceTables spaces)))
  when (V.length (spaceMems spaces) > 1) (Left (Invalid (InPart "memory" 1) MultipleMemories))
  forM_ (indexed (moduleGlobals m)) $ \(x, g) ->
    constant spaces "global" x (globalValue (globalType g)) (globalInit g)
  forM_ (indexed (moduleElems m)) $ \(x, e) -> do
    forM_ (elemInit e) (constant spaces "element segment" x (Ref (elemType e)))
    case elemMode e of
      ElemActive t offset -> do
        known "element segment" x "table" t (spaceTables spaces)
        let table = spaceTables spaces V.! t
        when (tableRef table /= elemType e) $
          Left (Invalid (InPart "element segment" x) (TypeMismatch [Ref (tableRef table)] [Just (Ref (elemType e))]))
        constant spaces "element segment" x I32 offset
      _ -> Right ()
  forM_ (indexed (moduleDatas m)) $ \(x, d) -> case dataMode d of
    DataActive k offset -> do
      known "data segment" x "memory" k (spaceMems spaces)
      constant spaces "data segment" x I32 offset
    DataPassive -> Right ()
  forM_ (moduleStart m) $ \x -> do
    known "start" 0 "function" x (spaceFuncs spaces)
    when (spaceFuncs spaces V.! x /= FuncType [] []) (Left (Invalid (InPart "start" 0) BadStartType))
  exports spaces (moduleExports m)
  forM_ (indexed (moduleFuncs m)) $ \(x, f) -> body spaces (x + imported) f
  Right (Valid m spaces)
  where
    spaces = spacesOf rules m
    imported = spaceImportedFuncs spaces

indexed :: Vector a -> [(Int, a)]
indexed = V.toList . V.indexed

known :: Text -> Index -> Text -> Index -> Vector a -> Either Invalid ()
known part x what i v = unless (i < V.length v) (Left (Invalid (InPart part x) (Unknown what i)))

within :: Text -> Index -> Text -> Int -> Int -> Either Invalid ()
within part x what most n = when (n > most) (Left (Invalid (InPart part x) (BeyondLimit what most)))

tableLimits_ :: Text -> Index -> TableType -> Either Invalid ()
tableLimits_ part x (TableType (Limits low high) _) =
  when (maybe False (< low) high) (Left (Invalid (InPart part x) BadLimits))

memLimits :: Text -> Index -> Limits -> Either Invalid ()
memLimits part x (Limits low high) =
  when (low > 65536 || maybe False (\h -> h > 65536 || h < low) high) $
    Left (Invalid (InPart part x) BadLimits)

exports :: Spaces -> Vector Export -> Either Invalid ()
exports spaces = go Set.empty . indexed
  where
    go _ [] = Right ()
    go seen ((x, Export name desc) : rest) = do
      when (Set.member name seen) (Left (Invalid (InPart "export" x) (DuplicateExport name)))
      case desc of
        ExportFunc i -> known "export" x "function" i (spaceFuncs spaces)
        ExportTable i -> known "export" x "table" i (spaceTables spaces)
        ExportMem i -> known "export" x "memory" i (spaceMems spaces)
        ExportGlobal i -> known "export" x "global" i (spaceGlobals spaces)
      go (Set.insert name seen) rest

spacesOf :: Rules -> Module -> Spaces
spacesOf rules m =
  Spaces
    { spaceRules = rules,
      spaceTypes = types,
      spaceFuncs = V.fromList [typeAt t | ImportFunc t <- descs] <> fmap (typeAt . funcType) (moduleFuncs m),
      spaceImportedFuncs = length [() | ImportFunc _ <- descs],
      spaceTables = V.fromList [t | ImportTable t <- descs] <> moduleTables m,
      spaceMems = V.fromList [l | ImportMem l <- descs] <> moduleMems m,
      spaceGlobals = V.fromList [t | ImportGlobal t <- descs] <> fmap globalType (moduleGlobals m),
      spaceImportedGlobals = length [() | ImportGlobal _ <- descs],
      spaceElems = fmap elemType (moduleElems m),
      spaceDatas = V.length (moduleDatas m),
      spaceDeclared = declared
    }
  where
    types = moduleTypes m
    descs = map importDesc (V.toList (moduleImports m))
    -- Read before the indices are checked; the check itself fails first.
    typeAt t = fromMaybe (FuncType [] []) (types V.!? t)
    declared =
      IntSet.fromList $
        [x | Export _ (ExportFunc x) <- V.toList (moduleExports m)]
          <> concatMap (concatMap references . V.toList . elemInit) (V.toList (moduleElems m))
          <> concatMap (references . globalInit) (V.toList (moduleGlobals m))
    references e = [x | (_, RefFunc x) <- instructions e]
