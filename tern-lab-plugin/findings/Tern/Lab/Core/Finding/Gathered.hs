{-# LANGUAGE OverloadedStrings #-}

-- | Which findings are one.
--
-- Its one idea: what one cure mends is said once. Several parts of one written binding have
-- the same cure; so have overloaded functions that all get their instances through one.
--
-- Start at 'together' and 'belowRoots'.
module Tern.Lab.Core.Finding.Gathered
  ( together,
    belowRoots,
  )
where

import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Callers (callersOf, rootOf)
import Tern.Lab.Core.Facts (Global (..), ModuleFacts (..), Place (..))
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..), PartId (..), listed)
import Tern.Lab.Core.Index (Index (..), sourceName)
import Tern.Lab.Core.Library (Cost (..))

-- | What several parts of one written binding have in common is said once; what
-- stands in different places, or in modules of one name, is not.
together ::
  [(Text, Finding)] -> Map (Text, Text, Text, Maybe Text, Maybe Place, FindingKind) Finding
together every =
  Map.fromListWith
    joined
    [ ( ( source,
          findingModule f,
          if ofModule f then T.empty else sourceName (findingBinding f),
          if ofLoop (findingKind f) || ofInstance f || ofModule f then Nothing else findingIn f,
          if ofInstance f || ofModule f then Nothing else findingPlace f,
          sort f
        ),
        f
      )
      | (source, f) <-
          every
    ]
  where
    -- A loop that is named by its place, whichever copy it is in.
    ofLoop = \case
      GrowingAccumulator {} -> True
      KeepsBoxed {} -> True
      _ -> False
    -- The methods of one instance have one cure.
    ofInstance f = case findingKind f of
      UnknownInstance _ _ -> "$f" `T.isPrefixOf` findingBinding f
      _ -> False
    -- What texts of one kind are put together by has one cure, so has the list of a record, and a
    -- module's parsers look for their ends alike.
    ofModule f = case findingKind f of
      CallsLibrary _ CopiesNested -> True
      CallsLibrary _ LengthensField -> True
      CallsLibrary _ TriesEnd -> True
      _ -> False
    -- The copies that GHC makes of a loop may differ in what they carry.
    sort f = case findingKind f of
      UnknownInstance _ _ | ofInstance f -> UnknownInstance [] []
      GrowingAccumulator loop _ when -> GrowingAccumulator (sourceName loop) [] when
      KeepsBoxed loop _ why -> KeepsBoxed (sourceName loop) [] why
      ArityTooLow branches arity typeArity _ -> ArityTooLow branches arity typeArity 0
      UnknownCalls calls _ -> UnknownCalls calls 0
      -- Who collects the pieces does so for all functions that add one.
      CallsLibrary _ CopiesAll -> CallsLibrary T.empty CopiesAll
      CallsLibrary _ CopiesNested -> CallsLibrary T.empty CopiesNested
      -- The strict module has all functions of the lazy one.
      CallsLibrary callee KeepsValues ->
        CallsLibrary (T.dropWhileEnd (/= '.') callee) KeepsValues
      -- So is a record's declaration.
      CallsLibrary _ KeepsRecord -> CallsLibrary T.empty KeepsRecord
      other -> other
    joined b a =
      a
        { findingKind = case (findingKind a, findingKind b) of
            (GrowingAccumulator loop these when, GrowingAccumulator _ those _) ->
              GrowingAccumulator loop (listed (these <> those)) when
            (KeepsBoxed loop these why, KeepsBoxed _ those _) ->
              KeepsBoxed loop (listed (these <> those)) why
            (ArityTooLow branches arity typeArity these, ArityTooLow _ _ _ those) ->
              ArityTooLow branches arity typeArity (max these those)
            (UnknownCalls calls these, UnknownCalls _ those) -> UnknownCalls calls (max these those)
            (UnknownInstance classes these, UnknownInstance others those) ->
              UnknownInstance (listed (classes <> others)) (listed (these <> those))
            (kind, _) -> kind,
          findingIn = if findingIn a == findingIn b then findingIn a else Nothing,
          findingTimes = findingTimes a + findingTimes b,
          findingWeight = max (findingWeight a) (findingWeight b),
          findingEntered =
            if Set.null (findingEntered a) || Set.null (findingEntered b)
              then Set.empty
              else findingEntered a <> findingEntered b,
          findingCode = findingCode a <> findingCode b,
          -- Where the calls of one are not known, those of both are not.
          findingCalls =
            if Set.null (findingCalls a) || Set.null (findingCalls b)
              then Set.empty
              else findingCalls a <> findingCalls b,
          findingCallsThere = findingCallsThere a <> findingCallsThere b,
          findingCallees =
            if Set.null (findingCallees a) || Set.null (findingCallees b)
              then Set.empty
              else findingCallees a <> findingCallees b,
          findingCallers = findingCallers a <> findingCallers b
        }

-- | Overloaded functions whose callers hand on the instances that they were given themselves are
-- one finding: only all of them together can be cured.
belowRoots :: Index -> [ModuleFacts] -> [Finding] -> [Finding]
belowRoots index modules every =
  [f | (f, Nothing) <- told, not (isRoot f || asksRoot f)] <> map gathered (Map.toList groups)
  where
    -- To mark the root for those who call it is a part of that cure.
    asksRoot f = case findingKind f of
      NotSpecialised _ _ _ written _ ->
        or
          [ written == qualified g
              || (findingModule f == globalModule g && written == globalName g)
            | (g, _) <- Map.toList groups
          ]
      _ -> False
    told = [(f, self f >>= rootOf callers) | f <- every]
    callers = callersOf index modules
    below = Map.fromListWith (<>) [(root, [(f, names)]) | (f, Just (root, names)) <- told]
    -- What is said of the root itself has the same cure.
    groups =
      Map.unionWith
        (<>)
        below
        ( Map.fromListWith
            (<>)
            [(g, [(f, Set.empty)]) | (f, Nothing) <- told, isRoot f, Just g <- [self f]]
        )
    isRoot f = maybe False (`Map.member` below) (self f)
    self f = case (findingKind f, Set.toList (findingCode f)) of
      (UnknownInstance _ _, PartId unit m _ : _) ->
        Just (Global unit m (sourceName (findingBinding f)))
      _ -> Nothing
    gathered (at, members) =
      let fs = map fst members
          names = Set.toList (Set.map qualified (Set.unions (map snd members)))
          heaviest = foldr1 (\a b -> if findingWeight a >= findingWeight b then a else b) fs
       in heaviest
            { findingKind = OverloadedBelow (qualified at) names,
              findingTimes = sum (map findingTimes fs),
              findingLoops = maximum (map findingLoops fs),
              findingCode = Set.unions (map findingCode fs),
              findingCallers = Set.unions (map findingCallers fs)
            }
    qualified g = T.concat [globalModule g, ".", globalName g]
