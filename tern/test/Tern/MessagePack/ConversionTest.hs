{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | MessagePack as JSON and back, and that no loss is kept silent.
module Tern.MessagePack.ConversionTest (tests) where

import Data.Text (Text)
import Data.Vector qualified as V
import Tern
import Tern.Json.ModelTest qualified as Json
import Tern.Json.Noise (document)
import Tern.Json.Seeded (seeded)
import Tern.MessagePack.ModelTest (item, value)
import Tern.MessagePack.Value (Loss (..), Lost (..), Value (..), fromJson, timestamp, toJson)
import Tern.Value qualified as Json
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "MessagePack as JSON"
    [ testCase "each loss, with its place" $
        [(name, text (fst (toJson v)), snd (toJson v)) | (name, v, _, _) <- lost]
          @?= [(name, json, losses) | (name, _, json, losses) <- lost],
      testCase "base 64 of every length" $
        [fst (toJson (Bin b)) | b <- ["", "f", "fo", "foo", "foob", "fooba", "foobar"]]
          @?= map Json.String ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"],
      seeded "to JSON and back, where nothing is lost" 10000 $ forAll item $ \i ->
        let (json, losses) = toJson (value i)
         in not (null losses) || fromJson json == (value i, []),
      seeded "from JSON and back, where nothing is lost" 10000 $ forAll document $ \d ->
        let json = Json.value d
            (v, losses) = fromJson json
         in not (null losses) || toJson v == (json, []),
      testCase "numbers from JSON" $
        [ fromJson (Json.Number n)
          | Just n <-
              map
                Json.parseNumber
                [ "0",
                  "-0",
                  "1.0",
                  "1e2",
                  "18446744073709551615",
                  "18446744073709551616",
                  "-9223372036854775808",
                  "0.1",
                  "1e400",
                  "123456789012345678901",
                  "1.00000000000000000001"
                ]
        ]
          @?= [ (Int 0, []),
                (Float64 (-0.0), []),
                (Float64 1, []),
                (Float64 100, []),
                (Word 18446744073709551615, []),
                (Float64 18446744073709551616, [Loss [] (Rounded "18446744073709551616")]),
                (Int (-9223372036854775808), []),
                (Float64 0.1, []),
                (Float64 (1 / 0), [Loss [] (Rounded "1e400")]),
                (Float64 123456789012345678901, [Loss [] (Rounded "123456789012345678901")]),
                (Float64 1, [Loss [] (Rounded "1.00000000000000000001")])
              ]
    ]
  where
    text json = encodeJsonText json

-- | A value, its JSON, and what was lost.
lost :: [(String, Value, Text, [Loss])]
lost =
  [ ("float 32", Float32 0.1, "0.1", [Loss [] SinglePrecision]),
    ( "infinities",
      Array (V.fromList [Float64 (1 / 0), Float64 (-1 / 0)]),
      "[\"+inf\",\"-inf\"]",
      [Loss [Index 0] Infinity, Loss [Index 1] Infinity]
    ),
    ("no number", Float32 (0 / 0), "null", [Loss [] SinglePrecision, Loss [] NotANumber]),
    ( "an infinite float 32",
      Float32 (1 / 0),
      "\"+inf\"",
      [Loss [] SinglePrecision, Loss [] Infinity]
    ),
    ( "binary",
      Map (V.fromList [(Str "a", Bin "\0\xff")]),
      "{\"a\":\"AP8=\"}",
      [Loss [Key "a"] Binary]
    ),
    ("extension", Ext 5 "x", "{\"type\":5,\"data\":\"eA==\"}", [Loss [] Extension]),
    ( "time",
      maybe Nil Timestamp (timestamp (-1) 5),
      "{\"seconds\":-1,\"nanoseconds\":5}",
      [Loss [] Time]
    ),
    ( "keys",
      Map
        ( V.fromList
            [ (Int 1, Nil),
              (Bool True, Nil),
              (Array (V.fromList [Int 1]), Nil)
            ]
        ),
      "{\"1\":null,\"true\":null,\"[1]\":null}",
      [Loss [Key "1"] KeyType, Loss [Key "true"] KeyType, Loss [Key "[1]"] KeyType]
    ),
    ( "keys that become the same",
      Map (V.fromList [(Str "1", Nil), (Int 1, Bin "")]),
      "{\"1\":null,\"1\":\"\"}",
      [ Loss
          [Key "1"]
          KeyType,
        Loss [Key "1"] (KeyCollision "1"),
        Loss [Key "1"] Binary
      ]
    ),
    ( "nothing: a key twice",
      Map (V.fromList [(Str "a", Int 1), (Str "a", Int 2)]),
      "{\"a\":1,\"a\":2}",
      []
    ),
    ( "nothing",
      Array
        ( V.fromList
            [ Nil,
              Bool True,
              Int (-1),
              Word 18446744073709551615,
              Float64 1,
              Str "x"
            ]
        ),
      "[null,true,-1,18446744073709551615,1.0,\"x\"]",
      []
    )
  ]
