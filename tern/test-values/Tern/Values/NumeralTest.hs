{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | Numbers of documents: each comes out as it went in, and means what it says.
--
-- The model is a 'Rational' that is made of the text, by RFC 8259's grammar.
module Tern.Values.NumeralTest (tests) where

import Data.Maybe (fromMaybe)
import Data.Ratio (denominator, numerator)
import Data.Text (Text)
import Data.Text qualified as T
import Numeric (readFloat)
import Tern
import Tern.Value
  ( Number,
    Value (Number),
    numberToDouble,
    numberToInteger,
    parseNumber,
    renderNumber,
  )
import Test.QuickCheck
  ( Gen,
    Property,
    choose,
    conjoin,
    counterexample,
    elements,
    forAll,
    oneof,
    vectorOf,
    (===),
  )
import Test.Tasty (TestTree, testGroup)
import Test.Tasty.HUnit (testCase, (@?=))
import Test.Tasty.QuickCheck (testProperty)

tests :: TestTree
tests =
  testGroup
    "numbers of documents"
    [ testProperty "come out as they went in" $ forAll numeral kept,
      testProperty "are in the order of their values" $
        forAll ((,) <$> numeral <*> numeral) $ \(a, b) ->
          compare (numberOf a) (numberOf b) === compare (model a) (model b),
      testProperty "are the doubles and the integers that they would be read as" $
        forAll numeral meant,
      testCase "at the bounds of what two words say" $
        concat
          [ [t | t <- bounds, renderNumber (numberOf t) /= t],
            [t | t <- bounds, Right t /= fmap encodeJsonText (value t)],
            [t | t <- bounds, Right (numberToDouble (numberOf t)) /= decodeJsonText t]
          ]
          @?= [],
      testCase "what is none is refused" $
        [t | t <- none, Just n <- [parseNumber t], T.length (renderNumber n) >= 0] @?= []
    ]

value :: Text -> Either Error Value
value = decodeJsonText

numberOf :: Text -> Number
numberOf t = fromMaybe (error ("no number: " <> T.unpack t)) (parseNumber t)

kept :: Text -> Property
kept t =
  conjoin
    [ renderNumber (numberOf t) === t,
      fmap encodeJsonText (value t) === Right t,
      fmap encodeJsonText (value ("[" <> t <> "," <> t <> "]"))
        === Right ("[" <> t <> "," <> t <> "]"),
      value (t <> " ") === Right (Number (numberOf t))
    ]

meant :: Text -> Property
meant t =
  conjoin
    [ counterexample "double" (Right (numberToDouble (numberOf t)) === decodeJsonText t),
      counterexample "integer" (numberToInteger (numberOf t) === whole (model t))
    ]
  where
    whole r = if denominator r == 1 then Just (numerator r) else Nothing

-- | Exponents are small, so that the model can work them out.
model :: Text -> Rational
model t = case T.unpack t of
  '-' : unsigned -> negate (positive unsigned)
  unsigned -> positive unsigned
  where
    positive s = case break (`elem` ("eE" :: String)) s of
      (mantissa, power) -> fst (head' (readFloat (pointed mantissa))) * 10 ^^ exponentOf power
    pointed m = if '.' `elem` m then m else m <> ".0"
    exponentOf = \case
      _ : '-' : digits -> negate (read digits) :: Int
      _ : '+' : digits -> read digits
      _ : digits -> read digits
      "" -> 0
    head' = \case
      x : _ -> x
      [] -> error "not read"

-- | Any number, often with as many digits as two words hold, one less or one more.
numeral :: Gen Text
numeral = do
  sign <- elements ["", "-"]
  whole <- oneof [pure "0", counted =<< elements [1, 1, 2, 3, 8, 16, 17, 18, 19, 20, 30]]
  fraction <- oneof [pure "", ("." <>) <$> (digits =<< elements [1, 2, 3, 14, 15, 16, 17, 18, 25])]
  power <- oneof [pure "", pure "", exponent10]
  pure (sign <> whole <> fraction <> power)
  where
    counted n = (<>) <$> (T.singleton <$> elements ['1' .. '9']) <*> digits (n - 1)
    digits n =
      oneof
        [ T.pack <$> vectorOf n (choose ('0', '9')),
          pure (T.replicate n "0"),
          pure (T.replicate n "9"),
          pure (T.replicate (n - 1) "0" <> "1")
        ]
    exponent10 = do
      e <- elements ["e", "E", "e+", "E-", "e-"]
      (e <>) <$> elements ["0", "00", "1", "2", "05", "17", "18"]

bounds :: [Text]
bounds =
  [ sign <> number
    | sign <- ["", "-"],
      number <-
        [ "0",
          "0.0",
          "0.00",
          "0.05",
          "1.50",
          "10.0",
          "100000000000000000",
          "999999999999999999",
          "1000000000000000000",
          "9223372036854775807",
          "9223372036854775808",
          "0.0000000000000001",
          "0.1234567890123456",
          "0.12345678901234567",
          "1.2345678901234567",
          "12345678.123456789",
          "1234567890123456.7",
          "9999999999999999.9",
          "99999999999999999.9",
          "65.613616999999977",
          "9007199254740993.0",
          "90071992547409.93",
          "1e-2",
          "1.5e-3",
          "0.0e1",
          "12.5E+1"
        ]
  ]

none :: [Text]
none =
  [ "",
    "-",
    "00",
    "01",
    "-01",
    "00.1",
    "1.",
    "-1.",
    ".5",
    "1.e1",
    "1e",
    "1e+",
    "0x1",
    "1.5.",
    "+1",
    "1 2",
    "-a",
    "-.5"
  ]
