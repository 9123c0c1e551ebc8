{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What is stepped over is looked at as closely as what is read: a record that knows none of a
-- document's fields refuses what a reader of any value refuses, and no more.
module Tern.Values.SteppedTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Either (isRight)
import GHC.Generics (Generic)
import Tern
import Tern.Value (Value)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))

newtype Known = Known {known :: Maybe ()}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

tests :: TestTree
tests =
  testGroup
    "stepping over"
    [ testCase "every sequence of up to six tokens of JSON" $
        differing (map B.concat (sequences 6 ["{", "}", "[", "]", ",", ":", "\"\"", "0"])) @?= [],
      testCase "every text of up to five characters of numbers" $
        differing (map B.concat (sequences 5 ["0", "1", "-", "+", ".", "e"])) @?= [],
      testCase "every text of up to four characters of literals and escapes" $
        differing
          (map B.concat (sequences 4 ["true", "nul", "l", "\"", "\\", "u00e9", "n", "\n", "\xff"]))
          @?= [],
      testCase "each value of MessagePack that is cut anywhere is refused" $
        cut decodeMessagePack "\x82\xa5known\xc0\xa5other" packed @?= [],
      testCase "each value of CBOR that is cut anywhere is refused" $
        cut decodeCbor "\xa2\x65known\xf6\x65other" cbor @?= []
    ]

-- | Each in a document as the value of a field that nobody asked for: those that one reader
-- takes and the other refuses.
differing :: [ByteString] -> [ByteString]
differing texts =
  [ document
    | text <- texts,
      let document = B.concat ["{\"other\":", text, "}"],
      isRight (decodeJson document :: Either Error Known)
        /= isRight (decodeJson document :: Either Error Value)
  ]

sequences :: Int -> [ByteString] -> [[ByteString]]
sequences longest tokens = concat (take (longest + 1) (iterate longer [[]]))
  where
    longer shorter = [token : one | one <- shorter, token <- tokens]

-- | Values after a head with two fields: those that are refused whole, or cut are not refused as
-- what ends too early; with what was made of them.
cut ::
  (ByteString -> Either Error Known) ->
  ByteString ->
  [ByteString] ->
  [(ByteString, Either Error Known)]
cut decode begin values =
  [ (document, found)
    | value <- values,
      n <- [0 .. B.length value],
      let document = begin <> B.take n value
          found = decode document,
      case found of
        Right _ -> n < B.length value
        Left fault ->
          n == B.length value
            || not (endedEarly (errorReason fault))
            || errorOffset fault > B.length document
  ]
  where
    endedEarly = \case
      UnexpectedEnd _ -> True
      Overclaimed _ _ -> True
      _ -> False

-- | A value of each kind, and of each width of its head.
packed :: [ByteString]
packed =
  map encodeMessagePack integers
    <> [ "\xc0",
         "\xca\0\0\0\0",
         "\xcb\0\0\0\0\0\0\0\0",
         "\xa1x",
         "\xd9\1x",
         "\xda\0\1x",
         "\xdb\0\0\0\1x",
         "\xc4\1x",
         "\xc5\0\1x",
         "\xc6\0\0\0\1x",
         "\xd4\5x",
         "\xd5\5xy",
         "\xd6\5wxyz",
         "\xd7\5\&12345678",
         "\xd8\5\&1234567890123456",
         "\xc7\1\5x",
         "\xc7\0\5",
         "\xc8\0\1\5x",
         "\xc9\0\0\0\1\5x",
         "\x92\1\2",
         "\xdc\0\2\1\2",
         "\xdd\0\0\0\2\1\2",
         "\x81\xa1x\1",
         "\xde\0\1\xa1x\1",
         "\xdf\0\0\0\1\xa1x\1",
         "\x91\xc7\1\5x"
       ]

cbor :: [ByteString]
cbor =
  map encodeCbor integers
    <> [ "\xf6",
         "\xf9\0\0",
         "\xfa\0\0\0\0",
         "\xfb\0\0\0\0\0\0\0\0",
         "\x61x",
         "\x78\1x",
         "\x79\0\1x",
         "\x7a\0\0\0\1x",
         "\x7b\0\0\0\0\0\0\0\1x",
         "\x7f\x61x\x61y\xff",
         "\x41x",
         "\x58\1x",
         "\x5f\x41x\xff",
         "\x82\1\2",
         "\x98\2\1\2",
         "\x9f\1\2\xff",
         "\xa1\x61x\1",
         "\xb8\1\x61x\1",
         "\xbf\x61x\1\xff",
         "\xc0\x61x",
         "\xd8\x20\x61x",
         "\xf8\xff",
         "\x81\xa1\x61x\x9f\1\xff"
       ]

integers :: [Integer]
integers = [0, 127, -1, -32, -33, 128, 256, -129, 65536, -40000] <> map (2 ^) [32, 63 :: Int]
