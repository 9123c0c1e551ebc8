{-# LANGUAGE OverloadedRecordDot #-}
{-# LANGUAGE OverloadedStrings #-}

-- | Codecs measured against each other on one value.
--
-- The idea: nothing is timed before it is checked ("Tern.Lab.Agreement"), and
-- both directions of all codecs are timed together, in the same rounds.
--
-- Start at 'compareOn'.
module Tern.Lab.Compare
  ( Workload (..),
    Plan (..),
    runPlan,
    compareOn,
  )
where

import Codec.Compression.GZip qualified as GZip
import Control.DeepSeq (rnf)
import Control.Monad (forM, (>=>))
import Control.Monad.IO.Class (liftIO)
import Control.Monad.Trans.Except (ExceptT, throwE)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as Lazy
import Data.List (zipWith4)
import Data.Text (Text)
import Data.Text qualified as T
import Tern.Lab.Agreement
import Tern.Lab.Complaint
import Tern.Lab.Measure
import Tern.Lab.Peak (peakElsewhere)
import Tern.Lab.Progress (Progress)
import Tern.Lab.Progress qualified as Progress
import Tern.Lab.Result (Comparison (..), Cost (..), Row (..))
import Tern.Lab.Stats
import Tern.Lab.Subject

-- | What is measured.
data Workload
  = -- | The value that a subject brings.
    BuiltIn Text
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
runPlan :: (Text -> Maybe Subject) -> Progress -> Plan -> (Comparison -> IO ()) -> ExceptT Complaint IO ()
runPlan known progress Plan {..} report =
  mapM_ (one >=> liftIO . report) workloads
  where
    one = \case
      BuiltIn name -> named name >>= \subject -> compareOn settings progress subject Nothing
      Document path name -> do
        subject <- named name
        bytes <- readingFile path "a JSON document" (B.readFile path)
        compareOn settings progress subject (Just (path, bytes))
    named name = case known name of
      Just subject | null onlyCodecs -> pure subject
      Just subject -> pure (keepCodecs onlyCodecs subject)
      Nothing -> throwE (UsageComplaint ("no type is called " <> T.unpack name <> "; see tern-lab list"))

-- | All codecs of a subject, on its own value or on a document.
compareOn :: Settings -> Progress -> Subject -> Maybe (FilePath, ByteString) -> ExceptT Complaint IO Comparison
compareOn settings progress Subject {..} document = do
  value <- case (document, subjectCodecs, subjectValue) of
    (_, [], _) -> refuse "no codec is left to measure; see tern-lab list"
    (Just (path, bytes), first : _, _) -> case decoded first bytes of
      Left message -> refuse (path <> ": " <> T.unpack message)
      Right value -> pure value
    (Nothing, _, Just value) -> pure value
    (Nothing, _, Nothing) -> refuse ("the type " <> T.unpack subjectName <> " brings no value; give a document of it")
  liftIO (say "checking that the codecs agree")
  case disagreement subjectCodecs value of
    Just found -> refuse (maybe "" ((<> ": ") . fst) document <> T.unpack (renderDisagreement found))
    Nothing -> pure ()
  liftIO $ do
    (floorOfTime, rows) <- rowsOf subjectName settings say (map (candidate value) subjectCodecs)
    pure
      Comparison
        { subject = subjectName,
          about = subjectAbout,
          input = T.pack . fst <$> document,
          rounds = settings.rounds,
          floorOfTime,
          rows
        }
  where
    refuse = throwE . DataComplaint
    say what = Progress.tell progress (T.concat [subjectName, ": ", what])

-- | A codec with one value, ready to be measured.
data Candidate = Candidate
  { name :: !Text,
    format :: !Text,
    payload :: !ByteString,
    encoding :: !Operation,
    decoding :: !Operation
  }

candidate :: a -> Codec a -> Candidate
candidate value Codec {..} =
  Candidate
    { name = codecName,
      format = codecFormat,
      payload,
      encoding = settleModel model `seq` operation encode settleOutput model,
      decoding = operation decode (either rnf settleModel) payload
    }
  where
    !model = toModel value
    !payload = toBytes (encode model)

-- | The figures of all candidates, and the A\/A floor of their times.
rowsOf :: Text -> Settings -> (Text -> IO ()) -> [Candidate] -> IO (Double, [Row])
rowsOf subject settings say candidates = do
  say "counting bytes"
  allocations <- mapM allocatedBy operations
  times <- timings settings beginning operations
  peaks <- forM candidates $ \one -> do
    say ("peak memory of " <> one.name)
    peakElsewhere subject one.name one.payload
  let costs = zipWith cost allocations times
      (encodings, decodings) = splitAt (length candidates) costs
  pure (unseen (map cpuTimes times), zipWith4 row candidates encodings decodings peaks)
  where
    operations = map encoding candidates <> map decoding candidates
    beginning number =
      say (T.concat ["round ", T.pack (show number), " of ", T.pack (show settings.rounds)])
    row one encode decode peak =
      Row
        { codec = one.name,
          codecFormat = Just one.format,
          payload = B.length one.payload,
          gzipped = fromIntegral (Lazy.length (GZip.compress (Lazy.fromStrict one.payload))),
          ..
        }
    cost allocated Timing {..} =
      Cost {time = spread cpuTimes, wall = (spread wallTimes).median, allocated}
