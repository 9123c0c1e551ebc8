{-# LANGUAGE OverloadedStrings #-}

-- | What to try, in words.
--
-- Start at 'renderAdvice'.
module Tern.Lab.Core.Advice.Cure
  ( renderAdvice,
  )
where

import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Advice.Word
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

-- | What to try.
renderAdvice :: Finding -> Text
renderAdvice f = case findingKind f of
  NotUnrolled callee _
    | short callee == "++" ->
        "put the elements before the rest one by one (x : y : rest), or let what makes them take \
        \the rest as an argument"
  NotUnrolled callee _
    | isLength callee ->
        "take what is wanted of the elements themselves, with no bytes or vector between; or write \
        \them by a Builder, or into memory of that size (unsafeCreate, a vector of known length)"
  NotUnrolled callee _
    | isLoopOfLibrary callee ->
        "join the elements without a list: a <|> b in place of choice [a, b], a <> b in place of \
        \mconcat [a, b]"
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
  OverloadedTogether names modules ->
    T.concat
      [ "give ",
        list modules,
        " {-# OPTIONS_GHC -fexpose-all-unfoldings -fspecialise-aggressively #-}, and so who calls \
        \them; or mark all ",
        number (length names),
        " INLINABLE: a pragma on one of them alone may change nothing"
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
  UnknownCalls _ made
    | made > 0 ->
        "evaluate its arguments before the call, if it needs them anyway: f $! x, or \\x -> f $! x \
        \where a library's function is given it; or inline the function that takes it, with all \
        \that hand it on, up to where it is known"
    | otherwise ->
        "return the result in place of passing it to a continuation, or inline the function that \
        \takes the callback, with all that hand it on, up to where it is known"
  ArityTooLow {} ->
    "put the lambda outside the case: \\c -> case … (with ReaderT: ReaderT (\\c -> runReaderT \
    \(case …) c)), or wrap it in GHC.Exts.oneShot"
  GrowingAccumulator "" _ Evaluating ->
    "evaluate it in every equation of the loop, those that end it among them, or in the function \
    \that the loop is given"
  GrowingAccumulator "" _ _ ->
    "evaluate it where it is made, in the function that the loop is given or that was inlined into \
    \it: a bang, a strict field, or the strict version of what changes it (modify', foldl')"
  GrowingAccumulator loop parameters Evaluating ->
    T.concat
      [ "make ",
        list parameters,
        " strict in ",
        sourceName loop,
        ": a bang before the parameter in every equation, those that end the loop among them"
      ]
  GrowingAccumulator loop parameters _ ->
    T.concat
      [ "make ",
        list parameters,
        " strict in ",
        sourceName loop,
        ": a bang before the parameter, in each equation up to the first that no pattern before it \
        \can leave; or strict fields where it is a tuple"
      ]
  AppendsLeft -> "use a difference list (compose functions [a] -> [a]) or a builder"
  AppendsNothing ->
    "leave it out; where it comes of ap or liftM, make the monad a newtype and no data, so that \
    \GHC sees that nothing comes, or write <*> and fmap by hand"
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
      \tuple), and put a bang before the parameter if some round ends without it; where it goes \
      \to a function that is only a variable, mark what takes that INLINE"
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
  GivesWaiting _ _ ->
    "evaluate it before it is given: return $! x in place of return x, or a bang on it in a let \
    \before the pair"
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
    SortsAgain ->
      "keep a Set or a Map (with how often it occurs), which stay in order and give the least \
      \first; or sort once, after the loop"
    CopiesVector ->
      "make the changes in one go: a mutable vector in ST, or one // or accum with all changes; \
      \for single changes an IntMap or Seq"
    LengthensField ->
      "keep the list in reverse, with the newest in front, and reverse it where it is read; or \
      \keep a Seq"
    CopiesNested ->
      "let the type hold a function String -> String (ShowS) or a Builder, and compose these; make \
      \the text once, at the end"
    MakesSingles ->
      "take what stays as it is in one piece: span or break up to the next character that does \
      \not, and, if most texts have none, give them back (any)"
    TriesEnd ->
      "take all that is not the beginning of the end at once: many (noneOf \"…\"), takeWhile or \
      \takeTill, and the end after it"
    ReversesToLook ->
      "count from the end, xs !! (length xs - 1 - n), or take last xs in place of head (reverse \
      \xs), or keep the list the other way round"
    RunsBuilder ->
      "hand the builder on, and count its bytes beside it; or take a small buffer, \
      \toLazyByteStringWith (safeStrategy 128 4096) of Data.ByteString.Builder.Extra"
    ChangesList ->
      "put the elements into a Seq (update, insertAt, deleteAt), an IntMap or an array before the \
      \loop, or make all changes in one go"
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
    KeepsState -> T.concat ["evaluate it: ", strictState (short callee), ofStrictState callee]
    KeepsRecord ->
      T.concat
        [ "make the fields strict (data … = … !Int; a tuple's cannot be), and evaluate it: ",
          strictState (short callee),
          ofStrictState callee
        ]
    KeepsFields ->
      "give the constructor strict fields (data … = … !Int !Int in place of a tuple), or put \
      \bangs on what the function makes"
    GivesFields ->
      "give the constructor strict fields (data … = … !Int !Int), or put bangs on what they are \
      \made of; in a Maybe a value waits behind a strict field too, so that it is Just $! x there"
    HandsFields ->
      "give the constructor strict fields (data … = … !Int !Int in place of a tuple), or evaluate \
      \them before the call"
    GathersLog -> "use Control.Monad.Trans.Writer.CPS, or keep what is counted in a strict state"
    GathersList ->
      "gather it in a strict state, each piece before the others, and reverse it once at the end; \
      \Writer.CPS is worse here, as it copies all of the log for each piece"
    KeepsRange -> "write the range where it is used, [a .. b] each time, or a loop over the number"
    ThroughString ->
      "use the functions of Data.Text itself, or a Builder; where a function of strings stands \
      \between, look first whether it has anything to change (any), and else give the text back"
    ThroughList -> "use the functions of the vector or the container itself"
    ParsesByRead ->
      "use decimal, signed or double of Data.Text.Read, readInt of Data.ByteString.Char8, or a \
      \parser; for a text in quotes, take what has no backslash as it is"
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
      | "Data.Array.Base" `T.isPrefixOf` callee =
          "STUArray with runSTUArray, or IOUArray, of Data.Array.ST and Data.Array.IO"
      | "Arr" `T.isInfixOf` callee = "UArray of Data.Array.Unboxed"
      | "Mutable" `T.isInfixOf` callee = "Data.Vector.Unboxed.Mutable"
      | otherwise = "Data.Vector.Unboxed"
    strictState name
      | "modifyMVar" `T.isPrefixOf` name = T.concat [name, " v $ \\x -> pure $! …"]
      | "modify" `T.isPrefixOf` name || name == "atomicModifyIORef" = T.concat [name, "'"]
      | otherwise = T.concat [name, " … $! x"]
    -- What a lazy state's step evaluates waits until that state is asked for.
    ofStrictState callee = case T.stripSuffix (".Lazy." <> short callee) callee of
      Just monad | "Control.Monad." `T.isPrefixOf` monad -> T.concat [", with ", monad, ".Strict"]
      _ -> T.empty
    strictly = \case
      "IORef" -> "modifyIORef' (of an STRef, modifySTRef'), or writeIORef r $! x"
      "TVar" -> "modifyTVar', or writeTVar v $! x"
      _ -> "putMVar v $! x, and modifyMVar_ v (\\x -> pure $! f x)"
    isBoxed = \case
      BoxedNumber _ -> True
      _ -> False
