{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE LambdaCase #-}

-- | What the compiler plugin writes and the laboratory reads: for each module,
-- what GHC's optimiser left in it.
--
-- Its one idea: facts, not opinions. A fact is what stands in the optimised
-- Core, with the reason as far as this module can know it; the weight, the
-- join with other modules and the advice are made in "Tern.Lab.Core.Findings".
--
-- This module is compiled twice: into the laboratory, and, for the exact GHC of
-- the user's project, into the plugin. So it uses only what comes with GHC.
module Tern.Lab.Core.Facts
  ( ModuleFacts (..),
    Binding (..),
    Origin (..),
    Owner (..),
    Pragma (..),
    keptApart,
    Unfolding (..),
    Place (..),
    Part (..),
    marked,
    unmarked,
    markOf,
    copyName,
    isCopy,
    callName,
    enteredName,
    madeName,
    handedName,
    isMade,
    comparedName,
    Global (..),
    Spot (..),
    Sight (..),
    Callee (..),
    Reason (..),
    Dictionary (..),
    HeapObject (..),
    Round (..),
    WhyBoxed (..),
    WhyLost (..),
    Bound (..),
    Use (..),
    Argument (..),
    SourceCall (..),
    LocalCall (..),
    Generated (..),
    anyFunction,
    singlesFunction,
    stringsFunction,
    factsVersion,
  )
where

import Data.Binary (Binary)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Tern.Lab.Core.Facts.Generated (Generated (..))
import Tern.Lab.Core.Facts.Name
  ( Global (..),
    Place (..),
    callName,
    comparedName,
    copyName,
    enteredName,
    handedName,
    isCopy,
    isMade,
    madeName,
    markOf,
    marked,
    unmarked,
  )
import Tern.Lab.Core.Facts.Use
  ( Argument (..),
    LocalCall (..),
    SourceCall (..),
    Use (..),
    anyFunction,
    singlesFunction,
    stringsFunction,
  )

-- | Stands first in each file; a file of another version is not read.
factsVersion :: Int
factsVersion = 27

-- | What the plugin writes of one module. Another field here is another 'factsVersion'.
data ModuleFacts = ModuleFacts
  { -- | The unit, which no other component of a build has: GHC calls every
    -- program @main@, so that one is told apart by the folder of its objects
    -- below that of the build, @main@FOLDER@.
    factsUnit :: !Text,
    factsModule :: !Text,
    -- | What stands in the marks of this module's names in a counting build.
    factsMark :: !Text,
    factsSource :: !Text,
    -- | What made it, where that was no person.
    factsGenerated :: !(Maybe Generated),
    -- | Where GHC ran, which relative places belong to.
    factsFolder :: !Text,
    -- | For example @9.6.6@.
    factsCompiler :: !Text,
    -- | Has the module an export list (or is it @Main@)?
    factsExportList :: !Bool,
    -- | Was it compiled with @-O@?
    factsOptimised :: !Bool,
    -- | Up to which size GHC inlines a call without further reason.
    factsThreshold :: !Int,
    -- | Was it compiled with SpecConstr, as by @-O2@?
    factsSpecConstr :: !Bool,
    -- | Does its source speak of @Integer@?
    factsInteger :: !Bool,
    -- | Those classes, whose instances its functions are given, that only make something of a
    -- value, as those do that show or write it.
    factsRendering :: ![Text],
    -- | Calls of other packages' functions, as the source has them.
    factsUses :: ![Use],
    -- | Mentions of the same unit's functions, as the source has them.
    factsCalls :: ![SourceCall],
    -- | The same of local functions.
    factsLocals :: ![LocalCall],
    -- | What stands at the top of the source, with its pragmas.
    factsTop :: ![(Text, Pragma)],
    -- | What of it is gone before the optimiser begins: GHC inlines what is used once, and
    -- by nobody else, as soon as it has types.
    factsMelted :: ![Text],
    -- | What it exports of other modules.
    factsReexports :: ![Global],
    -- | The calls of libraries that a counting build counts: the part that each stands in, and
    -- its function.
    factsCounted :: ![(Int, Text)],
    factsBindings :: ![Binding]
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Binary)

-- | One top-level binding as it is after optimisation.
data Binding = Binding
  { -- | No other binding of the module has it: where GHC made several of one
    -- name, all but one are marked.
    bindingName :: !Text,
    bindingKey :: !Int,
    -- | As GHC's counters know an exported function, for example @rF3@.
    bindingUnique :: !Text,
    -- | The functions in it.
    bindingParts :: ![Part],
    bindingPlace :: !(Maybe Place),
    bindingOrigin :: !Origin,
    -- | The written binding that it belongs to.
    bindingOwner :: !(Maybe Owner),
    -- | Value arguments that it takes before it works.
    bindingArity :: !Int,
    bindingRecursive :: !Bool,
    -- | Are there versions of it for known types?
    bindingSpecialised :: !Bool,
    bindingPragma :: !Pragma,
    bindingUnfolding :: !Unfolding,
    -- | How large its right-hand side is, in expressions.
    bindingSize :: !Int,
    -- | Occurrences in other bindings of the module.
    bindingUses :: !Int,
    -- | Types of generic representations left in it.
    bindingGeneric :: ![Text],
    -- | Does its own type speak of them? Then it is a part of the machinery.
    bindingGenericType :: !Bool,
    bindingSpots :: ![Spot]
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Binary)

-- | Where a binding comes from.
data Origin
  = -- | It has the name that the source gave it.
    Written
  | -- | A method or dictionary of an instance of this class.
    Instance !Text
  | -- | GHC made it of something written: a worker, a specialisation, a part
    -- that was floated out.
    Made
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | The written binding that another belongs to, and why it does.
data Owner
  = -- | It was made of that binding: it stands in it, or has its name.
    MadeOf !Text
  | -- | Only that binding uses it; it may be a library's code.
    UsedBy !Text
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | What a pragma says of inlining. OPAQUE is a NOINLINE that names no phase.
data Pragma
  = NoPragma
  | Inline
  | Inlinable
  | -- | With the phase, if it names one.
    NoInline !Text
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | Does a pragma still keep a function from being inlined when the optimiser
-- has done? @NOINLINE [1]@ allows it from phase 1 on; @NOINLINE [~1]@ forbids it
-- from then on.
keptApart :: Pragma -> Bool
keptApart = \case
  NoInline phase -> T.null phase || T.isPrefixOf (T.pack "[~") phase
  _ -> False

-- | What another module could inline.
data Unfolding
  = NoUnfolding
  | -- | Given by a pragma, whatever its size.
    StableUnfolding
  | -- | So small that it always is.
    AlwaysUnfolding
  | SizedUnfolding !Int
  | -- | Too large to be looked at.
    NeverUnfolding
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | A function in a binding. The number is that of no other function or
-- binding of the module.
data Part = Part
  { partKey :: !Int,
    partName :: !Text,
    partPlace :: !(Maybe Place),
    -- | The number of the function or binding that it stands in.
    partAround :: !Int,
    -- | Does a variable of the source stand in it? Else it is a library's, as it is.
    partWritten :: !Bool
  }
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | Something seen in a binding.
data Spot = Spot
  { spotSight :: !Sight,
    -- | The local function that it stands in, if any.
    spotIn :: !(Maybe Text),
    -- | Of that function.
    spotPlace :: !(Maybe Place),
    -- | The innermost function or binding, by its number.
    spotPart :: !Int,
    -- | How many loops are around it.
    spotLoops :: !Int,
    spotTimes :: !Int
  }
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | What can be seen in optimised Core that may cost something.
data Sight
  = -- | A call of a known function that stayed, with the count of value
    -- arguments.
    Stayed !Callee !Int !Reason
  | -- | An overloaded function that is given dictionaries.
    Overloaded !Callee ![Dictionary] !Reason
  | -- | A method of an instance that is not known: the class and the method.
    Method !Text !Text
  | -- | A call of a function that is only a variable here; and where it gives a plain value, how
    -- many words wait for it that a known function would take evaluated.
    Unknown !Text !Bound !Int
  | -- | A recursive function over a list whose elements all stand here.
    LiteralList !Callee !Int
  | -- | Lambdas in the branches of a case that every call goes through: how many
    -- branches, the arity, the arguments that the type takes, how many words are made on the
    -- way to a lambda, and the parts besides the function's own that it goes through.
    LambdaUnderCase !Int !Int !Int !Int ![Int]
  | -- | An argument of a loop that grows as a chain of thunks: the loop and
    -- the parameter, how the loop goes round, and the type that waits, where it has a name.
    LazyAccumulator !Text !Text !Round !Text
  | -- | @(a ++ b) ++ c@.
    LeftAppend
  | -- | @a ++ []@.
    EmptyAppend
  | -- | @f … ++ …@ in a recursive @f@.
    RecursiveAppend !Text
  | -- | A heap object that is made, and the type of what waits in a thunk, where it has a name.
    Allocated !HeapObject !Text
  | -- | A mutable cell is given a thunk: the sort of cell.
    LazyStore !Text
  | -- | An argument of a loop is made by a constructor in each round and taken
    -- apart in the next: the loop, the parameter, the constructor.
    TakenApart !Text !Text !Text
  | -- | A recursive function waits with its own result until a part of it is asked for, and
    -- numbers are among the parts.
    LazyResult !Text
  | -- | An argument of a loop is put into a new box in each round: the loop, the
    -- parameter, and why the loop has no worker that takes it in a register.
    KeptBoxed !Text !Text !WhyBoxed
  | -- | A number that the function makes is given in a box, and why.
    ResultBoxed !Text !WhyBoxed
  | -- | A local function that some branch calls last is a closure, and why.
    JumpLost !Text !WhyLost
  | -- | A function gives in a tuple what waits, and all its calls evaluate that at once: the
    -- function, and how many words each call makes for it.
    ResultWaits !Text !Int
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | A known function that is called.
data Callee
  = -- | With its pragma and unfolding as the interface has them.
    CalleeGlobal !Global
  | -- | Of the same module, not exported; as 'bindingName' has it.
    CalleeHere !Text
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | Why a call was not inlined, or not specialised.
data Reason
  = Pragmatic !Pragma
  | -- | Recursive, or chosen to break a recursive group.
    Recursive
  | -- | Size of the unfolding, and the threshold.
    TooBig !Int !Int
  | -- | Too large to have an unfolding.
    Huge
  | -- | Its interface has none; the module that defines it may know why.
    NoUnfoldingThere
  | -- | Fewer arguments than it takes: the arity.
    Unsaturated !Int
  | -- | It could have been, but GHC saw no gain.
    NoGain
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | A dictionary that an overloaded function is given.
data Dictionary = Dictionary
  { -- | The constraint.
    dictionaryType :: !Text,
    -- | Is the instance known here?
    dictionaryKnown :: !Bool
  }
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | What is made on the heap.
data HeapObject
  = Thunk
  | Closure
  | -- | The constructor.
    BoxedNumber !Text
  | Constructor !Text
  | -- | A function with some of its arguments.
    Partial
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | What GHC's analyses of demand and of results say of a number in a box.
data WhyBoxed
  = -- | Some way through the function does not need its value.
    LazilyUsed
  | -- | Its value is needed, and so is its box: it is stored or handed on as it is.
    HandedOn
  | -- | One branch gives what a function gives that is only a variable.
    GivenUnknown !Text
  | -- | One branch gives an argument back as it is.
    GivenBack !Text
  | -- | One branch gives what another function makes, in a box.
    GivenBy !Text
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | What another branch does with a function that could be jumped to.
data WhyLost
  = -- | Nothing else: it is called last.
    Jumps
  | -- | It is called, and something is done with what it gives.
    InMiddle
  | -- | It is called in what waits until it is asked for.
    InThunk
  | -- | It is called by another function, which is made there.
    InFunction
  | -- | It is handed on, or called with too few or too many arguments.
    AsValue
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | When a loop calls itself again.
data Round
  = -- | As the last thing that it does, so that the chain is as long as the input.
    AtOnce
  | -- | In a thunk or for a part of its result: who takes the result decides
    -- how long the chain becomes.
    OnDemand
  | -- | At once, and some rounds look at the argument: the chain is only as long
    -- as the input between two such.
    Looking
  | -- | At once, and the round that hands it on has evaluated what it was handed: one waits
    -- at a time, and one is made in each round.
    Evaluating
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | What binds a variable: a lambda, or a case, by its pattern or by its name for the value; or by
-- the pattern of a value that was built of several constructors, as a tree is.
data Bound = ByLambda | ByCase | ByChoice
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)
