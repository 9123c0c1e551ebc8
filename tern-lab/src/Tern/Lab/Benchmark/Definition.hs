-- | Benchmarks as data: a tree with names.
--
-- Start at 'Benchmark'.
module Tern.Lab.Benchmark.Definition
  ( Benchmark (..),
    Benchmarkable (..),
    names,
  )
where

import Tern.Lab.Measure (Operation)

-- | A benchmark, or some that belong together.
data Benchmark
  = Single String Benchmarkable
  | Group String [Benchmark]
  | -- | What is made before, what is done after, and what needs it.
    forall a. Within (IO a) (a -> IO ()) (a -> Benchmark)

-- | Something that can be measured: how many times one operation works, and it.
data Benchmarkable = Benchmarkable Int Operation

-- | The paths of all, without making anything: a name must not depend on what is made.
names :: Benchmark -> [[String]]
names = \case
  Single name _ -> [[name]]
  Group name inner -> map (name :) (concatMap names inner)
  Within _ _ inner ->
    names (inner (errorWithoutStackTrace "a benchmark's name depends on its environment"))
