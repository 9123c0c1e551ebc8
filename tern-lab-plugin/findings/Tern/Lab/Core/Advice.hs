{-# LANGUAGE OverloadedStrings #-}

-- | Findings in words: what stands there, why, and what to try.
--
-- The only module of the reader of Core with prose in it.
module Tern.Lab.Core.Advice
  ( renderWhat,
    renderWhy,
    renderAdvice,
    kindName,
    because,
    objectName,
  )
where

import Data.Char (isDigit)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Advice.Cure (renderAdvice)
import Tern.Lab.Core.Advice.Reason (because, renderWhy)
import Tern.Lab.Core.Advice.Word
  ( counted,
    isLength,
    isLoopOfLibrary,
    list,
    number,
    objectName,
    partOf,
    short,
  )
import Tern.Lab.Core.Facts (Round (..))
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..), listed)
import Tern.Lab.Core.Index (sourceName)
import Tern.Lab.Core.Library (Cost (..))

-- | The name of the kind in reports, JSON, SARIF, and comments that allow a finding.
kindName :: FindingKind -> Text
kindName = \case
  NotUnrolled _ _ -> "not-unrolled"
  NotInlined _ _ -> "not-inlined"
  NotSpecialised {} -> "not-specialised"
  PassesInstances _ _ -> "passes-instances"
  UnknownInstance _ _ -> "unknown-instance"
  OverloadedBelow _ _ -> "unknown-instance"
  OverloadedTogether _ _ -> "unknown-instance"
  UnknownCalls _ _ -> "unknown-calls"
  ArityTooLow {} -> "arity-too-low"
  GrowingAccumulator {} -> "growing-accumulator"
  AppendsLeft -> "appends-left"
  AppendsNothing -> "appends-nothing"
  AppendsRecursively _ -> "appends-recursively"
  LoopAllocates _ -> "loop-allocates"
  GenericRepresentation _ -> "generic-representation"
  NoExportList _ -> "no-export-list"
  StoresLazily _ -> "stores-lazily"
  CallsLibrary _ cost -> case cost of
    WalksToIndex -> "list-index"
    WalksToLength -> "list-length"
    WalksToCompare -> "list-length"
    SearchesList -> "list-search"
    SortsAgain -> "sorts-again"
    ComparesAll -> "nub"
    CopiesAll -> "copies-all"
    CopiesVector -> "copies-vector"
    KeepsValues -> "lazy-container"
    KeepsState -> "lazy-state"
    KeepsRecord -> "lazy-state"
    KeepsFields -> "lazy-fields"
    HandsFields -> "lazy-fields"
    GivesFields -> "lazy-fields"
    GathersLog -> "writer"
    GathersList -> "writer"
    KeepsRange -> "range-kept"
    CopiesList -> "copies-list"
    ChangesList -> "list-update"
    LengthensField -> "copies-list"
    CopiesNested -> "copies-nested"
    MakesSingles -> "single-characters"
    TriesEnd -> "tries-end"
    ReversesToLook -> "list-reverse"
    RunsBuilder -> "small-builder"
    KeepsSteps -> "iterate"
    KeepsPipeline -> "vector-kept"
    ThroughString -> "through-string"
    ThroughList -> "through-list"
    ParsesByRead -> "read"
    ShowsToLook -> "show"
    ShowsToFind -> "show"
    InterpretsFormat -> "printf"
    BoxesElements -> "boxed-elements"
    DefaultsInteger -> "integer-default"
  CarriesConstructor {} -> "spec-constr"
  WaitsForResult _ -> "lazy-result"
  KeepsBoxed {} -> "kept-boxed"
  GivesBoxed _ _ -> "boxed-result"
  LosesJump _ _ -> "lost-jump"
  GivesWaiting _ _ -> "waiting-result"

-- | What stands there.
renderWhat :: Finding -> Text
renderWhat f = case findingKind f of
  NotUnrolled callee n
    | isLength callee ->
        T.concat
          [ "takes the length of a list whose ",
            number n,
            " elements all stand here, as pack and fromList do"
          ]
  NotUnrolled callee n ->
    T.concat
      [ "calls ",
        if isLoopOfLibrary callee then "a loop of a library's function" else callee,
        " with a list whose ",
        number n,
        " elements all stand here"
      ]
  NotInlined callee _ -> T.concat ["calls ", callee, times]
  NotSpecialised callee dictionaries _ written _ ->
    T.concat
      [ "calls the overloaded ",
        partOf written callee,
        " with the known ",
        instances dictionaries,
        " ",
        list dictionaries,
        times
      ]
  PassesInstances callee dictionaries ->
    T.concat
      [ "passes the ",
        instances dictionaries,
        " ",
        list dictionaries,
        " on to ",
        callee,
        times
      ]
  UnknownInstance classes methods ->
    T.concat
      [ "calls ",
        methodWord methods,
        " ",
        list (take 6 methods),
        if length methods > 6
          then T.concat [" and ", number (length methods - 6), " more"]
          else "",
        " of ",
        if length classes == 1 then "an instance of " else "instances of ",
        list classes,
        " that ",
        if length classes == 1 then "is" else "are",
        " only known at run time",
        times
      ]
  OverloadedBelow root names ->
    T.concat
      [ "all calls of ",
        list (map short (take 5 names)),
        if length names > 5 then T.concat [" and ", number (length names - 5), " more"] else "",
        " come through ",
        root,
        ", and call methods of instances that are only known at run time",
        times
      ]
  OverloadedTogether names _ ->
    T.concat
      [ "the overloaded ",
        list (map short (take 5 names)),
        if length names > 5 then T.concat [" and ", number (length names - 5), " more"] else "",
        if length names == 1 then " gets" else " get",
        " at run time the instances that callers know"
      ]
  UnknownCalls calls made ->
    let called = listed (map (named . fst) calls)
     in T.concat
          [ "calls ",
            list called,
            ", which ",
            if length called == 1
              then "is only a variable"
              else "are only variables",
            " here",
            times,
            if made > 0 then "; its arguments are made to wait for it" else ""
          ]
  ArityTooLow branches arity typeArity _ ->
    T.concat
      [ "takes ",
        number arity,
        " of the ",
        number typeArity,
        " arguments of its type; ",
        number branches,
        " ",
        if branches == 1
          then "branch of a case makes a function"
          else "branches of a case make functions",
        " of the rest"
      ]
  GrowingAccumulator loop parameters when ->
    T.concat
      [ if T.null loop
          then
            if when == Evaluating
              then "a loop that was inlined here stores "
              else "a loop that GHC made here stores "
          else T.concat ["the loop ", sourceName loop, " stores "],
        if T.null loop then "what it carries" else list parameters,
        case when of
          Evaluating -> " unevaluated, for the next round to evaluate"
          AtOnce -> onTop
          Looking -> onTop
          OnDemand -> onTop
      ]
  AppendsNothing -> T.concat ["appends an empty list, a ++ []", times]
  AppendsLeft -> T.concat ["appends to the left of an append, (a ++ b) ++ c", times]
  AppendsRecursively loop ->
    T.concat [sourceName loop, " appends to its own result, ", sourceName loop, " … ++ …"]
  LoopAllocates objects ->
    T.concat
      [ "makes ",
        list [counted n (objectName o) | (o, n) <- objects],
        " in each round of a loop"
      ]
  GenericRepresentation types ->
    T.concat ["types of generic representations are left: ", list types]
  StoresLazily cell -> T.concat ["stores a value unevaluated in ", article cell, times]
  CallsLibrary _ GivesFields ->
    "gives a record with unevaluated fields, made of those of the one that it is given"
  CallsLibrary callee cost ->
    T.concat
      [ "calls ",
        callee,
        if findingLoops f > 0 && not (isLoop cost)
          then " in a loop"
          else "",
        given cost,
        times
      ]
  KeepsBoxed loop parameters _ ->
    T.concat
      ["the loop ", sourceName loop, " puts ", list parameters, " into a new box in each round"]
  GivesBoxed name _ ->
    T.concat ["gives the number that ", sourceName name, " makes in a new box each time"]
  LosesJump name _ ->
    T.concat ["makes a closure of ", name, " in each round, though a branch calls it last"]
  GivesWaiting name _ ->
    T.concat
      ["gives what ", sourceName name, " makes unevaluated, and who calls it evaluates it at once"]
  WaitsForResult loop ->
    T.concat ["takes the result of its own call of ", sourceName loop, " apart lazily"]
  CarriesConstructor loop parameters constructors ->
    T.concat
      [ "the loop ",
        sourceName loop,
        " makes ",
        list parameters,
        " by ",
        list constructors,
        " in each round and takes it apart in the next"
      ]
  NoExportList names ->
    T.concat
      [ "exports everything, although ",
        list (take 8 names),
        if length names > 8
          then T.concat [" and ", number (length names - 8), " more"]
          else "",
        if length names == 1 then " is" else " are",
        " used only inside"
      ]
  where
    -- What GHC has named itself means nothing to a reader.
    named name
      | T.dropWhileEnd (\c -> isDigit c || c == '_') name `elem` ["ds", "ww", "eta", "sc"] =
          "an argument"
      | otherwise = name
    given = \case
      HandsFields -> " for its next round with unevaluated fields"
      KeepsFields -> " with a function whose result has unevaluated fields"
      ThroughString -> ", and packs the list of characters again"
      ThroughList -> ", and builds it again of the list"
      ChangesList -> " for a list that is changed at one place"
      SortsAgain -> " on what the rounds before have made"
      BoxesElements -> " for numbers"
      DefaultsInteger -> " with the type Integer, which the source does not name"
      KeepsRange -> " with a range that has a name"
      LengthensField -> " with the list of a record to its left, for that of the next one"
      CopiesNested -> " on texts of the type that it gives"
      MakesSingles -> ", and makes a text or builder of each character"
      TriesEnd -> " with a parser of one character"
      ReversesToLook -> " for one element"
      CopiesList -> " with what the rounds before have made to its left"
      KeepsSteps -> " for one step far along"
      KeepsPipeline -> " with a vector that has a name"
      _ -> ""
    onTop = " unevaluated, each round on top of the last"
    -- It goes round itself.
    isLoop = \case
      KeepsFields -> True
      HandsFields -> True
      KeepsRange -> True
      KeepsSteps -> True
      KeepsPipeline -> True
      ComparesAll -> findingLoops f == 0
      _ -> False
    article cell = T.concat [if T.take 1 cell `elem` ["I", "M"] then "an " else "a ", cell]
    times = if findingTimes f > 1 then T.concat [", ", number (findingTimes f), " times"] else ""
    instances xs = if length xs == 1 then "instance" else "instances"
    methodWord xs = if length xs == 1 then "the method" else "the methods"
