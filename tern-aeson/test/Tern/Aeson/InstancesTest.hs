{-# LANGUAGE OverloadedStrings #-}

-- | Aeson's own types have Tern's formats.
module Tern.Aeson.InstancesTest (tests) where

import Data.Aeson qualified as A
import Data.Aeson.KeyMap (KeyMap)
import Data.ByteString.Lazy qualified as BL
import Data.Map.Strict (Map)
import Data.Text qualified as T
import Tern
import Tern.Aeson.Instances ()
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "instances for aeson's types"
    [ testProperty "values, in every format" (inEvery @A.Value),
      testProperty "objects, in every format" (inEvery @(KeyMap A.Value)),
      testProperty "keys, in every format" (inEvery @[A.Key]),
      testProperty "keys of maps, in every format" (inEvery @(Map A.Key Int)),
      testProperty "JSON is aeson's value" $ \(v :: A.Value) ->
        A.decodeStrict (encodeJson v) === Just v,
      testProperty "JSON is aeson's bytes" $ \(v :: A.Value) ->
        encodeJson v === BL.toStrict (A.encode v),
      testCase "an object of a type's values" $
        encodeJson (A.toJSON True, mempty :: KeyMap Int) @?= "[true,{}]",
      testCase "a number that aeson does not have is refused, with its path" $
        either
          errorReason
          (Refused . T.pack . show)
          (decodeJson "{\"a\":[1e99999999999999999999]}" :: Either Error A.Value)
          @?= Refused "at $.a[0]: the number does not fit Scientific"
    ]

inEvery :: (Eq a, Show a, Wire a) => a -> Property
inEvery a =
  [ decodeJson (encodeJson a),
    decodeMessagePack (encodeMessagePack a),
    decodeCbor (encodeCbor a),
    decodeNative (encodeNative a)
  ]
    === replicate 4 (Right a)
