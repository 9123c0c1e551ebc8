{-# LANGUAGE MagicHash #-}
{-# LANGUAGE UnboxedTuples #-}

-- | Digits and a power of ten, whatever number they are: those that no floating-point number
-- becomes as well. All is put together in two words, so the places of the point, the number of
-- digits and the zeros at their end are tried with each other.
module Tern.Prim.DecimalTest (tests) where

import Control.Monad (forM_)
import Data.ByteString (ByteString)
import Data.ByteString.Char8 qualified as BC
import GHC.Exts
import Tern.Json.Model (notation)
import Tern.Prim.Buffer (ensuring, run)
import Tern.Prim.Decimal (pokeDecimal)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "digits and a power of ten"
    [ testCase "of each number of digits, each number of zeros and each place of the point" $
        forM_ [1 .. 17] $ \n -> forM_ [0 .. n - 1] $ \zeros -> forM_ [-340 .. 310] $ \point -> do
          let text = take (n - zeros) (cycle "1234567890") <> replicate zeros '0'
          written (read text) (point - n) @?= expected (read text) (point - n),
      testProperty "are written with the point where it belongs" $
        forAll (choose (1, 17)) $ \n -> forAll (choose (1, 10 ^ (n :: Int) - 1)) $ \d ->
          forAll (choose (-30, 20)) $ \k -> written d k === expected d k
    ]

written :: Word -> Int -> ByteString
written (W# d) (I# k) =
  run (ensuring 23# (\mba op s -> case pokeDecimal d k op s of (# s1, op1 #) -> (# s1, mba, op1 #)))

-- | By the model of JSON, which knows no words.
expected :: Word -> Int -> ByteString
expected d k = BC.pack (notation (digits, length (show d) + k))
  where
    digits = reverse (dropWhile (== '0') (reverse (show d)))
