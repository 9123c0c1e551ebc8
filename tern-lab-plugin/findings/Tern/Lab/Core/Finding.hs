-- | What is worth a reader's time in the facts of a program.
--
-- Its one idea: a finding is a kind, a place, and the code that it stands in, so that what a run
-- spent there can be laid to it. Without a run it has a weight, which is a heuristic
-- ("Tern.Lab.Core.Finding.Weight").
--
-- Start at 'Finding'. "Tern.Lab.Core.Findings" makes them of facts; the words are in
-- "Tern.Lab.Core.Advice".
module Tern.Lab.Core.Finding
  ( Finding (..),
    FindingKind (..),
    PartId (..),
    Spent (..),
    about,
    listed,
    worthShowing,
  )
where

import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
  ( Bound,
    HeapObject (..),
    ModuleFacts (..),
    Place (..),
    Round (..),
    WhyBoxed (..),
    WhyLost,
  )
import Tern.Lab.Core.Index (Remedy (..), Why (..))
import Tern.Lab.Core.Library (Cost (..))
import Tern.Lab.Core.Tried (Tried)

-- | Something in a program that may cost more than it must.
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
    -- | The functions that it may have been inlined into, if that never ran itself.
    findingCallers :: !(Set PartId),
    -- | Those of the functions that it stands in whose entries say how often it runs: no loop
    -- that stands deeper. Empty, where all do.
    findingEntered :: !(Set PartId),
    -- | The calls of libraries that it is about: the functions that they stand in, and what they
    -- call. Empty, where no such call is left.
    findingCalls :: !(Set (PartId, Text)),
    -- | Those in functions of other modules that have its function inlined, should that itself
    -- never run.
    findingCallsThere :: !(Set (PartId, Text)),
    -- | The functions of the program that it is about calls of: it was made no more often than
    -- they were entered. Empty, where it is about no such call.
    findingCallees :: !(Set PartId),
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
    -- | How much of that is bytes that the run made in the function, and in libraries for it. The
    -- rest is what no counter saw, and work that allocates nothing.
    spentMade :: !Double,
    -- | Of how many functions one or all spent it. One, where it is certain.
    spentAmong :: !Int
  }
  deriving stock (Eq, Show)

-- | What was found, with the names and numbers that its words need.
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
  | -- | Overloaded functions that one cure mends, and their modules, the heaviest first.
    OverloadedTogether ![Text] ![Text]
  | -- | Functions that are only variables, and how much of a hundred bytes waits for those that
    -- give plain values.
    UnknownCalls ![(Text, Bound)] !Int
  | -- | Branches of a case that are lambdas, the arity, that of the type, and how many words
    -- a call makes before it gives the function.
    ArityTooLow !Int !Int !Int !Int
  | -- | Loop and parameters.
    GrowingAccumulator !Text ![Text] !Round
  | AppendsLeft
  | AppendsNothing
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
  | -- | The function, whose calls evaluate what it gives and has not, and how many words that is.
    GivesWaiting !Text !Int
  | GenericRepresentation ![Text]
  | -- | Functions that are used inside the module alone.
    NoExportList ![Text]
  deriving stock (Eq, Ord, Show)

-- | About a module, once and in no loop, with no weight and of no code: what says more
-- changes it.
about :: ModuleFacts -> FindingKind -> Finding
about m kind =
  Finding
    { findingModule = factsModule m,
      findingBinding = T.empty,
      findingIn = Nothing,
      findingPlace = Nothing,
      findingKind = kind,
      findingTimes = 1,
      findingLoops = 0,
      findingWeight = 0,
      findingPart = T.empty,
      findingCode = Set.empty,
      findingCallers = Set.empty,
      findingEntered = Set.empty,
      findingCalls = Set.empty,
      findingCallsThere = Set.empty,
      findingCallees = Set.empty,
      findingMeasured = Nothing,
      findingTried = [],
      findingNumber = 0
    }

-- | What a kind lists: each once, in order, so that equal kinds are equal.
listed :: (Ord a) => [a] -> [a]
listed = Set.toList . Set.fromList

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
    -- Nobody changes a program for less than this part of its bytes.
    least = case findingKind f of
      -- Lists and results are made of something.
      LoopAllocates _ -> 0.05
      UnknownCalls _ 0 -> 0.05
      -- It is for others to cure.
      NotSpecialised _ _ _ _ Upstream -> 0.05
      -- Nor can a list be written otherwise that another package asks for.
      NotUnrolled callee _ | not heavy, T.isInfixOf (T.pack ".") callee -> 0.05
      -- Of those that were said to save less, hardly any saved anything.
      ArityTooLow {} -> 0.01
      OverloadedTogether _ _ -> 0.015
      -- What a walk costs is a guess: nobody knows how long the list is.
      CallsLibrary _ cost | walks cost -> 0.02
      kind
        | not heavy -> 0.01
        | opens kind -> 0.005
        | otherwise -> 0.008
    -- Code that GHC then knows becomes better in more ways than are reckoned here: most of these
    -- saved more than was said.
    opens = \case
      NotSpecialised {} -> True
      UnknownInstance _ _ -> True
      OverloadedBelow _ _ -> True
      NotUnrolled _ _ -> True
      CarriesConstructor {} -> True
      GenericRepresentation _ -> True
      ArityTooLow {} -> False
      OverloadedTogether _ _ -> False
      NotInlined _ _ -> False
      PassesInstances _ _ -> False
      UnknownCalls _ _ -> False
      GrowingAccumulator {} -> False
      AppendsLeft -> False
      AppendsNothing -> False
      AppendsRecursively _ -> False
      LoopAllocates _ -> False
      StoresLazily _ -> False
      CallsLibrary _ _ -> False
      WaitsForResult _ -> False
      KeepsBoxed {} -> False
      GivesBoxed _ _ -> False
      LosesJump _ _ -> False
      GivesWaiting _ _ -> False
      NoExportList _ -> False
    walks = \case
      WalksToIndex -> True
      WalksToLength -> True
      WalksToCompare -> True
      SearchesList -> True
      _ -> False
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
      OverloadedTogether _ _ -> True
      UnknownCalls _ _ -> True
      ArityTooLow {} -> True
      AppendsLeft -> True
      AppendsNothing -> True
      AppendsRecursively _ -> True
      LoopAllocates _ -> not works
      StoresLazily _ -> True
      CallsLibrary _ _ -> True
      CarriesConstructor {} -> True
      WaitsForResult _ -> True
      KeepsBoxed {} -> True
      GivesBoxed _ _ -> True
      LosesJump _ _ -> True
      GivesWaiting _ _ -> True

-- | What is made in many places is what a function is for, and no slip.
isWork :: [Int] -> Bool
isWork times = sum times > 8
