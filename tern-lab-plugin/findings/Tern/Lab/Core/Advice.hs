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

import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
  ( HeapObject (..),
    Pragma (..),
    Round (..),
    WhyBoxed (..),
    WhyLost (..),
  )
import Tern.Lab.Core.Finding (Finding (..), FindingKind (..))
import Tern.Lab.Core.Index (Remedy (..), Why (..), sourceName)
import Tern.Lab.Core.Library (Cost (..))

-- | The name of the kind in JSON and budgets.
kindName :: FindingKind -> Text
kindName = \case
  NotUnrolled _ _ -> "not-unrolled"
  NotInlined _ _ -> "not-inlined"
  NotSpecialised {} -> "not-specialised"
  PassesInstances _ _ -> "passes-instances"
  UnknownInstance _ _ -> "unknown-instance"
  OverloadedBelow _ _ -> "unknown-instance"
  UnknownCalls _ -> "unknown-calls"
  ArityTooLow {} -> "arity-too-low"
  GrowingAccumulator {} -> "growing-accumulator"
  AppendsLeft -> "appends-left"
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
    ComparesAll -> "nub"
    CopiesAll -> "copies-all"
    CopiesVector -> "copies-vector"
    KeepsValues -> "lazy-container"
    KeepsState -> "lazy-state"
    KeepsRecord -> "lazy-state"
    KeepsFields -> "lazy-fields"
    HandsFields -> "lazy-fields"
    GathersLog -> "writer"
    KeepsRange -> "range-kept"
    CopiesList -> "copies-list"
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

-- | What stands there.
renderWhat :: Finding -> Text
renderWhat f = case findingKind f of
  NotUnrolled callee n ->
    T.concat ["calls ", callee, " with a list whose ", number n, " elements all stand here"]
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
  UnknownCalls calls ->
    T.concat
      [ "calls ",
        list (map fst calls),
        ", which ",
        if length calls == 1
          then "is only a variable"
          else "are only variables",
        " here",
        times
      ]
  ArityTooLow branches arity typeArity ->
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
  GrowingAccumulator loop parameters _ ->
    T.concat
      [ if T.null loop
          then "a loop that GHC made of a library's function stores "
          else T.concat ["the loop ", sourceName loop, " stores "],
        if T.null loop then "what it carries" else list parameters,
        " unevaluated, each round on top of the last"
      ]
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
    given = \case
      HandsFields -> " for its next round with unevaluated fields"
      KeepsFields -> " with a function whose result has unevaluated fields"
      ThroughString -> ", and packs the list of characters again"
      ThroughList -> ", and makes a vector of the list again"
      BoxesElements -> " for numbers"
      DefaultsInteger -> " with the type Integer, which the source does not name"
      KeepsRange -> " with a range that has a name"
      CopiesList -> " with what the rounds before have made to its left"
      KeepsSteps -> " for one step far along"
      KeepsPipeline -> " with a vector that has a name"
      _ -> ""
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
  UnknownCalls _ ->
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
  GrowingAccumulator _ _ OnDemand ->
    "nothing in the loop needs its value; but each round waits until its result is asked for, \
    \so the chain is only long where the results are taken without the values"
  AppendsLeft -> "the left list is walked and copied once for each append"
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
    HandsFields ->
      "only the constructor is made; each field is a computation that is made of the one of the \
      \round before, so that a chain grows"
    GathersLog ->
      "each step keeps its place in a chain until all are done, and only then is the log put \
      \together"
    KeepsRange ->
      "the range is used again, so that it is kept as a list and is not fused with the loop"
    CopiesList -> "it walks and copies all that there is for each piece that is added at the end"
    KeepsSteps ->
      "no step is evaluated before the last is asked for: a chain of computations as long as \
      \the way, beside a list of them"
    KeepsPipeline ->
      "the vector is used again, so that it is made in memory and is not fused with what uses it"
    ThroughString -> "each character becomes three objects on the heap"
    ThroughList ->
      "each element becomes a list cell, and the functions between cannot be fused with the vectors"
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

-- | What to try.
renderAdvice :: Finding -> Text
renderAdvice f = case findingKind f of
  NotUnrolled callee _ ->
    T.concat
      [ "write ",
        short callee,
        " without recursion over the list (a foldr, or a monoid that puts the separators in), \
        \or build the result without a list"
      ]
  NotInlined callee why -> case why of
    BecausePragma (NoInline _) ->
      T.concat
        [ "remove the NOINLINE of ",
          short callee,
          " if it has no reason, or move the loop into it"
        ]
    BecauseRecursive ->
      T.concat ["give ", short callee, " a non-recursive wrapper with a local loop"]
    BecauseBig _ _ -> T.concat ["mark ", short callee, " INLINE, or split off its rare part"]
    BecauseHuge -> T.concat ["mark ", short callee, " INLINABLE, or split off its rare part"]
    BecauseUnoptimised name -> T.concat ["compile ", name, " with -O"]
    BecauseNoUnfolding ->
      "nothing can be done here; look for another function, or ask for INLINABLE upstream"
    BecauseUnsaturated _ -> "give it all its arguments, or define it with fewer before the ="
    _ -> "look at the call: a bang or a constructor at hand makes inlining worthwhile"
  -- Nobody can write the name of an instance.
  NotSpecialised _ _ _ written how
    | isInstance written,
      how /= Upstream ->
        T.concat ["mark the methods of the instance INLINE, in ", qualifierOf written]
  NotSpecialised _ dictionaries _ written how -> case how of
    MarkInlinable place ->
      T.concat
        [ "add {-# INLINABLE ",
          short written,
          " #-} in ",
          place,
          ", or there {-# SPECIALIZE ",
          short written,
          " :: … #-} for ",
          list dictionaries
        ]
    AskSpecialise ->
      T.concat ["add {-# SPECIALIZE ", short written, " :: … #-} for ", list dictionaries, " here"]
    RemovePragma place -> T.concat ["remove the NOINLINE of ", short written, " in ", place]
    Upstream ->
      T.concat
        [ "the package of ",
          short written,
          " would have to mark it INLINABLE; -fspecialise-aggressively helps only where its \
          \interface has an unfolding"
        ]
  PassesInstances _ _ ->
    T.concat ["specialise ", sourceName (findingBinding f), ": see the advice at its callers"]
  OverloadedBelow root names ->
    T.concat
      [ "mark ",
        short root,
        " and the ",
        number (length names),
        " on the way INLINABLE, or give their modules -fexpose-all-unfoldings and \
        \-fspecialise-aggressively; a pragma on one of them alone changes nothing"
      ]
  UnknownInstance _ _
    | isInstance (findingBinding f) ->
        "mark the methods of this instance INLINE, so that each use has its own"
  UnknownInstance classes _ ->
    T.concat
      [ "add {-# SPECIALIZE ",
        sourceName (findingBinding f),
        " :: … #-} for the ",
        list classes,
        " that is used, or {-# INLINABLE ",
        sourceName (findingBinding f),
        " #-} so that callers make their own copy"
      ]
  UnknownCalls _ ->
    "return the result in place of passing it to a continuation, or inline the function that \
    \takes the callback"
  ArityTooLow {} ->
    "put the lambda outside the case: \\c -> case … (with ReaderT: ReaderT (\\c -> runReaderT \
    \(case …) c)), or wrap it in GHC.Exts.oneShot"
  GrowingAccumulator "" _ _ ->
    "evaluate it in the function that the loop is given: a bang, a strict field, or the strict \
    \version of what changes it (modify', foldl')"
  GrowingAccumulator loop parameters _ ->
    T.concat
      [ "make ",
        list parameters,
        " strict in ",
        sourceName loop,
        ": a bang before the parameter in the first equation, or strict fields where it is a tuple"
      ]
  AppendsLeft -> "use a difference list (compose functions [a] -> [a]) or a builder"
  AppendsRecursively _ -> "collect in an accumulator, or use a difference list"
  LoopAllocates objects
    | any (isBoxed . fst) objects ->
        "make the loop's numbers strict, or the fields that hold them strict and unpacked"
    | any ((== Closure) . fst) objects ->
        "look at who takes the closure: if that call were inlined, the closure would be gone"
    | otherwise -> "force what is certainly needed with a bang, so that no thunk is made"
  GenericRepresentation _ ->
    "mark the methods of the generic class INLINE, or derive with Template Haskell; many fields \
    \may go past GHC's limits"
  StoresLazily cell -> T.concat ["evaluate it first: ", strictly cell]
  KeepsBoxed loop parameters why -> case why of
    LazilyUsed ->
      T.concat
        [ "make ",
          list parameters,
          " strict in ",
          sourceName loop,
          ": a bang before the parameter"
        ]
    _ ->
      "hand it on in a strict field, which unpacks it (data … = … !Int in place of Maybe or a \
      \tuple); where it goes to a function that is only a variable, mark what takes that INLINE"
  GivesBoxed name why -> case why of
    GivenUnknown _ ->
      T.concat ["mark ", sourceName name, " INLINE, so that the function that it is given is known"]
    GivenBack v -> T.concat ["put a bang before the parameter ", v, " of ", sourceName name]
    _ ->
      T.concat
        [ "let the branches of ",
          sourceName name,
          " end alike: all by making the number, or the other function inlined (INLINE)"
        ]
  LosesJump name why -> case why of
    InThunk -> T.concat ["evaluate it there: a bang on what waits for ", name, ", or case … of"]
    _ ->
      T.concat
        [ "give that branch a function of its own, or let ",
          name,
          " take what the branches do differently as an argument"
        ]
  WaitsForResult _ ->
    "match it strictly, let !(a, b) = … or case … of, or carry the numbers as accumulators with \
    \bangs"
  CarriesConstructor {} ->
    T.concat ["compile ", findingModule f, " with {-# OPTIONS_GHC -O2 #-}, or -fspec-constr"]
  CallsLibrary callee cost -> case cost of
    WalksToLength -> "take the length once, before the loop"
    WalksToCompare ->
      "look only as far as must be, null (drop n xs), or hand the length on beside the list"
    SearchesList ->
      "keep a Set or a Map in place of the list, or beside it: made once before the loop, or grown \
      \with the list"
    ComparesAll -> "use nubOrd of Data.Containers.ListUtils, or go through a Set"
    CopiesVector ->
      "make the changes in one go: a mutable vector in ST, or one // or accum with all changes; \
      \for single changes an IntMap or Seq"
    CopiesList ->
      "put the pieces in front and reverse once at the end, or compose functions [a] -> [a]"
    KeepsSteps -> "use iterate' of Data.List, or a loop with a strict state"
    KeepsPipeline ->
      "take all that is wanted of it in one fold, with a strict state; to make it again is \
      \cheaper only where its elements are"
    KeepsValues
      | "Sequence" `T.isInfixOf` callee ->
          T.concat ["use ", short callee, "', which evaluates the value"]
    KeepsValues ->
      T.concat
        [ "take ",
          short callee,
          " from ",
          strictModule callee,
          ", or evaluate the value first"
        ]
    KeepsState -> T.concat ["evaluate it: ", strictState (short callee)]
    KeepsRecord ->
      T.concat
        [ "make the fields strict (data … = … !Int; a tuple's cannot be), and evaluate it: ",
          strictState (short callee)
        ]
    KeepsFields ->
      "give the constructor strict fields (data … = … !Int !Int in place of a tuple), or put \
      \bangs on what the function makes"
    HandsFields ->
      "give the constructor strict fields (data … = … !Int !Int in place of a tuple), or evaluate \
      \them before the call"
    GathersLog -> "use Control.Monad.Trans.Writer.CPS, or keep what is counted in a strict state"
    KeepsRange -> "write the range where it is used, [a .. b] each time, or a loop over the number"
    ThroughString -> "use the functions of Data.Text itself, or a Builder"
    ThroughList -> "use the vector's own functions"
    ParsesByRead ->
      "use decimal, signed or double of Data.Text.Read, readInt of Data.ByteString.Char8, or a \
      \parser"
    ShowsToLook -> "reckon with the number itself: quotRem gives its digits"
    ShowsToFind ->
      "compare the value itself, or make it the key: numbers and tuples have Eq and Ord, and for \
      \other types deriving writes them"
    BoxesElements -> T.concat ["use ", unboxed callee]
    DefaultsInteger -> "say the type: Int, if the numbers are small"
    WalksToIndex ->
      "go along the list itself (zip, or recursion over it), or put it into an array, vector or \
      \Seq before the loop"
    CopiesAll -> "collect the pieces in a list and concat them once, or use a Builder"
    InterpretsFormat -> "put the text together with show and <>, or with a Builder"
  NoExportList _ -> "give the module an export list"
  where
    strictModule callee
      | "HashMap" `T.isInfixOf` callee = "Data.HashMap.Strict"
      | "IntMap" `T.isInfixOf` callee = "Data.IntMap.Strict"
      | otherwise = "Data.Map.Strict"
    unboxed callee
      | "Arr" `T.isInfixOf` callee = "UArray of Data.Array.Unboxed"
      | "Mutable" `T.isInfixOf` callee = "Data.Vector.Unboxed.Mutable"
      | otherwise = "Data.Vector.Unboxed"
    strictState name
      | "modifyMVar" `T.isPrefixOf` name = T.concat [name, " v $ \\x -> pure $! …"]
      | "modify" `T.isPrefixOf` name || name == "atomicModifyIORef" = T.concat [name, "'"]
      | otherwise = T.concat [name, " … $! x"]
    strictly = \case
      "IORef" -> "modifyIORef' (of an STRef, modifySTRef'), or writeIORef r $! x"
      "TVar" -> "modifyTVar', or writeTVar v $! x"
      _ -> "putMVar v $! x, and modifyMVar_ v (\\x -> pure $! f x)"
    isBoxed = \case
      BoxedNumber _ -> True
      _ -> False

objectName :: HeapObject -> Text
objectName = \case
  Thunk -> "thunk"
  Closure -> "closure"
  BoxedNumber constructor -> T.concat ["boxed number (", constructor, ")"]
  Constructor constructor -> constructor
  Partial -> "partial application"

counted :: Int -> Text -> Text
counted n name
  | n == 1 = "1 " <> name
  | "boxed number" `T.isPrefixOf` name = T.concat [number n, " boxed numbers", T.drop 12 name]
  | otherwise = T.concat [number n, " ", name, "s"]

-- | A part by its own name, and what it is a part of.
partOf :: Text -> Text -> Text
partOf written callee
  | short written == short callee = callee
  | otherwise =
      T.concat
        [ fromMaybe
            (short callee)
            (T.stripPrefix (short written <> "_") (short callee)),
          " of ",
          written
        ]

isInstance :: Text -> Bool
isInstance name = "$f" `T.isPrefixOf` short name

-- | The module alone.
qualifierOf :: Text -> Text
qualifierOf = T.dropWhileEnd (== '.') . fst . T.breakOnEnd "."

-- | Without the module.
short :: Text -> Text
short name = sourceName $ case T.breakOnEnd "." name of
  (_, rest) | not (T.null rest) -> rest
  _ -> name

list :: [Text] -> Text
list names = case reverse names of
  [] -> ""
  [name] -> name
  name : rest -> T.concat [T.intercalate ", " (reverse rest), " and ", name]

number :: Int -> Text
number = T.pack . show

-- | What the analysis of demand or of results says.
boxed :: WhyBoxed -> Text
boxed = \case
  LazilyUsed ->
    "by the analysis of demand some round ends without its value, so that it may not be computed \
    \early"
  HandedOn ->
    "its value is needed, and its box too: some branch stores it or hands it on as it is"
  GivenUnknown f ->
    T.concat [byResults, "one branch gives what ", f, " gives, which is only a variable"]
  GivenBack v -> T.concat [byResults, "one branch gives ", v, " back as it came"]
  GivenBy f ->
    T.concat [byResults, "one branch gives what ", f, " makes, which comes in a box"]
  where
    byResults = "by the analysis of results "
