-- | Modules that hide nothing.
--
-- Its one idea: of what a module keeps to itself GHC knows all calls. Where it exports everything,
-- and others use only some of it, an export list gives the optimiser the rest.
--
-- Start at 'exportList'.
module Tern.Lab.Core.Finding.Exported (exportList) where

import Data.Set qualified as Set
import Data.Text qualified as T
import Tern.Lab.Core.Facts
  ( Binding (..),
    Callee (..),
    Dictionary (..),
    Global (..),
    ModuleFacts (..),
    Origin (..),
    Part (..),
    Place (..),
    Pragma (..),
    Sight (..),
    SourceCall (..),
    Spot (..),
    Unfolding (..),
  )
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..), PartId (..), about)
import Tern.Lab.Core.Index (calleeOf, ownerName, sourceName)

-- | A module that exports everything, and functions that only it uses: with an
-- export list GHC knows all their calls.
exportList :: [ModuleFacts] -> ModuleFacts -> [Finding]
exportList modules m
  -- A module alone may be a library's face: nobody here knows who calls it.
  | factsExportList m || null inner || not imported = []
  | otherwise =
      [ (about m (NoExportList inner))
          { findingPlace =
              if T.null (factsSource m)
                then Nothing
                else Just (Place (factsSource m) 1 1),
            findingTimes = length inner,
            findingWeight = 10 + 2 * fromIntegral (length inner),
            findingCode =
              Set.fromList
                [ PartId (factsUnit m) (factsModule m) key
                  | b <- factsBindings m,
                    sourceName (maybe (bindingName b) ownerName (bindingOwner b)) `elem` inner,
                    key <- bindingKey b : map partKey (bindingParts b)
                ]
          }
      ]
  where
    inner =
      [ bindingName b
        | b <-
            factsBindings m,
          bindingOrigin b == Written,
          bindingArity b > 0,
          bindingUses b > 0,
          notElsewhere (bindingName b),
          gains b
      ]
    imported = any (\other -> factsModule other /= factsModule m) modules
    -- What is always inlined has nothing to gain.
    gains b =
      bindingUnfolding b `notElem` [AlwaysUnfolding, StableUnfolding]
        && bindingPragma b == NoPragma
        && bindingName b `notElem` overloaded
    -- What is given instances is the same code whoever calls it, and where the module knows them
    -- it has a version for them already.
    overloaded =
      [ sourceName (maybe (bindingName b) ownerName (bindingOwner b))
        | b <- factsBindings m,
          any (isGiven . spotSight) (bindingSpots b)
      ]
    isGiven = \case
      Method _ _ -> True
      Overloaded _ dictionaries _ -> not (all dictionaryKnown dictionaries)
      _ -> False
    notElsewhere name = Set.notMember name usedElsewhere
    usedElsewhere =
      Set.fromList
        [ globalName g
          | other <-
              modules,
            g <- factsReexports other,
            globalModule g == factsModule m
        ]
        <> calledElsewhere
        <> Set.fromList
          [ globalName (callTo c)
            | other <- modules,
              factsModule other /= factsModule m,
              c <- factsCalls other,
              globalModule (callTo c) == factsModule m
          ]
    calledElsewhere =
      Set.fromList
        [ globalName g
          | other <- modules,
            factsModule other /= factsModule m,
            b <- factsBindings other,
            spot <- bindingSpots b,
            Just (CalleeGlobal g) <- [calleeOf (spotSight spot)],
            globalModule g == factsModule m
        ]
