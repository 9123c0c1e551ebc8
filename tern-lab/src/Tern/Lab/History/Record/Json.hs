{-# LANGUAGE DataKinds #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Results as JSON: the file that is kept after each commit, merged between
-- machines and read by other programs.
--
-- Its one idea: the document is flat and named for people who read it with
-- other tools: a metric is @{"least", "median", "most"}@ under its name from
-- the table, and what failed says so in a field @failure@. The field @format@
-- is raised when a reader of older files would be misled. What is written here
-- is a codec by hand for each type, so that an error says where in the file it is.
--
-- Start at 'encodeResults' and 'decodeResults'.
module Tern.Lab.History.Record.Json
  ( encodeResults,
    decodeResults,
    encodeRecord,
    decodeRecord,
    encodeMeasurement,
    decodeMeasurement,
  )
where

import Control.Monad (join)
import Data.ByteString (ByteString)
import Data.ByteString.Lazy qualified as L
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Tern (defaultLimits, renderError)
import Tern.Codec (Codec, (<.>))
import Tern.Codec qualified as Codec
import Tern.Lab.History.Git (Commit (..))
import Tern.Lab.History.Metric (Spread (..), metricName, metricNamed)
import Tern.Lab.History.Record
  ( Built (..),
    Executable (..),
    Failure (..),
    Measurement (..),
    Ran (..),
    Record (..),
    Results (..),
    Source (..),
    Stage (..),
  )
import Tern.Lab.Process (Ending (..))

-- | Compact, in one line without its end.
encodeResults :: Results -> L.ByteString
encodeResults = L.fromStrict . Codec.encodeJson results

-- | Results, or what is wrong with them and where. Another format than this program writes is
-- refused.
decodeResults :: ByteString -> Either Text Results
decodeResults bytes = do
  version <- decoded (Codec.object (Codec.field @"format" id Codec.int)) bytes
  if version == format
    then decoded results bytes
    else
      Left
        ( T.concat
            [ "it is of format ",
              number version,
              ", this program reads format ",
              number format
            ]
        )
  where
    number = T.pack . show

-- | The record of one commit as results have it. No format stands in it.
encodeRecord :: Record -> L.ByteString
encodeRecord = L.fromStrict . Codec.encodeJson record

-- | What 'encodeRecord' wrote, or what is wrong with it and where.
decodeRecord :: ByteString -> Either Text Record
decodeRecord = decoded record

-- | A measurement as the record of a run has it. No format stands in it.
encodeMeasurement :: Measurement -> L.ByteString
encodeMeasurement = L.fromStrict . Codec.encodeJson measurement

-- | What 'encodeMeasurement' wrote, or what is wrong with it and where. A failure is refused.
decodeMeasurement :: ByteString -> Either Text Measurement
decodeMeasurement = decoded measurement

decoded :: Codec a -> ByteString -> Either Text a
decoded codec bytes =
  either (Left . renderError bytes) Right (Codec.decodeJson codec defaultLimits bytes)

-- * Results

format :: Int
format = 1

results :: Codec Results
results =
  Codec.object $
    Results
      <$ Codec.field @"format" (const format) Codec.int
        <.> Codec.field @"range" resultsRange Codec.text
        <.> Codec.field @"fingerprint" resultsFingerprint Codec.text
        <.> Codec.field @"web" resultsWeb (Codec.maybeOf Codec.text)
        <.> Codec.field @"benchmarks" resultsBenchmarks (Codec.listOf benchmark)
        <.> Codec.field @"commits" resultsRecords (Codec.listOf record)
  where
    benchmark =
      Codec.object
        ( (,)
            <$> Codec.field @"name" fst Codec.text <.> Codec.field @"command" snd Codec.text
        )

-- * Records

record :: Codec Record
record =
  Codec.object $
    ( \hash parents time author subject machine built' why runs ->
        Record (Commit hash parents time author subject) machine built' runs why
    )
      <$> Codec.field @"commit" (commitHash . recordCommit) Codec.text
        <.> Codec.field @"parents" (commitParents . recordCommit) (Codec.listOf Codec.text)
        <.> Codec.field @"time" (commitTime . recordCommit) Codec.int
        <.> Codec.field @"author" (commitAuthor . recordCommit) Codec.text
        <.> Codec.field @"subject" (commitSubject . recordCommit) Codec.text
        <.> Codec.field @"machine" recordMachine Codec.text
        <.> Codec.field @"build" recordBuilt built
        <.> Codec.field @"why" recordWhy (Codec.maybeOf Codec.text)
        <.> Codec.field @"runs" recordRuns (Codec.listOf run)
  where
    run =
      Codec.object
        ( (,)
            <$> Codec.field @"benchmark" fst Codec.text <.> Codec.field @"result" snd ran
        )

-- | What failed has its failure alone; of what was built, what is unknown is null.
data BuildParts = BuildParts
  { buildingFailure :: !(Maybe Failure),
    buildingSeconds :: !(Maybe (Maybe Double)),
    buildingExecutable :: !(Maybe (Maybe Executable))
  }

built :: Codec Built
built = Codec.mapCodec to from parts
  where
    to = \case
      BuildParts (Just why) _ _ -> NotBuilt why
      BuildParts Nothing seconds executable' -> Built (join seconds) (join executable')
    from = \case
      NotBuilt why -> BuildParts (Just why) Nothing Nothing
      Built seconds executable' -> BuildParts Nothing (Just seconds) (Just executable')
    parts =
      Codec.object $
        BuildParts
          <$> Codec.optional @"failure" buildingFailure failure
            <.> Codec.optional @"seconds" buildingSeconds (Codec.maybeOf Codec.double)
            <.> Codec.optional @"executable" buildingExecutable (Codec.maybeOf executable)
    executable =
      Codec.object
        ( Executable
            <$> Codec.field
              @"hash"
              executableHash
              Codec.text
              <.> Codec.field @"size" executableSize Codec.int
        )

-- * Measurements

-- | A failure alone, or a measurement's fields.
data RunParts = RunParts
  { runningFailure :: !(Maybe Failure),
    runningSpreads :: !(Maybe (Map.Map Text Spread)),
    runningSource :: !(Maybe Source),
    runningRuns :: !(Maybe (Maybe Int)),
    runningOutput :: !(Maybe Text),
    runningStable :: !(Maybe Bool),
    runningCached :: !(Maybe Bool)
  }

ran :: Codec Ran
ran = Codec.refine to from parts
  where
    to = \case
      RunParts (Just why) _ _ _ _ _ _ -> Right (NotRun why)
      RunParts Nothing spreads' source runs output stable cached ->
        fmap Ran $
          Measurement
            <$> (Map.fromList . known <$> needed "figures" spreads')
            <*> needed "source" source
            <*> pure (join runs)
            <*> needed "output" output
            <*> needed "stable" stable
            <*> needed "cached" cached
    needed :: Text -> Maybe a -> Either Text a
    needed name =
      maybe
        ( Left
            ( T.concat
                [ "neither a failure nor a measurement, which has the field \"",
                  name,
                  "\""
                ]
            )
        )
        Right
    -- Those of a newer program are left out.
    known every =
      [(metric, spread) | (name, spread) <- Map.toList every, Just metric <- [metricNamed name]]
    from = \case
      NotRun why -> RunParts (Just why) Nothing Nothing Nothing Nothing Nothing Nothing
      Ran m ->
        RunParts
          { runningFailure = Nothing,
            runningSpreads =
              Just
                ( Map.fromList
                    [ (metricName metric, spread)
                      | (metric, spread) <-
                          Map.toList (measuredSpreads m)
                    ]
                ),
            runningSource = Just (measuredSource m),
            runningRuns = Just (measuredRuns m),
            runningOutput = Just (measuredOutput m),
            runningStable = Just (measuredStable m),
            runningCached = Just (measuredCached m)
          }
    parts =
      Codec.object $
        RunParts
          <$> Codec.optional @"failure" runningFailure failure
            <.> Codec.optional @"figures" runningSpreads (Codec.mapOf Codec.text figures)
            <.> Codec.optional @"source" runningSource (named "source" sourceName)
            <.> Codec.optional @"runs" runningRuns (Codec.maybeOf Codec.int)
            <.> Codec.optional @"output" runningOutput Codec.text
            <.> Codec.optional @"stable" runningStable Codec.bool
            <.> Codec.optional @"cached" runningCached Codec.bool
    figures =
      Codec.object $
        Spread
          <$> Codec.field @"least" spreadLeast Codec.double
            <.> Codec.field @"median" spreadMedian Codec.double
            <.> Codec.field @"most" spreadMost Codec.double

measurement :: Codec Measurement
measurement = Codec.refine measured Ran ran
  where
    measured = \case
      Ran m -> Right m
      NotRun _ -> Left "a failure, and no measurement"

sourceName :: Source -> Text
sourceName = \case
  RuntimeFile -> "runtime-file"
  RuntimePage -> "runtime-page"
  ProcessOnly -> "process"

-- * Failures

-- | All that failures have, each kind some of it.
data Failing = Failing
  { failingKind :: !Text,
    failingStep :: !(Maybe Stage),
    failingWritten :: !(Maybe Text),
    failingStatus :: !(Maybe Int),
    failingSignal :: !(Maybe Int),
    failingTimeout :: !(Maybe Double),
    failingPlace :: !(Maybe Text),
    failingOutput :: !(Maybe Text)
  }

failure :: Codec Failure
failure = Codec.refine to from parts
  where
    to it = case failingKind it of
      "command" ->
        Failure
          <$> needed "step" (failingStep it)
          <*> ending it
          <*> needed "written" (failingWritten it)
      "no-executable" -> NoExecutable <$> needed "place" (failingPlace it)
      "wrong-output" -> WrongOutput <$> needed "output" (failingOutput it)
      other -> Left ("unknown kind of failure: " <> other)
    ending it = case (failingStatus it, failingSignal it, failingTimeout it) of
      (Just code, _, _) -> Right (Exited code)
      (Nothing, Just signal, _) -> Right (Signalled signal)
      (Nothing, Nothing, Just seconds) -> Right (TimedOut seconds)
      (Nothing, Nothing, Nothing) -> Left "a failure has a status, a signal or a timeout"
    needed :: Text -> Maybe a -> Either Text a
    needed name =
      maybe (Left (T.concat ["a failure of this kind has the field \"", name, "\""])) Right
    nothing kind = Failing kind Nothing Nothing Nothing Nothing Nothing Nothing Nothing
    from = \case
      Failure step how written ->
        ended how (nothing "command") {failingStep = Just step, failingWritten = Just written}
      NoExecutable place -> (nothing "no-executable") {failingPlace = Just place}
      WrongOutput hash -> (nothing "wrong-output") {failingOutput = Just hash}
    ended how it = case how of
      Exited code -> it {failingStatus = Just code}
      Signalled signal -> it {failingSignal = Just signal}
      TimedOut seconds -> it {failingTimeout = Just seconds}
    parts =
      Codec.object $
        Failing
          <$> Codec.field @"kind" failingKind Codec.text
            <.> Codec.optional @"step" failingStep (named "step" stepName)
            <.> Codec.optional @"written" failingWritten Codec.text
            <.> Codec.optional @"status" failingStatus Codec.int
            <.> Codec.optional @"signal" failingSignal Codec.int
            <.> Codec.optional @"timeout" failingTimeout Codec.double
            <.> Codec.optional @"place" failingPlace Codec.text
            <.> Codec.optional @"output" failingOutput Codec.text

stepName :: Stage -> Text
stepName = \case
  Preparing -> "prepare"
  Building -> "build"
  Running -> "run"

-- | The value of an enumeration that has this name.
named :: (Enum a, Bounded a) => Text -> (a -> Text) -> Codec a
named what name = Codec.refine to name Codec.text
  where
    to text = case [a | a <- [minBound .. maxBound], name a == text] of
      a : _ -> Right a
      [] -> Left (T.concat ["unknown ", what, ": ", text])
