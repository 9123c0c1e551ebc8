{-# LANGUAGE OverloadedStrings #-}

-- | CBOR as JSON and back, and that no loss is kept silent.
module Tern.Cbor.ConversionTest (tests) where

import Data.Text (Text)
import Data.Vector qualified as V
import Tern (Segment (..), encodeJsonText)
import Tern.Cbor.ModelTest (item, value)
import Tern.Cbor.Value (Loss (..), Lost (..), Value (..), fromJson, toJson)
import Tern.Json.Seeded (seeded)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))
import Test.Tasty.QuickCheck (forAll)

tests :: TestTree
tests =
  testGroup
    "CBOR as JSON"
    [ testCase "each loss, with its place" $
        [(name, encodeJsonText (fst (toJson v)), snd (toJson v)) | (name, v, _, _) <- lost]
          @?= [(name, json, losses) | (name, _, json, losses) <- lost],
      seeded "to JSON and back, where nothing is lost" 5000 $ forAll item $ \i ->
        let (json, losses) = toJson (value i)
         in not (null losses) || fromJson json == (value i, [])
    ]

-- | A value, its JSON, and what was lost.
lost :: [(String, Value, Text, [Loss])]
lost =
  [ ("undefined", Undefined, "null", [Loss [] IsUndefined]),
    ("a large integer", Tag 2 (Bytes "\1\0\0\0\0\0\0\0\0"), "18446744073709551616", []),
    ("with zeros before it", Tag 2 (Bytes "\0\5"), "5", [Loss [] (Tagged 2)]),
    ("below 0, with zeros", Tag 3 (Bytes "\0\5"), "-6", [Loss [] (Tagged 3)]),
    ( "a tag around another",
      Map (V.fromList [(Text "a", Tag 1 (Tag 37 (Bytes "\255")))]),
      "{\"a\":\"/w==\"}",
      [Loss [Key "a"] (Tagged 1), Loss [Key "a"] (Tagged 37), Loss [Key "a"] Binary]
    ),
    ( "infinities",
      Array (V.fromList [Float (1 / 0), Float (-1 / 0)]),
      "[\"+inf\",\"-inf\"]",
      [Loss [Index 0] Infinity, Loss [Index 1] Infinity]
    ),
    ("no number", Float (0 / 0), "null", [Loss [] NotANumber]),
    ( "keys",
      Map (V.fromList [(Unsigned 1, Null), (Bool True, Null)]),
      "{\"1\":null,\"true\":null}",
      [Loss [Key "1"] KeyType, Loss [Key "true"] KeyType]
    ),
    ( "nothing",
      Array (V.fromList [Null, Bool True, Negative 0, Float 1, Text "x"]),
      "[null,true,-1,1.0,\"x\"]",
      []
    )
  ]
