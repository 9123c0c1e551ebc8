-- | Measured code runs, every time, and its bytes are counted exactly.
module Tern.Lab.MeasureTest (tests) where

import Data.ByteString qualified as B
import Data.IORef
import System.IO.Unsafe (unsafePerformIO)
import Tern.Lab.Measure
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
      testCase "the same is counted in every run" $ do
        first <- allocatedBy copying
        again <- allocatedBy copying
        again @?= first
        assertBool (show first) (first > 10000 && first < 10100),
      testCase "each operation gets one figure a round, and the rounds are told" $ do
        told <- newIORef []
        found <- timings Settings {rounds = 3, batch = 1e4} (\n -> modifyIORef' told (n :)) [copying, copying]
        map (\t -> (length (cpuTimes t), length (wallTimes t))) found @?= [(3, 3), (3, 3)]
        readIORef told >>= (@?= [3, 2, 1])
    ]

copying :: Operation
copying = operation B.copy (`seq` ()) (B.replicate 10000 7)

data Pair = Pair Int Int

pair :: Int -> Pair
pair n = Pair n n
{-# NOINLINE pair #-}

counting :: IORef Int -> Operation
counting calls = operation (\ref -> unsafePerformIO (modifyIORef' ref (+ 1))) id calls
{-# NOINLINE counting #-}
