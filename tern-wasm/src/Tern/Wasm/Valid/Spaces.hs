-- | The index spaces of a module, imports first, as types.
module Tern.Wasm.Valid.Spaces
  ( Rules (..),
    Spaces (..),
  )
where

import Data.IntSet (IntSet)
import Data.Vector (Vector)
import Tern.Wasm.Syntax

-- | By which edition of the specification to judge.
data Rules
  = -- | At most one result and one table; the labels of a branch table have the
    -- same types.
    Rules1
  | Rules2
  deriving stock (Eq, Ord, Show)

data Spaces = Spaces
  { spaceRules :: !Rules,
    spaceTypes :: !(Vector FuncType),
    spaceFuncs :: !(Vector FuncType),
    spaceImportedFuncs :: !Int,
    spaceTables :: !(Vector TableType),
    spaceMems :: !(Vector Limits),
    spaceGlobals :: !(Vector GlobalType),
    spaceImportedGlobals :: !Int,
    spaceElems :: !(Vector RefType),
    spaceDatas :: !Int,
    -- | Functions that a @ref.func@ in a body may speak of. Lazy: only such an
    -- instruction looks.
    spaceDeclared :: IntSet
  }
