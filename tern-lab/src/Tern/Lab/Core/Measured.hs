{-# LANGUAGE MultiWayIf #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Real weights: what the counters of a run mean for findings.
--
-- Its one idea: a finding is worth what its cure would plausibly save of the run's bytes: of
-- those that its functions allocated, of those that libraries allocated for its calls, and of
-- those that no counter saw.
--
-- Start at 'measuredBy'; whose each counter is says "Tern.Lab.Core.Attribution".
module Tern.Lab.Core.Measured
  ( measuredBy,
  )
where

import Control.Applicative ((<|>))
import Data.List (sortOn)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe, isJust, mapMaybe)
import Data.Ord (Down (..))
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text qualified as T
import Tern.Lab.Core.Attribution (Attribution (..), attributed)
import Tern.Lab.Core.Claimed (claimedOnce)
import Tern.Lab.Core.Consequence (withoutConsequences)
import Tern.Lab.Core.Facts
  ( Binding (..),
    Dictionary (..),
    ModuleFacts (..),
    Part (..),
    Sight (..),
    Spot (..),
    comparedName,
    isCopy,
    isMade,
  )
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..), PartId (..), Spent (..))
import Tern.Lab.Core.Index (sourceName)
import Tern.Lab.Core.Library (Cost (..), waits)
import Tern.Lab.Core.Overloaded (askedInstead, oneOfEach, overloadedOf, saidTogether)
import Tern.Lab.Core.Reached (reachedBy)
import Tern.Lab.Core.Saving (Saving (..), Work (..), saving)
import Tern.Lab.Core.Ticky (Counter (..), Sort (..))

-- | The findings by what their cures would plausibly save of a run, the most
-- first. Those in code that did not run are left out. With the bytes that the whole run
-- allocated, where they are known.
measuredBy :: Maybe Double -> [ModuleFacts] -> [Counter] -> [Finding] -> [Finding]
measuredBy whole modules counters every =
  claimedOnce made . askedInstead $ case overloadedOf modules alone of
    Just one ->
      saidTogether modules (one : alone) (measuredAlone whole modules counters (one : every))
    Nothing -> oneOfEach alone
  where
    alone = measuredAlone whole modules counters every
    made =
      [ (owners, counterBytes c / allocated whole counters)
        | (owners, c) <- attributionCounters (attributed modules counters),
          counterSort c /= Calls
      ]

-- | What the run allocated in all.
allocated :: Maybe Double -> [Counter] -> Double
allocated whole counters = max 1 (maximum (sum (map counterBytes counters) : maybe [] pure whole))

-- | Each by itself.
measuredAlone :: Maybe Double -> [ModuleFacts] -> [Counter] -> [Finding] -> [Finding]
measuredAlone whole modules counters every =
  sortOn
    ( \f ->
        (Down (maybe 0 spentSaves (findingMeasured f)), Down (findingWeight f))
    )
    (withoutConsequences modules (map saved found))
  where
    attribution = attributed modules counters
    found = mapMaybe one every
    allBytes = allocated whole counters
    ofCode = sum [counterBytes c | c <- counters, counterSort c `notElem` [Call, Calls]]
    -- What nobody's calls have made is shared out among those who may have caused it.
    uncounted =
      max 0 (allBytes - ofCode - sum [bytes | (owners, _, bytes) <- calls, wantedBy owners > 0])
    calls =
      [ (owners, counterName c, counterBytes c)
        | (owners, c) <- attributionCounters attribution,
          counterSort c == Call,
          not (isEvaluating (counterName c))
      ]
    -- What writes a text makes what waits in it, whoever left that there.
    isEvaluating = T.isPrefixOf "GHC.IO.Handle."
    -- How often each call of a library was made, of those that are counted.
    times =
      Map.fromListWith
        (+)
        [ ((part, counterName c), counterEntries c)
          | (owners, c) <- attributionCounters attribution,
            counterSort c == Calls,
            part <- Set.toList owners
        ]
    counted =
      Set.fromList
        [ (PartId (factsUnit m) (factsModule m) part, callee)
          | m <- modules,
            (part, callee) <- factsCounted m
        ]
    -- Those that it is about, where every function in which one stands has one that is counted.
    countedCalls f
      | Set.null wanted, work f == OfCopy = Set.filter isMaking (ofParts (findingCode f))
      | Set.map fst wanted == Set.map fst known = known
      | otherwise = Set.empty
      where
        wanted = findingCalls f
        known = Set.intersection wanted counted
    ofParts parts = Set.filter ((`Set.member` parts) . fst) counted
    -- What an inlined copy has left.
    isMaking (_, name) =
      "GHC.Exts." `T.isPrefixOf` name || "GHC.ForeignPtr.malloc" `T.isPrefixOf` name
    -- How often what it is about was called, where that is known.
    called f
      | Set.null (countedCalls f) = Nothing
      | otherwise = Just (sum [Map.findWithDefault 0 c times | c <- Set.toList (countedCalls f)])
    -- What the comparisons are worth that its calls make, where they are counted.
    comparing f = case findingKind f of
      CallsLibrary _ ComparesAll
        | not (Set.null (countedCalls f)) ->
            Just (4 * max 0 (compared f - inSet f))
      _ -> Nothing
    compared f =
      sum
        [ Map.findWithDefault 0 (part, comparedName callee) times
          | (part, callee) <- Set.toList (countedCalls f)
        ]
    -- What a set takes in its place, in comparisons: a list of n different elements takes
    -- n * n / 2 of them, and a set some log n for each, each with the bytes of a node.
    inSet f = case called f of
      Just n
        | n > 0,
          compared f > 0 ->
            let size = max 2 (sqrt (2 * compared f / n))
             in 3 * n * size * logBase 2 size
      _ -> 0
    -- Of the entries of its functions, those that come to the call.
    reached f
      | work f == OfCopy || isJust (savingWhole (saving (findingKind f))) = 1
      | otherwise = case (called f, spent' NoCopies (findingCode f)) of
          (Just n, Just spent) | spentEntries spent > 0 -> min 1 (n / spentEntries spent)
          _ -> 1
    -- What a copy allocates is counted where it is made, so that others' calls have none of it.
    unseen =
      max 0 (allBytes - ofCode - sum [counterBytes c | c <- counters, counterSort c == Call])
    left f = if work f `elem` [OfCopy, OfPresent] then unseen else uncounted
    work = savingWork . saving . findingKind
    -- What a call of a method does besides is done by what it calls, too. What an inlined call
    -- keeps is made by the function itself.
    atMost f spent = case findingKind f of
      CallsLibrary _ cost | waits cost, all (isMade . snd) (findingCalls f) -> spentBytes spent
      UnknownInstance _ _ -> 0.3 * allBytes
      OverloadedBelow _ _ -> 0.3 * allBytes
      OverloadedTogether _ _ -> 0.3 * allBytes
      _ -> allBytes
    -- Several findings may be about the calls of one function.
    wantedBy owners = sum [Map.findWithDefault 0 part wanting | part <- Set.toList owners]
    wanting =
      Map.fromListWith
        (+)
        [ (part, savingCalls (saving (findingKind f)))
          | f <- found,
            part <- Set.toList (findingCode f)
        ]
    callsOf f
      | own <= 0 = 0
      | otherwise =
          sum
            [ bytes * own * min 1 (own / wantedBy owners)
              | (owners, name, bytes) <- calls,
                not (Set.disjoint owners (findingCode f)),
                not (isTogether f && makesNodes name),
                -- Its own call does the work, and no other.
                not (work f == OfCopy || work f == OfCall)
                  || Set.null (countedCalls f)
                  || or [Set.member (part, name) (countedCalls f) | part <- Set.toList owners]
            ]
      where
        own = savingCalls (saving (findingKind f))
        isTogether g = case findingKind g of
          OverloadedTogether _ _ -> True
          _ -> False
    -- A container has its nodes, whether or not the order of its keys is known.
    makesNodes name =
      any
        (`T.isPrefixOf` name)
        ( T.words
            "Data.Map. Data.Set. Data.IntMap. Data.Sequence. Data.HashMap. Data.OldList."
        )
    claims = max 1 (sum (map claim found))
    -- What reads makes all that it makes in its own call: where that is counted, none is guessed.
    claim f = case findingKind f of
      CallsLibrary _ ParsesByRead | callsOf f > 0 -> 0
      _ -> guess f
    guess f =
      maybe
        0
        ( \spent ->
            savingLibrary (saving (findingKind f))
              * madeCalls f spent
              / fromIntegral (spentAmong spent)
        )
        (findingMeasured f)
    -- What is made each time was made, or it was not done.
    madeCalls f spent
      | given > 0 = min (spentEntries spent) (spentBytes spent / given)
      | otherwise = spentEntries spent
      where
        given = savingGiven (saving (findingKind f))
    saved f = case findingMeasured f of
      Nothing -> f
      Just spent ->
        let parts = saving (findingKind f)
            needed = savingNeeded parts * spentEntries spent
            -- Of a copy it is the copied array that is needed, in another form.
            (own, copied) = if work f == OfCopy then (0, needed) else (needed, 0)
            waste = max 0 (reached f * spentBytes spent - own) / sharing f
            ofLibrary =
              max 0 (reached f * callsOf f + claim f * min 1 (0.8 * left f / claims) - copied)
            among = fromIntegral (spentAmong spent)
            ownBytes = min (savingOwn parts * waste) (savingMost parts * madeCalls f spent) / among
            working = min (atMost f spent) (savingEntry parts * madeCalls f spent) / among
            most = min (madeBelow f) (maybe allBytes (* asked f spent) (savingWhole parts))
            bytes = fromMaybe (min most (ownBytes + working + ofLibrary)) (comparing f)
            made
              | isJust (comparing f) = 0
              | isCounting && waitsThere f = bytes
              | otherwise = min bytes (ownBytes + reached f * callsOf f)
            part x = min 1 (x / allBytes)
         in f {findingMeasured = Just spent {spentSaves = part bytes, spentMade = part made}}
    -- What waits is made by the function itself, or by a library for it. Other work is done where
    -- nothing is made, or somewhere else.
    waitsThere f = case findingKind f of
      CallsLibrary _ cost -> waits cost
      GrowingAccumulator {} -> True
      StoresLazily _ -> True
      WaitsForResult _ -> True
      CarriesConstructor {} -> True
      _ -> False
    -- Copies in one piece of code that several findings are about are made by all of them.
    sharing f
      | copies (findingKind f) == OnlyCopies = Map.findWithDefault 1 (findingCode f) sharers
      | otherwise = 1
    sharers =
      Map.fromListWith
        (+)
        [(findingCode f, 1) | f <- found, copies (findingKind f) == OnlyCopies]
    -- A version of a function for known instances saves no more than is made in it, and in what
    -- it calls.
    madeBelow f = case findingKind f of
      NotSpecialised _ given _ _ _
        | isCounting,
          not (Set.null (findingCallees f)) ->
            unseen + bytesOf (reachedBy modules given (findingCallees f))
      UnknownInstance classes _
        | isCounting -> unseen + bytesOf (reachedBy modules classes (findingCode f))
      _ -> allBytes
    bytesOf parts =
      sum
        [ counterBytes c
          | (owners, c) <- attributionCounters attribution,
            counterSort c /= Calls,
            not (Set.disjoint owners parts)
        ]
    -- How often it is done that is worth so much.
    asked f spent = case findingKind f of
      OverloadedTogether _ _
        | isCounting ->
            maybe 0 spentEntries (spent' NoCopies (Set.intersection asking (findingCode f)))
      _ -> spentEntries spent
    -- What calls a method of an instance that it was given, or hands the instance on.
    asking =
      Set.fromList
        [ PartId (factsUnit m) (factsModule m) (spotPart s)
          | m <- modules,
            b <- factsBindings m,
            s <- bindingSpots b,
            isAsking (spotSight s)
        ]
    isAsking = \case
      Method cls _ -> not (isRendering cls)
      Overloaded _ given _ -> not (all isSettled given)
      _ -> False
    isSettled d = dictionaryKnown d || isRendering (T.takeWhile (/= ' ') (dictionaryType d))
    -- What is made of a value is made in any case.
    isRendering = (`Set.member` rendering)
    rendering = Set.fromList (concatMap factsRendering modules)
    profiled = all ((== CostCentre) . counterSort) counters
    spent' = spentIn modules attribution
    -- What @++@ allocates is the affair of those who append.
    copies = \case
      AppendsLeft -> OnlyCopies
      AppendsNothing -> OnlyCopies
      AppendsRecursively _ -> OnlyCopies
      CallsLibrary _ CopiesList -> OnlyCopies
      CallsLibrary _ CopiesNested -> OnlyCopies
      CallsLibrary _ LengthensField -> OnlyCopies
      CallsLibrary _ ChangesList -> AllBytes
      _ -> NoCopies
    one f
      | T.null (findingBinding f), Set.null (findingCode f) = Just f
      | called f == Just 0 || ownEntered f == Just 0 = Nothing
      | otherwise = case spent' (copies (findingKind f)) (findingCode f) of
          Just spent | spentEntries spent > 0 -> Just (with (within f spent) f)
          -- Not every function has a cost centre.
          Nothing | profiled -> Just f
          _ -> case spent' (copies (findingKind f)) (findingCallers f) of
            Just spent
              | spentEntries spent > 0 ->
                  Just (with (within f spent) f {findingCode = findingCallers f})
            _
              | Set.null (findingCallsThere f) -> Nothing
              | otherwise -> one (there f)
    -- In the functions of other modules that it was inlined into.
    there f =
      f
        { findingCode = Set.map fst (findingCallsThere f),
          findingEntered = Set.empty,
          findingCalls = findingCallsThere f,
          findingCallsThere = Set.empty
        }
    -- As often as the call was made, or not more often than the functions were entered that it
    -- stands in.
    within f spent = case (called f <|> ownCalled, spent' NoCopies (findingEntered f)) of
      _ | spentAmong spent /= 1 -> spent
      (Just n, _) -> spent {spentEntries = n}
      (Nothing, Just around) ->
        spent {spentEntries = min (spentEntries spent) (spentEntries around)}
      (Nothing, Nothing) -> spent
      where
        ownCalled = min (spentEntries spent) <$> ownEntered f
    -- How often the program's own functions were entered that it is about calls of. Those that
    -- never were have no counter.
    ownEntered f
      | profiled || not isCounting || Set.null (findingCallees f) = Nothing
      | otherwise = Just (maybe 0 spentEntries (spent' NoCopies (findingCallees f)))
    isCounting = any (isJust . counterMark) counters
    with spent f =
      f {findingMeasured = Just spent {spentShare = spentBytes spent / allBytes}}

-- | Which bytes are meant.
data Copies = OnlyCopies | NoCopies | AllBytes
  deriving stock (Eq, Show)

-- | What was spent in some functions; nothing, if none of them has a counter.
-- Where a counter may be another's, it is said of how many one or all spent it.
-- Versions of one written function are one.
-- The copies that @++@ makes are counted alone or not at all.
spentIn :: [ModuleFacts] -> Attribution -> Copies -> Set PartId -> Maybe Spent
spentIn modules attribution = \copies parts ->
  let written = Set.map source parts
      touching = concatMap (\part -> Map.findWithDefault [] part byPart) (Set.toList parts)
      own = Map.fromList touching
      (certain, unclear) =
        Map.partition (\(owners, _) -> Set.map source owners `Set.isSubsetOf` written) own
      summed among rows =
        Spent
          (sum (map (entriesOf . snd) rows))
          ( sum
              [ counterBytes c
                | (_, c) <-
                    rows,
                  counterSort c `notElem` [Call, Calls],
                  not counting || copies == AllBytes || copied c == (copies == OnlyCopies)
              ]
          )
          0
          0
          0
          among
   in if
        | not (Map.null certain) -> Just (summed 1 (Map.elems certain))
        | not (Map.null unclear) ->
            Just
              ( summed
                  ( Set.size
                      ( Set.unions
                          (map (Set.map source . fst) (Map.elems unclear))
                      )
                  )
                  (Map.elems unclear)
              )
        | otherwise -> Nothing
  where
    byPart =
      Map.fromListWith
        (<>)
        [ (part, [(i, (owners, c))])
          | (i, (owners, c)) <-
              zip [0 :: Int ..] (attributionCounters attribution),
            part <- Set.toList owners
        ]
    -- The thunks in a function, and the functions without a name, are no
    -- entries of it.
    entriesOf c =
      if counterSort c `notElem` [Data, Calls]
        && counterName c /= "sat"
        && not (isCopy (counterName c))
        then counterEntries c
        else 0
    -- Only a counting build has copies of its own.
    counting = any (isJust . counterMark . snd) (attributionCounters attribution)
    copied c = Set.member (counterModule c, counterUnique c) copyRows
    -- Those of @++@ and what stands in it.
    copyRows =
      spread
        ( Set.fromList
            [ (counterModule c, counterUnique c)
              | (_, c) <-
                  attributionCounters attribution,
                isCopy (counterName c)
            ]
        )
    spread known
      | Set.size more == Set.size known = known
      | otherwise = spread more
      where
        more =
          known
            <> Set.fromList
              [ (counterModule c, counterUnique c)
                | (_, c) <-
                    attributionCounters attribution,
                  Just around <- [counterIn c],
                  Set.member (counterModule c, around) known
              ]
    -- What has no place in the source is only itself.
    source part = Map.findWithDefault (Left part) part sources
    sources = Map.fromList (concatMap ofModule modules)
    ofModule m =
      [ (PartId (factsUnit m) (factsModule m) key, Right (at, sourceName name))
        | b <- factsBindings m,
          (key, place, name) <-
            (bindingKey b, bindingPlace b, bindingName b)
              : [(partKey p, partPlace p, partName p) | p <- bindingParts b],
          Just at <- [place]
      ]
