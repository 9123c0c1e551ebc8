{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Whose what GHC made is.
--
-- Its one idea: it belongs to a written binding by its place, by its name, or because nothing
-- else uses it.
--
-- Start at 'ownersOf'.
module Tern.Lab.Core.Plugin.Owners
  ( Written,
    ownersOf,
    originOf,
  )
where

import Data.List (isPrefixOf)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isNothing, mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Unfolding (NoUnfolding),
    (<>),
  )
import Tern.Lab.Core.Facts
  ( Origin (..),
    Owner (..),
    Place (..),
  )
import Tern.Lab.Core.Plugin.Shape
  ( occurrence,
    placeOf,
  )

-- | The top-level names of the source and of its instances, and their places. The
-- optimiser may have nothing left of a name but its worker.
type Written = Map Text Place

-- | The written bindings that others belong to; given what each uses.
ownersOf :: Written -> [(Id, VarSet)] -> VarEnv Owner
ownersOf written bindings =
  go
    (length bindings)
    ( mkVarEnv
        [ (b, o)
          | (b, _) <-
              bindings,
            origin b /= Written,
            Just o <- [byPlace b]
        ]
    )
  where
    origin = originOf written
    places = Map.fromList [(p, name) | (name, p) <- Map.toList written]
    byPlace b
      | Map.member base written = Just (MadeOf base)
      | otherwise = do
          p <- placeOf (idName b)
          (q, owner) <- Map.lookupLE p places
          if placeFile p == placeFile q then Just (MadeOf owner) else Nothing
      where
        base = withoutMarks (occurrence b)
    withoutMarks name = case mapMaybe (`T.stripPrefix` name) ["$w", "$s"] of
      rest : _ -> withoutMarks rest
      [] -> name
    users = plusEnvs [mapVarEnv (const [b]) (getUniqSet free) | (b, free) <- bindings]
    plusEnvs = foldr (plusVarEnv_C (<>)) emptyVarEnv
    -- Each round names the owners of what the round before could not; a chain
    -- of made bindings is short.
    go n known
      | n <= (0 :: Int) || isEmptyVarEnv new = known
      | otherwise = go (n - 1) (plusVarEnv known new)
      where
        new =
          mkVarEnv
            [ (b, UsedBy o)
              | (b, _) <-
                  bindings,
                origin b == Made,
                not (elemVarEnv b known),
                Just o <- [agreed known b]
            ]
    agreed
      known
      b = case traverse (ownerOf known) (filter (\u -> u /= b && not (dead u)) (usersOf b)) of
        Just (o : rest) | all (== o) rest -> Just o
        _ -> Nothing
    usersOf b = fromMaybe [] (lookupVarEnv users b)
    -- Made, and used by nothing: it is dropped later.
    dead u = origin u == Made && all (== u) (usersOf u) && not (isExportedId u)
    ownerOf known u
      | origin u /= Made = Just (occurrence u)
      | otherwise = case lookupVarEnv known u of
          Just (MadeOf o) -> Just o
          Just (UsedBy o) -> Just o
          Nothing -> Nothing

-- | Dictionaries and workers carry the class or the name in theirs.
originOf :: Written -> Id -> Origin
originOf written b
  | isDFunId b = Instance (T.takeWhile (/= '_') (from "$f"))
  | "$f" `isPrefixOf` name = Instance (from "$f")
  | "$c" `isPrefixOf` name = Instance (from "$c")
  | "$w$c" `isPrefixOf` name = Instance (from "$w$c")
  | isNothing (placeOf (idName b)) || Map.lookup (occurrence b) written /= placeOf (idName b) = Made
  | otherwise = Written
  where
    -- A mark comes last.
    name = occNameString (getOccName b)
    from p = T.drop (length (p :: String)) (occurrence b)
