{-# LANGUAGE OverloadedStrings #-}

-- | Lists that are taken apart at a place and put together again.
--
-- Its one idea: @take i xs ++ [x] ++ drop (i + 1) xs@ is a list with one element changed, and all
-- before that element copied. Both parts are known by the list that they are parts of.
--
-- Start at 'parted'.
module Tern.Lab.Core.Plugin.Parted
  ( Part (..),
    Parts,
    partOf,
    partsIn,
    parted,
  )
where

import GHC.Plugins hiding ((<>))
import Tern.Lab.Core.Plugin.Rounds (callOf, isConstructor, isLibrary)
import Tern.Lab.Core.Plugin.Shape (bare, occurrence)

-- | Of which list, and whether it is its beginning.
data Part = Part {partWhole :: !Id, partBegins :: !Bool}

-- | Variables that are parts of a list, or a pair of two such.
type Parts = VarEnv Part

-- | What an expression is a part of. A pair of two parts is no beginning.
partOf :: Parts -> CoreExpr -> Maybe Part
partOf parts e = case callOf (bare e) of
  (Var f, _, [_, xs])
    | isLibrary "take" f -> part True xs
    | any (`isLibrary` f) ["drop", "splitAt", "span", "break"] -> part False xs
  (Var f, _, [xs]) | isLibrary "tail" f -> part False xs
  (Var v, _, []) -> lookupVarEnv parts v
  (Case r _ _ [Alt _ vs body], _, [])
    | Just known <- partOf parts r -> case bare body of
        Var v | Just found <- lookup v (partsIn known (exprType r) vs) -> Just found
        _ -> Just known {partBegins = False}
  _ -> Nothing
  where
    part begins xs = case bare xs of
      Var v -> Just (Part (maybe v partWhole (lookupVarEnv parts v)) begins)
      _ -> Nothing

-- | Given what is taken apart, its type and the variables of a pattern: what they are.
partsIn :: Part -> Type -> [Var] -> [(Var, Part)]
partsIn whole t vs =
  [(v, whole {partBegins = i == (0 :: Int) && isPair}) | (i, v) <- zip [0 ..] (filter isId vs)]
  where
    isPair = maybe False isTupleTyCon (tyConAppTyCon_maybe t)

-- | Given what an append has on its left and on its right: is the first a list's beginning, and
-- does the second end with another part of that list?
parted :: Parts -> CoreExpr -> CoreExpr -> Bool
parted parts beginning rest = case partOf parts beginning of
  Just (Part whole True) -> isLast whole rest
  _ -> False
  where
    isLast whole e = case callOf (bare e) of
      (Var f, _, [_, more])
        | (isConstructor f && occurrence f == ":") || isLibrary "++" f -> isLast whole more
      _ -> (partWhole <$> partOf parts e) == Just whole
