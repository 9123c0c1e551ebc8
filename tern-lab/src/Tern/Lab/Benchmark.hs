-- | Benchmarks of any code: what @cabal bench@ runs.
--
-- The idea: a benchmark is a value, and 'labMain' is a program that measures such
-- values as the laboratory measures codecs: those of one group in the same rounds,
-- allocation exactly, times with what can be seen of them. The names are those of
-- criterion and tasty-bench, whose definitions run after a change of import.
--
-- > main :: IO ()
-- > main =
-- >   labMain
-- >     [ group
-- >         "sum"
-- >         [bench "foldl'" (whnf (foldl' (+) 0) numbers), bench "sum" (whnf sum numbers)],
-- >       env (readFile "words") $ \\text -> bench "lines" (nf lines text)
-- >     ]
--
-- Start at 'bench' and 'nf'.
module Tern.Lab.Benchmark
  ( -- * Programs
    labMain,
    defaultMain,

    -- * Benchmarks
    Benchmark,
    bench,
    group,
    bgroup,
    sizes,
    env,
    envWithCleanup,

    -- * What is measured
    Benchmarkable,
    nf,
    whnf,
    nfOver,
    nfIO,
    whnfIO,
    nfAppIO,
    whnfAppIO,
    perBatchEnv,
    perBatchEnvWithCleanup,
    perRunEnv,
    perRunEnvWithCleanup,

    -- * Whose results are held against what is known
    nfGiving,
    provided,
  )
where

import Control.DeepSeq (NFData, force, rnf)
import Control.Exception (evaluate, throwIO)
import Control.Monad (unless, void)
import Data.Int (Int64)
import Tern.Lab.Benchmark.Definition (Benchmark (..), Benchmarkable (..), Unfit (..))
import Tern.Lab.Benchmark.Run (labMain)
import Tern.Lab.Measure (Operation, action, actionEach, dropping, operation, operationWith)

-- | The program, by its other name.
defaultMain :: [Benchmark] -> IO ()
defaultMain = labMain

-- * Benchmarks

-- | One, with its name.
bench :: String -> Benchmarkable -> Benchmark
bench = Single

-- | Benchmarks of one thing. Those right in it are measured in the same rounds, and the
-- first of them is what the others are compared with.
group, bgroup :: String -> [Benchmark] -> Benchmark
group = Group
bgroup = Group

-- | One for each size, named by it.
sizes :: String -> [Int] -> (Int -> Benchmarkable) -> Benchmark
sizes name wanted of' = Group name [Single (show n) (of' n) | n <- wanted]

-- | Benchmarks of a value that is made before them, whole, and not measured.
env :: (NFData a) => IO a -> (a -> Benchmark) -> Benchmark
env make = envWithCleanup make (const (pure ()))

-- | The same with what is done after them, also where one of them throws.
envWithCleanup :: (NFData a) => IO a -> (a -> IO b) -> (a -> Benchmark) -> Benchmark
envWithCleanup make clear = Within (make >>= evaluate . force) (void . clear)

-- * What is measured

-- | Whatever it gives.
measurable :: Int -> Operation -> Benchmarkable
measurable times one = Benchmarkable times one (pure ())

-- | Only where this holds, which is asked once before: a wrong result is said, and not
-- measured, and the program ends with 1.
provided :: IO Bool -> Benchmarkable -> Benchmarkable
provided holds (Benchmarkable times one before) =
  Benchmarkable times one (before >> holds >>= \right -> unless right (throwIO WrongResult))

-- | 'nf' of a function whose result is known, and held against it before.
nfGiving :: (Eq b, NFData b) => b -> (a -> b) -> a -> Benchmarkable
nfGiving expected function argument =
  provided (evaluate (function argument == expected)) (nf function argument)

-- | A function at an argument, to normal form.
nf :: (NFData b) => (a -> b) -> a -> Benchmarkable
nf function argument = measurable 1 (operation function rnf argument)

-- | The same, to weak head normal form.
whnf :: (a -> b) -> a -> Benchmarkable
whnf function argument = measurable 1 (operation function (`seq` ()) argument)

-- | A function at each of several arguments in turn, so that the processor does not
-- learn one of them by heart; the figures are those of one.
nfOver :: (NFData a, NFData b) => (a -> b) -> [a] -> Benchmarkable
nfOver function arguments =
  measurable
    (max 1 (length arguments))
    ( operationWith
        (dropping function rnf)
        id
        (evaluate (force arguments))
    )

-- | An action, and what it gives to normal form.
nfIO :: (NFData a) => IO a -> Benchmarkable
nfIO act = nfAppIO (const act) ()

-- | The same, to weak head normal form.
whnfIO :: IO a -> Benchmarkable
whnfIO act = whnfAppIO (const act) ()

-- | An action that takes an argument.
nfAppIO :: (NFData b) => (a -> IO b) -> a -> Benchmarkable
nfAppIO act argument = measurable 1 (action act rnf (pure argument) (const (pure ())))

-- | The same, to weak head normal form.
whnfAppIO :: (a -> IO b) -> a -> Benchmarkable
whnfAppIO act argument = measurable 1 (action act (`seq` ()) (pure argument) (const (pure ())))

-- | An action with what is made for each batch of it, and not measured. The maker is
-- told 1: how often the action will be done is not known then.
perBatchEnv :: (NFData a, NFData b) => (Int64 -> IO a) -> (a -> IO b) -> Benchmarkable
perBatchEnv make = perBatchEnvWithCleanup make (\_ _ -> pure ())

-- | The same with what is done after each batch.
perBatchEnvWithCleanup ::
  (NFData a, NFData b) => (Int64 -> IO a) -> (Int64 -> a -> IO ()) -> (a -> IO b) -> Benchmarkable
perBatchEnvWithCleanup make clear act =
  measurable 1 (action act rnf (make 1 >>= evaluate . force) (clear 1))

-- | An action with what is made for each time that it is done, and not measured.
perRunEnv :: (NFData a, NFData b) => IO a -> (a -> IO b) -> Benchmarkable
perRunEnv make = perRunEnvWithCleanup make (\_ -> pure ())

-- | The same with what is done after each time.
perRunEnvWithCleanup :: (NFData a, NFData b) => IO a -> (a -> IO ()) -> (a -> IO b) -> Benchmarkable
perRunEnvWithCleanup make clear act =
  measurable 1 (actionEach act rnf (make >>= evaluate . force) clear)
