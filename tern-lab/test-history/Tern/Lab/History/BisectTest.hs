-- | The search strategy on lines of numbers.
module Tern.Lab.History.BisectTest (tests) where

import Data.Functor.Identity (runIdentity)
import Tern.Lab.History.Bisect (search)
import Test.Tasty
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "bisect"
    [ testProperty "finds the change" $ \(Positive (n :: Int)) ->
        forAll (choose (1, n)) $ \change ->
          fst (runIdentity (search (\i -> pure (Just (i >= change))) [0 .. n]))
            === [change - 1, change :: Int],
      testProperty "asks no more than the logarithm" $ \(Positive (n :: Int)) ->
        forAll (choose (1, n)) $ \change ->
          snd (runIdentity (search (\i -> pure (Just (i >= change))) [0 .. n]))
            <= ceiling (logBase 2 (fromIntegral n :: Double) - 1e-9 :: Double),
      testProperty
        "with broken commits, the smallest piece that holds the change"
        $ \(Positive (n :: Int)) ->
          forAll ((,) <$> choose (1, n) <*> infiniteList) $ \(change, broken) ->
            let known i = i == 0 || i == n || not (broken !! i)
                (piece, _) =
                  runIdentity
                    ( search
                        ( \i ->
                            pure (if known i then Just (i >= change) else Nothing)
                        )
                        [0 .. n :: Int]
                    )
             in piece
                  === [ maximum
                          (filter known [0 .. change - 1])
                        .. minimum (filter known [change .. n])
                      ]
    ]
