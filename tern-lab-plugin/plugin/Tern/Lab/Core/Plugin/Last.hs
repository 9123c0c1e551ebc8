{-# LANGUAGE LambdaCase #-}

-- | What a function does last: what gives its result, and where another is called.
--
-- Its one idea: whether a result comes in registers, and whether a local function is a place
-- to jump to, is decided by the last things that each branch does. One branch that does
-- otherwise decides for all.
--
-- Start at 'boxedResult' and 'lostJump'.
module Tern.Lab.Core.Plugin.Last
  ( boxedResult,
    endsByItself,
    lostJump,
  )
where

import Data.List (find)
import Data.Maybe (listToMaybe, mapMaybe)
import GHC.Plugins hiding ((<>))
import GHC.Types.Cpr (topCprSig)
import Tern.Lab.Core.Facts (WhyBoxed (..), WhyLost (..))
import Tern.Lab.Core.Plugin.Shape (application, bare, endsInError, isFunction, occurrence)

-- | Why a function that makes a number in some branch gives it in a box; nothing where it makes
-- none, or GHC has split it so that it comes in a register. Given its parameters and body.
boxedResult :: Id -> [Id] -> CoreExpr -> Maybe WhyBoxed
boxedResult f parameters body
  | isJoinId f || idCprSig f /= topCprSig || not (any isMade found) = Nothing
  | otherwise = listToMaybe (mapMaybe otherwise' found)
  where
    found = ends body
    isMade = \case
      Made -> True
      _ -> False
    otherwise' = \case
      Made -> Nothing
      Neutral -> Nothing
      Comes why -> Just why
    ends e
      | endsInError e = []
      | otherwise = case bare e of
          Let bs inner ->
            concat [ends (snd (collectBinders r)) | (v, r) <- flattenBinds [bs], isJoinId v]
              <> ends inner
          Case _ _ _ alternatives -> concat [ends r | Alt _ _ r <- alternatives]
          Lit _ -> [Neutral]
          other -> case application other of
            (Var g, arguments)
              | Just con <- isDataConWorkId_maybe g ->
                  [if isNumber con && not (all isStatic arguments) then Made else Neutral]
              | g == f || isJoinId g -> [Neutral]
              | null arguments, g `elem` parameters -> [Comes (GivenBack (occurrence g))]
              | null arguments -> [Neutral]
              | isGlobalId g || isExternalName (idName g) -> [Comes (GivenBy (occurrence g))]
              | g `elem` parameters -> [Comes (GivenUnknown (occurrence g))]
            _ -> [Neutral]
    isNumber con = occNameString (getOccName con) `elem` ["I#", "W#", "D#", "F#", "C#"]
    isStatic a = case bare a of
      Lit _ -> True
      _ -> False

-- | Does some branch end by a call of the function itself? Then its result is made once for all
-- rounds.
endsByItself :: Id -> CoreExpr -> Bool
endsByItself f e = case bare e of
  Let (NonRec v r) inner
    | isJoinId v -> endsByItself f (snd (collectBinders r)) || endsByItself f inner
    | otherwise -> endsByItself f inner
  Let (Rec _) inner -> endsByItself f inner
  Case _ _ _ alternatives -> or [endsByItself f r | Alt _ _ r <- alternatives]
  other -> case application other of
    (Var g, _) -> g == f
    _ -> False

-- | One of the last things of a function.
data End = Made | Neutral | Comes !WhyBoxed

-- | Why a local function is no place to jump to, though some branch calls it last. Given how many
-- arguments it takes, and what it is local to.
lostJump :: Id -> Int -> CoreExpr -> Maybe WhyLost
lostJump b arity body
  | any isLast uses = find (/= Jumps) uses
  | otherwise = Nothing
  where
    isLast = (== Jumps)
    uses = go Jumps body
    -- What a call would be that stood here.
    go here e = case e of
      Var v -> [AsValue | v == b]
      Lit _ -> []
      Type _ -> []
      Coercion _ -> []
      Cast r _ -> go (inside InMiddle here) r
      Tick _ r -> go here r
      Lam v r -> go (if isId v then inside InFunction here else here) r
      Let (NonRec v r) inner
        | isJoinId v -> joined here r <> go here inner
        | otherwise -> go (bound r) r <> go here inner
      Let (Rec pairs) inner ->
        concat [if isJoinId v then joined here r else go (bound r) r | (v, r) <- pairs]
          <> go here inner
      Case r _ _ alternatives ->
        go (inside InMiddle here) r <> concat [go here inner | Alt _ _ inner <- alternatives]
      App {} -> case application e of
        (Var v, arguments)
          | v == b ->
              (if length arguments == arity then here else AsValue)
                : concatMap (go (inside InMiddle here)) arguments
        (headOf, arguments) ->
          go (inside InMiddle here) headOf <> concatMap (\a -> go (given a) a) arguments
    -- The parameters of a join point are no function's.
    joined here r = case r of
      Lam _ inner -> joined here inner
      inner -> go here inner
    bound r = if isFunction r then InFunction else InThunk
    given a = if isFunction a then InFunction else InThunk
    -- The farthest out decides.
    inside new = \case
      Jumps -> new
      other -> other
