-- | The table of the bytecode's meanings: that what a comparison becomes, where it is
-- jumped on or turned round, compares the same numbers in the same way.
module Tern.Wasm.MeaningTest
  ( tests,
  )
where

import Control.Monad (forM_, unless)
import Data.Int (Int64)
import Data.Word (Word64)
import Tern.Wasm.Code (Op)
import Tern.Wasm.Meaning
  ( Branches (..),
    FloatTest (..),
    Meaning (..),
    Order (..),
    Relation (..),
    Second,
    Size,
    branches,
    meaning,
  )
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit

tests :: TestTree
tests =
  testGroup
    "meanings"
    [ testCase "a comparison's jumps are taken when it holds, and when it does not" $
        forM_ comparisons $ \(op, b) -> do
          let holds = truth op
          agree op (branchHolding b) Straight holds
          agree op (branchFailing b) (branchOrder b) (\x y -> not <$> holds x y),
      testCase "the opposite of a comparison holds when it does not" $
        forM_ comparisons $ \(op, b) ->
          forM_ (branchOpposite b) $ \opposite ->
            agree op opposite (branchOrder b) (\x y -> not <$> truth op x y),
      testCase "there are comparisons of every kind" $ length comparisons @?= 40
    ]
  where
    comparisons = [(op, b) | op <- [minBound .. maxBound], Just b <- [branches op]]

-- | Another instruction of the same kind of operands is taken for each pair of numbers
-- as it should be.
agree :: Op -> Op -> Order -> (Number -> Number -> Maybe Bool) -> Assertion
agree op other order expected = do
  unless
    (operands op == operands other)
    ( assertFailure
        ( show op
            <> " and "
            <> show other
            <> " have other operands"
        )
    )
  forM_ ((,) <$> numbers <*> numbers) $ \(x, y) -> do
    let found = case order of
          Straight -> truth other x y
          Swapped -> truth other y x
    unless
      (found == expected x y)
      ( assertFailure
          (show op <> ", " <> show other <> ": " <> show (x, y))
      )

-- | A number as bits and as a float.
type Number = (Word64, Double)

numbers :: [Number]
numbers = [(0, 0), (1, 1), (maxBound, -1), (0x8000000000000000, -2.5), (0x7FFFFFFFFFFFFFFF, 0 / 0)]

data Operands = Integers Size Second | Floats Size
  deriving stock (Eq)

operands :: Op -> Maybe Operands
operands op = case meaning op of
  Compares _ size second _ -> Just (Integers size second)
  JumpsOn _ size second -> Just (Integers size second)
  FloatCompares _ size _ -> Just (Floats size)
  FloatJumps _ size -> Just (Floats size)
  _ -> Nothing

-- | Whether a comparison, or a jump on one, holds for two numbers; nothing for others.
truth :: Op -> Number -> Number -> Maybe Bool
truth op (x, x') (y, y') = case meaning op of
  Compares relation _ _ _ -> Just (related relation)
  JumpsOn relation _ _ -> Just (related relation)
  FloatCompares test _ _ -> Just (tested test)
  FloatJumps test _ -> Just (tested test)
  _ -> Nothing
  where
    related = \case
      Eq -> x == y
      Ne -> x /= y
      LtS -> signed x < signed y
      LtU -> x < y
      GtS -> signed x > signed y
      GtU -> x > y
      LeS -> signed x <= signed y
      LeU -> x <= y
      GeS -> signed x >= signed y
      GeU -> x >= y
    tested = \case
      FloatEq -> x' == y'
      FloatNe -> x' /= y'
      FloatLt -> less
      FloatLe -> atMost
      FloatNotLt -> not less
      FloatNotLe -> not atMost
    less = x' < y'
    atMost = x' <= y'
    signed n = fromIntegral n :: Int64
