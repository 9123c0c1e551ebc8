-- | Measured code runs, every time, and its bytes are counted exactly.
module Tern.Lab.MeasureTest (tests) where

import Control.Concurrent (threadDelay)
import Data.ByteString qualified as B
import Data.IORef (IORef, modifyIORef', newIORef, readIORef)
import Data.List (nub, sort)
import Data.List.NonEmpty qualified as NonEmpty
import System.IO.Unsafe (unsafePerformIO)
import Tern.Lab.Measure
  ( Operation,
    Settings (..),
    Timing (..),
    action,
    allocatedBy,
    allocations,
    dropping,
    keeping,
    operation,
    operationWith,
    runOperation,
    timings,
  )
import Test.Tasty
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "measure"
    [ testCase "a loop runs its operation every time" $ do
        calls <- newIORef (0 :: Int)
        runOperation (counting calls) 1000
        readIORef calls >>= (@?= 1000),
      testCase "a loop of nothing allocates nothing" $ do
        allocated <- allocatedBy (operation (const ()) id ())
        allocated @?= 0,
      testCase "a pair of words is three words" $ do
        allocated <- allocatedBy (operation pair (`seq` ()) 7)
        allocated @?= 24,
      testCase "what is computed once and then looked at allocates at first alone" $ do
        (first, each) <- allocations (operation (const table) (`seq` ()) ())
        assertBool (show first) (first > 10000)
        each @?= 0
        -- A function and its argument, apart, are not.
        (again, every) <- allocations copying
        assertBool (show again) (again > 10000)
        assertBool (show every) (every > 10000),
      testCase "the same is counted in every run" $ do
        first <- allocatedBy copying
        again <- allocatedBy copying
        again @?= first
        assertBool (show first) (first > 10000 && first < 10100),
      testCase "each of many arguments is worked on once, and all results are there" $ do
        keeping (+ 1) (`seq` ()) [1 .. 10 :: Int] @?= [11, 10 .. 2]
        calls <- newIORef (0 :: Int)
        runOperation (operation (dropping (countedFor calls) id) id [1 .. 10 :: Int]) 100
        readIORef calls >>= (@?= 1000),
      testCase "what is kept costs its list alone, what is dropped nothing" $ do
        kept <- allocatedBy (operation (keeping pair (`seq` ())) (const ()) [1 .. 100])
        dropped <- allocatedBy (operation (dropping pair (`seq` ())) id [1 .. 100])
        (kept, dropped) @?= (100 * (24 + 24), 100 * 24),
      testCase "what is made ready for a batch is not counted" $ do
        allocated <-
          allocatedBy
            ( operationWith
                pair
                (`seq` ())
                (length . show <$> mapM pure [1 .. 1000 :: Int])
            )
        allocated @?= 24,
      testCase "each operation gets one figure a round, and the rounds are told" $ do
        told <- newIORef []
        found <-
          timings
            Settings {rounds = 3, batch = 1e4}
            (\n -> modifyIORef' told (n :))
            [copying, copying]
        map (\t -> (length (cpuTimes t), length (wallTimes t))) found @?= [(3, 3), (3, 3)]
        readIORef told >>= (@?= [3, 2, 1]),
      testCase "of two operations each comes first in some rounds" $ do
        order <- newIORef []
        let named name = action (\() -> modifyIORef' order (name :)) id (pure ()) pure
        _ <-
          timings
            Settings {rounds = 4, batch = 1}
            (\_ -> modifyIORef' order ('|' :))
            [named 'a', named 'b']
        said <- reverse <$> readIORef order
        let afterRound = [next | (mark, next) <- zip said (drop 1 said), mark == '|']
        (sort (nub afterRound), length afterRound) @?= ("ab", 4),
      testCase "what waits takes no time of the processor" $ do
        found <-
          timings
            Settings {rounds = 2, batch = 1000}
            (\_ -> pure ())
            [action (\() -> threadDelay 20000) id (pure ()) pure]
        let part t = minimum (NonEmpty.zipWith (/) (cpuTimes t) (wallTimes t))
        map ((< 0.5) . part) found @?= [True]
    ]

copying :: Operation
copying = operation B.copy (`seq` ()) (B.replicate 10000 7)

-- | A constant, which is there once it was asked for.
table :: Int
table = length (show (product [1 .. 500 :: Integer]))
{-# NOINLINE table #-}

data Pair = Pair Int Int

pair :: Int -> Pair
pair n = Pair n n
{-# NOINLINE pair #-}

counting :: IORef Int -> Operation
counting = operation counted id

counted :: IORef Int -> ()
counted ref = unsafePerformIO (modifyIORef' ref (+ 1))
{-# NOINLINE counted #-}

countedFor :: IORef Int -> Int -> ()
countedFor ref n = unsafePerformIO (modifyIORef' ref (+ signum n))
{-# NOINLINE countedFor #-}
