-- | What a call of a library's function can cost.
--
-- Its one idea: each cost has one cure, and a weight that is compared with those of other
-- findings where nothing was measured. The words are in "Tern.Lab.Core.Advice".
--
-- Start at 'Cost'.
module Tern.Lab.Core.Library.Cost
  ( Cost (..),
    weightOf,
    waits,
    bySize,
  )
where

-- | What a call does that costs more than it looks like.
data Cost
  = -- | Walks a list to a number.
    WalksToIndex
  | -- | Walks a list to its end.
    WalksToLength
  | -- | Walks what is left of a list to its end, only to compare how long it is.
    WalksToCompare
  | -- | Walks a list in search of an element.
    SearchesList
  | -- | Sorts what was in order a round before, for one more element.
    SortsAgain
  | -- | Compares each element with all before it.
    ComparesAll
  | -- | Copies a text, for one more piece.
    CopiesAll
  | -- | Copies a vector or array, for one more element.
    CopiesVector
  | -- | Puts computations into a container, where the next is made of the last.
    KeepsValues
  | -- | Puts computations into a cell or a state.
    KeepsState
  | -- | The same of a record whose fields are computations too.
    KeepsRecord
  | -- | Evaluates an accumulator, and not its fields.
    KeepsFields
  | -- | A loop hands a record to its next round whose fields are computations.
    HandsFields
  | -- | Gives a record whose fields wait for those of the one that it was given.
    GivesFields
  | -- | A writer's log is put together after all has run.
    GathersLog
  | -- | The same of one that is copied where pieces are put to its end.
    GathersList
  | -- | Copies a list, for some more elements at its end.
    CopiesList
  | -- | Copies all of a list before the place where it is changed.
    ChangesList
  | -- | Copies a list of a record, for some more elements at its end.
    LengthensField
  | -- | Copies a text into another of its kind.
    CopiesNested
  | -- | Makes a text of each character, and puts these together.
    MakesSingles
  | -- | A parser tries at each character whether the end has come.
    TriesEnd
  | -- | Makes a list anew in reverse, for one element of it.
    ReversesToLook
  | -- | Takes a buffer, for a piece that may be small.
    RunsBuilder
  | -- | Goes steps without evaluating any of them.
    KeepsSteps
  | -- | A vector is made, since it is used again.
    KeepsPipeline
  | -- | A range of numbers becomes a list, since it is used again.
    KeepsRange
  | -- | From packed text to a list of characters and back.
    ThroughString
  | -- | From a vector to a list and back.
    ThroughList
  | -- | Parses by the grammar of Haskell.
    ParsesByRead
  | -- | Makes characters of a number in order to look at them.
    ShowsToLook
  | -- | Makes characters of a value in order to find it again.
    ShowsToFind
  | -- | Interprets its format at run time.
    InterpretsFormat
  | -- | Keeps a pointer to a box for each number.
    BoxesElements
  | -- | Counts in a type that nobody has chosen.
    DefaultsInteger
  deriving stock (Eq, Ord, Show, Enum, Bounded)

-- | What a finding of it weighs outside loops.
weightOf :: Cost -> Double
weightOf = \case
  WalksToIndex -> 4
  WalksToLength -> 4
  WalksToCompare -> 4
  SearchesList -> 3
  SortsAgain -> 6
  ComparesAll -> 12
  CopiesAll -> 6
  CopiesVector -> 8
  KeepsValues -> 5
  KeepsState -> 5
  KeepsRecord -> 5
  KeepsFields -> 5
  HandsFields -> 5
  GivesFields -> 5
  GathersLog -> 5
  GathersList -> 5
  KeepsRange -> 10
  CopiesList -> 5
  ChangesList -> 5
  LengthensField -> 5
  CopiesNested -> 5
  MakesSingles -> 11
  TriesEnd -> 11
  ReversesToLook -> 6
  -- Only a run says how small the pieces are.
  RunsBuilder -> 0.1
  KeepsSteps -> 3
  KeepsPipeline -> 10
  ThroughString -> 11
  ThroughList -> 11
  ParsesByRead -> 4
  ShowsToLook -> 2
  ShowsToFind -> 2
  InterpretsFormat -> 3
  BoxesElements -> 10
  DefaultsInteger -> 2

-- | Does it cost only where something is left unevaluated in the end? GHC may
-- have seen that all is needed.
waits :: Cost -> Bool
waits = \case
  KeepsState -> True
  KeepsRecord -> True
  KeepsFields -> True
  HandsFields -> True
  GivesFields -> True
  _ -> False

-- | Does it cost by the size of what it is given, wherever it stands? The others cost little
-- outside of loops.
bySize :: Cost -> Bool
bySize = \case
  ComparesAll -> True
  ThroughString -> True
  ThroughList -> True
  BoxesElements -> True
  CopiesNested -> True
  MakesSingles -> True
  TriesEnd -> True
  KeepsRange -> True
  KeepsPipeline -> True
  WalksToIndex -> False
  WalksToLength -> False
  WalksToCompare -> False
  SearchesList -> False
  SortsAgain -> False
  CopiesAll -> False
  CopiesVector -> False
  KeepsValues -> False
  KeepsState -> False
  KeepsRecord -> False
  KeepsFields -> False
  HandsFields -> False
  GivesFields -> False
  GathersLog -> False
  GathersList -> False
  CopiesList -> False
  ChangesList -> False
  LengthensField -> False
  KeepsSteps -> False
  ParsesByRead -> False
  ShowsToLook -> False
  ShowsToFind -> False
  InterpretsFormat -> False
  DefaultsInteger -> False
  ReversesToLook -> False
  RunsBuilder -> False
