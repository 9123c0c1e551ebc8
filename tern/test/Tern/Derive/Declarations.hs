{-# LANGUAGE DefaultSignatures #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE TemplateHaskell #-}

-- | Types of every shape, declared once and spliced into the modules that
-- derive their instances in different ways; and what is asked of each.
module Tern.Derive.Declarations
  ( declarations,
    names,
    checks,
    packChecks,
    agree,
    sameAs,
    overwritten,
    Any (..),
  )
where

import Control.Exception (evaluate)
import Control.Monad (void, (<=<))
import Data.Aeson qualified as Aeson
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.ByteString.Unsafe (unsafeUseAsCStringLen)
import Data.Either (isLeft)
import Data.Int (Int8)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word64)
import Foreign.Marshal.Utils (fillBytes)
import GHC.Float (castWord32ToFloat, castWord64ToDouble)
import GHC.Generics
import Language.Haskell.TH
import Tern
import Tern.Cbor.Model qualified as Cbor
import Tern.Json.Model (Document, readDocument)
import Tern.Json.Model qualified as Model
import Tern.Json.Noise (noisy, shuffled)
import Tern.MessagePack.Model qualified as Pack
import Tern.Native.Described (typeOf)
import Tern.Native.Model qualified as Native
import Tern.Value (Value)
import Tern.Wire (shapeOf)
import Test.Tasty
import Test.Tasty.QuickCheck hiding (Fixed, Function)

-- | The declarations, without instances of codecs. The first constructor of a
-- recursive type ends the recursion.
declarations :: Q [Dec]
declarations =
  [d|
    data Fields = Fields
      { number ::
          !Int,
        name :: Text,
        flag :: Bool,
        ratio :: Double,
        maybeText :: Maybe Text,
        others :: [Int8]
      }
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any)

    data Optional = Optional {optionalA :: Maybe Int, optionalB :: Maybe [Maybe Bool]}
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any)

    data Lonely = Lonely {onlyField :: Integer}
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any)

    newtype Wrapped = Wrapped Text
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any)

    newtype Unwrapped = Unwrapped {unwrapped :: (Int, Char)}
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any)

    data Positional = Positional Int Text (Maybe Bool) ()
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any)

    data Trivial = Trivial
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any)

    data Colour = Red | DarkGreen | BLUE
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any)

    data Shape
      = Circle {radius :: Double}
      | Rectangle {width :: Double, height :: Double, label :: Maybe Text}
      | Polygon [(Int, Int)]
      | Segment Int Int
      | Nothing' {nothing' :: Char}
      | Point
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any)

    data Tree a = Leaf | Node (Tree a) a (Tree a)
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any)

    data Rose = Rose {value :: Word64, children :: Forest}
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any)

    data Forest = Forest [Rose] | Clearing
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any)

    data Term = Lit {(<\>) :: Float, (¬) :: Either Int Bool} | Term :+: Term | Term :\/ Int
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any)

    data Plain where
      PlainA :: Int -> Plain
      PlainB :: {plainMap :: Map Text Int, plainNonEmpty :: NonEmpty Ordering'} -> Plain
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any)

    data Ordering' = Less | Same | More
      deriving stock (Eq, Generic, Read, Show)
      deriving anyclass (Any)
    |]

-- | The types, each after those that it holds.
names :: [Name]
names =
  map
    mkName
    [ "Fields",
      "Optional",
      "Lonely",
      "Wrapped",
      "Unwrapped",
      "Positional",
      "Trivial",
      "Colour",
      "Shape",
      "Tree",
      "Ordering'",
      "Plain"
    ]

-- | A test for each type, in the module where this is spliced.
checks :: Q Exp
checks =
  listE
    ( [ [|agree $(stringE (nameBase n)) (Proxy :: Proxy $(conT n))|]
        | n <- filter (/= mkName "Tree") names <> map mkName ["Rose", "Forest", "Term"]
      ]
        <> [[|agree "Tree" (Proxy :: Proxy ($(conT (mkName "Tree")) Int))|]]
    )

-- | The same without aeson: of the binary formats alone.
packChecks :: Q Exp
packChecks =
  listE
    [ [|
        testGroup
          $(stringE (pprint t))
          [ packed
              (Proxy :: Proxy $(pure t)),
            native (Proxy :: Proxy $(pure t))
          ]
        |]
      | t <-
          AppT (ConT (mkName "Tree")) (ConT ''Int)
            : map ConT (filter (/= mkName "Tree") names <> map mkName ["Rose", "Forest", "Term"])
    ]

-- | Tern and aeson with the same options understand each other, and write the
-- same values.
agree ::
  forall a.
  (Any a, Eq a, Show a, Wire a, Aeson.ToJSON a, Aeson.FromJSON a) =>
  String ->
  Proxy a ->
  TestTree
agree name _ =
  testGroup
    name
    [ testProperty "decode after encode" $ forAll any' $ \x ->
        decodeJson (encodeJson x) === Right x,
      testProperty "decode in every spelling and order" $ forAll any' $ \x ->
        -- Of what cannot be read by the model the first property complains.
        forAll
          ( either
              (const (pure []))
              (noisy <=< shuffled)
              (readDocument 512 (B.unpack (encodeJson x)))
          )
          $ \bytes ->
            decodeJson (B.pack bytes) === Right x,
      testProperty "what Tern writes, aeson reads" $ forAll any' $ \x ->
        -- Aeson does not read all that it writes (a unary record among several
        -- constructors, unwrapped); nobody could do better.
        Aeson.eitherDecodeStrict (encodeJson x)
          === (Aeson.eitherDecode (Aeson.encode x) :: Either String a),
      testProperty "what aeson writes, Tern reads" $ forAll any' $ \x ->
        decodeJson (BL.toStrict (Aeson.encode x)) === Right x,
      testProperty "both write the same value" $ forAll any' $ \x ->
        (decodeJson (encodeJson x) :: Either Error Value)
          === decodeJson (BL.toStrict (Aeson.encode x)),
      testProperty "MessagePack says what JSON says" $ forAll any' $ \x ->
        fmap mirrored (Pack.readDocument 512 (B.unpack (encodeMessagePack x)))
          === either (const Nothing) Just (readDocument 512 (B.unpack (encodeJson x))),
      testProperty "what was read does not look for its bytes again" $ forAll any' $ \x ->
        overwritten decodeJson (encodeJson x) x,
      packed (Proxy @a),
      concise (Proxy @a),
      native (Proxy @a)
    ]
  where
    any' = sized (arbitraryAny . min 12) :: Gen a

-- | Is the same value read where the bytes are something else afterwards? A field that
-- is put off would find that, or memory that is somebody else's.
overwritten :: (Eq a, Show a) => (B.ByteString -> Either Error a) -> B.ByteString -> a -> Property
overwritten decode bytes x = ioProperty $ do
  let copy = B.copy bytes
  result <- evaluate (decode copy)
  either (const (pure ())) (void . evaluate) result
  unsafeUseAsCStringLen copy (\(p, n) -> fillBytes p 0x7e n)
  pure (result === Right x)

-- | What holds of MessagePack whatever the options.
packed :: forall a. (Any a, Eq a, Show a, Wire a) => Proxy a -> TestTree
packed _ =
  testGroup
    "MessagePack"
    [ testProperty "decode after encode" $ forAll any' $ \x ->
        decodeMessagePack (encodeMessagePack x) === Right x,
      testProperty "decode in every format and order" $ forAll any' $ \x ->
        forAll
          ( maybe
              (pure [])
              (Pack.spelled <=< shuffledPairs)
              (Pack.readDocument 512 (B.unpack (encodeMessagePack x)))
          )
          $ \bytes ->
            decodeMessagePack (B.pack bytes) === Right x,
      testProperty "what was read does not look for its bytes again" $ forAll any' $ \x ->
        overwritten decodeMessagePack (encodeMessagePack x) x,
      testProperty "every format is the shortest" $ forAll any' $ \x ->
        fmap Pack.shortest (Pack.readDocument 512 (B.unpack (encodeMessagePack x)))
          === Just (B.unpack (encodeMessagePack x)),
      testProperty "what is cut off is refused" $ forAll any' $ \x ->
        let bytes = encodeMessagePack x
         in conjoin
              [ isLeft (decodeMessagePack (B.take n bytes) :: Either Error a)
                | n <- [0 .. B.length bytes - 1]
              ]
    ]
  where
    any' = sized (arbitraryAny . min 12) :: Gen a

-- | What holds of CBOR whatever the options.
concise :: forall a. (Any a, Eq a, Show a, Wire a) => Proxy a -> TestTree
concise _ =
  testGroup
    "CBOR"
    [ testProperty "decode after encode" $ forAll any' $ \x ->
        decodeCbor (encodeCbor x) === Right x,
      testProperty "decode in every encoding" $ forAll any' $ \x ->
        forAll
          ( maybe
              (pure [])
              Cbor.spelled
              (Cbor.readDocument 512 (B.unpack (encodeCbor x)))
          )
          $ \bytes ->
            decodeCbor (B.pack bytes) === Right x,
      testProperty "what was read does not look for its bytes again" $ forAll any' $ \x ->
        overwritten decodeCbor (encodeCbor x) x,
      testProperty "every item is the shortest" $ forAll any' $ \x ->
        fmap Cbor.shortest (Cbor.readDocument 512 (B.unpack (encodeCbor x)))
          === Just (B.unpack (encodeCbor x)),
      testProperty "what is cut off is refused" $ forAll any' $ \x ->
        let bytes = encodeCbor x
         in conjoin
              [ isLeft (decodeCbor (B.take n bytes) :: Either Error a)
                | n <- [0 .. B.length bytes - 1]
              ]
    ]
  where
    any' = sized (arbitraryAny . min 12) :: Gen a

-- | What holds of the native format whatever the options.
native :: forall a. (Any a, Eq a, Show a, Wire a) => Proxy a -> TestTree
native _ =
  testGroup
    "native"
    [ testProperty "decode after encode" $ forAll any' $ \x ->
        decodeNative (encodeNative x) === Right x,
      testProperty "what was read does not look for its bytes again" $ forAll any' $ \x ->
        overwritten decodeNative (encodeNative x) x,
      testProperty "the model reads it by the type's shape, and writes it so" $ forAll any' $ \x ->
        let bytes = B.unpack (encodeNative x)
            described = typeOf (shapeOf @a)
         in fmap (Native.written described) (Native.readDocument described bytes) === Just bytes,
      testProperty "what is cut off or goes on is refused" $ forAll any' $ \x ->
        let bytes = encodeNative x
         in conjoin
              [ isLeft (decodeNative part :: Either Error a)
                | part <- B.snoc bytes 0 : [B.take n bytes | n <- [0 .. B.length bytes - 1]]
              ],
      testProperty "other bytes are refused, or are another value's only document" $
        forAll any' $ \x ->
          forAll (altered (encodeNative x)) $ \bytes ->
            either (const bytes) encodeNative (decodeNative bytes :: Either Error a) === bytes
    ]
  where
    any' = sized (arbitraryAny . min 12) :: Gen a
    altered bytes = do
      i <- choose (0, B.length bytes - 1)
      b <- arbitrary
      pure (B.take i bytes <> B.cons b (B.drop (i + 1) bytes))

-- | The same maps, their pairs in another order.
shuffledPairs :: Pack.Item -> Gen Pack.Item
shuffledPairs = \case
  Pack.Array items -> Pack.Array <$> mapM shuffledPairs items
  Pack.Map pairs -> Pack.Map <$> (shuffle =<< mapM (traverse shuffledPairs) pairs)
  item -> pure item

-- | The JSON that a type writes where it writes this as MessagePack.
mirrored :: Pack.Item -> Document
mirrored = \case
  Pack.Nil -> Model.Null
  Pack.Bool b -> Model.Bool b
  Pack.Integer n -> Model.Number (show n)
  Pack.Bin bytes -> Model.Number (show (Pack.signed bytes))
  Pack.Single bits -> Model.realDocument (castWord32ToFloat (fromInteger bits))
  Pack.Double bits -> Model.realDocument (castWord64ToDouble (fromInteger bits))
  Pack.Str text -> Model.String text
  Pack.Array items -> Model.Array (map mirrored items)
  Pack.Map pairs -> Model.Object [(key, mirrored v) | (Pack.Str key, v) <- pairs]
  Pack.Ext _ _ -> Model.Null
  Pack.Time _ _ -> Model.Null

-- | Two derivations of the same declaration give the same bytes. The value
-- passes from one to the other by its text.
sameAs ::
  forall a b. (Any a, Show a, Wire a, Read b, Wire b) => String -> Proxy a -> Proxy b -> TestTree
sameAs name _ _ = testProperty name $ forAll (sized (arbitraryAny . min 12) :: Gen a) $ \x ->
  let y = read (show x) :: b
   in encodeJson x
        === encodeJson y
        .&&. encodeMessagePack x === encodeMessagePack y
        .&&. encodeCbor x === encodeCbor y
        .&&. encodeNative x === encodeNative y

-- * Arbitrary values, generically

-- | Values of a type, of a size.
class Any a where
  arbitraryAny :: Int -> Gen a
  default arbitraryAny :: (Generic a, GAny (Rep a)) => Int -> Gen a
  arbitraryAny n = to <$> gAny n

class GAny f where
  gAny :: Int -> Gen (f p)
  gLeaves :: Int -> [Gen (f p)]
  gLeaves n = [gAny n]

instance (GAny f) => GAny (D1 m f) where
  gAny n = M1 <$> if n <= 0 then oneof (take 1 (gLeaves n)) else oneof (gLeaves n)

instance (GAny f) => GAny (C1 m f) where
  gAny n = M1 <$> gAny n

instance (GAny f) => GAny (S1 m f) where
  gAny n = M1 <$> gAny n

instance (GAny f, GAny g) => GAny (f :+: g) where
  gAny n = oneof (gLeaves n)
  gLeaves n = map (fmap L1) (gLeaves n) <> map (fmap R1) (gLeaves n)

instance (GAny f, GAny g) => GAny (f :*: g) where
  gAny n = (:*:) <$> gAny n <*> gAny n

instance GAny U1 where
  gAny _ = pure U1

instance (Any a) => GAny (Rec0 a) where
  gAny n = K1 <$> arbitraryAny (n `div` 2)

instance Any Int where
  arbitraryAny _ =
    oneof [arbitrary, elements [minBound, maxBound], arbitrarySizedBoundedIntegral]

instance Any Int8 where arbitraryAny _ = arbitrarySizedBoundedIntegral

instance Any Word64 where arbitraryAny _ = arbitrarySizedBoundedIntegral

instance Any Integer where
  arbitraryAny _ =
    (*) <$> arbitrary <*> elements [1, 10 ^ (30 :: Int), 2 ^ (64 :: Int)]

instance Any Double where
  arbitraryAny _ =
    oneof [arbitrary, (/) . fromIntegral <$> (arbitrary :: Gen Int) <*> elements [1, 1e300, 1e-300]]

instance Any Float where arbitraryAny _ = arbitrary

instance Any Bool where arbitraryAny _ = arbitrary

instance Any Char where arbitraryAny _ = arbitraryUnicodeChar

instance Any () where arbitraryAny _ = pure ()

instance Any Text where
  arbitraryAny n =
    T.pack <$> resize n (listOf (oneof [arbitraryUnicodeChar, elements "\"\\/\b\n\0\x1f\x7fab"]))

instance (Any a) => Any [a] where arbitraryAny n = resize n (listOf (arbitraryAny (n `div` 2)))

instance (Any a) => Any (NonEmpty a) where
  arbitraryAny n =
    (:|) <$> arbitraryAny n <*> arbitraryAny n

instance (Any a) => Any (Maybe a) where
  arbitraryAny n =
    frequency [(1, pure Nothing), (3, Just <$> arbitraryAny n)]

instance (Any a, Any b) => Any (Either a b) where
  arbitraryAny n =
    oneof [Left <$> arbitraryAny n, Right <$> arbitraryAny n]

instance (Any a, Any b) => Any (a, b) where
  arbitraryAny n =
    (,) <$> arbitraryAny n <*> arbitraryAny n

instance (Any a) => Any (Map Text a) where arbitraryAny n = Map.fromList <$> arbitraryAny n
