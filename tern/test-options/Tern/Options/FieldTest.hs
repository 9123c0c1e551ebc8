{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Other names, defaults, flattened, computed and ignored fields: by options as types, by
-- Template Haskell and by hand, in every format; and that the native format's evolution
-- knows them.
module Tern.Options.FieldTest (tests) where

import Data.ByteString (ByteString)
import Data.Text (Text)
import Tern
import Tern.Codec ((<.), (<.>))
import Tern.Codec qualified as Codec
import Tern.Evolution (decoderFor, evolving, typeAlias)
import Tern.Options.Declarations (Place (..), Sighting (..))
import Tern.Options.Older
  ( Bare (..),
    Counted (..),
    Numbered (..),
    OldSighting (..),
    OldestSighting (..),
  )
import Tern.Value (Value)
import Tern.Wire (shapeOf)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))

-- | As 'Sighting', by hand.
sightings :: Codec Sighting
sightings =
  Codec.object . Codec.rejectUnknownFields $
    Sighting
      <$> Codec.field @"species" species codec
        <.> Codec.alias @'["number", "n\"o"] (Codec.fieldWithDefault @"count" 1 count codec)
        <.> Codec.flatten
          at
          ( Place
              <$> Codec.field @"place_north" north codec <.> Codec.field @"place_east" east codec
          )
        <.> Codec.optional @"remark" remark codec
        <.> Codec.ignored 7

-- | The same with names that are known when the program runs.
sightingsNamed :: Codec Sighting
sightingsNamed =
  either (error . show) id . Codec.objectNamed . Codec.rejectUnknownFields $
    Sighting
      <$> Codec.fieldNamed "species" species codec
      <*> Codec.aliasNamed ["number", "n\"o"] (Codec.fieldNamedWithDefault 1 "count" count codec)
      <*> Codec.flattenNamed
        at
        ( Place
            <$> Codec.fieldNamed "place_north" north codec
            <*> Codec.fieldNamed "place_east" east codec
        )
      <*> Codec.optionalNamed "remark" remark codec
      <*> pure 7

-- | With a field that is computed, before others and after them.
data Square = Square {side :: Int, name :: Text}
  deriving stock (Eq, Show)

squares :: Codec Square
squares =
  Codec.object . Codec.rejectUnknownFields $
    ( Square
        <$> Codec.field @"side" side codec <. Codec.computed @"area" (\s -> side s * side s) codec
    )
      <.> Codec.field @"name" name codec
      <. Codec.computed @"label" name codec

named :: Either Codec.Mistake (Codec Square)
named =
  Codec.objectNamed
    ( (Square <$> Codec.aliasNamed ["edge"] (Codec.fieldNamed "side" side codec))
        <* Codec.computedNamed "area" (\s -> side s * side s) codec
        <*> Codec.fieldNamedWithDefault "none" "name" name codec
    )

tests :: TestTree
tests =
  testGroup
    "fields"
    [ testGroup
        "by options as types, and by hand"
        [ testGroup
            who
            [ testCase "JSON" $
                writeJson tern'
                  @?= "{\"species\":\"tern\",\"count\":2,\"place_north\":1.5,\"place_east\":-3.0\
                      \,\"remark\":\"loud\"}",
              testCase "without what is nothing" $
                writeJson auk
                  @?= "{\"species\":\"auk\",\"count\":1,\"place_north\":0.0,\"place_east\":0.0}",
              testCase "read again, in every format" $
                [ [ reading (writing s)
                    | (reading, writing) <-
                        [ (readJson, writeJson),
                          (readMessagePack, writeMessagePack),
                          (readCbor, writeCbor),
                          (readNative, writeNative)
                        ]
                  ]
                  | s <- [tern', auk {cached = 8}]
                ]
                  @?= [replicate 4 (Right s) | s <- [tern', auk]],
              testCase "in any order, with other names, without what has a default" $
                map
                  readJson
                  [ "{\"place_east\":-3,\"number\":2,\"remark\":\"loud\",\"species\":\"tern\"\
                    \,\"place_north\":1.5}",
                    "{\"species\":\"tern\",\"n\\\"o\":2,\"place_north\":1.5,\"place_east\":-3\
                    \,\"remark\":\"loud\"}",
                    "{\"species\":\"tern\",\"count\":9,\"n\\u0022o\":2,\"place_north\":1.5\
                    \,\"place_east\":-3,\"remark\":\"loud\"}",
                    "{\"species\":\"auk\",\"place_north\":0,\"place_east\":0}"
                  ]
                  @?= map Right [tern', tern', tern', auk],
              testCase "what is unknown or ignored is refused" $
                map
                  (either errorReason (error . show) . readJson)
                  [ "{\"species\":\"auk\",\"cached\":1}",
                    "{\"species\":\"auk\",\"place\":1}"
                  ]
                  @?= [ UnknownField
                          wrong
                          [ "species",
                            "count",
                            "place_north",
                            "place_east",
                            "remark"
                          ]
                        | wrong <-
                            ["cached", "place"]
                      ],
              testCase "what is missing is named" $
                either
                  errorReason
                  (error . show)
                  (readJson "{\"species\":\"auk\",\"place_north\":1}")
                  @?= MissingField "place_east",
              testCase "the other names in MessagePack and CBOR" $
                [readMessagePack (encodeMessagePack older), readCbor (encodeCbor older)]
                  @?= replicate 2 (Right (Sighting "tern" 5 (Place 1 2) Nothing 7))
            ]
          | ( who,
              writeJson,
              readJson,
              writeMessagePack,
              readMessagePack,
              writeCbor,
              readCbor,
              writeNative,
              readNative
              ) <-
              [ ( "as types",
                  encodeJson,
                  decodeJson,
                  encodeMessagePack,
                  decodeMessagePack,
                  encodeCbor,
                  decodeCbor,
                  encodeNative,
                  decodeNative
                ),
                ( "by hand",
                  Codec.encodeJson sightings,
                  Codec.decodeJson sightings defaultLimits,
                  Codec.encodeMessagePack sightings,
                  Codec.decodeMessagePack sightings defaultLimits,
                  Codec.encodeCbor sightings,
                  Codec.decodeCbor sightings defaultLimits,
                  Codec.encodeNative sightings,
                  Codec.decodeNative sightings defaultLimits
                ),
                ( "by hand, with names known at run time",
                  Codec.encodeJson sightingsNamed,
                  Codec.decodeJson sightingsNamed defaultLimits,
                  Codec.encodeMessagePack sightingsNamed,
                  Codec.decodeMessagePack sightingsNamed defaultLimits,
                  Codec.encodeCbor sightingsNamed,
                  Codec.decodeCbor sightingsNamed defaultLimits,
                  Codec.encodeNative sightingsNamed,
                  Codec.decodeNative sightingsNamed defaultLimits
                )
              ]
        ],
      testGroup
        "computed"
        [ testCase "is written in its place" $
            Codec.encodeJson squares (Square 3 "x")
              @?= "{\"side\":3,\"area\":9,\"name\":\"x\",\"label\":\"x\"}",
          testCase "is as it is in binary formats" $
            [ decodeMessagePack
                (Codec.encodeMessagePack squares (Square 3 "x")),
              decodeCbor (Codec.encodeCbor squares (Square 3 "x"))
            ]
              @?= replicate
                2
                ( decodeJson (Codec.encodeJson squares (Square 3 "x")) ::
                    Either Error Value
                ),
          testCase "counts for nothing when it is read, wherever it stands" $
            map
              (Codec.decodeJson squares defaultLimits)
              [ "{\"side\":3,\"area\":9,\"name\":\"x\",\"label\":\"x\"}",
                "{\"side\":3,\"name\":\"x\"}",
                "{\"area\":{\"a\":[1,2]},\"label\":[],\"name\":\"x\",\"side\":3}",
                "{\"side\":3,\"area\":\"wrong\",\"name\":\"x\"}"
              ]
              @?= replicate 4 (Right (Square 3 "x")),
          testCase "but must be JSON" $
            either
              errorReason
              (error . show)
              ( Codec.decodeJson
                  squares
                  defaultLimits
                  "{\"side\":3,\"area\":nul,\"name\":\"x\"}"
              )
              @?= Unexpected AValue,
          testCase "other fields are still refused" $
            either
              errorReason
              (error . show)
              ( Codec.decodeJson
                  squares
                  defaultLimits
                  "{\"side\":3,\"aera\":9,\"name\":\"x\"}"
              )
              @?= UnknownField "aera" ["side", "name", "area", "label"],
          testCase "every format reads what it wrote" $
            [ reading (writing (Square 4 "y"))
              | (reading, writing) <-
                  [ ( Codec.decodeMessagePack
                        squares
                        defaultLimits,
                      Codec.encodeMessagePack squares
                    ),
                    (Codec.decodeCbor squares defaultLimits, Codec.encodeCbor squares),
                    (Codec.decodeNative squares defaultLimits, Codec.encodeNative squares)
                  ]
            ]
              @?= replicate 3 (Right (Square 4 "y")),
          testCase "with names that are known when the program runs" $
            case named of
              Left mistake -> error (show mistake)
              Right c -> do
                Codec.encodeJson c (Square 3 "x") @?= "{\"side\":3,\"area\":9,\"name\":\"x\"}"
                map
                  (Codec.decodeJson c defaultLimits)
                  [ "{\"edge\":3}",
                    "{\"name\":\"x\",\"area\":0,\"edge\":2}"
                  ]
                  @?= [Right (Square 3 "none"), Right (Square 2 "x")]
                Codec.decodeMessagePack c defaultLimits (Codec.encodeMessagePack c (Square 3 "x"))
                  @?= Right (Square 3 "x")
                Codec.decodeCbor c defaultLimits (Codec.encodeCbor c (Square 3 "x"))
                  @?= Right (Square 3 "x")
                Codec.decodeNative c defaultLimits (Codec.encodeNative c (Square 3 "x"))
                  @?= Right (Square 3 "x")
        ],
      testCase "two names alike are refused where they are known at run time" $
        [ either twice (const "built") (Codec.objectNamed fields')
          | fields' <-
              [ Square
                  <$> Codec.aliasNamed ["name"] (Codec.fieldNamed "side" side codec)
                  <*> Codec.fieldNamed "name" name codec,
                Square
                  <$> Codec.fieldNamed "side" side codec
                  <*> Codec.fieldNamed "name" name codec
                  <* Codec.computedNamed "side" name codec
              ]
        ]
          @?= ["name", "side"],
      testGroup
        "by templates"
        [ testCase "other names and defaults, in every format" $ do
            map
              decodeJson
              [ "{\"count\":4,\"species\":\"tern\"}",
                "{\"species\":\"tern\",\"number\":4}",
                "{\"number\":3,\"species\":\"tern\",\"count\":4}"
              ]
              @?= replicate 3 (Right (Counted "tern" 4))
            decodeJson "{\"species\":\"tern\"}" @?= Right (Counted "tern" 1)
            decodeMessagePack (encodeMessagePack (Numbered 4 "tern")) @?= Right (Counted "tern" 4)
            decodeCbor (encodeCbor (Numbered 4 "tern")) @?= Right (Counted "tern" 4)
        ],
      testGroup
        "the native format's evolution knows them"
        [ testCase "by templates" $
            evolved (encodeNative (Numbered 4 "tern")) @?= Right (Counted "tern" 4),
          testCase "a default, by templates" $
            either
              (error . show)
              ( \decode ->
                  decode defaultLimits (encodeNative (Bare "tern"))
              )
              (decoderFor @Counted earlier (shapeOf @Bare))
              @?= Right (Counted "tern" 1),
          testCase "as types" $
            either
              (error . show)
              (\decode -> decode defaultLimits (encodeNative older))
              (decoderFor @Sighting earlier (shapeOf @OldSighting))
              @?= Right (Sighting "tern" 5 (Place 1 2) Nothing 7),
          testCase "a default, as types" $
            either
              (error . show)
              (\decode -> decode defaultLimits (encodeNative oldest))
              (decoderFor @Sighting earlier (shapeOf @OldestSighting))
              @?= Right (Sighting "tern" 1 (Place 1 2) Nothing 7)
        ]
    ]
  where
    tern' = Sighting "tern" 2 (Place 1.5 (-3)) (Just "loud") 7
    auk = Sighting "auk" 1 (Place 0 0) Nothing 7
    evolved :: ByteString -> Either Error Counted
    evolved bytes =
      either
        (error . show)
        (\decode -> decode defaultLimits bytes)
        (decoderFor @Counted earlier (shapeOf @Numbered))
    twice = \case
      Codec.SameName wrong _ _ -> wrong
      Codec.NoNames -> "none"
    -- The types' names alone.
    earlier =
      evolving @Counted [typeAlias ["Numbered", "Bare"]]
        <> evolving @Sighting [typeAlias ["OldSighting", "OldestSighting"]]
    older = OldSighting 1 2 5 "tern"
    oldest = OldestSighting 1 "tern" 2
