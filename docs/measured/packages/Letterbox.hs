{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE OverloadedStrings #-}

-- | What boats report to a harbour, by messages with fields that have numbers: written, read back,
-- and summed up.
module Main (main) where

import qualified Data.ByteString as B
import Data.Either (rights)
import Data.Int (Int32, Int64)
import Data.ProtocolBuffers
import Data.Serialize (runGet, runPut)
import Data.Text (Text)
import qualified Data.Text as T
import GHC.Generics (Generic)

data Position = Position
  { latitude :: Required 1 (Value Double),
    longitude :: Required 2 (Value Double),
    heading :: Optional 3 (Value Float)
  }
  deriving (Generic, Show)

data Report = Report
  { boat :: Required 1 (Value Text),
    hour :: Required 2 (Value Int64),
    depths :: Packed 3 (Value (Signed Int32)),
    track :: Repeated 4 (Message Position),
    note :: Optional 5 (Value Text),
    alarms :: Repeated 6 (Value Text)
  }
  deriving (Generic, Show)

instance Encode Position

instance Decode Position

instance Encode Report

instance Decode Report

report :: Int -> Report
report n =
  Report
    { boat = putField (T.pack ("boat " ++ show (n `mod` 40))),
      hour = putField (fromIntegral n * 3600),
      depths = putField [Signed (fromIntegral ((n * k) `mod` 60) - 30) | k <- [1 .. 12]],
      track = putField [Position (putField (54 + fromIntegral k / 100)) (putField (7 - fromIntegral n / 5000)) (putField (if odd k then Just (fromIntegral (k * 9)) else Nothing)) | k <- [1 .. 8]],
      note = putField (if n `mod` 3 == 0 then Just "nets out, two buoys lost" else Nothing),
      alarms = putField ["engine" | n `mod` 50 == 0]
    }

main :: IO ()
main = do
  let written = [runPut (encodeMessage (report n)) | n <- [1 .. 2500]]
      heard = rights (map (runGet decodeMessage) written) :: [Report]
  print (sum (map B.length written), length heard)
  print (sum [fromIntegral d | r <- heard, Signed d <- getField (depths r)] :: Int)
  print (sum [getField (latitude p) + maybe 0 realToFrac (getField (heading p)) | r <- heard, p <- getField (track r)])
  print (maximum [getField (hour r) | r <- heard], length (concatMap (getField . alarms) heard))
  print (sum [maybe 0 T.length (getField (note r)) + T.length (getField (boat r)) | r <- heard])
