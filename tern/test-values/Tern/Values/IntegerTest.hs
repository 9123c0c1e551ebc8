{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Integers of a machine word: what is written eight digits at a time is what 'show' says,
-- and what is read eight digits at a time is what is read digit by digit, as it is in the last
-- bytes of an input.
module Tern.Values.IntegerTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Int (Int64)
import Data.Word (Word16, Word64)
import Tern (Error, Wire, decodeJson, encodeJson)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "integers"
    [ testCase "of each number of digits, and those beside them" $ do
        [n | n <- edges :: [Int64], encodeJson n /= BC.pack (show n)] @?= []
        [n | n <- edges :: [Word64], encodeJson n /= BC.pack (show n)] @?= []
        [ (n, after)
          | n <- edges :: [Int64],
            after <- [0 .. 20],
            read' after (shown n) /= Right [n]
          ]
          @?= []
        [ (n, after)
          | n <- edges :: [Word64],
            after <- [0 .. 20],
            read' after (shown n) /= Right [n]
          ]
          @?= [],
      testCase "end with the input, whatever comes after it in memory" $
        [ n
          | n <- [1 .. 12],
            let text = B.take n "123456789012, and more than sixteen bytes after that",
            decodeJson text /= Right (read (BC.unpack text) :: Int64)
        ]
          @?= [],
      testProperty "are written as they are shown" $ forAll digits $ \text ->
        let n = fromInteger (read text) :: Int64
         in encodeJson [n, n] === BC.pack (show [n, n]),
      testProperty "are read alike wherever they stand" $ forAll almost $ \text ->
        conjoin
          [ same (read' after text :: Either Error [Int]) (read' 0 text)
              .&&. same (read' after text :: Either Error [Word64]) (read' 0 text)
              .&&. same (read' after text :: Either Error [Word16]) (read' 0 text)
            | after <- [1 .. 20]
          ]
    ]
  where
    shown n = BC.pack (show n)
    same a b = counterexample "with more white space after it" (a === b)

-- | In a list, with @after@ spaces after it: of a number at most 16 bytes are looked at at once.
read' :: (Wire a) => Int -> ByteString -> Either Error [a]
read' after text = decodeJson (B.concat ["[", text, BC.replicate after ' ', "]"])

-- | Powers of ten and of two, and what is beside them.
edges :: forall a. (Integral a, Bounded a) => [a]
edges =
  [ fromInteger n
    | power <- map (10 ^) [0 .. 20 :: Int] <> map (2 ^) [0 .. 64 :: Int],
      n <- [sign * power + beside | sign <- [1, -1], beside <- [-1, 0, 1]],
      n >= toInteger (minBound :: a),
      n <= toInteger (maxBound :: a)
  ]

-- | One digit to nineteen.
digits :: Gen String
digits = do
  n <- choose (1, 19)
  first <- elements ['1' .. '9']
  others <- vectorOf (n - 1) (elements ['0' .. '9'])
  sign <- elements ["", "-"]
  pure (sign <> (first : others))

-- | Integers, and what is nearly one: with a zero before it, a point, an exponent, a letter.
almost :: Gen ByteString
almost =
  fmap (BC.pack . concat) . sequence $
    [ frequency [(4, pure ""), (2, pure "-"), (1, elements ["+", " ", "--", "0"])],
      frequency [(8, drop' <$> digits), (1, pure "")],
      frequency
        [ (6, pure ""),
          (4, elements [".0", ".5", "e1", "E0", "e", ".", "/", ":", "x", "\195\188", "-1", "\0"])
        ],
      frequency [(3, pure ""), (1, drop' <$> digits)]
    ]
  where
    drop' = filter (/= '-')
