{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What a loop hands to its next round.
--
-- Its one idea: an argument that waits, or is in a box, is made anew in each round; the loop may
-- look at it, or only put it on top of the last.
--
-- Start at 'handed'.
module Tern.Lab.Core.Plugin.Handed
  ( handed,
    thunk,
    applied,
  )
where

import Data.List (isPrefixOf)
import Data.Maybe (fromMaybe)
import Data.Text qualified as T
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Unfolding (NoUnfolding),
    (<>),
  )
import Tern.Lab.Core.Facts
  ( HeapObject (..),
    Round (..),
    Sight (..),
    WhyBoxed (..),
  )
import Tern.Lab.Core.Plugin.Object (objectOf)
import Tern.Lab.Core.Plugin.Rounds (isLibrary, typeName)
import Tern.Lab.Core.Plugin.Seen
  ( Local (..),
    Loop (..),
    Scope (..),
    Seen,
    see,
  )
import Tern.Lab.Core.Plugin.Shape
  ( application,
    bare,
    hasSourceName,
    isAppend,
    isFunctional,
    occurrence,
    strictArguments,
  )

-- | What a call of a loop hands to its next round.
handed :: Scope -> Loop -> [CoreExpr] -> Seen
handed scope loop arguments =
  foldr
    (.)
    id
    $ [ see scope LeftAppend
        | (parameter, a) <- zip (loopParameters loop) arguments,
          Just (g, left : _) <- [applied scope a],
          isAppend g,
          Var v <- [bare left],
          v == parameter
      ]
      <> [ see
             scope
             ( LazyAccumulator
                 (told (loopName loop))
                 (parameterName i parameter)
                 (roundOf parameter r a)
                 (typeName (exprType r))
             )
           | (i, parameter, (a, False)) <-
               zip3
                 [1 :: Int ..]
                 (loopParameters loop)
                 (zip arguments isNeeded),
             Just r <- [growing a],
             elemVarSet parameter (exprFreeIds r) || (scopeLast scope && isMadeOf parameter r),
             not (isComposed r),
             not (elemVarSet parameter (loopAsked loop)),
             not (isRestOfList r)
         ]
      <> [ see
             scope
             ( TakenApart
                 (occurrence (loopName loop))
                 (parameterName i parameter)
                 (T.pack (occNameString (getOccName constructor)))
             )
           | hasSourceName (loopName loop),
             (i, parameter, a) <- zip3 [1 :: Int ..] (loopParameters loop) arguments,
             elemVarSet parameter (loopLookedAt loop),
             Just constructor <- [madeAgain a]
         ]
      <> [ see
             scope
             ( KeptBoxed
                 (occurrence (loopName loop))
                 (parameterName i parameter)
                 (if needed || isStored parameter then HandedOn else LazilyUsed)
             )
           | isOfSomebody loop,
             (i, parameter, (a, needed)) <-
               zip3
                 [1 :: Int ..]
                 (loopParameters loop)
                 (zip arguments isNeeded),
             isBox (unfolded a)
         ]
  where
    isNeeded =
      strictArguments (fromMaybe self (lookupVarEnv (scopeTop scope) self)) (length arguments)
    self = loopName loop
    isBox a = case objectOf scope a of
      Just (BoxedNumber _) -> True
      _ -> False
    -- A bang alone would have the box made where it is stored.
    isStored parameter = elemVarSet parameter (loopStored loop)
    -- A worker's name stands nowhere in the source, but its parameters' do.
    isOfSomebody l =
      hasSourceName (loopName l) || isWorker (loopName l) && any hasSourceName (loopParameters l)
    isWorker f = "$w" `isPrefixOf` occNameString (getOccName f)
    -- A loop of a library's function has a name that nobody wrote.
    told f = if hasSourceName f then occurrence f else T.empty
    -- A function that is made of a function, as a builder or a continuation: it is no less a
    -- closure when it is evaluated.
    isComposed r = isFunctional (exprType r)
    -- @go left (go right rest)@: a list that is made as it is asked for, or whatever is made of
    -- one by who calls. So is a text that stands here, before the rest.
    -- And a list that has one made so at its end, as the loop of a tree's fold puts it together.
    isRestOfList r = case application (bare r) of
      (Var f, _ : _) | f == loopName loop -> isListType (exprType r) || isTyVarTy (exprType r)
      _ | isListType (exprType r), goesOn r -> True
      (Var f, [_, Var _]) -> isLibrary "unpackAppendCString#" f
      _ -> False
    goesOn r =
      elemVarSet (loopName loop) (exprFreeIds r)
        || or
          [ elemVarSet (loopName loop) (exprFreeIds made)
            | v <- nonDetEltsUniqSet (exprFreeIds r),
              Just (Known made) <- [lookupVarEnv (scopeLocals scope) v],
              isListType (exprType made)
          ]
    isListType t = fmap fst (splitTyConApp_maybe t) == Just listTyCon
    -- What a local name stands for.
    unfolded a = case bare a of
      Var v | Just (Known r) <- lookupVarEnv (scopeLocals scope) v -> r
      other -> other
    -- One constructor of several, that holds none of its own type: no list or
    -- tree. A type's only one is taken apart before the call.
    madeAgain a = case bare a of
      Var v
        | Just (Known r) <- lookupVarEnv (scopeLocals scope) v,
          not (exprIsTrivial r) ->
            madeAgain r
      other -> case application other of
        (Var c, fields@(_ : _))
          | Just constructor <- isDataConWorkId_maybe c,
            _ : _ : _ <- tyConDataCons (dataConTyCon constructor),
            dataConTyCon constructor
              `notElem` concatMap (nonDetEltsUniqSet . tyConsOfType . exprType) fields ->
              Just constructor
        _ -> Nothing
    -- Of what this round has evaluated, by another name.
    isMadeOf parameter r =
      or
        [ lookupVarEnv (loopEvaluated loop) v == Just parameter
          | v <- nonDetEltsUniqSet (exprFreeIds r)
        ]
    roundOf parameter r a
      | not (scopeLast scope) = OnDemand
      | not (elemVarSet parameter (exprFreeIds r)) = Evaluating
      | or [elemVarSet v (loopLookedAt loop) | v <- parameter : [stored | Var stored <- [bare a]]] =
          Looking
      | otherwise = AtOnce
    -- What GHC has named itself means nothing to a reader.
    parameterName i parameter
      | isSystemName (idName parameter) || any (`isPrefixOf` name) ["ww", "ds", "eta", "sc"] =
          T.pack ("argument " <> show i)
      | otherwise = T.pack name
      where
        name = occNameString (getOccName parameter)
    -- The expression that would be stored unevaluated.
    growing a = case bare a of
      Var v | Just (Known r) <- lookupVarEnv (scopeLocals scope) v, thunk scope r -> Just r
      other | not (exprIsTrivial other), thunk scope other -> Just other
      _ -> Nothing

-- | Would it be stored unevaluated?
thunk :: Scope -> CoreExpr -> Bool
thunk scope r = not (isUnliftedType (exprType r)) && objectOf scope r == Just Thunk

-- | A call, or a name for one.
applied :: Scope -> CoreExpr -> Maybe (Id, [CoreExpr])
applied scope a = case application (bare a) of
  (Var g, as)
    | null as, Just (Known r) <- lookupVarEnv (scopeLocals scope) g -> applied scope r
    | not (null as) -> Just (g, as)
  _ -> Nothing
