{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

module Tern.Values.LayoutTest (tests) where

import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Tern.Json.Pretty (Layout (..), defaultLayout, pretty)
import Tern.Value (Value (..))
import Tern.Values.Documents (Document (..), deep, json)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "layouts"
    [ testCase "a line for each element and member" $
        pretty defaultLayout {width = 0} (json "{\"b\":[1,{}],\"a\":[],\"n\":{\"x\":1.50}}")
          @?= "{\n  \"b\": [\n    1,\n    {}\n  ],\n  \"a\": [],\n  \"n\": {\n    \"x\": 1.50\n \
              \ }\n}",
      testCase "what fits stands in one line" $
        pretty defaultLayout {width = 12, indent = 4} (json "[[1,2,3],[1,2,3,4]]")
          @?= "[\n    [\n        1,\n        2,\n        3\n    ],\n    [\n        1,\n        \
              \2,\n        3,\n        4\n    ]\n]",
      testCase "members in the order of their names" $
        pretty defaultLayout {sortedMembers = True} (json "{\"b\":1,\"a\":2,\"b\":3}")
          @?= "{\"a\": 2, \"b\": 1, \"b\": 3}",
      testCase "two hundred thousand levels are a text of their size" $
        (B.length (pretty defaultLayout {indent = 16} (deep 200000 Null)) < 600000) @?= True,
      testProperty
        "it stands for the same document"
        $ \(Document value) (NonNegative wide) (NonNegative by) ->
          json (pretty (Layout by wide False) value) === value,
      testProperty "a line that is too long has nothing to break" $ \(Document value) ->
        let long =
              [ l
                | l <-
                    BC.lines (pretty defaultLayout {width = 20} value),
                  T.length (T.decodeUtf8 l) > 20
              ]
         in conjoin
              [ counterexample (show l) (B.count 0x2c (BC.dropWhileEnd (== ',') l) === 0)
                | l <-
                    long
              ]
    ]
