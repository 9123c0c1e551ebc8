{-# LANGUAGE LambdaCase #-}

-- | A number for every binding of a module, local ones too.
--
-- Its one idea: names are not identities, so they are made so. GHC calls many
-- functions of a module @go@, renames what other modules can see and gives local
-- functions new unique numbers after the last pass of Core; but it keeps what
-- stands in a name. Here each let-bound name gets a mark that no other has. In a
-- counting build the marked program is the one that is compiled, so that each
-- counter says whose it is; in any other only the facts are made of it, and the
-- compiled code stays the same.
--
-- What other modules can see by its name keeps it: a counter knows it by its
-- unique number.
--
-- Start at 'marking'.
module Tern.Lab.Core.Plugin.Mark
  ( -- * Marks
    Marked (..),
    marking,
    keyOf,

    -- * A counting build
    handedOn,
  )
where

import Data.List (mapAccumL)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Core.Subst
import GHC.Plugins hiding (extendInScopeSet, mkEmptySubst, substExpr, (<>))
import GHC.Builtin.Types.Prim (realWorldStatePrimTy)
import GHC.Types.Id.Make (realWorldPrimId)
import Tern.Lab.Core.Facts (markOf, marked, unmarked)

-- * Marks

data Marked = Marked
  { markedMark :: !Text,
    markedBinds :: !CoreProgram,
    -- | The numbers of all bindings at the top.
    markedTop :: !(VarEnv Int)
  }

-- | With the mark of the module.
marking :: Text -> CoreProgram -> Marked
marking mark binds = Marked mark (snd (mapAccumL (group' True) (length top) binds)) numbers
  where
    top = bindersOfBinds binds
    numbers = mkVarEnv (zip top [0 ..])
    -- What is at the top is numbered first, for who exports it has no mark.
    group' atTop n = \case
      NonRec b r -> let (k, b') = named atTop n b; (k', r') = go k r in (k', NonRec b' r')
      Rec pairs ->
        let (k, bs) = mapAccumL (named atTop) n (map fst pairs)
            (k', rs) = mapAccumL go k (map snd pairs)
         in (k', Rec (zip bs rs))
    named atTop n b
      | atTop = (n, maybe b (renamed b) (lookupVarEnv numbers b))
      | otherwise = (n + 1, renamed b n)
    renamed b i
      | isExternalName (idName b) = b
      | otherwise = setVarName b (tidyNameOcc (idName b) (markedOcc mark b i))
    go n e = case e of
      Var _ -> (n, e)
      Lit _ -> (n, e)
      Type _ -> (n, e)
      Coercion _ -> (n, e)
      App f a -> let (k, f') = go n f; (k', a') = go k a in (k', App f' a')
      Lam b r -> Lam b <$> go n r
      Cast r c -> (`Cast` c) <$> go n r
      Tick t r -> Tick t <$> go n r
      Let bs r -> let (k, bs') = group' False n bs; (k', r') = go k r in (k', Let bs' r')
      Case r b t alternatives ->
        let (k, r') = go n r
            (k', alternatives') = mapAccumL (\i (Alt c vs inner) -> Alt c vs <$> go i inner) k alternatives
         in (k', Case r' b t alternatives')

-- | The number of a local binding of a marked program.
keyOf :: Id -> Maybe Int
keyOf b = snd <$> markOf (T.pack (occNameString (getOccName b)))

-- | A mark of its own in place of one that it may have brought from elsewhere.
markedOcc :: Text -> Id -> Int -> OccName
markedOcc mark b i = mkOccName (occNameSpace occ) (T.unpack (marked mark (unmarked (T.pack (occNameString occ))) i))
  where
    occ = getOccName b

-- * A counting build

-- | The module with its marked bindings, to be compiled. What one binding says of
-- another, its unfolding and its rules included, must have the new names too:
-- GHC calls what it exposes as the place that exposes it does.
--
-- GHC has no counter for a value at the top that is evaluated once. So such a
-- value becomes the result of a function that is called once.
handedOn :: UniqSupply -> Marked -> ModGuts -> ModGuts
handedOn uniques known guts =
  guts
    { mg_binds = snd (mapAccumL group' uniques (markedBinds known)),
      mg_rules = map rule (mg_rules guts)
    }
  where
    -- A substitution puts what is in scope for what has its unique number.
    subst = mkEmptySubst (mkInScopeSet (mkVarSet (bindersOfBinds (markedBinds known))))
    group' us = \case
      NonRec b e -> let (later, e') = onceCalled us b e in (later, NonRec (binder b) (substExpr subst e'))
      Rec pairs -> let (later, pairs') = mapAccumL (\u (b, e) -> let (v, e') = onceCalled u b e in (v, (binder b, substExpr subst e'))) us pairs in (later, Rec pairs')
    onceCalled us b e
      | isUnliftedType (idType b) || exprIsHNF e || exprIsTrivial e = (us, e)
      | (one, rest) <- takeUniqFromSupply us,
        (two, later) <- takeUniqFromSupply rest,
        Just i <- lookupVarEnv (markedTop known) b =
          let f = mkLocalId (mkInternalName one (markedOcc (markedMark known) b i) (nameSrcSpan (idName b))) manyDataConTy (exprType body)
              body = Lam (mkSysLocal (fsLit "w") two manyDataConTy realWorldStatePrimTy) e
           in (later, Let (NonRec (f `setIdArity` 1) body) (App (Var f) (Var realWorldPrimId)))
      | otherwise = (us, e)
    binder b = modifyIdInfo (\info -> info `setUnfoldingInfo` unfolding (realUnfoldingInfo info) `setRuleInfo` substRuleInfo subst b (ruleInfo info)) b
    unfolding = \case
      -- The library's own substitution drops what no pragma asked for.
      u@CoreUnfolding {uf_tmpl = template} -> u {uf_tmpl = substExpr subst template}
      other -> substUnfolding subst other
    rule r = case r of
      Rule {} -> r {ru_args = map (substExpr subst) (ru_args r), ru_rhs = substExpr subst (ru_rhs r)}
      BuiltinRule {} -> r
