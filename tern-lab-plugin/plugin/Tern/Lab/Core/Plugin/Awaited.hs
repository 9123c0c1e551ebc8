{-# LANGUAGE DerivingStrategies #-}

-- | Results that wait, though all who call for them evaluate them at once.
--
-- Its one idea: what an action gives is lazy (@return (f x)@ makes a computation), and GHC does
-- not tell a function what its callers do with its result. Where all calls of a module go on by
-- evaluating it, the computation could as well have been done, and its value given in registers.
--
-- Start at 'awaitedWords'; 'takenAtOnce' looks at the calls.
module Tern.Lab.Core.Plugin.Awaited
  ( Taken,
    takenAtOnce,
    awaitedWords,
  )
where

import Data.Maybe (isJust, mapMaybe)
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Unfolding (NoUnfolding),
    (<>),
  )
import GHC.Types.Demand (isStrUsedDmd)
import Tern.Lab.Core.Facts (Bound (..), HeapObject (..))
import Tern.Lab.Core.Plugin.Object (objectOf, wordsOf)
import Tern.Lab.Core.Plugin.Seen (Local (..), Scope (..), Taken, boundBy)
import Tern.Lab.Core.Plugin.Shape
  ( application,
    bare,
    endsInError,
    isFunctional,
    strictArguments,
  )

-- | Of each function whose result is a tuple that calls take apart: which parts all of these
-- calls evaluate at once.
takenAtOnce :: [CoreExpr] -> Taken
takenAtOnce = foldr both emptyVarEnv . concatMap go
  where
    both (f, parts) known =
      extendVarEnv known f (maybe parts (zipWith (&&) parts) (lookupVarEnv known f))
    go e = case e of
      Case scrutinee b _ alternatives ->
        [ (f, map (\v -> isStrUsedDmd (idDemandInfo v) || atOnce v r) parts)
          | Var f <- [fst (application (bare scrutinee))],
            [Alt (DataAlt con) vs r] <- [alternatives],
            isTuple con,
            not (elemVarSet b (exprFreeIds r)),
            let parts = filter isId vs
        ]
          <> go scrutinee
          <> concat [go r | Alt _ _ r <- alternatives]
      App f a -> go f <> go a
      Lam _ r -> go r
      Let bs r -> concatMap go (rhssOfBind bs) <> go r
      Cast r _ -> go r
      Tick _ r -> go r
      Var _ -> []
      Lit _ -> []
      Type _ -> []
      Coercion _ -> []

isTuple :: DataCon -> Bool
isTuple con = isUnboxedTupleDataCon con || isTupleTyCon (dataConTyCon con)

-- | Does an expression begin by evaluating the variable, whichever way it goes?
atOnce :: Id -> CoreExpr -> Bool
atOnce v e = case bare e of
  Case scrutinee _ _ alternatives ->
    isIt scrutinee
      || atOnce v scrutinee
      || (not (null goingOn) && all (atOnce v) goingOn)
    where
      goingOn = [r | Alt _ _ r <- alternatives, not (endsInError r)]
  Let _ body -> atOnce v body
  other -> case application other of
    (Var f, arguments) ->
      or [isIt a | (a, True) <- zip arguments (strictArguments f (length arguments))]
    _ -> False
  where
    isIt a = case bare a of
      Var x -> x == v
      _ -> False

-- | How many words a call makes for parts of its result that wait and need not, as a mean of the
-- ways through the function: the computation, and a record that could be given in registers.
awaitedWords :: Scope -> Id -> CoreExpr -> Int
awaitedWords scope f body = case lookupVarEnv (scopeTaken scope) f of
  Just parts
    | or parts,
      ends@(_ : _) <- waysIn scope emptyVarEnv body ->
        mean (map (made parts) ends)
  _ -> 0
  where
    mean ns = sum ns `div` length ns
    made _ Elsewhere = 0
    made parts (Given here lets arguments) =
      sum [waiting here lets a | (a, True) <- zip arguments parts]
    waiting here lets a = case bare a of
      Var v
        | Just r <- lookupVarEnv lets v, not (isStrUsedDmd (idDemandInfo v)) -> waiting here lets r
      r
        | not (exprIsTrivial r),
          objectOf here r == Just Thunk,
          not (isFunctional (exprType r)),
          isData (exprType r),
          not (asksAgain lets r) ->
            wordsOf here r + recordWords (exprType r)
      _ -> 0
    isData t = isJust (tyConAppTyCon_maybe t)
    -- The rest of what the function makes itself is made as it is asked for.
    asksAgain lets r = elemVarSet f (reached emptyVarSet lets (exprFreeIds r))
    -- Whatever a computation waits for, each binding looked at once: two may both need the two
    -- before, and so on.
    reached known lets vs
      | isEmptyVarSet new = known
      | otherwise =
          reached
            (unionVarSet known new)
            lets
            (mapUnionVarSet exprFreeIds (mapMaybe (lookupVarEnv lets) (nonDetEltsUniqSet new)))
      where
        new = minusVarSet vs known
    recordWords t = case splitTyConApp_maybe t of
      Just (c, _) | not (isNewTyCon c), [con] <- tyConDataCons c -> 1 + dataConRepArity con
      _ -> 0

-- | How a function ends: by a tuple, whose parts stand here, or by something else.
data Way = Elsewhere | Given !Scope !(VarEnv CoreExpr) ![CoreExpr]

waysIn :: Scope -> VarEnv CoreExpr -> CoreExpr -> [Way]
waysIn scope lets e
  | endsInError e = []
  | otherwise = case bare e of
      Let bs inner ->
        let local = scopeLocals scope
            here =
              scope {scopeLocals = extendVarEnvList local [(v, Known r) | (v, r) <- plainly bs]}
            bound = extendVarEnvList lets (plainly bs)
         in concat
              [ waysIn (boundBy ByLambda (filter isId vs) here) bound r
                | (v, rhs) <- flattenBinds [bs],
                  isJoinId v,
                  let (vs, r) = collectNBinders (idJoinArity v) rhs
              ]
              <> waysIn here bound inner
      Case _ b _ alternatives ->
        concat
          [waysIn (boundBy ByCase (b : filter isId vs) scope) lets r | Alt _ vs r <- alternatives]
      other -> case application other of
        (Var g, arguments)
          | Just con <- isDataConWorkId_maybe g, isTuple con -> [Given scope lets arguments]
          -- It is a way of its own.
          | isJoinId g -> []
        _ -> [Elsewhere]
  where
    plainly bs = [(v, r) | (v, r) <- flattenBinds [bs], not (isJoinId v)]
