{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Codecs by hand whose names are known when the program runs, and what is said of a
-- codec's values.
module Tern.Codec.NamedTest (tests) where

import Control.Monad (void)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Tern
import Tern.Codec (Mistake (..), (<+>), (<.>))
import Tern.Codec qualified as Codec
import Tern.Container (Mark (..), decodeContainer, defaultBlocks, defaultSettings)
import Tern.Container qualified as Container
import Tern.Evolution (Compatibility (..), Verdict (..), compatibility)
import Tern.Internal.Native.Shaped (layoutOf)
import Tern.Internal.Wire.Codec (CodecIn (codecShape, nativeReader, nativeWriter))
import Tern.Schema (jsonSchema)
import Tern.Shape (ShapeOf (theShape), fingerprint, renderShape)
import Tern.Wire (shapeOf)
import Test.Tasty
import Test.Tasty.HUnit

data Season = Spring | Summer | Autumn | Winter
  deriving stock (Bounded, Enum, Eq, Generic, Show)
  deriving anyclass (Wire)

data Sky = Clouds Int | Fog {sight :: Int} | Clear
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

skies :: (Text -> Text) -> Either Mistake (Codec Sky)
skies rename =
  Codec.oneOfNamed
    rename
    ( \case
        Clouds eighths ->
          Codec.is @"Clouds" eighths
        Fog metres -> Codec.is @"Fog" metres
        Clear -> Codec.is @"Clear" ()
    )
    ( Codec.contents @"Clouds" Clouds codec
        <+> Codec.fields @"Fog" (Fog <$> Codec.field @"sight" id codec)
        <+> Codec.constant @"Clear" Clear
    )

data Reading = Reading {hour :: Int, air :: [Double], sky :: Sky}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | With words for people at each kind of place.
readings :: Codec Reading
readings =
  Codec.describe "What a station reads once an hour." . Codec.object $
    Reading
      <$> Codec.field @"hour" hour (Codec.describe "hours since midnight" codec)
        <.> Codec.field @"air" air (Codec.listOf (Codec.describe "degrees Celsius" codec))
        <.> Codec.field @"sky" sky (Codec.describe "above the station" codec)

tests :: TestTree
tests =
  testGroup
    "codecs by hand"
    [ testGroup
        "with names that are known when the program runs"
        [ testCase "a sum with the names of the derived one is the same" $
            built (skies id) (\c -> mapM_ (sameAs c) [Clouds 3, Fog 40, Clear]),
          testCase "with other names" $
            built (skies (T.toLower . ("a \"" <>))) $ \c -> do
              Codec.encodeJson c (Fog 40) @?= "{\"tag\":\"a \\\"fog\",\"sight\":40}"
              Codec.encodeMessagePack c (Clouds 3)
                @?= "\x82\xa3tag\xa9\&a \"clouds\xa8\&contents\x03"
              renderShape (theShape (codecShape c))
                @?= "Sky\nSky = tagged \"tag\" \"contents\"\n  | \"a \\\"clouds\" integer \
                    \-9223372036854775808..9223372036854775807\n  | \"a \\\"fog\" {\"sight\": \
                    \integer -9223372036854775808..9223372036854775807}\n  | \"a \\\"clear\""
              mapM_ (roundTrip c) [Clouds 3, Fog 40, Clear],
          testCase "an unknown tag is refused, with those that there are" $
            built (skies T.toUpper) $ \c ->
              Codec.decodeJson c defaultLimits "{\"tag\":\"Fog\"}"
                @?= Left
                  ( Error
                      7
                      [Key "tag"]
                      (UnknownConstructor "Fog" ["CLOUDS", "FOG", "CLEAR"])
                  ),
          testCase "tags that become equal are refused when the codec is built" $ do
            void (skies (T.take 1)) @?= Left (SameName "C" 1 3)
            Codec.renderMistake "alternatives" (SameName "C" 1 3)
              @?= "two alternatives are called \"C\", number 1 and number 3",
          testCase "names of constructors that are those of the derived codec are the same" $
            built
              (Codec.enumNamed (T.pack . show))
              ( \c ->
                  mapM_ (sameAs c) [minBound .. maxBound :: Season]
              ),
          testCase "names of constructors" $
            built (Codec.enumNamed (\s -> T.toLower (T.pack (show s)) <> "\"\955")) $ \c -> do
              Codec.encodeJson c Winter @?= "\"winter\\\"\206\187\""
              Codec.encodeNative c Winter @?= "\x03"
              mapM_ (roundTrip c) [minBound .. maxBound :: Season],
          testCase "names of constructors that are equal are refused when the codec is built" $
            void
              ( Codec.enumNamed (T.take 1 . T.drop 1 . T.pack . show) ::
                  Either Mistake (Codec Season)
              )
              @?= Left (SameName "u" 2 3)
        ],
      testGroup
        "with words for people"
        [ testCase "are the same on the wire" $ do
            sameAs readings value
            fingerprint (theShape (codecShape readings)) @?= fingerprint (shapeOf @Reading)
            oldByNew (compatibility mempty (shapeOf @Reading) (theShape (codecShape readings)))
              @?= Identical
            oldByNew (compatibility mempty (theShape (codecShape readings)) (shapeOf @Reading))
              @?= Identical,
          testCase "write containers that those without them read" $ do
            let written =
                  Container.encodeContainerWith
                    defaultBlocks
                    (Mark 1)
                    (theShape (codecShape readings))
                    (nativeWriter readings)
                    [value, value]
            decodeContainer (Container.containerDecoder defaultSettings) written
              @?= [Container.Elements 0 [value, value]]
            let shape = theShape (codecShape readings)
            decodeContainer
              ( Container.containerDecoderWith
                  defaultSettings
                  shape
                  (layoutOf shape)
                  (nativeReader readings)
              )
              written
              @?= [Container.Elements 0 [value, value]],
          testCase "have them in JSON Schema" $
            encodeJson (jsonSchema (theShape (codecShape readings)))
              @?= "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"\
                  \,\"description\":\"What a station reads once an \
                  \hour.\",\"$ref\":\"#/$defs/Reading\",\"$defs\":{\"Reading\":{\"type\":\"object\"\
                  \,\"properties\":{\"hour\":{\"description\":\"hours since \
                  \midnight\",\"type\":\"integer\",\"minimum\":-9223372036854775808\
                  \,\"maximum\":9223372036854775807},\"air\":{\"type\":\"array\"\
                  \,\"items\":{\"description\":\"degrees \
                  \Celsius\",\"type\":[\"number\",\"null\",\"string\"],\"pattern\":\"^[+-]inf$\"}}\
                  \,\"sky\":{\"description\":\"above the \
                  \station\",\"$ref\":\"#/$defs/Sky\"}},\"required\":[\"hour\",\"air\",\"sky\"]}\
                  \,\"Sky\":{\"oneOf\":[{\"type\":\"object\"\
                  \,\"properties\":{\"tag\":{\"const\":\"Clouds\"}\
                  \,\"contents\":{\"type\":\"integer\"\
                  \,\"minimum\":-9223372036854775808,\"maximum\":9223372036854775807}}\
                  \,\"required\":[\"tag\",\"contents\"]},{\"type\":\"object\"\
                  \,\"properties\":{\"tag\":{\"const\":\"Fog\"},\"sight\":{\"type\":\"integer\"\
                  \,\"minimum\":-9223372036854775808,\"maximum\":9223372036854775807}}\
                  \,\"required\":[\"tag\",\"sight\"]},{\"type\":\"object\"\
                  \,\"properties\":{\"tag\":{\"const\":\"Clear\"}},\"required\":[\"tag\"]}]}}}",
          testCase "a path is found through them" $
            void (Codec.decodeNative readings defaultLimits "\x02\x02\x00")
              @?= either
                (\e -> Left e {errorReason = errorReason e})
                (const (Right ()))
                (decodeNative @Reading "\x02\x02\x00"),
          testCase "the outermost of several count, and a string is described as one" $ do
            encodeJson
              ( jsonSchema
                  ( theShape
                      ( codecShape
                          ( Codec.describe
                              "outer"
                              (Codec.describe "inner" (codec @Bool))
                          )
                      )
                  )
              )
              @?= "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\"\
                  \,\"description\":\"outer\",\"type\":\"boolean\"}"
            renderShape
              ( theShape
                  ( codecShape
                      (Codec.listOf (Codec.describe "letters" (codec @Char)))
                  )
              )
              @?= "text"
        ]
    ]
  where
    value = Reading 6 [7.5, -1] (Fog 40)
    built c test = either (\mistake -> assertFailure (show mistake)) test c

-- | As the derived codec, in every format, both ways.
sameAs :: forall a. (Eq a, Show a, Wire a) => Codec a -> a -> Assertion
sameAs c value = do
  Codec.encodeJson c value @?= encodeJson value
  Codec.encodeMessagePack c value @?= encodeMessagePack value
  Codec.encodeCbor c value @?= encodeCbor value
  Codec.encodeNative c value @?= encodeNative value
  renderShape (theShape (codecShape c)) @?= renderShape (shapeOf @a)
  roundTrip c value

roundTrip :: (Eq a, Show a) => Codec a -> a -> Assertion
roundTrip c value = do
  Codec.decodeJson c defaultLimits (Codec.encodeJson c value) @?= Right value
  Codec.decodeMessagePack c defaultLimits (Codec.encodeMessagePack c value) @?= Right value
  Codec.decodeCbor c defaultLimits (Codec.encodeCbor c value) @?= Right value
  Codec.decodeNative c defaultLimits (Codec.encodeNative c value) @?= Right value
