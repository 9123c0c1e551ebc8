{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

module Tern.Values.MergeTest (tests) where

import Data.Map.Strict qualified as Map
import Data.Text qualified as T
import Tern.Json (encodeJson)
import Tern.Json.Patch (merge, mergeBetween)
import Tern.Value (Value (..), byName, object)
import Tern.Values.Documents (Document (..), json)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "merge patches"
    [ testCase "RFC 7396, appendix A" $
        [merge (json change) (json before) | (before, change, _) <- appendix]
          @?= [json after | (_, _, after) <- appendix],
      testCase "members keep their order, new ones follow in the patch's" $
        encodeJson
          ( merge
              (json "{\"z\":1,\"b\":{\"x\":null,\"y\":2},\"y\":3}")
              (json "{\"c\":0,\"b\":5,\"a\":0}")
          )
          @?= "{\"c\":0,\"b\":{\"y\":2},\"a\":0,\"z\":1,\"y\":3}",
      testCase "a hundred thousand members, each repeated" $
        let names = [(T.pack (show i), Null) | i <- [0 .. 99999 :: Int]]
         in merge (Object (object (names <> names))) (Object (object (names <> names)))
              @?= Object (object []),
      testProperty "as the RFC's own program" $ \(Document change) (Document value) ->
        merge change value === model change value,
      testProperty
        "the patch between two documents makes the second of the first"
        $ \(Document a) (Document b) ->
          case mergeBetween a b of
            Just change -> merge change a === b
            Nothing -> counterexample "a null must be in what is new" (hasNull b)
    ]
  where
    model (Object change) value =
      Object . object . Map.toList $
        Map.foldlWithKey'
          ( \o name v ->
              if v == Null
                then Map.delete name o
                else Map.insert name (model v (Map.findWithDefault Null name o)) o
          )
          (case value of Object o -> byName o; _ -> Map.empty)
          (byName change)
    model change _ = change
    hasNull = \case
      Object o -> any (\v -> v == Null || hasNull v) (byName o)
      Array _ -> False
      _ -> False
    appendix =
      [ ("{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"),
        ("{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}"),
        ("{\"a\":\"b\"}", "{\"a\":null}", "{}"),
        ("{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}"),
        ("{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"),
        ("{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}"),
        ("{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}"),
        ("{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}"),
        ("[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]"),
        ("{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]"),
        ("{\"a\":\"foo\"}", "null", "null"),
        ("{\"a\":\"foo\"}", "\"bar\"", "\"bar\""),
        ("{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}"),
        ("[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}"),
        ("{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}")
      ]
