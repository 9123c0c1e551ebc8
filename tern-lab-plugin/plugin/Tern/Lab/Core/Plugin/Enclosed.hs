{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Texts that are put into texts of their own kind.
--
-- Its one idea: a function from a text of the program's own newtype to a text of that newtype can
-- be applied to what it gives. If it copies what it is given, a part is copied as often as it is
-- deep.
--
-- Start at 'encloses'.
module Tern.Lab.Core.Plugin.Enclosed
  ( textOf,
    encloses,
    insideOf,
  )
where

import Data.Maybe (isJust)
import GHC.Core.Multiplicity (scaledThing)
import GHC.Plugins hiding ((<>))
import Tern.Lab.Core.Plugin.Rounds (callOf, isLibrary)
import Tern.Lab.Core.Plugin.Shape (bare, represented)

-- | Of a function's type: the newtype that it gives, if that is a list of characters inside and of
-- this unit. A method of an instance is not asked for: it puts two texts side by side.
textOf :: Module -> Id -> Maybe TyCon
textOf this f = case splitTyConApp_maybe (given (idType f)) of
  Just (c, _)
    | isNewTyCon c,
      take 1 (occNameString (getOccName f)) /= "$",
      Just m <- nameModule_maybe (tyConName c),
      moduleUnit m == moduleUnit this,
      isText (represented (given (idType f))) ->
        Just c
  _ -> Nothing
  where
    given t = case splitFunTys (dropForAlls t) of
      ([], r) -> r
      (_, r) -> given r
    isText t = case splitTyConApp_maybe t of
      Just (c, [element]) -> c == listTyCon && tyConAppTyCon_maybe element == Just charTyCon
      _ -> False

-- | Given that newtype, and the variables that are texts of it without it: which argument of a
-- call of @++@, @concat@ or @concatMap@ is, or gives, such a text.
encloses :: TyCon -> VarSet -> Id -> [CoreExpr] -> Maybe Int
encloses own inside f arguments
  | isLibrary "++" f, left : _ : _ <- arguments, insideOf own inside left = Just 0
  | isLibrary "concatMap" f, function : _ <- arguments, gives function = Just 0
  | isLibrary "concat" f,
    list : _ <- arguments,
    (Var g, _, function : _) <- callOf list,
    isLibrary "map" g || isLibrary "fmap" g,
    gives function =
      Just 0
  | otherwise = Nothing
  where
    gives function =
      isJust (selected own function) || case bare function of
        Lam v body | isId v, isOf own (idType v) -> insideOf own inside body
        _ -> False

-- | Is it a text of that newtype, without it?
insideOf :: TyCon -> VarSet -> CoreExpr -> Bool
insideOf own inside = \case
  Tick _ e -> insideOf own inside e
  Cast e _ -> isOf own (exprType e)
  Var v -> elemVarSet v inside
  e -> case callOf e of
    (f, _, [x]) -> isJust (selected own f) && isOf own (exprType x)
    _ -> False

-- | The field of that newtype, as a function.
selected :: TyCon -> CoreExpr -> Maybe Id
selected own e = case bare e of
  Var f
    | isRecordSelector f,
      Just (argument, _) <- splitFunctions (idType f),
      isOf own argument ->
        Just f
  _ -> Nothing
  where
    splitFunctions t = case splitFunTys (dropForAlls t) of
      (a : _, r) -> Just (scaledThing a, r)
      ([], _) -> Nothing

isOf :: TyCon -> Type -> Bool
isOf own t = case splitTyConApp_maybe t of
  Just (c, _) -> c == own
  Nothing -> False
