{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Declared types as CBOR, by generics and by Template Haskell.
--
-- > value --encodeCbor--> bytes --model--> Item
-- >   |                                     | pairs moved about, written in any way
-- >  the same?                              v
-- >   +<---------decodeCbor--------------- bytes
--
-- And the document says what the type's JSON says.
module Tern.Cbor.DerivedTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as BL
import Data.Either (fromRight, isLeft)
import Data.Int (Int8)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Tern
import Tern.Cbor.Model (Item (Array, Integer, Tag, Text))
import Tern.Cbor.Model qualified as Model
import Tern.Cbor.ModelTest (item)
import Tern.Cbor.Value (diagnostic, toJson)
import Tern.Cbor.Value qualified as Value
import Tern.Json.Seeded (seeded)
import Tern.Stream (Decoder, Sequence (..), decodeLazy, decoder, encodeLazy)
import Tern.Value qualified as Json
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (Fixed, label)

-- * Types

data Fields = Fields
  { number ::
      Int,
    name :: Text,
    flag :: Bool,
    perhaps :: Maybe Text,
    others :: [Int8]
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Sum = Leaf | Node Sum Int Sum | Named {inner :: Fields, again :: Maybe Sum} | One Sum
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Colour = Red | DarkGreen | BLUE
  deriving stock (Bounded, Enum, Eq, Generic, Show)
  deriving anyclass (Wire)

newtype Wrapped = Wrapped (Map Text Colour)
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data Positional = Positional Int Text [Colour]
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

data TFields = TFields
  { tNumber ::
      Int,
    tName :: Text,
    tFlag :: Bool,
    tPerhaps :: Maybe Text,
    tOthers :: [Int8]
  }
  deriving stock (Eq, Show)

data Numbered = Numbered {first :: Int, second :: Maybe Text, third :: Bool}
  deriving stock (Eq, Show)

data Placed = Placed {left :: Int, right :: Maybe Text}
  deriving stock (Eq, Show)

data Alone = Alone1 Int | Alone2 {field1 :: Bool, field2 :: Int} | Alone3
  deriving stock (Eq, Show)

data Pairs = Pairs1 Int | Pairs2 {fieldA :: Bool, fieldB :: Maybe Int} | Pairs3
  deriving stock (Eq, Show)

deriveWire
  defaultOptions
    { fieldLabelModifier =
        \case
          't' : c : rest ->
            (if c == 'N' then 'n' else if c == 'F' then 'f' else if c == 'P' then 'p' else 'o')
              : rest
          other -> other
    }
  ''TFields
deriveWire
  defaultOptions
    { cborRecords =
        IntegerKeys (\place _ -> 30 - 25 * place),
      omitNothingFields = True
    }
  ''Numbered
deriveWire defaultOptions {cborRecords = Positions} ''Placed
deriveWire defaultOptions {sumEncoding = ObjectWithSingleField} ''Alone
deriveWire defaultOptions {sumEncoding = TwoElemArray, omitNothingFields = True} ''Pairs

-- * Tests

tests :: TestTree
tests =
  testGroup
    "CBOR, declared types"
    [ lawful "a record" (says fields),
      lawful "a sum" (says sums),
      lawful "constructors without fields" (says (elements [minBound .. maxBound] :: Gen Colour)),
      lawful
        "a newtype of a map"
        ( says
            ( Wrapped . Map.fromList
                <$> listOf ((,) <$> text <*> elements [minBound .. maxBound])
            )
        ),
      lawful
        "fields without names"
        ( says
            ( Positional
                <$> arbitrary
                <*> text
                <*> listOf (elements [minBound .. maxBound])
            )
        ),
      lawful "by Template Haskell" (says tFields),
      lawful "with integer keys" (Numbered <$> arbitrary <*> optional <*> arbitrary),
      lawful "by position" (Placed <$> arbitrary <*> optional),
      lawful
        "a sum as a map of one pair"
        ( says
            ( oneof
                [ Alone1
                    <$> arbitrary,
                  Alone2 <$> arbitrary <*> arbitrary,
                  pure Alone3
                ]
            )
        ),
      lawful
        "a sum as an array of two"
        ( says
            ( oneof
                [ Pairs1
                    <$> arbitrary,
                  Pairs2 <$> arbitrary <*> arbitrary,
                  pure Pairs3
                ]
            )
        ),
      seeded "generics and Template Haskell write the same" 500 $ forAll fields $ \x ->
        encodeCbor x === encodeCbor (TFields (number x) (name x) (flag x) (perhaps x) (others x)),
      testGroup
        "as documents show it"
        [ shows'
            "a record"
            (Fields 1 "a" True Nothing [-1])
            "{\"number\": 1, \"name\": \"a\", \"flag\": true, \"perhaps\": null, \"others\": [-1]}",
          shows' "integer keys" (Numbered 7 Nothing True) "{30: 7, -20: true}",
          shows' "positions" (Placed 7 Nothing) "[7, null]",
          shows'
            "a tag"
            (Node Leaf 5 Leaf)
            "{\"tag\": \"Node\", \"contents\": [{\"tag\": \"Leaf\"}, 5, {\"tag\": \"Leaf\"}]}",
          shows' "one pair" (Alone2 True 1) "{\"Alone2\": {\"field1\": true, \"field2\": 1}}",
          shows' "two elements" (Pairs2 True Nothing) "[\"Pairs2\", {\"fieldA\": true}]"
        ],
      testGroup
        "errors"
        [ fails
            "a field of another type"
            "\xa1\x66number\x61x"
            "byte 8, at $.number: expected an integer, found 61 78",
          fails
            "in a map without a length"
            "\xbf\x66number\x61x\xff"
            "byte 8, at $.number: expected an integer, found 61 78 ff",
          fails
            "a missing field"
            "\xa1\x66number\x01"
            "byte 0, at $: the field \"name\" is missing",
          fails "an array" "\x80" "byte 0, at $: expected a map, found 80",
          fails "a tag" "\xc1\xa0" "byte 0, at $: expected a map, found c1 a0",
          fails "a break" "\xa1\x66number\xff" "byte 8, at $.number: expected an integer, found ff",
          fails
            "too much claimed"
            "\xbb\xff\xff\xff\xff\xff\xff\xff\xff"
            "byte 0, at $: claims 9223372036854775807 bytes or values, but only 0 bytes are left"
        ],
      testCase "undefined is nothing" $ decodeCbor "\x82\x07\xf7" @?= Right (Placed 7 Nothing),
      testCase "a field twice, in chunks and not, is the last of them" $
        decodeCbor "\xa4\x65\&third\xf4\x00\x00\x18\x1e\x01\x38\x13\xf5"
          @?= Right (Numbered 1 Nothing True),
      testCase "keys in chunks" $ do
        decodeCbor "\xa1\x7f\x64\&Alon\x61\&e\x60\x61\&1\xff\x05" @?= Right (Alone1 5)
        decodeCbor "\xbf\x7f\x62ta\x61g\xff\x7f\x64Leaf\xff\xff" @?= Right Leaf,
      testGroup
        "values of any shape"
        [ seeded "as CBOR they are themselves" 500 $ forAll anyValue $ \v ->
            (encodeCbor v, decodeCbor (encodeCbor v)) === (Value.encodeValue v, Right v),
          seeded "in other formats they are read again" 500 $ forAll anyValue $ \v ->
            conjoin
              [ counterexample "native" (decodeNative (encodeNative v) === Right v),
                counterexample
                  "JSON"
                  ( not
                      ( isLeft
                          (decodeJson (encodeJson v) :: Either Error Value.Value)
                      )
                  ),
                counterexample
                  "MessagePack"
                  ( not
                      ( isLeft
                          ( decodeMessagePack (encodeMessagePack v) ::
                              Either Error Value.Value
                          )
                      )
                  )
              ],
          seeded "what is JSON is the same as CBOR" 500 $ forAll sums $ \x ->
            case decodeJson (encodeJson x) ::
                   Either
                     Error
                     Json.Value of
              Right json -> decodeCbor (encodeCbor json) === Right json
              Left failure -> counterexample (show failure) False
        ],
      testGroup
        "sequences"
        [ seeded "written, they are items one after the other" 300 $ forAll (listOf sums) $ \xs ->
            BL.toStrict (encodeLazy CborValues xs) === B.concat (map encodeCbor xs),
          seeded "read in chunks of any size" 500 $
            forAll (listOf (spelledAs =<< sums)) $ \documents ->
              forAll (choose (1, 40)) $ \size ->
                fmap
                  (fmap encodeCbor)
                  ( decodeLazy
                      (decoder CborValues defaultLimits :: Decoder Sum)
                      (BL.fromChunks (chunks size (B.concat documents)))
                  )
                  === map
                    ( either (error . show) (Right . encodeCbor)
                        . (decodeCbor :: ByteString -> Either Error Sum)
                    )
                    documents
        ]
    ]
  where
    shows' :: (Wire a) => TestName -> a -> Text -> TestTree
    shows' label x expected = testCase label (diagnostic (encodeCbor x) @?= Right expected)
    fails label input expected = testCase label $ case decodeCbor input :: Either Error Fields of
      Left failure -> renderBinaryError input failure @?= expected
      Right _ -> assertFailure "accepted"
    anyValue = fromItem <$> resize 15 item
    fromItem i = fromRight Value.Null (Value.decodeValue (B.pack (Model.shortest i)))
    chunks size bytes =
      if B.null bytes
        then []
        else let (a, b) = B.splitAt size bytes in a : chunks size b

-- | A generator for a type whose CBOR says what its JSON says.
data Lawful a = Says (Gen a) | Own (Gen a)

says :: Gen a -> Lawful a
says = Says

class Lawfully g where
  lawful :: (Eq a, Show a, Wire a) => TestName -> g a -> TestTree

instance Lawfully Gen where
  lawful label = lawful label . Own

instance Lawfully Lawful where
  lawful label how =
    testGroup label $
      [ seeded "written and read" 300 $ forAll gen $ \x -> decodeCbor (encodeCbor x) === Right x,
        seeded "in the preferred serialization" 300 $ forAll gen $ \x ->
          fmap Model.shortest (Model.readDocument 512 (B.unpack (encodeCbor x)))
            === Just (B.unpack (encodeCbor x)),
        seeded "read in any order and encoding" 1000 $ forAll gen $ \x ->
          forAll (spelledAs x) $ \bytes ->
            counterexample (show bytes) (decodeCbor bytes === Right x),
        seeded "cut short anywhere it is refused" 100 $ forAll gen $ \x ->
          forAll (spelledAs x) $ \bytes ->
            conjoin
              [ counterexample (show n) (isLeft (decodeCbor (B.take n bytes) `asTypeOf` Right x))
                | n <- [0 .. B.length bytes - 1]
              ]
      ]
        <> [ seeded "says what its JSON says" 300 $ forAll gen $ \x ->
               (toJson <$> Value.decodeValue (encodeCbor x))
                 === ((,[]) <$> (decodeJson (encodeJson x) :: Either Error Json.Value))
             | Says _ <- [how]
           ]
    where
      gen = case how of
        Says g -> g
        Own g -> g

-- | In any encoding, with the pairs of maps in any order and unknown ones among those
-- of maps that have more than one.
spelledAs :: (Wire a) => a -> Gen ByteString
spelledAs x = case Model.readDocument 512 (B.unpack (encodeCbor x)) of
  Nothing -> pure B.empty
  Just i -> B.pack <$> (Model.spelled =<< moved i)
  where
    moved = \case
      Array items -> Array <$> mapM moved items
      Tag n i -> Tag n <$> moved i
      Model.Map pairs -> do
        inside <- mapM (\(k, v) -> (,) k <$> moved v) pairs
        strangers <-
          if any ((`elem` known) . fst) pairs
            then
              resize
                2
                ( listOf
                    ( (,)
                        <$> elements
                          [ Text
                              "unknown",
                            Integer 1000,
                            Array [],
                            Text "ta",
                            Tag 1 (Integer 0)
                          ]
                        <*> resize 5 item
                    )
                )
            else pure []
        Model.Map <$> shuffle (inside <> strangers)
      other -> pure other
    known = [Text "tag", Text "number", Integer 30]

fields :: Gen Fields
fields = Fields <$> arbitraryBoundedIntegral <*> text <*> arbitrary <*> optional <*> arbitrary

tFields :: Gen TFields
tFields = TFields <$> arbitraryBoundedIntegral <*> text <*> arbitrary <*> optional <*> arbitrary

sums :: Gen Sum
sums = sized (go . min 12)
  where
    go :: Int -> Gen Sum
    go n
      | n <= 0 = pure Leaf
      | otherwise =
          oneof
            [ pure Leaf,
              Node
                <$> go (n `div` 2)
                <*> arbitrary
                <*> go (n `div` 2),
              Named <$> resize 5 fields <*> oneof [pure Nothing, Just <$> go (n - 1)],
              One <$> go (n - 1)
            ]

text :: Gen Text
text = T.pack <$> resize 8 (listOf (elements "abc\xe9\x1f426"))

optional :: Gen (Maybe Text)
optional = oneof [pure Nothing, Just <$> text]
