{-# LANGUAGE OverloadedStrings #-}

-- | Conditional requests: dates, and the fast evaluation against the slow one.
module Tern.Negotiate.ConditionTest (tests) where

import Data.ByteString.Char8 qualified as BC
import Data.List (intercalate)
import Data.String (fromString)
import Tern.Negotiate
import Tern.Negotiate.ConditionModel qualified as Model
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (choose, elements)
import Test.Tasty.QuickCheck qualified as Gen

tests :: TestTree
tests =
  testGroup
    "conditions of RFC 9110"
    [ testGroup
        "dates"
        [ testCase "the three ways to write one" $
            map
              (parseDate (Date 0))
              [ "Sun, 06 Nov 1994 08:49:37 GMT",
                "Sunday, 06-Nov-94 08:49:37 GMT",
                "Sun Nov  6 08:49:37 1994",
                "Wed Nov 16 08:49:37 1994"
              ]
              @?= map (Just . Date) [784111777, 784111777, 784111777, 784975777],
          testCase "what is none" $
            mapM_
              (\text -> (text, parseDate (Date 0) text) @?= (text, Nothing))
              [ "",
                "0",
                "Sun, 06 Nov 1994 08:49:37",
                "Sun, 06 Nov 1994 08:49:37 UTC",
                "sun, 06 Nov 1994 08:49:37 GMT",
                "Sun, 06 nov 1994 08:49:37 GMT",
                "Sun, 6 Nov 1994 08:49:37 GMT",
                "Sun,  06 Nov 1994 08:49:37 GMT",
                "Sun, 31 Nov 1994 08:49:37 GMT",
                "Thu, 29 Feb 1900 08:49:37 GMT",
                "Sun, 00 Nov 1994 08:49:37 GMT",
                "Sun, 06 Nov 1994 24:00:00 GMT",
                "Sun, 06 Nov 1994 08:60:37 GMT",
                "Sun, 06 Nov 1994 08:49:61 GMT",
                "Sun, 06 Nov 1994 8:49:37 GMT",
                "Sun, +6 Nov 1994 08:49:37 GMT",
                "Sun, 06-Nov-94 08:49:37 GMT",
                "Sun Nov 6 08:49:37 1994",
                "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT"
              ],
          testCase "a leap day and a leap second" $
            map
              (parseDate (Date 0))
              [ "Thu, 29 Feb 2024 00:00:00 GMT",
                "Sat, 31 Dec 2016 23:59:60 GMT"
              ]
              @?= map (Just . Date) [1709164800, 1483228800],
          testCase "a year of two digits is not more than 50 years later" $
            [ parseDate (Date near) "Sunday, 06-Nov-94 08:49:37 GMT"
              | near <-
                  [784111777, 1800000000, 4000000000, -2000000000]
            ]
              @?= map (Just . Date) [784111777, 784111777, 3939871777, -2371561823],
          testProperty
            "what is written is read"
            . forAll (Gen.choose (-60000000000, 250000000000))
            $ \n ->
              parseDate (Date 0) (renderDate (Date n)) === Just (Date n)
        ],
      testProperty
        "the steps of section 13.2.2"
        . withMaxSuccess 5000
        . forAll drawn
        $ \(reads', headers, resource) ->
          let found = asked reads' headers (current <$> resource)
              wanted = Model.verdict reads' known (`lookup` headers) resource
           in cover 5 (wanted == Model.Is304) "are 304"
                . cover 15 (wanted == Model.Is412) "are 412"
                . cover
                  15
                  (wanted == Model.GoOn && not (null headers))
                  "go on"
                $ found === wanted,
      testCase "every pair of conditions, on a resource with a tag and a date" $
        -- Each condition holds, does not, or says nothing that can be understood.
        sequence_
          [ (headers, asked reads' headers there)
              @?= (headers, Model.verdict reads' known (`lookup` headers) (Just resourceThere))
            | reads' <- [True, False],
              a <-
                []
                  : [ [("If-Match", v)]
                      | v <-
                          ["\"a\"", "\"b\"", "W/\"a\"", "*", "a", "", "\"b\", \"a\""]
                    ]
                    <> [[("If-Unmodified-Since", v)] | v <- [early, now, late, "never"]],
              b <-
                []
                  : [ [("If-None-Match", v)]
                      | v <-
                          ["\"a\"", "\"b\"", "W/\"a\"", "*", "a", "", "\"b\", W/\"a\""]
                    ]
                    <> [[("If-Modified-Since", v)] | v <- [early, now, late, "never"]],
              let headers = a <> b
          ]
    ]
  where
    asked reads' headers there' = case outcome
      reads'
      ( conditions
          ( `lookup` [(fromString name, BC.pack value) | (name, value) <- headers]
          )
      )
      there' of
      Perform -> Model.GoOn
      NotModified -> Model.Is304
      PreconditionFailed -> Model.Is412
    there = Just (Current [strong "a"] (Just (Date 784111777)))
    resourceThere = Model.Resource [(False, "a")] (Just 784111777)
    (early, now, late) =
      ( "Sun, 06 Nov 1994 08:49:36 GMT",
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:38 GMT"
      )
    current (Model.Resource its at) =
      Current
        [ Tag (if weak then Weak else Strong) (BC.pack text)
          | (weak, text) <-
              its
        ]
        (Date <$> at)

-- | The dates that are drawn.
known :: [(String, Int)]
known =
  concat [[(BC.unpack (renderDate (Date n)), n), (asctime n, n)] | n <- [784111776 .. 784111778]]
  where
    asctime n = "Sun Nov  6 08:49:" <> show (n - 784111740) <> " 1994"

-- | Whether the method reads, headers, and a resource.
drawn :: Gen (Bool, [(String, String)], Maybe Model.Resource)
drawn = do
  reads' <- arbitrary
  resource <-
    frequency
      [ (1, pure Nothing),
        ( 6,
          Just
            <$> ( Model.Resource
                    <$> resize 3 (listOf tag)
                    <*> frequency [(1, pure Nothing), (3, Just <$> Gen.elements (map snd known))]
                )
        )
      ]
  headers <-
    sequence
      [ sometimes
          "If-Match"
          listOfTags,
        sometimes "If-None-Match" listOfTags,
        sometimes "If-Unmodified-Since" someDate,
        sometimes "If-Modified-Since" someDate
      ]
  pure (reads', concat headers, resource)
  where
    sometimes name value = frequency [(2, pure []), (1, (\v -> [(name, v)]) <$> value)]
    tag = (,) <$> arbitrary <*> Gen.elements ["a", "b", "a,b", "", "x\\"]
    someDate =
      frequency
        [ (5, Gen.elements (map fst known)),
          ( 1,
            Gen.elements
              [ "",
                "yesterday",
                "Sun, 06 Nov 1994 08:49:37 GMT, Sun, 06 Nov 1994 08:49:37 GMT",
                "*"
              ]
          )
        ]
    listOfTags =
      frequency
        [ (1, Gen.elements ["*", " * ", "", ",", "*, \"a\""]),
          ( 6,
            intercalate
              <$> Gen.elements [",", ", ", " ,, "]
              <*> resize 4 (listOf element)
          )
        ]
    element =
      frequency
        [ (6, rendered <$> tag),
          ( 1,
            Gen.elements
              [ "a",
                "\"a",
                "a\"",
                "w/\"a\"",
                "W/",
                "\"a\"b",
                "\"a b\""
              ]
          )
        ]
    rendered (weak, text) = (if weak then "W/" else "") <> "\"" <> text <> "\""
