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
    validateLazily,
    validateSoon,
    validateBody,
    validModule,
    validSpaces,
    validLazily,
    Spaces (..),
    funcTypeAt,
    knownType,
    normalIndex,
  )
where

import Control.Monad (unless, when)
import Data.Foldable (forM_)
import Data.Maybe (fromMaybe)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Vector (Vector)
import Data.Vector qualified as V
import Data.Vector.Unboxed qualified as U
import Tern.Wasm.Binary (checkBody)
import Tern.Wasm.Error (Invalid (..), InvalidPlace (..), InvalidReason (..))
import Tern.Wasm.Syntax
import Tern.Wasm.Valid.Body (addressed, body)
import Tern.Wasm.Valid.Constant (constant)
import Tern.Wasm.Valid.Quick (quickly)
import Tern.Wasm.Valid.Spaces
  ( Rules (..),
    Spaces (..),
    funcTypeAt,
    knownType,
    normal,
    normalIndex,
    spacesOf,
  )
import Tern.Wasm.Valid.State (checkType)
import Tern.Wasm.Valid.Types (definitions)

-- | A module that passed 'validate', with its index spaces.
data Valid = Valid
  { -- | The module as it was given.
    validModule :: !Module,
    -- | What its indices mean, imports first.
    validSpaces :: !Spaces,
    -- | Whether the bodies are yet to be checked, each by 'validateBody'.
    validLazily :: !Bool
  }

-- | The module, or the first thing that is wrong with it. Linear in the bytes
-- of the bodies, up to a logarithm of their nesting.
validate :: Module -> Either Invalid Valid
validate = validateBy Rules3

-- | The same by the rules of an edition.
validateBy :: Rules -> Module -> Either Invalid Valid
validateBy = validateWith False

-- | The same without the bodies.
validateLazily :: Rules -> Module -> Either Invalid Valid
validateLazily = validateWith True

-- | The same from a module whose bodies nobody has looked at yet, if it is
-- certainly right: the bodies by "Tern.Wasm.Valid.Quick", and those that are more
-- than that knows of in full.
validateSoon :: Rules -> Module -> Maybe Valid
validateSoon rules m = do
  v <- either (const Nothing) Just (validateWith True rules m)
  let quick
        | rules == Rules1 = U.empty
        | otherwise = quickly (validSpaces v) (moduleFuncs m)
      inFull x f =
        either (const False) (const True) (checkBody rules m f)
          && either (const False) (const True) (validateBody v x)
  if and
    [ fromMaybe False (quick U.!? x) || inFull x (functionAt (moduleFuncs m) x)
      | x <-
          [0 .. functionCount (moduleFuncs m) - 1]
    ]
    then Just v {validLazily = False}
    else Nothing

-- | Check the body of a function by its index among the module's own.
validateBody :: Valid -> Index -> Either Invalid ()
validateBody v x =
  body
    (validSpaces v)
    (x + spaceImportedFuncs (validSpaces v))
    (functionAt (moduleFuncs (validModule v)) x)

validateWith :: Bool -> Rules -> Module -> Either Invalid Valid
validateWith lazily rules m = do
  definitions spaces
  forM_ (indexed (moduleImports m)) $ \(x, i) -> case importDesc i of
    ImportFunc t -> function "import" x t
    ImportTable t -> tableLimits_ "import" x t
    ImportMem t -> memLimits "import" x t
    ImportGlobal t -> typed "import" x (globalValue t)
    ImportTag t -> function "import" x t >> tag "import" x t
  forM_ [0 .. functionCount (moduleFuncs m) - 1] $ \x ->
    function "function" (x + imported) (functionTypeAt (moduleFuncs m) x)
  forM_ (indexed (moduleTags m)) $ \(x, t) -> function "tag" x t >> tag "tag" x t
  forM_ (indexed (moduleTables m)) $ \(x, Table t initial) -> do
    tableLimits_ "table" x t
    case initial of
      Nothing -> unless (refNullable (tableRef t)) (Left (Invalid (InPart "table" x) TableNotSet))
      Just e -> constant spaces importedGlobals "table" x (normal spaces (Ref (tableRef t))) e
  forM_ (indexed (moduleMems m)) $ uncurry (memLimits "memory")
  when (rules == Rules1) (within "table" 1 "tables" 1 (V.length (spaceTables spaces)))
  when
    (rules < Rules3 && V.length (spaceMems spaces) > 1)
    (Left (Invalid (InPart "memory" 1) MultipleMemories))
  forM_ (indexed (moduleGlobals m)) $ \(x, g) -> do
    typed "global" x (globalValue (globalType g))
    let readable = if rules < Rules3 then importedGlobals else importedGlobals + x
    constant spaces readable "global" x (normal spaces (globalValue (globalType g))) (globalInit g)
  forM_ (indexed (moduleElems m)) $ \(x, e) -> do
    typed "element segment" x (Ref (elemType e))
    let own = spaceElems spaces V.! x
    forM_ (elemInit e) (constant spaces globals "element segment" x (Ref own))
    case elemMode e of
      ElemActive t offset -> do
        known "element segment" x "table" t (spaceTables spaces)
        let table = spaceTables spaces V.! t
        unless (matchesRef (knownType spaces) own (tableRef table)) $
          Left
            ( Invalid
                (InPart "element segment" x)
                (TypeMismatch [Ref (tableRef table)] [Just (Ref own)])
            )
        constant spaces globals "element segment" x (addressed (tableAddress table)) offset
      _ -> Right ()
  forM_ (indexed (moduleDatas m)) $ \(x, d) -> case dataMode d of
    DataActive k offset -> do
      known "data segment" x "memory" k (spaceMems spaces)
      constant
        spaces
        globals
        "data segment"
        x
        (addressed (memoryAddress (spaceMems spaces V.! k)))
        offset
    DataPassive -> Right ()
  forM_ (moduleStart m) $ \x -> do
    known "start" 0 "function" x (spaceFuncs spaces)
    when
      (spaceFuncs spaces V.! x /= FuncType [] [])
      (Left (Invalid (InPart "start" 0) BadStartType))
  exports spaces (moduleExports m)
  unless lazily . forM_ (functionList (moduleFuncs m)) $ \(x, f) -> body spaces (x + imported) f
  Right (Valid m spaces lazily)
  where
    spaces = spacesOf rules m
    imported = spaceImportedFuncs spaces
    importedGlobals = spaceImportedGlobals spaces
    globals = if rules < Rules3 then importedGlobals else V.length (spaceGlobals spaces)
    typed part x t = either (Left . Invalid (InPart part x)) (const (Right ())) (checkType spaces t)
    function part x t = do
      known part x "type" t (spaceTypes spaces)
      case subComp (spaceTypes spaces V.! t) of
        CompFunc _ -> Right ()
        _ -> Left (Invalid (InPart part x) (WrongType t "function"))
    tag part x t = case funcResults (funcTypeAt spaces t) of
      [] -> Right ()
      ts -> Left (Invalid (InPart part x) (TypeMismatch [] (map Just ts)))
    tableLimits_ part x t = do
      typed part x (Ref (tableRef t))
      limitsWithin
        part
        x
        ( if tableAddress t == Address32
            then 0xFFFFFFFF
            else maxBound
        )
        (tableLimits t)
    memLimits part x t =
      limitsWithin
        part
        x
        ( if memoryAddress t == Address32
            then 65536
            else 281474976710656
        )
        (memoryLimits t)
    limitsWithin part x most (Limits low high) =
      when
        ( low > most
            || maybe False (\h -> h > most || h < low) high
        )
        (Left (Invalid (InPart part x) BadLimits))

indexed :: Vector a -> [(Int, a)]
indexed = V.toList . V.indexed

known :: Text -> Index -> Text -> Index -> Vector a -> Either Invalid ()
known part x what i v = unless (i < V.length v) (Left (Invalid (InPart part x) (Unknown what i)))

within :: Text -> Index -> Text -> Int -> Int -> Either Invalid ()
within part x what most n = when (n > most) (Left (Invalid (InPart part x) (BeyondLimit what most)))

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
        ExportTag i -> known "export" x "tag" i (spaceTags spaces)
      go (Set.insert name seen) rest
