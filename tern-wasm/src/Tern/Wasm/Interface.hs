-- | What a module asks for and what it offers, before there is an instance of it.
--
-- Start at 'importTypes'.
module Tern.Wasm.Interface
  ( ExternType (..),
    importTypes,
    exportTypes,
  )
where

import Data.Text (Text)
import Data.Vector qualified as V
import Tern.Wasm.Compiled (Compiled (..))
import Tern.Wasm.Syntax
import Tern.Wasm.Valid (Spaces (..), Valid (..), funcTypeAt)

-- $setup
-- >>> import Tern.Wasm

-- | What can be imported and exported, by its type. A number in a type is the module's
-- own, of the types that it defines.
data ExternType
  = FuncExtern !FuncType
  | TableExtern !TableType
  | MemoryExtern !MemoryType
  | GlobalExtern !GlobalType
  | -- | The values of an exception.
    TagExtern ![ValType]
  deriving stock (Eq, Show)

-- | What a module wants, in its own order: whose it is, its name, its type. One thing may
-- be wanted twice, also with two types.
--
-- >>> Right m <- loadText "(module (import \"host\" \"rate\" (func (param i32) (result f64))))"
-- >>> importTypes m
-- [("host","rate",FuncExtern (FuncType {funcParams = [I32], funcResults = [F64]}))]
importTypes :: Compiled -> [(Text, Text, ExternType)]
importTypes m =
  [ (importModule i, importName i, kind (importDesc i))
    | i <-
        V.toList (moduleImports (validModule valid))
  ]
  where
    valid = compiledValid m
    sp = validSpaces valid
    kind = \case
      ImportFunc t -> FuncExtern (funcTypeAt sp t)
      ImportTable t -> TableExtern t
      ImportMem t -> MemoryExtern t
      ImportGlobal t -> GlobalExtern t
      ImportTag t -> TagExtern (funcParams (funcTypeAt sp t))

-- | What each of its instances will export, in its own order.
--
-- >>> Right m <- loadText "(module (memory (export \"memory\") 1 4))"
-- >>> exportTypes m
-- [("memory",MemoryExtern (MemoryType {memoryAddress = Address32, memoryLimits = Limits {limitMin =
-- 1, limitMax = Just 4}}))]
exportTypes :: Compiled -> [(Text, ExternType)]
exportTypes m =
  [(exportName e, kind (exportDesc e)) | e <- V.toList (moduleExports (validModule valid))]
  where
    valid = compiledValid m
    sp = validSpaces valid
    kind = \case
      ExportFunc x -> FuncExtern (spaceFuncs sp V.! x)
      ExportTable x -> TableExtern (spaceTables sp V.! x)
      ExportMem x -> MemoryExtern (spaceMems sp V.! x)
      ExportGlobal x -> GlobalExtern (spaceGlobals sp V.! x)
      ExportTag x -> TagExtern (funcParams (spaceTags sp V.! x))
