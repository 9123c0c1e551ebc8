{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE OverloadedStrings #-}

-- | From a module's optimised Core to its facts.
--
-- Its one idea: one walk over each binding, which carries what is known of the
-- variables in scope and how many loops are around, and notes what it passes.
-- Nothing is looked at on a path that ends in an error.
--
-- Start at 'gather', then 'walk'.
module Tern.Lab.Core.Plugin.Gather
  ( gather,
    Written,
    writtenNames,
  )
where

import Control.Applicative ((<|>))
import Data.List (isPrefixOf, sort)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isJust, isNothing, mapMaybe)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Core.Opt.Arity (typeArity)
import GHC.Core.Stats (exprSize)
import GHC.Plugins hiding (InlineSpec (..), Origin (..), RecFlag (..), Unfolding (NoUnfolding), (<>))
import GHC.Types.Demand (isDeadEndSig, isStrUsedDmd, splitDmdSig)
import Tern.Lab.Core.Facts
import Tern.Lab.Core.Plugin.Compat

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

-- | With the bindings' text if that is wanted.
gather :: DynFlags -> Bool -> Bool -> Written -> ModGuts -> ModuleFacts
gather flags wanted exports written guts =
  ModuleFacts
    { factsUnit = T.pack (unitString (moduleUnit here)),
      factsModule = T.pack name,
      factsSource = case concatMap (mapMaybe (placeOf . idName) . bindersOf) (mg_binds guts) of
        place : _ -> placeFile place
        [] -> "",
      factsCompiler = T.pack (projectVersion flags),
      factsExportList = exports || name == "Main",
      factsOptimised = gopt Opt_Specialise flags,
      factsThreshold = useThreshold flags,
      factsBindings = map binding (concatMap members (mg_binds guts))
    }
  where
    here = mg_module guts
    name = moduleNameString (moduleName here)
    members = \case
      NonRec b e -> [(b, e, False)]
      Rec pairs -> [(b, e, True) | (b, e) <- pairs]
    top = mkVarEnv [(b, b) | b <- concatMap bindersOf (mg_binds guts)]
    recursive = mkVarSet (concat [map fst pairs | Rec pairs <- mg_binds guts])
    uses = occurrences guts
    owners = ownersOf written guts
    ownerPlace b = case lookupVarEnv owners b of
      Just (MadeOf o) -> Map.lookup o written
      _ -> Nothing
    binding (b, e, isRecursive) =
      let scope =
            Scope
              { scopeThreshold = useThreshold flags,
                scopeTop = top,
                scopeRecursive = recursive,
                scopeLocals = emptyVarEnv,
                scopeLoops = [],
                scopeIn = Nothing,
                scopeSelf = b
              }
       in Binding
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
              bindingSpots = total (function scope isRecursive b e),
              bindingText = if wanted then T.pack (readable flags (NonRec b e)) else T.empty
            }

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

occurrence :: Id -> Text
occurrence = T.pack . occNameString . getOccName

placeOf :: Name -> Maybe Place
placeOf name = case nameSrcSpan name of
  RealSrcSpan s _ -> Just (Place (T.pack (unpackFS (srcSpanFile s))) (srcSpanStartLine s) (srcSpanStartCol s))
  UnhelpfulSpan _ -> Nothing

pragmaOf :: Id -> Pragma
pragmaOf v
  | isNoInlinePragma pragma || isOpaquePragma pragma = NoInline (phase (inlinePragmaActivation pragma))
  | isInlinePragma pragma = Inline
  | isInlinablePragma pragma = Inlinable
  | otherwise = NoPragma
  where
    pragma = idInlinePragma v
    phase = \case
      NeverActive -> ""
      other -> T.pack (plain (ppr other))

unfoldingFact :: Id -> Unfolding
unfoldingFact v = case unfoldingOf v of
  CoreUnfolding {uf_src = source, uf_guidance = guidance}
    | isStableSource source -> StableUnfolding
    | otherwise -> case guidance of
        UnfWhen {} -> AlwaysUnfolding
        UnfIfGoodArgs {ug_size = size} -> SizedUnfolding size
        UnfNever -> NeverUnfolding
  DFunUnfolding {} -> AlwaysUnfolding
  _ -> NoUnfolding

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

-- | Core for reading: no types, no unique names.
readable :: DynFlags -> CoreBind -> String
readable _ b =
  renderWithContext
    defaultSDocContext
      { sdocSuppressTypeApplications = True,
        sdocSuppressCoercions = True,
        sdocSuppressIdInfo = True,
        sdocSuppressTypeSignatures = True,
        sdocSuppressModulePrefixes = True,
        sdocSuppressUniques = True,
        sdocSuppressTicks = True,
        sdocLineLength = 100
      }
    (ppr b)

plain :: SDoc -> String
plain = showSDocUnsafe

-- * The walk

-- | What is known where the walk stands.
data Scope = Scope
  { scopeThreshold :: !Int,
    scopeTop :: !(VarEnv Id),
    scopeRecursive :: !VarSet,
    scopeLocals :: !(VarEnv Local),
    -- | The loops around, the innermost first.
    scopeLoops :: ![Loop],
    scopeIn :: !(Maybe Id),
    scopeSelf :: !Id
  }

data Local
  = -- | Let-bound.
    Known !CoreExpr
  | -- | Let-bound in a recursive group.
    KnownLoop
  | -- | Bound by a lambda or a case.
    Variable !Bound

data Loop = Loop
  { loopName :: !Id,
    loopParameters :: ![Id]
  }

-- | What was seen, in no order.
type Seen = [Spot] -> [Spot]

-- | Equal spots counted together.
total :: Seen -> [Spot]
total seen = [spot {spotTimes = n} | (spot, n) <- Map.toList (Map.fromListWith (+) [(s {spotTimes = 0}, spotTimes s) | s <- seen []])]

see :: Scope -> Sight -> Seen
see scope sight =
  ( Spot
      { spotSight = sight,
        spotIn = occurrence <$> scopeIn scope,
        spotPlace = scopeIn scope >>= placeOf . idName,
        spotLoops = length (scopeLoops scope),
        spotTimes = 1
      }
      :
  )

-- | Without casts and ticks outside.
bare :: CoreExpr -> CoreExpr
bare = \case
  Cast e _ -> bare e
  Tick _ e -> bare e
  Lam v e | isTyVar v -> bare e
  e -> e

-- | Does it never return? What only leads to an error is never hot.
endsInError :: CoreExpr -> Bool
endsInError e = case application (bare e) of
  (Var f, arguments) -> isDeadEndSig (idDmdSig f) && length arguments >= idArity f
  (Let _ body, []) -> endsInError body
  (Case scrutinee _ _ alternatives, []) -> endsInError scrutinee || all (\(Alt _ _ r) -> endsInError r) alternatives
  _ -> False

-- | The head and the value arguments of an application.
application :: CoreExpr -> (CoreExpr, [CoreExpr])
application = go []
  where
    go arguments e = case e of
      App f a
        | isTypeArg a || isCoercion a -> go arguments f
        | otherwise -> go (a : arguments) f
      Cast inner _ -> go arguments inner
      Tick _ inner -> go arguments inner
      _ -> (e, arguments)
    isCoercion = \case
      Coercion _ -> True
      _ -> False

-- | A function's right-hand side: its parameters, and its body in a loop if it
-- calls itself.
function :: Scope -> Bool -> Id -> CoreExpr -> Seen
function scope isRecursive b e = lambdaUnderCase inner b body . walk inner body
  where
    (parameters, body) = parametersOf e
    inner =
      (boundBy ByLambda parameters scope)
        { scopeLoops = if isRecursive && not (null parameters) then Loop b parameters : scopeLoops scope else scopeLoops scope
        }

-- | The value parameters, through casts between them.
parametersOf :: CoreExpr -> ([Id], CoreExpr)
parametersOf e = case e of
  Lam v body
    | isId v -> let (vs, rest) = parametersOf body in (v : vs, rest)
    | otherwise -> parametersOf body
  Cast inner _ | Lam _ _ <- inner -> parametersOf inner
  Tick _ inner -> parametersOf inner
  _ -> ([], e)

boundBy :: Bound -> [Id] -> Scope -> Scope
boundBy how vs scope = scope {scopeLocals = extendVarEnvList (scopeLocals scope) [(v, Variable how) | v <- vs, isId v]}

-- | @case x of { A -> \\c -> …; B -> \\c -> … }@ below fewer parameters than the
-- type takes: each call makes a function first.
lambdaUnderCase :: Scope -> Id -> CoreExpr -> Seen
lambdaUnderCase scope b body = case bare body of
  Case _ _ _ alternatives
    | idArity b < typeArity (idType b),
      n <- length (filter returnsLambda alternatives),
      n > 0 ->
        see scope {scopeIn = if b == scopeSelf scope then Nothing else Just b} (LambdaUnderCase n)
  _ -> id
  where
    returnsLambda (Alt _ _ r) = makesOne r
    makesOne r = case bare r of
      Lam v _ -> not (isOneShotLambda v) && not (isRealWorld v)
      Let _ inner -> makesOne inner
      Case _ _ _ alternatives -> any returnsLambda alternatives
      _ -> False
    isOneShotLambda v = idOneShotInfo v == OneShotLam
    isRealWorld v = isUnliftedType (idType v)

walk :: Scope -> CoreExpr -> Seen
walk scope e = case e of
  Var _ -> call scope e
  Lit _ -> id
  App {} -> call scope e
  Lam v body -> walk (boundBy ByLambda [v] scope) body
  Let (NonRec b r) body
    | isJoinId b -> joinPoint scope False b r . walk (known b r scope) body
    | otherwise -> made scope b r . local scope False b r . walk (known b r scope) body
  Let (Rec pairs) body ->
    let inner = scope {scopeLocals = extendVarEnvList (scopeLocals scope) [(b, KnownLoop) | (b, _) <- pairs]}
     in foldr (.) id [(if isJoinId b then joinPoint inner True b r else made inner b r . local inner True b r) | (b, r) <- pairs] . walk inner body
  Case scrutinee b _ alternatives ->
    walk scope scrutinee
      . foldr (.) id [walk (boundBy ByCase (b : vs) scope) r | Alt _ vs r <- alternatives, not (endsInError r)]
  Cast inner _ -> walk scope inner
  Tick _ inner -> walk scope inner
  Type _ -> id
  Coercion _ -> id
  where
    known b r s = s {scopeLocals = extendVarEnv (scopeLocals s) b (Known r)}

-- | A local function, thunk or constructor: what is in it.
local :: Scope -> Bool -> Id -> CoreExpr -> Seen
local scope isRecursive b r
  | isFunction r = function scope {scopeIn = if hasSourceName b then Just b else scopeIn scope} isRecursive b r
  | otherwise = walk scope r

-- | A join point is a place to jump to: nothing is made, but one that jumps to
-- itself is a loop.
joinPoint :: Scope -> Bool -> Id -> CoreExpr -> Seen
joinPoint scope isRecursive b = function scope isRecursive b

hasSourceName :: Id -> Bool
hasSourceName = isJust . placeOf . idName

isFunction :: CoreExpr -> Bool
isFunction r = case bare r of
  Lam v _ -> isId v
  _ -> False

-- * Heap objects

-- | A let-bound right-hand side as the heap object that it makes.
made :: Scope -> Id -> CoreExpr -> Seen
made scope b r
  | exprIsTrivial r || isUnliftedType (idType b) = id
  -- Certainly needed: GHC evaluates it at once.
  | isStrUsedDmd (idDemandInfo b), objectOf scope r == Just Thunk = id
  | otherwise = allocates scope r

-- | An argument that is not a variable or literal is let-bound later, unless
-- the function is certain to need it.
argument :: Scope -> (CoreExpr, Bool) -> Seen
argument scope (a, needed)
  | exprIsTrivial a = id
  | Lit _ <- bare a = id
  | isUnliftedType (exprType a) = walk scope a
  | needed, objectOf scope a == Just Thunk = walk scope a
  | otherwise = allocates scope a . (if isFunction a then function scope False (scopeSelf scope) a else walk scope a)

allocates :: Scope -> CoreExpr -> Seen
allocates scope r = case objectOf scope r of
  Just object -> see scope (Allocated object)
  Nothing -> id

objectOf :: Scope -> CoreExpr -> Maybe HeapObject
objectOf scope r
  | isFunction r = if null (freeLocals scope r) then Nothing else Just Closure
  | (Var f, arguments) <- application (bare r),
    Just constructor <- isDataConWorkId_maybe f =
      let name = T.pack (occNameString (getOccName constructor))
       in if null arguments || all isStatic arguments then Nothing else Just (if isBoxedNumber name then BoxedNumber name else Constructor name)
  | endsInError r = Nothing
  | (Var f, arguments) <- application (bare r), not (null arguments), length arguments < idArity f = Just Partial
  | exprIsHNF r = Nothing
  | otherwise = Just Thunk
  where
    isStatic a = case bare a of
      Lit _ -> True
      Var v -> not (inScope v)
      _ -> False
    inScope v = elemVarEnv v (scopeLocals scope)

-- | A function without free local variables is made once, at compile time.
freeLocals :: Scope -> CoreExpr -> [Id]
freeLocals scope r = [v | v <- nonDetEltsUniqSet (exprFreeIds r), elemVarEnv v (scopeLocals scope)]

isBoxedNumber :: Text -> Bool
isBoxedNumber = (`elem` ["I#", "W#", "D#", "F#", "C#", "I8#", "I16#", "I32#", "I64#", "W8#", "W16#", "W32#", "W64#", "IS"])

-- * Calls

call :: Scope -> CoreExpr -> Seen
call scope e = case headOf of
  Var f
    | Just _ <- isDataConWorkId_maybe f -> inside
    | isJust (isPrimOpId_maybe f) || isJust (isFCallId_maybe f) -> inside
    | isDeadEndSig (idDmdSig f) -> id
    | Just cls <- isClassOpId_maybe f, first : _ <- arguments -> method cls f first . inside
    | Just loop <- ownLoop f -> accumulators loop . append f . inside
    | Just (Variable how) <- lookupVarEnv (scopeLocals scope) f ->
        (if null arguments || isDictionaryType (idType f) then id else see scope (Unknown (occurrence f) how)) . inside
    | elemVarEnv f (scopeLocals scope) -> inside
    | isDFunId f -> inside
    | null arguments -> id
    | otherwise -> stayed f . append f . inside
  Lit _ -> id
  other -> walk scope other . inside
  where
    (headOf, arguments) = application e
    inside = foldr ((.) . argument scope) id (zip arguments (strictIn headOf))
    -- Which arguments the function certainly evaluates.
    strictIn = \case
      Var f
        | (demands, _) <- splitDmdSig (idDmdSig (fromMaybe f (lookupVarEnv (scopeTop scope) f))),
          length arguments >= length demands ->
            map isStrUsedDmd demands <> repeat False
      _ -> repeat False
    ownLoop f = case [loop | loop <- scopeLoops scope, loopName loop == f] of
      loop : _ -> Just loop
      [] -> Nothing
    method cls f first
      | "$p" `isPrefixOf` occNameString (getOccName f) = id
      | isKnownDictionary scope first = id
      | otherwise = see scope (Method (T.pack (plain (ppr cls))) (occurrence f))
    stayed f =
      let given = [d | d <- arguments, isDictionaryType (exprType d), not ("?" `isPrefixOf` plain (ppr (exprType d)))]
          why = reasonOf scope f (length arguments)
          callee = calleeOf f
          dictionaries = [Dictionary (T.pack (oneLine (plain (ppr (exprType d))))) (isKnownDictionary scope d) | d <- given]
       in case literalLength scope =<< listArgument of
            Just n | why == Recursive || recursiveThere f, n >= 2 -> see scope (LiteralList callee n)
            _
              | not (null dictionaries) -> see scope (Overloaded callee (sort dictionaries) why)
              | otherwise -> see scope (Stayed callee (length arguments) why)
    listArgument = case filter (isJust . literalLength scope) arguments of
      a : _ -> Just a
      [] -> Nothing
    -- A recursive function of another module has no unfolding.
    recursiveThere f = not (elemVarEnv f (scopeTop scope)) && unfoldingFact f `elem` [NoUnfolding, NeverUnfolding]
    accumulators loop =
      foldr
        (.)
        id
        $ [ see scope LeftAppend
            | (parameter, a) <- zip (loopParameters loop) arguments,
              Just (g, left : _) <- [applied a],
              isAppend g,
              Var v <- [bare left],
              v == parameter
          ]
          <> [ see scope (LazyAccumulator (occurrence (loopName loop)) (parameterName i parameter))
               | (i, parameter, (a, False)) <- zip3 [1 :: Int ..] (loopParameters loop) (zip arguments (strictIn (Var (loopName loop)))),
                 Just r <- [growing a],
                 elemVarSet parameter (exprFreeIds r)
             ]
    -- What GHC has named itself means nothing to a reader.
    parameterName i parameter
      | isSystemName (idName parameter) || any (`isPrefixOf` name) ["ww", "ds", "eta", "sc"] = T.pack ("argument " <> show i)
      | otherwise = T.pack name
      where
        name = occNameString (getOccName parameter)
    -- The expression that would be stored unevaluated.
    growing a = case bare a of
      Var v | Just (Known r) <- lookupVarEnv (scopeLocals scope) v, thunk r -> Just r
      other | not (exprIsTrivial other), thunk other -> Just other
      _ -> Nothing
    thunk r = not (isUnliftedType (exprType r)) && objectOf scope r == Just Thunk
    append f
      | isAppend f,
        left : _ <- arguments = case applied left of
          Just (g, _)
            | isAppend g -> see scope LeftAppend
            | Just loop <- ownLoop g -> see scope (RecursiveAppend (occurrence (loopName loop)))
          _ -> id
      | otherwise = id
    applied a = case application (bare a) of
      (Var g, as)
        | null as, Just (Known r) <- lookupVarEnv (scopeLocals scope) g -> applied r
        | not (null as) -> Just (g, as)
      _ -> Nothing

isAppend :: Id -> Bool
isAppend f =
  occNameString (getOccName f) == "++"
    && maybe False ((`elem` appendModules) . moduleNameString . moduleName) (nameModule_maybe (idName f))

-- | A dictionary whose instance stands fast.
isKnownDictionary :: Scope -> CoreExpr -> Bool
isKnownDictionary scope d = case application (bare d) of
  (Var f, arguments) ->
    (isGlobalId f || isDFunId f || elemVarEnv f (scopeTop scope))
      && all (isKnownDictionary scope) (filter (isDictionaryType . exprType) arguments)
  _ -> False

-- | The length of a list whose cells all stand here.
literalLength :: Scope -> CoreExpr -> Maybe Int
literalLength scope = go (64 :: Int)
  where
    go 0 _ = Nothing
    go fuel e = case application (bare e) of
      (Var c, arguments)
        | Just constructor <- isDataConWorkId_maybe c ->
            if constructor == nilDataCon
              then Just 0
              else case arguments of
                [_, rest] | constructor == consDataCon -> (+ 1) <$> go (fuel - 1) rest
                _ -> Nothing
        | null arguments, Just (Known r) <- lookupVarEnv (scopeLocals scope) c -> go (fuel - 1) r
      _ -> Nothing

calleeOf :: Id -> Callee
calleeOf f = case nameModule_maybe (idName f) of
  Just m -> CalleeGlobal (Global (T.pack (unitString (moduleUnit m))) (T.pack (moduleNameString (moduleName m))) (occurrence f))
  Nothing -> CalleeHere (occurrence f)

-- | Why a call with so many value arguments stayed a call.
reasonOf :: Scope -> Id -> Int -> Reason
reasonOf scope f given
  | NoInline _ <- pragma = Pragmatic pragma
  | elemVarSet f (scopeRecursive scope) || isStrongLoopBreaker (idOccInfo definition) = Recursive
  | given < idArity definition = Unsaturated (idArity definition)
  | otherwise = case unfoldingFact definition of
      NoUnfolding -> if elemVarEnv f (scopeTop scope) then NoGain else NoUnfoldingThere
      NeverUnfolding -> Huge
      SizedUnfolding size | size > scopeThreshold scope -> TooBig size (scopeThreshold scope)
      _ -> NoGain
  where
    -- The binding itself knows more than an occurrence of its name.
    definition = fromMaybe f (lookupVarEnv (scopeTop scope) f)
    pragma = pragmaOf definition

-- | At most 80 characters; types of generic code can have thousands.
oneLine :: String -> String
oneLine written = case splitAt 80 (unwords (words written)) of
  (whole, []) -> whole
  (start, _) -> start <> "…"
