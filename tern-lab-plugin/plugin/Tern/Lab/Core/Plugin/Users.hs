{-# LANGUAGE OverloadedStrings #-}

-- | Who takes a result.
--
-- Its one idea: what has a name is taken where the name stands.
--
-- Start at 'usersOf'.
module Tern.Lab.Core.Plugin.Users
  ( taker,
    takerAt,
    ofStrings,
    named,
    takenAt,
    isListed,
    usersOf,
    occurrencesOf,
  )
where

import Data.List (isPrefixOf)
import Data.Text qualified as T
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Role,
    Unfolding (NoUnfolding),
    (<>),
  )
import Tern.Lab.Core.Facts
  ( Global (..),
    anyFunction,
    stringsFunction,
  )
import Tern.Lab.Core.Plugin.Rounds (callOf)
import Tern.Lab.Core.Plugin.Shape
  ( bare,
    occurrence,
  )

-- | What takes a result: a library's function, or one that is only known here.
taker :: Id -> Global
taker g = if isGlobalId g then named g else anyFunction

-- | The same of a function that is given by its name, or with some of its arguments.
takerAt :: Type -> Id -> Global
takerAt t g = case splitFunTy_maybe t of
  Just (_, _, from, to) | ofStrings g from to -> stringsFunction
  _ -> taker g

-- | A function of another package than base, which makes a string of one: nobody here can write it
-- for packed texts, and it need not be asked where it changes nothing.
ofStrings :: Id -> Type -> Type -> Bool
ofStrings f from to = isString from && isString to && isGlobalId f && not (isBase f)
  where
    isString t = case splitTyConApp_maybe t of
      Just (c, [element]) ->
        c == listTyCon && fmap fst (splitTyConApp_maybe element) == Just charTyCon
      _ -> False
    isBase g = case nameModule_maybe (idName g) of
      Just m -> any (`isPrefixOf` unitString (moduleUnit m)) ["base", "ghc-prim"]
      Nothing -> True

-- | Without its unit.
named :: Id -> Global
named f =
  Global
    T.empty
    (maybe T.empty (T.pack . moduleNameString . moduleName) (nameModule_maybe (idName f)))
    (occurrence f)

-- | What takes it as which of its arguments, counted from 0: what a container keeps beside a key
-- is not compared.
takenAt :: Int -> Id -> Global
takenAt i f
  | Just key <- lookup (occurrence f) keys,
    key /= i =
      (named f) {globalName = occurrence f <> " value"}
  | otherwise = named f
  where
    keys =
      [("insert", 0), ("insertWith", 1), ("adjust", 1), ("alter", 1), ("findWithDefault", 1)]

isListed :: Type -> Bool
isListed t = maybe False ((== listTyCon) . fst) (splitTyConApp_maybe t)

-- | A boxed vector, which another function of vectors may fuse with.
isVector :: Type -> Bool
isVector t = case splitTyConApp_maybe t of
  Just (c, _)
    | Just m <- nameModule_maybe (tyConName c) ->
        moduleNameString (moduleName m) == "Data.Vector" && occNameString (getOccName c) == "Vector"
  _ -> False

-- | The functions that a named list or vector is given to, in the order of the source.
usersOf :: Id -> CoreExpr -> [Global]
usersOf b
  | isListed (idType b) || isVector (idType b) = take 4 . go
  | otherwise = const []
  where
    go e = case e of
      App _ _ ->
        let (headOf, _, arguments) = callOf e
            own = take 1 [takenAt i f | (i, a) <- zip [0 ..] arguments, isIt a, Var f <- [headOf]]
         in own <> concatMap go arguments <> (case headOf of Var _ -> []; other -> go other)
      Lam _ r -> go r
      Cast r _ -> go r
      Tick _ r -> go r
      Let (NonRec _ r) body -> go r <> go body
      Let (Rec pairs) body -> concatMap (go . snd) pairs <> go body
      Case r _ _ alternatives -> go r <> concat [go inner | Alt _ _ inner <- alternatives]
      Var _ -> []
      Lit _ -> []
      Type _ -> []
      Coercion _ -> []
    isIt a = case bare a of
      Var v -> v == b
      _ -> False

-- | How often a variable stands in an expression.
occurrencesOf :: Id -> CoreExpr -> Int
occurrencesOf b e = case e of
  Var v -> if v == b then 1 else 0
  App f a -> occurrencesOf b f + occurrencesOf b a
  Lam _ r -> occurrencesOf b r
  Cast r _ -> occurrencesOf b r
  Tick _ r -> occurrencesOf b r
  Let (NonRec _ r) body -> occurrencesOf b r + occurrencesOf b body
  Let (Rec pairs) body -> sum (map (occurrencesOf b . snd) pairs) + occurrencesOf b body
  Case r _ _ alternatives ->
    occurrencesOf b r + sum [occurrencesOf b inner | Alt _ _ inner <- alternatives]
  Lit _ -> 0
  Type _ -> 0
  Coercion _ -> 0
