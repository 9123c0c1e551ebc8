-- | The program's own functions that stand in for those of libraries in a loop.
--
-- Its one idea: a function that calls a parameter in each of its rounds is as good as @mapM_@,
-- and a helper that makes what the next round gets is as good as what @foldl@ is given.
--
-- Start at 'callingAgain' and 'helpersIn'.
module Tern.Lab.Core.Plugin.OwnLoops
  ( callingAgain,
    helpersIn,
  )
where

import GHC.Plugins hiding (Role, (<>))
import Tern.Lab.Core.Plugin.Compat (isDictionaryType)
import Tern.Lab.Core.Plugin.Roles (Role (..), roleOf)
import Tern.Lab.Core.Plugin.Rounds (callOf, handedOn, plusRoles)
import Tern.Lab.Core.Plugin.Shape (bare, parametersOf)

-- | Which parameters a function at the top calls again and again, counted without dictionaries.
callingAgain :: [(Id, CoreExpr)] -> VarEnv [Int]
callingAgain binds =
  mkVarEnv
    [ (f, found)
      | (f, e) <- binds,
        let (parameters, body) = plainParameters e,
        let isLoop = elemVarSet f (exprFreeIds e),
        let found = [i | (i, p) <- zip [0 ..] parameters, calledIn p isLoop body],
        not (null found)
    ]

plainParameters :: CoreExpr -> ([Id], CoreExpr)
plainParameters e = (filter (not . isDictionaryType . idType) parameters, body)
  where
    (parameters, body) = parametersOf e

-- | Is it called here, where that is in a loop?
calledIn :: Id -> Bool -> CoreExpr -> Bool
calledIn p = go
  where
    go inLoop e = case e of
      Var _ -> False
      Lit _ -> False
      Type _ -> False
      Coercion _ -> False
      Lam _ r -> go inLoop r
      Cast r _ -> go inLoop r
      Tick _ r -> go inLoop r
      Let (NonRec _ r) body -> go inLoop r || go inLoop body
      Let (Rec pairs) body -> any (go True . snd) pairs || go inLoop body
      Case r _ _ alternatives -> go inLoop r || or [go inLoop inner | Alt _ _ inner <- alternatives]
      App _ _ -> case callOf e of
        (Var f, _, arguments)
          | f == p -> inLoop || any (go inLoop) arguments
          | Just (Role True _) <- roleOf f -> any given arguments
          | otherwise -> any (go inLoop) arguments
        (f, _, arguments) -> go inLoop f || any (go inLoop) arguments
    -- To what calls it again and again.
    given a = case bare a of
      Var v -> v == p
      other -> go (isFunTy (exprType other)) other

-- | Functions whose result a loop hands to its next round in the place of what they are given
-- there: which of their parameters that is.
helpersIn :: [(Id, CoreExpr)] -> VarEnv Role
helpersIn binds =
  plusRoles [inLoop f e | (f, e) <- binds, elemVarSet f (exprFreeIds e)]
    `plus` plusRoles (map (loops . snd) binds)
  where
    plus a b = plusRoles [a, b]
    loops e = case e of
      Var _ -> emptyVarEnv
      Lit _ -> emptyVarEnv
      Type _ -> emptyVarEnv
      Coercion _ -> emptyVarEnv
      Lam _ r -> loops r
      Cast r _ -> loops r
      Tick _ r -> loops r
      Let (NonRec _ r) body -> plus (loops r) (loops body)
      Let (Rec pairs) body ->
        plusRoles (loops body : concat [[inLoop f r, loops r] | (f, r) <- pairs])
      Case r _ _ alternatives -> plusRoles (loops r : [loops inner | Alt _ _ inner <- alternatives])
      App f a -> plus (loops f) (loops a)
    inLoop self e = helpers body
      where
        (parameters, body) = parametersOf e
        carried = [(i, p) | (i, p) <- zip [0 ..] parameters, i `elem` handedOn self parameters body]
        helpers r = case r of
          Var _ -> emptyVarEnv
          Lit _ -> emptyVarEnv
          Type _ -> emptyVarEnv
          Coercion _ -> emptyVarEnv
          Lam _ inner -> helpers inner
          Cast inner _ -> helpers inner
          Tick _ inner -> helpers inner
          Let bs inner -> plusRoles (helpers inner : map helpers (rhssOfBind bs))
          Case x _ _ alternatives ->
            plusRoles (helpers x : [helpers inner | Alt _ _ inner <- alternatives])
          App _ _ -> case callOf r of
            (Var f, _, arguments)
              | f == self ->
                  plusRoles
                    ( [ unitVarEnv g (Role True [j])
                        | (i, p) <- carried,
                          a : _ <- [drop i arguments],
                          (Var g, _, given) <- [callOf (bare a)],
                          (j, Var v) <- zip [0 ..] (map bare given),
                          v == p
                      ]
                        <> map helpers arguments
                    )
            (f, _, arguments) -> plusRoles (map helpers (f : arguments))
