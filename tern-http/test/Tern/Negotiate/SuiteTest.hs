{-# LANGUAGE OverloadedStrings #-}

-- | Every row of the external suites of HTTP that has one right answer.
--
-- @must@ rows give exactly the answer. A @tie@ is between offers that RFC 9110 rates
-- alike: the answer is the first of them in the server's order, or any where there is no
-- header to go by. @differs@ rows contradict
-- the RFC and are counted, not judged. Malformed and empty headers must be harmless: an
-- answer or a refusal.
module Tern.Negotiate.SuiteTest (tests) where

import Control.Exception (evaluate)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Char (toLower)
import Data.List (sortOn)
import Data.Maybe (catMaybes)
import Data.Ord (Down (..))
import Tern.Negotiate
import Tern.Testkit.Suites (readTsv, suiteTest)
import Test.Tasty

tests :: TestTree
tests =
  testGroup
    "suites"
    [ suiteTest "Accept" "http/accept.tsv" (table (choosing chosenType)),
      suiteTest "Accept-Encoding" "http/accept-encoding.tsv" (table (choosing chosenCoding)),
      suiteTest "weights" "http/quality.tsv" (table weight),
      suiteTest "preference" "http/order.tsv" (table order),
      suiteTest "Content-Type" "http/content-type-415.tsv" (table contentType'),
      suiteTest "media types" "http/media-type-parse.tsv" (table parsed)
    ]

-- | What is wrong with a row, if something is.
type Judge = [ByteString] -> IO (Maybe String)

table :: Judge -> FilePath -> IO ([String], Int)
table judge path = do
  rows <- readTsv path
  complaints <-
    mapM
      ( \row ->
          fmap (\what -> BC.unpack (B.intercalate " | " row) <> ": " <> what) <$> judge row
      )
      rows
  pure (catMaybes complaints, length rows)

optional :: ByteString -> Maybe ByteString
optional text = if text == "\\N" then Nothing else Just text

list :: ByteString -> [ByteString]
list text = if B.null text then [] else BC.split '|' text

chosenType, chosenCoding :: Maybe ByteString -> [ByteString] -> Maybe ByteString
chosenType header available =
  offerFormat
    <$> choose
      (typePreference (parseAccept header))
      [ offer text media
        | text <-
            available,
          Just media <- [parseMediaType text]
      ]
chosenCoding header = choose (codingPreference (parseAcceptEncoding header))

choosing :: (Maybe ByteString -> [ByteString] -> Maybe ByteString) -> Judge
choosing chosen = \case
  _ : _ : header : available : expected : kind : best -> do
    let answer = chosen (optional header) (list available)
        rated = filter (`elem` concatMap list best) (list available)
        right
          | kind == "must" = [if expected == "406" then Nothing else Just expected]
          | kind == "tie" = map Just (if header == "\\N" then rated else take 1 rated)
          | kind `elem` ["differs", "malformed", "empty-header"] = [answer]
          | otherwise = []
    _ <- evaluate (maybe 0 B.length answer)
    pure
      ( if answer `elem` right
          then Nothing
          else Just ("expected one of " <> show right <> ", got " <> show answer)
      )
  row -> pure (Just ("not a row of " <> show (length row) <> " columns"))

weight :: Judge
weight = \case
  [_, _, kind, header, text, expected, agreement] -> do
    let answer
          | kind == "accept" =
              maybe
                Refused
                ( typePreference (parseAccept (optional header))
                    . offer ()
                )
                (parseMediaType text)
          | otherwise = codingPreference (parseAcceptEncoding (optional header)) text
        thousandths = case answer of
          Refused -> 0
          Tolerated -> 1000
          Preferred (Quality n) -> n
        right = round (1000 * read (BC.unpack expected) :: Double)
    _ <- evaluate thousandths
    pure $
      if agreement == "agree" && thousandths /= right
        then Just ("got " <> show answer)
        else Nothing
  row -> pure (Just ("not a row of " <> show (length row) <> " columns"))

-- | What is acceptable, in order of preference; equal ones in the header's order.
order :: Judge
order = \case
  [_, _, kind, header, expected] -> do
    let answer
          | kind == "accept" = case parseAccept (optional header) of
              Anything -> ["*/*"]
              Ranges ranges ->
                [ renderMediaType media {mediaParameters = []}
                  | (media, quality) <-
                      sortOn (Down . snd) ranges,
                    quality > Quality 0
                ]
          | otherwise = case parseAcceptEncoding (optional header) of
              AnyCoding -> ["*"]
              Codings said ->
                [name | (name, quality) <- sortOn (Down . snd) said, quality > Quality 0]
                  <> ["identity" | codingPreference (Codings said) "identity" == Tolerated]
    pure (if answer == list expected then Nothing else Just ("got " <> show answer))
  row -> pure (Just ("not a row of " <> show (length row) <> " columns"))

contentType' :: Judge
contentType' = \case
  [_, _, header, supported, expected] -> do
    let ranges = [Receive media () | Just media <- map parseMediaType (list supported)]
        answer =
          either
            (const "415")
            (const "ok")
            ( recognise
                ranges
                ([] :: [Coding ()])
                [ ("Content-Type", value)
                  | Just value <-
                      [optional header]
                ]
            )
    pure (if answer == expected then Nothing else Just ("got " <> BC.unpack answer))
  row -> pure (Just ("not a row of " <> show (length row) <> " columns"))

-- | A remark in brackets after the expected parameters says where the source lower-cases
-- a value whose case RFC 9110 keeps.
parsed :: Judge
parsed = \case
  _ : _ : text : expected : values -> do
    let answer = parseMediaType text
        type' = maybe "ERROR" (\media -> mediaType media <> "/" <> mediaSubtype media) answer
        shown =
          maybe
            ""
            ( B.intercalate "|"
                . map (\(name, value) -> name <> "=" <> value)
                . mediaParameters
            )
            answer
        (wanted, remark) = B.breakSubstring " (" (B.concat values)
        same = if B.null remark then id else BC.map toLower
    pure
      ( if type' == expected && same shown == wanted
          then Nothing
          else Just ("got " <> show answer)
      )
  row -> pure (Just ("not a row of " <> show (length row) <> " columns"))
