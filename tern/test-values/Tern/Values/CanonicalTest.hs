{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

module Tern.Values.CanonicalTest (tests) where

import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.List (sort)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Word (Word64)
import GHC.Float (castWord64ToDouble)
import Numeric (readHex)
import System.Directory (listDirectory)
import System.FilePath ((</>))
import Tern.Error (Segment (..))
import Tern.Json.Canonical
  ( NotCanonical (..),
    NotCanonicalReason (..),
    canonical,
    compareUtf16,
    ecmaNumber,
  )
import Tern.Testkit.Suites (readTsv, suiteTest)
import Tern.Value (Value (..), numberToDouble, object, parseNumber)
import Tern.Values.Documents (Document (..), deep, json, normal)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "canonical form"
    [ testCase "RFC 8785, section 3.2.2" $
        canonical
          ( json
              "{\"numbers\": [333333333.33333329, 1E30, 4.50, 2e-3, \
              \0.000000000000000000000000001], \"string\": \
              \\"\\u20ac$\\u000F\\u000aA'\\u0042\\u0022\\u005c\\\\\\\"\\/\", \"literals\": \
              \[null, true, false]}"
          )
          @?= Right
            "{\"literals\":[null,true,false],\"numbers\":[333333333.3333333,1e+30,4.5,0.002,1e-27]\
            \,\"string\":\"\xe2\x82\xac$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}",
      testCase "RFC 8785, section 3.2.3: names in the order of UTF-16" $
        canonical
          ( Object
              ( object
                  [ (name, Null)
                    | name <- ["\x20ac", "\r", "\xfb33", "1", "\x1f600", "\x80", "\xf6"]
                  ]
              )
          )
          @?= Right
            ( T.encodeUtf8
                "{\"\\r\":null,\"1\":null,\"\x80\":null,\"\xf6\":null,\"\x20ac\":null\
                \,\"\x1f600\":null,\"\xfb33\":null}"
            ),
      testCase "RFC 8785, appendix B: numbers" $
        [ecmaNumber (castWord64ToDouble bits) | (bits, _) <- numbers] @?= map snd numbers,
      suiteTest "json-canonicalization's documents" "json/jcs" $ \folder -> do
        names <- sort <$> listDirectory (folder </> "input")
        complaints <- mapM (document folder) names
        pure (concat complaints, length names),
      suiteTest "ECMAScript's numbers" "json/numbers/shortest-f64-es6.tsv" $ \file -> do
        rows <- readTsv file
        pure
          ( [ show (bits, text, ecmaNumber x)
              | [bits, text] <- rows,
                let x = castWord64ToDouble (hex (BC.unpack bits)),
                ecmaNumber x /= T.decodeUtf8 text
            ],
            length rows
          ),
      testCase "what I-JSON cannot hold is refused, and where it stands is said" $
        map
          (canonical . json)
          [ "{\"a\":[1e400]}",
            "[-1e309]",
            "[{\"a\":1,\"b\":2,\"a\":1}]",
            "[0,9007199254740993]",
            "{\"\\uFFFE\":1}",
            "\"\\uFDD0\"",
            "\"\\uD83F\\uDFFF\""
          ]
          @?= map
            (Left . uncurry NotCanonical)
            [ ([Key "a", Index 0], TooGreat),
              ([Index 0], TooGreat),
              ([Index 0], RepeatedName "a"),
              ([Index 1], Inexact),
              ([Key "\xfffe"], Noncharacter '\xfffe'),
              ([], Noncharacter '\xfdd0'),
              ([], Noncharacter '\x1ffff')
            ],
      testCase "integers that doubles are have a canonical form" $
        map
          (canonical . json)
          [ "9007199254740992",
            "295147905179352830000",
            "295147905179352825856",
            "1e21",
            "-0",
            "-0.0",
            "0e999999999999"
          ]
          @?= map
            Right
            [ "9007199254740992",
              "295147905179352830000",
              "295147905179352830000",
              "1e+21",
              "0",
              "0",
              "0"
            ],
      testCase "two hundred thousand levels" $
        fmap B.length (canonical (deep 200000 Null)) @?= Right 400004,
      testProperty
        "it stands for the same document, and is its own canonical form"
        $ \(Document value) ->
          let unrepeated = normal value
           in case canonical unrepeated of
                Left e -> counterexample (show e) False
                Right bytes ->
                  json bytes === unrepeated .&&. canonical (json bytes) === Right bytes,
      testProperty "names are in the order of their UTF-16" $ \a b ->
        let (s, t) = (T.pack a, T.pack b) in compareUtf16 s t === compare (units s) (units t),
      testProperty "a double's text reads back" $ \bits ->
        let x =
              castWord64ToDouble bits
         in not (isNaN x || isInfinite x) ==>
              fmap numberToDouble (parseNumber (ecmaNumber x)) === Just x
    ]
  where
    document folder name = do
      input <- B.readFile (folder </> "input" </> name)
      output <- B.readFile (folder </> "output" </> name)
      pure [name <> ": " <> show (canonical (json input)) | canonical (json input) /= Right output]

units :: Text -> [Word64]
units =
  map fromIntegral
    . pairs
    . B.unpack
    . T.encodeUtf16BE
    . T.filter (\c -> c < '\xd800' || c > '\xdfff')
  where
    pairs (a : b : rest) = (256 * fromIntegral a + fromIntegral b :: Int) : pairs rest
    pairs _ = []

hex :: String -> Word64
hex digits = case readHex digits of
  [(n, "")] -> n
  _ -> 0x7ff8000000000000

numbers :: [(Word64, Text)]
numbers =
  [ (0x0000000000000000, "0"),
    (0x8000000000000000, "0"),
    (0x0000000000000001, "5e-324"),
    (0x8000000000000001, "-5e-324"),
    (0x7fefffffffffffff, "1.7976931348623157e+308"),
    (0xffefffffffffffff, "-1.7976931348623157e+308"),
    (0x4340000000000000, "9007199254740992"),
    (0xc340000000000000, "-9007199254740992"),
    (0x4430000000000000, "295147905179352830000"),
    (0x44b52d02c7e14af5, "9.999999999999997e+22"),
    (0x44b52d02c7e14af6, "1e+23"),
    (0x44b52d02c7e14af7, "1.0000000000000001e+23"),
    (0x444b1ae4d6e2ef4e, "999999999999999700000"),
    (0x444b1ae4d6e2ef4f, "999999999999999900000"),
    (0x444b1ae4d6e2ef50, "1e+21"),
    (0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"),
    (0x3eb0c6f7a0b5ed8d, "0.000001"),
    (0x41b3de4355555553, "333333333.3333332"),
    (0x41b3de4355555554, "333333333.33333325"),
    (0x41b3de4355555555, "333333333.3333333"),
    (0x41b3de4355555556, "333333333.3333334"),
    (0x41b3de4355555557, "333333333.33333343"),
    (0xbecbf647612f3696, "-0.0000033333333333333333"),
    (0x43143ff3c1cb0959, "1424953923781206.2")
  ]
