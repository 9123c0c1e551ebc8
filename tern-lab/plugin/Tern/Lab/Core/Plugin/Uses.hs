{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The calls of libraries' functions as the source has them.
--
-- Its one idea: some leaks are a matter of which function is called where
-- (@modifyIORef@ in a loop), and the optimiser inlines the call. So the program
-- is looked at before the first pass too. A loop is a recursive function, or what
-- is given to a function that calls it again and again; what its rounds hand on
-- to each other is followed through the variables.
--
-- Start at 'usesOf'.
module Tern.Lab.Core.Plugin.Uses
  ( usesOf,
  )
where

import Data.List (nub)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isJust)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Plugins hiding (InlineSpec (..), Origin (..), RecFlag (..), Role, Unfolding (NoUnfolding), (<>))
import Tern.Lab.Core.Facts
import Tern.Lab.Core.Plugin.Compat
import Tern.Lab.Core.Plugin.Shape

-- | Given how the facts call this module, and its program after the type
-- checker: the calls of other packages and those of this one.
usesOf :: Own -> Module -> CoreProgram -> ([Use], [SourceCall])
usesOf own this binds = (Set.toList (Set.fromList [u | SeenUse u <- seen]), Map.elems (Map.fromListWith most [((callFrom c, callTo c), c) | SeenCall c <- seen]))
  where
    most a b = if callLoops a >= callLoops b then a else b
    given = plusRoles [rolesIn e | (_, e) <- flattenBinds binds]
    top = mkVarEnv [(b, e) | (b, e) <- flattenBinds binds]
    seen = foldr ((.) . ofGroup) id binds []
    ofGroup = \case
      NonRec b e -> ofBinding False b e
      Rec pairs -> foldr (.) id [ofBinding True b e | (b, e) <- pairs]
    ofBinding isRecursive b e
      | isDerivable (occNameString (getOccName b)) = id
      | otherwise = walkFunction (begin b) isRecursive b e
    isDerivable name = take 2 name == "$f" || drop 2 name `elem` ["showsPrec", "showList", "show", "readPrec", "readListPrec", "readsPrec", "readList", "compare", "==", "/=", "<", "<=", ">", ">="] && take 2 name == "$c"
    begin b =
      Scope
        { scopeOwn = own,
          scopeModule = this,
          scopeGiven = given,
          scopeTop = top,
          scopeBinding = occurrence b,
          scopeIn = Nothing,
          scopePlace = placeOf (idName b),
          scopeLoops = 0,
          scopeKnown = emptyVarEnv,
          scopeUnder = []
        }

data Seen = SeenUse !Use | SeenCall !SourceCall

data Scope = Scope
  { scopeOwn :: !Own,
    scopeModule :: !Module,
    -- | What is given by name to functions that call it.
    scopeGiven :: !(VarEnv Role),
    scopeTop :: !(VarEnv CoreExpr),
    scopeBinding :: !Text,
    scopeIn :: !(Maybe Text),
    scopePlace :: !(Maybe Place),
    scopeLoops :: !Int,
    scopeKnown :: !(VarEnv Known),
    scopeUnder :: ![Text]
  }

-- | A local variable: how many loops are around its binding, and what it is.
data Known = Known !Int !Sort

data Sort
  = -- | What earlier rounds have made, or a field of it.
    Carried
  | -- | Unevaluated, and made of that.
    Pending
  | -- | Let-bound.
    Bound' CoreExpr
  | Other

-- | How often the function that is given is called, and which of its parameters
-- carry what was made before.
data Role = Role !Bool ![Int]

-- * Functions that call what they are given

-- | By the name alone: those of all containers are called so.
roleOf :: Id -> Maybe Role
roleOf f
  | isLocalId f = Nothing
  | otherwise = Map.lookup (occurrence f) roles

roles :: Map Text Role
roles =
  Map.fromList $
    [(name, Role True [0]) | name <- ["foldl", "foldl'", "foldM", "foldM_", "foldl1", "foldl1'", "mapAccumL", "scanl", "scanl'", "foldlM", "foldlM'", "foldM'", "foldlWithKey", "foldlWithKey'", "ifoldl'", "ifoldl", "iterate", "iterate'", "until", "unfoldr", "iterateN", "foldlStrict", "iterateNM"]]
      <> [(name, Role True [1]) | name <- ["foldr", "foldr'", "foldrM", "foldr1", "scanr", "mapAccumR"]]
      <> [(name, Role True [2]) | name <- ["foldrWithKey", "foldrWithKey'", "ifoldr"]]
      <> [(name, Role True []) | name <- ["map", "fmap", "<$>", "<&>", "mapM", "mapM_", "forM", "forM_", "for_", "for", "traverse", "traverse_", "replicateM", "replicateM_", "forever", "filter", "filterM", "zipWith", "zipWith3", "zipWithM", "zipWithM_", "concatMap", "foldMap", "foldMap'", "any", "all", "takeWhile", "dropWhile", "span", "break", "partition", "mapMaybe", "sortBy", "sortOn", "groupBy", "nubBy", "find", "generate", "generateM", "imap", "imapM_", "iforM_", "imapM", "iforM", "mapWithKey", "traverseWithKey", "filterWithKey", "mapKeys", "fromListWith", "fromListWithKey", "unionWith", "unionsWith", "maximumBy", "minimumBy", "tabulate", "whileM_", "numLoop", "concatForM", "interact"]]
      <> [(name, Role False [0]) | name <- modifiers]
      <> [(name, Role False [0, 1, 2]) | name <- ["insertWith", "insertWith'", "insertWithKey", "adjust", "alter", "update", "adjustWithKey", "updateWithKey", "alterF"]]

-- | They give a function what a cell holds.
modifiers :: [Text]
modifiers = ["modify", "modify'", "modifyIORef", "modifyIORef'", "modifySTRef", "modifySTRef'", "modifyTVar", "modifyTVar'", "atomicModifyIORef", "atomicModifyIORef'", "modifyMVar", "modifyMVar_", "state", "stateTVar", "gets", "unsafeModify"]

-- | What they give back is what a cell holds.
readers :: [Text]
readers = ["readIORef", "readSTRef", "readTVar", "readTVarIO", "readMVar", "takeMVar", "get", "read", "unsafeRead", "readArray"]

-- | Those functions that are given by name.
rolesIn :: CoreExpr -> VarEnv Role
rolesIn e = case e of
  Var _ -> emptyVarEnv
  Lit _ -> emptyVarEnv
  Type _ -> emptyVarEnv
  Coercion _ -> emptyVarEnv
  Lam _ r -> rolesIn r
  Cast r _ -> rolesIn r
  Tick _ r -> rolesIn r
  Let bs r -> plusRoles (rolesIn r : map rolesIn (rhssOfBind bs))
  Case r _ _ alternatives -> plusRoles (rolesIn r : [rolesIn inner | Alt _ _ inner <- alternatives])
  App _ _ ->
    let (f, _, arguments) = callOf e
        here = case f of
          Var v | Just (Role often carried) <- roleOf v -> [unitVarEnv g (Role often (map (+ length as) carried)) | a <- arguments, (Var g, _, as) <- [callOf a], isFunTy (dropForAlls (idType g)) || often]
          _ -> []
     in plusRoles (here <> (case f of Var _ -> []; _ -> [rolesIn f]) <> map rolesIn arguments)

plusRoles :: [VarEnv Role] -> VarEnv Role
plusRoles = foldr (plusVarEnv_C (\(Role a p) (Role b q) -> Role (a || b) (nub (p <> q)))) emptyVarEnv

-- * Calls

-- | The function, its types and its arguments without dictionaries; @f $ x@ is
-- @f x@.
callOf :: CoreExpr -> (CoreExpr, [Type], [CoreExpr])
callOf = go [] []
  where
    go types arguments e = case e of
      App f (Type t) -> go (t : types) arguments f
      App f (Coercion _) -> go types arguments f
      App f a
        | isDictionaryType (exprType a) -> go types arguments f
        | otherwise -> go types (a : arguments) f
      Cast inner _ -> go types arguments inner
      Tick _ inner -> go types arguments inner
      Var v | isLibrary "$" v, f : rest <- arguments -> go [] rest f
      _ -> (e, types, arguments)

isLibrary :: Text -> Id -> Bool
isLibrary name v = isGlobalId v && occurrence v == name && isJust (nameModule_maybe (idName v))

walkFunction :: Scope -> Bool -> Id -> CoreExpr -> [Seen] -> [Seen]
walkFunction scope isRecursive b e = walk inner body
  where
    (parameters, body) = parametersOf e
    Role often carriedHere = fromMaybe (Role False []) (lookupVarEnv (scopeGiven scope) b)
    loops = scopeLoops scope + (if isRecursive && (not (null parameters) || isAction (idType b)) then 1 else 0) + (if often then 1 else 0)
    own = if isRecursive then handedOn b parameters body else []
    inner =
      scope
        { scopeLoops = loops,
          scopeUnder = [],
          scopeKnown = extendVarEnvList (scopeKnown scope) [(v, Known loops (if i `elem` carriedHere || i `elem` own then Carried else Other)) | (i, v) <- zip [0 ..] parameters]
        }
    isAction t = case splitTyConApp_maybe (snd (splitForAllTyCoVars t)) of
      Just (c, _ : _) -> let name = occNameString (getOccName c) in name `elem` ["IO", "ST", "STM"] || drop (length name - 1) name == "T"
      _ -> False

-- | The parameters of a recursive function of which its calls hand on something
-- made of them.
handedOn :: Id -> [Id] -> CoreExpr -> [Int]
handedOn self parameters = Set.toList . Set.fromList . go emptyVarEnv
  where
    go known e = case e of
      Var _ -> []
      Lit _ -> []
      Type _ -> []
      Coercion _ -> []
      Lam _ r -> go known r
      Cast r _ -> go known r
      Tick _ r -> go known r
      Let bs r -> concatMap (go known) (rhssOfBind bs) <> go (extendVarEnvList known [(b, (True, origin known x)) | (b, x) <- flattenBinds [bs]]) r
      Case r b _ alternatives ->
        let from = origin known r
            made = case bare r of Var _ -> False; _ -> True
         in go known r <> concat [go (extendVarEnvList known ((b, (made, from)) : [(v, (made, from)) | v <- vs])) inner | Alt _ vs inner <- alternatives]
      App _ _ -> case callOf e of
        (f, _, arguments) -> [i | Var v <- [f], v == self, (i, p, a) <- zip3 [0 ..] parameters arguments, elemVarSet p (origin known a), isMade known a] <> concatMap (go known) (f : arguments)
    origin known r = unionVarSets [maybe (unitVarSet v) snd (lookupVarEnv known v) | v <- nonDetEltsUniqSet (exprFreeIds r)]
    isMade known a = case bare a of
      Var v -> maybe False fst (lookupVarEnv known v)
      _ -> True

walk :: Scope -> CoreExpr -> [Seen] -> [Seen]
walk scope e = case e of
  Var _ -> call scope e
  App _ _ -> call scope e
  Lit _ -> id
  Type _ -> id
  Coercion _ -> id
  Lam v r -> walk (bound Other [v] scope) r
  Cast r _ -> walk scope r
  Tick _ r -> walk scope r
  Let (NonRec b r) body -> local scope False b r . walk (letBound b r scope) body
  Let (Rec pairs) body ->
    let inner = bound Other (map fst pairs) scope
     in foldr (.) id [local inner True b r | (b, r) <- pairs] . walk inner body
  Case r b _ alternatives ->
    let sort = if madeOfCarried scope r then Carried else Other
        -- What is bound by a case has been evaluated, what it was matched on too.
        evaluated = case bare r of
          Var v | Just (Known n Pending) <- lookupVarEnv (scopeKnown scope) v -> \s -> s {scopeKnown = extendVarEnv (scopeKnown s) v (Known n Carried)}
          Var v | Just (Known n (Bound' _)) <- lookupVarEnv (scopeKnown scope) v -> \s -> s {scopeKnown = extendVarEnv (scopeKnown s) v (Known n Other)}
          _ -> id
     in walk scope {scopeUnder = []} r . foldr (.) id [walk (bound sort (b : vs) (evaluated scope)) inner | Alt _ vs inner <- alternatives, not (endsInError inner)]

bound :: Sort -> [Var] -> Scope -> Scope
bound sort vs scope = scope {scopeKnown = extendVarEnvList (scopeKnown scope) [(v, Known (scopeLoops scope) sort) | v <- vs, isId v]}

letBound :: Id -> CoreExpr -> Scope -> Scope
letBound b r scope
  | isFunction r = bound (Bound' r) [b] scope
  | isMadeNow r = bound (if madeOfCarried scope r then Carried else Other) [b] scope
  | madeOfCarried scope r = bound Pending [b] scope
  | otherwise = bound (Bound' r) [b] scope

local :: Scope -> Bool -> Id -> CoreExpr -> [Seen] -> [Seen]
local scope isRecursive b r
  | isFunction r || isRecursive = walkFunction named isRecursive b r
  | otherwise = walk scope {scopeUnder = []} r
  where
    named = if hasSourceName b then scope {scopeIn = Just (occurrence b), scopePlace = placeOf (idName b)} else scope

-- | Is something that earlier rounds have made in it?
madeOfCarried :: Scope -> CoreExpr -> Bool
madeOfCarried scope r =
  or
    [ case known of
        Known _ Carried -> True
        Known _ Pending -> True
        _ -> False
      | v <- nonDetEltsUniqSet (exprFreeIds r),
        Just known <- [lookupVarEnv (scopeKnown scope) v]
    ]

-- | A value already, as it stands: a variable, a literal, a constructor.
isMadeNow :: CoreExpr -> Bool
isMadeNow r = case callOf (bare r) of
  (Var c, _, _) | isConstructor c -> True
  (Lit _, _, _) -> True
  (_, _, []) -> exprIsTrivial (bare r)
  _ -> False

isConstructor :: Id -> Bool
isConstructor c = isJust (isDataConWorkId_maybe c) || isJust (isDataConWrapId_maybe c)

call :: Scope -> CoreExpr -> [Seen] -> [Seen]
call scope e = case headOf of
  Var f
    | isDeadEndId f, not (null arguments) -> id
    | isLibrary "$!" f, function : a : rest <- arguments -> call scope (mkApps function (evaluated a : rest)) . walk scope {scopeUnder = []} a
    | isLibrary "." f, outer : inner : rest <- arguments -> composed f outer inner rest
    | isBind f, [first, Lam v body] <- arguments ->
        walk scope {scopeUnder = []} first . walk (bound (if readsCell first then Carried else Other) [v] scope) body
    | otherwise -> use f . foldr (.) id (zipWith (argument f) [0 ..] arguments)
  other -> walk scope {scopeUnder = []} other . foldr ((.) . walk scope {scopeUnder = []}) id arguments
  where
    (headOf, types, arguments) = callOf e
    isBind f = occurrence f `elem` [">>=", ">>"] && isGlobalId f
    readsCell first = case callOf first of
      (Var r, _, _) -> isGlobalId r && occurrence r `elem` readers
      _ -> False
    -- A literal in its place: it is evaluated before.
    evaluated a = case bare a of
      Var _ -> a
      _ -> Lit nullAddrLit
    composed f outer inner rest = case callOf outer of
      (Var g, _, _) | not (isLibrary "." g) -> walk scope outer . walk scope {scopeUnder = occurrence g : scopeUnder scope} inner . foldr ((.) . walk scope {scopeUnder = []}) id rest
      (Var _, _, [_, next]) | (Var g, _, _) <- callOf next -> walk scope outer . walk scope {scopeUnder = occurrence g : scopeUnder scope} inner . foldr ((.) . walk scope {scopeUnder = []}) id rest
      _ -> foldr ((.) . walk scope {scopeUnder = []}) id (outer : inner : rest) . (if isLibrary "." f then id else use f)
    argument f i a = case roleOf f of
      Just (Role often carried)
        | (Lam _ _, _, _) <- callOf a ->
            let (vs, body) = parametersOf a
                inner = if often then deeper else scope
             in walk (foldr (\(j, v) s -> bound (if j `elem` carried then Carried else Other) [v] s) inner {scopeUnder = []} (zip [0 :: Int ..] vs)) body
        -- An action that is done again and again, or a function with some of its
        -- arguments.
        | often, isAgain f i a -> walk deeper {scopeUnder = []} a
      _
        | isConstructor f || isLocalId f -> walk scope {scopeUnder = if isConstructor f then scopeUnder scope else []} a
        | otherwise -> walk scope {scopeUnder = occurrence f : scopeUnder scope} a
    deeper = scope {scopeLoops = scopeLoops scope + 1}
    isAgain :: Id -> Int -> CoreExpr -> Bool
    isAgain f i a = isFunTy (exprType a) || (occurrence f `elem` ["replicateM_", "replicateM", "forever"] && i == length arguments - 1)
    use f
      | isConstructor f || isDictionaryType (idType f) = id
      | Just m <- nameModule_maybe (idName f),
        m /= scopeModule scope,
        moduleUnit m /= moduleUnit (scopeModule scope) =
          ( SeenUse
              Use
                { useBinding = scopeBinding scope,
                  useIn = scopeIn scope,
                  usePlace = scopePlace scope,
                  useCallee = globalOf (scopeOwn scope) m (idName f),
                  useTypes = map constructors types,
                  useArguments = map (classified scope) arguments,
                  useUnder = take 6 (scopeUnder scope),
                  useLoops = scopeLoops scope
                }
              :
          )
      | Just m <- nameModule_maybe (idName f) = mentioned f (globalOf (scopeOwn scope) m (idName f))
      | elemVarEnv f (scopeTop scope) = mentioned f (Global (ownUnit (scopeOwn scope)) (T.pack (moduleNameString (moduleName (scopeModule scope)))) (occurrence f))
      | otherwise = id
    mentioned f to
      | occurrence f == scopeBinding scope = id
      | otherwise = (SeenCall (SourceCall (scopeBinding scope) to (scopeLoops scope + again f)) :)
    again f = case lookupVarEnv (scopeGiven scope) f of
      Just (Role True _) -> 1
      _ -> 0 :: Int

-- | All constructors of a type, the outermost first.
constructors :: Type -> [Text]
constructors t = case splitTyConApp_maybe t of
  Just (c, ts) -> qualified (tyConName c) : concatMap constructors ts
  Nothing -> []
  where
    qualified n = T.concat [maybe "" ((<> ".") . T.pack . moduleNameString . moduleName) (nameModule_maybe n), T.pack (occNameString (getOccName n))]

classified :: Scope -> CoreExpr -> Argument
classified scope a = case callOf (bare a) of
  (Lit _, _, _) -> Literally
  (Lam _ _, _, _) -> functionSort scope a
  (Var v, _, [])
    | Just (Known depth sort) <- lookupVarEnv (scopeKnown scope) v -> case sort of
        Carried -> Accumulated
        Pending -> FromAccumulated
        Bound' r | isFunction r -> functionSort scope r
        _ | depth < scopeLoops scope -> Invariant
        _ -> OfRound
    | Just r <- lookupVarEnv (scopeTop scope) v, isFunction r -> functionSort scope r
    | isLocalId v || isJust (nameModule_maybe (idName v)) && moduleUnit (nameModule (idName v)) == moduleUnit (scopeModule scope) -> Invariant
    | otherwise -> Compound
  (Var c, _, arguments)
    | isConstructor c, all (\x -> classified scope x == Literally) arguments -> Literally
    | isConstructor c, madeOfCarried scope a, buildsLazily scope a -> Builds
    | isConstructor c, length arguments < idArity c -> Conses
    | isLibrary "." c, outer : _ <- arguments, (Var p, _, []) <- callOf outer, occurrence p `elem` ["pure", "return", "Just"] -> Builds
    | isLibrary "pure" c || isLibrary "return" c, [x] <- arguments -> if classified scope x == FromAccumulated then Builds else Compound
  _
    | isFunTy (exprType a) -> Compound
    | madeOfCarried scope a -> FromAccumulated
    | otherwise -> Compound

-- | What a function makes of what it is given, which counts as carried.
functionSort :: Scope -> CoreExpr -> Argument
functionSort scope f = ends (bound Carried vs scope) body
  where
    (vs, body) = parametersOf f
    ends s e = case e of
      Let (NonRec b r) inner -> ends (letBound b r s) inner
      Let (Rec pairs) inner -> ends (bound Other (map fst pairs) s) inner
      Tick _ inner -> ends s inner
      Cast inner _ -> ends s inner
      Case r b _ alternatives ->
        let forced = case bare r of
              Var v -> (v :)
              _ -> id
            matched vars = if madeOfCarried s r then bound Carried vars s else bound Other vars s
            sorts = [ends (evaluatedIn (forced [b]) (matched (b : vars))) inner | Alt _ vars inner <- alternatives, not (endsInError inner)]
         in strongest sorts
      _ -> case callOf e of
        (Var c, _, arguments)
          | isConstructor c || isReturn c -> if any isBuilt arguments || buildsLazily s e then Builds else Conses
          where
            isBuilt x = case bare x of
              inner | (Var d, _, _ : _) <- callOf inner, isConstructor d -> ends s inner == Builds
              _ -> False
        _ -> Compound
    strongest sorts
      | Builds `elem` sorts = Builds
      | Conses `elem` sorts = Conses
      | otherwise = Compound
    isReturn c = isLibrary "pure" c || isLibrary "return" c
    evaluatedIn vars s = s {scopeKnown = extendVarEnvList (scopeKnown s) [(v, Known n Other) | v <- vars, Just (Known n _) <- [lookupVarEnv (scopeKnown s) v], not (any (`elemVarSet` carriedSet s) [v])]}
    carriedSet s = mkVarSet [v | v <- vs, Just (Known _ Carried) <- [lookupVarEnv (scopeKnown s) v]]

-- | A constructor with a lazy field that waits for what is carried.
buildsLazily :: Scope -> CoreExpr -> Bool
buildsLazily scope e = case callOf (bare e) of
  (Var c, _, arguments)
    | Just con <- constructorOf c -> or [lazyField x | (x, False) <- zip arguments (map hasBang (dataConSrcBangs con) <> repeat False), not (isListType (exprType x))]
    | otherwise -> any lazyField arguments
  _ -> False
  where
    constructorOf c = case isDataConWorkId_maybe c of
      Just con -> Just con
      Nothing -> isDataConWrapId_maybe c
    hasBang = \case
      HsSrcBang _ _ SrcStrict -> True
      _ -> False
    lazyField x = case classified scope x of
      FromAccumulated -> True
      _ -> False
    isListType t = case splitTyConApp_maybe t of
      Just (tc, _) -> tc == listTyCon
      Nothing -> isFunTy t
