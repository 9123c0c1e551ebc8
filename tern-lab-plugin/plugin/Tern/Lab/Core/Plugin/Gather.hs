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
  ( View (..),
    viewOf,
    unitOf,
    gather,
    insides,
    codes,
    Written,
    writtenNames,
  )
where

import Control.Applicative ((<|>))
import Data.List (isPrefixOf, mapAccumL, partition)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isJust, isNothing, mapMaybe)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Core.Stats (exprSize)
import GHC.Fingerprint (fingerprintString)
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Unfolding (NoUnfolding),
    (<>),
  )
import GHC.Types.Avail (availNames)
import System.FilePath (makeRelative)
import Tern.Lab.Core.Code (Definition (..))
import Tern.Lab.Core.Facts
  ( Binding (..),
    LocalCall,
    ModuleFacts (..),
    Owner (..),
    Part (..),
    Place (..),
    Pragma,
    SourceCall,
    Use,
    marked,
  )
import Tern.Lab.Core.Plugin.Awaited (takenAtOnce)
import Tern.Lab.Core.Plugin.Compat (genericsModules, useThreshold)
import Tern.Lab.Core.Plugin.Mark (Marked (..), keyOf, marking, unmarking)
import Tern.Lab.Core.Plugin.Owners (Written, originOf, ownersOf)
import Tern.Lab.Core.Plugin.Read (codeOf)
import Tern.Lab.Core.Plugin.Renders (renderingIn)
import Tern.Lab.Core.Plugin.Shape
  ( Own (..),
    globalOf,
    isFunction,
    occurrence,
    oneLine,
    placeOf,
    plain,
    pragmaOf,
    unfoldingFact,
  )
import Tern.Lab.Core.Plugin.Walk (Scope (..), spotsIn)

-- * Modules and bindings

writtenNames :: [Id] -> Written
writtenNames ids =
  Map.fromList
    [ (occurrence v, p)
      | v <-
          ids,
        isDFunId v || not ("$" `T.isPrefixOf` occurrence v),
        not (implicit v),
        Just p <- [placeOf (idName v)]
    ]
  where
    -- Constructors and class methods have no code of their own.
    implicit v =
      isJust (isDataConWorkId_maybe v)
        || isJust (isDataConWrapId_maybe v)
        || isJust (isClassOpId_maybe v)

-- | A module with its marks.
data View = View
  { viewGuts :: !ModGuts,
    viewFlags :: !DynFlags,
    -- | Are local functions marked too?
    viewEverything :: !Bool,
    viewMark :: !Text,
    viewMarked :: !Marked,
    viewOwn :: !Own
  }

-- | With marks, or with those of the bindings at the top alone. Given the folder
-- of the build, which is no part of a unit's name.
viewOf :: FilePath -> Bool -> DynFlags -> ModGuts -> View
viewOf place everything flags guts = View guts flags everything mark numbered (Own unit names)
  where
    numbered = (if everything then marking else unmarking) mark (mg_binds guts)
    unit = unitOf place flags (mg_module guts)
    mark = T.take 8 (T.pack (show (fingerprintString (T.unpack unit))))
    -- What others can see keeps its name; of the rest the first, unless it came
    -- here with another module's mark.
    names = mkVarEnv (concat (snd (mapAccumL told (mkUniqSet (map spelling visible)) hidden)))
    told known b
      | elementOfUniqSet (spelling b) known || isJust (keyOf b) =
          (known, [(b, marked mark (occurrence b) (numberOf b))])
      | otherwise = (addOneToUniqSet known (spelling b), [])
    (visible, hidden) = partition (isExternalName . idName) (bindersOfBinds (mg_binds guts))
    spelling = occNameFS . getOccName
    numberOf b = fromMaybe 0 (lookupVarEnv (markedTop numbered) b)

-- | What the facts call the unit of a module: GHC knows each program of a
-- package as @main@.
unitOf :: FilePath -> DynFlags -> Module -> Text
unitOf place flags m = case T.pack (unitString (moduleUnit m)) of
  "main" -> T.concat ["main@", maybe "" (T.pack . makeRelative place) (objectDir flags)]
  other -> other

gather ::
  FilePath ->
  Bool ->
  Bool ->
  ([Use], [SourceCall], [LocalCall]) ->
  ([(Text, Pragma)], [Text]) ->
  Written ->
  View ->
  ModuleFacts
gather folder exports saysInteger (uses', calls, locals) (top, left) written here =
  ModuleFacts
    { factsUnit = ownUnit (viewOwn here),
      factsModule = T.pack name,
      factsMark = viewMark here,
      -- What was inlined from another module keeps its place there, so that no binding tells.
      factsSource = case mg_loc guts of
        RealSrcSpan place _ -> T.pack (unpackFS (srcSpanFile place))
        UnhelpfulSpan _ -> case concatMap (mapMaybe (placeOf . idName) . bindersOf) binds of
          place : _ -> placeFile place
          [] -> "",
      factsGenerated = Nothing,
      factsFolder = T.pack folder,
      factsCompiler = T.pack (projectVersion flags),
      factsExportList = exports || name == "Main",
      factsOptimised = gopt Opt_Specialise flags,
      factsThreshold = useThreshold flags,
      factsSpecConstr = gopt Opt_SpecConstr flags,
      factsInteger = saysInteger,
      factsRendering = renderingIn binds,
      factsUses = uses',
      factsCalls = calls,
      factsLocals = locals,
      factsTop = [(name', pragma) | (name', pragma) <- top, Map.member name' written],
      factsMelted =
        Set.toList (Set.difference (Map.keysSet written) (Set.fromList left)),
      factsCounted = [],
      factsReexports =
        [ globalOf (viewOwn here) m n
          | n <-
              concatMap availNames (mg_exports guts),
            Just m <- [nameModule_maybe n],
            m /= mg_module guts
        ],
      factsBindings = map binding members
    }
  where
    guts = viewGuts here
    flags = viewFlags here
    name = moduleNameString (moduleName (mg_module guts))
    binds = markedBinds (viewMarked here)
    members =
      concat
        [ case group' of
            NonRec b e ->
              [(b, e, False)]
            Rec pairs -> [(b, e, True) | (b, e) <- pairs]
          | group' <- binds
        ]
    begin = scopeOf here
    used = [(b, delVarSet (exprFreeIds e) b) | (b, e) <- flattenBinds binds]
    uses = occurrences (map snd used)
    owners = ownersOf written used
    ownerPlace b = case lookupVarEnv owners b of
      Just (MadeOf o) -> Map.lookup o written
      _ -> Nothing
    binding (b, e, isRecursive) =
      Binding
        { bindingName = fromMaybe (occurrence b) (lookupVarEnv (ownNames (viewOwn here)) b),
          bindingKey = scopePart (begin b),
          bindingUnique = if viewEverything here then T.pack (show (getUnique b)) else "",
          bindingParts = if viewEverything here then partsOf (scopePart (begin b)) e else [],
          bindingPlace = placeOf (idName b) <|> ownerPlace b,
          bindingOrigin = originOf written b,
          bindingOwner = lookupVarEnv owners b,
          bindingArity = idArity b,
          bindingRecursive = isRecursive,
          bindingSpecialised = not (null (idCoreRules b)),
          bindingPragma = pragmaOf b,
          bindingUnfolding = unfoldingFact b,
          bindingSize = exprSize e,
          bindingUses = fromMaybe 0 (lookupVarEnv uses b),
          bindingGeneric = if aboutGeneric b then [] else genericTypes e,
          bindingGenericType = not (null (representations (tyConsOfType (idType b)))),
          bindingSpots = spotsIn (begin b) isRecursive e
        }

-- | The functions in a right-hand side, places to jump to among them; given its number.
partsOf :: Int -> CoreExpr -> [Part]
partsOf top e = go top e []
  where
    go n = \case
      Var _ -> id
      Lit _ -> id
      Type _ -> id
      Coercion _ -> id
      App f a -> go n f . go n a
      Lam _ r -> go n r
      Cast r _ -> go n r
      Tick _ r -> go n r
      Let bs r ->
        foldr (\(b, inner) rest -> part n b inner . rest) id (flattenBinds [bs]) . go n r
      Case r _ _ alternatives ->
        go n r . foldr (\(Alt _ _ inner) rest -> go n inner . rest) id alternatives
    part n b r
      | isFunction r || isJoinId b,
        Just key <- keyOf b =
          (Part key (occurrence b) (placeOf (idName b)) n (isWritten b r) :) . go key r
      | otherwise = go n r
    isWritten b r = any (isJust . placeOf . idName) (localsOf r [b])

-- | Of the bindings whose names stand nowhere in the source: where the first of the local names in
-- them stands, by the binding's number.
insides :: View -> Map.Map Int Place
insides here =
  Map.fromList
    [ (scopePart (scopeOf here b), place)
      | (b, e) <- flattenBinds (markedBinds (viewMarked here)),
        isNothing (placeOf (idName b)),
        place : _ <- [mapMaybe (placeOf . idName) (localsOf e [])]
    ]

-- | Variables that an expression binds, in order.
localsOf :: CoreExpr -> [Id] -> [Id]
localsOf = \case
  Var _ -> id
  Lit _ -> id
  Type _ -> id
  Coercion _ -> id
  App f a -> localsOf f . localsOf a
  Lam v r -> ([v | isId v] <>) . localsOf r
  Cast r _ -> localsOf r
  Tick _ r -> localsOf r
  Let bs r ->
    foldr (\(b, inner) rest -> (b :) . localsOf inner . rest) id (flattenBinds [bs]) . localsOf r
  Case r _ _ alternatives ->
    localsOf r
      . foldr
        (\(Alt _ vs inner) rest -> (filter isId vs <>) . localsOf inner . rest)
        id
        alternatives

-- | What is known where a binding begins.
scopeOf :: View -> Id -> Scope
scopeOf here =
  \b ->
    Scope
      { scopeThreshold = useThreshold (viewFlags here),
        scopeTop = top,
        scopeTwins = twins,
        scopeOwn = viewOwn here,
        scopeRecursive = recursive,
        scopeLocals = emptyVarEnv,
        scopeLoops = [],
        scopeIn = Nothing,
        scopePart = fromMaybe 0 (lookupVarEnv (markedTop (viewMarked here)) b),
        scopeSelf = b,
        scopeLast = True,
        scopeTaken = taken
      }
  where
    binds = markedBinds (viewMarked here)
    binders = bindersOfBinds binds
    top = mkVarEnv [(b, b) | b <- binders]
    -- A part that GHC made of @mean@ may be called so too; the one that others
    -- can see keeps the name.
    twins =
      mkVarEnv
        [ (b, T.concat [name, "_", T.pack (show i)])
          | (name, several) <-
              Map.toList
                ( Map.fromListWith
                    (flip (<>))
                    [ (occurrence b, [b])
                      | b <-
                          filter isExternal binders <> filter (not . isExternal) binders
                    ]
                ),
            (i, b) <- drop 1 (zip [1 :: Int ..] several)
        ]
    isExternal = isExternalName . idName
    taken = takenAtOnce (map snd (flattenBinds binds))
    recursive = mkVarSet (concat [map fst pairs | Rec pairs <- binds])

-- | The Core of each binding for reading, in the order of the facts.
codes :: View -> [Definition]
codes here =
  [ Definition
      ( fromMaybe
          (occurrence b)
          (lookupVarEnv (scopeTwins (begin b)) b)
      )
      (T.pack (oneLine (plain (ppr (idType b)))))
      (codeOf (begin b) e)
    | (b, e) <- flattenBinds (markedBinds (viewMarked here))
  ]
  where
    begin = scopeOf here

-- | How often each top-level name occurs in the others.
occurrences :: [VarSet] -> VarEnv Int
occurrences = foldr (plusVarEnv_C (+) . mapVarEnv (const 1) . getUniqSet) emptyVarEnv

-- | The instances of @Generic@ themselves are made of representations.
aboutGeneric :: Id -> Bool
aboutGeneric b =
  any (`isPrefixOf` name) ["$fGeneric", "$cfrom", "$cto", "$w$cfrom", "$w$cto", "$trep", "$tc"]
  where
    name = occNameString (getOccName b)

-- | The types of generic representations in an expression, by name. Each
-- variable's type is looked at once: this is most of what looking on costs.
genericTypes :: CoreExpr -> [Text]
genericTypes e = Set.toList (snd (go e (emptyVarSet, Set.empty)))
  where
    go = \case
      Var v -> variable v
      Lit _ -> id
      App f a -> go a . go f
      Lam b r -> variable b . go r
      Let bs r -> through variable (bindersOf bs) . through go (rhssOfBind bs) . go r
      Case r b _ alternatives ->
        go r
          . variable b
          . through (\(Alt _ vs inner) -> through variable vs . go inner) alternatives
      Cast r _ -> go r
      Tick _ r -> go r
      Type t -> ofType t
      Coercion _ -> id
    through f = foldr ((.) . f) id
    variable v known@(seen, found)
      | isId v, not (elemVarSet v seen) = ofType (idType v) (extendVarSet seen v, found)
      | otherwise = known
    ofType t (seen, found) = case representations (tyConsOfType t) of
      [] -> (seen, found)
      names -> (seen, foldr Set.insert found names)

-- | Those that are types of generic representations, by name.
representations :: UniqSet TyCon -> [Text]
representations constructors =
  [ name
    | constructor <- nonDetEltsUniqSet constructors,
      Just m <- [nameModule_maybe (tyConName constructor)],
      moduleName m `elem` genericsModules,
      let name = T.pack (occNameString (getOccName constructor)),
      name `elem` known
  ]
  where
    known =
      ["V1", "U1", "Par1", "Rec1", "K1", "M1", ":+:", ":*:", ":.:", "Rec0", "D1", "C1", "S1", "Rep"]
