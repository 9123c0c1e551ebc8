{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- | Calls as the source has them, before the optimiser.
--
-- Its one idea: what is inlined later is still seen.
--
-- Start at 'Use'.
module Tern.Lab.Core.Facts.Use
  ( Use (..),
    anyFunction,
    singlesFunction,
    stringsFunction,
    Argument (..),
    SourceCall (..),
    LocalCall (..),
  )
where

import Data.Binary (Binary)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Tern.Lab.Core.Facts.Name

-- | A call of a library's function, before the optimiser: what is inlined later
-- is still seen.
data Use = Use
  { -- | The binding at the top.
    useBinding :: !Text,
    -- | The innermost local function with a name, and its place or the binding's.
    useIn :: !(Maybe Text),
    usePlace :: !(Maybe Place),
    useCallee :: !Global,
    -- | The types that it is used at: of each all constructors, with their modules.
    useTypes :: ![[Text]],
    useArguments :: ![Argument],
    -- | The library functions that take its result, the nearest first; 'anyFunction' for one
    -- that is only a variable here, 'singlesFunction' before one that makes single characters.
    useUnder :: ![Global],
    -- | Is it in a value that is defined by itself? Such a value must be lazy.
    useTied :: !Bool,
    -- | How many loops are around it, those of library functions that call their
    -- arguments among them.
    useLoops :: !Int
  }
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | What 'useUnder' calls a function that is only a variable.
anyFunction :: Global
anyFunction = Global T.empty T.empty (T.pack "given function")

-- | What 'useUnder' says of a function that makes 'Singles', before the one that it is given to.
singlesFunction :: Global
singlesFunction = Global T.empty T.empty (T.pack "single characters")

-- | What 'useUnder' calls a function of another package that makes a string of one.
stringsFunction :: Global
stringsFunction = Global T.empty T.empty (T.pack "function of strings")

-- | What a library's function is given.
data Argument
  = -- | What the rounds before have made.
    Accumulated
  | -- | Unevaluated, and made of what the rounds before have made.
    FromAccumulated
  | -- | A variable from outside the innermost loop.
    Invariant
  | -- | Another variable.
    OfRound
  | -- | A function that makes a constructor with unevaluated fields of what it is
    -- given.
    Builds
  | -- | A function that makes a list cell, or a constructor of values.
    Conses
  | -- | A function that makes a text or a builder of one character, in some branch.
    Singles
  | -- | A library's function, given by its name, with the types that it is used at.
    Given !Global ![[Text]]
  | -- | A range of numbers that has a name, so that it can be used twice.
    NamedRange
  | -- | A vector that is made of another, and has a name that is used again.
    NamedPipeline
  | -- | A text of the newtype that the function around it gives, or a function to such a text.
    Enclosed
  | -- | Of a function that gives a record of the type of one that it is given: fields that wait for
    -- that one's.
    Stepped
  | -- | The same where that record is in a Maybe, or beside something else.
    SteppedInside
  | -- | The beginning of a list whose rest comes after it again.
    Parted
  | -- | A list of a record, for the same one of a record that the function gives.
    Lengthened
  | Literally
  | Compound
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | A binding's mention of another of the same unit, with how many loops are
-- around it.
data SourceCall = SourceCall
  { callFrom :: !Text,
    callTo :: !Global,
    callLoops :: !Int
  }
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | A mention of a local function, in the same binding: both by the name and the place that the
-- source has.
data LocalCall = LocalCall
  { localFrom :: !(Text, Maybe Place),
    localTo :: !(Text, Maybe Place)
  }
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)
