{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

module Tern.Values.PointerTest (tests) where

import Data.Text qualified as T
import Tern.Json.Pointer (Pointer (..), arrayIndex, parsePointer, renderPointer, valueAt)
import Tern.Value (Value (..), numberFromInteger)
import Tern.Values.Documents (Document (..), allPlaces, deep, json)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "pointers"
    [ testCase "RFC 6901, section 5" $
        [ parsePointer text >>= maybe (Left "nothing") Right . flip valueAt example
          | (text, _) <-
              expected
        ]
          @?= map (Right . snd) expected,
      testCase "what is no pointer is refused" $
        [text | text <- ["a", "a/b", "/~", "/~2", "/a~", "/~01~"], Right _ <- [parsePointer text]]
          @?= [],
      testCase "an index has digits alone, and no zero before them" $
        map
          arrayIndex
          [ "0",
            "7",
            "10",
            "00",
            "01",
            "-",
            "-0",
            "+1",
            "1.0",
            "1e0",
            " 1",
            "",
            "9999999999999999999999",
            "\x0661"
          ]
          @?= [Just 0, Just 7, Just 10] <> replicate 11 Nothing,
      testCase "a pointer of a million tokens ends in time" $
        valueAt (Pointer (replicate 1000000 "0")) (deep 1000000 Null) @?= Just Null,
      testProperty "its text reads back" $ \tokens ->
        let pointer =
              Pointer (map T.pack tokens)
         in parsePointer (renderPointer pointer) === Right pointer,
      testProperty "every place of a document is found" $ \(Document value) ->
        conjoin
          [ counterexample (show way) (valueAt (Pointer way) value =/= Nothing)
            | way <- allPlaces value
          ]
    ]
  where
    example =
      json
        "{\"foo\": [\"bar\", \"baz\"], \"\": 0, \"a/b\": 1, \"c%d\": 2, \"e^f\": 3, \"g|h\": 4, \
        \\"i\\\\j\": 5, \"k\\\"l\": 6, \" \": 7, \"m~n\": 8}"
    expected =
      [("", example), ("/foo", json "[\"bar\",\"baz\"]"), ("/foo/0", String "bar")]
        <> zip
          [ "/",
            "/a~1b",
            "/c%d",
            "/e^f",
            "/g|h",
            "/i\\j",
            "/k\"l",
            "/ ",
            "/m~0n"
          ]
          (map (Number . numberFromInteger) [0 ..])
