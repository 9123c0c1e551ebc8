{-# LANGUAGE OverloadedStrings #-}

-- | The peak memory of one codec on one payload.
--
-- The idea: a process has one peak in its life, so each codec gets a process
-- of its own, which does nothing but decode the payload and encode the value
-- again. GHC's statistics then say the most memory that it ever held, blocks that
-- collections copy into included. That program is named by who asks: nothing here
-- starts the program that it is part of, and what was started by this does not
-- start anything again ('guardVariable').
--
-- Start at 'Peaks'.
module Tern.Lab.Peak
  ( Peaks (..),
    guardVariable,
    peakElsewhere,
    peakHere,
    roundTrip,
  )
where

import Control.Exception (IOException, try)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Stats (getRTSStats, getRTSStatsEnabled, max_mem_in_use_bytes)
import System.Environment (getEnvironment)
import System.Exit (ExitCode (..))
import System.IO (hClose)
import System.IO.Temp (withSystemTempFile)
import System.Mem (performMajorGC)
import System.Process (CreateProcess (env), proc, readCreateProcessWithExitCode)
import Tern.Lab.Measure (operation, runOperation)
import Tern.Lab.Subject (Codec (..))
import Text.Read (readMaybe)

-- | Whether peaks are wanted, and of which program.
data Peaks
  = NoPeaks
  | -- | The path of a program that has the verb @peak@ of @tern-lab@ and is linked so
    -- that it may be started with @+RTS -T@.
    PeaksBy FilePath
  deriving stock (Eq, Show)

-- | The environment variable that the started program has: with it no further one is
-- started.
guardVariable :: String
guardVariable = "TERN_LAB_PEAK"

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

-- | The same in a process of its own. Nothing where that cannot be had.
peakElsewhere :: Peaks -> Text -> Text -> ByteString -> IO (Maybe Int)
peakElsewhere NoPeaks _ _ _ = pure Nothing
peakElsewhere (PeaksBy program) subject codec bytes = do
  inherited <- getEnvironment
  case lookup guardVariable inherited of
    Just _ -> pure Nothing
    Nothing -> withSystemTempFile "payload" $ \path handle -> do
      B.hPut handle bytes
      hClose handle
      let started =
            ( proc
                program
                ["peak", T.unpack subject, T.unpack codec, path]
            )
              { env = Just ((guardVariable, "1") : inherited)
              }
      answer <- try @IOException (readCreateProcessWithExitCode started "")
      pure $ case answer of
        Right (ExitSuccess, out, _) -> readMaybe out
        _ -> Nothing
