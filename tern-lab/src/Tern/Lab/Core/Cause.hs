-- | Why a binding is compiled otherwise than before, as far as two sets of facts tell.
--
-- Its one idea: a call that stayed in one of two compilations and did not in the other was
-- inlined or specialised there, if the source has it in both. Why, is asked in an order: the
-- export list of the callee's module, its pragma, the module that it stands in, and then what
-- GHC itself says of the call that stayed. What no call explains, the heap objects do.
--
-- Start at 'causesOf'; the words are in "Tern.Lab.Core.Cause.Words". How much each is worth is
-- in "Tern.Lab.Core.Contribution".
module Tern.Lab.Core.Cause
  ( Cause (..),
    Ground (..),
    calleeIn,
    groundIn,
    causesOf,
    sureness,
    sourceChange,
  )
where

import Data.List (sortOn)
import Data.Map.Strict qualified as Map
import Data.Ord (Down (..))
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Tern.Lab.Core.Compiled (Between (..), Compiled (..), Name)
import Tern.Lab.Core.Facts (Pragma (..))
import Tern.Lab.Core.Index (Why (..))
import Tern.Lab.Core.Library (Cost)
import Tern.Lab.Core.Mention (costly, mentioned)
import Tern.Lab.Core.Traits (Difference (..), Trait (..), difference, telling)

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
