{-# LANGUAGE OverloadedStrings #-}

-- | Lists in records that get longer at their ends.
--
-- Its one idea: who is given a record, and gives one with the same list and some elements after
-- it, is called once for each of them, and copies the list each time.
--
-- Start at 'lengthened'.
module Tern.Lab.Core.Plugin.Lengthened
  ( Fields,
    fieldsIn,
    lengthened,
  )
where

import Control.Applicative ((<|>))
import GHC.Plugins hiding ((<>))
import Tern.Lab.Core.Plugin.Rounds (callOf, isConstructor, isLibrary)
import Tern.Lab.Core.Plugin.Shape (bare)

-- | Variables that are fields: of which constructor, and which of its fields.
type Fields = VarEnv (DataCon, Int)

-- | With the variables of a pattern.
fieldsIn :: AltCon -> [Var] -> Fields -> Fields
fieldsIn pattern' vs fields = case pattern' of
  DataAlt con -> extendVarEnvList fields [(v, (con, i)) | (v, i) <- zip (filter isId vs) [0 ..]]
  LitAlt _ -> fields
  DEFAULT -> fields

-- | Given a constructor and what it is given as one of its fields: if that is the same field of
-- another, with elements after it, the append, its types and what is on its left.
lengthened :: Fields -> Id -> Int -> CoreExpr -> Maybe (Id, [Type], CoreExpr)
lengthened fields c i e = case callOf (bare e) of
  (Var append, types, [left, right])
    | isLibrary "++" append,
      Just con <- isDataConWorkId_maybe c <|> isDataConWrapId_maybe c,
      dataConTyCon con /= listTyCon,
      isField con left,
      isWritten right ->
        Just (append, types, left)
  _ -> Nothing
  where
    isField con left = case callOf (bare left) of
      (Var v, _, []) -> lookupVarEnv fields v == Just (con, i)
      (Var v, _, [_]) ->
        isRecordSelector v
          && map flSelector (take 1 (drop i (dataConFieldLabels con))) == [idName v]
      _ -> False
    -- Its elements stand here.
    isWritten right = case callOf (bare right) of
      (Var f, _, _) -> isConstructor f || isLibrary "build" f
      _ -> False
