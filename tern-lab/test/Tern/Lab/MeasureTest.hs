{-# LANGUAGE OverloadedStrings #-}

-- | Measured code runs, every time, and its bytes are counted exactly.
module Tern.Lab.MeasureTest (tests) where

import Control.Concurrent (threadDelay)
import Control.Exception (evaluate)
import Control.Monad (forM, replicateM)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe (unsafeUseAsCString)
import Data.IORef (IORef, modifyIORef', newIORef, readIORef, writeIORef)
import Data.List (nub, sort)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Text qualified as T
import Foreign.Ptr (ptrToWordPtr)
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
import Tern.Lab.Pace (arithmetic)
import Tern.Lab.Place (elsewhere)
import Tern.Lab.Processor (Processors (..), processorsIn)
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
      testCase "an operation that is slow at first is done as often as it takes in the end" $ do
        first <- newIORef (0 :: Int)
        second <- newIORef (0 :: Int)
        begun <- newIORef []
        let counts = (,) <$> readIORef first <*> readIORef second
            counted' calls slow = action (\() -> slow >>= working calls) id (pure ()) pure
        _ <-
          timings
            Settings {rounds = 4, batch = 1e6}
            (\_ -> counts >>= \now -> modifyIORef' begun (now :))
            -- The first is slow as long as the second never ran.
            [counted' first ((== 0) <$> readIORef second), counted' second (pure False)]
        (one, other) <- counts
        readIORef begun >>= \case
          (one', other') : _ ->
            let last' = (one - one', other - other')
             in assertBool (show last') (fst last' * 3 > snd last' && snd last' * 3 > fst last')
          [] -> assertFailure "no round",
      testCase "copies of bytes begin at many places in a line of the cache" $ do
        let bytes = B.pack [1 .. 71]
        next <- elsewhere bytes
        copies <- replicateM 64 next
        nub copies @?= [bytes]
        places <- forM copies $ \copy ->
          unsafeUseAsCString copy (\start -> pure (ptrToWordPtr start `mod` 64))
        let found = length (nub places)
        assertBool (show found) (found > 32),
      testCase "what waits takes no time of the processor" $ do
        found <-
          timings
            Settings {rounds = 2, batch = 1000}
            (\_ -> pure ())
            [action (\() -> threadDelay 20000) id (pure ()) pure]
        let part t = minimum (NonEmpty.zipWith (/) (cpuTimes t) (wallTimes t))
        map ((< 0.5) . part) found @?= [True],
      testCase "processors of one name are told apart by their generation" $ do
        let told rows = processorsIn (T.unlines [key <> "\t: " <> value | (key, value) <- rows])
            epyc family model =
              [ row
                | n <- ["0", "1"],
                  row <-
                    [ ("processor", n),
                      ("cpu family", family),
                      ("model", model),
                      ("model name", "AMD EPYC")
                    ]
              ]
        told (epyc "23" "1") @?= Processors "AMD EPYC (family 23, model 1)" 2
        told (epyc "25" "17") @?= Processors "AMD EPYC (family 25, model 17)" 2
        told [("processor", "0"), ("CPU implementer", "0x41"), ("CPU part", "0xd0c")]
          @?= Processors "implementer 0x41, part 0xd0c" 1
        told [("processor", "0"), ("model name", "Some: other")] @?= Processors "Some: other" 1
        told [("processors", "7")] @?= Processors "" 0
        processorsIn "" @?= Processors "" 0
    ]

-- | Count the call, and work, for some twenty times as long where it is slow.
working :: IORef Int -> Bool -> IO ()
working calls slow = do
  number <- readIORef calls
  writeIORef calls (number + 1)
  _ <- evaluate (arithmetic ((if slow then 20000 else 1000) + number `mod` 7))
  pure ()

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
