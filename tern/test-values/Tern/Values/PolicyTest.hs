{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | The rules of @docs\/spec\/json-mapping.md@ on details on which users differ, by their
-- numbers.
module Tern.Values.PolicyTest (tests) where

import Data.ByteString (ByteString)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text.Encoding qualified as T
import Tern
import Tern.Value (Value)
import Tern.Values.Declarations (Closed (..), Open (..), Pair (..))
import Tern.Values.Documents (json)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "policies"
    [ testCase "rule 30: which of repeated contents count, in every format with names" $ do
        inEach "{\"tag\":\"Held\",\"contents\":1,\"contents\":2}"
          @?= replicate 3 (Just (Held 1))
        inEach "{\"contents\":1,\"tag\":\"Held\",\"contents\":2}"
          @?= replicate 3 (Just (Held 2))
        inEach "{\"tag\":\"Shut\",\"contents\":1,\"contents\":2}"
          @?= replicate 3 (Just (Shut 2))
        inEach "{\"contents\":1,\"tag\":\"Shut\",\"contents\":2}"
          @?= replicate 3 (Just (Shut 2)),
      testCase "rule 30: which of repeated tags decides, in every format with names" $ do
        inEach "{\"tag\":\"Hollow\",\"tag\":\"Held\",\"contents\":2}"
          @?= replicate 3 (Just Hollow)
        inEach "{\"x\":0,\"tag\":\"Hollow\",\"tag\":\"Held\",\"contents\":2}"
          @?= replicate 3 (Just (Held 2)),
      testCase "rule 44: of a repeated name the last value counts, and a value keeps all" $
        ( decodeJson
            repeated,
          decodeJson repeated,
          fmap encodeJson (decodeJson repeated :: Either Error Value)
        )
          @?= ( Right
                  (Pair 3 2),
                Right (Map.fromList [("a", 3), ("b", 2)] :: Map Text Int),
                Right repeated
              ),
      testCase "of a repeated key the last value counts in MessagePack and CBOR" $
        ( decodeMessagePack "\x83\xa1\&a\x01\xa1\&b\x02\xa1\&a\x03",
          decodeCbor "\xa3\x61\&a\x01\x61\&b\x02\x61\&a\x03"
        )
          @?= (Right (Pair 3 2), Right (Pair 3 2)),
      testCase "rule 45: NaN and the infinities" $ do
        (encodeJson [0 / 0, 1 / 0, -1 / 0 :: Double], decodeJson "[\"+inf\",\"-inf\"]")
          @?= ("[null,\"+inf\",\"-inf\"]", Right [1 / 0, -1 / 0 :: Double])
        map double ["NaN", "Infinity", "-Infinity", "nan"] @?= [Just 0, Just 0, Just 1, Just 0],
      testCase "rule 46: half of a surrogate pair" $
        map anything ["\"\\ud800\"", "\"\\udc00\"", "{\"\\ud800\":1}", "[\"\\ud800\\u0041\"]"]
          @?= [Just InvalidEscape, Just InvalidEscape, Just InvalidEscape, Just InvalidEscape],
      testCase "rule 46: in what is stepped over" $
        either
          (Just . errorReason)
          (const Nothing)
          ( decodeJson "{\"a\":1,\"b\":2,\"c\":\"\\ud800\"}" ::
              Either Error Pair
          )
          @?= Just InvalidEscape,
      testCase "rule 47: a byte-order mark" $
        [ either (Just . errorOffset) (const Nothing) (decodeJson bytes :: Either Error Value)
          | bytes <- ["\xef\xbb\xbf[]", "\xff\xfe[\0]\0"]
        ]
          @?= [Just 0, Just 0],
      testCase "rule 48: what follows the value" $
        map anything ["[] ", "[]\n\t\r", "[] []", "1 x", "[]\0"]
          @?= [Nothing, Nothing, Just TrailingInput, Just TrailingInput, Just TrailingInput],
      testCase "rule 49: comments and commas at an end" $
        length
          [ ()
            | bytes <-
                ["[1,]", "{\"a\":1,}", "[1 /* one */]", "// one\n1", "# one\n1", "[1]// one"],
              Right _ <- [decodeJson bytes :: Either Error Value]
          ]
          @?= 0,
      testCase "rule 50: fields that the type does not have" $
        decodeJson "{\"x\":[{}],\"a\":1,\"y\":null,\"b\":2,\"z\":1}" @?= Right (Pair 1 2),
      testCase "a number that is a value stays as it was written" $
        encodeJson (json "[1.50,1e400,-0.0,1E+2]") @?= "[1.50,1e400,-0.0,1E+2]"
    ]
  where
    inEach :: (Wire a) => Text -> [Maybe a]
    inEach document =
      [ either (const Nothing) Just (decodeJson (encodeJson value)),
        either (const Nothing) Just (decodeMessagePack (encodeMessagePack value)),
        either (const Nothing) Just (decodeCbor (encodeCbor value))
      ]
      where
        value = json (T.encodeUtf8 document)
    repeated = "{\"a\":1,\"b\":2,\"a\":3}" :: ByteString
    double bytes =
      either (Just . errorOffset) (const Nothing) (decodeJson bytes :: Either Error Double)
    anything bytes =
      either (Just . errorReason) (const Nothing) (decodeJson bytes :: Either Error Value)
