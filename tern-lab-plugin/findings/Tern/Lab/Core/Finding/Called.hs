{-# LANGUAGE MultiWayIf #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What the calls of libraries cost that the source has.
--
-- Its one idea: a call is seen before the optimiser and judged after it. Where nothing waits in
-- the code that it has become, it costs nothing; and the code that it has become is whose
-- counters are its.
--
-- Start at 'ofUse'.
module Tern.Lab.Core.Finding.Called (ofUse) where

import Data.Map.Strict qualified as Map
import Data.Maybe (isNothing)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
  ( Argument (..),
    Binding (..),
    Callee (..),
    Global (..),
    HeapObject (..),
    ModuleFacts (..),
    Origin (..),
    Owner (..),
    Part (..),
    Sight (..),
    SourceCall (..),
    Spot (..),
    Use (..),
    handedName,
    madeName,
  )
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..), PartId (..), about, listed)
import Tern.Lab.Core.Finding.Home (Home (..), homeOf)
import Tern.Lab.Core.Finding.Weight (loopFactor)
import Tern.Lab.Core.Index
  ( Index (..),
    calleeName,
    calleeOf,
    global,
    inModule,
    ownerName,
    sourceName,
  )
import Tern.Lab.Core.Library (Called (..), Cost (..), costOf, waits, weightOf)
import Tern.Lab.Core.Library.Inlined (isParser, standsFor)
import Tern.Lab.Core.Source (lastName)

-- | A method of a class of states, at a lazy state: the function that its module has of that name.
nearer :: Use -> Global
nearer u = case [m | t : _ <- useTypes u, m <- ["State", "RWS"], isLazy m t] of
  m : _
    | "Control.Monad." `T.isPrefixOf` globalModule callee,
      ".Class" `T.isSuffixOf` globalModule callee ->
        callee {globalModule = T.concat ["Control.Monad.", m, ".Lazy"]}
  _ -> callee
  where
    callee = useCallee u
    isLazy m t = T.concat ["Control.Monad.Trans.", m, ".Lazy."] `T.isPrefixOf` t

-- | The types of what waits where such a call was: a state does as a whole, of a container a value
-- does, of a tuple each field. Nothing where one has no name, or is a record: nobody can tell.
keptTypes :: Use -> Cost -> Maybe [Text]
keptTypes u cost
  | any null (useTypes u) = Nothing
  | cost == KeepsState = Just heads
  | cost == KeepsValues = Just (take 1 (reverse heads))
  | waits cost, any isTuple heads = Just (concat (useTypes u))
  | otherwise = Nothing
  where
    heads = concatMap (take 1) (useTypes u)
    isTuple name = any (`T.isInfixOf` name) [".(,", "Tuple.Tuple"]

-- | What a call costs that the source has.
ofUse :: Index -> ModuleFacts -> Use -> Maybe Finding
ofUse index m u = do
  let heat = Map.findWithDefault 0 (inModule m (useBinding u)) (indexSourceHeat index)
  (cost, loops) <-
    costOf (Called u (useLoops u + heat) (factsInteger m) (indexLogs index) (factsUnit m))
  let left = concatMap bindingSpots made
  if (waits cost && not (null made) && not (any waiting left))
    -- Those who go on with it are seen, where no Maybe is around it.
    || ( cost == GivesFields
           && SteppedInside `notElem` useArguments u
           && not (null (callers (useBinding u)))
       )
    || (cost == KeepsSteps && not (null made) && not (any (\s -> waiting s || stays s) left))
    then Nothing
    else
      Just
        (about m (CallsLibrary (calleeName (CalleeGlobal (nearer u))) cost))
          { findingBinding = useBinding u,
            findingIn = if useIn u == Just (useBinding u) then Nothing else useIn u,
            findingPlace = usePlace u,
            findingLoops = loops,
            findingWeight = weightOf cost * loopFactor loops,
            findingPart = useBinding u,
            findingCode = codeIn cost (null own) made,
            -- A function that gives a record is no call, and what calls it is something else.
            findingCallers =
              if cost == GivesFields && not (null own)
                then Set.empty
                else codeIn cost True inlined <> Set.fromList (loopsAbroad cost),
            -- What is a loop itself is done in each of its rounds.
            findingEntered = if loops > useLoops u + heat then Set.empty else enteredFor cost,
            findingCalls = Set.fromList (if null called then makings left else called),
            findingCallsThere = Set.fromList abroad
          }
  where
    -- What the optimiser made of the binding; where that is nothing, of those who call it.
    own = withParts (3 :: Int) (standsAs (useBinding u))
    inlined = withParts (3 :: Int) (takenBy (8 :: Int) (useBinding u))
    made = if null own then inlined else own
    standsAs = standingIn m
    standingIn other name =
      [ b
        | b <- factsBindings other,
          sourceName (maybe (bindingName b) ownerName (bindingOwner b)) == sourceName name
      ]
    -- Those who call it in the source and no longer do.
    takenBy n name
      | n == 0 || or [bindingRecursive b | b <- standsAs name, isNothing (bindingOwner b)] = []
      | otherwise =
          concat
            [ if calls bs name then [] else bs <> takenBy (n - 1) c
              | c <- listed (callers name),
                let bs = standsAs c
            ]
    calls bs name =
      or
        [ sourceName to == sourceName name
          | b <- bs,
            s <- bindingSpots b,
            Just callee <- [calleeOf (spotSight s)],
            to <- case callee of
              CalleeHere h -> [h]
              CalleeGlobal g -> [globalName g | globalModule g == factsModule m]
        ]
    callers name =
      [ callFrom c
        | c <- factsCalls m,
          callTo c == Global (factsUnit m) (factsModule m) name,
          callFrom c /= name
      ]
    abroad =
      [ (PartId (factsUnit other) (factsModule other) part, name)
        | (other, from) <-
            Map.findWithDefault [] here (indexCallers index),
          b <- standingIn other from,
          (part, name) <- factsCounted other,
          part `elem` keys b,
          lastName name `elem` standsFor (globalName (useCallee u))
      ]
    codeIn cost gone bs =
      Set.fromList
        ( map
            (PartId (factsUnit m) (factsModule m))
            . withoutOthers cost bs
            $ ( if
                  | cost == TriesEnd -> concatMap keys made <> concatMap keys parsers
                  | inBytes cost && not (Set.null (homeAll home)) -> ofCall cost
                  | gone && isLost cost bs -> firstOf [near bs, stored bs]
                  | otherwise ->
                      firstOf
                        [ near bs,
                          stored bs,
                          if gone && cost == BoxesElements then arrays bs else [],
                          there gone cost bs,
                          specialised cost bs,
                          waitingLoops cost bs,
                          keepers cost bs,
                          concatMap keys (unshared cost bs)
                        ]
              )
        )
    -- They are given to other parsers, and called there.
    parsers =
      [b | b <- factsBindings m, bindingOrigin b == Made, isParser (sourceName (bindingName b))]
    -- A loop where a parameter waits that is of no type which this call keeps is something else's
    -- that was inlined beside it.
    withoutOthers cost bs parts = firstOf [filter (`Set.notMember` others) parts, parts]
      where
        others = Map.keysSet (Map.filter (not . all mayBe) (waitingTypes bs))
        mayBe t = T.null t || maybe True (elem t) (keptTypes u cost)
    -- Of each loop that hands on what waits.
    waitingTypes bs =
      Map.fromListWith
        (<>)
        [ (spotPart s, [t])
          | b <- bs,
            s <- bindingSpots b,
            LazyAccumulator _ _ _ t <- [spotSight s]
        ]
    -- The loops of other modules that hand on just what this call keeps, in functions that call
    -- this one in the source and no longer do.
    loopsAbroad cost =
      [ PartId (factsUnit other) (factsModule other) part
        | Just kept <- [keptTypes u cost],
          (other, from) <- Map.findWithDefault [] here (indexCallers index),
          let bs = standingIn other from,
          not (any (callsHere other) bs),
          (part, types) <- Map.toList (waitingTypes bs),
          all (`elem` kept) types
      ]
    callsHere other b =
      or [global other c == here | s <- bindingSpots b, Just c <- [calleeOf (spotSight s)]]
    here = inModule m (useBinding u)
    -- A fold that was inlined into functions with many loops: nobody can tell which is its.
    isLost cost bs = length (loopsWith cost waiting bs) > 8
    firstOf = foldr (\these others -> if null these then others else these) []
    -- Where a cell is given what waits: what else waits in the function is not in the cell.
    stored bs =
      listed
        [ spotPart s
          | any (`T.isInfixOf` globalModule (useCallee u)) ["IORef", "STRef", "GHC.Conc", "MVar"],
            b <- bs,
            s <- bindingSpots b,
            LazyStore _ <- [spotSight s]
        ]
    home = homeOf m made u
    atHome = filter (`Set.member` homeAll home)
    -- The call where it stayed, and what a library's functions became in the function around it.
    ofCall cost
      | cost == ChangesList = firstOf [atHome left' <> taken, Set.toList (homeAll home)]
      -- What goes through the characters is a library's loop, or one beside the call.
      | cost == ThroughString =
          firstOf [atHome left' <> taken, near made, left', Set.toList (homeAll home)]
            <> Set.toList (homeMentioned home)
      | otherwise =
          firstOf [atHome left', taken, near made, left', Set.toList (homeAll home)]
      where
        left' = listed [spotPart s | b <- made, s <- bindingSpots b, stays s]
        taken = Set.toList (homeForeign home)
    -- Its cost is what is made, and not how often.
    inBytes cost =
      cost
        `elem` [ ChangesList,
                 CopiesList,
                 CopiesNested,
                 LengthensField,
                 MakesSingles,
                 ThroughString,
                 ThroughList,
                 ReversesToLook,
                 RunsBuilder,
                 BoxesElements
               ]
    -- Where the call still stands, or what it has left.
    there gone cost bs =
      firstOf
        (atHome (partsOf stays) : partsOf stays : [partsOf w | gone, w <- [isKept, waiting]])
      where
        isKept s = case spotSight s of
          Allocated Thunk t -> maybe False (elem t) (keptTypes u cost)
          _ -> False
        partsOf wanted = listed [spotPart s | b <- bs, s <- bindingSpots b, wanted s]
    -- Where the call was inlined into another function: what makes its array.
    arrays bs =
      [ part
        | (part, name) <- factsCounted m,
          "GHC.Exts." `T.isPrefixOf` name,
          part `elem` concatMap keys bs
      ]
    -- Where a version of a library's function is called that was made here for known types: its
    -- own rounds are steps, and no calls.
    specialised cost bs =
      listed
        [ spotPart s
          | cost == KeepsValues,
            b <- bs,
            bindingName b `notElem` versions,
            s <- bindingSpots b,
            Just (CalleeHere name) <- [calleeOf (spotSight s)],
            isVersion name
        ]
    -- A fold that was inlined is the loop that hands on what waits, if one is seen to; else one in
    -- which something waits.
    waitingLoops cost bs =
      firstOf
        [ loopsWith cost handsOn (unshared cost bs),
          loopsWith cost waiting (unshared cost bs),
          loopsWith cost handsOn bs
        ]
    -- A state that was inlined is what a loop of its type hands on, or else what makes such
    -- computations: other loops of the function carry other things.
    keepers cost bs =
      firstOf
        [ listed [spotPart s | b <- bs, s <- bindingSpots b, wanted (spotSight s)]
          | cost == KeepsState,
            Just kept <- [keptTypes u cost],
            wanted <- [hands kept, makes kept]
        ]
      where
        hands kept = \case
          LazyAccumulator _ _ _ t -> t `elem` kept
          _ -> False
        makes kept = \case
          Allocated Thunk t -> t `elem` kept
          _ -> False
    loopsWith cost wanted those =
      listed
        [ spotPart s
          | cost == KeepsFields,
            b <- those,
            s <- bindingSpots b,
            wanted s,
            spotLoops s > 0
        ]
    -- What several bindings share is the loop of something else that was inlined into all of them,
    -- where there is more.
    unshared cost bs
      | cost == KeepsFields, not (all isShared bs) = filter (not . isShared) bs
      | otherwise = bs
    isShared b = bindingOrigin b == Made && isNothing (bindingOwner b)
    handsOn spot = case spotSight spot of
      LazyAccumulator {} -> True
      LazyResult _ -> True
      _ -> False
    isVersion = T.isPrefixOf "$s"
    versions =
      map
        bindingName
        (withParts (8 :: Int) [b | b <- factsBindings m, isMadeHere b, isVersion (bindingName b)])
    isMadeHere b = case bindingOwner b of
      Just (MadeOf _) -> False
      _ -> bindingOrigin b == Made
    stays s = not (null (calledIn s))
    calledIn s = byName s <> byModule s
    byName s =
      [ calleeName (CalleeGlobal g)
        | Just (CalleeGlobal g) <- [calleeOf (spotSight s)],
          sourceName (globalName g) `elem` standsFor (globalName (useCallee u))
      ]
    byModule s =
      [ calleeName (CalleeGlobal g)
        | Just (CalleeGlobal g) <- [calleeOf (spotSight s)],
          inlinesItself && globalModule g == globalModule (useCallee u)
      ]
    -- Other parts of what the call became stand beside the one that does its work: with them it
    -- would count twice.
    called = firstOf [calledBy byName, calledBy byModule]
    calledBy names =
      [ (PartId (factsUnit m) (factsModule m) (spotPart s), name)
        | b <- made,
          s <- bindingSpots b,
          name <- names s
      ]
    -- Where the call was inlined: the records that are made there of the type that it keeps, and,
    -- where a loop carries their fields one by one, the calls that are given what waits.
    makings left =
      [ (PartId (factsUnit m) (factsModule m) part, name)
        | not (null records),
          (part, name) <- records <> rounds
      ]
      where
        records = ofKinds [madeName t | t : _ <- useTypes u]
        -- A record of the program's own; what becomes of a container is seen where it changes.
        rounds
          | not (any (any isContainer . take 1) (useTypes u)),
            or [True | LazyAccumulator {} <- map spotSight left] =
              [ at
                | at@(part, _) <- ofKinds [handedName],
                  part `elem` concatMap keys (unshared KeepsFields made)
              ]
          | otherwise = []
    isContainer t = "Data." `T.isPrefixOf` t && ".Internal." `T.isInfixOf` t
    ofKinds names =
      [ at
        | at@(part, name) <- factsCounted m,
          part `elem` concatMap keys made,
          name `elem` names
      ]
    -- Other functions of their modules stand where these stood.
    inlinesItself = any (`T.isSuffixOf` globalModule (useCallee u)) ["Text.Read", "Text.Printf"]
    -- Equal parts of two bindings are one, and no one's.
    withParts n bs
      | n == 0 || null more = bs
      | otherwise = withParts (n - 1) (bs <> more)
      where
        known = map bindingName bs
        more =
          [ b
            | b <-
                factsBindings m,
              bindingOrigin b == Made,
              bindingName b `notElem` known,
              or
                [ callee == CalleeHere (bindingName b)
                  | owner <-
                      bs,
                    s <- bindingSpots owner,
                    Just callee <- [calleeOf (spotSight s)]
                ]
          ]
    keys b = bindingKey b : map partKey (bindingParts b)
    -- What was inlined may stand in any part that is no loop of its own.
    enteredFor cost =
      Set.fromList
        ( map
            (PartId (factsUnit m) (factsModule m))
            (firstOf [itself, if inBytes cost then Set.toList (homeFunctions home) else [], around])
        )
    around =
      [ key
        | b <- made,
          key <- keys b,
          and [spotLoops s <= deep | s <- bindingSpots b, spotPart s == key]
      ]
    -- What was inlined runs in the loops of those who called it.
    deep
      | null own = useLoops u + heatThere
      | otherwise = useLoops u
    heatThere = Map.findWithDefault 0 (inModule m (useBinding u)) (indexSourceHeat index)
    -- A call of the program's own function is that of its next round.
    itself =
      [ key
        | globalUnit (useCallee u) == factsUnit m,
          b <- made,
          (key, name) <-
            (bindingKey b, bindingName b) : [(partKey p, partName p) | p <- bindingParts b],
          sourceName name == globalName (useCallee u)
      ]
    near bs =
      [ partKey p
        | b <-
            bs,
          p <- bindingParts b,
          partPlace p == usePlace u,
          Just (sourceName (partName p)) == useIn u
      ]
    waiting spot = case spotSight spot of
      Allocated Thunk _ -> True
      LazyStore _ -> True
      LazyAccumulator {} -> True
      _ -> False
