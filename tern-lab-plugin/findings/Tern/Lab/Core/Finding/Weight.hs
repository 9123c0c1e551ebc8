{-# LANGUAGE OverloadedStrings #-}

-- | What a finding weighs where no run was measured.
--
-- Its one idea: the weight is a heuristic, and a report says so: the kind's own weight, times
-- ten in a loop and thirty in a loop of a loop (those around its callers included), a fifth for
-- what runs once, a tenth for instances that deriving makes, a hundredth for
-- loops of libraries that were inlined.
--
-- Start at 'originFactor'.
module Tern.Lab.Core.Finding.Weight
  ( -- * What a kind weighs
    spotWeight,
    callWeight,
    specialiseWeight,

    -- * What its place makes of it
    loopFactor,
    originFactor,
  )
where

import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Core.Facts
  ( Binding (..),
    Callee (..),
    Global (..),
    HeapObject (..),
    ModuleFacts (..),
    Origin (..),
    Owner (..),
    Pragma (..),
    Round (..),
    Sight (..),
    Spot (..),
    Unfolding (..),
  )
import Tern.Lab.Core.Finding (FindingKind (..))
import Tern.Lab.Core.Index
  ( Index (..),
    Remedy (..),
    Why (..),
    inModule,
    inProject,
    ownerName,
    sourceName,
  )

-- * What a kind weighs

-- | One thing that was seen. Of code that is weighed where it is inlined, and of code in no
-- loop, some things are none.
spotWeight :: Bool -> Int -> Spot -> Double
spotWeight inlinedElsewhere heat s = case spotSight s of
  Method _ _ -> if inlinedElsewhere then 0 else 2
  Unknown _ _ made
    | inlinedElsewhere -> 0
    | spotLoops s + heat > 0 -> 0.6
    -- Outside of loops, only a run can say that it is called often.
    | made > 0 -> 0.02
    | otherwise -> 0
  LazyAccumulator _ _ AtOnce _ -> 5
  -- In other people's packages one of four did harm, and none of three.
  LazyAccumulator _ _ Looking _ -> 2
  -- One waits at a time: what it costs, a run must say.
  LazyAccumulator _ _ Evaluating _ -> 0.9
  LazyAccumulator _ _ OnDemand _ -> 0.2
  TakenApart {} -> 1.2
  KeptBoxed {} -> if inlinedElsewhere then 0 else 1.2
  Allocated object _ | spotLoops s > 0 -> case object of
    Thunk -> 0.25
    Closure -> 0.5
    BoxedNumber _ -> 0.6
    Partial -> 0.4
    Constructor _ -> 0
  _ -> 0

-- | A call of a known function is what programs are made of; only a pragma
-- that keeps it in a loop is more than a detail.
callWeight :: Index -> ModuleFacts -> Callee -> Why -> Double
callWeight index m callee = \case
  BecausePragma (NoInline _) | inProject index callee, not isLarge -> 2
  BecauseUnoptimised _ -> 4
  _ -> 0.02
  where
    -- It would be a call without the pragma too.
    isLarge = case callee of
      CalleeHere name -> large (inModule m name)
      CalleeGlobal g -> large g || large g {globalName = sourceName (globalName g)}
    large g = maybe False ((> 400) . bindingSize) (Map.lookup g (indexBindings index))

-- | What only another package could change, and what somebody has kept apart
-- on purpose, are lesser news.
specialiseWeight :: Remedy -> Double
specialiseWeight = \case
  Upstream -> 0.3
  RemovePragma _ -> 4
  MarkInlinable _ -> 15
  AskSpecialise -> 15

-- * What its place makes of it

-- | What loops around it add to a weight.
loopFactor :: Int -> Double
loopFactor n
  | n <= 0 = 1
  | n == 1 = 10
  | otherwise = 30

-- | What becomes of it where GHC has made the binding, or it is a template, or runs once.
originFactor :: Binding -> FindingKind -> Double
originFactor b kind
  -- A template, inlined where it is used and weighed there.
  | bindingPragma b == Inline, bindingUnfolding b == StableUnfolding = 0.02
  | Instance name <- bindingOrigin b, derivable name = 0.1
  | Just name <- T.stripPrefix "$f" owner,
    derivable name || derivable (sourceName (bindingName b)) =
      0.1
  -- Code of a library that was inlined here: its own affair.
  | aboutLoops, bindingOrigin b == Made, not madeOfWritten = 0.01
  | NotSpecialised {} <- kind = 1
  | bindingArity b == 0 && not (bindingRecursive b) = 0.2
  | otherwise = 1
  where
    owner = maybe (bindingName b) ownerName (bindingOwner b)
    madeOfWritten = case bindingOwner b of
      Just (MadeOf _) -> True
      _ -> False
    aboutLoops = case kind of
      LoopAllocates _ -> True
      UnknownCalls _ _ -> True
      UnknownInstance _ _ -> True
      OverloadedBelow _ _ -> True
      _ -> False

-- | Is it an instance, or a method of one, that deriving makes?
derivable :: Text -> Bool
derivable name = any (`T.isPrefixOf` name) classes || name `elem` methods
  where
    classes = T.words "Show Read Eq Ord Enum Bounded Ix Data Lift Generic"
    methods =
      T.words
        "show showsPrec showList readPrec readsPrec readList readListPrec compare == /= < <= > >= \
        \min max sconcat stimes mconcat toEnum fromEnum enumFrom enumFromTo enumFromThen \
        \enumFromThenTo succ pred from to range index inRange minBound maxBound"
