-- | Rows of instructions that the loop does in one step ("Tern.Wasm.Stepwise").
module Tern.Wasm.RowTest
  ( tests,
  )
where

import Control.Monad (forM_, unless, when)
import Data.IORef (modifyIORef', newIORef, readIORef)
import Data.List (isPrefixOf, nub)
import Tern.Wasm.Byte (Standing (..), opNumber, opNumbered, rowNumber, sharing, standing)
import Tern.Wasm.Code (Op (..))
import Tern.Wasm.Pair (Pair (..))
import Tern.Wasm.Row (rows)
import Tern.Wasm.Seed (Draw, runDraw)
import Tern.Wasm.Stepwise
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "rows"
    [ testCase "every instruction and every row has a number of its own, every byte a meaning" $ do
        let numbers = map opNumber [minBound ..] <> map rowNumber [0 .. length rows - 1]
        length (nub numbers) @?= length numbers
        length standing @?= 256
        [ops | InRow ops <- standing] @?= rows
        [op | Alone op <- standing] <> sharing @?= [minBound ..]
        forM_ (zip [0 ..] standing) $ \(n, on) -> case on of
          Alone op -> (opNumber op, opNumbered n) @?= (n, op)
          InRow ops -> [opNumbered n] @?= take 1 ops
          Unused -> opNumbered n @?= Stop
          Shared -> nub (map ((`mod` 256) . opNumber) sharing) @?= [n]
        forM_ sharing $ \op -> opNumbered (opNumber op) @?= op,
      testCase "no row is another, or one instruction alone" $ do
        length (nub rows) @?= length rows
        forM_ rows $ \ops -> assertBool (show ops) (length ops > 1),
      testGroup
        "in one step they do what they do one by one"
        [testCaseInfo (show ops) (alike number ops) | (number, ops) <- numbered],
      testCase "of those that begin alike the longest is taken" $
        forM_ ((,) <$> numbered <*> numbered) $ \((short, ops), (long, other)) ->
          when (ops /= other && ops `isPrefixOf` other) $ do
            (became, _) <- ran (runDraw (drawn other) 1) (runDraw drawnCase 1) True
            when (became == short) (assertFailure (show (ops, other)))
            (alone, _) <- ran (runDraw (drawn ops) 1) (runDraw drawnCase 1) True
            (alone, long /= short) @?= (short, True)
    ]
  where
    numbered = zip (map rowNumber [0 ..]) rows

-- | Some hundred cases, of which enough must go through the whole row. Says how many do.
alike :: Int -> [Op] -> IO String
alike number ops = do
  through <- newIORef (0 :: Int)
  forM_ [1 .. 600] $ \seed -> do
    let (given, c) = runDraw ((,) <$> drawn ops <*> drawnCase) seed
    (_, alone) <- ran given c False
    (became, together) <- ran given c True
    assertEqual (show (given, c)) number became
    assertEqual (show (given, c)) alone together
    let (_, place, _, _, _) = together
    when (place >= 8 * length (concatMap encoded given)) (modifyIORef' through (+ 1))
  n <- readIORef through
  unless (n > 20) (assertFailure ("only " <> show n <> " went through"))
  pure (show n <> " went through")

-- | The instructions of a row one by one, its pairs as the two that they are.
drawn :: [Op] -> Draw [Step]
drawn ops = linkedAs ops <$> drawnSteps (concatMap alone ops)
  where
    alone op = maybe [op] (\p -> [pairFirst p, pairSecond p]) (pairOf op)
