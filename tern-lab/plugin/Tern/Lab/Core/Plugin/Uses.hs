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
    byName = plusRoles [rolesIn e | (_, e) <- flattenBinds binds]
    top = mkVarEnv [(b, e) | (b, e) <- flattenBinds binds]
    seen = foldr ((.) . ofGroup) id binds []
    ofGroup = \case
      NonRec b e -> ofBinding False b e
      Rec pairs -> foldr (.) id [ofBinding True b e | (b, e) <- pairs]
    ofBinding isRecursive b e
      | isDerivable (occNameString (getOccName b)) = id
      | otherwise = walkFunction (begin b) {scopeTied = isRecursive && not (isFunction e)} isRecursive b e
    isDerivable name = take 2 name == "$f" || drop 2 name `elem` ["showsPrec", "showList", "show", "readPrec", "readListPrec", "readsPrec", "readList", "compare", "==", "/=", "<", "<=", ">", ">="] && take 2 name == "$c"
    begin b =
      Scope
        { scopeOwn = own,
          scopeModule = this,
          scopeGiven = byName,
          scopeTop = top,
          scopeBinding = occurrence b,
          scopeIn = Nothing,
          scopePlace = placeOf (idName b),
          scopeLoops = 0,
          scopeKnown = emptyVarEnv,
          scopeUnder = [],
          scopeTied = False
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
    scopeUnder :: ![Text],
    -- | In a value that is defined by itself?
    scopeTied :: !Bool
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
    same = if isRecursive then unchanged b parameters body else []
    inner =
      scope
        { scopeLoops = loops,
          scopeUnder = [],
          scopeKnown = extendVarEnvList (scopeKnown scope) [(v, Known (if i `elem` same then loops - 1 else loops) (if i `elem` carriedHere || i `elem` own then Carried else Other)) | (i, v) <- zip [0 ..] parameters]
        }

-- | By the type: is it done each time that it is mentioned?
isAction :: Type -> Bool
isAction t = case splitTyConApp_maybe (dropForAlls t) of
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

-- | The parameters of a recursive function that all its calls hand on as they
-- are.
unchanged :: Id -> [Id] -> CoreExpr -> [Int]
unchanged self parameters body = [i | not (null calls), (i, p) <- zip [0 ..] parameters, all (handsOn i p) calls]
  where
    calls = callsIn body
    handsOn i p arguments = case drop i arguments of
      a : _ | Var v <- bare a -> v == p
      _ -> False
    callsIn e = case e of
      Var v -> [[] | v == self]
      Lit _ -> []
      Type _ -> []
      Coercion _ -> []
      Lam _ r -> callsIn r
      Cast r _ -> callsIn r
      Tick _ r -> callsIn r
      Let bs r -> concatMap callsIn (r : rhssOfBind bs)
      Case r _ _ alternatives -> callsIn r <> concat [callsIn inner | Alt _ _ inner <- alternatives]
      App _ _ -> case callOf e of
        (Var f, _, arguments) | f == self -> arguments : concatMap callsIn arguments
        (f, _, arguments) -> concatMap callsIn (f : arguments)

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
  | isFunction r || isRecursive = walkFunction named {scopeTied = isRecursive && not (isFunction r)} isRecursive b r
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
call scope written = case headOf of
  Var f
    | isDeadEndId f, not (null arguments) -> id
    | isLibrary "$!" f, function : a : rest <- arguments -> call scope (mkApps function (evaluated a : rest)) . walk scope {scopeUnder = []} a
    | isLibrary "." f, outer : inner : rest <- arguments -> composed f outer inner rest
    | isBind f, [first, Lam v body] <- arguments ->
        walk scope {scopeUnder = []} first . walk (bound (if readsCell first then Carried else Other) [v] scope) body
    | otherwise -> use f . foldr (.) id (zipWith (argument f) [0 ..] arguments)
  other -> walk scope {scopeUnder = []} other . foldr ((.) . walk scope {scopeUnder = []}) id arguments
  where
    e = resolved scope written
    (headOf, _, arguments) = callOf e
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
        | isFunTy (exprType a) -> given often carried scope {scopeUnder = []} a
        -- An action that is done again and again.
        | often, occurrence f `elem` ["replicateM_", "replicateM", "forever"], i == length arguments - 1 -> walk (deeper scope) {scopeUnder = []} a
      _
        | isConstructor f || isLocalId f -> walk scope {scopeUnder = if isConstructor f then scopeUnder scope else []} a
        | otherwise -> walk scope {scopeUnder = occurrence f : scopeUnder scope} a
    use = const (callAt 0 scope e)

-- | A section calls a variable that stands for a method at a type.
resolved :: Scope -> CoreExpr -> CoreExpr
resolved scope e = case callOf e of
  (Var v, _, arguments)
    | isLocalId v,
      Just (Known _ (Bound' r)) <- lookupVarEnv (scopeKnown scope) v,
      (Var g, _, []) <- callOf (bare r),
      isGlobalId g ->
        mkApps r arguments
  _ -> e

-- | The call itself, without its arguments: @more@ loops are around it that are
-- not around them.
callAt :: Int -> Scope -> CoreExpr -> [Seen] -> [Seen]
callAt more scope e = case headOf of
  Var f -> use f
  _ -> id
  where
    (headOf, types, arguments) = callOf (resolved scope e)
    use f
      | isConstructor f || isDictionaryType (idType f) = id
      | Just m <- nameModule_maybe (idName f),
        m /= scopeModule scope,
        moduleUnit m /= moduleUnit (scopeModule scope) =
          seenUse (scopeLoops scope + more) (globalOf (scopeOwn scope) m (idName f))
      | Just m <- nameModule_maybe (idName f) = mentioned f (globalOf (scopeOwn scope) m (idName f))
      -- Overloaded here, and a loop: at which types.
      | isLocalId f, Just (Known _ (Bound' r)) <- lookupVarEnv (scopeKnown scope) f, isOverloadedLoop f r = seenUse (scopeLoops scope + more + 1) (Global (ownUnit (scopeOwn scope)) (T.pack (moduleNameString (moduleName (scopeModule scope)))) (occurrence f))
      | elemVarEnv f (scopeTop scope) = mentioned f (Global (ownUnit (scopeOwn scope)) (T.pack (moduleNameString (moduleName (scopeModule scope)))) (occurrence f))
      | otherwise = id
    seenUse loops callee =
      ( SeenUse
          Use
            { useBinding = scopeBinding scope,
              useIn = scopeIn scope,
              usePlace = scopePlace scope,
              useCallee = callee,
              useTypes = map constructors types,
              useArguments = map (classifiedFor (carriedBy headOf) scope) arguments,
              useUnder = take 6 (scopeUnder scope),
              useTied = scopeTied scope,
              useLoops = loops
            }
          :
      )
    carriedBy = \case
      Var f | Just (Role _ carried) <- roleOf f -> (`elem` carried)
      _ -> const True
    mentioned f to
      | occurrence f == scopeBinding scope || not (isFunTy (dropForAlls (idType f)) || isAction (idType f)) = id
      | otherwise = (SeenCall (SourceCall (scopeBinding scope) to (scopeLoops scope + more + again f)) :)
    again f = case lookupVarEnv (scopeGiven scope) f of
      Just (Role True _) -> 1
      _ -> 0 :: Int

-- | A function that is given to one that calls it: once or again and again, and
-- which of its parameters carry what was made before. What stands around its
-- body, or is given to it already, is made once.
given :: Bool -> [Int] -> Scope -> CoreExpr -> [Seen] -> [Seen]
given often carried scope a = case a of
  Tick _ inner -> given often carried scope inner
  Cast inner _ -> given often carried scope inner
  Let (NonRec b r) inner -> local scope False b r . given often carried (letBound b r scope) inner
  Lam _ _ ->
    let (vs, body) = parametersOf a
     in walk (foldr (\(j, v) s -> bound (if j `elem` carried then Carried else Other) [v] s) again (zip [0 :: Int ..] vs)) body
  App _ _
    | (Var f, _, arguments) <- callOf a, not (isLibrary "." f), not (null arguments) -> callAt (if often then 1 else 0) scope a . foldr (.) id [if isFunTy (exprType x) then given often [] scope x else walk scope x | x <- arguments]
  _ -> walk again a
  where
    again = if often then deeper scope else scope

deeper :: Scope -> Scope
deeper scope = scope {scopeLoops = scopeLoops scope + 1}

-- | A function of dictionaries that has a recursive function of its own name.
isOverloadedLoop :: Id -> CoreExpr -> Bool
isOverloadedLoop f r = case parametersOf r of
  (d : _, body) | isDictionaryType (idType d) -> any (\b -> occurrence b == occurrence f) (recursiveIn body)
  _ -> False
  where
    recursiveIn e = case bare e of
      Let (Rec pairs) body -> map fst pairs <> recursiveIn body
      Let (NonRec _ _) body -> recursiveIn body
      _ -> []

-- | All constructors of a type, the outermost first.
constructors :: Type -> [Text]
constructors t = case splitTyConApp_maybe t of
  Just (c, ts) -> qualified (tyConName c) : concatMap constructors ts
  Nothing -> []
  where
    qualified n = T.concat [maybe "" ((<> ".") . T.pack . moduleNameString . moduleName) (nameModule_maybe n), T.pack (occNameString (getOccName n))]

classified :: Scope -> CoreExpr -> Argument
classified = classifiedFor (const True)

-- | Given which parameters of a function carry what was made before.
classifiedFor :: (Int -> Bool) -> Scope -> CoreExpr -> Argument
classifiedFor carries scope a = case callOf (bare a) of
  (Let (NonRec b r) inner, _, []) | isFunTy (exprType inner) -> classifiedFor carries (letBound b r scope) inner
  (Lit _, _, _) -> Literally
  (Lam _ _, _, _) -> functionSort carries scope a
  (Var v, types, [])
    | Just (Known depth sort) <- lookupVarEnv (scopeKnown scope) v -> case sort of
        Carried -> Accumulated
        Pending -> FromAccumulated
        Bound' r
          | isFunction r -> functionSort carries scope r
          | isRange r -> NamedRange
        _ | depth < scopeLoops scope -> Invariant
        _ -> OfRound
    | Just r <- lookupVarEnv (scopeTop scope) v, isFunction r -> functionSort carries scope r
    | isLocalId v -> Invariant
    | Just m <- nameModule_maybe (idName v) -> if moduleUnit m == moduleUnit (scopeModule scope) then Invariant else if isConstructor v then Compound else Given (globalOf (scopeOwn scope) m (idName v)) (map constructors types)
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

-- | From one number to another that is not known.
isRange :: CoreExpr -> Bool
isRange r = case callOf (bare r) of
  (Var f, _, arguments) -> occurrence f `elem` ["enumFromTo", "enumFromThenTo"] && not (all isLiteral arguments)
  _ -> False
  where
    isLiteral a = case callOf (bare a) of
      (Lit _, _, _) -> True
      (Var c, _, inner) -> isConstructor c && all isLiteral inner
      _ -> False

-- | What a function makes of what it is given, which counts as carried.
functionSort :: (Int -> Bool) -> Scope -> CoreExpr -> Argument
functionSort carries scope f = ends (foldr (\(i, v) -> bound (if carries i then Carried else Other) [v]) scope (zip [0 ..] vs)) body
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
