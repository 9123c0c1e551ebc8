{-# LANGUAGE DerivingStrategies #-}

-- | Why a call of a known function stayed, and what it is given.
--
-- Its one idea: the binding itself knows more than an occurrence of its name.
--
-- Start at 'reasonOf'.
module Tern.Lab.Core.Plugin.Stayed
  ( reasonOf,
    isKnownDictionary,
    literalLength,
  )
where

import Data.Maybe (fromMaybe)
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Unfolding (NoUnfolding),
    (<>),
  )
import Tern.Lab.Core.Facts
  ( Reason (..),
    Unfolding (..),
    keptApart,
  )
import Tern.Lab.Core.Plugin.Compat (isDictionaryType)
import Tern.Lab.Core.Plugin.Seen
  ( Local (..),
    Scope (..),
  )
import Tern.Lab.Core.Plugin.Shape
  ( application,
    bare,
    pragmaOf,
    unfoldingFact,
  )

-- | A dictionary whose instance stands fast.
isKnownDictionary :: Scope -> CoreExpr -> Bool
isKnownDictionary scope d = case application (bare d) of
  (Var f, arguments) ->
    (isGlobalId f || isDFunId f || elemVarEnv f (scopeTop scope))
      && all (isKnownDictionary scope) (filter (isDictionaryType . exprType) arguments)
  _ -> False

-- | The length of a list whose cells all stand here.
literalLength :: Scope -> CoreExpr -> Maybe Int
literalLength scope = go (64 :: Int)
  where
    go 0 _ = Nothing
    go fuel e = case application (bare e) of
      (Var c, arguments)
        | Just constructor <- isDataConWorkId_maybe c ->
            if constructor == nilDataCon
              then Just 0
              else case arguments of
                [_, rest] | constructor == consDataCon -> (+ 1) <$> go (fuel - 1) rest
                _ -> Nothing
        | null arguments, Just (Known r) <- lookupVarEnv (scopeLocals scope) c -> go (fuel - 1) r
      _ -> Nothing

-- | Why a call of @f@ with @given@ value arguments stayed a call.
reasonOf :: Scope -> Id -> Int -> Reason
reasonOf scope f given
  | keptApart pragma = Pragmatic pragma
  | elemVarSet f (scopeRecursive scope) || isStrongLoopBreaker (idOccInfo definition) = Recursive
  | given < idArity definition = Unsaturated (idArity definition)
  | otherwise = case unfoldingFact definition of
      NoUnfolding -> if elemVarEnv f (scopeTop scope) then NoGain else NoUnfoldingThere
      NeverUnfolding -> Huge
      SizedUnfolding size | size > scopeThreshold scope -> TooBig size (scopeThreshold scope)
      _ -> NoGain
  where
    -- The binding itself knows more than an occurrence of its name.
    definition = fromMaybe f (lookupVarEnv (scopeTop scope) f)
    pragma = pragmaOf definition
