{-# LANGUAGE DerivingStrategies #-}

-- | Functions that take fewer arguments than their type does, for the sake of a case.
--
-- Its one idea: each call makes a function of the rest first, and with it whatever that function
-- needs of the case. How much that is can be read off the code, from the case down to the lambda.
--
-- Start at 'lambdaUnderCase'.
module Tern.Lab.Core.Plugin.Arity (lambdaUnderCase) where

import Data.IntSet (IntSet)
import Data.IntSet qualified as IntSet
import Data.Maybe (isJust, mapMaybe)
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Unfolding (NoUnfolding),
    (<>),
  )
import GHC.Types.Demand (isStrUsedDmd)
import Tern.Lab.Core.Facts (Bound (..), HeapObject (..), Sight (..))
import Tern.Lab.Core.Plugin.Compat (argumentsOf)
import Tern.Lab.Core.Plugin.Mark (keyOf)
import Tern.Lab.Core.Plugin.Object (objectOf, wordsOf)
import Tern.Lab.Core.Plugin.Seen (Local (..), Scope (..), Seen, boundBy, see)
import Tern.Lab.Core.Plugin.Shape
  ( application,
    argumentTypes,
    bare,
    endsInError,
    isFunctional,
  )

-- | @case x of { A -> \\c -> …; B -> \\c -> … }@ below fewer parameters than the
-- type takes: each call makes a function first.
lambdaUnderCase :: Scope -> Id -> CoreExpr -> Seen
lambdaUnderCase scope b = go [] emptyVarEnv
  where
    go before known body = case bare body of
      -- What several branches do stands before the case, to be jumped to.
      Let (NonRec j r) inner
        | isJoinId j -> go (jumpedTo j r : before) (extendBy known j (toJump scope known j r)) inner
      Case _ v _ alternatives
        | idArity b < argumentsOf (idType b),
          -- Of what takes continuations nobody can write the lambda outside.
          not (any isFunctional (drop (idArity b) (argumentTypes (idType b)))),
          paths@(_ : _) <- mapMaybe (toLambda (boundBy ByCase [v] scope) known) alternatives,
          not (writtenBelow && any keepsWork (before <> [r | Alt _ _ r <- alternatives])) ->
            see
              scope
                { scopeIn =
                    if b == scopeSelf scope
                      then Nothing
                      else Just b
                }
              ( LambdaUnderCase
                  (length paths)
                  (idArity b)
                  (argumentsOf (idType b))
                  (pathWords (oneOf paths))
                  (IntSet.toAscList (pathParts (oneOf paths)))
              )
      _ -> id
    -- The lambda is written, and not that of a type that is a function inside. Who writes one
    -- below what it calls itself wants that done once for all calls.
    writtenBelow =
      idArity b < length (fst (splitFunTys (dropForAlls (idType b))))
    keepsWork e = case bare e of
      Let (NonRec j r) inner | isJoinId j -> keepsWork (jumpedTo j r) || keepsWork inner
      Let bs inner
        | isJust (pathIn scope emptyVarEnv inner) ->
            any (elemVarSet b . exprFreeIds) (rhssOfBind bs) || keepsWork inner
        | otherwise -> False
      Case _ _ _ alternatives -> or [keepsWork r | Alt _ _ r <- alternatives]
      _ -> False

-- | The way from a case to a lambda below it.
data Path = Path
  { -- | What is made on the way, the function among it.
    pathWords :: !Int,
    -- | The places that are jumped to. Several branches jump to one place, and so do those of that
    -- place to the next: as a list it would double with each.
    pathParts :: !IntSet
  }

-- | Nobody knows here which of several branches is taken: their mean.
oneOf :: [Path] -> Path
oneOf paths =
  Path (sum (map pathWords paths) `div` max 1 (length paths)) (foldMap pathParts paths)

toLambda :: Scope -> VarEnv Path -> CoreAlt -> Maybe Path
toLambda scope known (Alt _ vs r)
  | endsInError r = Nothing
  | otherwise = pathIn (boundBy ByCase vs scope) known r

-- | Given the places to jump to that lead to a lambda.
pathIn :: Scope -> VarEnv Path -> CoreExpr -> Maybe Path
pathIn scope known e = case bare e of
  Lam v _
    | idOneShotInfo v /= OneShotLam,
      not (isUnliftedType (idType v)) ->
        Just (Path (wordsOf scope e) IntSet.empty)
    | otherwise -> Nothing
  Let (NonRec j r) inner
    | isJoinId j -> pathIn scope (extendBy known j (toJump scope known j r)) inner
  Let bs inner ->
    let here = withBinds bs
     in (\p -> p {pathWords = pathWords p + sum (map (made here) (flattenBinds [bs]))})
          <$> pathIn here known inner
  Case _ v _ alternatives
    | paths@(_ : _) <- mapMaybe (toLambda (boundBy ByCase [v] scope) known) alternatives ->
        Just (oneOf paths)
    | otherwise -> Nothing
  other -> case application other of
    (Var j, _) -> lookupVarEnv known j
    _ -> Nothing
  where
    withBinds bs =
      scope
        { scopeLocals =
            extendVarEnvList (scopeLocals scope) [(v, Known r) | (v, r) <- flattenBinds [bs]]
        }
    -- What is certainly needed is evaluated at once.
    made here (v, r)
      | isJoinId v || exprIsTrivial r || isUnliftedType (idType v) = 0
      | isStrUsedDmd (idDemandInfo v), objectOf here r == Just Thunk = 0
      | otherwise = wordsOf here r

-- | From a place that is jumped to.
toJump :: Scope -> VarEnv Path -> Id -> CoreExpr -> Maybe Path
toJump scope known j r = inPart <$> pathIn (boundBy ByLambda parameters scope) known (jumpedTo j r)
  where
    parameters = filter isId (fst (collectNBinders (idJoinArity j) r))
    inPart p = p {pathParts = maybe id IntSet.insert (keyOf j) (pathParts p)}

jumpedTo :: Id -> CoreExpr -> CoreExpr
jumpedTo j = snd . collectNBinders (idJoinArity j)

extendBy :: VarEnv a -> Id -> Maybe a -> VarEnv a
extendBy known j = maybe known (extendVarEnv known j)
