{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE MonoLocalBinds #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Options as types say what the same options say to Template Haskell: the bytes of every
-- format, both ways, what is refused and why, and the shape.
module Tern.Options.AgreeTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Map qualified as Map
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Tern
import Tern.Laws (Law (broken))
import Tern.Laws qualified as Laws
import Tern.Options.Declarations
  ( Bird (..),
    BirdOptions,
    Kept (..),
    KeptByClause (..),
    Lone (..),
    LoneName (..),
    LoneNameOptions,
    LoneOptions,
    Nest (..),
    NestOptions,
    Objects (..),
    ObjectsOptions,
    Plumage,
    PlumageOptions,
    Ring (..),
    RingOptions,
    Sky (..),
    SkyOptions,
    SkyPair (..),
    SkyPairOptions,
    SkySingle (..),
    SkySingleOptions,
    Sound (..),
    SoundOptions,
  )
import Tern.Wire (shapeOf)
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))

tests :: TestTree
tests =
  testGroup
    "options as types agree with templates"
    [ agree @BirdOptions
        "a record"
        [Bird "tern" (Just 80) [1, 2] Nothing, Bird "auk" Nothing [] (Just "Alca")]
        [ "{\"name\":\"x\",\"ring_numbers\":[]}",
          "{\"ring_numbers\":[3],\"of\":\"y\",\"wing_span\":null,\"name\":\"x\"}",
          "{\"name\":\"x\",\"ring_numbers\":[],\"wingspan\":1}",
          "{\"name\":\"x\"}",
          "{ \"n\\u0061me\" : \"x\", \"ring_numbers\":[] }"
        ],
      agree @PlumageOptions
        "names"
        [minBound .. maxBound :: Plumage]
        [ "\"winter\"",
          "\"Winter\"",
          "\"a \\u0022young\\\" one\""
        ],
      agree @SkyOptions
        "tagged objects"
        [Clouds 3, Fog 40 (Just 2), Fog 1 Nothing, Wind 2.5 "NW", Clear]
        [ "{\"sight-metres\":1,\"t\\\"y\":\"fog\"}",
          "{\"value\":1,\"t\\u0022y\":\"clouds\"}",
          "{\"t\\\"y\":\"clouds\",\"value\":1,\"more\":2}",
          "{\"t\\\"y\":\"clear\",\"more\":2}",
          "{\"t\\\"y\":\"fog\",\"sight\":2}",
          "{\"t\\\"y\":\"rain\"}",
          "{\"sight-metres\":1}"
        ],
      agree @SkySingleOptions
        "single fields"
        [CloudsS 3, FogS 40 (Just 2), FogS 1 Nothing, WindS 2.5 "NW", ClearS]
        [ "{\"fog s\":{\"sightS\":1}}",
          "{\"fog s\":{\"sightS\":1},\"x\":1}",
          "{\"rain\":[]}",
          "{\"clear s\":[]}"
        ],
      agree @SkyPairOptions
        "two elements"
        [CloudsP 3, FogP 40 (Just 2), FogP 1 Nothing, WindP 2.5 "NW", ClearP]
        [ "[\"FogP\",{\"SightP\":1}]",
          "[\"FogP\",{\"sightP\":1}]",
          "[\"ClearP\",[]]",
          "[\"ClearP\"]"
        ],
      agree @RingOptions "an unwrapped field" [Ring 3, Ring (-1)] ["7", "{\"ringNumber\":7}"],
      agree @LoneOptions
        "a tagged single constructor"
        [Lone 3]
        [ "{\"kind\":\"Lone\",\"loneliness\":4}",
          "{\"loneliness\":4}"
        ],
      agree
        @LoneNameOptions
        "a tagged single name"
        [LoneName]
        ["{\"tag\":\"LoneName\"}", "\"LoneName\"", "[]"],
      agree @ObjectsOptions "names as objects" [First, Second] ["{\"First\":[]}", "\"First\""],
      agree
        @SoundOptions
        "names that are no UTF-8 where the compiler has them"
        [Call 3 (Just 2), Call 3 Nothing, Song 4, Silence]
        [ "{\"kind\\u0000\xfffd\":\"\xfffd\\u0000\xd55cSilence\"}",
          "{\"kind\\u0000\xfffd\":\"\xfffd\\u0000\xd55cSong\",\"\\u0000\228\":3}",
          "{\"kind\\u0000\\ud800\":\"\xfffd\\u0000\xd55cSilence\"}"
        ],
      agree @NestOptions
        "a type within itself"
        [ Nest
            [Nest [] Nothing Map.empty]
            (Just (Nest [] Nothing (Map.fromList [(Ring 2, 3)])))
            Map.empty
        ]
        ["{\"Inner\":[],\"Keys\":{\"5\":6}}", "{\"Inner\":[{\"Inner\":1}]}"],
      testCase "a field whose type is a variable is written when it becomes nothing" $ do
        let written = ["{\"kept\":null}", "{\"kept\":2,\"besides\":3}"]
            values = [(Nothing, Nothing), (Just 2, Just 3)] :: [(Maybe Int, Maybe Int)]
        map (encodeJson . uncurry Kept) values @?= written
        map (encodeJson . uncurry KeptByClause) values @?= written
        map decodeJson written @?= map (Right . uncurry Kept) values
        map decodeJson written @?= map (Right . uncurry KeptByClause) values
    ]

-- | Values, and documents of JSON that need not decode.
agree ::
  forall options a.
  (Eq a, Show a, Wire a, Wire (WithOptions options a)) =>
  String ->
  [a] ->
  [T.Text] ->
  TestTree
agree name values documents =
  testGroup
    name
    [ testCase "shape" $ shapeOf @(WithOptions options a) @?= shapeOf @a,
      testGroup
        "bytes"
        [ testCase format $ map (encodeVia . WithOptions) values @?= map encode values
          | (format, encode, encodeVia) <- encoders
        ],
      testGroup
        "values"
        [ testCase format $ map (fmap plain . decode . encode') values @?= map Right values
          | ((format, encode', _), (_, decode, _)) <- zip encoders decoders
        ],
      testCase "documents" $
        map (fmap plain . decodeJson . T.encodeUtf8) documents
          @?= map (decodeJson . T.encodeUtf8) documents,
      testCase "documents, directly" $ do
        map (broken Laws.documents) values @?= map (const Nothing) values
        map (broken (Laws.documentsBy alike) . WithOptions @options) values
          @?= map (const Nothing) values,
      testGroup
        "what is cut off is refused alike"
        [ testCase format $
            [fmap plain (decode (shortened n (encode' v))) | v <- values, n <- [0 .. 12]]
              @?= [decodeTheirs (shortened n (encode' v)) | v <- values, n <- [0 .. 12]]
          | ((format, encode', _), (_, decode, decodeTheirs)) <- zip encoders decoders
        ]
    ]
  where
    alike v w = plain v == plain w
    plain :: WithOptions options a -> a
    plain (WithOptions a) = a
    encoders :: [(String, a -> ByteString, WithOptions options a -> ByteString)]
    encoders =
      [ ("JSON", encodeJson, encodeJson),
        ("MessagePack", encodeMessagePack, encodeMessagePack),
        ("CBOR", encodeCbor, encodeCbor),
        ("native", encodeNative, encodeNative)
      ]
    decoders ::
      [(String, ByteString -> Either Error (WithOptions options a), ByteString -> Either Error a)]
    decoders =
      [ ("JSON", decodeJson, decodeJson),
        ("MessagePack", decodeMessagePack, decodeMessagePack),
        ("CBOR", decodeCbor, decodeCbor),
        ("native", decodeNative, decodeNative)
      ]
    shortened = B.dropEnd
