-- | What a cure would plausibly save of a run.
--
-- Its one idea: findings are compared in one unit, bytes of this run. A cure
-- takes away a part of what the function allocated, by the kind of the finding;
-- work that allocates nothing counts as some bytes for each entry; and where a
-- library does the work, some of what no counter saw is the finding's, up to so
-- many bytes for each entry. The parts are rough, and only the order is meant.
--
-- Start at 'saving'.
module Tern.Lab.Core.Saving
  ( Saving (..),
    saving,
  )
where

import Tern.Lab.Core.Facts (Round (..), WhyBoxed (..))
import Tern.Lab.Core.Finding (FindingKind (..))
import Tern.Lab.Core.Library (Cost (..))

data Saving = Saving
  { -- | Of the bytes that the function allocated, from 0 to 1.
    savingOwn :: !Double,
    -- | Bytes for each entry that its work is worth.
    savingEntry :: !Double,
    -- | Of the bytes that libraries allocated for calls in the function, from 0 to 1.
    savingCalls :: !Double,
    -- | The most bytes of libraries that an entry may have caused besides: what is made
    -- lazily is made where it is asked for.
    savingLibrary :: !Double,
    -- | The most of its own bytes that an entry can be worth: what is kept is some words.
    savingMost :: !Double
  }
  deriving stock (Eq, Show)

saving :: FindingKind -> Saving
saving = \case
  NotUnrolled _ _ -> Saving 0.5 8 0 0 unbounded
  NotInlined _ _ -> Saving 0.1 8 0 0 unbounded
  NotSpecialised {} -> Saving 0.3 32 0 0 unbounded
  PassesInstances _ _ -> Saving 0 1 0 0 unbounded
  UnknownInstance _ _ -> Saving 0.5 16 0 0 unbounded
  OverloadedBelow _ _ -> Saving 0.5 16 0 0 unbounded
  UnknownCalls _ -> Saving 0.15 4 0 0 unbounded
  ArityTooLow {} -> Saving 0.5 16 0 0 madeBytes
  GrowingAccumulator _ _ when -> case when of
    AtOnce -> Saving 1 8 0 0 unbounded
    Looking -> Saving 0.4 4 0 0 unbounded
    OnDemand -> Saving 0.05 0 0 0 unbounded
  AppendsLeft -> Saving 0.9 0 0 0 unbounded
  AppendsRecursively _ -> Saving 0.9 0 0 0 unbounded
  LoopAllocates _ -> Saving 0.2 0 0 0 unbounded
  StoresLazily _ -> Saving 1 8 0 0 unbounded
  WaitsForResult _ -> Saving 1 8 0 0 unbounded
  CarriesConstructor {} -> Saving 0.4 4 0 0 unbounded
  KeepsBoxed _ _ why -> case why of
    HandedOn -> Saving 0.6 0 0 0 unbounded
    _ -> Saving 0.35 0 0 0 unbounded
  GivesBoxed _ _ -> Saving 0.5 0 0 0 unbounded
  LosesJump _ _ -> Saving 0.5 0 0 0 unbounded
  GenericRepresentation _ -> Saving 0.5 16 0 0 unbounded
  NoExportList _ -> Saving 0.05 4 0 0 unbounded
  CallsLibrary _ cost -> case cost of
    WalksToIndex -> Saving 0 256 0 0 unbounded
    WalksToLength -> Saving 0 256 0 0 unbounded
    WalksToCompare -> Saving 0 256 0 0 unbounded
    SearchesList -> Saving 0 64 0 0 unbounded
    ComparesAll -> Saving 0.1 1024 0.5 4096 unbounded
    CopiesAll -> Saving 0.2 0 0.9 100_000 unbounded
    CopiesVector -> Saving 0.2 0 0.95 10_000_000 unbounded
    KeepsValues -> Saving 0.7 4 0.1 100 keptBytes
    KeepsState -> Saving 1 8 0.1 50 keptBytes
    KeepsRecord -> Saving 1 8 0.1 50 keptBytes
    KeepsFields -> Saving 1 8 0.1 50 keptBytes
    HandsFields -> Saving 0.5 8 0 0 keptBytes
    GathersLog -> Saving 1 8 0.6 100 unbounded
    CopiesList -> Saving 0.9 0 0 0 unbounded
    KeepsSteps -> Saving 0.5 8 0.8 100 unbounded
    KeepsPipeline -> Saving 0.3 0 0.5 10_000 unbounded
    KeepsRange -> Saving 0.2 8 0.3 40 unbounded
    ThroughString -> Saving 0.5 0 0.9 10_000 unbounded
    ThroughList -> Saving 0.5 0 0.8 10_000 unbounded
    ParsesByRead -> Saving 0.5 0 0.9 20_000 unbounded
    ShowsToLook -> Saving 0.5 0 0.8 500 unbounded
    ShowsToFind -> Saving 0.5 0 0.8 500 unbounded
    InterpretsFormat -> Saving 0.5 0 0.8 5_000 unbounded
    BoxesElements -> Saving 0.4 0 0.5 10_000 unbounded
    DefaultsInteger -> Saving 0.5 16 0.9 16 unbounded
  where
    unbounded = 1e18
    -- A function, with what it closes over.
    madeBytes = 320
    -- A computation for each of some fields, with what it waits for.
    keptBytes = 160
