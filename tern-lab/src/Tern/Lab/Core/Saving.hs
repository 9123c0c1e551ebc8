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
    savingLibrary :: !Double
  }
  deriving stock (Eq, Show)

saving :: FindingKind -> Saving
saving = \case
  NotUnrolled _ _ -> Saving 0.5 8 0 0
  NotInlined _ _ -> Saving 0.1 8 0 0
  NotSpecialised {} -> Saving 0.3 32 0 0
  PassesInstances _ _ -> Saving 0 1 0 0
  UnknownInstance _ _ -> Saving 0.5 16 0 0
  UnknownCalls _ -> Saving 0.15 4 0 0
  ArityTooLow {} -> Saving 0.5 16 0 0
  GrowingAccumulator _ _ when -> case when of
    AtOnce -> Saving 1 8 0 0
    Looking -> Saving 0.4 4 0 0
    OnDemand -> Saving 0.05 0 0 0
  AppendsLeft -> Saving 0.9 0 0 0
  AppendsRecursively _ -> Saving 0.9 0 0 0
  LoopAllocates _ -> Saving 0.2 0 0 0
  StoresLazily _ -> Saving 1 8 0 0
  WaitsForResult _ -> Saving 1 8 0 0
  CarriesConstructor {} -> Saving 0.4 4 0 0
  KeepsBoxed _ _ why -> case why of
    HandedOn -> Saving 0.6 0 0 0
    _ -> Saving 0.35 0 0 0
  GivesBoxed _ _ -> Saving 0.5 0 0 0
  LosesJump _ _ -> Saving 0.5 0 0 0
  GenericRepresentation _ -> Saving 0.5 16 0 0
  NoExportList _ -> Saving 0 0 0 0
  CallsLibrary _ cost -> case cost of
    WalksToIndex -> Saving 0 256 0 0
    WalksToLength -> Saving 0 256 0 0
    SearchesList -> Saving 0 64 0 0
    ComparesAll -> Saving 0.1 1024 0.5 4096
    CopiesAll -> Saving 0.2 0 0.9 100_000
    CopiesVector -> Saving 0.2 0 0.95 10_000_000
    KeepsValues -> Saving 0.7 4 0.1 100
    KeepsState -> Saving 1 8 0.1 50
    KeepsRecord -> Saving 1 8 0.1 50
    KeepsFields -> Saving 1 8 0.1 50
    GathersLog -> Saving 1 8 0.6 100
    CopiesList -> Saving 0.9 0 0 0
    KeepsSteps -> Saving 0.5 8 0.8 100
    KeepsPipeline -> Saving 0.3 0 0.5 10_000
    KeepsRange -> Saving 0.2 8 0.3 40
    ThroughString -> Saving 0.5 0 0.9 10_000
    ThroughList -> Saving 0.5 0 0.8 10_000
    ParsesByRead -> Saving 0.5 0 0.9 20_000
    ShowsToLook -> Saving 0.5 0 0.8 500
    InterpretsFormat -> Saving 0.5 0 0.8 5_000
    BoxesElements -> Saving 0.4 0 0.5 10_000
    DefaultsInteger -> Saving 0.5 16 0.9 16
