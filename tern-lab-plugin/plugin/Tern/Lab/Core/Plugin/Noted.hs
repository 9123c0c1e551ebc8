{-# LANGUAGE LambdaCase #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What is noted of one call.
--
-- Its one idea: a call is noted with what is known where it stands, and without what stands in
-- its arguments.
--
-- Start at 'callAt'.
module Tern.Lab.Core.Plugin.Noted
  ( Seen (..),
    callAt,
    resolved,
    mentions,
  )
where

import Data.Bifunctor (first)
import Data.List (isInfixOf)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Text (Text)
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
  ( Argument (..),
    Global (..),
    LocalCall (..),
    Place (..),
    SourceCall (..),
    Use (..),
  )
import Tern.Lab.Core.Plugin.Compat (isDictionaryType)
import Tern.Lab.Core.Plugin.Enclosed (encloses)
import Tern.Lab.Core.Plugin.Given
  ( Known (..),
    Scope (..),
    Sort (..),
    classifiedFor,
    handsWaiting,
  )
import Tern.Lab.Core.Plugin.Parted (Part (..), partOf, parted)
import Tern.Lab.Core.Plugin.Roles (Role (..), roleOf)
import Tern.Lab.Core.Plugin.Rounds
  ( callOf,
    constructors,
    isAction,
    isConstructor,
    isLibrary,
    isOverloadedLoop,
    isOverloadedRecursive,
    isTree,
    typeName,
  )
import Tern.Lab.Core.Plugin.Shape
  ( Own (..),
    bare,
    globalOf,
    occurrence,
    placeOf,
    represented,
    strictArguments,
  )

data Seen
  = SeenUse !Use
  | SeenCall !SourceCall
  | -- | A call of a local function, or of one that is given by name, and how many loops are around.
    SeenLocal !Id !Int !LocalCall

-- | What only leads to an error costs nothing; but what it calls is called.
mentions :: Scope -> CoreExpr -> [Seen] -> [Seen]
mentions scope e seen =
  [ SeenCall (SourceCall (scopeBinding scope) (globalOf (scopeOwn scope) m (idName f)) 0)
    | f <- exprSomeFreeVarsList isGlobalId e,
      Just m <- [nameModule_maybe (idName f)],
      m /= scopeModule scope,
      moduleUnit m == moduleUnit (scopeModule scope)
  ]
    <> seen

-- | A section calls a variable that stands for a method at a type.
resolved :: Scope -> CoreExpr -> CoreExpr
resolved scope e = case callOf e of
  (Var v, _, arguments)
    | isLocalId v,
      Just (Known _ (Bound' r)) <- lookupVarEnv (scopeKnown scope) v,
      (Var g, _, []) <- callOf (bare r),
      isGlobalId g ->
        mkApps r arguments
  _ -> e

-- | The call itself, without its arguments: @more@ loops are around it that are
-- not around them.
callAt :: Int -> Scope -> CoreExpr -> [Seen] -> [Seen]
callAt more scope e = case headOf of
  Var f
    | elemVarEnv f (scopeKnown scope) ->
        (SeenLocal f (scopeLoops scope + more) (LocalCall from (named f)) :) . use f
    | otherwise -> use f
  _ -> id
  where
    (headOf, types, arguments) = callOf (resolved scope e)
    named f = (occurrence f, placeOf (idName f))
    from = first (fromMaybe (scopeBinding scope)) standing
    use f
      | isConstructor f || isDictionaryType (idType f) = id
      -- The next round of a loop, given a record whose fields are computations.
      | handsWaiting scope f arguments =
          seenUse (scopeLoops scope + more) (here f) . mentionedHere f
      | Just m <- nameModule_maybe (idName f),
        m /= scopeModule scope,
        moduleUnit m /= moduleUnit (scopeModule scope) =
          seenUse (scopeLoops scope + more) (globalOf (scopeOwn scope) m (idName f))
      | Just m <- nameModule_maybe (idName f) =
          defaulted f . mentioned f (globalOf (scopeOwn scope) m (idName f))
      -- Overloaded here, and a loop: at which types.
      | isLocalId f,
        Just (Known _ (Bound' r)) <- lookupVarEnv (scopeKnown scope) f,
        isOverloadedLoop f r =
          seenUse
            (scopeLoops scope + more + 1)
            ( Global
                (ownUnit (scopeOwn scope))
                ( T.pack
                    (moduleNameString (moduleName (scopeModule scope)))
                )
                (occurrence f)
            )
      | otherwise = mentionedHere f
    mentionedHere f
      | elemVarEnv f (scopeTop scope) = defaulted f . mentioned f (here f)
      | otherwise = id
    here f =
      Global
        (ownUnit (scopeOwn scope))
        (T.pack (moduleNameString (moduleName (scopeModule scope))))
        (occurrence f)
    -- A function of this module that counts in whatever its callers take.
    defaulted f
      | any isInteger types,
        isOverloadedRecursive (scopeTop scope) f =
          seenUse (scopeLoops scope + more + 1) (here f)
      | otherwise = id
    isInteger t = constructors t `elem` [["GHC.Num.Integer.Integer"], ["Integer"]]
    seenUse loops callee =
      ( SeenUse
          Use
            { useBinding = scopeBinding scope,
              useIn = fst standing,
              usePlace = snd standing,
              useCallee = callee,
              useTypes = map (constructors . packedInside) types,
              useArguments = zipWith argument [0 ..] arguments,
              useUnder = take 6 (scopeUnder scope),
              useTied = scopeTied scope,
              useLoops = loops
            }
          :
      )
    -- A newtype of a packed text is appended to as that is.
    packedInside t = case splitTyConApp_maybe (represented t) of
      Just (c, []) | occNameString (getOccName c) `elem` ["Text", "ByteString"] -> represented t
      _ -> t
    argument i a
      | Just own <- scopeText scope,
        Var f <- headOf,
        encloses own (scopeInside scope) f arguments == Just i =
          Enclosed
      | isPackedType (exprType a), ofNextRound a = Accumulated
      | i == 0,
        Var f <- headOf,
        isLibrary "++" f,
        [_, rest] <- arguments,
        Just part <- partOf (scopeParts scope) a,
        partBegins part =
          if parted (scopeParts scope) a rest && changes part then Parted else OfRound
      | otherwise = given' a
    -- What the rounds that come after have made: of the rest of a list, and of no part of a tree.
    ofNextRound a = case callOf (bare a) of
      (Var v, _, [])
        | Just (Known _ (Bound' r)) <- lookupVarEnv (scopeKnown scope) v -> ofNextRound r
      (Var f, _, next@(_ : _)) ->
        elemVarEnv f (scopeRounds scope)
          && any (goesAlong . exprType) next
          && not (any (isTree . exprType) next)
      _ -> False
    goesAlong t =
      isPackedType t || typeName t `elem` ["GHC.Types.[]", "GHC.Types.List", "GHC.Types.Int"]
    isPackedType t = case splitTyConApp_maybe (represented t) of
      Just (c, []) -> occNameString (getOccName c) `elem` ["Text", "ByteString"]
      _ -> False
    -- A list that each round has as it was is not changed: what is made of it are others.
    changes part = classifiedFor (const True) scope (Var (partWhole part)) /= Invariant
    given' a = case classifiedFor (carriedBy headOf) handed a of
      -- What a function gives is no more of a text than it is long, whatever it was made of.
      FromAccumulated | joins, not (isWritten a) -> Compound
      FromAccumulated | Var v <- bare a, elemVarSet v evaluated -> Accumulated
      sort -> sort
    -- What the call evaluates in one place, as a key, does not wait in another.
    evaluated = mkVarSet $ case collectArgs (resolved scope e) of
      (function, every)
        | Var f <- bare function ->
            [ v
              | (a, True) <- zip values (strictArguments f (length values)),
                Var v <- map bare (a : firstField a)
            ]
        where
          values = filter isValArg every
      _ -> []
    -- To compare a key is to compare what comes first in it.
    firstField a = case callOf (bare a) of
      (Var c, _, first' : _) | isConstructor c -> [first']
      _ -> []
    handed = scope {scopeField = handedBy headOf, scopeValue = evaluatesValue headOf}
    joins = case headOf of
      Var f -> isLibrary "concat" f
      _ -> False
    -- A list whose elements stand here.
    isWritten a = case callOf (bare a) of
      (Var c, _, _) -> isConstructor c || isLibrary "build" c
      _ -> False
    standing = case scopeIn scope of
      Nothing | Just (name, place) <- meltedAround scope -> (Just name, Just place)
      _ -> (scopeIn scope, scopePlace scope)
    carriedBy = \case
      Var f | Just (Role _ carried) <- roleOf f -> (`elem` carried)
      _ -> const True
    -- Of a pair of these the second is an element of the result, and nothing is made of it.
    handedBy = \case
      Var f | any (`isLibrary` f) ["mapAccumL", "mapAccumR"] -> Just 0
      _ -> Nothing
    -- A container that is strict in its values.
    evaluatesValue = \case
      Var f
        | Just m <- nameModule_maybe (idName f) ->
            "Strict" `isInfixOf` moduleNameString (moduleName m)
              && occurrence f `elem` ["alter", "update", "updateWithKey"]
      _ -> False
    mentioned f to
      | occurrence f == scopeBinding scope
          || not (isFunTy (dropForAlls (idType f)) || isAction (idType f)) =
          id
      | otherwise =
          (SeenCall (SourceCall (scopeBinding scope) to (scopeLoops scope + more + again f)) :)
    -- Of this module's functions that are given by name it is known there.
    again f = case lookupVarEnv (scopeGiven scope) f of
      Just (Role True _) | maybe False (/= scopeModule scope) (nameModule_maybe (idName f)) -> 1
      _ -> 0 :: Int

-- | The function that the source has a call in, where it was inlined before anybody looked: the
-- variables around the call stand in its lines.
meltedAround :: Scope -> Maybe (Text, Place)
meltedAround scope = do
  near <- scopeNear scope
  (place, (name, isMelted)) <- Map.lookupLE near (scopeMelted scope)
  if isMelted && placeFile place == placeFile near then Just (name, place) else Nothing
