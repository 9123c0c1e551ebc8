-- | Where the instances of an overloaded function come from.
--
-- Its one idea: a function that takes an instance hands it on. Where all calls of it hand on an
-- instance that the caller was given itself, a pragma at the function alone changes nothing:
-- the first caller that is given a known instance decides.
--
-- Start at 'rootOf'.
module Tern.Lab.Core.Callers
  ( Callers,
    callersOf,
    rootOf,
    isReached,
  )
where

import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (isJust)
import Data.Set (Set)
import Data.Set qualified as Set
import Tern.Lab.Core.Facts
  ( Binding (..),
    Callee (..),
    Dictionary (..),
    Global (..),
    ModuleFacts (..),
    Sight (..),
    Spot (..),
  )
import Tern.Lab.Core.Index (Index, inModule, ownerName, sourceName, writtenOf)

-- | Of each written function: who gives it instances, and does anybody give it known ones?
data Calls = Calls !(Set Global) !Bool

-- | Who hands instances to whom, in all of a program.
newtype Callers = Callers (Map Global Calls)

-- | Of all modules. What a function hands to itself is left out.
callersOf :: Index -> [ModuleFacts] -> Callers
callersOf index modules =
  Callers
    ( Map.fromListWith
        (\(Calls a x) (Calls b y) -> Calls (a <> b) (x || y))
        [ (written, Calls (Set.singleton self) known)
          | m <- modules,
            b <- factsBindings m,
            let self = inModule m (sourceName (maybe (bindingName b) ownerName (bindingOwner b))),
            spot <- bindingSpots b,
            Overloaded callee dictionaries _ <- [spotSight spot],
            let written = case writtenOf index m callee of
                  CalleeHere name -> inModule m (sourceName name)
                  CalleeGlobal g -> g {globalName = sourceName (globalName g)},
            written /= self,
            let known = all dictionaryKnown dictionaries
        ]
    )

-- | The nearest function that is called at known instances, and those on the ways from it to
-- this one, which is among them. None, where this one is called at known instances itself, or no
-- call is known.
rootOf :: Callers -> Global -> Maybe (Global, Set Global)
rootOf callers@(Callers calls) start = go (64 :: Int) (Set.singleton start) [start]
  where
    go fuel seen level
      | fuel == 0 || null level = Nothing
      | root : _ <- [g | g <- level, isKnown callers g] =
          if root == start then Nothing else Just (root, Set.delete root seen)
      | otherwise =
          let next = Set.unions (map above level) `Set.difference` seen
           in go (fuel - 1) (seen <> next) (Set.toList next)
    above g = case Map.lookup g calls of
      Just (Calls who _) -> who
      Nothing -> Set.empty

-- | Does it get known instances from anybody, itself or through others?
isReached :: Callers -> Global -> Bool
isReached callers g = isKnown callers g || isJust (rootOf callers g)

isKnown :: Callers -> Global -> Bool
isKnown (Callers calls) g = or [known | Just (Calls _ known) <- [Map.lookup g calls]]
