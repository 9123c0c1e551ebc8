{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE OverloadedStrings #-}

-- | From a module's optimised Core to its facts.
--
-- Its one idea: what GHC made of a written binding (workers, specialisations,
-- loops that were floated out) belongs to that binding, by its place, by its
-- name, or because nothing else uses it.
--
-- Start at 'gather'; what is seen in a binding is "Tern.Lab.Core.Plugin.Walk".
module Tern.Lab.Core.Plugin.Gather
  ( gather,
    codes,
    Written,
    writtenNames,
  )
where

import Control.Applicative ((<|>))
import Data.List (isPrefixOf)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isJust, isNothing, mapMaybe)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Core.Opt.Arity (typeArity)
import GHC.Core.Stats (exprSize)
import GHC.Plugins hiding (InlineSpec (..), Origin (..), RecFlag (..), Unfolding (NoUnfolding), (<>))
import GHC.Types.Avail (availNames)
import Tern.Lab.Core.Code (Code)
import Tern.Lab.Core.Facts
import Tern.Lab.Core.Plugin.Compat
import Tern.Lab.Core.Plugin.Read
import Tern.Lab.Core.Plugin.Shape
import Tern.Lab.Core.Plugin.Walk

-- * Modules and bindings

-- | The top-level names of the source and of its instances, and their places. The optimiser may have
-- nothing left of a name but its worker.
type Written = Map Text Place

writtenNames :: [Id] -> Written
writtenNames ids =
  Map.fromList [(occurrence v, p) | v <- ids, isDFunId v || not ("$" `T.isPrefixOf` occurrence v), not (implicit v), Just p <- [placeOf (idName v)]]
  where
    -- Constructors and class methods have no code of their own.
    implicit v = isJust (isDataConWorkId_maybe v) || isJust (isDataConWrapId_maybe v) || isJust (isClassOpId_maybe v)

gather :: DynFlags -> FilePath -> Bool -> Written -> ModGuts -> ModuleFacts
gather flags folder exports written guts =
  ModuleFacts
    { factsUnit = T.pack (unitString (moduleUnit here)),
      factsModule = T.pack name,
      factsSource = case concatMap (mapMaybe (placeOf . idName) . bindersOf) (mg_binds guts) of
        place : _ -> placeFile place
        [] -> "",
      factsFolder = T.pack folder,
      factsCompiler = T.pack (projectVersion flags),
      factsExportList = exports || name == "Main",
      factsOptimised = gopt Opt_Specialise flags,
      factsThreshold = useThreshold flags,
      factsReexports = [globalOf m n | n <- concatMap availNames (mg_exports guts), Just m <- [nameModule_maybe n], m /= here],
      factsBindings = map binding members
    }
  where
    here = mg_module guts
    name = moduleNameString (moduleName here)
    members = concat [case group' of NonRec b e -> [(b, e, False)]; Rec pairs -> [(b, e, True) | (b, e) <- pairs] | group' <- mg_binds guts]
    begin = scopeOf flags guts
    uses = occurrences guts
    owners = ownersOf written guts
    ownerPlace b = case lookupVarEnv owners b of
      Just (MadeOf o) -> Map.lookup o written
      _ -> Nothing
    binding (b, e, isRecursive) =
      Binding
        { bindingName = occurrence b,
          bindingPlace = placeOf (idName b) <|> ownerPlace b,
          bindingOrigin = originOf written b,
          bindingOwner = lookupVarEnv owners b,
          bindingExported = isExportedId b,
          bindingArity = idArity b,
          bindingTypeArity = typeArity (idType b),
          bindingSize = exprSize e,
          bindingRecursive = isRecursive,
          bindingSpecialised = not (null (idCoreRules b)),
          bindingPragma = pragmaOf b,
          bindingUnfolding = unfoldingFact b,
          bindingUses = fromMaybe 0 (lookupVarEnv uses b),
          bindingOverloaded = [T.pack (plain (ppr (idType v))) | v <- valueParameters e, isDictionaryType (idType v)],
          bindingGeneric = if aboutGeneric b then [] else genericTypes e,
          bindingGenericType = not (null (genericTypes (Type (idType b)))),
          bindingSpots = spotsIn (begin b) isRecursive e,
          bindingType = T.pack (oneLine (plain (ppr (idType b))))
        }

-- | What is known where a binding begins.
scopeOf :: DynFlags -> ModGuts -> Id -> Scope
scopeOf flags guts =
  \b ->
    Scope
      { scopeThreshold = useThreshold flags,
        scopeTop = top,
        scopeTwins = twins,
        scopeRecursive = recursive,
        scopeLocals = emptyVarEnv,
        scopeLoops = [],
        scopeIn = Nothing,
        scopeSelf = b,
        scopeLast = True
      }
  where
    binders = concatMap bindersOf (mg_binds guts)
    top = mkVarEnv [(b, b) | b <- binders]
    -- A part that GHC made of @mean@ may be called so too; the one that others
    -- can see keeps the name.
    twins =
      mkVarEnv
        [ (b, T.concat [name, "_", T.pack (show i)])
          | (name, several) <- Map.toList (Map.fromListWith (flip (<>)) [(occurrence b, [b]) | b <- filter isExternal binders <> filter (not . isExternal) binders]),
            (i, b) <- drop 1 (zip [1 :: Int ..] several)
        ]
    isExternal = isExternalName . idName
    recursive = mkVarSet (concat [map fst pairs | Rec pairs <- mg_binds guts])

-- | The Core of each binding for reading, with what it is called there, in the
-- order of the facts.
codes :: DynFlags -> ModGuts -> [(Text, Code)]
codes flags guts = [(fromMaybe (occurrence b) (lookupVarEnv (scopeTwins (begin b)) b), codeOf (begin b) e) | (b, e) <- flattenBinds (mg_binds guts)]
  where
    begin = scopeOf flags guts

-- | How often each top-level name occurs in the others.
occurrences :: ModGuts -> VarEnv Int
occurrences guts =
  together
    [ mapVarEnv (const 1) (getUniqSet (delVarSet (exprFreeIds e) b))
      | (b, e) <- flattenBinds (mg_binds guts)
    ]
  where
    together = foldr (plusVarEnv_C (+)) emptyVarEnv

-- | The written bindings that others belong to.
ownersOf :: Written -> ModGuts -> VarEnv Owner
ownersOf written guts = go (length bindings) (mkVarEnv [(b, o) | (b, _) <- bindings, origin b /= Written, Just o <- [byPlace b]])
  where
    bindings = flattenBinds (mg_binds guts)
    origin = originOf written
    places = Map.fromList [(p, name) | (name, p) <- Map.toList written]
    byPlace b
      | Map.member base written = Just (MadeOf base)
      | otherwise = do
          p <- placeOf (idName b)
          (q, owner) <- Map.lookupLE p places
          if placeFile p == placeFile q then Just (MadeOf owner) else Nothing
      where
        base = withoutMarks (occurrence b)
    withoutMarks name = case mapMaybe (`T.stripPrefix` name) ["$w", "$s"] of
      rest : _ -> withoutMarks rest
      [] -> name
    users = plusEnvs [mapVarEnv (const [b]) (getUniqSet (delVarSet (exprFreeIds e) b)) | (b, e) <- bindings]
    plusEnvs = foldr (plusVarEnv_C (<>)) emptyVarEnv
    -- Each round names the owners of what the round before could not; a chain
    -- of made bindings is short.
    go n known
      | n <= (0 :: Int) || isEmptyVarEnv new = known
      | otherwise = go (n - 1) (plusVarEnv known new)
      where
        new = mkVarEnv [(b, UsedBy o) | (b, _) <- bindings, origin b == Made, not (elemVarEnv b known), Just o <- [agreed known b]]
    agreed known b = case traverse (ownerOf known) (filter (\u -> u /= b && not (dead u)) (usersOf b)) of
      Just (o : rest) | all (== o) rest -> Just o
      _ -> Nothing
    usersOf b = fromMaybe [] (lookupVarEnv users b)
    -- Made, and used by nothing: it is dropped later.
    dead u = origin u == Made && all (== u) (usersOf u) && not (isExportedId u)
    ownerOf known u
      | origin u /= Made = Just (occurrence u)
      | otherwise = case lookupVarEnv known u of
          Just (MadeOf o) -> Just o
          Just (UsedBy o) -> Just o
          Nothing -> Nothing

-- | Dictionaries and workers carry the class or the name in theirs.
originOf :: Written -> Id -> Origin
originOf written b
  | isDFunId b = Instance (T.pack (takeWhile (/= '_') (dropPrefix "$f" name)))
  | "$f" `isPrefixOf` name = Instance (T.pack (dropPrefix "$f" name))
  | "$c" `isPrefixOf` name = Instance (T.pack (dropPrefix "$c" name))
  | "$w$c" `isPrefixOf` name = Instance (T.pack (dropPrefix "$w$c" name))
  | isNothing (placeOf (idName b)) || Map.lookup (T.pack name) written /= placeOf (idName b) = Made
  | otherwise = Written
  where
    name = occNameString (getOccName b)
    dropPrefix p = drop (length (p :: String))

-- | The instances of @Generic@ themselves are made of representations.
aboutGeneric :: Id -> Bool
aboutGeneric b = any (`isPrefixOf` name) ["$fGeneric", "$cfrom", "$cto", "$w$cfrom", "$w$cto", "$trep", "$tc"]
  where
    name = occNameString (getOccName b)

valueParameters :: CoreExpr -> [Id]
valueParameters = filter isId . fst . collectBinders . bare

-- | The types of generic representations in an expression, by name.
genericTypes :: CoreExpr -> [Text]
genericTypes = Set.toList . go
  where
    go = \case
      Var v -> ofType (idType v)
      Lit _ -> Set.empty
      App f a -> go f <> go a
      Lam b e -> binder b <> go e
      Let bs e -> foldMap binder (bindersOf bs) <> foldMap go (rhssOfBind bs) <> go e
      Case e b _ alternatives -> go e <> binder b <> mconcat [foldMap binder vs <> go r | Alt _ vs r <- alternatives]
      Cast e _ -> go e
      Tick _ e -> go e
      Type t -> ofType t
      Coercion _ -> Set.empty
    binder b = if isId b then ofType (idType b) else Set.empty
    ofType t =
      Set.fromList
        [ T.pack (occNameString (getOccName constructor))
          | constructor <- nonDetEltsUniqSet (tyConsOfType t),
            Just m <- [nameModule_maybe (tyConName constructor)],
            moduleNameString (moduleName m) `elem` genericsModules,
            occNameString (getOccName constructor) `elem` representation
        ]
    representation = ["V1", "U1", "Par1", "Rec1", "K1", "M1", ":+:", ":*:", ":.:", "Rec0", "D1", "C1", "S1", "Rep"]
