{-# LANGUAGE LambdaCase #-}

-- | The program's own functions that never return.
--
-- Its one idea: before the optimiser GHC knows of a library's function that it only ends in an
-- error, and of the module's own it does not. So it is told of those: what stands in their
-- arguments, a message as a rule, is then seen to be made in no round of a loop.
--
-- Start at 'erringKnown'.
module Tern.Lab.Core.Plugin.Erring
  ( erringKnown,
  )
where

import GHC.Plugins hiding ((<>))
import GHC.Types.Demand (botDiv, mkClosedDmdSig, topDmd)
import Tern.Lab.Core.Plugin.Rounds (callOf)
import Tern.Lab.Core.Plugin.Shape (bare, bindsWithin, parametersWithin)

-- | The program, in which each mention of such a function says so.
erringKnown :: CoreProgram -> CoreProgram
erringKnown binds
  | isEmptyVarEnv erring = binds
  | otherwise = map (inBind erring) binds
  where
    erring = grown emptyVarEnv
    every = flattenBinds (bindsWithin binds)
    -- One that calls another.
    grown known
      | sizeUFM more == sizeUFM known = known
      | otherwise = grown more
      where
        more =
          mkVarEnv
            [ (f, told f (length parameters))
              | (f, e) <- every,
                (parameters, body) <- [parametersWithin e],
                fails known body
            ]
    told f n = (f `setIdArity` n) `setIdDmdSig` mkClosedDmdSig (replicate n topDmd) botDiv

-- | Does it only lead to an error, given the functions that are known to?
fails :: VarEnv Id -> CoreExpr -> Bool
fails known e = case bare e of
  Let _ body -> fails known body
  Case r _ _ alternatives ->
    fails known r || (not (null alternatives) && and [fails known a | Alt _ _ a <- alternatives])
  other -> case callOf other of
    (Var f, _, arguments) -> case lookupVarEnv known f of
      Just g -> length arguments >= idArity g
      -- The place that it is called from is an argument, too, and none of these.
      Nothing -> isDeadEndId f && (idArity f == 0 || not (null arguments))
    _ -> False

inBind :: VarEnv Id -> CoreBind -> CoreBind
inBind known = \case
  NonRec b e -> NonRec b (inside known e)
  Rec pairs -> Rec [(b, inside known e) | (b, e) <- pairs]

inside :: VarEnv Id -> CoreExpr -> CoreExpr
inside known e = case e of
  Var f -> maybe e Var (lookupVarEnv known f)
  Lit _ -> e
  Type _ -> e
  Coercion _ -> e
  Lam v r -> Lam v (inside known r)
  Cast r c -> Cast (inside known r) c
  Tick t r -> Tick t (inside known r)
  App f a -> App (inside known f) (inside known a)
  Let bs r -> Let (inBind known bs) (inside known r)
  Case r b t alternatives ->
    Case (inside known r) b t [Alt c vs (inside known a) | Alt c vs a <- alternatives]
