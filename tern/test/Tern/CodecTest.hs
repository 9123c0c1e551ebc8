{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}
{-# LANGUAGE TypeFamilies #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Codecs by hand beside derived ones of the same types:
--
-- >       value  --by hand-->  bytes
-- >         ^                    |
-- >         |                    v
-- >       value <--derived--   bytes      and the other way round, in every format
--
-- and their shapes are the same.
module Tern.CodecTest (tests) where

import Control.Monad (void)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Tern
import Tern.Codec (Mistake (..), NamedFields, (<+>), (<.>))
import Tern.Codec qualified as Codec
import Tern.Container (Mark (..), decodeContainer, defaultBlocks, defaultSettings)
import Tern.Container qualified as Container
import Tern.Internal.Native.Shaped (layoutOf)
import Tern.Internal.Wire.Codec (CodecIn (codecShape, nativeReader, nativeWriter))
import Tern.Shape (ShapeOf (theShape), fingerprint, renderShape)
import Tern.Shape qualified as Shape
import Tern.Value (Value)
import Tern.Wire (shapeOf)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (Fixed)

-- * Types with both

data Bird = Bird
  { name ::
      Text,
    wings :: Int,
    note :: Maybe Text,
    wet :: Bool,
    ringed :: [Double],
    colour :: Colour,
    nest :: Maybe Bird
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Colour = Red | Green | Blue
  deriving stock (Bounded, Enum, Eq, Generic, Show)
  deriving anyclass (Wire)

data Shape
  = Circle {radius :: Double, filled :: Maybe Bool}
  | Rectangle Double Int
  | Named Text
  | Empty
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | What may be nothing is left away.
data Sparse = Sparse {first :: Maybe Int, second :: Text, third :: Maybe Text}
  deriving stock (Eq, Show)

deriveWire defaultOptions {omitNothingFields = True} ''Sparse

data Outer = One {inner :: Maybe Int} | Two {left :: Maybe Int, right :: Int}
  deriving stock (Eq, Show)

deriveWire defaultOptions {omitNothingFields = True} ''Outer

bird :: Codec.Codec Bird
bird =
  Codec.object
    ( Bird
        <$> Codec.field @"name" name codec
          <.> Codec.field @"wings" wings codec
          <.> Codec.field @"note" note codec
          <.> Codec.field @"wet" wet codec
          <.> Codec.field @"ringed" ringed codec
          <.> Codec.field @"colour" colour colours
          <.> Codec.field @"nest" nest (Codec.maybeOf bird)
    )

colours :: Codec.Codec Colour
colours = Codec.enum @'["Red", "Green", "Blue"]

birdNamed :: Either Mistake (Codec.Codec Bird)
birdNamed = Codec.objectNamed (birdFields "wings")

birdFields :: Text -> NamedFields Bird Bird
birdFields second' =
  Bird
    <$> Codec.fieldNamed "name" name codec
    <*> Codec.fieldNamed second' wings codec
    <*> Codec.fieldNamed "note" note codec
    <*> Codec.fieldNamed "wet" wet codec
    <*> Codec.fieldNamed "ringed" ringed codec
    <*> Codec.fieldNamed "colour" colour codec
    <*> Codec.fieldNamed "nest" nest codec

shape' :: Codec.Codec Shape
shape' =
  Codec.oneOf
    ( \case
        Circle r f -> Codec.is @"Circle" (r, f)
        Rectangle w h -> Codec.is @"Rectangle" (w, h)
        Named n -> Codec.is @"Named" n
        Empty -> Codec.is @"Empty" ()
    )
    ( Codec.fields @"Circle"
        ( Circle
            <$> Codec.field @"radius" fst codec <.> Codec.field @"filled" snd codec
        )
        <+> Codec.contents @"Rectangle" (uncurry Rectangle) codec
        <+> Codec.contents @"Named" Named codec
        <+> Codec.constant @"Empty" Empty
    )

sparse :: Codec.Codec Sparse
sparse =
  Codec.object
    ( Sparse
        <$> Codec.optional
          @"first"
          first
          codec
          <.> Codec.field @"second" second codec
          <.> Codec.optional @"third" third codec
    )

sparseNamed :: Either Mistake (Codec.Codec Sparse)
sparseNamed =
  Codec.objectNamed
    ( Sparse
        <$> Codec.optionalNamed "first" first codec
        <*> Codec.fieldNamed "second" second codec
        <*> Codec.optionalNamed "third" third codec
    )

outer :: Codec.Codec Outer
outer =
  Codec.oneOf
    ( \case
        One i -> Codec.is @"One" i
        Two l r -> Codec.is @"Two" (l, r)
    )
    ( Codec.fields @"One" (One <$> Codec.optional @"inner" id codec)
        <+> Codec.fields @"Two"
          ( Two
              <$> Codec.optional @"left" fst codec <.> Codec.field @"right" snd codec
          )
    )

instance Arbitrary Bird where
  arbitrary = sized $ \n ->
    Bird
      <$> text
      <*> arbitrary
      <*> oneof [pure Nothing, Just <$> text]
      <*> arbitrary
      <*> arbitrary
      <*> arbitrary
      <*> if n < 2
        then pure Nothing
        else oneof [pure Nothing, Just <$> resize (n `div` 2) arbitrary]

instance Arbitrary Colour where
  arbitrary = elements [minBound ..]

instance Arbitrary Shape where
  arbitrary =
    oneof
      [ Circle
          <$> arbitrary
          <*> arbitrary,
        Rectangle <$> arbitrary <*> arbitrary,
        Named <$> text,
        pure Empty
      ]

instance Arbitrary Sparse where
  arbitrary = Sparse <$> arbitrary <*> text <*> oneof [pure Nothing, Just <$> text]

instance Arbitrary Outer where
  arbitrary = oneof [One <$> arbitrary, Two <$> arbitrary <*> arbitrary]

text :: Gen Text
text = T.pack <$> arbitrary

-- * Types by hand alone

newtype Celsius = Celsius Double
  deriving stock (Eq, Ord, Show)

instance Wire Celsius where
  codec = Codec.refine celsius (\(Celsius degrees) -> degrees) codec

celsius :: Double -> Either Text Celsius
celsius degrees
  | degrees < -273.15 = Left "colder than absolute zero"
  | otherwise = Right (Celsius degrees)

-- | Names that JSON has with escapes.
data Odd = Odd {odd1 :: Int, odd2 :: Int, odd3 :: Int}
  deriving stock (Eq, Show)

instance Wire Odd where
  codec =
    Codec.object
      ( Odd
          <$> Codec.field
            @"a\"b\\c"
            odd1
            codec
            <.> Codec.field @"tab\tö" odd2 codec
            <.> Codec.field @"" odd3 codec
      )

data Settings = Settings {host :: Text, retries :: Int}
  deriving stock (Eq, Show)

instance Wire Settings where
  codec =
    Codec.object
      ( Settings
          <$> Codec.field @"host" host codec <.> Codec.fieldWithDefault @"retries" 3 retries codec
      )

newtype Even = Even Int
  deriving stock (Eq, Ord, Show)

instance Wire Even where
  codec =
    Codec.refine
      ( \n ->
          if even n
            then Right (Even n)
            else Left "expected an even number"
      )
      (\(Even n) -> n)
      codec

newtype Nest = Nest [Nest]
  deriving stock (Eq, Show)

nests :: Codec.Codec Nest
nests =
  Codec.recursive (\self -> Codec.mapCodec Nest (\(Nest inner') -> inner') (Codec.listOf self))

-- | A type within itself by way of 'Maybe', whose writer looks at its element's.
newtype Chain = Chain (Maybe Chain)
  deriving stock (Eq, Show)

chains :: Codec.Codec Chain
chains =
  Codec.recursive (\self -> Codec.mapCodec Chain (\(Chain more) -> more) (Codec.maybeOf self))

-- | Versions of a type, both by hand.
data Sized = Sized {size :: Int, remark :: Maybe Text}
  deriving stock (Eq, Show)

tests :: TestTree
tests =
  testGroup
    "codecs by hand"
    [ testGroup
        "are those that are derived"
        [ same "a record" bird,
          same "names alone" colours,
          same "a sum" shape',
          same "a record whose fields are left away" sparse,
          same "a sum whose fields are left away" outer,
          sameAs "a record with names at run time" birdNamed,
          sameAs "one whose fields are left away, with names at run time" sparseNamed,
          sameAs "names alone, known at run time" (Codec.enumNamed (T.pack . show @Colour))
        ],
      testGroup
        "in the program's words"
        [ testCase "a value is refused in every format, with its path" $ do
            refusal (decodeJson "{\"outside\": [20, -300]}" :: Either Error (Map Text [Celsius]))
              @?= Just "$.outside[1]: colder than absolute zero"
            refusal
              ( decodeMessagePack (encodeMessagePack cold) ::
                  Either Error (Map Text [Celsius])
              )
              @?= Just "$.outside[1]: colder than absolute zero"
            refusal (decodeCbor (encodeCbor cold) :: Either Error (Map Text [Celsius]))
              @?= Just "$.outside[1]: colder than absolute zero"
            refusal (decodeNative (encodeNative cold) :: Either Error (Map Text [Celsius]))
              @?= Just "$.outside[1]: colder than absolute zero",
          testCase "and as a key" $ do
            refusal (decodeJson "{\"5\": 1, \"-1\": 2}" :: Either Error (Map Even Int))
              @?= Just "$: expected an even number"
            -- The first that is none, at its place, whatever stands around it.
            either
              errorOffset
              length
              ( decodeJson "[{ \"4\": {\"7\": []} , \"\\u0035\" :[],\"-1\": 2}]" ::
                  Either Error [Map Even Value]
              )
              @?= 20,
          testCase "a value that is allowed" $ do
            decodeJson "[7.5]" @?= Right [Celsius 7.5]
            decodeNative (encodeNative [Celsius 7.5]) @?= Right [Celsius 7.5]
        ],
      testGroup
        "names"
        [ testCase "are escaped in JSON" $
            encodeJson (Odd 1 2 3) @?= "{\"a\\\"b\\\\c\":1,\"tab\\u0009\xc3\xb6\":2,\"\":3}",
          testCase "and read in any order and spelling" $ do
            decodeJson (encodeJson (Odd 1 2 3)) @?= Right (Odd 1 2 3)
            decodeJson "{\"\":3,\"tab\\t\\u00f6\":2,\"a\\u0022b\\\\c\":1}" @?= Right (Odd 1 2 3)
            decodeMessagePack (encodeMessagePack (Odd 1 2 3)) @?= Right (Odd 1 2 3)
            decodeCbor (encodeCbor (Odd 1 2 3)) @?= Right (Odd 1 2 3),
          testCase "two of one name are refused when the codec is built" $
            void (Codec.objectNamed (birdFields "name")) @?= Left (SameName "name" 1 2),
          testCase "and so is a record without fields" $
            void (Codec.objectNamed (pure () :: NamedFields () ())) @?= Left NoNames
        ],
      testGroup
        "fields that are missing"
        [ testCase "have their default" $ do
            decodeJson "{\"host\": \"a\"}" @?= Right (Settings "a" 3)
            decodeMessagePack "\x81\xa4host\xa1\&a" @?= Right (Settings "a" 3)
            decodeCbor "\xa1\x64host\x61\&a" @?= Right (Settings "a" 3),
          testCase "which is written" $
            encodeJson (Settings "a" 3) @?= "{\"host\":\"a\",\"retries\":3}",
          testCase "or are an error" $
            refusal (decodeJson "{\"retries\": 4}" :: Either Error Settings)
              @?= Just "$: the field \"host\" is missing"
        ],
      testGroup
        "within themselves"
        [ testCase "in every format" $
            mapM_ (roundTrip nests) [Nest [], Nest [Nest [], Nest [Nest []]]],
          testCase "by way of a value that is asked for its writer" $ do
            roundTrip chains (Chain Nothing)
            -- In JSON, MessagePack and CBOR null within null is null.
            let long = Chain (Just (Chain (Just (Chain Nothing))))
            Codec.decodeNative chains defaultLimits (Codec.encodeNative chains long) @?= Right long,
          testCase "with a shape that ends" $
            renderShape (theShape (codecShape nests)) @?= "Nest\nNest = [Nest]"
        ],
      testCase "a container of an older version is read" $ do
        let old = Codec.object ((\n -> Sized n Nothing) <$> Codec.field @"size" size codec)
            new =
              Codec.object
                ( Sized
                    <$> Codec.field @"size" size codec <.> Codec.field @"remark" remark codec
                )
            written =
              Container.encodeContainerWith
                defaultBlocks
                (Mark 1)
                (theShape (codecShape old))
                (nativeWriter old)
                [Sized 1 Nothing, Sized 2 Nothing]
            shape = theShape (codecShape new)
        decodeContainer
          ( Container.containerDecoderWith
              defaultSettings
              shape
              (layoutOf shape)
              (nativeReader new)
          )
          written
          @?= [Container.Elements 0 [Sized 1 Nothing, Sized 2 Nothing]]
    ]
  where
    cold = Map.fromList [("outside" :: Text, [20, -300 :: Double])]
    refusal :: Either Error a -> Maybe Text
    refusal =
      either
        ( \e ->
            Just (T.concat [renderPath (errorPath e), ": ", renderReason (errorReason e)])
        )
        (const Nothing)

-- | The bytes and the shape of a codec by hand are those of the derived one; each reads
-- what the other has written, and the same nonsense.
same :: (Arbitrary a, Eq a, Show a, Wire a) => String -> Codec.Codec a -> TestTree
same title hand =
  testGroup
    title
    [ testProperty
        "JSON"
        ( agree
            (Codec.encodeJson hand)
            encodeJson
            (Codec.decodeJson hand defaultLimits)
            decodeJson
        ),
      testProperty
        "MessagePack"
        ( agree
            (Codec.encodeMessagePack hand)
            encodeMessagePack
            (Codec.decodeMessagePack hand defaultLimits)
            decodeMessagePack
        ),
      testProperty
        "CBOR"
        ( agree
            (Codec.encodeCbor hand)
            encodeCbor
            (Codec.decodeCbor hand defaultLimits)
            decodeCbor
        ),
      testProperty
        "native"
        ( agree
            (Codec.encodeNative hand)
            encodeNative
            (Codec.decodeNative hand defaultLimits)
            decodeNative
        ),
      testCase "shape" $ do
        renderShape (theShape (codecShape hand)) @?= renderShape (derived hand)
        fingerprint (theShape (codecShape hand)) @?= fingerprint (derived hand)
    ]
  where
    derived :: forall b. (Wire b) => Codec.Codec b -> Shape.Shape
    derived _ = shapeOf @b

-- | The same of a codec that is built.
sameAs ::
  (Arbitrary a, Eq a, Show a, Wire a) => String -> Either Mistake (Codec.Codec a) -> TestTree
sameAs title = either (testCase title . assertFailure . show) (same title)

agree ::
  (Arbitrary a, Eq a, Show a) =>
  (a -> ByteString) ->
  (a -> ByteString) ->
  (ByteString -> Either Error a) ->
  (ByteString -> Either Error a) ->
  a ->
  Property
agree hand derived byHand byDerived value =
  forAll (choose (0, B.length (derived value))) $ \cut ->
    forAll (choose (0, 255)) $ \byte' -> do
      let bytes = derived value
          damaged =
            B.take cut bytes <> B.cons (fromIntegral (byte' :: Int)) (B.drop (cut + 1) bytes)
      conjoin
        [ hand value === bytes,
          byHand bytes === Right value,
          byDerived (hand value) === Right value,
          told (byHand damaged) === told (byDerived damaged)
        ]
  where
    -- Two fields of a constructor are a pair in one by hand, whose path says so. In
    -- words: a number may have become NaN, which equals none.
    told = either (\e -> Left (errorOffset e, errorReason e)) (Right . show)

roundTrip :: (Eq a, Show a) => Codec.Codec a -> a -> Assertion
roundTrip c value = do
  Codec.decodeJson c defaultLimits (Codec.encodeJson c value) @?= Right value
  Codec.decodeMessagePack c defaultLimits (Codec.encodeMessagePack c value) @?= Right value
  Codec.decodeCbor c defaultLimits (Codec.encodeCbor c value) @?= Right value
  Codec.decodeNative c defaultLimits (Codec.encodeNative c value) @?= Right value
