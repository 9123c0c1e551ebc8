{-# LANGUAGE OverloadedStrings #-}

-- | What is asked of a compilation, and what of two is the same.
--
-- Its one idea: a binding of the source is known by its module and its name, whatever GHC has
-- made of it; and what is gone from one module and new in another has moved.
--
-- Start at 'compiledOf' and 'between'. "Tern.Lab.Core.Cause" says why two differ.
module Tern.Lab.Core.Compiled
  ( Name,
    renderName,

    -- * One compilation
    Compiled (..),
    compiledOf,
    compiledOwner,

    -- * Between two
    Between (..),
    between,
    newer,
    bindings,
  )
where

import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (isNothing)
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
  ( Binding (..),
    Callee (..),
    Dictionary (..),
    Global (..),
    ModuleFacts (..),
    Origin (..),
    Part (..),
    Pragma (..),
    Reason (..),
    Sight (..),
    SourceCall (..),
    Spot (..),
  )
import Tern.Lab.Core.Finding (PartId (..))
import Tern.Lab.Core.Index (Why (..), explain, inProject, indexed, sourceName, writtenOf)
import Tern.Lab.Core.Mention (Mentions, mentionsOf)
import Tern.Lab.Core.Traits (Traits, traitsOf)

-- | A written binding: its module, and its name there.
type Name = (Text, Text)

-- | As @Module.name@. An empty name stands for what several functions of the module share.
renderName :: Name -> Text
renderName (m, name)
  | T.null name = T.concat ["what several functions of ", m, " share"]
  | otherwise = T.concat [m, ".", name]

-- * One compilation

-- | What is asked of one compilation, by written bindings.
data Compiled = Compiled
  { -- | What stands at the top of the source, with its pragma.
    compiledSource :: !(Map Name Pragma),
    -- | What of it was inlined before anybody could look at its calls.
    compiledMelted :: !(Set Name),
    -- | What was left of it, and what that does.
    compiledTraits :: !(Map Name Traits),
    -- | The calls of the program's own functions that stayed.
    compiledCalls :: !(Map Name (Map Name Why)),
    -- | Those with instances among them.
    compiledInstances :: !(Map Name (Map Name ([Text], Why))),
    -- | Who calls a function, by the source.
    compiledCallers :: !(Map Name (Set Name)),
    -- | The arguments of loops that are stored unevaluated.
    compiledLazy :: !(Map Name [Text]),
    -- | Has the module an export list?
    compiledLists :: !(Map Text Bool),
    -- | Whose each function of the compiled code is.
    compiledOwners :: !(Map PartId Name),
    -- | The names of functions that there is code for known types of.
    compiledSpecial :: !(Set Text),
    -- | Those of which there are versions for known types.
    compiledVersions :: !(Set Name),
    compiledMentions :: !Mentions
  }

-- | Of all modules of a compilation at once, since calls go from one to another. A module is known
-- by its name alone, whatever its unit.
compiledOf :: [ModuleFacts] -> Compiled
compiledOf modules =
  Compiled
    { compiledSource =
        Map.fromList [((factsModule m, name), pragma) | m <- modules, (name, pragma) <- factsTop m],
      compiledMelted = Set.fromList [(factsModule m, name) | m <- modules, name <- factsMelted m],
      compiledTraits =
        Map.fromListWith
          (Map.unionWith (+))
          [ (maybe key (\m -> written m (snd key)) (Map.lookup (fst key) byName), traits)
            | (key, traits) <- Map.toList (traitsOf modules)
          ],
      compiledCalls =
        Map.fromListWith
          Map.union
          [ (self, Map.singleton callee why)
            | (self, callee, _, why) <- calls
          ],
      compiledInstances =
        Map.fromListWith
          Map.union
          [ (self, Map.singleton callee (dictionaries, why))
            | (self, callee, Just dictionaries, why) <- calls
          ],
      compiledCallers =
        Map.fromListWith
          (<>)
          [ ( (globalModule (callTo c), globalName (callTo c)),
              Set.singleton (factsModule m, callFrom c)
            )
            | m <- modules,
              c <- factsCalls m
          ],
      compiledLazy =
        Map.fromListWith
          (flip (<>))
          [ (written m (bindingName b), [T.concat [parameter, " of ", sourceName loop]])
            | m <- modules,
              b <- factsBindings m,
              LazyAccumulator loop parameter _ _ <- map spotSight (bindingSpots b)
          ],
      compiledLists = Map.fromList [(factsModule m, factsExportList m) | m <- modules],
      compiledOwners =
        Map.fromList
          [ (PartId (factsUnit m) (factsModule m) key, written m (bindingName b))
            | m <- modules,
              b <- factsBindings m,
              key <- bindingKey b : map partKey (bindingParts b)
          ],
      compiledSpecial =
        Set.fromList
          [ sourceName name
            | m <- modules,
              b <- factsBindings m,
              let name = bindingName b,
              "$s" `T.isPrefixOf` name || "$w$s" `T.isPrefixOf` name || bindingSpecialised b
          ],
      compiledVersions =
        Set.fromList
          [ written m (bindingName b)
            | m <- modules,
              b <- factsBindings m,
              bindingSpecialised b
          ],
      compiledMentions = mentionsOf modules
    }
  where
    index = indexed modules
    byName = Map.fromList [(factsModule m, m) | m <- modules]
    -- What GHC made of several bindings is no one's: its name means nothing to a reader.
    written m name = case named m (writtenOf index m (CalleeHere name)) of
      found | Set.member found generated -> (factsModule m, "")
      found -> found
    generated =
      Set.fromList
        [ (factsModule m, sourceName (bindingName b))
          | m <- modules,
            b <- factsBindings m,
            bindingOrigin b == Made,
            isNothing (bindingOwner b)
        ]
        `Set.difference` Set.fromList
          [(factsModule m, name) | m <- modules, (name, _) <- factsTop m]
    named m = \case
      CalleeGlobal g -> (globalModule g, sourceName (globalName g))
      CalleeHere name -> (factsModule m, sourceName name)
    calls =
      [ (self, callee, dictionaries, explain index called reason)
        | m <- modules,
          b <- factsBindings m,
          spot <- bindingSpots b,
          Just (called, dictionaries, reason) <- [callIn (spotSight spot)],
          inProject index called,
          let self = written m (bindingName b)
              callee = named m (writtenOf index m called),
          -- A function's own worker is the function.
          callee /= self
      ]
    callIn = \case
      Stayed c _ reason -> Just (c, Nothing, reason)
      Overloaded c dictionaries reason -> Just (c, Just (map dictionaryType dictionaries), reason)
      LiteralList c _ -> Just (c, Nothing, Recursive)
      _ -> Nothing

-- | Whose a function of the compiled code is.
compiledOwner :: Compiled -> PartId -> Maybe Name
compiledOwner c part = Map.lookup part (compiledOwners c)

-- * Between two

-- | Two compilations, and what stands in another module in the second.
data Between = Between
  { older' :: !Compiled,
    newer' :: !Compiled,
    -- | From older names to newer ones, and back.
    forth :: !(Map Name Name),
    back :: !(Map Name Name)
  }

-- | What is gone from one module and new in exactly one other has moved.
between :: Compiled -> Compiled -> Between
between old new =
  Between old new (Map.fromList moved) (Map.fromList [(b, a) | (a, b) <- moved])
  where
    moved =
      [ (was, is)
        | (name, ([was], [is])) <- Map.toList (Map.intersectionWith (,) (alike gone) (alike come)),
          name == snd was
      ]
    alike some = Map.fromListWith (<>) [(snd n, [n]) | n <- Set.toList some]
    gone = Set.difference (names old) (names new)
    come = Set.difference (names new) (names old)
    names = Set.filter (not . ("$" `T.isPrefixOf`) . snd) . Map.keysSet . compiledSource

-- | The name that an older one has now.
newer :: Between -> Name -> Name
newer b n = Map.findWithDefault n n (forth b)

-- | All that have code on either side, by their newer names.
bindings :: Between -> Set Name
bindings b =
  Set.map (newer b) (Map.keysSet (compiledTraits (older' b)))
    <> Map.keysSet (compiledTraits (newer' b))
