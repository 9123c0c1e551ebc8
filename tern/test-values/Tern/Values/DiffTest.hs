{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

module Tern.Values.DiffTest (tests) where

import Data.Text qualified as T
import Data.Vector qualified as V
import Tern.Json.Patch (changesPatch, diff, patch, renderChange)
import Tern.Value (Value (..), numberFromInteger)
import Tern.Values.Documents (Document (..), deep, json)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "differences"
    [ testCase "what was put in, taken away and changed" $
        map
          renderChange
          ( diff
              (json "{\"name\":\"tern\",\"wings\":2,\"seen\":[1,2,3,4]}")
              ( json
                  "{\"name\":\"Tern\",\"seen\":[2,9,4,5],\"at\":{\"x\":1}}"
              )
          )
          @?= [ "- $.wings: 2",
                "~ $.name: \"tern\" -> \"Tern\"",
                "- $.seen[0]: 1",
                "~ $.seen[1]: 3 -> 9",
                "+ $.seen[3]: 5",
                "+ $.at: {\"x\":1}"
              ],
      testCase "equal numbers and objects in another order are no difference" $
        diff (json "{\"a\":1.0,\"b\":[]}") (json "{\"b\":[],\"a\":1}") @?= [],
      testCase "what arrays begin with is not what they end with too" $
        [ map renderChange (diff (json a) (json b))
          | (a, b) <- [("[1,1]", "[1,1,1]"), ("[1,1,1]", "[1,1]"), ("[1,2,1]", "[1,2,1,2,1]")]
        ]
          @?= [["+ $[2]: 1"], ["- $[2]: 1"], ["+ $[3]: 2", "+ $[4]: 1"]],
      testCase "a line for people is short, however large the values are" $
        map (T.length . renderChange) (diff Null (Array (V.replicate 100000 Null))) @?= [74],
      testCase "a million equal elements, and some before them" $
        length (diff (ones 1000000) (Array (V.cons Null (V.replicate 1000000 one)))) @?= 1,
      testCase "a hundred thousand elements turned around" $
        let turned = Array (V.fromList (reverse numbers))
         in patch
              ( changesPatch
                  (diff (Array (V.fromList numbers)) turned)
              )
              (Array (V.fromList numbers))
              @?= Right turned,
      testCase "two hundred thousand levels that differ at the bottom" $
        length (diff (deep 200000 Null) (deep 200000 one)) @?= 1,
      testProperty "the patch makes the second of the first" $ \(Document a) (Document b) ->
        let changes =
              diff a b
         in counterexample (show changes) (patch (changesPatch changes) a === Right b),
      testProperty "of one document there is no difference" $ \(Document a) -> diff a a === []
    ]
  where
    one = Number (numberFromInteger 1)
    ones n = Array (V.replicate n one)
    numbers = map (Number . numberFromInteger) [1 .. 100000]
