{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Codecs measured against each other: on one value, on a document, or on many
-- different values whose results are kept.
--
-- The idea: nothing is timed before it is checked ("Tern.Lab.Agreement"), and
-- both directions of all codecs are timed together, in the same rounds, with the
-- first codec once more: the same code against itself. A document is decoded as it
-- is by the codecs of its format; the others decode what they have made of it.
--
-- Start at 'compareOn'.
module Tern.Lab.Compare
  ( -- * One comparison
    compareOn,
    comparing,
    How (..),
    Given (..),

    -- * Several
    Workload (..),
    Plan (..),
    runPlan,
  )
where

import Codec.Compression.GZip qualified as GZip
import Codec.Compression.Zstd qualified as Zstd
import Control.DeepSeq (rnf)
import Control.Monad (forM, forM_, when, (>=>))
import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Except (ExceptT, throwE)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as Lazy
import Data.Either (partitionEithers)
import Data.Function (on)
import Data.List (nubBy, zip4)
import Data.Maybe (fromMaybe, isJust, listToMaybe, maybeToList)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector.Unboxed qualified as U
import Tern.Lab.Agreement (disagreement, renderDisagreement)
import Tern.Lab.Complaint (Complaint (..), readingFile)
import Tern.Lab.Cost (costOf)
import Tern.Lab.Measure
  ( Operation,
    Settings (..),
    Timing (..),
    allocatedBy,
    keeping,
    operation,
    operationWith,
    timings,
  )
import Tern.Lab.Pace (paceWork)
import Tern.Lab.Peak (Peaks (..), peakElsewhere)
import Tern.Lab.Place (elsewhere)
import Tern.Lab.Progress (Progress)
import Tern.Lab.Progress qualified as Progress
import Tern.Lab.Result
  ( Comparison
      ( Comparison,
        about,
        floorOfTime,
        input,
        pace,
        records,
        rows,
        subject
      ),
    Cost (..),
    Decoded (..),
    Row (Row, codec, decode, decodes, encode, gzipped, payload, peak, zstandard),
  )
import Tern.Lab.Result qualified as Result
import Tern.Lab.Stats (Spread (..), difference, spread, unseen)
import Tern.Lab.Subject (Codec (..), Subject (..), codecNames, decoded, keptCodecs)

-- | What is measured.
data Workload
  = -- | The value that a subject brings.
    BuiltIn Text
  | -- | This number of different values that a subject brings.
    Many Text Int
  | -- | A document of the user's, with the subject that it is a value of.
    Document FilePath Text
  deriving stock (Eq, Show)

-- | Everything that 'runPlan' will do.
data Plan = Plan
  { workloads :: [Workload],
    -- | All where none is named.
    onlyCodecs :: [Text],
    settings :: Settings
  }
  deriving stock (Eq, Show)

-- | Compare on each workload in turn. The action gets each comparison as soon
-- as it is there.
runPlan ::
  (Text -> Maybe Subject) ->
  Peaks ->
  Progress ->
  Plan ->
  (Comparison -> IO ()) ->
  ExceptT Complaint IO ()
runPlan known peaks progress Plan {..} report =
  mapM_ (one >=> liftIO . report) workloads
  where
    how = How {patience = settings, peaks, progress, named = onlyCodecs}
    one = \case
      BuiltIn name -> called name >>= \subject -> comparing how subject OneValue
      Many name count -> called name >>= \subject -> comparing how subject (ManyValues count)
      Document path name -> do
        subject <- called name
        bytes <- readingFile path "a document" (B.readFile path)
        comparing how subject (TheDocument path bytes)
    called name = case known name of
      Just subject -> pure subject
      Nothing ->
        throwE (UsageComplaint ("no type is called " <> T.unpack name <> "; see tern-lab list"))

-- * One comparison

-- | How a comparison is made.
data How = How
  { patience :: Settings,
    peaks :: Peaks,
    progress :: Progress,
    -- | The codecs that are measured; all where none is named.
    named :: [Text]
  }

-- | What is encoded and decoded.
data Given
  = -- | The value that the subject brings, again and again.
    OneValue
  | -- | This number of values that it brings, one after the other, the results kept.
    -- Timed in a quarter of the rounds, at least ten.
    ManyValues Int
  | -- | A document: where it is from, and its bytes.
    TheDocument FilePath ByteString

-- | All codecs of a subject, on its own value or on a document, without peaks: no
-- process is started.
compareOn ::
  Settings -> Progress -> Subject -> Maybe (FilePath, ByteString) -> ExceptT Complaint IO Comparison
compareOn settings progress subject document =
  comparing
    How
      { patience =
          settings,
        peaks = NoPeaks,
        progress,
        named = []
      }
    subject
    (maybe OneValue (uncurry TheDocument) document)

-- | The codecs that are named, on what is given.
comparing :: How -> Subject -> Given -> ExceptT Complaint IO Comparison
comparing How {..} Subject {..} given = do
  when (null codecs) (refuse "no codec is left to measure; see tern-lab list")
  case given of
    OneValue -> do
      value <- orRefuse " brings no value; give a document of it" subjectValue
      checked [value] [] (mapM (candidate value Nothing))
    ManyValues count -> do
      numbered <- orRefuse " brings no different values" subjectValues
      let (some, others) = splitAt 1000 (map numbered [1 .. max 1 count])
      checked some others (mapM (manyCandidate (some <> others)))
    TheDocument path bytes -> do
      (format, value) <- either (refuse . about path) pure (understood subjectCodecs bytes)
      forM_ (filter ((== format) . codecFormat) codecs) $ \codec -> case decoded codec bytes of
        Right again | again == value -> pure ()
        Right _ ->
          refuse
            ( about
                path
                ( T.concat
                    [ codecName
                        codec,
                      " reads another value there than ",
                      T.intercalate ", " (take 1 (codecNames Subject {..}))
                    ]
                )
            )
        Left message ->
          refuse
            ( about
                path
                ( T.concat
                    [ codecName
                        codec,
                      " does not read it: ",
                      T.take 300 message
                    ]
                )
            )
      checked [value] [] (mapM (candidate value (Just (format, bytes))))
  where
    codecs = keptCodecs named subjectCodecs
    refuse = throwE . DataComplaint
    orRefuse what = maybe (refuse ("the type " <> T.unpack subjectName <> what)) pure
    about path message = path <> ": " <> T.unpack message
    say what = Progress.tell progress (T.concat [subjectName, ": ", what])
    settings = case given of
      ManyValues _ -> patience {rounds = min patience.rounds (max 10 (patience.rounds `div` 4))}
      _ -> patience
    -- Values that all codecs of a format must understand of each other, values that
    -- each must read back, and what is measured of codecs.
    checked some others candidates = do
      liftIO (say "checking that the codecs agree")
      case [found | value <- some, Just found <- [disagreement codecs value]]
        <> [found | codec <- codecs, value <- others, Just found <- [disagreement [codec] value]] of
        found : _ -> refuse (documentName (<> ": ") "" <> T.unpack (renderDisagreement found))
        [] -> pure ()
      liftIO $ do
        measured <- candidates codecs
        -- The first once more, made anew: the same code against itself.
        twins <- candidates (take 1 codecs)
        (floorOfTime, pace, rows) <-
          rowsOf (peakElsewhere peaks subjectName) settings say measured twins
        pure
          Comparison
            { subject = subjectName,
              about = subjectAbout,
              input = documentName (Just . T.pack) Nothing,
              records = case given of
                ManyValues count -> Just (max 1 count)
                _ -> Nothing,
              Result.rounds = settings.rounds,
              floorOfTime,
              pace,
              rows
            }
    documentName with without = case given of
      TheDocument path _ -> with path
      _ -> without

-- | The document's format and its value, as the first codec reads it that can, of one
-- codec a format. What begins as JSON is JSON, or nothing that can be read.
understood :: [Codec a] -> ByteString -> Either Text (Text, a)
understood codecs bytes = case partitionEithers (map reading asked) of
  (_, found : _) -> Right found
  (message : _, []) -> Left message
  ([], []) -> Left "no codec is left to read it"
  where
    reading codec = (,) (codecFormat codec) <$> decoded codec bytes
    asked
      | BC.elem (BC.head (BC.dropWhile (`elem` (" \t\r\n" :: String)) bytes <> " ")) "{[\"" =
          take 1 formats
      | otherwise = formats
    formats = nubBy ((==) `on` codecFormat) codecs

-- | A codec with what it works on, ready to be measured.
data Candidate = Candidate
  { name :: !Text,
    format :: !Text,
    -- | What it wrote.
    written :: !ByteString,
    -- | What it reads, with its origin.
    readFrom :: !ByteString,
    origin :: !Decoded,
    -- | How many values one operation works on.
    values :: !Int,
    encoding :: !Operation,
    decoding :: !Operation
  }

-- | One value, and the document that it was read from, with its format.
candidate :: a -> Maybe (Text, ByteString) -> Codec a -> IO Candidate
candidate value document Codec {..} = do
  given <- elsewhere readFrom
  pure
    Candidate
      { name = codecName,
        format = codecFormat,
        written,
        readFrom,
        origin = Decoded {fromFile = isJust (listToMaybe own), size = B.length readFrom},
        values = 1,
        encoding = settleModel model `seq` operation encode settleOutput model,
        decoding = operationWith decode (either rnf settleModel) given
      }
  where
    model = toModel value
    written = toBytes (encode model)
    own = [bytes | (format, bytes) <- maybeToList document, format == codecFormat]
    readFrom = fromMaybe written (listToMaybe own)

-- | Many values. What is decoded is one string in memory, of which each batch is
-- given the pieces.
manyCandidate :: [a] -> Codec a -> IO Candidate
manyCandidate givenValues Codec {..} = do
  given <- elsewhere written
  pure
    Candidate
      { name = codecName,
        format = codecFormat,
        written,
        readFrom = written,
        origin = Decoded {fromFile = False, size = B.length written},
        values = U.length lengths,
        encoding =
          foldr (seq . settleModel) () models `seq`
            operation (keeping encode settleOutput) (const ()) models,
        decoding =
          operationWith
            (keeping decode (either rnf settleModel))
            (const ())
            (pieces lengths =<< given)
      }
  where
    models = map toModel givenValues
    payloads = map (toBytes . encode) models
    written = B.concat payloads
    lengths = U.fromList (map B.length payloads)

-- | The pieces of a string, by their lengths: a list that is made anew each time.
pieces :: U.Vector Int -> ByteString -> IO [ByteString]
pieces lengths whole = go (U.length lengths - 1) (B.length whole) []
  where
    go i end done
      | i < 0 = pure done
      | otherwise = do
          let !piece = B.drop (end - lengths U.! i) (B.take end whole)
          go (i - 1 :: Int) (end - lengths U.! i) (piece : done)

-- | The figures of all candidates, and the A\/A floor of their times: what parts
-- halves of the rounds, or a twin from the one that it is a twin of.
rowsOf ::
  (Text -> ByteString -> IO (Maybe Int)) ->
  Settings ->
  (Text -> IO ()) ->
  [Candidate] ->
  [Candidate] ->
  IO (Double, Maybe Cost, [Row])
rowsOf peakOf settings say candidates twins = do
  say "counting bytes"
  allocations <- mapM allocatedBy (both candidates)
  (times, others) <-
    splitAt (2 * length candidates)
      <$> timings settings beginning (both candidates <> both twins <> [paceWork])
  peaks <- forM candidates $ \one ->
    if one.values > 1
      then pure Nothing
      else say ("peak memory of " <> one.name) >> peakOf one.name one.readFrom
  let (twinTimes, paces) = splitAt (2 * length twins) others
      (encodings, decodings) = splitAt (length candidates) (zip allocations times)
      originals = map cpuTimes (take 1 times <> take 1 (drop (length candidates) times))
      apart a b = difference (spread a).median (spread b).median
      floorOfTime =
        maximum (unseen (map cpuTimes times) : zipWith apart originals (map cpuTimes twinTimes))
  pure
    ( floorOfTime,
      costOf 1 0 <$> listToMaybe paces,
      [ row one (cost one enc) (cost one dec) peak
        | (one, enc, dec, peak) <-
            zip4 candidates encodings decodings peaks
      ]
    )
  where
    both some = map encoding some <> map decoding some
    beginning number =
      say (T.concat ["round ", T.pack (show number), " of ", T.pack (show settings.rounds)])
    row one encode decode peak =
      Row
        { codec = one.name,
          Result.codecFormat = Just one.format,
          decodes = Just one.origin,
          payload = B.length one.written,
          gzipped = fromIntegral (Lazy.length (GZip.compress (Lazy.fromStrict one.written))),
          -- Each at its own usual level.
          zstandard = Just (B.length (Zstd.compress 3 one.written)),
          ..
        }
    cost one (bytes, timing) = costOf one.values bytes timing
