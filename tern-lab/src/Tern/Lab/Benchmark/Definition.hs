-- | Benchmarks as data: a tree with names.
--
-- Start at 'Benchmark'.
module Tern.Lab.Benchmark.Definition
  ( Benchmark (..),
    Benchmarkable (..),
    names,

    -- * What must hold before
    Unfit (..),
    limited,
  )
where

import Control.Exception (Exception (..), bracket_, throwIO)
import Control.Monad (when)
import Data.List (intercalate)
import Data.Maybe (isNothing)
import Foreign.C.String (CString, withCString)
import Foreign.C.Types (CInt (..))
import Numeric (showFFloat)
import System.Timeout (timeout)
import Tern.Lab.Measure (Operation, runOperation)

-- | A benchmark, or some that belong together.
data Benchmark
  = Single String Benchmarkable
  | Group String [Benchmark]
  | -- | What is made before, what is done after, and what needs it.
    forall a. Within (IO a) (a -> IO ()) (a -> Benchmark)

-- | Something that can be measured: how many times one operation works, it, and what is
-- done before all measuring, which throws where there is nothing to be measured.
data Benchmarkable = Benchmarkable Int Operation (IO ())

-- | Why something is not measured.
data Unfit
  = WrongResult
  | -- | After these seconds.
    TooLong Double
  deriving stock (Eq, Show)

instance Exception Unfit where
  displayException = \case
    WrongResult -> "it gives a wrong result"
    TooLong seconds -> "once took more than " <> showFFloat (Just 1) seconds " s"

-- | What takes more than these seconds is not measured: each is done once before, and
-- ended then. Code that neither allocates nor yields cannot be ended alone: two seconds
-- later the program ends with 1, and a line that says so.
limited :: Double -> [Benchmark] -> [Benchmark]
limited seconds = go []
  where
    go path = map $ \case
      Single name (Benchmarkable times one before) ->
        Single name (Benchmarkable times one (once (path <> [name]) one >> before))
      Group name inner -> Group name (go (path <> [name]) inner)
      Within make clear inner -> Within make clear (within path . inner)
    within path one = case go path [one] of
      it : _ -> it
      [] -> one
    once path one =
      withCString (stuck path) $ \text ->
        bracket_ (watch (ceiling seconds + 2) text) (watch 0 text) $ do
          ended <- timeout (ceiling (seconds * 1e6)) (runOperation one 1)
          when (isNothing ended) (throwIO (TooLong seconds))
    stuck path =
      intercalate "/" path
        <> ": took more than "
        <> showFFloat
          (Just 1)
          seconds
          " s and does not let itself be ended, as it does not allocate; "
        <> "with -fno-omit-yields it can be passed over\n"

-- unsafe: it sets a timer and copies a text.
foreign import ccall unsafe "tern_lab_watch" watch :: CInt -> CString -> IO ()

-- | The paths of all, without making anything: a name must not depend on what is made.
names :: Benchmark -> [[String]]
names = \case
  Single name _ -> [[name]]
  Group name inner -> map (name :) (concatMap names inner)
  Within _ _ inner ->
    names (inner (errorWithoutStackTrace "a benchmark's name depends on its environment"))
