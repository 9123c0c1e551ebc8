{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -O0 -fno-ignore-interface-pragmas -fmax-simplifier-iterations=0 #-}

-- | The external MessagePack suites, as people outside of this project see the
-- format.
module Tern.MessagePack.SuiteTest (tests) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Either (isLeft)
import Data.List (sort)
import Data.Maybe (catMaybes)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Vector qualified as V
import Data.Word (Word8)
import System.Directory (listDirectory)
import System.FilePath (takeBaseName, takeExtension, (</>))
import Tern
import Tern.Internal.MessagePack.Document (decodeWith, encodeWith)
import Tern.Internal.MessagePack.Format (formatName, formatOf)
import Tern.Internal.MessagePack.Read qualified as Read
import Tern.Internal.MessagePack.Write qualified as Write
import Tern.Internal.Read (Reader (Reader))
import Tern.MessagePack.Value
  ( Value (..),
    decodeValue,
    encodeValue,
    fromJson,
    nanoseconds,
    seconds,
    timestamp,
    toJson,
  )
import Tern.MessagePack.Value qualified as Value
import Tern.Testkit.Suites (Label (..), hexBytes, labelled, readTsv, suiteTest)
import Tern.Value qualified as Json
import Test.Tasty

tests :: TestTree
tests =
  testGroup
    "MessagePack suites"
    [ suiteTest "kawanet" "msgpack/kawanet.tsv" kawanet,
      suiteTest "integers" "msgpack/mpack-integers.tsv" integers,
      suiteTest "boundaries" "msgpack/boundaries.tsv" boundaries,
      suiteTest "timestamps" "msgpack/timestamp.tsv" timestamps,
      suiteTest "malformed timestamps" "msgpack/timestamp-malformed.tsv" badTimestamps,
      suiteTest "malformed" "msgpack/malformed.tsv" malformed,
      suiteTest "every first byte" "msgpack/format-table.tsv" formats,
      suiteTest "documents" "msgpack/docs" documents,
      suiteTest "mpack's files" "msgpack/mpack-files" files,
      suiteTest "adversarial" "adversarial/msgpack" labels
    ]

-- | The complaints of cases that each may have one.
judge :: [Maybe String] -> ([String], Int)
judge verdicts = (catMaybes verdicts, length verdicts)

complain :: (Show a) => a -> Bool -> Maybe String
complain row fine = if fine then Nothing else Just (show row)

rows :: ([ByteString] -> Maybe String) -> FilePath -> IO ([String], Int)
rows verdict path = judge . map verdict <$> readTsv path

skipped :: ByteString -> Either Error ()
skipped = decodeWith (Reader Read.skip) defaultLimits

-- | Each encoding is read as the value; the first is what is written, and for
-- integers whatever encoding was read.
kawanet :: FilePath -> IO ([String], Int)
kawanet = rows $ \row -> case row of
  [_, kind, text, encodings]
    | Right json <- decodeJson text,
      Just messages@(first : _) <- mapM hexBytes (BC.split '|' encodings) ->
        complain
          row
          ( all (isValue kind json) messages
              && all ((== Right ()) . skipped) messages
              && again first == Right first
              && ( not (isWhole first)
                     || all (\m -> not (isWhole m) || again m == Right first) messages
                 )
          )
  _ -> Just ("not understood: " <> show row)
  where
    again m = encodeValue <$> decodeValue m
    isWhole m = case decodeValue m of
      Right (Int _) -> True
      Right (Word _) -> True
      _ -> False

isValue :: ByteString -> Json.Value -> ByteString -> Bool
isValue kind json message = case decodeValue message of
  Left _ -> False
  Right value -> case (kind, json, value) of
    ("binary", Json.String t, Bin b) -> dashed t == Just b
    ("bignum", Json.String t, _) ->
      Just (toRational (read (T.unpack t) :: Integer)) == rational value
    ("number", Json.Number n, _) ->
      Just (toRational (Json.numberToDouble n)) == rational value
        || Just (encodeJson json) == (encodeJson <$> whole value)
    ("timestamp", Json.Array v, Timestamp t) ->
      V.toList v == [number (seconds t), number (nanoseconds t)]
    ("ext", Json.Array v, Ext k b)
      | [n, Json.String t] <- V.toList v ->
          n == number k && dashed t == Just b
    _ -> kind `elem` ["nil", "bool", "string", "array", "map"] && fst (fromJson json) == value
  where
    dashed t = hexBytes (T.encodeUtf8 (T.filter (/= '-') t))
    number n = Json.Number (Json.numberFromInteger (toInteger n))
    rational = \case
      Int i -> Just (toRational i)
      Word w -> Just (toRational w)
      Float32 x -> Just (toRational x)
      Float64 x -> Just (toRational x)
      _ -> Nothing
    -- Some rows give decimal fractions that a float 32 only comes near to.
    whole = \case
      Float32 x -> Json.Number <$> Json.parseNumber (encodeJsonText x)
      _ -> Nothing

integers :: FilePath -> IO ([String], Int)
integers = rows $ \row -> case row of
  [hex, kind, expected]
    | Just message <- hexBytes hex,
      Just found <- narrowed kind message ->
        complain
          (row, found)
          ( if expected == "ERROR"
              then isLeft found
              else found == Right (read (BC.unpack expected))
          )
  _ -> Just ("not understood: " <> show row)
  where
    narrowed kind message = case kind of
      "u8" -> Just (unsigned 255)
      "u16" -> Just (unsigned 65535)
      "u32" -> Just (unsigned 4294967295)
      "u64" -> Just (unsigned maxBound)
      "i8" -> Just (signed (-128) 127)
      "i16" -> Just (signed (-32768) 32767)
      "i32" -> Just (signed (-2147483648) 2147483647)
      "i64" -> Just (signed minBound maxBound)
      _ -> Nothing
      where
        unsigned high =
          toInteger <$> decodeWith (Reader (Read.wordWithin "a word" high)) defaultLimits message
        signed from to =
          toInteger
            <$> decodeWith (Reader (Read.intWithin "an integer" from to)) defaultLimits message

boundaries :: FilePath -> IO ([String], Int)
boundaries = rows $ \row -> case row of
  [kind, n, start, size]
    | Just value <- of' kind (read (BC.unpack n)),
      Just bytes <- hexBytes start,
      Just (total, "") <- BC.readInt size ->
        let message = encodeValue value
         in complain
              row
              ( B.take 9 message == bytes
                  && B.length message == total
                  && decodeValue message == Right value
                  && skipped message == Right ()
              )
  _ -> Just ("not understood: " <> show row)
  where
    of' :: ByteString -> Integer -> Maybe Value
    of' kind n = case kind of
      "int" -> Value.integer n
      "str" -> Just (Str (T.replicate (fromInteger n) "a"))
      "bin" -> Just (Bin (B.replicate (fromInteger n) 0))
      "array" -> Just (Array (V.replicate (fromInteger n) Nil))
      "map" -> Just (Map (V.generate (fromInteger n) (\i -> (Int i, Nil))))
      _ -> Nothing

timestamps :: FilePath -> IO ([String], Int)
timestamps = rows $ \row -> case row of
  [s, n, hex]
    | Just t <- timestamp (read (BC.unpack s)) (read (BC.unpack n)),
      Just message <- hexBytes hex ->
        complain
          row
          ( encodeWith Write.timestamp t == message
              && decodeWith (Reader Read.timestamp) defaultLimits message == Right t
              && decodeValue message == Right (Timestamp t)
          )
  _ -> Just ("not understood: " <> show row)

badTimestamps :: FilePath -> IO ([String], Int)
badTimestamps = rows $ \row -> case row of
  hex : _
    | Just message <- hexBytes hex ->
        complain
          row
          ( decodeWith (Reader Read.timestamp) defaultLimits message
              == Left (Error 0 [] InvalidTimestamp)
              && isLeft (decodeValue message)
              && isLeft (skipped message)
          )
  _ -> Just ("not understood: " <> show row)

malformed :: FilePath -> IO ([String], Int)
malformed = rows $ \row -> case row of
  hex : _
    | Just message <- hexBytes hex ->
        complain row (isLeft (decodeValue message) && isLeft (skipped message))
  _ -> Just ("not understood: " <> show row)

-- | All 256 bytes, each in one row.
formats :: FilePath -> IO ([String], Int)
formats path = do
  table <- readTsv path
  let named = concat [[(b, T.decodeUtf8 name) | b <- range bytes] | [name, bytes] <- table]
  pure
    ( judge
        [ complain (b, formatName (formatOf b)) (lookup b named == Just (formatName (formatOf b)))
          | b <-
              [minBound .. maxBound :: Word8]
        ]
    )
  where
    range text = case map hexBytes (BC.split '-' text) of
      [Just from] | [b] <- B.unpack from -> [b]
      [Just from, Just to] | [b] <- B.unpack from, [b'] <- B.unpack to -> [b .. b']
      _ -> []

-- | The same documents as JSON. Another program wrote them; what Tern writes
-- are the same bytes.
documents :: FilePath -> IO ([String], Int)
documents path = do
  names <- sort . filter ((== ".msgpack") . takeExtension) <$> listDirectory path
  judge <$> mapM document names
  where
    document name = do
      message <- B.readFile (path </> name)
      json <-
        B.readFile (path </> ".." </> ".." </> "json" </> "docs" </> (takeBaseName name <> ".json"))
      pure . complain name $ case (decodeValue message, decodeJson json) of
        (Right value, Right there) ->
          fromJson there == (value, [])
            && toJson value == (there, [])
            && encodeValue value == message
            && skipped message == Right ()
        _ -> False

files :: FilePath -> IO ([String], Int)
files path = do
  names <- sort . filter ((== ".mp") . takeExtension) <$> listDirectory path
  judge <$> mapM file names
  where
    file name = do
      message <- B.readFile (path </> name)
      pure . complain name $ case decodeValue message of
        Right value -> decodeValue (encodeValue value) == Right value && skipped message == Right ()
        Left _ -> False

labels :: FilePath -> IO ([String], Int)
labels path = judge . map verdict <$> labelled path
  where
    verdict (label, name, input) = case (label, decodeValue input, skipped input) of
      (Accept, Right _, Right ()) -> Nothing
      (Reject, Left _, Left _) -> Nothing
      -- Either, but both the same.
      (Either_, Right value, Right ()) ->
        complain name (decodeValue (encodeValue value) == Right value)
      (Either_, Left _, Left _) -> Nothing
      (_, found, _) -> Just (name <> ": " <> either show (const "accepted") found)
