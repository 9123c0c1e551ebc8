-- | The peak memory of one codec on one payload.
--
-- The idea: a process has one peak in its life, so each codec gets a process
-- of its own (the same program, called with the verb @peak@), which does
-- nothing but decode the payload and encode the value again. GHC's statistics
-- then say the most memory that it ever held, blocks that collections copy
-- into included. The program must have been started with @+RTS -T@.
module Tern.Lab.Peak
  ( roundTrip,
    peakHere,
    peakElsewhere,
  )
where

import Control.Exception (IOException, try)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Stats (getRTSStats, getRTSStatsEnabled, max_mem_in_use_bytes)
import System.Environment (getExecutablePath)
import System.Exit (ExitCode (..))
import System.IO (hClose)
import System.IO.Temp (withSystemTempFile)
import System.Mem (performMajorGC)
import System.Process (readProcessWithExitCode)
import Tern.Lab.Measure
import Tern.Lab.Subject
import Text.Read (readMaybe)

-- | Decode, hold the value, encode it again; the answer is the new payload's
-- length.
roundTrip :: Codec a -> ByteString -> Either Text Int
roundTrip Codec {..} bytes = case decode bytes of
  Left message -> Left message
  Right model -> case settleModel model of
    () -> case encode model of
      output -> case settleOutput output of
        () -> Right (B.length (toBytes output))

-- | The most memory that this process has held, in bytes, once it has made the
-- round trip so often that a small value's garbage is there as well.
peakHere :: Codec a -> ByteString -> IO (Maybe Int)
peakHere codec bytes = do
  runOperation (operation (roundTrip codec) (either (`seq` ()) (`seq` ())) bytes) times
  -- The statistics are taken in collections, and there may have been none.
  performMajorGC
  enabled <- getRTSStatsEnabled
  if enabled
    then Just . fromIntegral . max_mem_in_use_bytes <$> getRTSStats
    else pure Nothing
  where
    times = max 1 (min 10000 (4 * 1024 * 1024 `div` max 1 (B.length bytes)))

-- | The same in a process of its own, of this very program. Nothing where that
-- cannot be had.
peakElsewhere :: Text -> Text -> ByteString -> IO (Maybe Int)
peakElsewhere subject codec bytes =
  withSystemTempFile "payload" $ \path handle -> do
    B.hPut handle bytes
    hClose handle
    program <- getExecutablePath
    answer <- try @IOException (readProcessWithExitCode program ["peak", T.unpack subject, T.unpack codec, path] "")
    pure $ case answer of
      Right (ExitSuccess, out, _) -> readMaybe out
      _ -> Nothing
