{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What is asked of every instance.
--
-- > value --JSON, MessagePack, CBOR, native--> bytes --> the same value
-- > value --aeson--> the same JSON --Tern, aeson--> the same value
-- > value --toValue--> the document that its bytes are --fromValue--> the same value
-- > value --native--> bytes that the slow model makes of the shape
module Tern.Instances.Laws
  ( laws,
    lawsBy,
    sameAsAeson,
    sameAsAesonBy,
    texts,
    fails,
    edges,
  )
where

import Data.Aeson qualified as Aeson
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Text qualified as T
import Tern
import Tern.Internal.Container.Schema (readSchema, schemaBytes)
import Tern.Internal.Native.Layout (Layout (Unknown))
import Tern.Internal.Native.Shaped (layoutOf)
import Tern.Laws (Law (broken), documentsBy)
import Tern.Native.Described (typeOf)
import Tern.Native.Model qualified as Native
import Tern.Wire (shapeOf)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

-- | In each format what is written is read, and nothing that is cut off is; the shape is
-- one that a schema keeps and that says how far a value reaches.
laws :: forall a. (Wire a, Eq a, Show a) => TestName -> Gen a -> TestTree
laws name = lawsBy name (==)

lawsBy :: forall a. (Wire a, Show a) => TestName -> (a -> a -> Bool) -> Gen a -> TestTree
lawsBy name same values =
  testGroup
    name
    [ testProperty "JSON" . forAll values $ \a -> returns a (decodeJson (encodeJson a)),
      testProperty "MessagePack" . forAll values $ \a ->
        returns a (decodeMessagePack (encodeMessagePack a)),
      testProperty "CBOR" . forAll values $ \a -> returns a (decodeCbor (encodeCbor a)),
      testProperty "native" . forAll values $ \a -> returns a (decodeNative (encodeNative a)),
      testProperty "native, by the model" . forAll values $ \a ->
        let bytes = B.unpack (encodeNative a)
            described = typeOf (shapeOf @a)
         in fmap (Native.written described) (Native.readDocument described bytes) === Just bytes,
      testProperty "documents, directly" . forAll values $ \a ->
        broken (documentsBy same) a === Nothing,
      testProperty
        "in a list, where values follow each other"
        . forAll (resize 8 (listOf values))
        $ \as ->
          conjoin
            [ returnsAll
                as
                (decodeJson (encodeJson as)),
              returnsAll as (decodeMessagePack (encodeMessagePack as)),
              returnsAll as (decodeCbor (encodeCbor as)),
              returnsAll as (decodeNative (encodeNative as))
            ],
      testProperty "cut off" . forAll values $ \a ->
        conjoin
          [ cut
              (encodeMessagePack a)
              (decodeMessagePack @a),
            cut (encodeCbor a) (decodeCbor @a),
            cut (encodeNative a) (decodeNative @a)
          ],
      testCase "shape" $ do
        readSchema defaultLimits (schemaBytes (shapeOf @a)) @?= Right (shapeOf @a)
        assertBool "nobody knows how far a value reaches" (known (layoutOf (shapeOf @a)))
    ]
  where
    returns a = \case
      Right b -> counterexample (show b) (same a b)
      Left e -> counterexample (show e) False
    returnsAll as = \case
      Right bs -> counterexample (show bs) (length as == length bs && and (zipWith same as bs))
      Left e -> counterexample (show e) False
    cut :: ByteString -> (ByteString -> Either Error a) -> Property
    cut bytes decode =
      conjoin
        [ counterexample (show n) (either (const True) (const False) (decode (B.take n bytes)))
          | n <- [0 .. B.length bytes - 1]
        ]
    known = \case
      Unknown -> False
      _ -> True

-- | The same JSON as aeson's, and each other's is read.
sameAsAeson ::
  forall a.
  (Wire a, Aeson.FromJSON a, Aeson.ToJSON a, Eq a, Show a) =>
  TestName ->
  Gen a ->
  TestTree
sameAsAeson name = sameAsAesonBy name (==)

sameAsAesonBy ::
  forall a.
  (Wire a, Aeson.FromJSON a, Aeson.ToJSON a, Show a) =>
  TestName ->
  (a -> a -> Bool) ->
  Gen a ->
  TestTree
sameAsAesonBy name same values =
  testGroup
    (name <> ", beside aeson")
    [ testProperty "the same text" . forAll values $ \a ->
        encodeJson a === BL.toStrict (Aeson.encode a),
      testProperty
        "aeson reads it"
        . forAll values
        $ \a -> case Aeson.eitherDecodeStrict (encodeJson a) of
          Right b -> counterexample (show b) (same a b)
          Left e -> counterexample e False,
      testProperty
        "aeson's is read"
        . forAll values
        $ \a -> case decodeJson (BL.toStrict (Aeson.encode a)) of
          Right b -> counterexample (show b) (same a b)
          Left e -> counterexample (show e) False
    ]

-- | Texts that aeson takes are taken, and say the same. The others may be.
texts ::
  forall a.
  (Wire a, Aeson.FromJSON a, Show a) =>
  TestName ->
  (a -> a -> Bool) ->
  Gen ByteString ->
  TestTree
texts name same inputs =
  testProperty (name <> ": what aeson takes is taken") . forAll inputs $ \input ->
    case Aeson.eitherDecodeStrict input :: Either String a of
      Left _ -> label "refused by aeson" (property True)
      Right a -> label "taken" $ case decodeJson input of
        Right b -> counterexample (show (a, b)) (same a b)
        Left e -> counterexample (T.unpack (renderError input e)) False

-- | The error that a text gives, in words.
fails :: forall a. (Wire a, Show a) => ByteString -> T.Text -> TestTree
fails input words' =
  testCase (show input) $
    either (renderError input) (T.pack . show) (decodeJson input :: Either Error a) @?= words'

-- | What has the native form of a type is read where the type has it, and refused beside that.
edges :: forall a b. (Wire a, Wire b) => TestName -> [b] -> [b] -> TestTree
edges name there beside =
  testCase name $
    map (either (const False) (const True) . read' . encodeNative) (there <> beside)
      @?= (True <$ there) <> (False <$ beside)
  where
    read' bytes = decodeNative bytes :: Either Error a
