-- | The index spaces of a module, imports first, as types in their normal form.
--
-- The idea: after 'spacesOf' every type index in a space is that of the first
-- equal type, so that equal types are @==@; 'normal' does the same for a type
-- that stands in an instruction.
module Tern.Wasm.Valid.Spaces
  ( Rules (..),
    Spaces (..),
    spacesOf,
    knownType,
    normal,
    normalIndex,
    funcTypeAt,
  )
where

import Control.Monad (forM_)
import Data.Foldable (toList)
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet (IntSet)
import Data.IntSet qualified as IntSet
import Data.List qualified as List
import Data.Maybe (fromMaybe)
import Data.Vector (Vector, (!?))
import Data.Vector qualified as V
import Data.Vector.Mutable qualified as MV
import Tern.Wasm.Binary.Instr (instructions)
import Tern.Wasm.Rules (Rules (..))
import Tern.Wasm.Syntax

-- | What a module's indices mean, imports first.
data Spaces = Spaces
  { spaceRules :: !Rules,
    spaceTypes :: !(Vector SubType),
    -- | For each type the index of the first that is equal.
    spaceNormal :: !(Vector Index),
    -- | The types as they are written, in groups, with the first index of each.
    spaceGroups :: ![(Index, [SubType])],
    spaceFuncs :: !(Vector FuncType),
    -- | The index of each function's type, a normal one.
    spaceFuncTypes :: !(Vector Index),
    spaceImportedFuncs :: !Int,
    spaceTables :: !(Vector TableType),
    spaceMems :: !(Vector MemoryType),
    spaceTags :: !(Vector FuncType),
    spaceGlobals :: !(Vector GlobalType),
    spaceImportedGlobals :: !Int,
    spaceElems :: !(Vector RefType),
    spaceDatas :: !Int,
    -- | Functions that a @ref.func@ in a body may speak of. Lazy: only such an
    -- instruction looks.
    spaceDeclared :: IntSet
  }

-- | A vector of values, not of what is to be evaluated: there may be very many.
evaluated :: Int -> (Int -> a) -> Vector a
evaluated n f = V.create $ do
  v <- MV.new n
  forM_ [0 .. n - 1] $ \k -> MV.write v k $! f k
  pure v

-- | The type with an index, what it refers to in normal form; 'Nothing' where there is none.
knownType :: Spaces -> Known
knownType sp x = spaceTypes sp !? x

-- | The index of the first type that is equal. An index without a type stays as it is.
normalIndex :: Spaces -> Index -> Index
normalIndex sp x = fromMaybe x (spaceNormal sp !? x)

-- | A value's type with a normal index, if it has an index.
normal :: Spaces -> ValType -> ValType
normal sp = renumber (normalIndex sp)

-- | The function type with an index; of no use where there is none, which
-- validation refuses.
funcTypeAt :: Spaces -> Index -> FuncType
funcTypeAt sp x = case subComp <$> spaceTypes sp !? x of
  Just (CompFunc ft) -> ft
  _ -> FuncType [] []

-- | The spaces of a module that may yet turn out invalid: an index that has
-- nothing stays as it is.
spacesOf :: Rules -> Module -> Spaces
spacesOf rules m = sp
  where
    sp =
      Spaces
        { spaceRules = rules,
          spaceTypes = types,
          spaceNormal = normals,
          spaceGroups = groups,
          spaceFuncs = evaluated (V.length funcTypes) (\x -> typeAt (funcTypes V.! x)),
          spaceFuncTypes = funcTypes,
          spaceImportedFuncs = length [() | ImportFunc _ <- descs],
          spaceTables =
            V.map
              table
              ( V.fromList [t | ImportTable t <- descs]
                  <> V.map tableType (moduleTables m)
              ),
          spaceMems = V.fromList [t | ImportMem t <- descs] <> moduleMems m,
          spaceTags = V.map (funcTypeAt sp) (V.fromList [t | ImportTag t <- descs] <> moduleTags m),
          spaceGlobals =
            V.map
              global
              ( V.fromList [t | ImportGlobal t <- descs]
                  <> fmap globalType (moduleGlobals m)
              ),
          spaceImportedGlobals = length [() | ImportGlobal _ <- descs],
          spaceElems = fmap (ref . elemType) (moduleElems m),
          spaceDatas = V.length (moduleDatas m),
          spaceDeclared = declared
        }
    descs = map importDesc (V.toList (moduleImports m))
    types = V.map (renumberSub at) written
    typeAt x = case subComp <$> types !? x of
      Just (CompFunc ft) -> ft
      _ -> FuncType [] []
    importedFuncs = V.fromList [t | ImportFunc t <- descs]
    funcTypes = evaluated (V.length importedFuncs + functionCount (moduleFuncs m)) $ \x ->
      at
        ( fromMaybe
            ( functionTypeAt
                (moduleFuncs m)
                (x - V.length importedFuncs)
            )
            (importedFuncs !? x)
        )
    written = V.fromList (concat (V.toList (moduleTypes m)))
    groups = zip (scanl (+) 0 (map length (toList (moduleTypes m)))) (toList (moduleTypes m))
    normals = normalForms groups
    at x = fromMaybe x (normals !? x)
    ref r = case renumber at (Ref r) of
      Ref r' -> r'
      _ -> r
    table t = t {tableRef = ref (tableRef t)}
    global (GlobalType mutability t) = GlobalType mutability (renumber at t)
    declared =
      IntSet.fromList $
        [x | Export _ (ExportFunc x) <- V.toList (moduleExports m)]
          <> concatMap (concatMap references . V.toList . elemInit) (V.toList (moduleElems m))
          <> concatMap (references . globalInit) (V.toList (moduleGlobals m))
          <> concatMap (concatMap references . tableInit) (V.toList (moduleTables m))
    references e = [x | (_, RefFunc x) <- instructions e]

-- | For each type the index of the first that is equal.
normalForms :: [(Index, [SubType])] -> Vector Index
normalForms groups = V.fromList (go nothingInterned IntMap.empty groups)
  where
    go _ _ [] = []
    go interned before ((from, group) : rest) =
      let (n, interned') = intern (\x -> IntMap.findWithDefault x x before) from from group interned
          here = take (length group) [n ..]
       in here
            <> go
              interned'
              ( List.foldl'
                  (\m (x, y) -> IntMap.insert x y m)
                  before
                  (zip [from ..] here)
              )
              rest
