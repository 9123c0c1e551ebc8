{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The walk over a binding's Core that notes what it passes.
--
-- Its one idea: the walk carries what is known of the variables in scope and
-- how many loops are around. Nothing is looked at on a path that ends in an
-- error, and an argument that is certain to be evaluated is no thunk.
--
-- Start at 'spotsIn', then 'walk'.
module Tern.Lab.Core.Plugin.Walk
  ( Scope (..),
    spotsIn,
    boundBy,
    objectOf,
  )
where

import Data.List (isPrefixOf, sort)
import Data.Maybe (fromMaybe, isJust)
import Data.Text qualified as T
import GHC.Core.Multiplicity (scaledThing)
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Unfolding (NoUnfolding),
    (<>),
  )
import GHC.Types.Demand (isDeadEndSig, isStrUsedDmd)
import Tern.Lab.Core.Facts
  ( Bound (..),
    Callee (..),
    Dictionary (..),
    Global (..),
    HeapObject (..),
    Reason (..),
    Sight (..),
    Spot (..),
    Unfolding (..),
  )
import Tern.Lab.Core.Plugin.Arity (lambdaUnderCase)
import Tern.Lab.Core.Plugin.Awaited (awaitedWords)
import Tern.Lab.Core.Plugin.Compat (isDictionaryType)
import Tern.Lab.Core.Plugin.Handed (applied, handed, thunk)
import Tern.Lab.Core.Plugin.Last (boxedResult, endsByItself, lostJump)
import Tern.Lab.Core.Plugin.Looked (askedIn, evaluatedIn, lookedAt, storedIn)
import Tern.Lab.Core.Plugin.Mark (keyOf)
import Tern.Lab.Core.Plugin.Object (allocates, cells, objectOf, wordsOf)
import Tern.Lab.Core.Plugin.Seen
  ( Local (..),
    Loop (..),
    Scope (..),
    Seen,
    boundBy,
    see,
    total,
    within,
  )
import Tern.Lab.Core.Plugin.Shape
  ( Own (..),
    application,
    bare,
    calleeOf,
    endsInError,
    hasSourceName,
    isAppend,
    isFunction,
    isFunctional,
    occurrence,
    oneLine,
    parametersOf,
    plain,
    strictArguments,
    unfoldingFact,
  )
import Tern.Lab.Core.Plugin.Stayed (isKnownDictionary, literalLength, reasonOf)

-- | What is seen in a right-hand side: with whether it is recursive.
spotsIn :: Scope -> Bool -> CoreExpr -> [Spot]
spotsIn scope isRecursive e = total (function scope isRecursive (scopeSelf scope) e)

-- | A function's right-hand side: its parameters, and its body in a loop if it
-- calls itself.
function :: Scope -> Bool -> Id -> CoreExpr -> Seen
function scope isRecursive b e = result . waiting . lambdaUnderCase inner b body . walk inner body
  where
    waiting = case awaitedWords inner b body of
      n
        | n > 0,
          not (null parameters) ->
            see inner {scopeIn = named} (ResultWaits (occurrence b) n)
      _ -> id
    result = case boxedResult b parameters body of
      Just why
        | not (null parameters) ->
            see
              (if endsByItself b body then inner {scopeLoops = scopeLoops scope} else inner)
                { scopeIn = named
                }
              (ResultBoxed (occurrence b) why)
      _ -> id
    named = if b == scopeSelf scope then Nothing else Just b
    (parameters, body) = parametersOf e
    inner =
      (boundBy ByLambda parameters scope)
        { scopePart =
            if b == scopeSelf scope
              then scopePart scope
              else fromMaybe (scopePart scope) (keyOf b),
          scopeLoops =
            if isRecursive && not (null parameters)
              then
                Loop
                  { loopName = b,
                    loopParameters = parameters,
                    loopLookedAt = lookedAt b body,
                    loopAsked = askedIn body,
                    loopStored = storedIn body,
                    loopEvaluated = evaluatedIn parameters body
                  }
                  : scopeLoops scope
              else scopeLoops scope,
          -- A join point is a part of the function that it stands in; when
          -- another function is called, nobody knows here.
          scopeLast = isRecursive || (isJoinId b && scopeLast scope)
        }

walk :: Scope -> CoreExpr -> Seen
walk scope e = case e of
  Var _ -> call scope e
  Lit _ -> id
  App {} -> call scope e
  Lam v body -> walk (boundBy ByLambda [v] (within scope)) body
  Let (NonRec b r) body
    | isJoinId b -> joinPoint scope False b r . walk (known b r scope) body
    | Just (BoxedNumber _) <- objectOf scope r, givenToCell b body -> walk (known b r scope) body
    | otherwise ->
        waits scope b r
          . jumpLost scope b r body
          . made scope b r
          . local scope False b r
          . walk (known b r scope) body
  Let (Rec pairs) body ->
    let inner =
          scope
            { scopeLocals =
                extendVarEnvList (scopeLocals scope) [(b, KnownLoop) | (b, _) <- pairs]
            }
     in foldr
          (.)
          id
          [ (if isJoinId b then joinPoint inner True b r else made inner b r . local inner True b r)
            | (b, r) <-
                pairs
          ]
          . walk inner body
  Case scrutinee b _ alternatives ->
    walk (within scope) scrutinee
      . foldr
        (.)
        id
        [ walk (boundBy kept vs (boundBy ByCase [b] scope)) r
          | Alt _ vs r <-
              alternatives,
            not (endsInError r)
        ]
    where
      kept = if isTree (exprType scrutinee) then ByChoice else ByCase
  Cast inner _ -> walk scope inner
  Tick _ inner -> walk scope inner
  Type _ -> id
  Coercion _ -> id
  where
    known b r s = s {scopeLocals = extendVarEnv (scopeLocals s) b (Known r)}

-- | A local function, thunk or constructor: what is in it.
local :: Scope -> Bool -> Id -> CoreExpr -> Seen
local scope isRecursive b r
  | isFunction r =
      function scope {scopeIn = if hasSourceName b then Just b else scopeIn scope} isRecursive b r
  | otherwise = walk (within scope) r

-- | A join point is a place to jump to: nothing is made, but one that jumps to
-- itself is a loop.
joinPoint :: Scope -> Bool -> Id -> CoreExpr -> Seen
joinPoint scope isRecursive b = function scope isRecursive b

-- * Heap objects

-- | A let-bound right-hand side as the heap object that it makes.
made :: Scope -> Id -> CoreExpr -> Seen
made scope b r
  | exprIsTrivial r || isUnliftedType (idType b) = id
  -- Certainly needed: GHC evaluates it at once.
  | isStrUsedDmd (idDemandInfo b), objectOf scope r == Just Thunk = id
  | otherwise = allocates scope r

-- | A closure that is made in a loop, and called last in some branch.
jumpLost :: Scope -> Id -> CoreExpr -> CoreExpr -> Seen
jumpLost scope b r body
  | hasSourceName b,
    isFunction r,
    _ : _ <- scopeLoops scope,
    objectOf scope r == Just Closure,
    Just why <- lostJump b (length (fst (parametersOf r))) body =
      see scope (JumpLost (occurrence b) why)
  | otherwise = id

-- | Is a variable what a cell is given? A number there is in a box in any case.
givenToCell :: Id -> CoreExpr -> Bool
givenToCell b = go
  where
    go e = case e of
      Var _ -> False
      Lit _ -> False
      Type _ -> False
      Coercion _ -> False
      Lam _ r -> go r
      Cast r _ -> go r
      Tick _ r -> go r
      Let (NonRec _ r) body -> go r || go body
      Let (Rec pairs) body -> any (go . snd) pairs || go body
      Case r _ _ alternatives -> go r || or [go inner | Alt _ _ inner <- alternatives]
      App _ _ -> case application e of
        (Var f, arguments)
          | isJust (isPrimOpId_maybe f),
            isJust (lookup (occurrence f) cells) ->
              or [v == b | Var v <- map bare arguments]
        (f, arguments) -> go f || any go arguments

-- | The result of the function's own call, kept as a thunk until a part of it is needed.
waits :: Scope -> Id -> CoreExpr -> Seen
waits scope b r
  | not (isStrUsedDmd (idDemandInfo b)),
    objectOf scope r == Just Thunk,
    hasNumbers (exprType r),
    Just loop <- calls r =
      see scope (LazyResult (occurrence (loopName loop)))
  | otherwise = id
  where
    calls e = case bare e of
      Case scrutinee _ _ _ -> calls scrutinee
      other -> case application other of
        (Var f, _ : _) | loop : _ <- [l | l <- scopeLoops scope, loopName l == f] -> Just loop
        _ -> Nothing
    hasNumbers t = case splitTyConApp_maybe t of
      Just (c, parts) | isTupleTyCon c -> any isNumber parts
      _ -> False
    isNumber t = case splitTyConApp_maybe t of
      Just (c, _) ->
        occNameString (getOccName c) `elem` ["Int", "Word", "Integer", "Double", "Float", "Natural"]
      Nothing -> False

-- | An argument that is not a variable or literal is let-bound later, unless
-- the function is certain to need it.
argument :: Scope -> (CoreExpr, Bool) -> Seen
argument scope (a, needed)
  | exprIsTrivial a = id
  | Lit _ <- bare a = id
  | isUnliftedType (exprType a) = walk (within scope) a
  | needed, objectOf scope a == Just Thunk = walk (within scope) a
  | otherwise =
      allocates scope a
        . (if isFunction a then function scope False (scopeSelf scope) a else walk (within scope) a)

-- * Calls

call :: Scope -> CoreExpr -> Seen
call scope e = case headOf of
  Var f
    -- A list that is made as it is asked for waits in its cells: that is what it is for.
    | isDataConWorkId_maybe f == Just consDataCon -> foldr ((.) . walk (within scope)) id arguments
    -- A function that a tree keeps is what the tree is made for.
    | Just con <- isDataConWorkId_maybe f,
      isTreeType (dataConTyCon con) ->
        foldr ((.) . kept) id arguments
    | Just _ <- isDataConWorkId_maybe f -> inside
    | isJust (isPrimOpId_maybe f), isJust (lookup (occurrence f) cells) -> stores f . inCell
    | isJust (isPrimOpId_maybe f) -> inside
    | isJust (isFCallId_maybe f) -> inside
    | isDeadEndSig (idDmdSig f) -> id
    | Just cls <- isClassOpId_maybe f, first : _ <- arguments -> method cls f first . inside
    | Just loop <- ownLoop f -> handed scope loop arguments . append f . inside
    | Just (Variable how) <- lookupVarEnv (scopeLocals scope) f ->
        ( if null arguments || isDictionaryType (idType f)
            then id
            else see scope (Unknown (occurrence f) how forPlain)
        )
          . inside
    | elemVarEnv f (scopeLocals scope) -> inside
    | isDFunId f -> inside
    | null arguments -> id
    | otherwise -> stayed f . append f . inside
  Lit _ -> id
  other -> walk (within scope) other . inside
  where
    (headOf, arguments) = application e
    kept a
      | isFunction a = function scope False (scopeSelf scope) a
      | otherwise = argument scope (a, False)
    inside = foldr ((.) . argument scope) id (zip arguments (strictIn headOf))
    -- A number in a cell is in a box in any case.
    inCell = foldr ((.) . (\a -> argument scope (a, False))) id (filter (not . isBox) arguments)
    isBox a = case objectOf scope a of
      Just (BoxedNumber _) -> True
      _ -> False
    -- What waits for a function that gives a plain value: one that is known takes it evaluated.
    forPlain = case occNameString . getOccName <$> tyConAppTyCon_maybe (exprType e) of
      Just name
        | name `elem` ["Int", "Word", "Double", "Float", "Char", "Bool", "Ordering"] ->
            sum [wordsOf scope a | a <- arguments, objectOf scope a == Just Thunk]
      _ -> 0
    -- Which arguments the function certainly evaluates.
    strictIn = \case
      Var f -> strictArguments (fromMaybe f (lookupVarEnv (scopeTop scope) f)) (length arguments)
      _ -> repeat False
    ownLoop f = case [loop | loop <- scopeLoops scope, loopName loop == f] of
      loop : _ -> Just loop
      [] -> Nothing
    method cls f first
      | "$p" `isPrefixOf` occNameString (getOccName f) = id
      | isKnownDictionary scope first = id
      | otherwise = see scope (Method (T.pack (plain (ppr cls))) (occurrence f))
    stayed f =
      let given =
            [ d
              | d <-
                  arguments,
                isDictionaryType (exprType d),
                hasMethods (exprType d)
            ]
          why = reasonOf scope f (length arguments)
          callee = calleeOf (scopeOwn scope) f
          dictionaries =
            [ Dictionary (T.pack (oneLine (plain (ppr (exprType d))))) (isKnownDictionary scope d)
              | d <-
                  given
            ]
       in case literalLength scope =<< listArgument of
            Just n
              | why == Recursive || recursiveThere f,
                n >= 2,
                not (isOthers f && any ofFunctions arguments) ->
                  see scope (LiteralList callee n)
            _
              | not (null dictionaries) -> see scope (Overloaded callee (sort dictionaries) why)
              | otherwise -> see scope (Stayed callee (length arguments) why)
    -- Another package's choice among functions: each is called in any case, and the list is what
    -- that package asks for.
    isOthers f = case calleeOf (scopeOwn scope) f of
      CalleeGlobal g -> globalUnit g /= ownUnit (scopeOwn scope)
      CalleeHere _ -> False
    ofFunctions a = case splitTyConApp_maybe (exprType a) of
      Just (c, [t]) -> c == listTyCon && isFunctional t
      _ -> False
    -- An equality, or a parameter that callers hand on, has none: who knows it has no less to do.
    hasMethods t = case tyConAppTyCon_maybe t of
      Just c -> occNameString (getOccName c) `notElem` ["~", "~~", "Coercible", "IP"]
      Nothing -> True
    -- A cell that is given what is only to be computed from its old value.
    stores f = case [a | a <- drop 1 arguments, lazily a] of
      _ : _ | Just cell <- lookup (occurrence f) cells -> see scope (LazyStore cell)
      _ -> id
    lazily a = case bare a of
      Var v
        | Just (Known r) <- lookupVarEnv (scopeLocals scope) v ->
            not (isStrUsedDmd (idDemandInfo v)) && thunk scope r
      other -> not (exprIsTrivial other) && thunk scope other
    listArgument = case filter (isJust . literalLength scope) arguments of
      a : _ -> Just a
      [] -> Nothing
    -- A recursive function of another module has no unfolding.
    recursiveThere f =
      not (elemVarEnv f (scopeTop scope)) && unfoldingFact f `elem` [NoUnfolding, NeverUnfolding]
    append f
      | isAppend f,
        left : _ <- arguments = case applied scope left of
          Just (g, _)
            | isAppend g -> see scope LeftAppend
            | Just loop <- ownLoop g -> see scope (RecursiveAppend (occurrence (loopName loop)))
          _ -> case arguments of
            [_, right] | isNothingMore right -> see scope EmptyAppend
            _ -> id
      | otherwise = id
    isNothingMore right = case application right of
      (Var v, []) -> isDataConWorkId_maybe v == Just nilDataCon
      _ -> False

-- | A type of several constructors that has itself among its parts: its values are built in one
-- place and gone through in another.
isTree :: Type -> Bool
isTree t = maybe False (isTreeType . fst) (splitTyConApp_maybe t)

isTreeType :: TyCon -> Bool
isTreeType c =
  isAlgTyCon c
    && not (isClassTyCon c)
    && length (tyConDataCons c) > 1
    && or
      [ elementOfUniqSet c (tyConsOfType field)
        | con <- tyConDataCons c,
          field <- map scaledThing (dataConOrigArgTys con)
      ]
