{-# LANGUAGE LambdaCase #-}

-- | The program of a counting build: it does the same and allocates the same,
-- and more of it has counters.
--
-- Its one idea: GHC counts what is compiled with counters and has a name. So
-- what has none gets one: a value at the top that is evaluated once becomes the
-- result of a function that is called once, and @++@, which a library compiled
-- without counters, is compiled here once more for each function that calls it.
--
-- Start at 'handedOn'.
module Tern.Lab.Core.Plugin.Count
  ( handedOn,
  )
where

import Data.Functor.Const (Const (..))
import Data.Functor.Identity (Identity (..))
import Data.List (mapAccumL)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Builtin.Types.Prim (realWorldStatePrimTy)
import GHC.Core.Subst
import GHC.Plugins hiding (extendInScopeSet, mkEmptySubst, substExpr, (<>))
import GHC.Types.Id.Make (realWorldPrimId)
import Tern.Lab.Core.Facts (copyName, marked)
import Tern.Lab.Core.Plugin.Calls (callsCounted)
import Tern.Lab.Core.Plugin.Compat (useThreshold)
import Tern.Lab.Core.Plugin.Exposed (exposedIn, isUnread)
import Tern.Lab.Core.Plugin.Mark (Marked (..), keyOf, markedOcc)
import Tern.Lab.Core.Plugin.Shape (isAppend, isFunction)

-- | The module with its marked bindings, and the calls of libraries that are counted. What one
-- binding says of another, its unfolding and its rules included, must have the new names too: GHC
-- calls what it exposes as the place that exposes it does.
handedOn :: DynFlags -> UniqSupply -> Marked -> ModGuts -> ([(Int, Text)], ModGuts)
handedOn flags supply marks guts =
  (,) calls $
    guts
      { mg_binds =
          map (\(f, r) -> Rec [(f, r)]) (Map.elems copies <> tallies)
            <> snd (mapAccumL group' later (markedBinds known)),
        mg_rules = map rule (mg_rules guts)
      }
  where
    (uniques, tallies, calls, binds) = callsCounted (mg_module guts) exposed supply marks
    exposed =
      exposedIn
        everything
        (useThreshold flags)
        (mg_rules guts)
        (flattenBinds (markedBinds marks))
    everything = gopt Opt_ExposeAllUnfoldings flags
    known = marks {markedBinds = binds}
    used =
      Map.unions
        [ getConst
            ( overFunctions
                ( \part v ->
                    Const (if isAppend v then Map.singleton part v else Map.empty)
                )
                n
                e
            )
          | (b, e) <-
              flattenBinds (markedBinds known),
            Just n <- [numberOf b]
        ]
    (later, copies) = Map.mapAccumWithKey (appendFor (markedMark known)) uniques used
    numberOf = lookupVarEnv (markedTop known)
    -- A substitution puts what is in scope for what has its unique number.
    subst =
      mkEmptySubst
        ( mkInScopeSet
            ( mkVarSet
                ( bindersOfBinds (markedBinds known)
                    <> map fst (Map.elems copies <> tallies)
                )
            )
        )
    group' us = \case
      NonRec b e ->
        let (us', e') =
              onceCalled us b e
            r = compiled b e'
         in (us', NonRec (binder b r) r)
      Rec pairs ->
        let (us', pairs') =
              mapAccumL
                ( \u (b, e) ->
                    let (u', e') =
                          onceCalled u b e
                        r = compiled b e'
                     in (u', (binder b r, r))
                )
                us
                pairs
         in (us', Rec pairs')
    compiled b e =
      substExpr subst (maybe e (\n -> runIdentity (overFunctions own n e)) (numberOf b))
    own n v = Identity (if isAppend v then maybe v fst (Map.lookup n copies) else v)
    onceCalled us b e
      | isUnliftedType (idType b) || exprIsHNF e || exprIsTrivial e = (us, e)
      | (one, rest) <- takeUniqFromSupply us,
        (two, us') <- takeUniqFromSupply rest,
        Just i <- numberOf b =
          let f =
                mkLocalId
                  ( mkInternalName
                      one
                      (markedOcc (markedMark known) b i)
                      (nameSrcSpan (idName b))
                  )
                  manyDataConTy
                  (exprType body)
              body = Lam (mkSysLocal (fsLit "w") two manyDataConTy realWorldStatePrimTy) e
           in (us', Let (NonRec (f `setIdArity` 1) body) (App (Var f) (Var realWorldPrimId)))
      | otherwise = (us, e)
    binder b r =
      modifyIdInfo
        ( \info ->
            info
              `setUnfoldingInfo` unfolding r (realUnfoldingInfo info)
              `setRuleInfo` substRuleInfo subst b (ruleInfo info)
        )
        b
    unfolding r = \case
      -- GHC will expose the right-hand side as it is, so what it needs must be
      -- exposed too.
      u@CoreUnfolding {uf_src = source, uf_tmpl = template, uf_guidance = guidance} ->
        if isStableSource source
          then u {uf_tmpl = substExpr subst template}
          else u {uf_tmpl = r, uf_guidance = if unread guidance then UnfNever else guidance}
      other -> substUnfolding subst other
    -- What nobody inlines need not be exposed, with its counters.
    unread guidance = not everything && isUnread (useThreshold flags) guidance
    rule r = case r of
      -- What the rule itself binds is in scope in it.
      Rule {}
        | (inner, binders) <- substBndrs subst (ru_bndrs r) ->
            r
              { ru_bndrs = binders,
                ru_args = map (substExpr inner) (ru_args r),
                ru_rhs = substExpr inner (ru_rhs r)
              }
      BuiltinRule {} -> r

-- | The variables of an expression, each with the number of the function that
-- it stands in; given that of the expression.
overFunctions :: (Applicative f) => (Int -> Id -> f Id) -> Int -> CoreExpr -> f CoreExpr
overFunctions on = go
  where
    go n e = case e of
      Var v -> Var <$> on n v
      Lit _ -> pure e
      Type _ -> pure e
      Coercion _ -> pure e
      App f a -> App <$> go n f <*> go n a
      Lam b r -> Lam b <$> go n r
      Cast r c -> (`Cast` c) <$> go n r
      Tick t r -> Tick t <$> go n r
      Let (NonRec b r) body -> Let . NonRec b <$> bound n b r <*> go n body
      Let (Rec pairs) body ->
        Let . Rec <$> traverse (\(b, r) -> (,) b <$> bound n b r) pairs <*> go n body
      Case r b t alternatives ->
        (\r' -> Case r' b t)
          <$> go n r
          <*> traverse (\(Alt c vs inner) -> Alt c vs <$> go n inner) alternatives
    bound n b r = go (if isFunction r || isJoinId b then fromMaybe n (keyOf b) else n) r

-- | @++@ for the function of a number, as the library has it: it certainly
-- evaluates what the library's does, so that callers make no more thunks.
appendFor :: Text -> UniqSupply -> Int -> Id -> (UniqSupply, (Id, CoreExpr))
appendFor mark uniques n append = case ( splitForAllTyCoVars (idType append),
                                         mapAccumL
                                           ( \us _ ->
                                               let (u, us') =
                                                     takeUniqFromSupply us
                                                in (us', u)
                                           )
                                           uniques
                                           [1 .. 6 :: Int]
                                       ) of
  (([a], _), (later, [u, x, y, z, h, t])) ->
    let f =
          mkLocalId
            ( mkInternalName
                u
                (mkVarOcc (T.unpack (marked mark copyName n)))
                noSrcSpan
            )
            manyDataConTy
            (idType append)
            `setIdArity` 2
            `setIdDmdSig` idDmdSig append
        element = mkTyVarTy a
        list = mkListTy element
        variable name unique = mkSysLocal (fsLit name) unique manyDataConTy
        (xs, ys, whole, first, rest) =
          ( variable
              "xs"
              x
              list,
            variable "ys" y list,
            variable "whole" z list,
            variable "x" h element,
            variable "rest" t list
          )
        cons =
          mkApps
            (Var (dataConWorkId consDataCon))
            [ Type
                element,
              Var first,
              mkApps (Var f) [Type element, Var rest, Var ys]
            ]
     in ( later,
          ( f,
            mkLams
              [a, xs, ys]
              ( Case
                  (Var xs)
                  whole
                  list
                  [ Alt
                      (DataAlt nilDataCon)
                      []
                      (Var ys),
                    Alt (DataAlt consDataCon) [first, rest] cons
                  ]
              )
          )
        )
  (_, (later, _)) -> (later, (append, Var append))
