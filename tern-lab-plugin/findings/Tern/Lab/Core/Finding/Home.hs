{-# LANGUAGE OverloadedStrings #-}

-- | Where the code is that a call of the source became.
--
-- Its one idea: code that GHC took from a library has no place in the source. It is that of the
-- calls in the function around it, and, where the function of a call was inlined itself, in those
-- that called that.
--
-- Start at 'homeOf'.
module Tern.Lab.Core.Finding.Home
  ( Home (..),
    homeOf,
  )
where

import Data.Maybe (fromMaybe, isNothing)
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
  ( Binding (..),
    Callee (..),
    LocalCall (..),
    ModuleFacts (..),
    Origin (..),
    Part (..),
    Spot (..),
    Use (..),
    unmarked,
  )
import Tern.Lab.Core.Index (calleeOf, ownerName, sourceName)

-- | The parts of a module, by their numbers. All are empty where nobody can tell.
data Home = Home
  { -- | The functions of the source that the call is in.
    homeFunctions :: !(Set Int),
    -- | These, and what stands in them without a place of its own.
    homeAll :: !(Set Int),
    -- | Of that the functions of libraries.
    homeForeign :: !(Set Int),
    -- | The local functions that are mentioned where the call is.
    homeMentioned :: !(Set Int)
  }

-- | Of a call, in what the optimiser made of its binding.
homeOf :: ModuleFacts -> [Binding] -> Use -> Home
homeOf m made u = Home functions every foreign' mentioned
  where
    functions = from (6 :: Int) Set.empty (Set.singleton (itself, usePlace u))
    itself = fromMaybe (useBinding u) (useIn u)
    -- Those of a name and a place, and those who called the ones of which nothing is left.
    from n known wanted
      | n == 0 || Set.null wanted = Set.empty
      | otherwise =
          Set.unions (map keysAt there)
            <> from
              (n - 1)
              (known <> wanted)
              ( Set.fromList
                  [ localFrom c
                    | c <- factsLocals m,
                      localTo c `elem` gone,
                      Set.notMember (localFrom c) (known <> wanted)
                  ]
              )
      where
        there = Set.toList wanted
        gone = filter (Set.null . keysAt) there
    mentioned =
      Set.unions
        [ keysAt (localTo mention)
          | mention <- factsLocals m,
            localFrom mention == (itself, usePlace u)
        ]
    keysAt (name, place) =
      Set.fromList
        [ key
          | (key, own, at, _) <- parts,
            sourceName own == sourceName name,
            isNothing place || at == place
        ]
    parts =
      [ part
        | b <- made,
          part <-
            (bindingKey b, bindingName b, bindingPlace b, Nothing)
              : [(partKey p, partName p, partPlace p, Just (partAround p)) | p <- bindingParts b]
      ]
    every = grown functions
    grown known
      | more `Set.isSubsetOf` known = known
      | otherwise = grown (known <> more)
      where
        more = Set.fromList (inside <> floated)
        inside =
          [ key
            | (key, _, Nothing, Just around) <- parts,
              Set.member around known
          ]
        -- What GHC took out of it.
        floated =
          [ bindingKey b
            | b <- made,
              isPlaceless b,
              b' <- made,
              s <- bindingSpots b',
              Set.member (spotPart s) known,
              Just (CalleeHere name) <- [calleeOf (spotSight s)],
              name == bindingName b
          ]
    foreign' =
      Set.fromList
        [ key
          | (key, name, _, _) <- parts,
            Set.member key every,
            Set.notMember key functions,
            not (isOfNobody (unmarked name))
        ]
    -- It has the place of the function that it was made of, if it has one.
    isPlaceless b =
      bindingOrigin b == Made
        && ( isNothing (bindingPlace b)
               || or
                 [ bindingPlace b == bindingPlace o
                   | Just owner <- [bindingOwner b],
                     o <- factsBindings m,
                     bindingOrigin o /= Made,
                     bindingName o == ownerName owner
                 ]
           )
        && sourceName (bindingName b) /= sourceName (useBinding u)
    -- Where branches meet, or what was taken out of a loop: code of the function around it.
    isOfNobody :: Text -> Bool
    isOfNobody name = any (`T.isPrefixOf` name) ["$j", "exit", "fail", "lvl"]
