{-# LANGUAGE DerivingStrategies #-}

-- | What is known where the walk over the Core stands, and what it notes there.
--
-- Its one idea: equal things that are seen in one part are one, with how often.
--
-- Start at 'Scope'.
module Tern.Lab.Core.Plugin.Seen
  ( Scope (..),
    Local (..),
    Loop (..),
    Taken,
    Seen,
    see,
    total,
    boundBy,
    within,
  )
where

import Data.Map.Strict qualified as Map
import Data.Text (Text)
import GHC.Plugins hiding
  ( InlineSpec (..),
    Origin (..),
    RecFlag (..),
    Unfolding (NoUnfolding),
    (<>),
  )
import Tern.Lab.Core.Facts
  ( Bound (..),
    Sight (..),
    Spot (..),
  )
import Tern.Lab.Core.Plugin.Shape
  ( Own,
    occurrence,
    placeOf,
  )

-- | What is known where the walk stands.
data Scope = Scope
  { scopeThreshold :: !Int,
    scopeTop :: !(VarEnv Id),
    -- | What to call those of the module's own names that several have. Lazy:
    -- only those who read Core ask.
    scopeTwins :: VarEnv Text,
    scopeOwn :: !Own,
    scopeRecursive :: !VarSet,
    scopeLocals :: !(VarEnv Local),
    -- | The loops around, the innermost first.
    scopeLoops :: ![Loop],
    scopeIn :: !(Maybe Id),
    -- | The number of the function that this stands in.
    scopePart :: !Int,
    scopeSelf :: !Id,
    -- | Is what stands here the last thing that the innermost loop does?
    scopeLast :: !Bool,
    -- | What calls of this module's functions evaluate at once. Lazy: most give no tuple.
    scopeTaken :: Taken
  }

-- | Of each function that gives a tuple: which of its parts all calls evaluate at once.
type Taken = VarEnv [Bool]

data Local
  = -- | Let-bound.
    Known !CoreExpr
  | -- | Let-bound in a recursive group.
    KnownLoop
  | -- | Bound by a lambda or a case.
    Variable !Bound

data Loop = Loop
  { loopName :: !Id,
    loopParameters :: ![Id],
    -- | Those that some round looks at.
    loopLookedAt :: VarSet,
    -- | Those that a method decides by how some round goes on.
    loopAsked :: VarSet,
    -- | Those that some round puts into a constructor as they are.
    loopStored :: VarSet,
    -- | What a round has of a parameter that it has evaluated, by its names.
    loopEvaluated :: VarEnv Id
  }

-- | What was seen, in no order.
type Seen = [Spot] -> [Spot]

-- | Equal spots counted together.
total :: Seen -> [Spot]
total seen =
  [ spot {spotTimes = n}
    | (spot, n) <-
        Map.toList (Map.fromListWith (+) [(s {spotTimes = 0}, spotTimes s) | s <- seen []])
  ]

see :: Scope -> Sight -> Seen
see scope sight =
  ( Spot
      { spotSight = sight,
        spotIn = occurrence <$> scopeIn scope,
        spotPlace = scopeIn scope >>= placeOf . idName,
        spotPart = scopePart scope,
        spotLoops = length (scopeLoops scope),
        spotTimes = 1
      }
      :
  )

boundBy :: Bound -> [Id] -> Scope -> Scope
boundBy how vs scope =
  scope {scopeLocals = extendVarEnvList (scopeLocals scope) [(v, Variable how) | v <- vs, isId v]}

-- | For a part of what stands here.
within :: Scope -> Scope
within scope = scope {scopeLast = False}
