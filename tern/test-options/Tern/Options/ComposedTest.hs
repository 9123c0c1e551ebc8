{-# LANGUAGE MonoLocalBinds #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}

-- | Flattened, ignored and computed fields by Template Haskell say what they say as types, in
-- every format and layout; a field may have a codec of its own; and what cannot be is refused.
module Tern.Options.ComposedTest (tests) where

import Data.ByteString (ByteString)
import Language.Haskell.TH (recover)
import Tern
import Tern.Laws (Law (..), laws)
import Tern.Options.Composed
  ( Flight (..),
    FlightBare (..),
    FlightPair (..),
    FlightSingle (..),
    Landing (..),
    LandingOptions,
    Meeting,
    Move (..),
    NoRecord (..),
    Ringed (..),
    Ringing (..),
    RingingPart (..),
    Spot (..),
  )
import Tern.Wire (shapeOf)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "flattened, ignored and computed"
    [ testCase "written" $
        map encodeJson landings
          @?= [ "{\"at_north\":3,\"at_east\":-4,\"birds\":2,\"note\":\"loud\",\"sum\":1\
                \,\"label\":\"2\"}",
                "{\"at_north\":0,\"at_east\":0,\"birds\":1,\"sum\":1,\"label\":\"1\"}"
              ],
      testCase "as options as types write it, in every format" $
        map (every . typed) landings @?= map every landings,
      testCase "read, in every format" $
        map through landings @?= [replicate 4 (Right l {landingSeen = True}) | l <- landings],
      testCase "read as options as types read it" $
        map (fmap untyped . decodeJson) documents @?= map decodeJson documents,
      testCase "in any order, with other names and defaults; what is computed counts for nothing" $
        map decodeJson (take 3 documents)
          @?= [ Right (Landing (Spot 3 (-4)) 2 Nothing True),
                Right (Landing (Spot 5 6) 1 (Just "x") True),
                Right (Landing (Spot 1 2) 9 Nothing True)
              ],
      testCase "the shape is the same" $
        shapeOf @(WithOptions LandingOptions Landing) @?= shapeOf @Landing,
      testCase "in each layout of sums" $
        [ encodeJson [Up (Move (Spot 1 2) 3) 4, Down 5, Gone],
          encodeJson [UpS (Move (Spot 1 2) 3) 4, DownS 5, GoneS],
          encodeJson [UpP (Move (Spot 1 2) 3) 4, DownP 5, GoneP],
          encodeJson [UpB (Move (Spot 1 2) 3) 4, DownB 5, GoneB]
        ]
          @?= [ "[{\"tag\":\"Up\",\"north\":1,\"east\":2,\"speed\":3,\"height\":4},\
                \{\"tag\":\"Down\",\"contents\":5},{\"tag\":\"Gone\"}]",
                "[{\"UpS\":{\"north\":1,\"east\":2,\"speed\":3,\"heightS\":4}},{\"DownS\":5},\
                \{\"GoneS\":[]}]",
                "[[\"UpP\",{\"north\":1,\"east\":2,\"speed\":3,\"heightP\":4}],[\"DownP\",5],\
                \[\"GoneP\",[]]]",
                "[{\"north\":1,\"east\":2,\"speed\":3,\"heightB\":4},5,\"GoneB\"]"
              ],
      testCase "the laws hold in each" $
        concat
          [ lawful [Up (Move (Spot 1 2) 3) 4, Down 5, Gone],
            lawful [UpS (Move (Spot 1 2) 3) 4, DownS 5, GoneS],
            lawful [UpP (Move (Spot 1 2) 3) 4, DownP 5, GoneP],
            lawful [UpB (Move (Spot 1 2) 3) 4, DownB 5, GoneB],
            lawful [l {landingSeen = True} | l <- landings],
            lawful [Move (Spot 1 2) 3]
          ]
          @?= [],
      testCase "the native format has the fields as they are declared, but for what is ignored" $
        encodeNative (Landing (Spot 1 2) 3 Nothing False)
          @?= encodeNative (Spot 1 2, 3 :: Int, Nothing :: Maybe Int),
      testGroup "by a codec that is not the type's" byCodecs,
      testGroup
        "what cannot be is refused when compiled"
        [ testCase name (refused @?= True)
          | (name, refused) <-
              [ ( "a field of a flattened record that meets another",
                  $( recover
                       [|True|]
                       ( deriveWire
                           defaultOptions
                             { fieldLabelModifier = filter (/= '\''),
                               fieldsFlattened = [("place", defaultOptions)]
                             }
                           ''Meeting
                           >> [|False|]
                       )
                   )
                ),
                ( "what is no record",
                  $( recover
                       [|True|]
                       ( deriveWire
                           defaultOptions {fieldsFlattened = [("number", defaultOptions)]}
                           ''NoRecord
                           >> [|False|]
                       )
                   )
                ),
                ( "a field that there is not",
                  $( recover
                       [|True|]
                       ( deriveWire defaultOptions {fieldsIgnored = [("numbr", [|1|])]} ''NoRecord
                           >> [|False|]
                       )
                   )
                ),
                ( "what is computed under a field's name",
                  $( recover
                       [|True|]
                       ( deriveWire
                           defaultOptions {fieldsComputed = [("other", [|number|])]}
                           ''NoRecord
                           >> [|False|]
                       )
                   )
                ),
                ( "two options for a field",
                  $( recover
                       [|True|]
                       ( deriveWire
                           defaultOptions
                             { fieldsIgnored =
                                 [("number", [|1|])],
                               fieldDefaults = [("number", [|1|])]
                             }
                           ''NoRecord
                           >> [|False|]
                       )
                   )
                ),
                ( "a codec of a field that there is not",
                  $( recover
                       [|True|]
                       ( deriveWire defaultOptions {fieldCodecs = [("numbr", [|codec|])]} ''NoRecord
                           >> [|False|]
                       )
                   )
                ),
                ( "a codec of a field that no document has",
                  $( recover
                       [|True|]
                       ( deriveWire
                           defaultOptions
                             { fieldsIgnored = [("number", [|1|])],
                               fieldCodecs = [("number", [|codec|])]
                             }
                           ''NoRecord
                           >> [|False|]
                       )
                   )
                ),
                ( "no field is left",
                  $( recover
                       [|True|]
                       ( deriveWire
                           defaultOptions {fieldsIgnored = [("number", [|1|]), ("other", [|1|])]}
                           ''NoRecord
                           >> [|False|]
                       )
                   )
                ),
                ( "fewer formats",
                  $( recover
                       [|True|]
                       ( deriveWire
                           defaultOptions
                             { fieldsIgnored =
                                 [("number", [|1|])],
                               wireFormats = [AsJson]
                             }
                           ''NoRecord
                           >> [|False|]
                       )
                   )
                )
              ]
        ]
    ]
  where
    typed :: Landing -> WithOptions LandingOptions Landing
    typed = WithOptions
    untyped :: WithOptions LandingOptions Landing -> Landing
    untyped (WithOptions a) = a

byCodecs :: [TestTree]
byCodecs =
  [ testCase "written" $
      map encodeJson ringings
        @?= [ "{\"ring\":\"#5\",\"second\":\"#6\",\"mass\":\"#8\",\"eyes\":2}",
              "{\"ring\":\"#5\",\"mass\":\"#8\",\"eyes\":2}"
            ],
    testCase "read, with other names and defaults, and refused in the codec's words" $
      map
        (either (Left . errorReason) Right . decodeJson)
        [ "{\"eyes\":1,\"number\":\"#5\"}",
          "{\"ring\":5,\"eyes\":1}",
          "{\"ring\":\"5\",\"eyes\":1}"
        ]
        @?= [ Right (Ringing 5 Nothing 7 1),
              Left (Unexpected AString),
              Left (Refused "expected a mark")
            ],
    testCase "in every format, and within another record" $
      (lawful ringings, map through ringings, lawful (map RingingPart ringings))
        @?= ([], map (replicate 4 . Right) ringings, []),
    testCase "the fields of a flattened record by its own options" $
      encodeJson (RingingPart (Ringing 5 Nothing 8 2))
        @?= "{\"ring\":5,\"second\":null,\"mass\":8,\"eyes\":\"#2\"}",
    testCase "without tags, types alone do not say that a constructor is never read" $
      map (\v -> (encodeJson v, through v)) [Bare 1, Marked 1]
        @?= [ ("{\"number\":1}", replicate 4 (Right (Bare 1))),
              ("{\"number\":\"#1\"}", replicate 4 (Right (Marked 1)))
            ]
  ]
  where
    ringings = [Ringing 5 (Just 6) 8 2, Ringing 5 Nothing 8 2]

lawful :: (Eq a, Show a, Wire a) => [a] -> [String]
lawful values = [lawName law | v <- values, law <- laws, Just _ <- [broken law v]]

landings :: [Landing]
landings = [Landing (Spot 3 (-4)) 2 (Just "loud") True, Landing (Spot 0 0) 1 Nothing False]

documents :: [ByteString]
documents =
  [ "{\"birds\":2,\"sum\":77,\"at_east\":-4,\"at_north\":3}",
    "{\"n\":5,\"at_east\":6,\"note\":\"x\",\"label\":[]}",
    "{\"at_north\":1,\"at_east\":2,\"birds\":9,\"sum\":\"no number\",\"label\":{}}",
    "{\"at_north\":1,\"birds\":9}",
    "{\"at_north\":1,\"at_east\":2,\"seen\":true}",
    "{\"at_north\":1,\"at_east\":true}"
  ]

every :: (Wire a) => a -> [ByteString]
every a = [encodeJson a, encodeMessagePack a, encodeCbor a, encodeNative a]

through :: (Wire a) => a -> [Either Error a]
through a =
  [ decodeJson (encodeJson a),
    decodeMessagePack (encodeMessagePack a),
    decodeCbor (encodeCbor a),
    decodeNative (encodeNative a)
  ]
