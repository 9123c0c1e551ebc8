{-# LANGUAGE OverloadedStrings #-}

-- | What is worth a reader's time in the facts of a program.
--
-- Its one idea: facts of all modules are looked at together, so that a call
-- that stayed here can be explained by the pragma, the size or the recursion
-- that another module has. Then each is weighed. Without a profile the weight
-- is a heuristic, and a report says so: the kind's own weight, times ten in a
-- loop and thirty in a loop of a loop (those around its callers included), a fifth for
-- what runs once, a tenth for instances that deriving makes, a hundredth for
-- loops of libraries that were inlined.
--
-- Start at 'findings'. The words are in "Tern.Lab.Core.Advice".
module Tern.Lab.Core.Finding
  ( Finding (..),
    FindingKind (..),
    PartId (..),
    Spent (..),
    findings,
    worthShowing,
  )
where

import Control.Applicative ((<|>))
import Data.List (sortOn)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (mapMaybe)
import Data.Ord (Down (..))
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Callers (callersOf, rootOf)
import Tern.Lab.Core.Facts
  ( Binding (..),
    Bound,
    Callee (..),
    Dictionary (..),
    Global (..),
    HeapObject (..),
    ModuleFacts (..),
    Origin (..),
    Owner (..),
    Part (..),
    Place (..),
    Pragma (..),
    Round (..),
    Sight (..),
    SourceCall (..),
    Spot (..),
    Unfolding (..),
    Use (..),
    WhyBoxed (..),
    WhyLost,
    unmarked,
  )
import Tern.Lab.Core.Index
  ( Index (..),
    Remedy (..),
    Why (..),
    calleeName,
    calleeOf,
    deliberate,
    explain,
    inModule,
    inProject,
    indexed,
    ownerName,
    remedy,
    sourceName,
    writtenOf,
  )
import Tern.Lab.Core.Library (Called (..), Cost (..), costOf, waits, weightOf)
import Tern.Lab.Core.Tried (Tried)

data Finding = Finding
  { findingModule :: !Text,
    -- | The top-level binding; empty when it is about the module.
    findingBinding :: !Text,
    -- | The local function, if it stands in one.
    findingIn :: !(Maybe Text),
    findingPlace :: !(Maybe Place),
    findingKind :: !FindingKind,
    findingTimes :: !Int,
    findingLoops :: !Int,
    findingWeight :: !Double,
    -- | The part of the binding that it is in, as the facts call it.
    findingPart :: !Text,
    -- | The functions of the compiled code that it stands in.
    findingCode :: !(Set PartId),
    -- The functions that it may have been inlined into, if that never ran itself.
    findingCallers :: !(Set PartId),
    -- | Those of the functions that it stands in whose entries say how often it runs: no loop
    -- that stands deeper. Empty, where all do.
    findingEntered :: !(Set PartId),
    -- | What a run spent there, where one was measured.
    findingMeasured :: !(Maybe Spent),
    -- | What trying its cure gave.
    findingTried :: ![Tried],
    -- | Its place among those that a reader is shown, before anything was tried:
    -- what it is called by.
    findingNumber :: !Int
  }
  deriving stock (Eq, Show)

-- | One function of a program: its unit, its module, its number there.
data PartId = PartId !Text !Text !Int
  deriving stock (Eq, Ord, Show)

-- | What a run spent in some code.
data Spent = Spent
  { spentEntries :: !Double,
    -- | Bytes that it allocated.
    spentBytes :: !Double,
    -- | Of the bytes of the whole run, from 0 to 1.
    spentShare :: !Double,
    -- | What a cure would plausibly save, of the same.
    spentSaves :: !Double,
    -- | Of how many functions one or all spent it. One, where it is certain.
    spentAmong :: !Int
  }
  deriving stock (Eq, Show)

data FindingKind
  = -- | A recursive function over a list that stands here.
    NotUnrolled !Text !Int
  | -- | A call that stayed, and why.
    NotInlined !Text !Why
  | -- | An overloaded function at known instances, the written function that it
    -- is or is a part of, and what would help there.
    NotSpecialised !Text ![Text] !Why !Text !Remedy
  | -- | An overloaded function at instances that this binding takes itself.
    PassesInstances !Text ![Text]
  | -- | Methods of instances that are only known at run time: classes and
    -- methods.
    UnknownInstance ![Text] ![Text]
  | -- | The same of functions that all get their instances through one, which is called at
    -- known ones: that one, and those.
    OverloadedBelow !Text ![Text]
  | -- | Functions that are only variables.
    UnknownCalls ![(Text, Bound)]
  | -- | Branches of a case that are lambdas.
    ArityTooLow !Int !Int !Int
  | -- | Loop and parameters.
    GrowingAccumulator !Text ![Text] !Round
  | AppendsLeft
  | AppendsRecursively !Text
  | -- | In a loop, per round.
    LoopAllocates ![(HeapObject, Int)]
  | -- | A mutable cell is given a thunk: the sort of cell.
    StoresLazily !Text
  | -- | A function of a library, and what is known of it.
    CallsLibrary !Text !Cost
  | -- | A loop, its parameters and the constructors that they are made by.
    CarriesConstructor !Text ![Text] ![Text]
  | -- | The loop.
    WaitsForResult !Text
  | -- | The loop, its parameters, and why they have no register.
    KeepsBoxed !Text ![Text] !WhyBoxed
  | -- | The function, and why what it makes comes in a box.
    GivesBoxed !Text !WhyBoxed
  | -- | The local function, and why it is none to jump to.
    LosesJump !Text !WhyLost
  | GenericRepresentation ![Text]
  | -- | Functions that are used inside the module alone.
    NoExportList ![Text]
  deriving stock (Eq, Ord, Show)

-- * Findings

-- | Of all modules, the weightiest first.
findings :: [ModuleFacts] -> [Finding]
findings modules =
  sortOn
    (Down . findingWeight)
    ( map
        (placed modules)
        ( belowRoots
            index
            modules
            ( Map.elems
                ( Map.unionsWith
                    twice
                    (map (together . concatMap ofModule) units)
                )
            )
        )
    )
  where
    index = indexed modules
    units = Map.elems (Map.fromListWith (flip (<>)) [(factsUnit m, [m]) | m <- modules])
    ofModule m =
      let bound = concatMap (ofBinding index m) (factsBindings m)
          used =
            [ f
              | f <- mapMaybe (ofUse index m) (factsUses m),
                not (isHanded f && any (\g -> isGrowing g && keeps g f) bound)
            ]
       in [ (factsSource m, f)
            | f <- exportList modules m <> filter (not . saidOf used) bound <> used
          ]
    -- Where a loop's accumulator is seen to grow, what it hands on is that accumulator.
    isHanded f = or [cost == HandsFields | CallsLibrary _ cost <- [findingKind f]]
    isGrowing f = case findingKind f of
      GrowingAccumulator {} -> True
      _ -> False
    -- What became of a call that is spoken of is not said again.
    saidOf used f = case findingKind f of
      GrowingAccumulator {} -> any (keeps f) used
      StoresLazily _ -> any (keeps f) used
      _ -> False
    keeps f g =
      ( sourceName (findingBinding f) == sourceName (findingBinding g)
          || ( not (Set.null (findingCode f))
                 && findingCode f `Set.isSubsetOf` findingCallers g
             )
      )
        && or [waits cost | CallsLibrary _ cost <- [findingKind g]]
    -- A module that two components have is compiled twice and said once.
    twice one other =
      one
        { findingCode = findingCode one <> findingCode other,
          findingCallers = findingCallers one <> findingCallers other
        }

-- | Overloaded functions whose callers hand on the instances that they were given themselves are
-- one finding: only all of them together can be cured.
belowRoots :: Index -> [ModuleFacts] -> [Finding] -> [Finding]
belowRoots index modules every =
  [f | (f, Nothing) <- told]
    <> map
      gathered
      (Map.toList (Map.fromListWith (<>) [(way, [(f, names)]) | (f, Just (way, names)) <- told]))
  where
    told = [(f, root f) | f <- every]
    callers = callersOf index modules
    root f = case (findingKind f, Set.toList (findingCode f)) of
      (UnknownInstance _ _, PartId unit m _ : _) ->
        rootOf callers (Global unit m (sourceName (findingBinding f)))
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

-- | A part that GHC made for several bindings stands nowhere in the source: it
-- is said of the first of those that use it.
placed :: [ModuleFacts] -> Finding -> Finding
placed modules = \f -> case findingPlace f of
  Nothing
    | not (T.null (findingBinding f)),
      (place, name) : _ <-
        mapMaybe
          (`Map.lookup` users)
          [ (unit, m, findingPart f)
            | PartId unit m _ <-
                Set.toList (findingCode f)
          ] ->
        f
          { findingPlace =
              Just place,
            findingBinding = name,
            findingIn = findingIn f <|> Just (findingBinding f)
          }
    -- A call of a written function is one that the using function has, wherever GHC has
    -- put it.
    | namesCallee (findingKind f),
      place : _ <-
        mapMaybe
          (`Map.lookup` tops)
          [(unit, m, findingBinding f) | PartId unit m _ <- Set.toList (findingCode f)] ->
        f {findingPlace = Just place}
  _ -> f
  where
    namesCallee = \case
      NotSpecialised {} -> True
      PassesInstances _ _ -> True
      _ -> False
    tops =
      Map.fromList
        [ ((factsUnit m, factsModule m, bindingName b), place)
          | m <- modules,
            b <- factsBindings m,
            bindingOrigin b == Written,
            Just place <- [bindingPlace b]
        ]
    users =
      Map.fromListWith
        min
        [ ((factsUnit m, factsModule m, callee), (place, name))
          | m <- modules,
            let written =
                  Map.fromList
                    [ (bindingName b, place)
                      | b <-
                          factsBindings m,
                        bindingOrigin b == Written,
                        Just place <- [bindingPlace b]
                    ],
            b <- factsBindings m,
            let name = maybe (unmarked (bindingName b)) ownerName (bindingOwner b),
            Just place <- [Map.lookup name written],
            spot <- bindingSpots b,
            Just (CalleeHere callee) <- [calleeOf (spotSight spot)]
        ]

-- | What several parts of one written binding have in common is said once; what
-- stands in different places, or in modules of one name, is not.
together ::
  [(Text, Finding)] -> Map (Text, Text, Text, Maybe Text, Maybe Place, FindingKind) Finding
together every =
  Map.fromListWith
    joined
    [ ( ( source,
          findingModule f,
          sourceName (findingBinding f),
          if ofLoop (findingKind f) then Nothing else findingIn f,
          findingPlace f,
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
    -- The copies that GHC makes of a loop may differ in what they carry.
    sort f = case findingKind f of
      GrowingAccumulator loop _ when -> GrowingAccumulator (sourceName loop) [] when
      KeepsBoxed loop _ why -> KeepsBoxed (sourceName loop) [] why
      other -> other
    joined b a =
      a
        { findingKind = case (findingKind a, findingKind b) of
            (GrowingAccumulator loop these when, GrowingAccumulator _ those _) ->
              GrowingAccumulator loop (unique (these <> those)) when
            (KeepsBoxed loop these why, KeepsBoxed _ those _) ->
              KeepsBoxed loop (unique (these <> those)) why
            (kind, _) -> kind,
          findingTimes = findingTimes a + findingTimes b,
          findingWeight = max (findingWeight a) (findingWeight b),
          findingEntered =
            if Set.null (findingEntered a) || Set.null (findingEntered b)
              then Set.empty
              else findingEntered a <> findingEntered b,
          findingCode = findingCode a <> findingCode b,
          findingCallers = findingCallers a <> findingCallers b
        }

-- | Clean code shows nothing: a weight below this is a detail. After a run its
-- bytes decide: code that is cold, or ran once at the start, is a detail
-- whatever its weight; and where a cure would save much, nothing is a detail.
worthShowing :: Finding -> Bool
worthShowing f = case findingMeasured f of
  Just spent ->
    spentSaves spent >= least && (heavy || costs (findingKind f))
  Nothing -> heavy
  where
    heavy = findingWeight f >= 10 && not works
    works = case findingKind f of
      LoopAllocates objects -> isWork (map snd objects)
      _ -> False
    -- Lists and results are made of something: that alone is worth a look where it is much.
    least = case findingKind f of
      LoopAllocates _ -> 0.05
      UnknownCalls _ -> 0.05
      _ -> if heavy then 0.001 else 0.006
    -- These allocate nothing themselves.
    costs = \case
      NotInlined _ _ -> False
      PassesInstances _ _ -> False
      GenericRepresentation _ -> False
      NoExportList _ -> False
      GrowingAccumulator _ _ when -> when /= OnDemand
      NotUnrolled _ _ -> True
      NotSpecialised {} -> True
      UnknownInstance _ _ -> True
      OverloadedBelow _ _ -> True
      UnknownCalls _ -> True
      ArityTooLow {} -> True
      AppendsLeft -> True
      AppendsRecursively _ -> True
      LoopAllocates _ -> not works
      StoresLazily _ -> True
      CallsLibrary _ _ -> True
      CarriesConstructor {} -> True
      WaitsForResult _ -> True
      KeepsBoxed {} -> True
      GivesBoxed _ _ -> True
      LosesJump _ _ -> True

-- | What is made in many places is what a function is for, and no slip.
isWork :: [Int] -> Bool
isWork times = sum times > 8

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
            UnknownInstance (unique (map fst names)) (unique (map snd names))
        )
      <> grouped unknown (\_ calls -> UnknownCalls (unique calls))
      <> concat
        [ grouped
            (accumulators when)
            ( \loop parameters ->
                GrowingAccumulator loop (unique parameters) when
            )
          | when <-
              [AtOnce, OnDemand, Looking]
        ]
      <> grouped
        carried
        ( \loop made ->
            CarriesConstructor loop (unique (map fst made)) (unique (map snd made))
        )
      <> concat
        [ grouped
            (keptBoxed why)
            (\loop parameters -> KeepsBoxed loop (unique parameters) why)
          | why <- [LazilyUsed, HandedOn]
        ]
      <> grouped
        allocations
        ( \_ objects ->
            LoopAllocates (Map.toList (Map.fromListWith (+) objects))
        )
  where
    here keys local place kind times loops weight =
      Finding
        { findingModule = factsModule m,
          findingBinding = maybe (unmarked (bindingName b)) ownerName (bindingOwner b),
          findingIn = case local of
            Nothing | Just _ <- bindingOwner b, not isGenerated -> Just (unmarked (bindingName b))
            _ -> local,
          findingPlace = place <|> bindingPlace b,
          findingKind = kind,
          findingTimes = times,
          findingLoops = loops,
          findingWeight = weight,
          findingPart = bindingName b,
          findingCode = Set.fromList (map (PartId (factsUnit m) (factsModule m)) keys),
          findingCallers = Set.empty,
          findingEntered = Set.empty,
          findingMeasured = Nothing,
          findingTried = [],
          findingNumber = 0
        }
    -- GHC made it of a library's code: its name means nothing to a reader.
    isGenerated =
      bindingOrigin b == Made
        && bindingPlace b
          `elem` (Nothing : [bindingPlace o | o <- factsBindings m, bindingName o == owner])
        && sourceName (bindingName b) /= owner
    named loop = if isGenerated && loop == bindingName b then T.empty else loop
    -- What is inlined or specialised where it is used is weighed there.
    inlinedElsewhere =
      bindingUnfolding b `elem` [StableUnfolding, AlwaysUnfolding]
        || Set.member (inModule m owner) (indexSpecialised index)
    owner = maybe (bindingName b) ownerName (bindingOwner b)
    madeOfWritten = case bindingOwner b of
      Just (MadeOf _) -> True
      _ -> False
    weighed f =
      f
        { findingWeight =
            findingWeight f * loopFactor (findingLoops f) * originFactor (findingKind f)
        }
    heat = Map.findWithDefault 0 (inModule m (bindingName b)) (indexHeat index)
    originFactor kind
      -- A template, inlined where it is used and weighed there.
      | bindingPragma b == Inline, bindingUnfolding b == StableUnfolding = 0.02
      | Instance name <- bindingOrigin b, derivable name = 0.1
      | Just name <- T.stripPrefix "$f" owner,
        derivable name || derivable (sourceName (bindingName b)) =
          0.1
      -- Code of a library that was inlined here: its own affair.
      | aboutLoops kind, bindingOrigin b == Made, not madeOfWritten = 0.01
      | NotSpecialised {} <- kind = 1
      | bindingArity b == 0 && not (bindingRecursive b) = 0.2
      | otherwise = 1
    aboutLoops = \case
      LoopAllocates _ -> True
      UnknownCalls _ -> True
      UnknownInstance _ _ -> True
      OverloadedBelow _ _ -> True
      _ -> False
    derivable name =
      any
        (`T.isPrefixOf` name)
        [ "Show",
          "Read",
          "Eq",
          "Ord",
          "Enum",
          "Bounded",
          "Ix",
          "Data",
          "Lift",
          "Generic"
        ]
        || name
          `elem` [ "show",
                   "showsPrec",
                   "showList",
                   "readPrec",
                   "readsPrec",
                   "readList",
                   "readListPrec",
                   "compare",
                   "==",
                   "/=",
                   "<",
                   "<=",
                   ">",
                   ">=",
                   "min",
                   "max"
                 ]
        || name `elem` ["sconcat", "stimes", "mconcat"]
        || name
          `elem` [ "toEnum",
                   "fromEnum",
                   "enumFrom",
                   "enumFromTo",
                   "enumFromThen",
                   "enumFromThenTo",
                   "succ",
                   "pred",
                   "from",
                   "to",
                   "range",
                   "index",
                   "inRange",
                   "minBound",
                   "maxBound"
                 ]
    at spots spot kind times loops =
      here (map spotPart spots) (spotIn spot) (spotPlace spot) kind times (loops + heat)
    single spot = case spotSight spot of
      LiteralList callee n
        | not (deliberate index callee) ->
            Just
              ( at
                  [spot]
                  spot
                  (NotUnrolled (calleeName callee) n)
                  (spotTimes spot)
                  (spotLoops spot)
                  ( if inProject index callee && not (inlinedLoop callee)
                      then 60 + fromIntegral n
                      else 0.5
                  )
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
      Stayed callee given reason
        | deliberate index callee -> Nothing
        | otherwise ->
            let why = explain index callee reason
             in Just
                  ( at
                      [spot]
                      spot
                      (NotInlined (calleeName callee) why)
                      (spotTimes spot)
                      (spotLoops spot)
                      (callWeight callee given why)
                  )
      LambdaUnderCase n arity typeArity ->
        Just
          ( at
              [spot]
              spot
              (ArityTooLow n arity typeArity)
              (spotTimes spot)
              (min 1 (spotLoops spot + heat) - heat)
              20
          )
      LazyResult loop ->
        Just (at [spot] spot (WaitsForResult loop) (spotTimes spot) (spotLoops spot) 5)
      ResultBoxed name why
        | not inlinedElsewhere ->
            let kind = GivesBoxed (sourceName name) why
             in Just (at [spot] spot kind (spotTimes spot) (spotLoops spot) 1.2)
      JumpLost name why ->
        Just (at [spot] spot (LosesJump name why) (spotTimes spot) (spotLoops spot) 1.2)
      LeftAppend -> Just (at [spot] spot AppendsLeft (spotTimes spot) (spotLoops spot) 12)
      RecursiveAppend loop ->
        Just (at [spot] spot (AppendsRecursively loop) (spotTimes spot) (spotLoops spot) 15)
      LazyStore cell ->
        Just (at [spot] spot (StoresLazily cell) (spotTimes spot) (spotLoops spot) 3)
      _ -> Nothing
    -- It would be a call without the pragma too.
    isLarge = \case
      CalleeHere name -> large (inModule m name)
      CalleeGlobal g -> large g || large g {globalName = sourceName (globalName g)}
    large g = maybe False ((> 400) . bindingSize) (Map.lookup g (indexBindings index))
    -- A loop of another package that was inlined into this module.
    inlinedLoop = \case
      CalleeHere name -> case Map.lookup (inModule m name) (indexBindings index) of
        Just part ->
          bindingOrigin part == Made
            && maybe True (\case MadeOf _ -> False; UsedBy _ -> True) (bindingOwner part)
        Nothing -> False
      CalleeGlobal _ -> False
    -- What only another package could change, and what somebody has kept apart
    -- on purpose, are lesser news.
    specialiseWeight = \case
      Upstream -> 1.2
      RemovePragma _ -> 4
      _ -> 15
    -- A call of a known function is what programs are made of; only a pragma
    -- that keeps it in a loop is more than a detail.
    callWeight callee _ = \case
      BecausePragma (NoInline _) | inProject index callee, not (isLarge callee) -> 2
      BecauseUnoptimised _ -> 4
      _ -> 0.02 :: Double
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
          let weight = sum [fromIntegral (min 6 (spotTimes s)) * spotWeight s | (_, s) <- group],
          weight > 0
      ]
    spotWeight s = case spotSight s of
      Method _ _ -> if inlinedElsewhere then 0 else 2
      Unknown _ _ -> if inlinedElsewhere || spotLoops s + heat == 0 then 0 else 0.6
      LazyAccumulator _ _ AtOnce -> 5
      -- In other people's packages one of four did harm, and none of three.
      LazyAccumulator _ _ Looking -> 2
      LazyAccumulator _ _ OnDemand -> 0.2
      TakenApart {} -> 1.2
      KeptBoxed {} -> if inlinedElsewhere then 0 else 1.2
      Allocated object | spotLoops s > 0 -> case object of
        Thunk -> 0.25
        Closure -> 0.5
        BoxedNumber _ -> 0.6
        Partial -> 0.4
        Constructor _ -> 0
      _ -> 0 :: Double
    methods s = case spotSight s of
      Method cls method -> Just (T.empty, (cls, method))
      _ -> Nothing
    unknown s = case spotSight s of
      Unknown name bound | not isGenerated -> Just (T.empty, (name, bound))
      _ -> Nothing
    accumulators when s = case spotSight s of
      LazyAccumulator loop parameter round' | round' == when -> Just (named loop, parameter)
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
          | LazyAccumulator l p _ <- map spotSight (bindingSpots b)
        ]
    -- Beside a list or closures that a round makes, a number's box is little.
    makesMore s =
      or
        [ spotPart t == spotPart s && spotLoops t > 0 && not (isBox object)
          | t <- bindingSpots b,
            Allocated object <- [spotSight t]
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
      Allocated object
        | spotLoops s > 0,
          not (isConstructor object),
          not (isBox object && hasReason s) ->
            Just (T.empty, (object, spotTimes s))
      _ -> Nothing
    isBox = \case
      BoxedNumber _ -> True
      _ -> False
    isConstructor = \case
      Constructor _ -> True
      _ -> False

-- | What a call costs that the source has.
ofUse :: Index -> ModuleFacts -> Use -> Maybe Finding
ofUse index m u = do
  let heat = Map.findWithDefault 0 (inModule m (useBinding u)) (indexSourceHeat index)
  (cost, loops) <- costOf (Called u (useLoops u + heat) (factsInteger m) (factsUnit m))
  let left = concatMap bindingSpots made
  if (waits cost && not (null made) && not (any waiting left))
    || (cost == KeepsSteps && not (null made) && not (any (\s -> waiting s || stays s) left))
    then Nothing
    else
      Just
        Finding
          { findingModule = factsModule m,
            findingBinding = useBinding u,
            findingIn = if useIn u == Just (useBinding u) then Nothing else useIn u,
            findingPlace = usePlace u,
            findingKind = CallsLibrary (calleeName (CalleeGlobal (useCallee u))) cost,
            findingTimes = 1,
            findingLoops = loops,
            findingWeight = weightOf cost * loopFactor loops,
            findingPart = useBinding u,
            findingCode = codeIn (null own) made,
            findingCallers = codeIn True inlined,
            findingEntered = entered,
            findingMeasured = Nothing,
            findingTried = [],
            findingNumber = 0
          }
  where
    -- What the optimiser made of the binding; where that is nothing, of those who call it.
    own = withParts (3 :: Int) (standsAs (useBinding u))
    inlined = withParts (3 :: Int) (takenBy (8 :: Int) (useBinding u))
    made = if null own then inlined else own
    standsAs name =
      [ b
        | b <- factsBindings m,
          sourceName (maybe (bindingName b) ownerName (bindingOwner b)) == sourceName name
      ]
    -- Those who call it in the source and no longer do.
    takenBy n name
      | n == 0 || any bindingRecursive (standsAs name) = []
      | otherwise =
          concat
            [ if calls bs name then [] else bs <> takenBy (n - 1) c
              | c <- unique (callers name),
                let bs = standsAs c
            ]
    calls bs name =
      or
        [ sourceName called == sourceName name
          | b <- bs,
            s <- bindingSpots b,
            Just callee <- [calleeOf (spotSight s)],
            called <- case callee of
              CalleeHere h -> [h]
              CalleeGlobal g -> [globalName g | globalModule g == factsModule m]
        ]
    callers name =
      [ callFrom c
        | c <- factsCalls m,
          callTo c == Global (factsUnit m) (factsModule m) name,
          callFrom c /= name
      ]
    codeIn gone bs =
      Set.fromList
        ( map
            (PartId (factsUnit m) (factsModule m))
            (firstOf [near bs, there gone bs, concatMap keys bs])
        )
    firstOf = foldr (\these others -> if null these then others else these) []
    -- Where the call still stands, or what it has left.
    there gone bs =
      unique
        [ spotPart s
          | b <- bs,
            s <- bindingSpots b,
            stays s || (gone && waiting s)
        ]
    stays s =
      or
        [ sourceName (globalName g) == globalName (useCallee u)
            || (inlinesItself && globalModule g == globalModule (useCallee u))
          | Just (CalleeGlobal g) <- [calleeOf (spotSight s)]
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
    entered = Set.fromList (map (PartId (factsUnit m) (factsModule m)) (firstOf [itself, around]))
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
      Allocated Thunk -> True
      LazyStore _ -> True
      LazyAccumulator {} -> True
      _ -> False

-- | What loops around it add to a weight.
loopFactor :: Int -> Double
loopFactor n
  | n <= 0 = 1
  | n == 1 = 10
  | otherwise = 30

unique :: (Ord a) => [a] -> [a]
unique = Set.toList . Set.fromList

-- | A module that exports everything, and functions that only it uses: with an
-- export list GHC knows all their calls.
exportList :: [ModuleFacts] -> ModuleFacts -> [Finding]
exportList modules m
  -- A module alone may be a library's face: nobody here knows who calls it.
  | factsExportList m || null inner || not imported = []
  | otherwise =
      [ Finding
          { findingModule = factsModule m,
            findingBinding = "",
            findingIn = Nothing,
            findingPlace =
              if T.null (factsSource m)
                then Nothing
                else Just (Place (factsSource m) 1 1),
            findingKind = NoExportList inner,
            findingTimes = length inner,
            findingLoops = 0,
            findingWeight = 10 + 2 * fromIntegral (length inner),
            findingPart = T.empty,
            findingCode = Set.empty,
            findingCallers = Set.empty,
            findingEntered = Set.empty,
            findingMeasured = Nothing,
            findingTried = [],
            findingNumber = 0
          }
      ]
  where
    inner =
      [ bindingName b
        | b <-
            factsBindings m,
          bindingOrigin b == Written,
          bindingArity b > 0,
          bindingUses b > 0,
          notElsewhere (bindingName b),
          gains b
      ]
    imported = any (\other -> factsModule other /= factsModule m) modules
    -- What is always inlined has nothing to gain.
    gains b =
      bindingUnfolding b `notElem` [AlwaysUnfolding, StableUnfolding] && bindingPragma b == NoPragma
    notElsewhere name = Set.notMember name usedElsewhere
    usedElsewhere =
      Set.fromList
        [ globalName g
          | other <-
              modules,
            g <- factsReexports other,
            globalModule g == factsModule m
        ]
        <> calledElsewhere
        <> Set.fromList
          [ globalName (callTo c)
            | other <- modules,
              factsModule other /= factsModule m,
              c <- factsCalls other,
              globalModule (callTo c) == factsModule m
          ]
    calledElsewhere =
      Set.fromList
        [ globalName g
          | other <- modules,
            factsModule other /= factsModule m,
            b <- factsBindings other,
            spot <- bindingSpots b,
            Just (CalleeGlobal g) <- [calleeOf (spotSight spot)],
            globalModule g == factsModule m
        ]
