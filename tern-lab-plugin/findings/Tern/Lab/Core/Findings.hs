-- | The findings of a program.
--
-- Its one idea: facts of all modules are looked at together, so that a call
-- that stayed here can be explained by the pragma, the size or the recursion
-- that another module has. What one module has is "Tern.Lab.Core.Finding.Left" (what the
-- optimiser left), "Tern.Lab.Core.Finding.Called" (what the source calls) and
-- "Tern.Lab.Core.Finding.Exported"; what of it is one finding, "Tern.Lab.Core.Finding.Gathered".
--
-- Start at 'findings'.
module Tern.Lab.Core.Findings (findings) where

import Data.List (sortOn)
import Data.Map.Strict qualified as Map
import Data.Maybe (isJust, mapMaybe)
import Data.Ord (Down (..))
import Data.Set qualified as Set
import Tern.Lab.Core.Facts (ModuleFacts (..))
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..))
import Tern.Lab.Core.Finding.Called (ofUse)
import Tern.Lab.Core.Finding.Exported (exportList)
import Tern.Lab.Core.Finding.Gathered (belowRoots, together)
import Tern.Lab.Core.Finding.Left (ofBinding)
import Tern.Lab.Core.Finding.People (forPeople)
import Tern.Lab.Core.Finding.Placed (placed)
import Tern.Lab.Core.Index (Remedy (..), indexed, sourceName)
import Tern.Lab.Core.Library (Cost (..), waits)
import Tern.Lab.Core.Source (lastName)

-- | Of all modules, the weightiest first.
findings :: [ModuleFacts] -> [Finding]
findings modules =
  sortOn
    (Down . findingWeight)
    ( mapMaybe
        (forPeople modules . placed modules)
        ( belowRoots
            index
            modules
            ( Map.elems
                ( Map.unionsWith
                    twice
                    (map (Map.filter (not . isAlone) . together . ofUnit) units)
                )
            )
        )
    )
  where
    index = indexed modules
    -- One function that copies a text into another is no kind of texts.
    isAlone f = case findingKind f of
      CallsLibrary _ CopiesNested -> findingTimes f < 2
      _ -> False
    units = Map.elems (Map.fromListWith (flip (<>)) [(factsUnit m, [m]) | m <- modules])
    ofUnit ms = concatMap (ofModule elsewhere) seen
      where
        seen = [(m, concatMap (ofBinding index m) (factsBindings m), used m) | m <- ms]
        elsewhere = [f | (_, _, fs) <- seen, f <- fs, isWaiting f]
        used m = mapMaybe (ofUse index m) (factsUses m)
    ofModule elsewhere (m, bound, every) =
      let used = filter (\f -> not (isHanded f && any (\g -> isGrowing g && keeps g f) bound)) every
          said f =
            saidOf used f
              || (isGrowing f && any (becameCode f) elsewhere)
              || (findingKind f == AppendsLeft && any (appended f) used)
       in [(factsSource m, f) | f <- exportList modules m <> filter (not . said) bound <> used]
    -- Where a loop's accumulator is seen to grow, what it hands on is that accumulator.
    isHanded f = or [cost == HandsFields | CallsLibrary _ cost <- [findingKind f]]
    isGrowing f = case findingKind f of
      GrowingAccumulator {} -> True
      _ -> False
    -- An append that is spoken of where it is written, or stands in a loop of another function now.
    -- A loop that GHC names itself has the place of its function, and the code of the call.
    appended f g =
      or [cost == CopiesList | CallsLibrary _ cost <- [findingKind g]]
        && if sourceName (findingBinding f) == sourceName (findingBinding g)
          then (isJust (findingPlace f) && findingPlace f == findingPlace g) || isCodeOf f g
          else becameCode f g
    isCodeOf f g = not (Set.null (findingCode f)) && findingCode f `Set.isSubsetOf` findingCode g
    -- What became of a call that is spoken of is not said again.
    saidOf used f = case findingKind f of
      GrowingAccumulator {} -> any (keeps f) used
      StoresLazily _ -> any (keeps f) used
      NotSpecialised callee _ _ _ Upstream -> any (isCallOf callee f) used
      _ -> False
    -- Who need not call it has nothing to ask of its package.
    isCallOf callee f g =
      or [lastName name == lastName callee | CallsLibrary name _ <- [findingKind g]]
        && not (Set.disjoint (findingCode f) (findingCode g))
    keeps f g =
      isWaiting g
        && ( sourceName (findingBinding f) == sourceName (findingBinding g)
               || becameCode f g
               || isCodeOf f g
           )
    -- The call of the second was inlined there, in whatever module that is.
    becameCode f g =
      not (Set.null (findingCode f)) && findingCode f `Set.isSubsetOf` findingCallers g
    isWaiting g = or [waits cost | CallsLibrary _ cost <- [findingKind g]]
    -- A module that two components have is compiled twice and said once.
    twice one other =
      one
        { findingCode = findingCode one <> findingCode other,
          findingCallers = findingCallers one <> findingCallers other
        }
