{-# LANGUAGE OverloadedStrings #-}

-- | Why something was left, in words.
--
-- Start at 'renderWhy'.
module Tern.Lab.Core.Advice.Reason
  ( renderWhy,
    because,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Advice.Word
import Tern.Lab.Core.Facts
  ( Pragma (..),
    Round (..),
    WhyBoxed (..),
    WhyLost (..),
  )
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..))
import Tern.Lab.Core.Index (Why (..))
import Tern.Lab.Core.Library (Cost (..))

-- | Why it was left.
renderWhy :: Finding -> Text
renderWhy f = case findingKind f of
  NotUnrolled _ _ ->
    "a recursive function is never inlined, so the list is built and taken apart again"
  NotInlined _ why -> because why
  NotSpecialised _ _ why _ _ -> T.concat ["it was not specialised: ", because why]
  PassesInstances _ _ -> "this binding is overloaded itself, so the instances arrive at run time"
  UnknownInstance _ _ ->
    "each method is fetched from a record of functions and called through a pointer; nothing \
    \about it can be optimised"
  OverloadedBelow root _ ->
    T.concat
      [ short root,
        " is called at known instances, but only what GHC may look into on the whole way from \
        \there has a version for them"
      ]
  OverloadedTogether _ _ ->
    "there is no version of them for those instances, so that each method is fetched from a record \
    \and called through a pointer, and what they give to libraries is looked up there, too"
  UnknownCalls _ made
    | made > 0 ->
        "of a function that arrives at run time nobody knows here what it evaluates, so what it is \
        \given waits in a thunk, and what it gives comes in a box"
    | otherwise ->
        "a function that arrives at run time (a continuation, a callback) cannot be inlined; the \
        \caller must make a closure for it"
  ArityTooLow {} ->
    "GHC must keep the work of the case apart from the work of the function, in case one result \
    \is called many times"
  GrowingAccumulator _ _ AtOnce ->
    "nothing in the loop needs its value, so a chain of thunks as long as the input is built"
  GrowingAccumulator _ _ Looking ->
    "only some rounds of the loop need its value; from one of them to the next a chain of \
    \thunks is built"
  GrowingAccumulator _ _ Evaluating ->
    "each round evaluates what it was handed, but some way out of the loop does not: so a thunk is \
    \made in each round, and what it will hold stays in a box"
  GrowingAccumulator _ _ OnDemand ->
    "nothing in the loop needs its value; but each round waits until its result is asked for, \
    \so the chain is only long where the results are taken without the values"
  AppendsLeft -> "the left list is walked and copied once for each append"
  AppendsNothing ->
    "the list is walked and copied, and nothing comes after it: where >>= puts lists together, \
    \what return gives has an empty one, which ap, liftM and <*> by them append to all the rest"
  AppendsRecursively _ -> "each step walks and copies all that the steps before it made"
  KeepsBoxed _ _ why -> T.concat ["it has no worker that takes it in a register: ", boxed why]
  GivesBoxed _ why -> T.concat ["it has no worker that gives it in a register: ", boxed why]
  LosesJump _ why ->
    T.concat
      [ "it is no place to jump to (a join point), since in another branch it ",
        case why of
          Jumps -> "is not called last"
          InMiddle -> "is called for a result that more is done with"
          InThunk -> "is called in what waits until it is asked for"
          InFunction -> "is called by a function that is made there"
          AsValue -> "is handed on as a value"
      ]
  LoopAllocates _ ->
    "the value is stored, passed to an unknown function or not needed at once, so it cannot \
    \stay in registers"
  GenericRepresentation _ ->
    "some function between from and to was not inlined, so the representation is built at run time"
  StoresLazily _ ->
    "nothing needs the value when it is stored; where the next is made of it, a chain of thunks \
    \grows"
  CallsLibrary _ cost -> case cost of
    WalksToIndex -> "it walks the list from its beginning each time"
    WalksToLength -> "it walks the whole list in each round, and the list stays the same"
    WalksToCompare ->
      "it walks all that is left of the list in each round, where some elements would tell"
    SearchesList ->
      "it walks the list until it finds the element, and all of it where there is none"
    SortsAgain ->
      "what a round before has put in order is compared and made again as a whole, for what is new"
    ComparesAll ->
      "it compares each element with all different ones before it: time grows with their square"
    CopiesAll -> "it copies all that there is for each piece that is added"
    CopiesVector -> "it copies the whole vector for each change"
    KeepsValues ->
      "the container is lazy in its values: it keeps a computation, and the next one is made of \
      \it, so that a chain grows"
    KeepsState ->
      "it keeps a computation and no value, and the next one is made of it, so that a chain grows"
    KeepsRecord ->
      "it keeps a record whose fields are computations, and the next one is made of them, so that \
      \chains grow"
    KeepsFields ->
      "only the constructor is evaluated; each field is a computation that is made of the one \
      \before, so that a chain grows"
    GivesFields ->
      "only the constructor is made; whoever calls it again and again with what it gave has in \
      \each field a chain of computations"
    HandsFields ->
      "only the constructor is made; each field is a computation that is made of the one of the \
      \round before, so that a chain grows"
    GathersLog -> gathered
    GathersList -> gathered
    KeepsRange ->
      "the range is used again, so that it is kept as a list and is not fused with the loop"
    LengthensField ->
      "it walks and copies all that the record has, for each piece that comes to its end"
    CopiesNested ->
      "each text is copied into the one that it is put into, and again with that one: a part is \
      \copied as often as it is deep"
    MakesSingles ->
      "each character becomes an object of its own, and a cell of a list, and is copied by itself"
    TriesEnd ->
      "the end is tried first at each character, and each time that it is not there an error is \
      \made and thrown away"
    ReversesToLook -> "all of the list is made again, only to look at one element of it"
    RunsBuilder ->
      "it takes a buffer of 4 kB in each round, however little is put into it"
    ChangesList -> "it walks and copies all that stands before the place, for each change"
    CopiesList -> "it walks and copies all that there is for each piece that is added at the end"
    KeepsSteps ->
      "no step is evaluated before the last is asked for: a chain of computations as long as \
      \the way, beside a list of them"
    KeepsPipeline ->
      "the vector is used again, so that it is made in memory and is not fused with what uses it"
    ThroughString -> "each character becomes three objects on the heap"
    ThroughList ->
      "each element becomes a list cell, and all that there is is built anew"
    ParsesByRead ->
      "it parses by the grammar of Haskell, with a list of all readings, character by character"
    ShowsToLook -> "each digit becomes a character in a list, which is then looked at"
    ShowsToFind ->
      "the value becomes a list of characters, and each comparison goes along two of those"
    InterpretsFormat ->
      "the format is interpreted, character by character of a String, in each round"
    BoxesElements -> "each element is a pointer to a box, or to a computation that is not done"
    DefaultsInteger ->
      "where no signature says more, GHC takes Integer, whose operations are calls that look \
      \for large numbers first"
  GivesWaiting _ _ ->
    "return and pairs are lazy in what they are given, and a function is compiled without knowing \
    \what its callers do with its result: so it makes a computation, and a box for its value"
  WaitsForResult _ ->
    "each round keeps a computation of all the rounds below it, and one for each part; nothing is \
    \evaluated until the last is asked for"
  CarriesConstructor {} ->
    "the module is compiled without SpecConstr (it comes with -O2), so the loop has no version \
    \for arguments that are in constructors"
  NoExportList _ ->
    "GHC must keep them as any other module might call them, and cannot specialise them to \
    \their calls"

-- | A reason for a call that stayed.
because :: Why -> Text
because = \case
  BecausePragma (NoInline phase)
    | T.null phase -> "it is marked NOINLINE"
    | otherwise -> T.concat ["it is marked NOINLINE ", phase]
  BecausePragma _ -> "its pragma has not fired"
  BecauseRecursive -> "it is recursive"
  BecauseBig size threshold ->
    T.concat
      [ "it is too big: size ",
        number size,
        ", and GHC inlines up to ",
        number threshold,
        " without further reason"
      ]
  BecauseHuge -> "it is too big to have an unfolding at all"
  BecauseUnoptimised name ->
    T.concat [name, " was compiled without -O, so nothing of it can be inlined"]
  BecauseNoUnfolding ->
    "its package's interface has no unfolding (it is recursive, too big or marked NOINLINE there)"
  BecauseUnsaturated arity -> T.concat ["it is given fewer than its ", number arity, " arguments"]
  BecauseNoGain -> "GHC saw no gain in inlining it here"

-- | What the analysis of demand or of results says.
boxed :: WhyBoxed -> Text
boxed = \case
  LazilyUsed ->
    "by the analysis of demand some round ends without its value, so that it may not be computed \
    \early"
  HandedOn ->
    "its box is needed, whether or not its value is: some branch stores it or hands it on as it is"
  GivenUnknown f ->
    T.concat [byResults, "one branch gives what ", f, " gives, which is only a variable"]
  GivenBack v -> T.concat [byResults, "one branch gives ", v, " back as it came"]
  GivenBy f ->
    T.concat [byResults, "one branch gives what ", f, " makes, which comes in a box"]
  where
    byResults = "by the analysis of results "

-- | Of a log.
gathered :: Text
gathered =
  "each step keeps its place in a chain until all are done, and only then is the log put together"
