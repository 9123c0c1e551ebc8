{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | The external CBOR suites, as people outside of this project see the format.
module Tern.Cbor.SuiteTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Either (isLeft)
import Data.Maybe (catMaybes)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Vector qualified as V
import Tern (decodeJson)
import Tern.Cbor.Value
  ( Value (..),
    asInteger,
    checkDeterministic,
    decodeValue,
    diagnostic,
    encodeValue,
  )
import Tern.Error (Error)
import Tern.Internal.Cbor.Document (decodeWith)
import Tern.Internal.Cbor.Read qualified as Read
import Tern.Internal.Read (Reader (Reader))
import Tern.Limits (defaultLimits)
import Tern.Testkit.Suites (hexBytes, readTsv, suiteTest)
import Tern.Value qualified as Json
import Test.Tasty

tests :: TestTree
tests =
  testGroup
    "CBOR suites"
    [ suiteTest "RFC 8949, appendix A" "cbor/appendix_a.json" appendixA,
      suiteTest "RFC 8949, appendix F" "cbor/malformed.tsv" malformed,
      suiteTest "RFC 8949, appendix F, with more after it" "cbor/malformed.tsv" continued
    ]

skipped :: ByteString -> Either Error ()
skipped = decodeWith (Reader Read.skip) defaultLimits

-- | The complaints of cases that each may have one.
judge :: [Maybe String] -> ([String], Int)
judge verdicts = (catMaybes verdicts, length verdicts)

-- | Each is read as what is said of it, in JSON or in diagnostic notation, and
-- those that are the preferred serialization are written again.
--
-- One row is RFC 7049's and was taken out of RFC 8949: f818, which would be
-- simple value 24, is not well-formed (section 3.3; so says appendix F as well).
appendixA :: FilePath -> IO ([String], Int)
appendixA path = do
  text <- B.readFile path
  pure $ case decodeJson text :: Either Error [Json.Value] of
    Left failure -> (["not understood: " <> show failure], 1)
    Right rows -> judge (map row rows)
  where
    row json = case json of
      Json.Object o
        | Just (Json.String hex) <- Json.member "hex" o,
          Just message <- hexBytes (T.encodeUtf8 hex),
          Just (Json.Bool again) <- Json.member "roundtrip" o ->
            if message == "\xf8\x18"
              then complain json (isLeft (decodeValue message) && isLeft (skipped message))
              else
                complain
                  json
                  ( isSaid o message
                      && skipped message == Right ()
                      && (not again || (encodeValue <$> decodeValue message) == Right message)
                      && (again || isLeft (checkDeterministic defaultLimits message))
                  )
      _ -> Just ("not understood: " <> show json)
    complain json fine = if fine then Nothing else Just (show json)
    isSaid o message = case ( Json.member
                                "decoded"
                                o,
                              Json.member "diagnostic" o,
                              decodeValue message
                            ) of
      (Just json, _, Right value) -> isJson json value
      (_, Just (Json.String text), Right _) -> diagnostic message == Right text
      _ -> False

-- | Does a value say what a JSON document says?
isJson :: Json.Value -> Value -> Bool
isJson json value = case (json, value) of
  (Json.Null, Null) -> True
  (Json.Bool a, Bool b) -> a == b
  (Json.Number n, Float x) ->
    Json.renderNumber n /= "0"
      && Json.numberToDouble n == x
      && (isNegativeZero x == (Json.renderNumber n == "-0.0"))
  (Json.Number n, _) -> Json.numberToInteger n == asInteger value
  (Json.String a, Text b) -> a == b
  (Json.Array as, Array bs) -> V.length as == V.length bs && and (V.zipWith isJson as bs)
  (Json.Object o, Map pairs) ->
    map fst (Json.members o) == [k | (Text k, _) <- V.toList pairs]
      && and (zipWith isJson (map snd (Json.members o)) (map snd (V.toList pairs)))
  _ -> False

malformed :: FilePath -> IO ([String], Int)
malformed path = judge . map verdict <$> readTsv path
  where
    verdict = \case
      [hex, why]
        | Just message <- hexBytes hex ->
            if isLeft (decodeValue message)
              && isLeft (skipped message)
              && isLeft (diagnostic message)
              then Nothing
              else Just (show (hex, why))
      row -> Just ("not understood: " <> show row)

-- | What is cut off may be whole with more after it; everything else stays wrong.
continued :: FilePath -> IO ([String], Int)
continued path = judge . map verdict . filter (not . cut) <$> readTsv path
  where
    cut row =
      any (`T.isInfixOf` T.decodeUtf8 (B.concat (drop 1 row))) ["cut", "open", "alone" :: Text]
    verdict = \case
      [hex, why]
        | Just message <- hexBytes hex ->
            if all
              ( \more ->
                  isLeft (decodeValue (message <> more)) && isLeft (skipped (message <> more))
              )
              ["\x00", "\xff", B.replicate 20 0, B.replicate 20 0xff]
              then Nothing
              else Just (show (hex, why))
      row -> Just ("not understood: " <> show row)
