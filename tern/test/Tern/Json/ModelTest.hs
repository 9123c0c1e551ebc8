{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Tern against the slow model, on documents of any shape.
--
-- > bytes --model--> Document
-- >   |                 |
-- >  Tern              the same?
-- >   v                 |
-- > Value ----view------+
module Tern.Json.ModelTest
  ( tests,
    value,
  )
where

import Data.Bifunctor (bimap)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Int (Int8)
import Data.Ratio (denominator, numerator)
import Data.Text qualified as T
import Data.Vector qualified as V
import Data.Word (Word32, Word64, Word8)
import GHC.Float (castDoubleToWord64, castFloatToWord32, castWord32ToFloat, castWord64ToDouble)
import Tern
import Tern.Json.Model (Document, Trouble)
import Tern.Json.Model qualified as Model
import Tern.Json.Noise
  ( ascii,
    cut,
    document,
    likely,
    mutated,
    noisy,
    numberText,
    quotes,
    stringPiece,
  )
import Tern.Json.Seeded (seeded)
import Tern.Value (Value)
import Tern.Value qualified as Value
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "against the model"
    [ testGroup
        "reading"
        [ seeded "documents" 4000 $ forAll document $ \d -> forAll (noisy d) $ \bytes ->
            conjoin [sameReading bytes, Model.readDocument 512 bytes === Right d],
          seeded "documents with faults" 20000 $
            forAll (mutated =<< noisy =<< document) sameReading,
          seeded "documents cut short" 3000 $ forAll (cut =<< noisy =<< document) sameReading,
          seeded "bytes that look like JSON" 20000 $ forAll (listOf likely) sameReading,
          seeded "any bytes" 3000 $ forAll (listOf arbitrary) sameReading,
          seeded "strings" 20000 $ forAll (quotes <$> listOf stringPiece) sameReading,
          seeded "numbers" 20000 $ forAll (ascii <$> numberText) sameReading,
          seeded "nearly numbers" 20000 $
            forAll (listOf (elements (ascii "+-0123456789.eE/:"))) sameReading,
          testGroup
            "levels, up to the limit and one more"
            [ testCase (show levels <> " of " <> frames) $
                assertEqual "" (Model.readDocument most bytes) (tern most bytes)
              | most <- [0, 1, 3, 512, 2000],
                levels <- [most - 1, most, most + 1],
                levels >= 0,
                (frames, bytes) <- nested levels
            ]
        ],
      testGroup
        "writing"
        [ seeded "documents" 4000 $ forAll document $ \d ->
            encodeJson (value d) === B.pack (Model.writeDocument d),
          seeded "what is read is written again" 4000 $ forAll document $ \d ->
            forAll (noisy d) $ \bytes ->
              fmap encodeJson (decodeJson (B.pack bytes) :: Either Error Value)
                === Right (B.pack (Model.writeDocument d)),
          testCase "half of a surrogate pair, which UTF-8 cannot say, is U+FFFD" $
            encodeJson ("a\xd800z\xdfff" :: String) @?= "\"a\xef\xbf\xbdz\xef\xbf\xbd\"",
          testCase "every character" $
            assertEqual
              ""
              []
              [ c
                | c <-
                    allCharacters,
                  encodeJson c /= B.pack (Model.writeDocument (Model.String [c])),
                  c < '\xd800' || c > '\xdfff'
              ]
        ],
      testGroup
        "numbers"
        [ seeded "doubles are written with the fewest digits" 4000 $
            forAll (castWord64ToDouble <$> bits64) $ \x ->
              encodeJson x === B.pack (Model.writeDocument (Model.realDocument x)),
          seeded "floats are written with the fewest digits" 4000 $
            forAll (castWord32ToFloat <$> bits32) $ \x ->
              encodeJson x === B.pack (Model.writeDocument (Model.realDocument x)),
          testCase "zero below zero keeps its sign" $
            (encodeJson (-0.0 :: Double), encodeJson (-0.0 :: Float), encodeJson (0 :: Double))
              @?= ("-0.0", "-0.0", "0.0"),
          seeded "doubles are read to the nearest" 10000 $ forAll numberText $ \text ->
            fmap castDoubleToWord64 (decodeJson (BC.pack text))
              === Right (castDoubleToWord64 (Model.nearest text)),
          seeded "floats are read to the nearest" 10000 $ forAll numberText $ \text ->
            fmap castFloatToWord32 (decodeJson (BC.pack text))
              === Right (castFloatToWord32 (Model.nearest text)),
          seeded "halfway between two doubles, and beside it" 2000 $ forAll halfway $ \text ->
            fmap castDoubleToWord64 (decodeJson (BC.pack text))
              === Right (castDoubleToWord64 (Model.nearest text)),
          seeded "Int" 10000 (integers @Int "Int"),
          seeded "Int8" 10000 (integers @Int8 "Int8"),
          seeded "Word8" 10000 (integers @Word8 "Word8"),
          seeded "Word" 10000 (integers @Word "Word"),
          seeded "Integer" 10000 $ forAll numberText $ \text ->
            fmap Just (decodeJson @Integer (BC.pack text)) `agrees` integerValue text
        ]
    ]

-- * Reading

-- | Both accept and understand the same, or both refuse for the same reason at
-- the same place. A backslash before a byte that begins no character is one
-- fault with two names.
sameReading :: [Word8] -> Property
sameReading bytes = case (tern 512 bytes, Model.readDocument 512 bytes) of
  (Left (at, Model.Escape), Left (at', Model.Bytes)) -> at + 1 === at'
  (ours, theirs) -> ours === theirs

tern :: Int -> [Word8] -> Either (Int, Trouble) Document
tern levels bytes =
  bimap trouble view (decodeJsonWith defaultLimits {maxDepth = levels} (B.pack bytes))

view :: Value -> Document
view = \case
  Value.Null -> Model.Null
  Value.Bool b -> Model.Bool b
  Value.Number n -> Model.Number (T.unpack (Value.renderNumber n))
  Value.String t -> Model.String (T.unpack t)
  Value.Array vs -> Model.Array (map view (V.toList vs))
  Value.Object o -> Model.Object (map (bimap T.unpack view) (Value.members o))

-- | The other way round.
value :: Document -> Value
value = \case
  Model.Null -> Value.Null
  Model.Bool b -> Value.Bool b
  Model.Number text -> maybe Value.Null Value.Number (Value.parseNumber (T.pack text))
  Model.String text -> Value.String (T.pack text)
  Model.Array ds -> Value.Array (V.fromList (map value ds))
  Model.Object members -> Value.Object (Value.object (map (bimap T.pack value) members))

trouble :: Error -> (Int, Trouble)
trouble (Error at _ reason) = (,) at $ case reason of
  UnexpectedEnd _ -> Model.Ends
  ControlCharacter -> Model.Control
  InvalidEscape -> Model.Escape
  InvalidUtf8 -> Model.Bytes
  LimitExceeded (TooDeep _) -> Model.Deep
  _ -> Model.Foreign

-- | As many levels, of arrays, of objects, of both, empty inside and not.
nested :: Int -> [(String, [Word8])]
nested levels =
  [ ("arrays", around "[" "1" "]"),
    ("objects", around "{\"a\":" "1" "}"),
    ( "empty arrays",
      if levels == 0
        then ascii "0"
        else
          concat (replicate (levels - 1) (ascii "["))
            <> ascii "[]"
            <> concat (replicate (levels - 1) (ascii "]"))
    ),
    ( "both",
      concat (take levels (cycle [ascii "[", ascii "{\"\":"]))
        <> ascii "\"\""
        <> concat (reverse (take levels (cycle [ascii "]", ascii "}"])))
    )
  ]
  where
    around open inside close =
      concat (replicate levels (ascii open))
        <> ascii inside
        <> concat (replicate levels (ascii close))

allCharacters :: [Char]
allCharacters = ['\0' .. '\x2fff'] <> ['\xd700' .. '\x107ff'] <> ['\x10ff00' ..]

-- * Numbers

bits64 :: Gen Word64
bits64 =
  oneof
    [ arbitraryBoundedRandom,
      subtract 2
        <$> choose (0, 4),
      near,
      castDoubleToWord64 <$> onTheEdge 52,
      fromIntegral <$> (arbitrary :: Gen Int)
    ]
  where
    -- About the powers of two, where the gap to one side is smaller.
    near = do
      power <- choose (0, 2047)
      off <- choose (-2, 2)
      pure (fromIntegral (power * 2 ^ (52 :: Int) + off :: Int))

bits32 :: Gen Word32
bits32 =
  oneof
    [ arbitraryBoundedRandom,
      subtract 2 <$> choose (0, 4),
      near,
      castFloatToWord32 <$> onTheEdge 23
    ]
  where
    near = do
      power <- choose (0, 255)
      off <- choose (-2, 2)
      pure (fromIntegral (power * 2 ^ (23 :: Int) + off :: Int))

-- | Of numbers that have this many bits after the first those that decimal digits meet exactly:
-- in the middle between two numbers of fewer digits, where the even one is written, and
-- where what rounds to them ends, which an odd significand does not own.
onTheEdge :: (RealFloat a) => Int -> Gen a
onTheEdge width = do
  exponent2 <- oneof [choose (-60, 0), choose (0, 12)]
  zeros <- choose (0, width)
  fraction <- choose (2 ^ width, 2 ^ (width + 1) - 1)
  pure (encodeFloat (fraction - fraction `mod` 2 ^ zeros) exponent2)

-- | The middle of two neighbouring doubles in all its digits, and numbers just
-- below and above it.
halfway :: Gen String
halfway = do
  word <- choose (0, 0x7feffffffffffffe) :: Gen Word64
  small <- choose (0, 2 ^ (53 :: Int))
  bits <- elements [word, small, 0]
  let middle =
        (toRational (castWord64ToDouble bits) + toRational (castWord64ToDouble (bits + 1))) / 2
      -- The denominator is a power of two, so it divides a power of ten.
      places = length (takeWhile (< denominator middle) (iterate (* 2) 1))
      mantissa = numerator middle * (10 ^ places `div` denominator middle)
  off <- elements [-1, 0, 1]
  -- What is off by one then stands far beyond the digits that are looked at.
  zeros <- elements [0, 3, 900]
  let k = fromIntegral (zeros :: Int) :: Int
  pure (show (mantissa * 10 ^ k + off) <> "e-" <> show (places + k))

-- | An integer, where a number is one.
integerValue :: String -> Maybe Integer
integerValue text
  | denominator exact == 1 = Just (numerator exact)
  | otherwise = Nothing
  where
    exact = Model.numberValue text

integers :: forall a. (Bounded a, Integral a, Show a, Wire a) => T.Text -> Property
integers name =
  forAll numberText $ \text -> case (integerValue text, decodeJson @a (BC.pack text)) of
    (Just n, result)
      | n >= toInteger (minBound @a),
        n <= toInteger (maxBound @a) ->
          fmap toInteger result === Right n
      | Left (Error 0 [] (OutOfRange name')) <- result -> name' === name
      -- More digits than an exact number may have.
      | Left (Error 0 [] (LimitExceeded (TooManyDigits _))) <- result ->
          property (length text > 4096)
    (Nothing, Left (Error 0 [] (Unexpected AnInteger))) -> property True
    -- It is neither an integer nor in range.
    (Nothing, Left (Error 0 [] (OutOfRange _))) ->
      property (abs (Model.numberValue text) > toRational (maxBound @a))
    (n, result) -> counterexample (show (n, result)) False

agrees :: Either Error (Maybe Integer) -> Maybe Integer -> Property
agrees result expected = case (result, expected) of
  (Right n, _) -> n === expected
  (Left (Error 0 [] (Unexpected AnInteger)), Nothing) -> property True
  (Left (Error 0 [] (LimitExceeded (TooManyDigits most))), Just n) -> property (abs n >= 10 ^ most)
  _ -> counterexample (show (result, expected)) False
