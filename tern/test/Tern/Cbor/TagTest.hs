{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Values with tags, and what holds values, by their codecs.
module Tern.Cbor.TagTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Either (isLeft)
import Data.List.NonEmpty (NonEmpty (..))
import Data.Set qualified as Set
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Tern.Cbor.Value (Value, decodeValue, encodeValue)
import Tern.Cbor.Value qualified as Value
import Tern.Error (Error (..), Expected (..), Reason (..), Segment (..))
import Tern.Internal.Binary.Container
  ( eitherR,
    eitherW,
    exactly,
    listR,
    listW,
    maybeR,
    maybeW,
    nonEmptyR,
    pairsR,
    pairsW,
    unitR,
    unitW,
    vectorR,
    vectorW,
  )
import Tern.Internal.Binary.Scalar (integerStep, integerW)
import Tern.Internal.Cbor.Codec (Cbor)
import Tern.Internal.Cbor.Document (decodeWith, encodeWith)
import Tern.Internal.Cbor.Read qualified as Read
import Tern.Internal.Cbor.Tag
  ( Fraction (..),
    bigFloatR,
    bigFloatW,
    dateTimeR,
    dateTimeW,
    decimalFractionR,
    decimalFractionW,
    embeddedR,
    embeddedW,
    epochR,
    epochW,
    isDateTime,
    setR,
    setW,
    uriR,
    uriW,
  )
import Tern.Internal.Cbor.Write qualified as Write
import Tern.Internal.Read (Reader (..))
import Tern.Internal.Write (Writer)
import Tern.Json.Seeded (seeded)
import Tern.Limits (defaultLimits)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "CBOR codecs"
    [ testGroup
        "the RFC's own examples"
        [ testCase "a date and time" $
            both dateTimeW dateTimeR "2013-03-21T20:04:00Z" "\xc0\x74\&2013-03-21T20:04:00Z",
          testCase "seconds" $ both epochW epochR (Left 1363896240) "\xc1\x1a\x51\x4b\x67\xb0",
          testCase "seconds that are not whole" $
            both epochW epochR (Right 1363896240.5) "\xc1\xfb\x41\xd4\x52\xd9\xec\x20\x00\x00",
          testCase "2^64" $
            both
              (integerW @Cbor)
              (Reader (integerStep @Cbor))
              18446744073709551616
              "\xc2\x49\x01\0\0\0\0\0\0\0\0",
          testCase "-2^64 - 1" $
            both
              (integerW @Cbor)
              (Reader (integerStep @Cbor))
              (-18446744073709551617)
              "\xc3\x49\x01\0\0\0\0\0\0\0\0",
          testCase "273.15" $
            both decimalFractionW decimalFractionR (Fraction (-2) 27315) "\xc4\x82\x21\x19\x6a\xb3",
          testCase "1.5" $ both bigFloatW bigFloatR (Fraction (-1) 3) "\xc5\x82\x20\x03",
          testCase "an embedded document" $
            both (embeddedW textW) (embeddedR textR) "IETF" "\xd8\x18\x45\x64IETF",
          testCase "an address" $
            both uriW uriR "http://www.example.com" "\xd8\x20\x76http://www.example.com",
          testCase "a set" $
            both (setW intW) (setR intR) (Set.fromList [3, 1, 2]) "\xd9\x01\x02\x83\x01\x02\x03"
        ],
      testCase "a set without its tag, and with repeated elements" $ do
        reading (setR intR) "\x83\x02\x01\x02" @?= Right (Set.fromList [1, 2])
        reading (setR intR) "\xd9\x01\x02\x9f\x02\x01\x02\xff" @?= Right (Set.fromList [1, 2]),
      testCase "another tag is refused, and so is none" $ do
        reading uriR "\xc1\x61x" @?= Left (Error 0 [] (Unexpected ATag))
        reading uriR "\x61x" @?= Left (Error 0 [] (Unexpected ATag))
        reading intR "\xc1\x01" @?= Left (Error 0 [] (Unexpected AnInteger))
        reading (Reader (integerStep @Cbor)) "\xc1\x01" @?= Left (Error 0 [] (Unexpected AnInteger))
        reading (listR @Cbor (Reader (integerStep @Cbor))) "\x82\x00\xc2\x01"
          @?= Left (Error 3 [Index 1] (Unexpected ABinary)),
      testCase "an embedded document ends with its string" $ do
        reading (embeddedR intR) "\xd8\x18\x42\x01\x02" @?= Left (Error 4 [] TrailingInput)
        reading (embeddedR intR) "\xd8\x18\x41\x19\x00\x01"
          @?= Left (Error 3 [] (UnexpectedEnd AnInteger))
        reading (listR @Cbor (embeddedR (listR @Cbor intR))) "\x81\xd8\x18\x42\x81\x07"
          @?= Right [[7]],
      testGroup
        "dates and times"
        [ testCase (T.unpack text) (isDateTime text @?= fine)
          | (text, fine) <-
              [ ("1985-04-12T23:20:50.52Z", True),
                ("1996-12-19T16:39:57-08:00", True),
                ("1990-12-31T23:59:60Z", True),
                ("1990-12-31T15:59:60-08:00", True),
                ("1937-01-01T12:00:27.87+00:20", True),
                ("1937-01-01T12:00:27.+00:20", False),
                ("1937-01-01T12:00:27", False),
                ("1937-13-01T12:00:27Z", False),
                ("1937-00-01T12:00:27Z", False),
                ("1937-01-32T12:00:27Z", False),
                ("1937-01-01T24:00:27Z", False),
                ("1937-01-01T12:60:27Z", False),
                ("1937-01-01T12:00:61Z", False),
                ("1937-01-01 12:00:27Z", False),
                ("1937-01-01T12:00:27Z ", False),
                ("1937-01-01T12:00:27+24:00", False),
                ("1937-01-01T12:00:27+0100", False),
                ("1937-01-01T12:00:27+01:0\x661", False),
                ("", False)
              ]
        ],
      testGroup
        "integers of any size"
        [ seeded "written and read" 10000 $ forAll large $ \n ->
            reading (Reader (integerStep @Cbor)) (encodeWith (integerW @Cbor) n) === Right n,
          seeded "as the value's" 10000 $ forAll large $ \n ->
            encodeWith (integerW @Cbor) n === encodeValue (Value.integer n),
          seeded "with zeros before them, in chunks or not" 5000 $ forAll large $ \n ->
            forAll (choose (0, 20)) $ \zeros -> forAll (choose (0, 12)) $ \k ->
              let magnitude =
                    B.replicate zeros 0 <> B.pack (reverse (digits (if n < 0 then -1 - n else n)))
                  tag = if n < 0 then 3 else 2
                  value = encodeValue (Value.Tag tag (Value.Bytes magnitude))
                  (a, b) = B.splitAt k magnitude
                  chunked =
                    B.concat
                      [ B.take
                          1
                          value,
                        "\x5f",
                        encodeValue (Value.Bytes a),
                        encodeValue (Value.Bytes b),
                        "\xff"
                      ]
               in conjoin
                    [ reading (Reader (integerStep @Cbor)) value
                        === Right n,
                      reading (Reader (integerStep @Cbor)) chunked === Right n
                    ]
        ],
      testGroup
        "what holds values"
        [ seeded "lists" 2000 $ \xs ->
            holds
              (listW @Cbor intW)
              (listR @Cbor intR)
              (xs :: [Int])
              ( Value.Array
                  . V.fromList
                  . map (Value.integer . toInteger)
              ),
          seeded "vectors" 2000 $ \xs ->
            holds
              (vectorW @Cbor intW)
              (vectorR @Cbor intR)
              (V.fromList xs)
              (Value.Array . V.map (Value.integer . toInteger)),
          seeded "maps" 2000 $ \xs ->
            holds
              (pairsW @Cbor intW boolW)
              (reverse <$> pairsR @Cbor intR boolR)
              xs
              ( Value.Map
                  . V.fromList
                  . map (\(k, v) -> (Value.integer (toInteger k), Value.Bool v))
              ),
          seeded "optional values" 1000 $ \x ->
            holds
              (maybeW @Cbor intW)
              (maybeR @Cbor intR)
              x
              (maybe Value.Null (Value.integer . toInteger)),
          seeded "either" 1000 $ \x ->
            holds
              (eitherW @Cbor intW boolW)
              (eitherR @Cbor intR boolR)
              x
              ( \e ->
                  Value.Map
                    ( V.singleton
                        ( either
                            (\n -> (Value.Text "Left", Value.integer (toInteger n)))
                            (\b -> (Value.Text "Right", Value.Bool b))
                            e
                        )
                    )
              ),
          testCase "undefined is no value too" $
            reading (listR @Cbor (maybeR @Cbor intR)) "\x83\xf6\xf7\x01"
              @?= Right [Nothing, Nothing, Just 1],
          testCase "an empty list" $ do
            reading (nonEmptyR @Cbor intR) "\x81\x01" @?= Right (1 :| [])
            isLeft (reading (nonEmptyR @Cbor intR) "\x80") @? "accepted"
            isLeft (reading (nonEmptyR @Cbor intR) "\x9f\xff") @? "accepted",
          testCase "an array of another length" $ do
            reading (exactly @Cbor 2 ((,) <$> intR <*> boolR)) "\x9f\x01\xf5\xff"
              @?= Right (1, True)
            reading (exactly @Cbor 2 ((,) <$> intR <*> boolR)) "\x9f\x01\xf5\x00\xff"
              @?= Left (Error 0 [] (Unexpected (AnArrayOf 2)))
            reading (exactly @Cbor 2 ((,) <$> intR <*> boolR)) "\x81\x01"
              @?= Left (Error 0 [] (Unexpected (AnArrayOf 2)))
            reading (unitR @Cbor) "\x9f\xff" @?= Right ()
            encodeWith (unitW @Cbor) () @?= "\x80",
          testCaseInfo "lists of each length" $ do
            let lengths = [0 .. 300] <> [65535, 65536]
            sequence_
              [ do
                  let ints = [i * i - 100 | i <- [1 .. n]]
                      texts = [T.replicate (i `mod` 7) "e" | i <- ints]
                  assertEqual
                    (show n)
                    ( encodeValue
                        ( Value.Array
                            (V.fromList (map (Value.integer . toInteger) ints))
                        )
                    )
                    (encodeWith (listW @Cbor intW) ints)
                  assertEqual
                    (show n)
                    ( encodeValue
                        (Value.Array (V.fromList (map Value.Text texts)))
                    )
                    (encodeWith (listW @Cbor textW) texts)
                  reading (listR @Cbor intR) (encodeWith (listW @Cbor intW) ints) @?= Right ints
                | n <- lengths
              ]
            pure (show (2 * length lengths) <> " cases ran")
        ]
    ]
  where
    large = (*) <$> arbitrary <*> elements [1, 10 ^ (30 :: Int), 2 ^ (55 :: Int), 2 ^ (64 :: Int)]
    digits n = if n == 0 then [] else fromInteger (n `mod` 256) : digits (n `div` 256)

reading :: Reader a -> ByteString -> Either Error a
reading reader = decodeWith reader defaultLimits

both :: (Eq a, Show a) => Writer a -> Reader a -> a -> ByteString -> Assertion
both writer reader a bytes = do
  encodeWith writer a @?= bytes
  reading reader bytes @?= Right a
  mapM_ (\n -> isLeft (reading reader (B.take n bytes)) @? show n) [0 .. B.length bytes - 1]

-- | Written as the value is, and read again from that, with lengths and without.
holds :: (Eq a, Show a) => Writer a -> Reader a -> a -> (a -> Value) -> Property
holds writer reader a value =
  conjoin
    [ decodeValue bytes === Right (value a),
      bytes === encodeValue (value a),
      reading reader bytes === Right a,
      reading reader (open (value a)) === Right a
    ]
  where
    bytes = encodeWith writer a
    -- The outermost frame goes on to a break.
    open = \case
      Value.Array vs -> B.concat (["\x9f"] <> map encodeValue (V.toList vs) <> ["\xff"])
      Value.Map pairs ->
        B.concat
          ( ["\xbf"]
              <> concat [[encodeValue k, encodeValue v] | (k, v) <- V.toList pairs]
              <> ["\xff"]
          )
      other -> encodeValue other

intW :: Writer Int
intW = Write.int

intR :: Reader Int
intR = Reader Read.int

boolW :: Writer Bool
boolW = Write.bool

boolR :: Reader Bool
boolR = Reader Read.bool

textW :: Writer Text
textW = Write.text

textR :: Reader Text
textR = Reader Read.text
