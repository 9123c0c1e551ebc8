{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}

-- | Core for reading, as a tree.
--
-- Its one idea: GHC's own text of Core is for its developers. The tree keeps
-- what a reader follows (names as the source has them, calls, cases, what is
-- allocated) and who is called; casts, ticks and unique names are gone, and
-- types stand where a reader can ask for them. How it is laid out is a matter
-- of "Tern.Lab.Core.Text".
--
-- Like "Tern.Lab.Core.Facts" it is compiled into the plugin too.
module Tern.Lab.Core.Code
  ( Definition (..),
    Code (..),
    Binder (..),
    Equation (..),
    Group (..),
    Alternative (..),
    Subject (..),
  )
where

import Data.Binary (Binary)
import Data.Text (Text)
import GHC.Generics (Generic)
import Tern.Lab.Core.Facts (Callee, HeapObject)

-- | A binding for reading.
data Definition = Definition
  { -- | What it is called in this module's Core, which no other binding is.
    definitionName :: !Text,
    definitionType :: !Text,
    definitionCode :: !Code
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Binary)

-- | An expression of Core, without its casts, its ticks and the lambdas that bind types alone.
data Code
  = -- | The name that is shown, and what it means.
    Name !Text !Subject
  | Literal !Text
  | -- | A type as an argument.
    TypeArgument !Text
  | Apply !Code ![Code]
  | Lambda ![Binder] !Code
  | Let !Group ![Equation] !Code
  | -- | The value, a name for it, and the branches.
    Case !Code !Binder ![Alternative]
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Binary)

-- | What a name stands for.
data Subject
  = -- | A function or value of a module.
    OfModule !Callee
  | -- | A class method.
    OfClass !Text
  | -- | A variable of this binding, as the facts call it.
    OfBinding !Text
  | -- | A constructor.
    OfType
  | -- | A primitive or foreign operation.
    OfMachine
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Binary)

-- | A variable where it is bound: @_@ where it is not used, and a dictionary by its type in
-- braces. A type is cut after 80 characters.
data Binder = Binder
  { binderName :: !Text,
    binderType :: !Text
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Binary)

-- | Whether the equations of a @let@ mention each other, and whether they are jumped to.
data Group
  = Plain
  | Cyclic
  | -- | A place to jump to: nothing is made for it.
    Jump
  | -- | One that jumps to itself: a loop.
    JumpLoop
  deriving stock (Eq, Ord, Show, Generic)
  deriving anyclass (Binary)

-- | One binding of a @let@, with the heap object that it makes.
data Equation = Equation
  { equationBinder :: !Binder,
    equationObject :: !(Maybe HeapObject),
    equationCode :: !Code
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Binary)

-- | One branch of a case. Types that it binds are left out.
data Alternative = Alternative
  { -- | A constructor, a literal, or @_@.
    alternativePattern :: !Text,
    alternativeBinders :: ![Binder],
    alternativeCode :: !Code
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Binary)
