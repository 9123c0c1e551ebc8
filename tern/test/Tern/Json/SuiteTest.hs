{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | The external JSON suites: what must be accepted, refused, rounded and
-- written, as people outside of this project see it.
module Tern.Json.SuiteTest (tests) where

import Control.Applicative ((<|>))
import Control.Exception (SomeException, evaluate, try)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Char (isDigit)
import Data.Maybe (catMaybes)
import Data.Text (Text)
import Data.Text.Encoding qualified as T
import Data.Word (Word32, Word64)
import GHC.Float (castDoubleToWord64, castFloatToWord32, castWord32ToFloat, castWord64ToDouble)
import Numeric (readHex)
import System.Directory (listDirectory)
import System.FilePath (takeExtension, (</>))
import Tern
import Tern.Testkit.Suites (Label (..), hexBytes, labelled, readTsv, suiteTest)
import Tern.Value (Value)
import Test.Tasty

tests :: TestTree
tests =
  testGroup
    "suites"
    [ suiteTest "parsing" "json/parsing" labels,
      suiteTest "checker" "json/checker" labels,
      suiteTest "fuzz-invalid" "json/fuzz-invalid" labels,
      suiteTest "adversarial" "adversarial/json" labels,
      suiteTest "transform" "json/transform" transform,
      suiteTest "roundtrip" "json/roundtrip" roundtrip,
      suiteTest "documents" "json/docs" documents,
      suiteTest "strings" "json/strings/decode.tsv" strings,
      suiteTest "utf8" "json/utf8/utf8tests.tsv" utf8,
      testGroup
        "reading numbers"
        [ suiteTest name ("json/numbers/parse-" <> name <> ".tsv") parsing
          | name <-
              [ "freetype-2-7",
                "google-wuffs",
                "ibm-fpgen-cpython",
                "lemire-fast-float",
                "more-test-cases",
                "nativejson-conformance",
                "tencent-rapidjson"
              ]
        ],
      suiteTest
        "shortest doubles, ES6"
        "json/numbers/shortest-f64-es6.tsv"
        (shortest doubleBits 0 1),
      suiteTest
        "shortest doubles, Ryu"
        "json/numbers/shortest-f64-ryu.tsv"
        (shortest doubleBits 0 1),
      suiteTest "shortest floats, Gay" "json/numbers/shortest-f32-gay.tsv" floats
    ]

-- | The complaints of cases that each may have one.
judge :: [Maybe String] -> ([String], Int)
judge verdicts = (catMaybes verdicts, length verdicts)

-- | Decode, with an exception counted as what it is: a defect.
decoded :: (Wire a) => ByteString -> IO (Either String a)
decoded input =
  try (evaluate (decodeJson input)) >>= \case
    Left exception -> pure (Left ("threw " <> show (exception :: SomeException)))
    Right (Left failure) -> do
      -- Rendering must not fail either.
      _ <- evaluate (renderError input failure)
      pure (Left (show failure))
    Right (Right value) -> pure (Right value)

labels :: FilePath -> IO ([String], Int)
labels folder = do
  cases <- labelled folder
  verdicts <- mapM verdict cases
  pure (judge verdicts)
  where
    verdict (label, name, input) = do
      result <- decoded input :: IO (Either String Value)
      pure $ case (label, result) of
        (_, Left failure) | "threw" == take 5 failure -> Just (name <> ": " <> failure)
        (Accept, Left failure) -> Just (name <> " must be accepted: " <> failure)
        (Reject, Right _) -> Just (name <> " must be refused")
        _ -> Nothing

accepted :: String -> ByteString -> IO (Maybe String)
accepted name input = do
  result <- decoded input :: IO (Either String Value)
  pure (either (\failure -> Just (name <> ": " <> failure)) (const Nothing) result)

-- | What is accepted comes back as the same value.
transform :: FilePath -> IO ([String], Int)
transform folder = do
  names <- listDirectory folder
  verdicts <- mapM (\name -> again name =<< B.readFile (folder </> name)) names
  pure (judge verdicts)

again :: String -> ByteString -> IO (Maybe String)
again name input = do
  result <- decoded input :: IO (Either String Value)
  pure $ case result of
    Left failure | "threw" == take 5 failure -> Just (name <> ": " <> failure)
    Left _ -> Nothing
    Right value
      | decodeJson (encodeJson value) == Right value -> Nothing
      | otherwise -> Just (name <> " changes when it is encoded and decoded")

roundtrip :: FilePath -> IO ([String], Int)
roundtrip folder = do
  names <- listDirectory folder
  verdicts <- mapM file names
  pure (judge (concat verdicts))
  where
    file name = do
      input <- B.readFile (folder </> name)
      result <- decoded input :: IO (Either String Value)
      doubles <- decoded input :: IO (Either String [Double])
      pure
        [ case result of
            Right value | encodeJson value == input -> Nothing
            other -> Just (name <> ": " <> show (fmap encodeJson other)),
          -- Those that are arrays of doubles, also as such.
          case doubles of
            Right xs
              | any (`B.elem` input) (B.unpack ".e"),
                encodeJson xs /= input ->
                  Just (name <> " as doubles: " <> show (encodeJson xs))
            _ -> Nothing
        ]

documents :: FilePath -> IO ([String], Int)
documents folder = do
  names <- listDirectory folder
  verdicts <- mapM file names
  pure (judge (concat verdicts))
  where
    file name = do
      input <- B.readFile (folder </> name)
      let parts =
            if takeExtension name == ".jsonl"
              then filter (not . B.null) (BC.lines input)
              else [input]
      mapM (\part -> (<|>) <$> accepted name part <*> again name part) parts

strings :: FilePath -> IO ([String], Int)
strings path = judge . map row <$> readTsv path
  where
    row columns = case columns of
      [document, expected] | Just bytes <- hexBytes expected -> case decodeJson document of
        Right [text] | T.encodeUtf8 text == bytes -> Nothing
        other -> Just (show document <> ": " <> show (other :: Either Error [Text]))
      _ -> Just ("not understood: " <> show columns)

utf8 :: FilePath -> IO ([String], Int)
utf8 path = judge . map row <$> readTsv path
  where
    row columns = case columns of
      name : verdict : bytes : _ | Just body <- hexBytes bytes ->
        case (verdict, decodeJson ("\"" <> body <> "\"")) of
          -- Quotes, backslashes and controls are JSON's matter, not UTF-8's.
          _ | B.any (\w -> w < 0x20 || w == 0x22 || w == 0x5c) body -> Nothing
          ("valid", Right text) | T.encodeUtf8 text == body -> Nothing
          ("invalid", Left (Error _ _ InvalidUtf8)) -> Nothing
          (_, result) -> Just (show name <> ": " <> show result)
      _ -> Just ("not understood: " <> show columns)

-- | Decimal text to the bits of the nearest double and float.
parsing :: FilePath -> IO ([String], Int)
parsing path = judge . concatMap row <$> readTsv path
  where
    row columns = case columns of
      [text, double, float, "J"] ->
        [ compareBits text (fmap castDoubleToWord64 (decodeJson text)) double,
          if float == "-"
            then Nothing
            else compareBits text (fmap castFloatToWord32 (decodeJson text)) float
        ]
      [text, _, _, "-"] ->
        [ either
            (const Nothing)
            ( \x ->
                Just (show text <> " is not JSON, but was read as " <> show (x :: Double))
            )
            (decodeJson text)
        ]
      _ -> [Just ("not understood: " <> show columns)]
    compareBits text result expected = case (result, bits expected) of
      (Right a, Just b) | toInteger a == toInteger (b :: Word64) -> Nothing
      (other, _) ->
        Just
          ( show text
              <> ": "
              <> either show (hex . toInteger) other
              <> ", expected "
              <> show expected
          )
    hex n = show n

bits :: ByteString -> Maybe Word64
bits text = case readHex (BC.unpack text) of
  [(n, "")] -> Just n
  _ -> Nothing

doubleBits :: ByteString -> Maybe Double
doubleBits text = castWord64ToDouble <$> bits text

-- | The shortest digits: the same digits and exponent as in the suite, and they
-- read back.
shortest :: (ByteString -> Maybe Double) -> Int -> Int -> FilePath -> IO ([String], Int)
shortest number from to path = judge . map row <$> readTsv path
  where
    row columns = case number (columns !! from) of
      Just x
        | isNaN x || isInfinite x -> Nothing
        | normal (encodeJson x) /= normal (columns !! to) ->
            Just (show columns <> ": " <> show (encodeJson x))
        | fmap castDoubleToWord64 (decodeJson (encodeJson x)) /= Right (castDoubleToWord64 x) ->
            Just (show columns <> " does not read back")
        | otherwise -> Nothing
      Nothing -> Just ("not understood: " <> show columns)

floats :: FilePath -> IO ([String], Int)
floats path = judge . map row <$> readTsv path
  where
    row columns = case columns of
      [_, word, digits, position]
        | Just b <- bits word,
          Just (point, "") <- BC.readInt position ->
            let x = castWord32ToFloat (fromIntegral b :: Word32)
             in if normal (encodeJson x) == normal ("0." <> digits <> "e" <> BC.pack (show point))
                  && fmap
                    castFloatToWord32
                    (decodeJson (encodeJson x))
                    == Right (castFloatToWord32 x)
                  then Nothing
                  else Just (show columns <> ": " <> show (encodeJson x))
      _ -> Just ("not understood: " <> show columns)

-- | A decimal number as its significant digits and the position of its point.
normal :: ByteString -> (Bool, String, Int)
normal text
  | null digits = (negative, "", 0)
  | otherwise = (negative, reverse (dropWhile (== '0') (reverse digits)), point)
  where
    plain = BC.unpack text
    negative = take 1 plain == "-"
    (mantissa, power) = break (`elem` ("eE" :: String)) (dropWhile (== '-') plain)
    (whole, fraction) = break (== '.') mantissa
    zeros = length (takeWhile (== '0') (filter isDigit (whole <> fraction)))
    digits = dropWhile (== '0') (filter isDigit (whole <> fraction))
    point = length whole - zeros + exponentOf (drop 1 power)
    exponentOf = \case
      "" -> 0
      '+' : ds -> read ds
      ds -> read ds
