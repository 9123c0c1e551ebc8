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

import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, listToMaybe, mapMaybe)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Role,
    Unfolding (NoUnfolding),
    (<>),
  )
import Tern.Lab.Core.Facts
  ( Argument (..),
    Global (..),
    LocalCall (..),
    Place (..),
    SourceCall (..),
    Use (..),
    singlesFunction,
    stringsFunction,
  )
import Tern.Lab.Core.Plugin.Applied (applied, wanted)
import Tern.Lab.Core.Plugin.Enclosed (textOf)
import Tern.Lab.Core.Plugin.Erring (erringKnown)
import Tern.Lab.Core.Plugin.Given
  ( Known (..),
    Scope (..),
    Sort (..),
    bound,
    classified,
    deeper,
    functionSort,
    letBound,
    madeOfCarried,
    partsOf,
  )
import Tern.Lab.Core.Plugin.Lengthened (fieldsIn, lengthened)
import Tern.Lab.Core.Plugin.Noted (Seen (..), callAt, mentions, resolved)
import Tern.Lab.Core.Plugin.OwnLoops (callingAgain, helpersIn)
import Tern.Lab.Core.Plugin.Roles (Role (..), readers, roleOf)
import Tern.Lab.Core.Plugin.Rounds
  ( callOf,
    constructors,
    handedBetween,
    handedOn,
    isAction,
    isConstructor,
    isLibrary,
    isTree,
    plusRoles,
    rolesIn,
    unchanged,
  )
import Tern.Lab.Core.Plugin.Shape
  ( Own (..),
    bare,
    endsInError,
    globalOf,
    hasSourceName,
    isFunction,
    occurrence,
    parametersOf,
    parametersWithin,
    placeOf,
  )
import Tern.Lab.Core.Plugin.Users
  ( isListed,
    named,
    occurrencesOf,
    ofStrings,
    takenAt,
    taker,
    takerAt,
    usersOf,
  )
import Tern.Lab.Core.Plugin.Value (isPipeline, onlyFused)

-- | Given how the facts call this module, where its functions stand, and its program after the
-- type checker: the calls of other packages, those of this one, and those of local functions.
usesOf ::
  Own -> Map Text Place -> Module -> CoreProgram -> ([Use], [SourceCall], [LocalCall])
usesOf own written this program =
  ( distinct [u | SeenUse u <- seen],
    Map.elems
      ( Map.fromListWith
          most
          [((callFrom c, callTo c), c) | SeenCall c <- seen]
      ),
    distinct
      [ c
        | SeenLocal f _ c <- seen,
          isFunTy (dropForAlls (idType f)),
          hasSourceName f,
          localFrom c /= localTo c
      ]
  )
  where
    binds = erringKnown program
    most a b = if callLoops a >= callLoops b then a else b
    byName =
      plusRoles
        ( handedBetween binds
            : helpersIn (flattenBinds binds)
            : [rolesIn e | (_, e) <- flattenBinds binds]
        )
    top = mkVarEnv [(b, e) | (b, e) <- flattenBinds binds]
    here = Set.fromList (map occurrence (bindersOfBinds binds))
    melted =
      Map.fromList [(p, (name, Set.notMember name here)) | (name, p) <- Map.toList written]
    seen = foldr ((.) . ofGroup) id binds []
    ofGroup = \case
      NonRec b e -> ofBinding False b e
      Rec pairs -> foldr (.) id [ofBinding True b e | (b, e) <- pairs]
    ofBinding isRecursive b e
      | isDerivable (occNameString (getOccName b)) = id
      | otherwise =
          (if isRecursive then id else stepped (begin b) b e)
            . walkFunction 0 (begin b) {scopeTied = isTied} isRecursive b e
      where
        isTied = isRecursive && not (isFunction e)
    isDerivable name =
      take 2 name == "$f"
        || drop 2 name
          `elem` [ "showsPrec",
                   "showList",
                   "show",
                   "readPrec",
                   "readListPrec",
                   "readsPrec",
                   "readList",
                   "compare",
                   "==",
                   "/=",
                   "<",
                   "<=",
                   ">",
                   ">="
                 ]
          && take 2 name == "$c"
    begin b =
      Scope
        { scopeOwn = own,
          scopeModule = this,
          scopeGiven = byName,
          scopeTop = top,
          scopeAgain = callingAgain (flattenBinds binds),
          scopeBinding = occurrence b,
          scopeIn = Nothing,
          scopePlace = placeOf (idName b),
          scopeNear = Nothing,
          scopeMelted = melted,
          scopeLoops = 0,
          scopeKnown = emptyVarEnv,
          scopeUnder = [],
          scopeTied = False,
          scopeField = Nothing,
          scopeValue = False,
          scopeRounds = emptyVarEnv,
          scopeText = textOf this b,
          scopeInside = emptyVarSet,
          scopeParts = emptyVarEnv,
          scopeRecord = Nothing,
          scopeFields = emptyVarEnv
        }

distinct :: (Ord a) => [a] -> [a]
distinct = Set.toList . Set.fromList

-- | Of a function that is given a record and gives one of the same type, whose fields wait for
-- those of the first: that it does. The record may be in a Maybe, and beside something else.
stepped :: Scope -> Id -> CoreExpr -> [Seen] -> [Seen]
stepped scope b e
  | Just (c, isInside) <- recordOf (exprType body),
    given'@(_ : _) <-
      [i | (i, v) <- zip [0 :: Int ..] parameters, tyConAppTyCon_maybe (idType v) == Just c],
    functionSort (`elem` given') scope {scopeRecord = Just c} e == Builds =
      ( SeenUse
          Use
            { useBinding = scopeBinding scope,
              useIn = Nothing,
              usePlace = scopePlace scope,
              useCallee =
                Global
                  (ownUnit (scopeOwn scope))
                  (T.pack (moduleNameString (moduleName (scopeModule scope))))
                  (occurrence b),
              useTypes = [],
              useArguments = [if isInside then SteppedInside else Stepped],
              useUnder = [],
              useTied = False,
              useLoops = 0
            }
          :
      )
  | otherwise = id
  where
    (parameters, body) = parametersOf e
    -- The record of the program in a type, and whether something is around it.
    recordOf t = case splitTyConApp_maybe t of
      Just (c, inner)
        | c == maybeTyCon || isTupleTyCon c ->
            listToMaybe [(record, True) | Just (record, _) <- map recordOf (reverse inner)]
        | isDataTyCon c,
          [_] <- tyConDataCons c,
          Just m <- nameModule_maybe (tyConName c),
          moduleUnit m == moduleUnit (scopeModule scope) ->
            Just (c, False)
      _ -> Nothing

-- * Calls

-- | Given how many loops are around the innermost call of a function that is local, and its scope.
walkFunction :: Int -> Scope -> Bool -> Id -> CoreExpr -> [Seen] -> [Seen]
walkFunction called scope isRecursive b e = walk inner body
  where
    (parameters, body) = applied (wanted carriedHere) (parametersWithin e)
    Role often carriedHere = fromMaybe (Role False []) (lookupVarEnv (scopeGiven scope) b)
    loops =
      max called (scopeLoops scope + (if often then 1 else 0))
        + (if isRecursive && (not (null parameters) || isAction (idType b)) then 1 else 0)
    own = if isRecursive then handedOn b parameters body else []
    same = if isRecursive then unchanged b parameters body else []
    inner =
      scope
        { scopeLoops = loops,
          scopeUnder = [],
          scopeRounds =
            if isRecursive
              then extendVarEnv (scopeRounds scope) b (parameters, body)
              else scopeRounds scope,
          scopeKnown =
            extendVarEnvList
              (scopeKnown scope)
              [ ( v,
                  Known
                    (if i `elem` same then loops - 1 else loops)
                    ( if i `elem` carriedHere || i `elem` own
                        then Carried
                        else Other
                    )
                )
                | (i, v) <-
                    zip [0 ..] parameters
              ]
        }

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
  Let (NonRec b r) body
    | endsInFunction r ->
        let below = walk (kept b r body) body []
         in local (usersOf b body) (callsIn below b) scope False b r . (below <>)
    | otherwise -> local (usersOf b body) 0 scope False b r . walk (kept b r body) body
  Let (Rec pairs) body ->
    let inner = bound Other (map fst pairs) scope
        below = walk inner body []
     in foldr (.) id [local [] (callsIn below b) inner True b r | (b, r) <- pairs] . (below <>)
  Case r b _ alternatives ->
    let sort = if madeOfCarried scope r && not (isTree (exprType r)) then Carried else Other
     in walk scope {scopeUnder = []} r
          . foldr
            (.)
            id
            [ if endsInError inner
                then mentions scope inner
                else
                  walk
                    ( withFields c vs . partsOf r b vs $
                        bound sort (b : vs) (evaluatedFirst r scope)
                    )
                    inner
              | Alt c vs inner <-
                  alternatives
            ]
  where
    withFields c vs inner = inner {scopeFields = fieldsIn c vs (scopeFields inner)}
    -- Who is called in a loop runs as often as that does, wherever it stands.
    callsIn below b = maximum (0 : [n | SeenLocal f n _ <- below, f == b])
    -- What is used once is fused with its user.
    kept b r body
      | isPipeline r, occurrencesOf b body < 2 || not (onlyFused b body) = bound Other [b] scope
      | otherwise = letBound b r scope

-- | What a case is of has been evaluated in its branches, and what @seq@ is given in what follows.
evaluatedFirst :: CoreExpr -> Scope -> Scope
evaluatedFirst r scope = case bare r of
  Var v -> case lookupVarEnv (scopeKnown scope) v of
    Just (Known n Pending) -> known v (Known n Carried)
    Just (Known n (Bound' _)) -> known v (Known n Other)
    _ -> scope
  _ -> scope
  where
    known v what = scope {scopeKnown = extendVarEnv (scopeKnown scope) v what}

-- | Given the functions that take it, and how many loops are around its innermost call.
local :: [Global] -> Int -> Scope -> Bool -> Id -> CoreExpr -> [Seen] -> [Seen]
local users called scope isRecursive b r
  | isFunction r || isRecursive =
      walkFunction called inner {scopeTied = isRecursive && not (isFunction r)} isRecursive b r
  -- What stands around its body (the dictionaries of its type, with GHC 9.10) is made once.
  | Let (NonRec v x) body <- bare r,
    endsInFunction body =
      local [] 0 scope False v x . local users called (letBound v x scope) False b body
  | otherwise = walk scope {scopeUnder = users} r
  where
    inner =
      if hasSourceName b
        then scope {scopeIn = Just (occurrence b), scopePlace = placeOf (idName b)}
        else scope

-- | A function, whatever stands around its body.
endsInFunction :: CoreExpr -> Bool
endsInFunction e = case bare e of
  Let _ body -> endsInFunction body
  body -> isFunction body

call :: Scope -> CoreExpr -> [Seen] -> [Seen]
call scope written = case headOf of
  Var f
    | isDeadEndId f, not (null arguments) -> mentions scope e
    | isLibrary "seq" f || isLibrary "deepseq" f,
      first : body : rest <- arguments ->
        walk scope {scopeUnder = []} first
          . walk (evaluatedFirst first scope) (mkApps body rest)
    | isLibrary "$!" f || isLibrary "$!!" f,
      function : a : rest <- arguments ->
        call scope (mkApps function (evaluated a : rest)) . walk scope {scopeUnder = []} a
    | isLibrary "." f, outer : inner : rest <- arguments -> composed f outer inner rest
    | isBind f,
      [first, Lam v body] <- arguments ->
        walk scope {scopeUnder = []} first
          . walk (bound (if readsCell first then Carried else Other) [v] scope) body
    | otherwise -> use f . foldr (.) id (zipWith (argument f) [0 ..] arguments)
  other ->
    walk scope {scopeUnder = []} other . foldr ((.) . walk scope {scopeUnder = []}) id arguments
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
      (Var g, _, given')
        | not (isLibrary "." g) ->
            walk scope outer
              . walk
                scope
                  { scopeUnder =
                      map named (mapMaybe mapped given')
                        <> single given'
                        <> (takerAt (exprType outer) g : scopeUnder scope)
                  }
                inner
              . foldr ((.) . walk scope {scopeUnder = []}) id rest
      (Var _, _, [_, next])
        | (Var g, _, _) <- callOf next ->
            walk scope outer
              . walk scope {scopeUnder = taker g : scopeUnder scope} inner
              . foldr ((.) . walk scope {scopeUnder = []}) id rest
      _ ->
        foldr ((.) . walk scope {scopeUnder = []}) id (outer : inner : rest)
          . (if isLibrary "." f then id else use f)
    argument f i a = case roleOf f of
      Just (Role often carried)
        | isFunTy (exprType a) -> given often carried scope {scopeUnder = []} a
        -- An action that is done again and again.
        | often,
          occurrence f `elem` ["replicateM_", "replicateM", "forever"],
          i == length arguments - 1 ->
            walk (deeper scope) {scopeUnder = []} a
      -- One of the program's own that calls it in each of its rounds.
      _
        | isFunTy (exprType a),
          maybe False (i `elem`) (lookupVarEnv (scopeAgain scope) f) ->
            given True [] scope {scopeUnder = []} a
        | isLocalId f,
          isListed (exprType a),
          isListed (exprType e) ->
            walk scope {scopeUnder = taker f : scopeUnder scope} a
        | isConstructor f || isLocalId f ->
            longer scope f i a
              . walk scope {scopeUnder = if isConstructor f then scopeUnder scope else []} a
        | ofStrings f (exprType a) (exprType e) ->
            walk scope {scopeUnder = stringsFunction : scopeUnder scope} a
        | otherwise -> walk scope {scopeUnder = looking (takenAt i f : scopeUnder scope)} a
    -- What is mapped over the characters of a number says that somebody looks at them.
    looking under = case arguments of
      first : _ : _
        | Just g <- mapped first -> named g : under
        | otherwise -> single [first] <> under
      _ -> under
    -- What is made of each character of a packed text says how it is put together again.
    single given' =
      [ singlesFunction
        | a : _ <- [given'],
          isFunTy (exprType a),
          classified scope a == Singles
      ]
    mapped a = case callOf a of
      (Var g, _, []) | isGlobalId g, occurrence g == "digitToInt" -> Just g
      _ -> Nothing
    use = const (callAt 0 scope e)

-- | Given a constructor, and what it is given as a field. What rounds hand on is another matter.
longer :: Scope -> Id -> Int -> CoreExpr -> [Seen] -> [Seen]
longer scope c i a = case lengthened (scopeFields scope) c i a of
  Just (append, types, left)
    | Just m <- nameModule_maybe (idName append),
      classified scope left `notElem` [Accumulated, FromAccumulated] ->
        ( SeenUse
            Use
              { useBinding = scopeBinding scope,
                useIn = scopeIn scope,
                usePlace = scopePlace scope,
                useCallee = globalOf (scopeOwn scope) m (idName append),
                useTypes = map constructors types,
                useArguments = [Lengthened],
                useUnder = [],
                useTied = False,
                useLoops = scopeLoops scope
              }
            :
        )
  _ -> id

-- | A function that is given to one that calls it: once or again and again, and
-- which of its parameters carry what was made before. What stands around its
-- body, or is given to it already, is made once.
given :: Bool -> [Int] -> Scope -> CoreExpr -> [Seen] -> [Seen]
given often carried scope a = case a of
  Tick _ inner -> given often carried scope inner
  Cast inner _ -> given often carried scope inner
  Let (NonRec b r) inner ->
    local [] 0 scope False b r . given often carried (letBound b r scope) inner
  Lam _ _ -> through (parametersOf a)
  App _ _
    | (Var c, _, _) <- callOf a,
      isLibrary "." c,
      whole@(_ : _, _) <- applied (wanted carried) ([], a) ->
        through whole
  App _ _
    | (Var f, _, arguments) <- callOf a,
      not (isLibrary "." f),
      not (null arguments) ->
        callAt (if often then 1 else 0) scope a
          . foldr
            (.)
            id
            [ if isFunTy (exprType x)
                then given often [] scope x
                else walk scope x
              | x <- arguments
            ]
  _ -> walk again a
  where
    through known =
      let (vs, body) = applied (wanted carried) known
       in walk
            ( foldr
                ( \(j, v) s ->
                    bound (if j `elem` carried then Carried else Other) [v] s
                )
                again
                (zip [0 :: Int ..] vs)
            )
            body
    again = if often then deeper scope else scope
