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
    Kind (..),
    Why (..),
    Remedy (..),
    findings,
    worthShowing,
    sourceName,
    Index,
    indexed,
    explain,
    deliberate,
  )
where

import Control.Applicative ((<|>))
import Data.List (sortOn)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (mapMaybe)
import Data.Ord (Down (..))
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts

data Finding = Finding
  { findingModule :: !Text,
    -- | The top-level binding; empty when it is about the module.
    findingBinding :: !Text,
    -- | The local function, if it stands in one.
    findingIn :: !(Maybe Text),
    findingPlace :: !(Maybe Place),
    findingKind :: !Kind,
    findingTimes :: !Int,
    findingLoops :: !Int,
    findingWeight :: !Double,
    -- | The part of the binding that it is in, as GHC calls it.
    findingPart :: !Text,
    -- | Entries and bytes of that part in a run, where one was measured.
    findingMeasured :: !(Maybe (Double, Double))
  }
  deriving stock (Eq, Show)

data Kind
  = -- | A recursive function over a list that stands here.
    NotUnrolled !Text !Int
  | -- | A call that stayed, and why.
    NotInlined !Text !Why
  | -- | An overloaded function at known instances, and what would help.
    NotSpecialised !Text ![Text] !Why !Remedy
  | -- | An overloaded function at instances that this binding takes itself.
    PassesInstances !Text ![Text]
  | -- | Methods of instances that are only known at run time: classes and
    -- methods.
    UnknownInstance ![Text] ![Text]
  | -- | Functions that are only variables.
    UnknownCalls ![(Text, Bound)]
  | -- | Branches of a case that are lambdas.
    ArityTooLow !Int !Int !Int
  | -- | Loop and parameters.
    GrowingAccumulator !Text ![Text]
  | AppendsLeft
  | AppendsRecursively !Text
  | -- | In a loop, per round.
    LoopAllocates ![(HeapObject, Int)]
  | GenericRepresentation ![Text]
  | -- | Functions that are used inside the module alone.
    NoExportList ![Text]
  deriving stock (Eq, Ord, Show)

-- | A reason, as far as all modules together know it.
data Why
  = BecausePragma !Pragma
  | BecauseRecursive
  | -- | Size and threshold.
    BecauseBig !Int !Int
  | BecauseHuge
  | -- | Its module was compiled without optimisation.
    BecauseUnoptimised !Text
  | -- | In another package, whose interface has no unfolding.
    BecauseNoUnfolding
  | -- | The arity.
    BecauseUnsaturated !Int
  | BecauseNoGain
  deriving stock (Eq, Ord, Show)

-- | What would let an overloaded function be specialised.
data Remedy
  = -- | A pragma in this module of the project.
    MarkInlinable !Text
  | -- | It is marked already: ask for the type where it is used.
    AskSpecialise
  | -- | The pragma that stands in the way must go.
    RemovePragma !Text
  | -- | It is another package's business.
    Upstream
  deriving stock (Eq, Ord, Show)

-- * The join

-- | All bindings by module and name.
data Index = Index
  { indexBindings :: !(Map (Text, Text) Binding),
    indexOptimised :: !(Map Text Bool),
    -- | Those with versions for known types.
    indexSpecialised :: !(Set.Set (Text, Text)),
    -- | Around how many loops of other bindings each is called.
    indexHeat :: !(Map (Text, Text) Int)
  }

indexed :: [ModuleFacts] -> Index
indexed modules =
  Index
    { indexBindings = Map.fromList [((factsModule m, bindingName b), b) | m <- modules, b <- factsBindings m],
      indexOptimised = Map.fromList [(factsModule m, factsOptimised m) | m <- modules],
      indexSpecialised = Set.fromList [(factsModule m, maybe (bindingName b) ownerName (bindingOwner b)) | m <- modules, b <- factsBindings m, bindingSpecialised b],
      indexHeat = heated (3 :: Int) Map.empty
    }
  where
    -- Callers of callers, as far as the weight can tell.
    heated 0 known = known
    heated n known = heated (n - 1) (Map.fromListWith max (concatMap (callsFrom known) modules))
    callsFrom known m =
      [ (callee, min 2 loops)
        | b <- factsBindings m,
          let self = (factsModule m, bindingName b),
          spot <- bindingSpots b,
          Just callee <- [place m (spotSight spot)],
          callee /= self,
          let loops = spotLoops spot + Map.findWithDefault 0 self known,
          loops > 0
      ]
    place m sight = case calleeOf sight of
      Just (CalleeGlobal g) -> Just (globalModule g, globalName g)
      Just (CalleeHere name) -> Just (factsModule m, name)
      Nothing -> Nothing

-- | Why a call stayed, by what its module knows.
explain :: Index -> Callee -> Reason -> Why
explain index callee reason = case reason of
  Pragmatic pragma -> BecausePragma pragma
  Recursive -> BecauseRecursive
  TooBig size threshold -> BecauseBig size threshold
  Huge -> BecauseHuge
  Unsaturated arity -> BecauseUnsaturated arity
  NoGain -> BecauseNoGain
  NoUnfoldingThere -> case callee of
    CalleeGlobal g
      | Map.lookup (globalModule g) (indexOptimised index) == Just False -> BecauseUnoptimised (globalModule g)
      | Just b <- Map.lookup (globalModule g, globalName g) (indexBindings index) -> known b
    _ -> BecauseNoUnfolding
  where
    known b
      | NoInline _ <- bindingPragma b = BecausePragma (bindingPragma b)
      | bindingRecursive b = BecauseRecursive
      | otherwise = BecauseHuge

remedy :: Index -> Text -> Callee -> Remedy
remedy index here = \case
  CalleeHere name -> maybe (MarkInlinable here) (marked here) (Map.lookup (here, name) (indexBindings index))
  CalleeGlobal g -> maybe Upstream (marked (globalModule g)) (Map.lookup (globalModule g, globalName g) (indexBindings index))
  where
    marked place b = case bindingPragma b of
      NoInline _ -> RemovePragma place
      Inlinable -> AskSpecialise
      Inline -> AskSpecialise
      NoPragma -> MarkInlinable place

-- * Findings

-- | Of all modules, the weightiest first.
findings :: [ModuleFacts] -> [Finding]
findings modules = sortOn (Down . findingWeight) (together (concatMap ofModule modules))
  where
    index = indexed modules
    ofModule m = exportList modules m <> concatMap (ofBinding index m) (factsBindings m)

-- | What several parts of one written binding have in common is said once.
together :: [Finding] -> [Finding]
together every = Map.elems (Map.fromListWith joined [((findingModule f, sourceName (findingBinding f), findingIn f, findingKind f), f) | f <- every])
  where
    joined b a = a {findingTimes = findingTimes a + findingTimes b, findingWeight = max (findingWeight a) (findingWeight b)}

-- | The name in the source: a worker and a specialisation are called by what
-- they were made of.
--
-- >>> map sourceName ["$wgo", "$sloop", "$w$cshow", "f"]
-- ["go","loop","show","f"]
sourceName :: Text -> Text
sourceName name = case mapMaybe (`T.stripPrefix` name) ["$w", "$s", "$c", "$dm"] of
  rest : _ | not (T.null rest) -> sourceName rest
  _ -> name

-- | Clean code shows nothing: a weight below this is a detail.
worthShowing :: Finding -> Bool
worthShowing f = findingWeight f >= 10

ofBinding :: Index -> ModuleFacts -> Binding -> [Finding]
ofBinding index m b =
  map weighed $
    [here Nothing Nothing (GenericRepresentation (bindingGeneric b)) 1 0 (if bindingGenericType b then 2 else 60) | not (null (bindingGeneric b)), not inlinedElsewhere]
      <> mapMaybe single (bindingSpots b)
      <> grouped methods (\_ names -> UnknownInstance (unique (map fst names)) (unique (map snd names)))
      <> grouped unknown (\_ calls -> UnknownCalls (unique calls))
      <> grouped accumulators (\loop parameters -> GrowingAccumulator loop (unique parameters))
      <> grouped allocations (\_ objects -> LoopAllocates (Map.toList (Map.fromListWith (+) objects)))
  where
    here local place kind times loops weight =
      Finding
        { findingModule = factsModule m,
          findingBinding = maybe (bindingName b) ownerName (bindingOwner b),
          findingIn = case local of
            Nothing | Just _ <- bindingOwner b -> Just (bindingName b)
            _ -> local,
          findingPlace = place <|> bindingPlace b,
          findingKind = kind,
          findingTimes = times,
          findingLoops = loops,
          findingWeight = weight,
          findingPart = bindingName b,
          findingMeasured = Nothing
        }
    -- What is inlined or specialised where it is used is weighed there.
    inlinedElsewhere = bindingUnfolding b `elem` [StableUnfolding, AlwaysUnfolding] || Set.member (factsModule m, owner) (indexSpecialised index)
    owner = maybe (bindingName b) ownerName (bindingOwner b)
    madeOfWritten = case bindingOwner b of
      Just (MadeOf _) -> True
      _ -> False
    weighed f = f {findingWeight = findingWeight f * loopFactor (findingLoops f) * originFactor (findingKind f)}
    loopFactor n
      | n <= 0 = 1
      | n == 1 = 10
      | otherwise = 30 :: Double
    heat = Map.findWithDefault 0 (factsModule m, bindingName b) (indexHeat index)
    originFactor kind
      -- A template, inlined where it is used and weighed there.
      | bindingPragma b == Inline, bindingUnfolding b == StableUnfolding = 0.02
      | Instance name <- bindingOrigin b, derivable name = 0.1
      | Just name <- T.stripPrefix "$f" owner, derivable name = 0.1
      -- Code of a library that was inlined here: its own affair.
      | aboutLoops kind, bindingOrigin b == Made, not madeOfWritten = 0.01
      | NotSpecialised {} <- kind = 1
      | bindingArity b == 0 && not (bindingRecursive b) = 0.2
      | otherwise = 1
    aboutLoops = \case
      LoopAllocates _ -> True
      GrowingAccumulator _ _ -> True
      UnknownCalls _ -> True
      UnknownInstance _ _ -> True
      _ -> False
    derivable name =
      any (`T.isPrefixOf` name) ["Show", "Read", "Eq", "Ord", "Enum", "Bounded", "Ix", "Data", "Lift", "Generic"]
        || name `elem` ["show", "showsPrec", "showList", "readPrec", "readsPrec", "readList", "readListPrec", "compare", "==", "/=", "<", "<=", ">", ">=", "min", "max"]
        || name `elem` ["toEnum", "fromEnum", "enumFrom", "enumFromTo", "enumFromThen", "enumFromThenTo", "succ", "pred", "from", "to", "range", "index", "inRange", "minBound", "maxBound"]
    at spot kind times loops = here (spotIn spot) (spotPlace spot) kind times (loops + heat)
    single spot = case spotSight spot of
      LiteralList callee n | not (deliberate index callee) -> Just (at spot (NotUnrolled (calleeName callee) n) (spotTimes spot) (spotLoops spot) (60 + fromIntegral n))
      Overloaded callee dictionaries reason
        | deliberate index callee || inlinedElsewhere -> Nothing
        | all dictionaryKnown dictionaries ->
            let how = remedy index (factsModule m) callee
             in Just (at spot (NotSpecialised (calleeName callee) (map dictionaryType dictionaries) (explain index callee reason) how) (spotTimes spot) (spotLoops spot) (specialiseWeight how))
        | otherwise -> Just (at spot (PassesInstances (calleeName callee) (map dictionaryType dictionaries)) (spotTimes spot) (spotLoops spot) 0.3)
      Stayed callee given reason
        | deliberate index callee -> Nothing
        | otherwise ->
            let why = explain index callee reason
             in Just (at spot (NotInlined (calleeName callee) why) (spotTimes spot) (spotLoops spot) (callWeight callee given why))
      LambdaUnderCase n arity typeArity -> Just (at spot (ArityTooLow n arity typeArity) (spotTimes spot) (min 1 (spotLoops spot + heat) - heat) 20)
      LeftAppend -> Just (at spot AppendsLeft (spotTimes spot) (spotLoops spot) 12)
      RecursiveAppend loop -> Just (at spot (AppendsRecursively loop) (spotTimes spot) (spotLoops spot) 15)
      _ -> Nothing
    -- What only another package could change, and what somebody has kept apart
    -- on purpose, are lesser news.
    specialiseWeight = \case
      Upstream -> 1.2
      RemovePragma _ -> 4
      _ -> 15
    -- A call of a known function is what programs are made of; only a pragma
    -- that keeps it in a loop is more than a detail.
    callWeight callee _ = \case
      BecausePragma (NoInline _) | inProject callee -> 2
      BecauseUnoptimised _ -> 4
      _ -> 0.02 :: Double
    inProject = \case
      CalleeHere _ -> True
      CalleeGlobal g -> Map.member (globalModule g) (indexOptimised index)
    -- Spots of one sort, those in the same local function together.
    grouped :: (Spot -> Maybe (Text, x)) -> (Text -> [x] -> Kind) -> [Finding]
    grouped select kind =
      [ at spot (kind key (map fst group)) (sum (map (spotTimes . snd) group)) (maximum (map (spotLoops . snd) group)) weight
        | ((_, key), group@((_, spot) : _)) <- Map.toList (Map.fromListWith (flip (<>)) [((spotIn s, key), [(x, s)]) | s <- bindingSpots b, Just (key, x) <- [select s]]),
          let weight = sum [fromIntegral (min 6 (spotTimes s)) * spotWeight s | (_, s) <- group],
          weight > 0
      ]
    spotWeight s = case spotSight s of
      Method _ _ -> if inlinedElsewhere then 0 else 2
      Unknown _ _ -> if inlinedElsewhere || spotLoops s + heat == 0 then 0 else 0.6
      LazyAccumulator _ _ -> 5
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
      Unknown name bound -> Just (T.empty, (name, bound))
      _ -> Nothing
    accumulators s = case spotSight s of
      LazyAccumulator loop parameter -> Just (loop, parameter)
      _ -> Nothing
    allocations s = case spotSight s of
      Allocated object | spotLoops s > 0, not (isConstructor object) -> Just (T.empty, (object, spotTimes s))
      _ -> Nothing
    isConstructor = \case
      Constructor _ -> True
      _ -> False

ownerName :: Owner -> Text
ownerName = \case
  MadeOf name -> name
  UsedBy name -> name

calleeOf :: Sight -> Maybe Callee
calleeOf = \case
  Stayed c _ _ -> Just c
  Overloaded c _ _ -> Just c
  LiteralList c _ -> Just c
  _ -> Nothing

unique :: (Ord a) => [a] -> [a]
unique = Set.toList . Set.fromList

calleeName :: Callee -> Text
calleeName = \case
  CalleeGlobal g -> T.concat [globalModule g, ".", globalName g]
  CalleeHere name -> name

-- | Is it kept apart on purpose by the library that has it?
deliberate :: Index -> Callee -> Bool
deliberate index = \case
  CalleeGlobal g -> Set.member (globalName g) barriers && not (Map.member (globalModule g) (indexOptimised index))
  CalleeHere _ -> False

-- | Calls that libraries keep apart on purpose.
barriers :: Set.Set Text
barriers =
  Set.fromList
    [ "toLazyByteString",
      "toLazyByteStringWith",
      "hPutBuilder",
      "unsafePerformIO",
      "unsafeDupablePerformIO",
      "noDuplicate",
      "runRW#",
      "lazy",
      "seq",
      "unpackCString#",
      "unpackAppendCString#",
      "unpackFoldrCString#",
      "mallocPlainForeignPtrBytes",
      "atomicModifyIORef'",
      "toStrict",
      "raiseIO#",
      "keepAlive#",
      "traceEvent"
    ]

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
            findingPlace = if T.null (factsSource m) then Nothing else Just (Place (factsSource m) 1 1),
            findingKind = NoExportList inner,
            findingTimes = length inner,
            findingLoops = 0,
            findingWeight = 10 + 2 * fromIntegral (length inner),
            findingPart = T.empty,
            findingMeasured = Nothing
          }
      ]
  where
    inner = [bindingName b | b <- factsBindings m, bindingOrigin b == Written, bindingArity b > 0, bindingUses b > 0, notElsewhere (bindingName b), gains b]
    imported = any (\other -> factsModule other /= factsModule m) modules
    -- What is always inlined has nothing to gain.
    gains b = bindingUnfolding b `notElem` [AlwaysUnfolding, StableUnfolding] && bindingPragma b == NoPragma
    notElsewhere name = Set.notMember name usedElsewhere
    usedElsewhere =
      Set.fromList [globalName g | other <- modules, g <- factsReexports other, globalModule g == factsModule m] <> calledElsewhere
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
