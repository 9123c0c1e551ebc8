{-# LANGUAGE LambdaCase #-}

-- | Whose code other modules can read, and so may have inlined.
--
-- Its one idea: GHC writes the code of some functions into a module's interface, and never that of
-- a function that calls itself, that is too large, or that a pragma keeps apart. Where a pragma
-- asks for it, it writes the code of the source and not that of the optimiser. What it writes is
-- decided as GHC decides it. But nobody reads what is larger than all that can be said for it at a
-- call: it is written, and never inlined.
--
-- Start at 'exposedIn'.
module Tern.Lab.Core.Plugin.Exposed (exposedIn, isUnread) where

import GHC.Plugins hiding ((<>))
import Tern.Lab.Core.Plugin.Compat (unfoldingOf)

-- | The bindings of a program whose right-hand sides other modules can read: what is exported,
-- what the module's rules make of others' functions, and what those need in turn. Given whether
-- all code is exposed, as by @-fexpose-all-unfoldings@, and the size up to which GHC inlines.
exposedIn :: Bool -> Int -> [CoreRule] -> [(Id, CoreExpr)] -> VarSet
exposedIn everything most rules program = snd (go (emptyVarSet, emptyVarSet) roots)
  where
    roots =
      [b | (b, _) <- program, isExportedId b]
        <> concatMap (nonDetEltsUniqSet . ruleRhsFreeVars) rules
    known = mkVarEnv [(b, (b, e)) | (b, e) <- program]
    go done@(met, shown) = \case
      [] -> done
      v : more
        | not (elemVarSet v met),
          -- A mention of a binding may know less of it than the binding itself.
          Just (b, e) <- lookupVarEnv known v ->
            let isShown = isExposed everything most b
                needed =
                  unionVarSet
                    (bndrRuleAndUnfoldingIds b)
                    (if isShown then exprFreeIds e else emptyVarSet)
             in go
                  (extendVarSet met b, if isShown then extendVarSet shown b else shown)
                  (nonDetEltsUniqSet needed <> more)
        | otherwise -> go done more

-- | Is the right-hand side in the interface, where the binding is?
isExposed :: Bool -> Int -> Id -> Bool
isExposed everything most b = case unfoldingOf b of
  CoreUnfolding {uf_src = source, uf_guidance = guidance}
    | isStableSource source -> False
    | everything -> True
    | otherwise ->
        not
          ( isStrongLoopBreaker (idOccInfo b)
              || isNeverActive (idInlineActivation b)
              || isUnread most guidance
          )
  -- The methods of an instance.
  DFunUnfolding {} -> True
  OtherCon {} -> False
  NoUnfolding -> False
  BootUnfolding -> False

-- | Is it inlined nowhere, given the size up to which GHC inlines? A call takes at most ten off a
-- function's size, and for each argument ten and what a value there is worth, and what a look at
-- the result is worth (@computeDiscount@ of GHC's inliner).
isUnread :: Int -> UnfoldingGuidance -> Bool
isUnread most = \case
  UnfNever -> True
  UnfWhen {} -> False
  UnfIfGoodArgs {ug_args = arguments, ug_size = size, ug_res = result} ->
    size - (10 + sum [10 + max 10 a | a <- arguments] + result) > most
