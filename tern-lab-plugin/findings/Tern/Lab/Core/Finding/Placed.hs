-- | Where a finding is said, whose code stands nowhere in the source.
--
-- Its one idea: a part that GHC made for several bindings is said of the first written
-- function that uses it.
--
-- Start at 'placed'.
module Tern.Lab.Core.Finding.Placed (placed) where

import Control.Applicative ((<|>))
import Data.Map.Strict qualified as Map
import Data.Maybe (mapMaybe)
import Data.Set qualified as Set
import Data.Text qualified as T
import Tern.Lab.Core.Facts
  ( Binding (..),
    Callee (..),
    ModuleFacts (..),
    Origin (..),
    Spot (..),
    unmarked,
  )
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..), PartId (..))
import Tern.Lab.Core.Index (calleeOf, ownerName)

-- | A part that GHC made for several bindings stands nowhere in the source: it
-- is said of the first of those that use it.
placed :: [ModuleFacts] -> Finding -> Finding
placed modules = \f -> case findingPlace f of
  Nothing
    | not (T.null (findingBinding f)),
      (place, name) : _ <-
        mapMaybe
          (`Map.lookup` users)
          [ (unit, m, findingPart f)
            | PartId unit m _ <-
                Set.toList (findingCode f)
          ] ->
        f
          { findingPlace =
              Just place,
            findingBinding = name,
            findingIn = findingIn f <|> Just (findingBinding f)
          }
    -- A call of a written function is one that the using function has, wherever GHC has
    -- put it.
    | namesCallee (findingKind f),
      place : _ <-
        mapMaybe
          (`Map.lookup` tops)
          [(unit, m, findingBinding f) | PartId unit m _ <- Set.toList (findingCode f)] ->
        f {findingPlace = Just place}
  _ -> f
  where
    namesCallee = \case
      NotSpecialised {} -> True
      PassesInstances _ _ -> True
      _ -> False
    tops =
      Map.fromList
        [ ((factsUnit m, factsModule m, bindingName b), place)
          | m <- modules,
            b <- factsBindings m,
            bindingOrigin b == Written,
            Just place <- [bindingPlace b]
        ]
    users =
      Map.fromListWith
        min
        [ ((factsUnit m, factsModule m, callee), (place, name))
          | m <- modules,
            let written =
                  Map.fromList
                    [ (bindingName b, place)
                      | b <-
                          factsBindings m,
                        bindingOrigin b == Written,
                        Just place <- [bindingPlace b]
                    ],
            b <- factsBindings m,
            let name = maybe (unmarked (bindingName b)) ownerName (bindingOwner b),
            Just place <- [Map.lookup name written],
            spot <- bindingSpots b,
            Just (CalleeHere callee) <- [calleeOf (spotSight spot)]
        ]
