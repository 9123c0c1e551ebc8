{-# LANGUAGE OverloadedStrings #-}

-- | The fast negotiation and the slow one say the same.
--
-- Headers are made of elements that are mostly right, joined by commas, and then some of
-- their characters are changed for others that mean something to the grammar.
module Tern.Negotiate.ModelTest (tests) where

import Data.ByteString.Char8 qualified as BC
import Data.List (intercalate)
import Data.Maybe (fromMaybe, isJust, mapMaybe)
import Tern.Negotiate
import Tern.Negotiate.Header qualified as Header
import Tern.Negotiate.Model qualified as Model
import Test.Tasty
import Test.Tasty.QuickCheck hiding (choose, elements)
import Test.Tasty.QuickCheck qualified as Gen

tests :: TestTree
tests =
  testGroup
    "model"
    [ testProperty "lists are cut alike" . withMaxSuccess 3000 . forAll anyHeader $ \header ->
        map BC.unpack (Header.elements (BC.pack header)) === Model.listElements header,
      testProperty
        "media types are read alike"
        . withMaxSuccess 3000
        . forAll (sometimesChanged =<< element types weights)
        $ \text ->
          cover 30 (isJust (Model.mediaType text)) "are types" $
            (readable <$> parseMediaType (BC.pack text)) === Model.mediaType text,
      testProperty
        "types are weighed alike"
        . withMaxSuccess 3000
        . forAll ((,) <$> header' types <*> element types (pure ""))
        $ \(header, text) ->
          let media = fromMaybe ("a", "b", []) (Model.mediaType text)
              answer = typePreference (parseAccept (BC.pack <$> header)) (offer () (written media))
           in cover 20 (answer > Refused) "are acceptable" $
                thousandths answer === fmap (* 1000) (Model.typeQuality header media),
      testProperty "types are chosen alike"
        . withMaxSuccess 3000
        . forAll
          ( (,)
              <$> header' types
              <*> resize 4 (listOf (element types (pure "")))
          )
        $ \(header, texts) ->
          let those = mapMaybe Model.mediaType texts
              answer =
                readable . offerType
                  <$> choose
                    (typePreference (parseAccept (BC.pack <$> header)))
                    (map (offer () . written) those)
           in cover 20 (isJust answer) "are chosen" $ answer === Model.chosenType header those,
      testProperty "codings are chosen alike"
        . withMaxSuccess 3000
        . forAll
          ( (,)
              <$> header' codingNames
              <*> sublistOf ["gzip", "identity", "zstd", "X-GZIP", "br", "compress"]
          )
        $ \(header, names) ->
          let answer =
                choose
                  ( codingPreference
                      (parseAcceptEncoding (BC.pack <$> header))
                  )
                  (map BC.pack names)
           in cover 20 (isJust answer) "are chosen" $
                (BC.unpack <$> answer) === Model.chosenCoding header names
    ]
  where
    readable (MediaType kind subtype values) =
      ( BC.unpack kind,
        BC.unpack subtype,
        [ (BC.unpack name, BC.unpack value)
          | (name, value) <-
              values
        ]
      )
    written (kind, subtype, values) =
      MediaType
        (BC.pack kind)
        (BC.pack subtype)
        [ (BC.pack name, BC.pack value)
          | (name, value) <-
              values
        ]
    -- What is tolerated has no weight in the model of types.
    thousandths = \case
      Refused -> Just 0
      Tolerated -> Nothing
      Preferred (Quality n) -> Just (fromIntegral n)
    anyHeader = changed . intercalate "," =<< listOf (element types weights)

header' :: Gen String -> Gen (Maybe String)
header' names = frequency [(1, pure Nothing), (12, Just <$> (sometimesChanged =<< joined))]
  where
    joined =
      intercalate <$> Gen.elements [",", ", ", " ,\t"] <*> resize 6 (listOf (element names weights))

-- | A name with parameters.
element :: Gen String -> Gen String -> Gen String
element names weight =
  concat
    <$> sequence
      [ names,
        concat
          <$> resize 2 (listOf parameter),
        weight,
        frequency [(6, pure ""), (1, parameter)]
      ]

types, codingNames, weights, parameter :: Gen String
types =
  concat
    <$> sequence
      [ Gen.elements ["text", "application", "Text", "*"],
        pure "/",
        Gen.elements
          [ "html",
            "json",
            "hal+json",
            "*",
            "*",
            "*+json",
            "JSON",
            "+json"
          ]
      ]
codingNames = Gen.elements ["gzip", "GZip", "x-gzip", "identity", "*", "zstd", "br", "compress"]
weights =
  frequency
    [ (3, pure ""),
      (6, (";q=" <>) <$> good),
      (1, (" ; Q=" <>) <$> good),
      (2, (";q=" <>) <$> bad),
      -- Which of two weights would count nobody can know.
      (1, (\one other -> ";q=" <> one <> ";q=" <> other) <$> good <*> good)
    ]
  where
    good = Gen.elements ["0", "1", "0.", "0.0", "0.5", "0.25", "0.001", "1.000", "0.999", "1."]
    bad = Gen.elements ["", "2", "0.1234", "1.001", ".5", "-1", "\"0.5\"", "0,5", "1e0"]
parameter =
  concat
    <$> sequence
      [ Gen.elements [";", "; ", " ;"],
        Gen.elements ["level", "LEVEL", "v", ""],
        Gen.elements ["=", "=", "=", "", " ="],
        Gen.elements
          [ "1",
            "2",
            "\"1\"",
            "\"a,b\"",
            "\"\\\"\"",
            "\"\\1\"",
            "\"",
            ""
          ]
      ]

sometimesChanged :: String -> Gen String
sometimesChanged text = frequency [(2, pure text), (1, changed text)]

-- | With some characters changed, left out or put in.
changed :: String -> Gen String
changed text = do
  times <- Gen.choose (1, 4 :: Int)
  foldr (=<<) (pure text) (replicate times change)
  where
    change t = do
      i <- Gen.choose (0, length t)
      c <- Gen.elements ",;=\"\\/*+ \tq01.a\DEL\1\200"
      let (start, rest) = splitAt i t
      Gen.elements [start <> drop 1 rest, start <> (c : rest), start <> (c : drop 1 rest)]
