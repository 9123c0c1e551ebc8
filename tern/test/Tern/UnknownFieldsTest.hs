{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE TemplateHaskell #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Types that refuse fields that they do not have, in every format with names.
--
-- >   value --> document --> the same with a field too many, anywhere --> refused, by its name
-- >                |
-- >                v
-- >           in any order  --> value
--
-- No object of the documents here is a map with keys of its own, so that each place is one
-- where a field can be too many.
module Tern.UnknownFieldsTest (tests) where

import Data.ByteString (ByteString)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Tern
import Tern.Codec ((<+>), (<.>))
import Tern.Codec qualified as Codec
import Tern.Value (Value (..), members, numberFromInteger, object)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

-- * Types

data Bird = Bird {name :: Text, wings :: Int, note :: Maybe Text, ringedByTheObservatory :: Int}
  deriving stock (Eq, Show)

data Shape
  = Circle {radius :: Int, filled :: Maybe Bool}
  | Square Int
  | Pair Int Text
  | Empty
  | Nested Shape
  | Perched Bird
  deriving stock (Eq, Show)

data Apart = Alone {left :: Int} | Together Int Int
  deriving stock (Eq, Show)

data Place = Place
  { bird ::
      Bird,
    shapes :: [Shape],
    apart :: Maybe Apart,
    alsoApart :: Maybe Twin,
    inner :: Maybe Place
  }
  deriving stock (Eq, Show)

data Twin = Twin {first :: Int} | Other Int
  deriving stock (Eq, Show)

deriveWire defaultOptions {rejectUnknownFields = True} ''Bird
deriveWire defaultOptions {rejectUnknownFields = True} ''Shape
deriveWire defaultOptions {rejectUnknownFields = True, sumEncoding = ObjectWithSingleField} ''Apart
deriveWire defaultOptions {rejectUnknownFields = True, sumEncoding = TwoElemArray} ''Twin
deriveWire defaultOptions {rejectUnknownFields = True, omitNothingFields = True} ''Place

-- | The same by hand.
birds :: Codec Bird
birds =
  Codec.object . Codec.rejectUnknownFields $
    Bird
      <$> Codec.field @"name" name codec
        <.> Codec.field @"wings" wings codec
        <.> Codec.field @"note" note codec
        <.> Codec.field @"ringedByTheObservatory" ringedByTheObservatory codec

forms :: Codec Shape
forms =
  Codec.oneOf
    ( \case
        Circle r f -> Codec.is @"Circle" (r, f)
        Square n -> Codec.is @"Square" n
        Pair n t -> Codec.is @"Pair" (n, t)
        Empty -> Codec.is @"Empty" ()
        Nested s -> Codec.is @"Nested" s
        Perched b -> Codec.is @"Perched" b
    )
    . Codec.rejectUnknownFields
    $ Codec.fields @"Circle"
      ( Circle
          <$> Codec.field @"radius" fst codec <.> Codec.field @"filled" snd codec
      )
      <+> Codec.contents @"Square" Square codec
      <+> Codec.contents @"Pair" (uncurry Pair) codec
      <+> Codec.constant @"Empty" Empty
      <+> Codec.contents @"Nested" Nested forms
      <+> Codec.contents @"Perched" Perched birds

-- | Records with integers for names.
data Numbered = Numbered {one :: Int, two :: Maybe Int}
  deriving stock (Eq, Show)

deriveWire
  defaultOptions
    { rejectUnknownFields =
        True,
      messagePackRecords = IntegerKeys (\i _ -> i + 10),
      cborRecords = IntegerKeys (\i _ -> i + 10)
    }
  ''Numbered

-- | More fields than a word has bits need nothing else; a record of one field is the
-- smallest.
newtype Least = Least {only :: Int}
  deriving stock (Eq, Show)

deriveWire defaultOptions {rejectUnknownFields = True} ''Least

-- * Tests

tests :: TestTree
tests =
  testGroup
    "fields that a type does not have are refused"
    [ testGroup
        "in random documents"
        ( concat
            [ anywhere
                "derived"
                (codec @Place),
              anywhere "a record by hand" birds,
              anywhere "a sum by hand" forms
            ]
        ),
      testGroup
        "in JSON"
        [ refused
            @Bird
            "after the last field"
            (bird' <> ",\"wing\":1}")
            (Error 60 [] (UnknownField "wing" birdNames)),
          refused
            @Bird
            "before the first"
            "{\"wing\":1,\"name\":\"\",\"wings\":1,\"note\":null,\"ringedByTheObservatory\":3}"
            (Error 1 [] (UnknownField "wing" birdNames)),
          refused
            @Bird
            "with white space and escapes"
            "{ \"na\\u006de\" : \"\" , \"win\\u0067\" : 1 }"
            (Error 21 [] (UnknownField "wing" birdNames)),
          refused @Bird
            "whose name is longer than any, and one that is a part"
            "{\"ringedByTheObservatory2\":1}"
            ( Error
                1
                []
                (UnknownField "ringedByTheObservatory2" birdNames)
            ),
          refused
            @Bird
            "of another spelling of capitals"
            "{\"Name\":1}"
            (Error 1 [] (UnknownField "Name" birdNames)),
          refused @Bird "without a name" "{\"\":1}" (Error 1 [] (UnknownField "" birdNames)),
          refused
            @Bird
            "before what is wrong within it"
            "{\"wing\":[}"
            (Error 1 [] (UnknownField "wing" birdNames)),
          refused
            @Least
            "in the smallest record"
            "{\"only\":1,\"more\":2}"
            (Error 10 [] (UnknownField "more" ["only"])),
          refused
            @Shape
            "after a tag without contents"
            "{\"tag\":\"Empty\",\"contents\":1}"
            (Error 15 [] (UnknownField "contents" ["tag"])),
          refused
            @Shape
            "before a tag without contents"
            "{\"contents\":1,\"tag\":\"Empty\"}"
            (Error 1 [] (UnknownField "contents" ["tag"])),
          refused
            @Shape
            "between a tag and its contents"
            "{\"tag\":\"Square\",\"x\":1,\"contents\":2}"
            (Error 16 [] (UnknownField "x" ["contents", "tag"])),
          refused
            @Shape
            "before a tag, with contents"
            "{\"x\":1,\"contents\":2,\"tag\":\"Square\"}"
            (Error 1 [] (UnknownField "x" ["contents", "tag"])),
          refused @Shape
            "beside a tag and a record's fields"
            "{\"tag\":\"Circle\",\"radius\":1,\"filled\":null,\"contents\":[]}"
            ( Error
                41
                []
                (UnknownField "contents" ["radius", "filled", "tag"])
            ),
          refused @Shape
            "before a tag, with a record's fields"
            "{\"radius\":1,\"x\":1,\"tag\":\"Circle\"}"
            ( Error
                12
                []
                (UnknownField "x" ["radius", "filled", "tag"])
            ),
          refused
            @Shape
            "in a sum within a sum"
            "{\"tag\":\"Nested\",\"contents\":{\"x\":0,\"tag\":\"Empty\"}}"
            (Error 28 [Key "contents"] (UnknownField "x" ["tag"])),
          accepted
            "with a tag that comes last"
            "{\"filled\":true,\"radius\":1,\"tag\":\"Circle\"}"
            (Circle 1 (Just True)),
          accepted
            "with contents before their tag"
            "{\"contents\":7,\"tag\":\"Square\"}"
            (Square 7),
          accepted "without contents, in white space" " { \"tag\" : \"Empty\" } " Empty,
          accepted
            "with a field twice, of which the last counts"
            "{\"tag\":\"Square\",\"contents\":7,\"contents\":8}"
            (Square 8),
          accepted
            "with escapes in its names"
            "{\"t\\u0061g\":\"Square\",\"c\\u006fntents\":7}"
            (Square 7)
        ],
      testGroup
        "in binary formats"
        [ testCase "integers as names" $ do
            decodeMessagePack @Numbered "\x82\x0a\x01\x0b\x02" @?= Right (Numbered 1 (Just 2))
            decodeMessagePack @Numbered "\x82\x0c\x01\x0a\x02"
              @?= Left (Error 1 [] (UnknownField "12" ["one", "two"]))
            decodeMessagePack @Numbered "\x82\x0a\x01\xa3one\x02"
              @?= Left (Error 3 [] (UnknownField "one" ["one", "two"]))
            decodeCbor @Numbered "\xa2\x0a\x01\x0b\x02" @?= Right (Numbered 1 (Just 2))
            decodeCbor @Numbered "\xbf\x0c\x01\x0a\x02\xff"
              @?= Left (Error 1 [] (UnknownField "12" ["one", "two"])),
          testCase "keys that are no names" $ do
            decodeMessagePack @Least "\x82\xa4only\x01\xc0\x02"
              @?= Left (Error 7 [] (Unexpected AString))
            decodeMessagePack @Least "\x82\xcf\xff\xff\xff\xff\xff\xff\xff\xff\x01\xa4only\x01"
              @?= Left (Error 1 [] (Unexpected AString))
            decodeCbor @Least "\xa2\x64only\x01\xf6\x02" @?= Left (Error 7 [] (Unexpected AString))
            decodeCbor @Least "\xbf\x64only\x01\x80\x02\xff"
              @?= Left (Error 7 [] (Unexpected AString)),
          testCase "names in chunks" $
            decodeCbor @Least "\xa2\x7f\x62on\x62ly\xff\x01\x7f\x62mo\x62re\xff\x02"
              @?= Left (Error 10 [] (UnknownField "more" ["only"]))
        ],
      testGroup
        "what is said of them"
        [ testCase "a name that is near" $
            either (renderError "{\"wigns\":1}") (T.pack . show) (decodeJson @Bird "{\"wigns\":1}")
              @?= "line 1, column 2, at $: the field \"wigns\" is not known here; did you mean \
                  \\"wings\"?",
          testCase "or those that there are" $
            renderReason (UnknownField "colour" birdNames)
              @?= "the field \"colour\" is not known here; expected \"name\", \"wings\", \
                  \\"note\" or \"ringedByTheObservatory\"",
          testCase "in bounded time and room" $
            assertBool
              "longer"
              ( T.length
                  ( renderReason
                      ( UnknownField
                          (T.replicate 100000 "x")
                          (replicate 10000 (T.replicate 10000 "x"))
                      )
                  )
                  < 2000
              )
        ],
      testCase "otherwise they are stepped over" $
        Codec.decodeJson
          ( Codec.object
              (Least <$> Codec.field @"only" only codec)
          )
          defaultLimits
          "{\"x\":[],\"only\":1,\"y\":2}"
          @?= Right (Least 1)
    ]
  where
    bird' = "{\"name\":\"\",\"wings\":1,\"note\":null,\"ringedByTheObservatory\":3"
    birdNames = ["name", "wings", "note", "ringedByTheObservatory"]
    refused :: forall a. (Eq a, Show a, Wire a) => String -> ByteString -> Error -> TestTree
    refused title document expected = testCase title (decodeJson @a document @?= Left expected)
    accepted title document expected = testCase title $ do
      decodeJson document @?= Right expected
      Codec.decodeJson forms defaultLimits document @?= Right expected

-- | A field too many at any place is refused by its name; fields in any order are read.
anywhere :: (Arbitrary a, Eq a, Show a) => String -> Codec a -> [TestTree]
anywhere title it =
  [ testProperty (title <> ", " <> format) $ \value ->
      withMaxSuccess 200 $ case decodeJson (Codec.encodeJson it value) of
        Left e -> counterexample (show e) False
        Right document ->
          forAll (shuffled document) $ \other ->
            forAll (withUnknown other) $ \(unknown, spoiled) ->
              conjoin
                [ read' (written other) === Right value,
                  counterexample (show (written spoiled)) $ case read' (written spoiled) of
                    Left (Error _ _ (UnknownField found _)) -> found === unknown
                    -- The one field of a sum that has no tag is its constructor.
                    Left (Error _ path reason)
                      | Key "apart" : _ <- reverse path,
                        reason
                          `elem` [ Unexpected
                                     AnObjectOfOne,
                                   Unexpected AMapOfOne,
                                   UnknownConstructor unknown ["Alone", "Together"]
                                 ] ->
                          property True
                    other' -> counterexample (show other') False
                ]
    | (format, written, read') <-
        [ ("JSON", encodeJson, Codec.decodeJson it defaultLimits),
          ("MessagePack", encodeMessagePack, Codec.decodeMessagePack it defaultLimits),
          ("CBOR", encodeCbor, Codec.decodeCbor it defaultLimits)
        ]
  ]

-- | The members of its objects in another order.
shuffled :: Value -> Gen Value
shuffled = \case
  Object o -> Object . object <$> (shuffle =<< mapM (traverse shuffled) (members o))
  Array vs -> Array <$> mapM shuffled vs
  other -> pure other

-- | With a member too many, of this name, in one of its objects.
withUnknown :: Value -> Gen (Text, Value)
withUnknown document = do
  unknown <-
    elements
      [ "x",
        "nam",
        "names",
        "Name",
        "wing",
        "tags",
        "contentsOf",
        "ringedByTheObservator",
        "ringedByTheObservatory ",
        "",
        "\955",
        "a\"b"
      ]
  place <- choose (0, objects document - 1)
  (,) unknown <$> inserted unknown place document

objects :: Value -> Int
objects = \case
  Object o -> 1 + sum (map (objects . snd) (members o))
  Array vs -> sum (fmap objects vs)
  _ -> 0

-- | In the object of a number, in the order in which they begin.
inserted :: Text -> Int -> Value -> Gen Value
inserted unknown place = \case
  Object o
    | place == 0 -> do
        at <- choose (0, length (members o))
        value <-
          elements
            [ Null,
              Number (numberFromInteger 1),
              Object (object [("name", Null)]),
              Array V.empty,
              String "tag"
            ]
        let (earlier, later) = splitAt at (members o)
        pure (Object (object (earlier <> [(unknown, value)] <> later)))
    | otherwise ->
        Object . object . zip (map fst (members o)) <$> inEach (place - 1) (map snd (members o))
  Array vs -> Array . V.fromList <$> inEach place (V.toList vs)
  other -> pure other
  where
    inEach n = \case
      [] -> pure []
      v : rest
        | n < objects v -> (: rest) <$> inserted unknown n v
        | otherwise -> (v :) <$> inEach (n - objects v) rest

-- * Values

instance Arbitrary Bird where
  arbitrary = Bird <$> words' <*> arbitrary <*> oneof [pure Nothing, Just <$> words'] <*> arbitrary

instance Arbitrary Shape where
  arbitrary = sized $ \n ->
    oneof $
      [ Circle
          <$> arbitrary
          <*> arbitrary,
        Square <$> arbitrary,
        Pair <$> arbitrary <*> words',
        pure Empty,
        Perched <$> arbitrary
      ]
        <> [Nested <$> resize (n `div` 2) arbitrary | n > 0]

instance Arbitrary Apart where
  arbitrary = oneof [Alone <$> arbitrary, Together <$> arbitrary <*> arbitrary]

instance Arbitrary Twin where
  arbitrary = oneof [Twin <$> arbitrary, Other <$> arbitrary]

instance Arbitrary Place where
  arbitrary =
    sized $ \n ->
      Place
        <$> arbitrary
        <*> resize 3 (listOf arbitrary)
        <*> arbitrary
        <*> arbitrary
        <*> (if n > 0 then resize (n `div` 3) arbitrary else pure Nothing)

words' :: Gen Text
words' = T.pack <$> listOf (elements "ab\"\\\955 ")
