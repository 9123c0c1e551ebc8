{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}
-- What is tried is the library, which is optimised: the cases need not be.
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

module Tern.Instances.CollectionTest (tests) where

import Data.Aeson qualified as Aeson
import Data.ByteString (ByteString)
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.Functor.Compose (Compose (..))
import Data.Functor.Const (Const (..))
import Data.Functor.Identity (Identity (..))
import Data.Functor.Product qualified as Functor
import Data.Functor.Sum qualified as Functor
import Data.HashSet qualified as HashSet
import Data.IntMap.Strict qualified as IntMap
import Data.IntSet qualified as IntSet
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Monoid qualified as Monoid
import Data.Ord (Down (..))
import Data.Primitive.Array (Array)
import Data.Primitive.PrimArray (PrimArray, primArrayFromList)
import Data.Primitive.SmallArray (SmallArray, smallArrayFromList)
import Data.Proxy (Proxy (..))
import Data.Semigroup qualified as Semigroup
import Data.Sequence qualified as Seq
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Lazy qualified as TL
import Data.Text.Short qualified as Short
import Data.Tree (Tree (..))
import Data.Vector.Primitive qualified as VP
import Data.Version (Version, makeVersion)
import Data.Void (Void)
import Data.Word (Word8)
import GHC.Exts (fromList)
import GHC.Generics (Generic)
import Numeric.Natural (Natural)
import Tern
import Tern.Instances.Laws (laws, sameAsAeson)
import Tern.Internal.Wire.Codec (CodecIn (codecKey))
import Tern.Internal.Write (contramapWriter)
import Tern.Schema (jsonSchema)
import Tern.Shape (renderShape)
import Tern.Wire (plain, shapeOf)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

-- * Keys that are newtypes

newtype ByGenerics = ByGenerics Text
  deriving stock (Eq, Generic, Ord, Show)
  deriving anyclass (Wire)

newtype ByTemplate = ByTemplate Int
  deriving stock (Eq, Ord, Show)

deriveWire defaultOptions ''ByTemplate

newtype Unwrapped = Unwrapped {getUnwrapped :: Text}
  deriving stock (Eq, Ord, Show)

deriveWire defaultOptions {unwrapUnaryRecords = True} ''Unwrapped

-- | Its keys are its own.
newtype Hand = Hand Text
  deriving stock (Eq, Ord, Show)

instance Wire Hand where
  codec =
    ( plain
        (opaque "hand")
        (contramapWriter inner jsonW)
        (Hand <$> jsonR)
        (contramapWriter inner mpackW)
        (Hand <$> mpackR)
        (contramapWriter inner cborW)
        (Hand <$> cborR)
        (contramapWriter inner nativeW)
        (Hand <$> nativeR)
    )
      { codecKey =
          TextKey
            (\(Hand t) -> T.append "hand-" t)
            ( maybe (Left "expected hand-") (Right . Hand)
                . T.stripPrefix "hand-"
            )
      }
    where
      inner (Hand t) = t

newtype OverHand = OverHand Hand
  deriving stock (Eq, Generic, Ord, Show)
  deriving anyclass (Wire)

newtype TemplateOverHand = TemplateOverHand Hand
  deriving stock (Eq, Ord, Show)

deriveWire defaultOptions ''TemplateOverHand

data Colour = Red | Green
  deriving stock (Eq, Generic, Ord, Show)
  deriving anyclass (Wire)

tests :: TestTree
tests =
  testGroup
    "collections"
    [ both "Set" (Set.fromList <$> arbitrary @[Int]),
      both "Set of text" (Set.fromList <$> listOf text),
      both "IntSet" (IntSet.fromList <$> arbitrary),
      both "IntMap" (IntMap.fromList <$> arbitrary @[(Int, Bool)]),
      both "Seq" (Seq.fromList <$> arbitrary @[Int]),
      both "HashSet" (HashSet.fromList <$> arbitrary @[Int]),
      both "Tree" trees,
      both "NonEmpty" ((:|) <$> arbitrary @Int <*> arbitrary),
      both "lazy Text" (TL.fromStrict <$> text),
      both "ShortText" (Short.fromText <$> text),
      both "Natural" (fromInteger . abs <$> arbitrary :: Gen Natural),
      both "Array" (fromList <$> arbitrary :: Gen (Array Int)),
      both "SmallArray" (smallArrayFromList <$> arbitrary :: Gen (SmallArray (Maybe Bool))),
      both "PrimArray" (primArrayFromList <$> arbitrary :: Gen (PrimArray Int)),
      both "primitive vector" (VP.fromList <$> arbitrary @[Word8]),
      both "Identity" (Identity <$> arbitrary @Int),
      both "Const" (Const <$> text :: Gen (Const Text Int)),
      both "Compose" (Compose <$> arbitrary :: Gen (Compose [] Maybe Int)),
      both
        "Product"
        ( Functor.Pair <$> arbitrary <*> arbitrary ::
            Gen (Functor.Product [] Maybe Int)
        ),
      both
        "Sum of functors"
        ( oneof [Functor.InL <$> arbitrary, Functor.InR <$> arbitrary] ::
            Gen (Functor.Sum [] Maybe Int)
        ),
      laws "Down" (Down <$> arbitrary @Int),
      laws "Alt" (Monoid.Alt <$> arbitrary @(Maybe Int)),
      laws "Ap" (Monoid.Ap <$> arbitrary @[Int]),
      both "Min" (Semigroup.Min <$> arbitrary @Int),
      both "Max" (Semigroup.Max <$> arbitrary @Int),
      both "First, of a semigroup" (Semigroup.First <$> arbitrary @Int),
      both "Last, of a semigroup" (Semigroup.Last <$> arbitrary @Int),
      both "WrappedMonoid" (Semigroup.WrapMonoid <$> arbitrary @[Int]),
      both "First" (Monoid.First <$> arbitrary @(Maybe Int)),
      both "Last" (Monoid.Last <$> arbitrary @(Maybe Int)),
      both "Dual" (Monoid.Dual <$> arbitrary @Int),
      laws "Sum" (Monoid.Sum <$> arbitrary @Int),
      laws "All" (Monoid.All <$> arbitrary),
      both "Ordering" (arbitrary @Ordering),
      both "Proxy" (pure (Proxy @Int)),
      both "Version" versions,
      both
        "a tuple of 8"
        ( (,,,,,,,)
            <$> arbitrary @Int
            <*> text
            <*> arbitrary @Bool
            <*> arbitrary @Int
            <*> arbitrary @Int
            <*> arbitrary @(Maybe Int)
            <*> text
            <*> arbitrary @()
        ),
      both
        "a tuple of 15"
        ( (,,,,,,,,,,,,,,)
            <$> arbitrary @Int
            <*> text
            <*> arbitrary @Bool
            <*> arbitrary @Int
            <*> arbitrary @Int
            <*> arbitrary @Int
            <*> arbitrary @Int
            <*> arbitrary @Int
            <*> arbitrary @Int
            <*> arbitrary @Int
            <*> arbitrary @Int
            <*> arbitrary @Int
            <*> arbitrary @Int
            <*> arbitrary @Int
            <*> text
        ),
      testCase "nothing is a Void" $
        assertBool
          ""
          ( refused (decodeJson @Void "[]")
              && refused (decodeMessagePack @Void "\x90")
              && refused (decodeNative @Void "\0")
          ),
      testCase "a set is read in any order, but from the native format" $ do
        decodeJson "[3,1,2,1]" @?= Right (Set.fromList [1, 2, 3 :: Int])
        decodeMessagePack "\x93\3\1\2" @?= Right (Set.fromList [1, 2, 3 :: Int])
        assertBool "order" (refused (decodeNative @(Set.Set Word8) "\2\2\1"))
        assertBool "repeated" (refused (decodeNative @(Set.Set Word8) "\2\1\1")),
      testCase "shapes" $ do
        renderShape (shapeOf @(Set.Set Word8)) @?= "set (integer 0..255)"
        encodeJson (jsonSchema (shapeOf @(Set.Set Bool)))
          @?= "{\"$schema\":\"https://json-schema.org/draft/2020-12/schema\",\"type\":\"array\"\
              \,\"items\":{\"type\":\"boolean\"},\"uniqueItems\":true}",
      keys
    ]

keys :: TestTree
keys =
  testGroup
    "keys"
    [ object' "a newtype by generics" [(ByGenerics "x", 1)] "{\"x\":1}",
      object' "a newtype by templates" [(ByTemplate 5, 1)] "{\"5\":1}",
      object' "an unwrapped record" [(Unwrapped {getUnwrapped = "x"}, 1)] "{\"x\":1}",
      object' "a key by hand" [(Hand "x", 1)] "{\"hand-x\":1}",
      object'
        "a newtype by generics, over a key by hand"
        [(OverHand (Hand "x"), 1)]
        "{\"hand-x\":1}",
      object'
        "a newtype by templates, over a key by hand"
        [(TemplateOverHand (Hand "x"), 1)]
        "{\"hand-x\":1}",
      object' "names" [(Red, 1), (Green, 2)] "{\"Red\":1,\"Green\":2}",
      object' "of another kind" [((1 :: Int, True), 1)] "[[[1,true],1]]",
      beside "Int" (arbitrary @Int),
      beside "Integer" (arbitrary @Integer),
      beside "Bool" (arbitrary @Bool),
      beside "Double" (arbitrary @Double),
      beside "Float" (arbitrary @Float),
      beside "Char" (arbitrary @Char `suchThat` (\c -> c < '\xd800' || c > '\xdfff')),
      beside "Version" versions,
      beside "Identity" (Identity <$> arbitrary @Int),
      testGroup
        "one text for a value"
        [ testCase
            (show key)
            ( assertBool
                (show key)
                ( refused
                    ( decodeJson
                        @(Map Int Bool)
                        (BC.concat ["{\"", key, "\":true}"])
                    )
                )
            )
          | key <- [" 1", "1 ", "\\n1\\t", "1.0", "1e0", "01", "-0", "+1", ""]
        ],
      testCase "a key of truth" $
        assertBool "" (refused (decodeJson @(Map Bool Bool) "{\" true\":true}")),
      testCase "limits that were raised, and lowered" $ do
        let digits = BC.replicate 5000 '7'
            input = BC.concat ["{\"", digits, "\":true}"]
        assertBool "by default" (refused (decodeJson @(Map Integer Bool) input))
        fmap
          Map.size
          ( decodeJsonWith defaultLimits {maxDigits = 5000} input ::
              Either Error (Map Integer Bool)
          )
          @?= Right 1
        assertBool
          "lowered"
          ( refused
              ( decodeJsonWith defaultLimits {maxDigits = 3} "{\"1234\":true}" ::
                  Either Error (Map Integer Bool)
              )
          )
    ]
  where
    object' :: (Ord k, Wire k) => TestName -> [(k, Int)] -> ByteString -> TestTree
    object' name pairs expected = testCase name $ do
      encodeJson (Map.fromList pairs) @?= expected
      fmap Map.toList (decodeJson expected) @?== Map.toList (Map.fromList pairs)
    found @?== expected =
      either (assertFailure . show) (\got -> assertBool "the pairs differ" (got == expected)) found

-- | In each format, and beside aeson.
both ::
  forall a.
  (Wire a, Aeson.FromJSON a, Aeson.ToJSON a, Eq a, Show a) =>
  TestName ->
  Gen a ->
  TestTree
both name values =
  testGroup name [laws name (resize 12 values), sameAsAeson name (resize 12 values)]

-- | As the keys of a map.
beside ::
  (Wire k, Ord k, Show k, Aeson.ToJSONKey k, Aeson.FromJSONKey k) => TestName -> Gen k -> TestTree
beside name values =
  testProperty (name <> ", beside aeson")
    . forAll
      ( resize
          8
          ( Map.fromList
              <$> listOf ((,) <$> values <*> arbitrary @Bool)
          )
      )
    $ \m ->
      conjoin
        [ counterexample "aeson reads it" (Aeson.decodeStrict (encodeJson m) === Just m),
          counterexample "aeson's is read" (decodeJson (BL.toStrict (Aeson.encode m)) === Right m)
        ]

refused :: Either Error a -> Bool
refused = either (const True) (const False)

-- | Without what aeson writes in another way: backspace and form feed.
text :: Gen Text
text =
  T.pack
    <$> arbitrary `suchThat` all (\c -> c /= '\b' && c /= '\f' && (c < '\xd800' || c > '\xdfff'))

trees :: Gen (Tree Int)
trees =
  sized $ \n ->
    Node <$> arbitrary <*> (choose (0, min 3 n) >>= \k -> vectorOf k (resize (n `div` 2) trees))

versions :: Gen Version
versions = makeVersion <$> listOf1 (choose (0, 1000))
