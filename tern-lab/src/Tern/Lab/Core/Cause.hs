{-# LANGUAGE OverloadedStrings #-}

-- | Why a binding is compiled otherwise than before, as far as two sets of facts tell.
--
-- Its one idea: a call that stayed in one of two compilations and did not in the other was
-- inlined or specialised there, if the source has it in both. Why, is asked in an order: the
-- export list of the callee's module, its pragma, the module that it stands in, and then what
-- GHC itself says of the call that stayed. What no call explains, the heap objects do.
--
-- Start at 'between' and 'causesOf'. How much each is worth is in "Tern.Lab.Core.Contribution".
module Tern.Lab.Core.Cause
  ( Name,
    renderName,

    -- * One compilation
    Compiled,
    compiledOf,
    compiledOwner,

    -- * Between two
    Between,
    between,
    newer,
    bindings,
    Cause (..),
    Ground (..),
    calleeIn,
    groundIn,
    causesOf,
    sureness,
    renderCause,
    sourceChange,
    renderSourceChange,
  )
where

import Data.List (sortOn)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (isNothing)
import Data.Ord (Down (..))
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Numeric (showFFloat)
import Tern.Lab.Core.Advice (kindName)
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
import Tern.Lab.Core.Finding (FindingKind (..), PartId (..))
import Tern.Lab.Core.Index
  ( Why (..),
    explain,
    inProject,
    indexed,
    sourceName,
    writtenOf,
  )
import Tern.Lab.Core.Library (Cost)
import Tern.Lab.Core.Mention (Mentions, costly, mentioned, mentionsOf)
import Tern.Lab.Core.Traits
  ( Difference (..),
    Trait (..),
    Traits,
    difference,
    renderTrait,
    telling,
    traitsOf,
  )

-- | A written binding: its module, and its name there.
type Name = (Text, Text)

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
              LazyAccumulator loop parameter _ <- map spotSight (bindingSpots b)
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

-- | Of one binding. Each says whether it is so now, or no longer.
data Cause
  = -- | Callers keep a copy of this function instead of a call.
    Inlined !Bool !Name !Ground
  | -- | It is compiled for these instances.
    Specialised !Bool !Name ![Text] !Ground
  | -- | It is compiled otherwise, and its module has an export list now or none any more.
    Listed !Bool
  | -- | The arguments of its loops that are stored unevaluated, as far as they have names.
    Lazy !Bool ![Text]
  | -- | The most telling of what else it does.
    Does !Bool !Trait
  | -- | It is in the source.
    Exists !Bool
  | -- | Its source calls a function of a library that costs more than it looks like.
    Costs !Bool !Text !Cost
  | -- | There are versions of it for known types.
    Versions
  | -- | Its code is the same, and is entered this many times as often.
    Entered !Double
  | SameCode
  deriving stock (Eq, Show)

-- | Why a call stays now that did not, or the other way round.
data Ground
  = -- | The module of the callee has an export list now, or none any more.
    List !Text !Bool
  | -- | The pragma that it had, and that it has.
    PragmaWas !Pragma !Pragma
  | -- | The modules that it was in and is in.
    Moved !Text !Text
  | -- | What GHC says of the call.
    Says !Why
  deriving stock (Eq, Show)

-- | The function that a cause is about, where it is another's call.
calleeIn :: Cause -> Maybe Name
calleeIn = fmap fst . groundIn

-- | With why its call is another now.
groundIn :: Cause -> Maybe (Name, Ground)
groundIn = \case
  Inlined _ callee ground -> Just (callee, ground)
  Specialised _ callee _ ground -> Just (callee, ground)
  Listed _ -> Nothing
  Lazy _ _ -> Nothing
  Does _ _ -> Nothing
  Exists _ -> Nothing
  Costs {} -> Nothing
  Versions -> Nothing
  Entered _ -> Nothing
  SameCode -> Nothing

-- | How much a cause says of where it comes from.
sureness :: Cause -> Int
sureness cause = case groundIn cause of
  Just (_, List _ _) -> 3
  Just (_, PragmaWas _ _) -> 3
  Just (_, Moved _ _) -> 2
  Just (_, Says _) -> 1
  Nothing -> case cause of
    Costs {} -> 3
    Versions -> 2
    Inlined {} -> 0
    Specialised {} -> 0
    Listed _ -> 0
    Lazy _ _ -> 0
    Does _ _ -> 0
    Exists _ -> 0
    Entered _ -> 0
    SameCode -> 0

-- | The causes of a binding's change, by its newer name: the surest first. None where
-- nothing in its code differs. The most telling of what it does depends on whether the change
-- is for the better.
causesOf :: Between -> Bool -> Name -> [Cause]
causesOf Between {..} better name =
  sortOn (Down . sureness) (costs <> calls <> versions) <> exists <> listed <> strictness <> rest
  where
    costs =
      [Costs False callee cost | (callee, cost) <- Map.toList (Map.difference costlyOld costlyNew)]
        <> [ Costs True callee cost
             | (callee, cost) <- Map.toList (Map.difference costlyNew costlyOld)
           ]
    costlyOld = costly (compiledMentions old) was
    costlyNew = costly (compiledMentions new) name
    versions =
      [ Versions
        | Set.member name (compiledVersions new),
          Set.notMember was (compiledVersions old),
          Map.member name (compiledSource new),
          Map.member was (compiledSource old)
      ]
    old = older'
    new = newer'
    was = wasCalled name
    wasCalled n = Map.findWithDefault n n back
    now n = Map.findWithDefault n n forth
    compiledTwice = Map.member was (compiledTraits old) && Map.member name (compiledTraits new)
    stayedOld = Map.mapKeys now (Map.findWithDefault Map.empty was (compiledCalls old))
    stayedNew = Map.findWithDefault Map.empty name (compiledCalls new)
    instancesOld = Map.mapKeys now (Map.findWithDefault Map.empty was (compiledInstances old))
    instancesNew = Map.findWithDefault Map.empty name (compiledInstances new)
    -- What has become of its calls that the source of both has.
    calls = if compiledTwice then filter (maybe False inBoth . calleeIn) differing else []
    differing =
      [ Specialised False callee dictionaries (ground callee why)
        | (callee, (dictionaries, why)) <- Map.toList (Map.difference instancesNew instancesOld)
      ]
        <> [ Specialised True callee dictionaries (ground callee why)
             | (callee, (dictionaries, why)) <-
                 Map.toList (Map.difference instancesOld instancesNew),
               Set.member (snd callee) (compiledSpecial new)
           ]
        <> [ Inlined False callee (ground callee why)
             | (callee, why) <- Map.toList (Map.difference stayedNew stayedOld),
               Map.notMember callee instancesNew
           ]
        <> [ Inlined True callee (ground callee why)
             | (callee, why) <- Map.toList (Map.difference stayedOld stayedNew),
               Map.notMember callee instancesOld
           ]
    -- Somebody calls it by the source of both, so that the call itself is no news. What
    -- melted had one caller.
    inBoth callee =
      Set.member (wasCalled callee) (compiledMelted old)
        || Set.member callee (compiledMelted new)
        || not
          ( Set.null
              ( Set.intersection
                  (Set.map now (callersOf old (wasCalled callee)))
                  (callersOf new callee)
              )
          )
    callersOf c n = Map.findWithDefault Set.empty n (compiledCallers c)
    ground callee why
      | Just there <- listChanged callee = List (fst callee) there
      | Just before <- Map.lookup (wasCalled callee) (compiledSource old),
        Just after <- Map.lookup callee (compiledSource new),
        before /= after =
          PragmaWas before after
      | wasCalled callee /= callee = Moved (fst (wasCalled callee)) (fst callee)
      | otherwise = Says why
    -- Whether its module has an export list now, where that is news.
    listChanged n
      | wasCalled n == n,
        Just before <- Map.lookup (fst n) (compiledLists old),
        Just after <- Map.lookup (fst n) (compiledLists new),
        before /= after =
          Just after
      | otherwise = Nothing
    exists =
      [ Exists here
        | let here = Map.member name (compiledSource new),
          here /= Map.member was (compiledSource old)
      ]
    listed = [Listed there | Just there <- [listChanged name]]
    Difference gone come =
      difference
        (Map.findWithDefault Map.empty was (compiledTraits old))
        (Map.findWithDefault Map.empty name (compiledTraits new))
    strictness =
      [Lazy True (lazily name new) | Map.member Accumulates come]
        <> [Lazy False (lazily was old) | Map.member Accumulates gone]
    lazily n = Map.findWithDefault [] n . compiledLazy
    rest =
      map snd . sortOn (Down . fst) $
        [((if better then 2 else 1) * telling t, Does False t) | t <- Map.keys gone]
          <> [((if better then 1 else 2) * telling t, Does True t) | t <- Map.keys come]

-- | As the end of a line that begins with the binding.
renderCause :: Name -> Cause -> Text
renderCause name = \case
  Inlined now callee g ->
    T.concat
      [ if callee == name then "" else renderName callee <> " ",
        if now then "is inlined now" else "is no longer inlined",
        renderGround now g
      ]
  Specialised now callee dictionaries g ->
    T.concat
      [ if callee == name then "" else renderName callee <> " ",
        if now then "is specialised now to " else "is no longer specialised to ",
        T.intercalate ", " dictionaries,
        renderGround now g
      ]
  Listed now
    | now ->
        "is compiled otherwise: its module has an export list now, so that GHC knows all its calls"
    | otherwise ->
        "is compiled otherwise: the export list of its module is gone, so that GHC does not \
        \know all its calls"
  Lazy now arguments ->
    T.concat
      [ if now
          then "now stores an argument of a loop unevaluated"
          else "no longer stores an argument of a loop unevaluated",
        if null arguments then "" else T.concat [" (", T.intercalate ", " arguments, ")"],
        ": its strictness has changed"
      ]
  Does now trait -> T.concat [if now then "now " else "no longer ", renderTrait trait]
  Exists now -> if now then "is new" else "is gone from the source"
  Costs now callee cost ->
    T.concat
      [ if now then "now calls " else "no longer calls ",
        callee,
        " (",
        kindName (CallsLibrary callee cost),
        ")"
      ]
  Versions -> "is compiled for known types now, beside itself"
  Entered times ->
    T.concat
      [ "runs the same code, which is entered ",
        T.pack (showFFloat (Just 2) times ""),
        " times as often"
      ]
  SameCode -> "runs the same code: what it is given, or a library, has changed"

-- | What the source of a binding no longer calls, and what it calls now, by its newer name.
sourceChange :: Between -> Name -> (Set Text, Set Text)
sourceChange b name
  | Map.member name (compiledSource (newer' b)),
    Map.member was (compiledSource (older' b)) =
      (Set.difference before after, Set.difference after before)
  | otherwise = (Set.empty, Set.empty)
  where
    was = Map.findWithDefault name name (back b)
    before = mentioned (compiledMentions (older' b)) was
    after = mentioned (compiledMentions (newer' b)) name

-- | As the end of a line; nothing where it calls the same.
renderSourceChange :: (Set Text, Set Text) -> Text
renderSourceChange (gone, come) = case (some gone, some come) of
  ("", "") -> ""
  ("", now) -> "; its source now calls " <> now
  (before, "") -> "; its source no longer calls " <> before
  (before, now) -> T.concat ["; its source no longer calls ", before, " and now calls ", now]
  where
    some names = case Set.toList names of
      list
        | length list > 3 ->
            T.concat [T.intercalate ", " (take 2 list), " and ", number (length list - 2), " more"]
        | otherwise -> T.intercalate ", " list
    number = T.pack . show

renderGround :: Bool -> Ground -> Text
renderGround now = \case
  List m there
    | there -> T.concat [": ", m, " has an export list now"]
    | otherwise -> T.concat [": the export list of ", m, " is gone"]
  PragmaWas before after
    | NoPragma <- after -> T.concat [": its ", pragmaName before, " is gone"]
    | NoPragma <- before -> T.concat [": it has ", pragmaName after, " now"]
    | otherwise -> T.concat [": it had ", pragmaName before, " and has ", pragmaName after, " now"]
  Moved from to -> T.concat [": it moved from ", from, " to ", to]
  Says why -> T.concat [if now then ", which was " else ": it is ", because why]
  where
    because = \case
      BecausePragma pragma -> T.concat ["kept apart by ", pragmaName pragma]
      BecauseRecursive -> "recursive"
      BecauseBig size threshold ->
        T.concat
          [ "too big (",
            T.pack (show size),
            ", and ",
            T.pack (show threshold),
            " is the most)"
          ]
      BecauseHuge -> "too big"
      BecauseUnoptimised m -> T.concat ["in ", m, ", which was compiled without optimisation"]
      BecauseNoUnfolding -> "in another package, whose interface has no unfolding"
      BecauseUnsaturated _ -> "given fewer arguments than it takes"
      BecauseNoGain -> "of no gain to GHC there"

pragmaName :: Pragma -> Text
pragmaName = \case
  NoPragma -> "no pragma"
  Inline -> "INLINE"
  Inlinable -> "INLINABLE"
  NoInline phase -> if T.null phase then "NOINLINE" else "NOINLINE " <> phase
