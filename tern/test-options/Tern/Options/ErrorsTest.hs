{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | All errors of a document.
module Tern.Options.ErrorsTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Either (isRight)
import Data.List.NonEmpty (NonEmpty)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Map (Map)
import Data.Text qualified as T
import Tern
import Tern.Codec qualified as Codec
import Tern.Json (decodeJsonErrors, decodeJsonErrorsWith, renderErrors)
import Tern.Options.Declarations (Bird, Place (..), Sighting (..), Sky)
import Tern.Testkit.Allocation (allocatedBy)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (assertBool, testCase, (@?=))

-- | Odd numbers are refused.
newtype Even = Even Int
  deriving stock (Eq, Show)

instance Wire Even where
  codec = Codec.refine (\n -> if even n then Right (Even n) else Left "odd") (\(Even n) -> n) codec

-- | Zero is refused too, so that no number is known that is not.
newtype Positive = Positive Int
  deriving stock (Eq, Show)

instance Wire Positive where
  codec =
    Codec.refine
      ( \n ->
          if n > 0
            then Right (Positive n)
            else Left "not positive"
      )
      (\(Positive n) -> n)
      codec

tests :: TestTree
tests =
  testGroup
    "all errors of a document"
    [ testCase "a value, where nothing is wrong" $
        (decodeJsonErrors "[1,2]" :: Either (NonEmpty Error) [Int]) @?= Right [1, 2],
      says @[Bird]
        "fields of several records: wrong, missing and unknown ones"
        "[{\"name\":1,\"ring_numbers\":[1,true,2.5,4]}, {\"nme\":\"x\"}, \
        \{\"name\":\"x\",\"ring_numbers\":[],\"wing_span\":\"y\"},\n {}]"
        [ "line 1, column 10, at $[0].name: expected a string, found",
          "$[0].ring_numbers[1]",
          "$[0].ring_numbers[2]",
          "$[1]: the field \"name\" is missing",
          "$[1]: the field \"ring_numbers\" is missing",
          "$[1]: the field \"nme\" is not known here; did you mean \"name\"?",
          "$[2].wing_span",
          "line 2, column 2, at $[3]: the field \"name\" is missing",
          "line 2, column 2, at $[3]: the field \"ring_numbers\" is missing"
        ],
      says @(Map T.Text [Sky])
        "constructors"
        "{\"a\":[{\"t\\\"y\":\"rain\"},{\"t\\\"y\":\"fog\",\"sight-metres\":\"far\",\"x\":1},\
        \{\"value\":1}],\"b\":[{\"t\\\"y\":\"clouds\",\"value\":null}],\"c\":3}"
        [ "$.a[0]",
          "$.a[1][\"sight-metres\"]",
          "$.a[1]: the field",
          "$.a[2]",
          "$.b[0].value",
          "$.c"
        ],
      says
        @[(Even, Bool)]
        "what a codec by hand refuses"
        "[[1,true],[2,0],[3,null],[4,false]]"
        ["$[0][0]: odd", "$[1][1]", "$[2][0]: odd", "$[2][1]"],
      says
        @[(Positive, Bool)]
        "and where no value is known that it would not"
        "[[1,true],[0,null],[3,0]]"
        ["$[1][0]: not positive", "$[2][1]"],
      says @(Map T.Text (Map Int Bool))
        "names that are no keys"
        "{\"a\":{\"1\":true,\n\"x\":true, \"2\":0,\n \"03\" : {\"4\":[]}},\"b\":{\"y\":1}}"
        [ "line 2, column 1, at $.a: expected an integer",
          "line 2, column 15, at $.a.2",
          "line 3, column 2, at $.a: a number cannot begin with a zero",
          "line 3, column 9, at $.a.03: expected true or false",
          "line 3, column 24, at $.b: expected an integer",
          "at $.b.y: expected true or false"
        ],
      says @[Int] "until what is no JSON" "[true, 2, nul, false]" ["$[0]", "$[2]"],
      says
        @[Int]
        "or ends too early"
        "[true, 2, \"x\""
        ["$[0]", "$[2]", "found the end of the input"],
      testCase "the first that is found alone is among them" $
        sequence_
          [ case ( decodeJsonErrors bytes ::
                     Either (NonEmpty Error) [Sighting],
                   decodeJson bytes :: Either Error [Sighting]
                 ) of
              (Left es, Left e) -> assertBool (show (bytes, es, e)) (e `elem` es)
              (found, wanted) -> (isRight found, bytes) @?= (isRight wanted, bytes)
            | n <- [0 .. B.length document - 1],
              b <- [0x22, 0x7d, 0x30, 0x78, 0x2c],
              let bytes = B.concat [B.take n document, B.singleton b, B.drop (n + 1) document]
          ],
      testCase "no more than are asked for" $
        either
          NonEmpty.length
          (const 0)
          ( decodeJsonErrorsWith 7 defaultLimits (many 1000) ::
              Either (NonEmpty Error) [Int]
          )
          @?= 7,
      testCase "memory is that of reading the document once for each" $ do
        one <-
          allocatedBy
            ( \bytes ->
                either (const 0) length (decodeJson bytes :: Either Error [Int])
            )
            (good 20000)
        all' <-
          allocatedBy
            ( \bytes ->
                either
                  NonEmpty.length
                  (const 0)
                  ( decodeJsonErrors bytes ::
                      Either (NonEmpty Error) [Int]
                  )
            )
            (many 20000)
        assertBool (show (one, all')) (all' <= 20 * 12 * one)
    ]
  where
    document =
      encodeJson
        [ Sighting
            "tern"
            2
            (Place 1.5 (-3))
            (Just "loud")
            7,
          Sighting "auk" 1 (Place 0 0) Nothing 7
        ]
    good n = B.concat ["[", B.intercalate "," (replicate n "10"), "]"]
    many n = B.concat ["[", B.intercalate "," (replicate n "\"\""), "]"]

-- | The errors of a document; each has some words.
says :: forall a. (Show a, Wire a) => String -> ByteString -> [T.Text] -> TestTree
says name bytes wanted = testCase name $ case decodeJsonErrors bytes :: Either (NonEmpty Error) a of
  Right a -> error (show a)
  Left es -> do
    let found = T.lines (renderErrors bytes es)
    assertBool
      (T.unpack (T.unlines found))
      ( length found == length wanted
          && and (zipWith (\words' line -> words' `T.isInfixOf` line) wanted found)
      )
