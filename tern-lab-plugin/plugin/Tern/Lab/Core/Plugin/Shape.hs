{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Core expressions and names as the facts see them: without casts, types and
-- ticks.
module Tern.Lab.Core.Plugin.Shape
  ( -- * Names
    occurrence,
    placeOf,
    pragmaOf,
    unfoldingFact,
    hasSourceName,
    Own (..),
    globalOf,
    calleeOf,
    isAppend,
    isBoxedNumber,

    -- * Expressions
    bare,
    bindsWithin,
    application,
    parametersOf,
    parametersWithin,
    isFunction,
    isFunctional,
    represented,
    argumentTypes,
    endsInError,
    strictArguments,

    -- * Text
    plain,
    oneLine,
  )
where

import Data.Maybe (fromMaybe, isJust)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import GHC.Core.TyCo.Rep (scaledThing)
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Unfolding (NoUnfolding),
    (<>),
  )
import GHC.Types.Demand (isDeadEndSig, isStrUsedDmd, splitDmdSig)
import Tern.Lab.Core.Facts
  ( Callee (..),
    Global (..),
    Place (..),
    Pragma (..),
    Unfolding (..),
    isCopy,
    unmarked,
  )
import Tern.Lab.Core.Plugin.Compat (appendModules, unfoldingOf)

-- | Without a mark: what another module inlines here may bring its own.
occurrence :: Id -> Text
occurrence = spelt . getName

spelt :: Name -> Text
spelt = unmarked . fastText . occNameFS . getOccName

-- | Its bytes, not by way of a list of characters: names are asked for at every call.
fastText :: FastString -> Text
fastText = T.decodeUtf8Lenient . bytesFS

placeOf :: Name -> Maybe Place
placeOf name = case nameSrcSpan name of
  RealSrcSpan s _ ->
    Just (Place (fastText (srcSpanFile s)) (srcSpanStartLine s) (srcSpanStartCol s))
  UnhelpfulSpan _ -> Nothing

pragmaOf :: Id -> Pragma
pragmaOf v
  | isNoInlinePragma pragma || isOpaquePragma pragma =
      NoInline (phase (inlinePragmaActivation pragma))
  | isInlinePragma pragma = Inline
  | isInlinablePragma pragma = Inlinable
  | otherwise = NoPragma
  where
    pragma = idInlinePragma v
    phase = \case
      NeverActive -> ""
      other -> T.pack (plain (ppr other))

unfoldingFact :: Id -> Unfolding
unfoldingFact v = case unfoldingOf v of
  CoreUnfolding {uf_src = source, uf_guidance = guidance}
    | isStableSource source -> StableUnfolding
    | otherwise -> case guidance of
        UnfWhen {} -> AlwaysUnfolding
        UnfIfGoodArgs {ug_size = size} -> SizedUnfolding size
        UnfNever -> NeverUnfolding
  DFunUnfolding {} -> AlwaysUnfolding
  _ -> NoUnfolding

-- | On one line and without unique names, which the next compilation changes.
plain :: SDoc -> String
plain =
  withoutMarks
    . renderWithContext
      defaultSDocContext
        { sdocSuppressUniques =
            True,
          sdocLineLength = 10_000,
          sdocStyle = defaultUserStyle
        }

-- | A mark stands between two backquotes. As lazy as its argument: of a long
-- type only the beginning is ever looked at.
withoutMarks :: String -> String
withoutMarks = \case
  '`' : rest -> withoutMarks (drop 1 (dropWhile (/= '`') rest))
  c : rest -> c : withoutMarks rest
  [] -> []

-- | Without casts and ticks outside.
bare :: CoreExpr -> CoreExpr
bare = \case
  Cast e _ -> bare e
  Tick _ e -> bare e
  Lam v e | isTyVar v -> bare e
  e -> e

-- | Does it never return? What only leads to an error is never hot.
endsInError :: CoreExpr -> Bool
endsInError e = case application (bare e) of
  (Var f, arguments) -> isDeadEndSig (idDmdSig f) && length arguments >= idArity f
  (Let _ body, []) -> endsInError body
  (Case scrutinee _ _ alternatives, []) ->
    endsInError scrutinee || all (\(Alt _ _ r) -> endsInError r) alternatives
  _ -> False

-- | The head and the value arguments of an application.
application :: CoreExpr -> (CoreExpr, [CoreExpr])
application = go []
  where
    go arguments e = case e of
      App f a
        | isTypeArg a || isCoercion a -> go arguments f
        | otherwise -> go (a : arguments) f
      Cast inner _ -> go arguments inner
      Tick _ inner -> go arguments inner
      _ -> (e, arguments)
    isCoercion = \case
      Coercion _ -> True
      _ -> False

-- | The value parameters, through casts between them.
parametersOf :: CoreExpr -> ([Id], CoreExpr)
parametersOf e = case e of
  Lam v body
    | isId v -> let (vs, rest) = parametersOf body in (v : vs, rest)
    | otherwise -> parametersOf body
  Cast inner _ | Lam _ _ <- inner -> parametersOf inner
  Tick _ inner -> parametersOf inner
  _ -> ([], e)

-- | The same through what stands around the lambda, as the instances that it is used at: that is
-- taken for a part of the body.
parametersWithin :: CoreExpr -> ([Id], CoreExpr)
parametersWithin e = case parametersOf e of
  ([], Let bs r) | (vs@(_ : _), body) <- parametersWithin r -> (vs, Let bs body)
  plainly -> plainly

-- | All that a program binds, group by group, at the top and below it.
bindsWithin :: CoreProgram -> [CoreBind]
bindsWithin = concatMap (\b -> b : concatMap below (rhssOfBind b))
  where
    below = \case
      Var _ -> []
      Lit _ -> []
      Type _ -> []
      Coercion _ -> []
      Lam _ r -> below r
      Cast r _ -> below r
      Tick _ r -> below r
      App f a -> below f <> below a
      Let b r -> bindsWithin [b] <> below r
      Case r _ _ alternatives -> below r <> concat [below inner | Alt _ _ inner <- alternatives]

hasSourceName :: Id -> Bool
hasSourceName = isJust . placeOf . idName

-- | Without the newtypes around it.
represented :: Type -> Type
represented = go (8 :: Int)
  where
    go n t = case splitTyConApp_maybe t of
      Just (c, ts)
        | n > 0,
          isNewTyCon c,
          tyConArity c <= length ts ->
            go (n - 1) (newTyConInstRhs c ts)
      _ -> t

-- | Is it a function, or made of one by newtypes alone?
isFunctional :: Type -> Bool
isFunctional = isFunTy . dropForAlls . represented . dropForAlls

-- | What a function takes, through newtypes of functions.
argumentTypes :: Type -> [Type]
argumentTypes = go (8 :: Int)
  where
    go 0 _ = []
    go n t = case splitFunTys (dropForAlls (represented (dropForAlls t))) of
      ([], _) -> []
      (arguments, result) -> map scaledThing arguments <> go (n - 1) result

isFunction :: CoreExpr -> Bool
isFunction r = case bare r of
  Lam v _ -> isId v
  _ -> False

isBoxedNumber :: Text -> Bool
isBoxedNumber =
  ( `elem`
      [ "I#",
        "W#",
        "D#",
        "F#",
        "C#",
        "I8#",
        "I16#",
        "I32#",
        "I64#",
        "W8#",
        "W16#",
        "W32#",
        "W64#",
        "IS"
      ]
  )

isAppend :: Id -> Bool
isAppend f =
  isCopy (occurrence f)
    || occNameString (getOccName f) == "++"
      && maybe
        False
        ((`elem` appendModules) . moduleNameString . moduleName)
        (nameModule_maybe (idName f))

-- | How the facts call the module that is compiled.
data Own = Own
  { ownUnit :: !Text,
    -- | Its bindings at the top.
    ownNames :: !(VarEnv Text)
  }

globalOf :: Own -> Module -> Name -> Global
globalOf own m name
  -- Another module's copy that was exposed.
  | isCopy (spelt name) = Global "base" "GHC.Base" "++"
  | otherwise =
      Global
        (if unit == "main" then ownUnit own else unit)
        (fastText (moduleNameFS (moduleName m)))
        (spelt name)
  where
    unit = fastText (unitFS (moduleUnit m))

calleeOf :: Own -> Id -> Callee
calleeOf own f = case nameModule_maybe (idName f) of
  Just m -> CalleeGlobal (globalOf own m (idName f))
  Nothing -> CalleeHere (fromMaybe (occurrence f) (lookupVarEnv (ownNames own) f))

-- | At most 80 characters; types of generic code can have thousands.
oneLine :: String -> String
oneLine written = case splitAt 80 (unwords (words written)) of
  (whole, []) -> whole
  (start, _) -> start <> "…"

-- | Which arguments a function certainly evaluates when it is given @given@ of them.
strictArguments :: Id -> Int -> [Bool]
strictArguments f given
  | (demands, _) <- splitDmdSig (idDmdSig f),
    given >= length demands =
      map isStrUsedDmd demands <> repeat False
  | otherwise = repeat False
