{-# LANGUAGE OverloadedStrings #-}

-- | Overloaded functions as one finding.
--
-- Its one idea: whoever may be looked into everywhere has a version for each instance that
-- callers know. So one cure, two flags in some modules, mends all overloaded functions, and they
-- are worth together what each of them cannot be worth alone: those, too, that only hand their
-- instances on to a library, and the methods of instances that get others.
--
-- Start at 'overloadedOf'.
module Tern.Lab.Core.Overloaded
  ( overloadedOf,
    saidTogether,
    oneOfEach,
    askedInstead,
  )
where

import Data.List (nub, sortOn)
import Data.Map.Strict qualified as Map
import Data.Ord (Down (..))
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Callers (callersOf, isReached)
import Tern.Lab.Core.Facts
  ( Binding (..),
    Dictionary (..),
    Global (..),
    ModuleFacts (..),
    Origin (..),
    Part (..),
    Sight (..),
    Spot (..),
  )
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..), PartId (..), Spent (..), worthShowing)
import Tern.Lab.Core.Index (Remedy (..), global, indexed, ownerName, sourceName)
import Tern.Lab.Core.Library (waits)
import Tern.Lab.Core.Source (lastName)

-- | Of findings with what each spent: all overloaded functions that a run spent something in,
-- where there are several. What it spent is to be measured.
overloadedOf :: [ModuleFacts] -> [Finding] -> Maybe Finding
overloadedOf modules every = case (members, functions) of
  (first : _, _ : _ : _) ->
    Just
      first
        { findingKind =
            OverloadedTogether
              (map qualified functions)
              (nub (map globalModule functions <> map findingModule instances)),
          findingIn = Nothing,
          findingTimes = 1,
          findingWeight = maximum (map findingWeight members),
          findingCode =
            Set.fromList (concatMap partsOf functions) <> Set.unions (map findingCode instances),
          findingCallers = Set.empty,
          findingEntered = Set.empty,
          findingCalls = Set.empty,
          findingCallsThere = Set.empty,
          findingCallees = Set.empty,
          findingMeasured = Nothing
        }
  _ -> Nothing
  where
    callers = callersOf (indexed modules) modules
    members =
      sortOn
        (Down . maybe 0 spentBytes . findingMeasured)
        [f | f <- every, ranLong f, any isCurable (functionsOf f)]
    functions = nub (concatMap (filter isCurable . functionsOf) members)
    -- The same flags, in the modules that declare them, give them versions for known instances.
    instances = [f | f <- every, ranLong f, isInstance f]
    -- Where an instance calls it, the instance has versions once it may be looked into.
    isCurable g = isReached callers g || Set.member g byInstances
    byInstances =
      Set.fromList
        [ g {globalName = sourceName (globalName g)}
          | m <- modules,
            b <- factsBindings m,
            isOfInstance b,
            Overloaded callee _ _ <- map spotSight (bindingSpots b),
            g <- [global m callee]
        ]
    isOfInstance b = case bindingOrigin b of
      Instance _ -> True
      Written -> False
      Made -> maybe False (("$f" `T.isPrefixOf`) . ownerName) (bindingOwner b)
    ranLong f = case findingMeasured f of
      Just spent -> spentShare spent >= least || spentSaves spent >= least
      Nothing -> False
    -- Of the bytes of the run.
    least = 0.001
    qualified g = T.concat [globalModule g, ".", globalName g]
    -- All that is made where its instances are not known: a version for known ones is none of it.
    partsOf g =
      [ PartId (globalUnit g) (globalModule g) key
        | b <- Map.findWithDefault [] (globalUnit g, globalModule g) bindings,
          not ("$s" `T.isPrefixOf` bindingName b),
          sourceName (maybe (bindingName b) ownerName (bindingOwner b)) == globalName g,
          key <- bindingKey b : map partKey (bindingParts b)
      ]
    bindings =
      Map.fromListWith (<>) [((factsUnit m, factsModule m), factsBindings m) | m <- modules]

-- | Is it about the methods of an instance that has unknown instances itself?
isInstance :: Finding -> Bool
isInstance f = case findingKind f of
  UnknownInstance _ _ -> "$f" `T.isPrefixOf` findingBinding f
  _ -> False

-- | The functions that a finding asks a pragma for. The methods of an instance are cured where
-- the instance is declared.
functionsOf :: Finding -> [Global]
functionsOf f = case (findingKind f, Set.toList (findingCode f)) of
  (OverloadedBelow root names, PartId unit _ _ : _) ->
    [Global unit (before name) (lastName name) | name <- root : names, isFunction (lastName name)]
  (UnknownInstance _ _, PartId unit m _ : _) -> own unit m
  (PassesInstances _ _, PartId unit m _ : _) -> own unit m
  (NotSpecialised _ _ _ written how, PartId unit _ _ : _) -> case how of
    MarkInlinable m -> [Global unit m (lastName written) | isFunction (lastName written)]
    AskSpecialise ->
      [Global unit (before written) (lastName written) | isFunction (lastName written)]
    RemovePragma _ -> []
    Upstream -> []
  _ -> []
  where
    own unit m =
      [ Global unit m (sourceName (findingBinding f))
        | isFunction (findingBinding f),
          isFunction (sourceName (findingBinding f))
      ]
    isFunction name = not (T.null name) && not ("$" `T.isPrefixOf` name && T.length name > 2)
    before name = T.dropWhileEnd (== '.') (T.dropEnd (T.length (lastName name)) name)

-- | A function and the calls of it may ask for the same pragma: the first of them says so, and the
-- others are details, after all that is said.
oneOfEach :: [Finding] -> [Finding]
oneOfEach = go Set.empty
  where
    go _ [] = []
    go asked (f : rest) = case functionsOf f of
      [g]
        | Set.member g asked -> go asked rest <> [without f]
        | otherwise -> f : go (Set.insert g asked) rest
      _ -> f : go asked rest

-- | What the methods of an instance make in their loops, where callers ask for a version of these
-- methods: once the instances are known, it is other code.
askedInstead :: [Finding] -> [Finding]
askedInstead every = map detail every
  where
    detail f = case (findingKind f, findingIn f) of
      (LoopAllocates _, Just method)
        | "$f" `T.isPrefixOf` findingBinding f,
          any (isOf (findingModule f) method) asked ->
            without f
      _ -> f
    -- GHC may name a method by another instance that is made of it.
    isOf m method callee =
      T.concat [m, ".$f"] `T.isPrefixOf` callee && T.concat ["_", method] `T.isSuffixOf` callee
    asked = [callee | f <- every, worthShowing f, NotSpecialised callee _ _ _ _ <- [findingKind f]]

-- | Does it call a method of an instance that it was given, or hand one on?
asksInstance :: Sight -> Bool
asksInstance = \case
  Method _ _ -> True
  Overloaded _ given _ -> not (all dictionaryKnown given)
  _ -> False

-- | A detail.
without :: Finding -> Finding
without f = f {findingMeasured = (\spent -> spent {spentSaves = 0}) <$> findingMeasured f}

-- | Where all together are shown, each alone is a detail.
saidTogether :: [ModuleFacts] -> [Finding] -> [Finding] -> [Finding]
saidTogether modules alone measured
  | any worthShowing [f | f <- measured, isTogether f] = map detail measured
  -- Where all together save too little, one of them saves no more.
  | otherwise =
      oneOfEach
        [if any isSaid (functionsOf f) then without f else f | f <- alone, not (isTogether f)]
  where
    said :: [Text]
    said = concat [names | OverloadedTogether names _ <- map findingKind measured]
    detail f
      | not (isTogether f), any isSaid (functionsOf f) || follows f || isInstance f = without f
      | otherwise = f
    isSaid g = T.concat [globalModule g, ".", globalName g] `elem` said
    -- The methods of an instance are variables in its worker, and its loops have no version for
    -- constructors: what is left of these once the instances are known, the next run says.
    follows f = case findingKind f of
      UnknownCalls _ _ -> isSaid (inside f)
      CarriesConstructor {} -> isSaid (inside f)
      -- What is made by the methods of an instance that nobody knows waits.
      CallsLibrary _ cost -> waits cost && asks f
      WaitsForResult _ -> asks f
      -- What the methods of an unknown instance are given waits for them.
      LoopAllocates _ -> isSaid (inside f) || (findingModule f, findingBinding f) `elem` mended
      _ -> False
    mended = [(findingModule f, findingBinding f) | f <- alone, isInstance f]
    asks f = Set.member (findingModule f, sourceName (findingBinding f)) asking
    asking =
      Set.fromList
        [ (factsModule m, sourceName (maybe (bindingName b) ownerName (bindingOwner b)))
          | m <- modules,
            b <- factsBindings m,
            any (asksInstance . spotSight) (bindingSpots b)
        ]
    inside f = Global T.empty (findingModule f) (sourceName (findingBinding f))
    isTogether f = case findingKind f of
      OverloadedTogether _ _ -> True
      _ -> False
