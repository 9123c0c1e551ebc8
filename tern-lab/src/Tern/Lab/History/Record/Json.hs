{-# LANGUAGE OverloadedStrings #-}

-- | Results as JSON: the file that is kept after each commit, merged between
-- machines and read by other programs.
--
-- Its one idea: the document is flat and named for people who read it with
-- other tools: a metric is @{"least", "median", "most"}@ under its name from
-- the table, and what failed says so in a field @failure@. The field @format@
-- is raised when a reader of older files would be misled.
--
-- Start at 'encodeResults' and 'decodeResults'; the pairs of functions below
-- mirror each other.
module Tern.Lab.History.Record.Json
  ( encodeResults,
    decodeResults,
    encodeRecord,
    decodeRecord,
    encodeMeasurement,
    decodeMeasurement,
    resultsValue,
  )
where

import Data.Aeson (FromJSON (..), Value (..), eitherDecodeStrict, encode, object, withObject, (.:), (.:?), (.=))
import Data.Aeson.Key qualified as Key
import Data.Aeson.Types (Parser, parseEither)
import Data.ByteString (ByteString)
import Data.ByteString.Lazy qualified as L
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Scientific (fromFloatDigits)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.History.Git (Commit (..))
import Tern.Lab.History.Metric
import Tern.Lab.History.Record
import Tern.Lab.Process (Ending (..))

encodeResults :: Results -> L.ByteString
encodeResults = encode . resultsValue

decodeResults :: ByteString -> Either Text Results
decodeResults = decodedBy results

encodeRecord :: Record -> L.ByteString
encodeRecord = encode . recordValue

decodeRecord :: ByteString -> Either Text Record
decodeRecord = decodedBy record

encodeMeasurement :: Measurement -> L.ByteString
encodeMeasurement = encode . measurementValue

decodeMeasurement :: ByteString -> Either Text Measurement
decodeMeasurement = decodedBy measurement

decodedBy :: (Value -> Parser a) -> ByteString -> Either Text a
decodedBy parser bytes =
  either (Left . T.pack) Right (eitherDecodeStrict bytes >>= parseEither parser)

-- * Results

format :: Int
format = 1

resultsValue :: Results -> Value
resultsValue r =
  object
    [ "format" .= format,
      "range" .= resultsRange r,
      "fingerprint" .= resultsFingerprint r,
      "web" .= resultsWeb r,
      "benchmarks" .= [object ["name" .= name, "command" .= command] | (name, command) <- resultsBenchmarks r],
      "commits" .= map recordValue (resultsRecords r)
    ]

results :: Value -> Parser Results
results = withObject "results" $ \o -> do
  version <- o .: "format"
  if version /= format
    then fail ("it is of format " <> show version <> ", this program reads format " <> show format)
    else
      Results
        <$> o .: "range"
        <*> o .: "fingerprint"
        <*> o .:? "web"
        <*> (o .: "benchmarks" >>= traverse (withObject "benchmark" (\b -> (,) <$> b .: "name" <*> b .: "command")))
        <*> (o .: "commits" >>= traverse record)

-- * Records

recordValue :: Record -> Value
recordValue (Record c machine built runs why) =
  object
    [ "commit" .= commitHash c,
      "parents" .= commitParents c,
      "time" .= commitTime c,
      "author" .= commitAuthor c,
      "subject" .= commitSubject c,
      "machine" .= machine,
      "build" .= builtValue built,
      "why" .= why,
      "runs" .= [object ["benchmark" .= name, "result" .= ranValue ran] | (name, ran) <- runs]
    ]

record :: Value -> Parser Record
record = withObject "commit" $ \o ->
  Record
    <$> (Commit <$> o .: "commit" <*> o .: "parents" <*> o .: "time" <*> o .: "author" <*> o .: "subject")
    <*> o .: "machine"
    <*> (o .: "build" >>= built)
    <*> (o .: "runs" >>= traverse (withObject "run" (\r -> (,) <$> r .: "benchmark" <*> (r .: "result" >>= ran))))
    <*> o .:? "why"
  where
    built = withObject "build" $ \o ->
      o .:? "failure" >>= \case
        Just v -> NotBuilt <$> failure v
        Nothing -> Built <$> o .:? "seconds" <*> (o .:? "executable" >>= traverse executable)
    executable = withObject "executable" $ \o -> Executable <$> o .: "hash" <*> o .: "size"
    ran = withObject "result" $ \o ->
      o .:? "failure" >>= \case
        Just v -> NotRun <$> failure v
        Nothing -> Ran <$> measurement (Object o)

builtValue :: Built -> Value
builtValue = \case
  Built seconds executable ->
    object
      [ "seconds" .= seconds,
        "executable" .= fmap (\e -> object ["hash" .= executableHash e, "size" .= executableSize e]) executable
      ]
  NotBuilt f -> object ["failure" .= failureValue f]

ranValue :: Ran -> Value
ranValue = \case
  Ran m -> measurementValue m
  NotRun f -> object ["failure" .= failureValue f]

-- * Measurements

measurementValue :: Measurement -> Value
measurementValue m =
  object
    [ "figures" .= object [Key.fromText (metricName metric) .= spreadValue s | (metric, s) <- Map.toList (measuredSpreads m)],
      "source" .= sourceName (measuredSource m),
      "runs" .= measuredRuns m,
      "output" .= measuredOutput m,
      "stable" .= measuredStable m,
      "cached" .= measuredCached m
    ]
  where
    spreadValue (Spread least median most) =
      object ["least" .= exact least, "median" .= exact median, "most" .= exact most]
    exact = fromFloatDigits

measurement :: Value -> Parser Measurement
measurement = withObject "measurement" $ \o -> do
  source <- o .: "source" >>= named "source" sourceName
  Measurement <$> (o .: "figures" >>= figures) <*> pure source <*> o .:? "runs" <*> o .: "output" <*> o .: "stable" <*> o .: "cached"

figures :: Value -> Parser (Map Metric Spread)
figures value = do
  named' <- parseJSON value :: Parser (Map Text Value)
  Map.fromList <$> sequence [(,) metric <$> spread v | (name, v) <- Map.toList named', Just metric <- [metricNamed name]]
  where
    spread = withObject "figure" $ \o -> Spread <$> o .: "least" <*> o .: "median" <*> o .: "most"

sourceName :: Source -> Text
sourceName = \case
  RuntimeFile -> "runtime-file"
  RuntimePage -> "runtime-page"
  ProcessOnly -> "process"

-- * Failures

failureValue :: Failure -> Value
failureValue = \case
  Failure step how written ->
    object (["kind" .= ("command" :: Text), "step" .= stepName step, "written" .= written] <> endingFields how)
  NoExecutable place -> object ["kind" .= ("no-executable" :: Text), "place" .= place]
  WrongOutput hash -> object ["kind" .= ("wrong-output" :: Text), "output" .= hash]
  where
    endingFields = \case
      Exited code -> ["status" .= code]
      Signalled number -> ["signal" .= number]
      TimedOut seconds -> ["timeout" .= exactly seconds]
    exactly = fromFloatDigits

failure :: Value -> Parser Failure
failure = withObject "failure" $ \o -> do
  kind <- o .: "kind"
  case kind :: Text of
    "command" -> do
      step <- o .: "step" >>= named "step" stepName
      status <- o .:? "status"
      signal <- o .:? "signal"
      timeout <- o .:? "timeout"
      how <- case (status, signal, timeout) of
        (Just code, _, _) -> pure (Exited code)
        (_, Just number, _) -> pure (Signalled number)
        (_, _, Just seconds) -> pure (TimedOut seconds)
        _ -> fail "a failure has a status, a signal or a timeout"
      Failure step how <$> o .: "written"
    "no-executable" -> NoExecutable <$> o .: "place"
    "wrong-output" -> WrongOutput <$> o .: "output"
    other -> fail ("unknown kind of failure: " <> T.unpack other)

stepName :: Step -> Text
stepName = \case
  Preparing -> "prepare"
  Building -> "build"
  Running -> "run"

-- | The value of an enumeration that has this name.
named :: (Enum a, Bounded a) => String -> (a -> Text) -> Text -> Parser a
named what name text = case [a | a <- [minBound .. maxBound], name a == text] of
  a : _ -> pure a
  [] -> fail ("unknown " <> what <> ": " <> T.unpack text)
