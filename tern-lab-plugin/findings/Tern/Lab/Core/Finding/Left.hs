{-# LANGUAGE OverloadedStrings #-}

-- | What the optimiser left in a binding.
--
-- Its one idea: each thing seen in the compiled code is a finding of its own, and those of one
-- sort in one local function are one together.
--
-- Start at 'ofBinding'.
module Tern.Lab.Core.Finding.Left (ofBinding) where

import Control.Applicative ((<|>))
import Data.Char (isDigit)
import Data.Map.Strict qualified as Map
import Data.Maybe (isJust, isNothing, mapMaybe)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
  ( Binding (..),
    Bound (..),
    Callee (..),
    Dictionary (..),
    Global (..),
    HeapObject (..),
    ModuleFacts (..),
    Origin (..),
    Owner (..),
    Part (..),
    Round (..),
    Sight (..),
    Spot (..),
    Unfolding (..),
    WhyBoxed (..),
    unmarked,
  )
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..), PartId (..), about, listed)
import Tern.Lab.Core.Finding.Weight
  ( callWeight,
    loopFactor,
    originFactor,
    specialiseWeight,
    spotWeight,
  )
import Tern.Lab.Core.Index
  ( Index (..),
    bindingOf,
    calleeName,
    calleeOf,
    deliberate,
    explain,
    global,
    inModule,
    inProject,
    ownerName,
    remedy,
    sourceName,
    writtenName,
    writtenOf,
  )

-- | Of one binding of a module, weighed.
ofBinding :: Index -> ModuleFacts -> Binding -> [Finding]
ofBinding index m b =
  map weighed $
    [ here
        [bindingKey b]
        Nothing
        Nothing
        (GenericRepresentation (bindingGeneric b))
        1
        0
        (if bindingGenericType b then 2 else 60)
      | not (null (bindingGeneric b)),
        not inlinedElsewhere
    ]
      <> mapMaybe single (bindingSpots b)
      <> grouped
        methods
        ( \_ names ->
            UnknownInstance (listed (map fst names)) (listed (map snd names))
        )
      <> grouped
        unknown
        ( \_ calls ->
            UnknownCalls (listed (map fst calls)) (min 100 (sum (map snd calls)))
        )
      <> concat
        [ map inLoop $
            grouped
              (accumulators when)
              ( \loop parameters ->
                  GrowingAccumulator loop (listed parameters) when
              )
          | when <-
              [AtOnce, OnDemand, Looking, Evaluating]
        ]
      <> grouped
        carried
        ( \loop made ->
            CarriesConstructor loop (listed (map fst made)) (listed (map snd made))
        )
      <> concat
        [ grouped
            (keptBoxed why)
            (\loop parameters -> KeepsBoxed loop (listed parameters) why)
          | why <- [LazilyUsed, HandedOn]
        ]
      <> grouped
        allocations
        ( \_ objects ->
            LoopAllocates (Map.toList (Map.fromListWith (+) objects))
        )
  where
    here keys local place kind times loops weight =
      (about m kind)
        { findingBinding = maybe (unmarked (bindingName b)) ownerName (bindingOwner b),
          findingIn = case local of
            Nothing | Just _ <- bindingOwner b, not isGenerated -> Just (unmarked (bindingName b))
            _ -> local,
          findingPlace = place <|> bindingPlace b,
          findingTimes = times,
          findingLoops = loops,
          findingWeight = weight,
          findingPart = bindingName b,
          findingCode = Set.fromList (map (PartId (factsUnit m) (factsModule m)) keys)
        }
    -- GHC made it of a library's code: its name means nothing to a reader.
    isGenerated =
      bindingOrigin b == Made
        && bindingPlace b
          `elem` (Nothing : [bindingPlace o | o <- factsBindings m, bindingName o == owner])
        && sourceName (bindingName b) /= owner
    -- A loop whose name was lost has one that the account of a run has, too.
    inLoop f = case (findingIn f, Set.toList (findingCode f)) of
      (Nothing, [PartId _ _ key])
        | name : _ <- [sourceName (partName p) | p <- bindingParts b, partKey p == key] ->
            f {findingIn = Just name}
      _ -> f
    named loop = if isGenerated && loop == bindingName b then T.empty else loop
    -- What is inlined or specialised where it is used is weighed there.
    inlinedElsewhere =
      bindingUnfolding b `elem` [StableUnfolding, AlwaysUnfolding]
        || Set.member (inModule m owner) (indexSpecialised index)
    owner = maybe (bindingName b) ownerName (bindingOwner b)
    weighed f =
      f
        { findingWeight =
            findingWeight f * loopFactor (findingLoops f) * originFactor b (findingKind f)
        }
    heat = Map.findWithDefault 0 (inModule m (bindingName b)) (indexHeat index)
    at spots spot kind times loops weight =
      (here (map spotPart spots) (spotIn spot) (spotPlace spot) kind times (loops + heat) weight)
        { findingCalls =
            if all (isJust . fst) called
              then Set.fromList (mapMaybe whole called)
              else Set.empty,
          findingCallees = maybe Set.empty Set.fromList (mapM (calledPart . spotSight) spots)
        }
      where
        called = [(libraryCall s, spotPart s) | s <- spots]
        whole (name, part) = (,) (PartId (factsUnit m) (factsModule m) part) <$> name
    -- The program's own function that is called.
    calledPart sight = do
      g <- global m <$> calleeOf sight
      other <- bindingOf index g
      if bindingArity other > 0
        then Just (PartId (globalUnit g) (globalModule g) (bindingKey other))
        else Nothing
    libraryCall s = case calleeOf (spotSight s) of
      Just callee | not (inProject index callee) -> Just (calleeName callee)
      _ -> Nothing
    -- A list that a class asks for is made for whichever instance there is.
    isMethod = T.isInfixOf "$c"
    single spot = case spotSight spot of
      LiteralList callee n
        | not (isMethod (writtenName callee)),
          not (deliberate index callee) ->
            Just
              ( at
                  [spot]
                  spot
                  (NotUnrolled (writtenName callee) n)
                  (spotTimes spot)
                  (spotLoops spot)
                  (ofList callee n)
              )
      Overloaded callee dictionaries reason
        | deliberate index callee || inlinedElsewhere -> Nothing
        | all dictionaryKnown dictionaries ->
            let how = remedy index m callee
             in Just
                  ( at
                      [spot]
                      spot
                      ( NotSpecialised
                          (calleeName callee)
                          (map dictionaryType dictionaries)
                          (explain index callee reason)
                          (calleeName (writtenOf index m callee))
                          how
                      )
                      (spotTimes spot)
                      (spotLoops spot)
                      (specialiseWeight how)
                  )
        | otherwise ->
            Just
              ( at
                  [spot]
                  spot
                  ( PassesInstances
                      (calleeName callee)
                      (map dictionaryType dictionaries)
                  )
                  (spotTimes spot)
                  (spotLoops spot)
                  0.3
              )
      Stayed callee _ reason
        | deliberate index callee || acts callee -> Nothing
        | otherwise ->
            let why = explain index callee reason
             in Just
                  ( at
                      [spot]
                      spot
                      (NotInlined (calleeName callee) why)
                      (spotTimes spot)
                      (spotLoops spot)
                      (callWeight index m callee why)
                  )
      -- Nobody can move the lambda of a function that was fused out of a library's.
      LambdaUnderCase {} | isJust (spotIn spot), isNothing (spotPlace spot) -> Nothing
      LambdaUnderCase n arity typeArity made parts ->
        let f =
              at
                [spot]
                spot
                (ArityTooLow n arity typeArity made)
                (spotTimes spot)
                (min 1 (spotLoops spot + heat) - heat)
                20
            ofParts = Set.fromList . map (PartId (factsUnit m) (factsModule m))
         in Just
              f
                { findingCode = findingCode f <> ofParts parts,
                  findingEntered = ofParts [spotPart spot]
                }
      LazyResult loop ->
        Just (at [spot] spot (WaitsForResult loop) (spotTimes spot) (spotLoops spot) 5)
      ResultBoxed name why
        | not inlinedElsewhere ->
            let kind = GivesBoxed (sourceName name) why
             in Just (at [spot] spot kind (spotTimes spot) (spotLoops spot) 1.2)
      ResultWaits name made ->
        Just
          ( at
              [spot]
              spot
              (GivesWaiting (sourceName name) made)
              (spotTimes spot)
              (spotLoops spot)
              0.9
          )
      JumpLost name why ->
        Just (at [spot] spot (LosesJump name why) (spotTimes spot) (spotLoops spot) 1.2)
      LeftAppend -> Just (at [spot] spot AppendsLeft (spotTimes spot) (spotLoops spot) 12)
      EmptyAppend -> Just (at [spot] spot AppendsNothing (spotTimes spot) (spotLoops spot) 12)
      RecursiveAppend loop ->
        Just (at [spot] spot (AppendsRecursively loop) (spotTimes spot) (spotLoops spot) 15)
      LazyStore cell ->
        Just (at [spot] spot (StoresLazily cell) (spotTimes spot) (spotLoops spot) 3)
      _ -> Nothing
    -- What another package asks for in a list is nobody's to write otherwise; the elements of one
    -- that was inlined may be joined by hand.
    ofList callee n
      | inlinedLoop callee = 0.5
      | inProject index callee = 60 + fromIntegral n
      | otherwise = 0.1
    -- What does an action in a value must do it once for each call.
    acts callee =
      let g = global m callee
       in Set.member g {globalName = sourceName (globalName g)} (indexActing index)
    -- A loop of another package that was inlined into this module.
    inlinedLoop = \case
      CalleeHere name -> case Map.lookup (inModule m name) (indexBindings index) of
        Just part ->
          bindingOrigin part == Made
            && maybe True (\case MadeOf _ -> False; UsedBy _ -> True) (bindingOwner part)
        Nothing -> False
      CalleeGlobal _ -> False
    -- Spots of one sort, those in the same local function together.
    grouped :: (Spot -> Maybe (Text, x)) -> (Text -> [x] -> FindingKind) -> [Finding]
    grouped select kind =
      [ at
          (map snd group)
          spot
          (kind key (map fst group))
          (sum (map (spotTimes . snd) group))
          (maximum (map (spotLoops . snd) group))
          weight
        | ((_, _, key), group@((_, spot) : _)) <-
            Map.toList
              ( Map.fromListWith
                  (flip (<>))
                  [ ((spotIn s, spotPlace s, key), [(x, s)])
                    | s <-
                        bindingSpots b,
                      Just (key, x) <- [select s]
                  ]
              ),
          let weight = sum [repeated s * spotWeight inlinedElsewhere heat s | (_, s) <- group],
          weight > 0
      ]
      where
        repeated s = fromIntegral (min 6 (spotTimes s))
    methods s = case spotSight s of
      Method cls method | not onlyByInstance -> Just (T.empty, (cls, method))
      _ -> Nothing
    -- A method of an instance that is reached through unknown instances alone: those who do not
    -- know it are spoken of, and a pragma on it changes nothing for them.
    onlyByInstance = case bindingOrigin b of
      Instance _ -> Set.notMember (inModule m (bindingName b)) (indexNamed index)
      _ -> False
    unknown s = case spotSight s of
      Unknown name bound made
        -- Who built the value that keeps it is somewhere else.
        | bound /= ByChoice,
          not (isGenerated || isCaller || isContinuation s) ->
            Just (T.empty, ((name, bound), ofItsOwn s made))
      _ -> Nothing
    -- An argument that only the newtype of its monad has: nobody wrote that it is passed on, and
    -- nobody can return a result in its place.
    isContinuation s = case spotSight s of
      Unknown name ByLambda _ -> T.dropWhileEnd (\c -> isDigit c || c == '_') name == "eta"
      _ -> False
    -- What is made for it is what that monad does.
    continues s =
      or [spotPart t == spotPart s && isContinuation t | t <- bindingSpots b]
    -- Of a hundred bytes that its part allocates, where an object has some words.
    ofItsOwn s made =
      (100 * made) `div` max 1 (objectWords * objectsOf (spotPart s))
    objectWords = 4
    objectsOf part =
      sum [spotTimes t | t <- bindingSpots b, spotPart t == part, Allocated _ _ <- [spotSight t]]
    -- A method whose work is to call what it is given.
    isCaller = case bindingOrigin b of
      Instance method -> method `elem` T.words callers
      _ -> False
    callers = ">>= >> fmap <$ <*> <* *> liftA2 <|> traverse foldr foldMap bimap first second"
    accumulators when s = case spotSight s of
      LazyAccumulator loop parameter round' _ | round' == when -> Just (named loop, parameter)
      _ -> Nothing
    carried s = case spotSight s of
      TakenApart loop parameter constructor
        | not (factsSpecConstr m) ->
            Just (loop, (parameter, constructor))
      _ -> Nothing
    keptBoxed why s = case spotSight s of
      KeptBoxed loop parameter w
        | w == why, not (grows loop parameter || makesMore s) -> Just (named loop, parameter)
      _ -> Nothing
    -- A chain of thunks is the worse news of the same parameter.
    grows loop parameter =
      or
        [ l == loop && p == parameter
          | LazyAccumulator l p _ _ <- map spotSight (bindingSpots b)
        ]
    -- Beside a list or closures that a round makes, a number's box is little.
    makesMore s =
      or
        [ spotPart t == spotPart s && spotLoops t > 0 && not (isBox object)
          | t <- bindingSpots b,
            Allocated object _ <- [spotSight t]
        ]
    -- Its boxes are spoken of with their reason.
    hasReason s =
      or
        [ spotPart t == spotPart s
          | t <- bindingSpots b,
            case spotSight t of
              KeptBoxed {} -> True
              ResultBoxed _ _ -> True
              _ -> False
        ]
    allocations s = case spotSight s of
      Allocated object _
        | spotLoops s > 0,
          not (isForeign || isTaken s),
          not (continues s),
          not (isConstructor object),
          not (isBox object && hasReason s) ->
            Just (T.empty, (object, spotTimes s))
      _ -> Nothing
    -- A loop of a library's code, which nobody here has written.
    isForeign =
      bindingOrigin b == Made && isNothing (bindingPlace b) && case bindingOwner b of
        Just (MadeOf _) -> False
        Just (UsedBy _) -> True
        Nothing -> True
    -- One that stands in a function that somebody has written, as a library has it. What two
    -- branches go on with is no function of its own: GHC made one place of it, to jump to.
    isTaken s = taken (spotPart s)
    taken key =
      or
        [ not (isJoined p) || taken (partAround p)
          | p <- bindingParts b,
            partKey p == key,
            isNothing (partPlace p) && not (partWritten p)
        ]
    isJoined p = partName p `elem` ["$j", "$w$j"]
    isBox = \case
      BoxedNumber _ -> True
      _ -> False
    isConstructor = \case
      Constructor _ -> True
      _ -> False
