{-# LANGUAGE OverloadedStrings #-}

-- | What a binding does, as a multiset: the calls that stayed with their
-- reasons, the methods, the heap objects.
--
-- Its one idea: two compilations are compared by what stands in them and never
-- by GHC's unique names, so that an unrelated edit changes nothing here. All
-- that was made of a written binding (workers, loops that were floated out) is
-- counted as part of it.
--
-- Start at 'traitsOf'; 'difference' compares and "Tern.Lab.Core.Budget" limits.
module Tern.Lab.Core.Traits
  ( Trait (..),
    Traits,
    traitsOf,
    Difference (..),
    difference,
    renderTrait,
    renderDifference,
    acrossCompilers,
    telling,
  )
where

import Data.Char (isDigit)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Set (Set)
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
  ( Binding (..),
    Callee (..),
    Dictionary (..),
    Global (..),
    HeapObject (..),
    ModuleFacts (..),
    Origin (..),
    Owner (..),
    Reason (..),
    Sight (..),
    Spot (..),
  )
import Tern.Lab.Core.Index (inModule, sourceName)

-- | Something that a binding does. Its place is not in it, so that the same thing twice is one
-- trait with the count 2.
data Trait
  = -- | Callee and reason.
    Calls !Text !Reason
  | CallsOverloaded !Text ![Text] !Reason
  | CallsMethod !Text !Text
  | CallsVariable
  | TakesApartList !Text !Int
  | MakesFunctionInCase
  | Accumulates
  | AppendsToLeft
  | AppendsEmpty
  | AppendsToItself
  | StoresInCell !Text
  | -- | The constructor.
    MakesAgain !Text
  | -- | In a loop or not.
    Makes !HeapObject !Bool
  | -- | An argument of a loop in a new box each round; a result in a box; a closure that could
    -- have been jumped to.
    NumberInBox
  | ResultInBox
  | NoJump
  | HasGeneric !Text
  deriving stock (Eq, Ord, Show)

-- | How often each trait stands in the optimised code.
type Traits = Map Trait Int

-- | Of each written binding or instance, by module and name. Where two
-- components have a module of one name, the most that either does.
traitsOf :: [ModuleFacts] -> Map (Text, Text) Traits
traitsOf modules = Map.unionsWith (Map.unionWith max) (map ofUnit units)
  where
    units = Map.elems (Map.fromListWith (<>) [(factsUnit m, [m]) | m <- modules])
    ofUnit unit =
      Map.fromListWith
        (Map.unionWith (+))
        [ ((factsModule m, part b), traits m b)
          | m <-
              unit,
            b <- factsBindings m
        ]
    part b = case bindingOwner b of
      Just (MadeOf o) -> o
      Just (UsedBy o) -> o
      Nothing
        | bindingOrigin b == Made -> numberless (sourceName (bindingName b))
        | otherwise -> sourceName (bindingName b)
    traits m b =
      Map.fromListWith (+) $
        [(trait m (spotSight s) (spotLoops s > 0), spotTimes s) | s <- bindingSpots b]
          <> [(HasGeneric t, 1) | t <- bindingGeneric b]
    trait m sight inLoop = case sight of
      Stayed callee _ reason -> Calls (name m callee) (coarse reason)
      Overloaded callee dictionaries reason ->
        CallsOverloaded (name m callee) (map dictionaryType dictionaries) (coarse reason)
      Method cls method -> CallsMethod cls method
      Unknown {} -> CallsVariable
      LiteralList callee n -> TakesApartList (name m callee) n
      LambdaUnderCase {} -> MakesFunctionInCase
      LazyAccumulator {} -> Accumulates
      LeftAppend -> AppendsToLeft
      EmptyAppend -> AppendsEmpty
      RecursiveAppend _ -> AppendsToItself
      Allocated object _ -> Makes object inLoop
      LazyStore cell -> StoresInCell cell
      TakenApart _ _ constructor -> MakesAgain constructor
      LazyResult _ -> Makes Thunk inLoop
      KeptBoxed {} -> NumberInBox
      ResultBoxed _ _ -> ResultInBox
      JumpLost _ _ -> NoJump
      ResultWaits _ _ -> Makes Thunk inLoop
    name m = \case
      CalleeGlobal g -> T.concat [globalModule g, ".", known g]
      CalleeHere n -> known (inModule m n)
    -- GHC numbers what it makes (go8, go15) by what else it has made.
    known g
      | Set.member g made = numberless (sourceName (globalName g))
      | otherwise = sourceName (globalName g)
    made =
      Set.fromList
        [ inModule m (bindingName b)
          | m <-
              modules,
            b <- factsBindings m,
            bindingOrigin b == Made
        ]
    -- A size that moves by a little is no difference.
    coarse = \case
      TooBig _ threshold -> TooBig 0 threshold
      other -> other

-- | What only the one or only the other side has, and how often more.
data Difference = Difference
  { -- | More on the left.
    differenceGone :: !Traits,
    -- | More on the right.
    differenceNew :: !Traits
  }
  deriving stock (Eq, Show)

-- | Of a left and a right side. What both do equally often is in neither part.
difference :: Traits -> Traits -> Difference
difference a b = Difference (more a b) (more b a)
  where
    more x y = Map.filter (> 0) (Map.mapWithKey (\t n -> n - Map.findWithDefault 0 t y) x)

-- | Lines with - and +, the new ones last; nothing for no difference.
renderDifference :: Difference -> [Text]
renderDifference (Difference gone new) =
  [line "-" t n | (t, n) <- Map.toList gone] <> [line "+" t n | (t, n) <- Map.toList new]
  where
    line sign t n =
      T.concat
        [ sign,
          " ",
          renderTrait t,
          if n > 1
            then T.concat [", ", T.pack (show n), " times"]
            else ""
        ]

-- | The same in words that two compilers share. From one to the next the
-- libraries' modules move (@GHC.Show@ to @GHC.Internal.Show@), and what the
-- compiler named in them gets other numbers. With the modules of the program.
acrossCompilers :: Set Text -> Traits -> Traits
acrossCompilers own = Map.mapKeysWith (+) $ \case
  Calls callee reason -> Calls (shared callee) (sizeless reason)
  CallsOverloaded callee instances reason ->
    CallsOverloaded (shared callee) instances (sizeless reason)
  TakesApartList callee n -> TakesApartList (shared callee) n
  other -> other
  where
    shared callee = case T.breakOnEnd "." callee of
      (path, name)
        | not (T.null path),
          not (T.null name),
          moduleName <- T.dropEnd 1 path,
          Set.notMember moduleName own ->
            T.concat [movedModule moduleName, ".", generated name]
      _ -> callee
    generated name
      | (_, after) <- T.breakOn "_$" name,
        not (T.null after) =
          generated (sourceName (T.drop 1 after))
      | otherwise = numberless name
    sizeless = \case
      TooBig _ _ -> TooBig 0 0
      other -> other

numberless :: Text -> Text
numberless name = if T.all isDigit name then name else T.dropWhileEnd isDigit name

-- | Where a module of GHC's libraries was before it became internal:
-- @GHC.Internal.Show@ was @GHC.Show@, @GHC.Internal.Text.Read.Lex@ was
-- @Text.Read.Lex@.
movedModule :: Text -> Text
movedModule name = case T.stripPrefix "GHC.Internal." name of
  Just rest
    | T.takeWhile (/= '.') rest
        `elem` [ "Control",
                 "Data",
                 "Debug",
                 "Foreign",
                 "Numeric",
                 "System",
                 "Text",
                 "Type",
                 "Unsafe"
               ] ->
        movedModule rest
    | otherwise -> movedModule ("GHC." <> rest)
  Nothing -> fromMaybe name (T.stripSuffix ".Internal" name)

-- | How much a trait says of what a program costs.
telling :: Trait -> Int
telling = \case
  TakesApartList _ _ -> 50
  Accumulates -> 45
  AppendsToItself -> 45
  StoresInCell _ -> 45
  MakesAgain _ -> 27
  NumberInBox -> 31
  ResultInBox -> 31
  NoJump -> 31
  AppendsToLeft -> 44
  AppendsEmpty -> 44
  HasGeneric _ -> 40
  CallsOverloaded {} -> 38
  CallsMethod _ _ -> 36
  MakesFunctionInCase -> 35
  Makes Closure True -> 30
  Makes Thunk True -> 30
  Makes _ True -> 28
  CallsVariable -> 20
  Makes Closure False -> 12
  Makes Thunk False -> 12
  Makes _ False -> 8
  Calls _ NoGain -> 3
  Calls _ _ -> 5

-- | The end of a sentence about the binding, as @calls M.f: recursive@. How often is not in it.
renderTrait :: Trait -> Text
renderTrait = \case
  Calls callee reason -> T.concat ["calls ", callee, ": ", because reason]
  CallsOverloaded callee dictionaries reason ->
    T.concat
      [ "calls ",
        callee,
        " with the instances ",
        T.intercalate ", " dictionaries,
        ": ",
        because reason
      ]
  CallsMethod cls method -> T.concat ["calls ", method, " of an unknown ", cls]
  CallsVariable -> "calls a function that is a variable"
  TakesApartList callee n ->
    T.concat
      [ "calls the recursive ",
        callee,
        " with a list of ",
        T.pack (show n),
        " that stands here"
      ]
  MakesFunctionInCase -> "makes a function in the branches of a case"
  Accumulates -> "stores an argument of a loop unevaluated"
  AppendsToLeft -> "appends to the left"
  AppendsEmpty -> "appends an empty list"
  AppendsToItself -> "appends to its own result"
  MakesAgain constructor ->
    T.concat ["makes a ", constructor, " in each round of a loop that takes it apart in the next"]
  NumberInBox -> "puts an argument of a loop into a new box each round"
  ResultInBox -> "gives a number in a box"
  NoJump -> "makes a closure that a branch calls last"
  StoresInCell cell -> T.concat ["stores a thunk in an ", cell]
  Makes object inLoop ->
    T.concat ["makes a ", objectName object, if inLoop then " in a loop" else ""]
  HasGeneric t -> T.concat ["has the generic representation's ", t]
  where
    because = \case
      Pragmatic _ -> "kept by a pragma"
      Recursive -> "recursive"
      TooBig _ _ -> "too big"
      Huge -> "too big"
      NoUnfoldingThere -> "no unfolding"
      Unsaturated _ -> "not all arguments"
      NoGain -> "no gain"
    objectName = \case
      Thunk -> "thunk"
      Closure -> "closure"
      BoxedNumber c -> T.concat ["boxed number (", c, ")"]
      Constructor c -> T.concat ["constructor (", c, ")"]
      Partial -> "partial application"
