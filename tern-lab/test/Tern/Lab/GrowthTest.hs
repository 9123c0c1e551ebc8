-- | Exponents of figures that are known to grow so.
module Tern.Lab.GrowthTest (tests) where

import Data.List.NonEmpty (NonEmpty (..))
import Tern.Lab.Growth (Growth (..), exponentOf, growth, superLinear)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "growth"
    [ testCase "what starting costs is no part of the exponent" $
        [ exponentOf [(n, 1e4 + f n) | n <- sizes]
          | f <-
              [\n -> 40 * n, \n -> 3 * n * n, \n -> n ** 3, \n -> 900 * sqrt n]
        ]
          @?= map Just [1, 2, 3, 0.5],
      testCase "n log n is about n, and no warning" $
        case growth [(n, (n * logBase 2 n) :| []) | n <- [1e3, 1e4, 1e5, 1e6]] of
          Just found ->
            assertBool
              (show found)
              ( grows found > 1
                  && grows found < 1.2
                  && not (superLinear found)
              )
          Nothing -> assertFailure "no growth",
      testCase "the square of the size is a warning, whatever it begins with" $
        [superLinear <$> growth [(n, (start + n * n) :| []) | n <- sizes] | start <- [0, 100, 1e5]]
          @?= replicate 3 (Just True),
      testCase "what stays does not grow" $
        map exponentOf [[(n, 7) | n <- sizes], [(10, 1000), (20, 1005), (40, 998)]]
          @?= [Just 0, Just 0],
      testCase "two sizes say a slope" $
        exponentOf [(10, 5), (1000, 50000)] @?= Just 2,
      testCase "one size, no size and sizes of nothing say nothing" $
        map exponentOf [[], [(10, 5)], [(10, 5), (10, 6)], [(0, 1), (1, 2)], [(1, 0), (2, 5)]]
          @?= replicate 5 Nothing,
      testCase "the bounds are those of the rounds, and a warning needs the lower one" $ do
        -- Each size in four rounds, of which one is disturbed.
        let noisy =
              [ (n, (n * n) :| [n * n * 1.01, n * n * 0.99, n * n * (if n > 50 then 0.1 else 1)])
                | n <-
                    sizes
              ]
        case growth noisy of
          Just found ->
            assertBool
              (show found)
              ( least found < 1.25
                  && grows found > 1.9
                  && most found < 2.1
                  && not (superLinear found)
              )
          Nothing -> assertFailure "no growth",
      testProperty
        "an exponent does not depend on the unit"
        . forAll ((,) <$> choose (0.5, 3) <*> choose (1, 1e6))
        $ \(k, unit) ->
          exponentOf [(n, 10 + n ** k) | n <- sizes]
            === exponentOf [(n, unit * (10 + n ** k)) | n <- sizes],
      testProperty
        "the exponent that it was made with is found"
        . forAll ((,) <$> choose (0.3, 3) <*> choose (0, 1e4))
        $ \(k, start) ->
          let found =
                exponentOf [(n, start + 500 * n ** k) | n <- sizes]
           in counterexample (show found) (maybe False (\e -> abs (e - k) <= 0.011) found)
    ]
  where
    sizes = [10, 20, 40, 80, 160]
