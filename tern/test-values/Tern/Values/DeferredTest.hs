{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}
-- The types below are wrong, and the compiler is told to go on.
{-# OPTIONS_GHC -fdefer-type-errors -Wno-deferred-type-errors #-}

-- | What becomes of a program that asks a codec for a format that it lacks, and runs
-- all the same.
module Tern.Values.DeferredTest (tests) where

import Control.Exception (TypeError (..), evaluate, try)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.List (isInfixOf)
import Tern
import Tern.Values.Declarations (OnlyJson (..))
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertFailure, testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "types that are wrong, deferred"
    [ testGroup
        "writing throws, and says which format is lacking"
        [ testCase "MessagePack" (throws "MessagePack" (encodeMessagePack value)),
          testCase "CBOR" (throws "CBOR" (encodeCbor value)),
          testCase "the native format" (throws "the native format" (encodeNative value)),
          testCase "within another value" (throws "CBOR" (encodeCbor [Just value]))
        ],
      testGroup
        "reading is an error that says which"
        [ testCase "MessagePack" (outcome (decodeMessagePack "\xc0") @?= refused "MessagePack"),
          testCase "CBOR" (outcome (decodeCbor "\xf6") @?= refused "CBOR"),
          testCase "the native format" (outcome (decodeNative "\0") @?= refused "the native format")
        ],
      testCase "the format that is there" $ do
        encodeJson value @?= "{\"only\":1}"
        decodeJson "{\"only\":1}" @?= Right value
    ]
  where
    value = OnlyJson 1
    outcome = either (Left . errorReason) Right :: Either Error OnlyJson -> Either Reason OnlyJson
    refused name = Left (Refused ("the codec does not have " <> name)) :: Either Reason OnlyJson

throws :: String -> ByteString -> IO ()
throws name bytes =
  try (evaluate (B.length bytes)) >>= \case
    Right n -> assertFailure ("wrote " <> show n <> " bytes")
    Left (TypeError said)
      | name `isInfixOf` said -> pure ()
      | otherwise -> assertFailure said
