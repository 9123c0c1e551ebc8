{-# LANGUAGE DerivingStrategies #-}

-- | What a round of a loop looks at.
--
-- Its one idea: what some round evaluates grows no longer than from one such round to the next.
--
-- Start at 'lookedAt'.
module Tern.Lab.Core.Plugin.Looked
  ( lookedAt,
    storedIn,
    askedIn,
    evaluatedIn,
  )
where

import Data.Maybe (isJust)
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Unfolding (NoUnfolding),
    (<>),
  )
import GHC.Types.Demand (isStrUsedDmd)
import Tern.Lab.Core.Plugin.Shape
  ( application,
    bare,
    strictArguments,
  )

-- | The variables that a round of a loop evaluates itself somewhere: not in what
-- it only stores, and not by its own calls.
lookedAt :: Id -> CoreExpr -> VarSet
lookedAt loop = go
  where
    go e = case e of
      Var _ -> emptyVarSet
      Lit _ -> emptyVarSet
      App {}
        | (Var f, arguments) <- application e ->
            unionVarSets
              ( [ unitVarSet v | f /= loop, (Var v, True) <-
                                              zip
                                                (map bare arguments)
                                                (strictArguments f (length arguments))
                ]
                  <> [go a | (a, True) <- zip arguments (strictArguments f (length arguments))]
              )
      App f _ -> go f
      Lam _ _ -> emptyVarSet
      Let bs body ->
        unionVarSets
          ( go body
              : [ go (snd (collectBinders r))
                  | (b, r) <-
                      flattenBinds [bs],
                    isJoinId b || isStrUsedDmd (idDemandInfo b)
                ]
          )
      Case scrutinee _ _ alternatives ->
        unionVarSets
          ( [unitVarSet v | Var v <- [bare scrutinee]]
              <> [go scrutinee]
              <> [go r | Alt _ _ r <- alternatives]
          )
      Cast inner _ -> go inner
      Tick _ inner -> go inner
      Type _ -> emptyVarSet
      Coercion _ -> emptyVarSet

-- | The variables that a constructor is given as they are, by themselves or by the name that a
-- case has for them: who evaluates one early must still make its box.
storedIn :: CoreExpr -> VarSet
storedIn = go emptyVarEnv
  where
    go names e = case e of
      App {}
        | (Var c, arguments) <- application e ->
            unionVarSets
              ( [ unitVarSet (lookupWithDefaultVarEnv names v v)
                  | Just con <- [isDataConWorkId_maybe c],
                    not (isUnboxedTupleDataCon con),
                    Var v <- map bare arguments
                ]
                  <> map (go names) arguments
              )
      App f a -> unionVarSet (go names f) (go names a)
      Lam _ body -> go names body
      Let bs body -> unionVarSets (go names body : map (go names . snd) (flattenBinds [bs]))
      Case scrutinee b _ alternatives ->
        let inner = case bare scrutinee of
              Var v -> extendVarEnv names b (lookupWithDefaultVarEnv names v v)
              _ -> names
         in unionVarSets (go names scrutinee : [go inner r | Alt _ _ r <- alternatives])
      Cast inner _ -> go names inner
      Tick _ inner -> go names inner
      Var _ -> emptyVarSet
      Lit _ -> emptyVarSet
      Type _ -> emptyVarSet
      Coercion _ -> emptyVarSet

-- | The variables that a method of an unknown instance is given, where a round goes on by what
-- it gives: it looks at them, though nothing here can say so.
askedIn :: CoreExpr -> VarSet
askedIn e = case e of
  Lam _ body -> askedIn body
  Let _ body -> askedIn body
  Cast inner _ -> askedIn inner
  Tick _ inner -> askedIn inner
  Case scrutinee _ _ alternatives ->
    unionVarSets (asked scrutinee : askedIn scrutinee : [askedIn r | Alt _ _ r <- alternatives])
  App _ _ -> emptyVarSet
  Var _ -> emptyVarSet
  Lit _ -> emptyVarSet
  Type _ -> emptyVarSet
  Coercion _ -> emptyVarSet
  where
    asked scrutinee = case application (bare scrutinee) of
      (Var f, arguments)
        | isJust (isClassOpId_maybe f) -> mkVarSet [v | Var v <- map bare arguments]
      _ -> emptyVarSet

-- | The names that a round has for what it was handed, once it has evaluated that: the one that a
-- case gives it, and the fields of a type of one constructor. Each with its parameter.
evaluatedIn :: [Id] -> CoreExpr -> VarEnv Id
evaluatedIn parameters = mkVarEnv . go (mkVarEnv [(p, p) | p <- parameters])
  where
    go names e = case e of
      Case scrutinee b _ alternatives ->
        let new = case bare scrutinee of
              Var v
                | Just p <- lookupVarEnv names v ->
                    [(x, p) | x <- b : concatMap fields alternatives, isId x]
              _ -> []
         in new
              <> go names scrutinee
              <> concat [go (extendVarEnvList names new) r | Alt _ _ r <- alternatives]
      Let bs body ->
        go names body
          <> concat [go names (snd (collectBinders r)) | (b, r) <- flattenBinds [bs], isJoinId b]
      Cast inner _ -> go names inner
      Tick _ inner -> go names inner
      App _ _ -> []
      Lam _ _ -> []
      Var _ -> []
      Lit _ -> []
      Type _ -> []
      Coercion _ -> []
    fields (Alt con vs _) = case con of
      DataAlt c | [_] <- tyConDataCons (dataConTyCon c) -> vs
      DataAlt _ -> []
      LitAlt _ -> []
      DEFAULT -> []
