-- | What a cure would plausibly save of a run.
--
-- Its one idea: findings are compared in one unit, bytes of this run. A cure
-- takes away a part of what the function allocated, by the kind of the finding;
-- work that allocates nothing counts as some bytes for each entry; and where a
-- library does the work, some of what no counter saw is the finding's, up to so
-- many bytes for each entry. What waits is one computation of some words for each entry, and
-- no more is saved by evaluating it. The parts are rough: the order is meant, and what is
-- below a floor.
--
-- Start at 'saving'.
module Tern.Lab.Core.Saving
  ( Saving (..),
    Work (..),
    saving,
  )
where

import Tern.Lab.Core.Facts (Round (..), WhyBoxed (..))
import Tern.Lab.Core.Finding (FindingKind (..))
import Tern.Lab.Core.Index (Remedy (..))
import Tern.Lab.Core.Library (Cost (..))

-- | The factors and bounds that make of what a run spent what a cure would save.
data Saving = Saving
  { -- | Of the bytes that the function allocated, from 0 to 1.
    savingOwn :: !Double,
    -- | Bytes for each entry that its work is worth.
    savingEntry :: !Double,
    -- | Of the bytes that libraries allocated for calls in the function, from 0 to 1.
    savingCalls :: !Double,
    -- | The most bytes of libraries that an entry may have caused besides: what is made
    -- lazily is made where it is asked for.
    savingLibrary :: !Double,
    -- | The most of its own bytes that an entry can be worth: what is kept is some words.
    savingMost :: !Double,
    -- | Bytes for each entry that its result needs, however it is written.
    savingNeeded :: !Double,
    -- | The least bytes that are made each time that it is done: where fewer were made, it was
    -- done less often. Nought where nothing need be made.
    savingGiven :: !Double,
    -- | The most bytes that a call can be worth, where all that the function does may be its; of
    -- overloaded functions, an entry of what asks an instance for a method.
    savingWhole :: !(Maybe Double),
    savingWork :: !Work
  }
  deriving stock (Eq, Show)

-- | Who allocates what the cure of a call would save.
data Work
  = -- | The call, which copies an array: the bytes are those of the copy.
    OfCopy
  | -- | The call, and no other of the function.
    OfCall
  | -- | The function, and whatever it calls.
    OfFunction
  | -- | The same, and nothing of it is left for who asks for the result.
    OfPresent
  deriving stock (Eq, Show)

-- | The figures of a kind, which are the same for every program.
saving :: FindingKind -> Saving
saving = \case
  NotUnrolled _ _ -> part 0.5 8 0 0 unbounded
  NotInlined _ _ -> part 0.1 8 0 0 unbounded
  -- Such flags as its own package may need were tried, and gave nothing.
  NotSpecialised _ _ _ _ Upstream -> part 0.1 8 0 0 unbounded
  NotSpecialised {} -> part 0.3 32 0 0 unbounded
  PassesInstances _ _ -> part 0 1 0 0 unbounded
  UnknownInstance _ _ -> part 0.5 16 0 0 unbounded
  OverloadedBelow _ _ -> part 0.5 16 0 0 unbounded
  -- All that they allocate is theirs here, and what libraries allocate for them. It saved from 8
  -- to 54 hundredths of the runs in docs/core-on-debian-packages.md.
  OverloadedTogether _ _ -> (part 0.3 0 0.4 0 unbounded) {savingWhole = Just givenBytes}
  UnknownCalls _ made
    | made > 0 -> part (fromIntegral made / 100) 0 0 0 unbounded
    | otherwise -> part 0.15 4 0 0 unbounded
  -- Who did not come to the branch that makes a function has allocated nothing.
  ArityTooLow _ _ _ made -> part 1 0 0 0 (word * fromIntegral made)
  GrowingAccumulator _ parameters when -> case when of
    AtOnce -> part 1 8 0 0 (waiting * count parameters)
    Looking -> part 0.4 4 0 0 (waiting * count parameters)
    -- One in each round, as long as the loop runs.
    Evaluating -> part 1 4 0 0 (waiting * count parameters)
    OnDemand -> part 0.05 0 0 0 unbounded
  -- The right part of the inner append is copied once, as it must be.
  AppendsLeft -> part 0.5 0 0 0 unbounded
  AppendsNothing -> part 0.9 0 0 0 unbounded
  AppendsRecursively _ -> (part 0.9 0 0 0 unbounded) {savingNeeded = copiedCell}
  LoopAllocates _ -> part 0.2 0 0 0 unbounded
  StoresLazily _ -> part 1 8 0 0 waiting
  WaitsForResult _ -> part 1 8 0 0 unbounded
  CarriesConstructor {} -> part 0.4 4 0 0 unbounded
  KeepsBoxed _ _ why -> case why of
    HandedOn -> part 0.6 0 0 0 unbounded
    _ -> part 0.35 0 0 0 unbounded
  GivesBoxed _ _ -> part 0.5 0 0 0 unbounded
  LosesJump _ _ -> part 0.5 0 0 0 unbounded
  GivesWaiting _ made -> part 0.7 0 0 0 (word * fromIntegral made)
  GenericRepresentation _ -> part 0.5 16 0 0 unbounded
  NoExportList _ -> part 0.05 4 0 0 unbounded
  CallsLibrary _ cost -> case cost of
    WalksToIndex -> part 0 256 0 0 unbounded
    WalksToLength -> part 0 256 0 0 unbounded
    WalksToCompare -> part 0 256 0 0 unbounded
    SearchesList -> part 0 64 0 0 unbounded
    SortsAgain -> part 0.2 0 0.9 10_000 unbounded
    ComparesAll -> part 0.1 1024 0.5 4096 unbounded
    CopiesAll -> (part 0.2 0 0.9 100_000 unbounded) {savingWork = OfCopy}
    -- What is kept in its place is kept somewhere.
    CopiesVector ->
      (part 0.2 0 0.95 10_000_000 unbounded) {savingNeeded = keptCell, savingWork = OfCopy}
    -- The nodes of the container are made in any case.
    KeepsValues -> part 0.25 4 0.1 waiting waiting
    KeepsState -> part 1 8 0.1 16 waiting
    KeepsRecord -> part 1 8 0.1 50 keptBytes
    -- What is evaluated is kept in a box, which has bytes as well. With all of their bytes counted,
    -- seven in docs/core-on-debian-packages.md would save up to 30 %; one of them saved 1 %.
    KeepsFields -> part 0.4 4 0.1 0 (0.4 * keptBytes)
    HandsFields -> part 0.5 8 0 0 keptBytes
    GivesFields -> part 0.5 8 0 0 keptBytes
    GathersLog -> part 1 8 0.6 40 unbounded
    GathersList -> part 1 8 0.6 40 unbounded
    -- A piece that is put in front and reversed, or composed, is made as well.
    CopiesList -> (part 0.9 0 0 0 unbounded) {savingNeeded = copiedCell}
    ChangesList -> part 0.9 0 0.9 10_000 unbounded
    LengthensField -> (part 0.9 0 0 0 unbounded) {savingNeeded = copiedCell}
    -- The innermost texts are copied once in any case.
    CopiesNested -> (part 0.9 0 0 0 unbounded) {savingNeeded = copiedCell}
    -- What stays in one piece is still copied.
    MakesSingles -> part 0.6 0 0.7 100 unbounded
    -- Parsers of a character are shared with what has no such end.
    TriesEnd -> (part 0.4 0 0.5 1_000 unbounded) {savingWhole = Just triedBytes}
    -- All bytes of its calls are its own.
    ReversesToLook ->
      (part 0 0 0.95 0 unbounded) {savingWhole = Just unbounded, savingWork = OfCall}
    -- What is put into the buffer is made in any case.
    RunsBuilder -> (part 0 0 0.5 0 unbounded) {savingWhole = Just bufferBytes, savingWork = OfCall}
    KeepsSteps -> part 0.5 8 0.8 100 unbounded
    KeepsPipeline -> part 0.3 0 0.5 10_000 unbounded
    KeepsRange -> part 0.2 8 0.3 40 unbounded
    ThroughString -> (part 0.5 0 0.9 10_000 unbounded) {savingWork = OfPresent}
    ThroughList -> part 0.5 0 0.8 10_000 unbounded
    ParsesByRead -> (part 0.5 0 0.9 4_000 unbounded) {savingWork = OfCall}
    ShowsToLook -> part 0.5 0 0.8 500 unbounded
    ShowsToFind -> part 0.5 0 0.8 500 unbounded
    InterpretsFormat ->
      (part 0.5 0 0.8 3_000 unbounded) {savingGiven = argumentBytes, savingWork = OfCall}
    BoxesElements -> part 0.4 0 0.5 10_000 unbounded
    DefaultsInteger -> part 0.5 16 0.9 16 unbounded
  where
    part own entry calls library most =
      Saving
        { savingOwn = own,
          savingEntry = entry,
          savingCalls = calls,
          savingLibrary = library,
          savingMost = most,
          savingNeeded = 0,
          savingGiven = 0,
          savingWhole = Nothing,
          savingWork = OfFunction
        }
    unbounded = 1e18
    -- A computation that waits, with what it waits for: 36 to 40 bytes were saved for each
    -- by bangs in the packages of docs/core-on-debian-packages.md.
    waiting = 48
    count = fromIntegral . max 1 . length
    -- Some cells of a list that are copied as they are asked for: who takes the rest as an
    -- argument makes a function or a computation for each call, and copies its own part too.
    copiedCell = 4 * 56
    -- A cell of the list of a format's arguments.
    argumentBytes = 24
    -- For each entry of what asks an instance: from 54 to 286 were saved in the packages of
    -- docs/core-on-debian-packages.md.
    givenBytes = 300
    -- Some characters up to the end: 10.2 and 10.9 kB were saved for each call in ofx and mustache.
    triedBytes = 10_000
    -- Of a buffer of 4 kB, with a small one in its place: 2.1 kB were saved for each call in dbus.
    bufferBytes = 2_048
    -- A cell of a list, and its part of the array that is made of it in the end: of short vectors
    -- little more was copied, and little saved, in vty.
    keptCell = 64
    word = 8
    -- A computation for each of some fields, with what it waits for.
    keptBytes = 160
