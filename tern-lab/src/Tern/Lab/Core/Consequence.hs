-- | Findings that are there because of another.
--
-- Its one idea: who hands on a function that another function makes must make one, too. Once that
-- other takes all its arguments, they are given to it at once, and little is left here. And who
-- puts bangs into a loop does so for all that it carries. So the one cure is said, and what is left
-- shows in the next run.
--
-- Start at 'withoutConsequences'.
module Tern.Lab.Core.Consequence (withoutConsequences) where

import Data.Set qualified as Set
import Tern.Lab.Core.Facts
  ( Binding (..),
    Callee (..),
    Global (..),
    ModuleFacts (..),
    Part (..),
    Spot (..),
  )
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..), PartId (..), Spent (..), worthShowing)
import Tern.Lab.Core.Index (calleeOf, sourceName)

-- | After a run: what follows from a finding that saves more, and is shown, saves nothing of its
-- own.
withoutConsequences :: [ModuleFacts] -> [Finding] -> [Finding]
withoutConsequences modules every = map one every
  where
    one f
      | isLow f, any (`leadsTo` f) causes = without f
      | isGrowing f, any (`goesRoundWith` f) growing = without f
      | otherwise = f
    without f = f {findingMeasured = (\spent -> spent {spentSaves = 0}) <$> findingMeasured f}
    -- Bangs in one loop are one cure, however each of its arguments waits.
    growing = [g | g <- every, isGrowing g, worthShowing g]
    isGrowing f = case findingKind f of
      GrowingAccumulator {} -> True
      _ -> False
    goesRoundWith g f =
      findingKind g /= findingKind f
        && findingModule g == findingModule f
        && findingIn g == findingIn f
        && findingCode g == findingCode f
        && loopOf g == loopOf f
        && saves g > saves f
    loopOf f = case findingKind f of
      GrowingAccumulator loop _ _ -> Just (sourceName loop)
      _ -> Nothing
    causes = [g | g <- every, isLow g, isWhole g, worthShowing g]
    -- No local function of it.
    isWhole g = maybe True ((== sourceName (findingBinding g)) . sourceName) (findingIn g)
    isLow f = case findingKind f of
      ArityTooLow {} -> True
      _ -> False
    -- Who is called with all arguments at once need not make a function either.
    leadsTo g f = saves g > saves f && (f `calls` g || g `calls` f)
    f `calls` g =
      or
        [ called == (findingModule g, sourceName (findingBinding g))
          | (m, b) <- bindingsOf f,
            spot <- bindingSpots b,
            Just callee <- [calleeOf (spotSight spot)],
            called <- [nameOf m callee]
        ]
    saves = fmap spentSaves . findingMeasured
    nameOf m callee = case callee of
      CalleeHere name -> (factsModule m, sourceName name)
      CalleeGlobal g -> (globalModule g, sourceName (globalName g))
    bindingsOf f =
      [ (m, b)
        | m <- modules,
          b <- factsBindings m,
          any
            (\key -> PartId (factsUnit m) (factsModule m) key `Set.member` findingCode f)
            (bindingKey b : map partKey (bindingParts b))
      ]
