{-# LANGUAGE OverloadedStrings #-}

-- | What an expression is by itself, whatever is around it.
--
-- Its one idea: a literal, a range, a pipeline of vectors are known by their own form.
--
-- Start at 'isMadeNow'.
module Tern.Lab.Core.Plugin.Value
  ( isMadeNow,
    isConstant,
    isLiteralMaker,
    isRange,
    isPipeline,
    onlyFused,
    calledAlone,
    takenApart,
  )
where

import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Role,
    Unfolding (NoUnfolding),
    (<>),
  )
import Tern.Lab.Core.Fused (consumers, makers)
import Tern.Lab.Core.Plugin.Rounds (callOf, isConstructor, isLibrary)
import Tern.Lab.Core.Plugin.Shape
  ( bare,
    occurrence,
  )

-- | What a literal of a type that GHC does not know is made by.
isLiteralMaker :: Id -> Bool
isLiteralMaker f = any (`isLibrary` f) ["fromInteger", "fromRational", "fromString"]

-- | The fields of a parameter that are matched with patterns.
takenApart :: Maybe Id -> CoreExpr -> [Int]
takenApart parameter body =
  [ i
    | (v, vs) <- matched,
      Just v == parameter,
      (i, field) <- zip [0 ..] vs,
      field `elem` map fst matched
  ]
  where
    matched = go body
    go e = case e of
      Case r b _ alternatives ->
        [(v, filter isId vs) | Var v <- [bare r], Alt _ vs _ <- alternatives]
          <> [(b, filter isId vs) | Alt _ vs _ <- alternatives]
          <> go r
          <> concat [go inner | Alt _ _ inner <- alternatives]
      Lam _ r -> go r
      Cast r _ -> go r
      Tick _ r -> go r
      Let bs r -> concatMap go (rhssOfBind bs) <> go r
      App f a -> go f <> go a
      Var _ -> []
      Lit _ -> []
      Type _ -> []
      Coercion _ -> []

-- | A value already, as it stands: a variable, a literal, a constructor.
isMadeNow :: CoreExpr -> Bool
isMadeNow r = case callOf (bare r) of
  (Var c, _, _) | isConstructor c -> True
  (Lit _, _, _) -> True
  (_, _, []) -> exprIsTrivial (bare r)
  _ -> False

-- | A function by its name; a constructor is written as a lambda.
calledAlone :: CoreExpr -> Maybe Id
calledAlone e = case callOf (bare e) of
  (Var f, _, []) -> Just f
  (Lam v body, _, []) | (Var f, _, [a]) <- callOf body, Var x <- bare a, x == v -> Just f
  _ -> Nothing

-- | A vector that is made element by element of another, or of numbers.
isPipeline :: CoreExpr -> Bool
isPipeline r = case callOf (bare r) of
  (Var f, _, _ : _)
    | Just m <- nameModule_maybe (idName f) ->
        take 11 (moduleNameString (moduleName m)) == "Data.Vector"
          && occurrence f `elem` makers
  _ -> False

-- | Is it only given to functions of vectors that fuse with what makes their vector? One that is
-- looked at by index, or stored, is made in any case.
onlyFused :: Id -> CoreExpr -> Bool
onlyFused b = go
  where
    go e = case e of
      Var v -> v /= b
      Lit _ -> True
      Type _ -> True
      Coercion _ -> True
      Lam _ r -> go r
      Cast r _ -> go r
      Tick _ r -> go r
      Let bs r -> all go (rhssOfBind bs) && go r
      Case r _ _ alternatives -> go r && and [go inner | Alt _ _ inner <- alternatives]
      App _ _ -> case callOf e of
        (Var f, _, arguments)
          | isVectors f, occurrence f `elem` consumers -> all (\a -> isIt a || go a) arguments
        (f, _, arguments) -> go f && all go arguments
    isIt a = case bare a of
      Var v -> v == b
      _ -> False
    isVectors f = case nameModule_maybe (idName f) of
      Just m -> take 11 (moduleNameString (moduleName m)) == "Data.Vector"
      Nothing -> False

-- | A text, or a list whose elements all stand here: it is as long as the source.
isConstant :: CoreExpr -> Bool
isConstant = go emptyVarSet
  where
    go own e = case e of
      Var v ->
        elemVarSet v own || isConstructor v || isLiteralMaker v || occurrence v `elem` ofText
      Lit _ -> True
      Type _ -> True
      Coercion _ -> True
      App f a -> go own f && (isVariable a || go own a)
      Lam v r -> go (extendVarSet own v) r
      Cast r _ -> go own r
      Tick _ r -> go own r
      Let _ _ -> False
      Case {} -> False
    isVariable a = case bare a of
      Var _ -> True
      _ -> False
    ofText = ["build", "unpackCString#", "unpackCStringUtf8#"]

-- | From one number to another that is not known.
isRange :: CoreExpr -> Bool
isRange r = case callOf (bare r) of
  (Var f, _, arguments) ->
    occurrence f `elem` ["enumFromTo", "enumFromThenTo"] && not (all isLiteral arguments)
  _ -> False
  where
    isLiteral a = case callOf (bare a) of
      (Lit _, _, _) -> True
      (Var c, _, inner) -> isConstructor c && all isLiteral inner
      _ -> False
