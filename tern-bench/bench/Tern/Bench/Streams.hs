{-# LANGUAGE OverloadedStrings #-}

-- | Streams: how much memory a long one takes, and what reading in chunks costs
-- beside reading one string.
--
-- The idea: values are made, encoded, decoded and encoded again, each when the
-- next step asks for it, so that no part of the stream is ever whole; and what
-- comes out is compared with what went in. The peak is that of the process, so
-- this is a job of its own.
--
-- Start at 'streams'.
module Tern.Bench.Streams
  ( streams,
  )
where

import Control.Monad (forM, forM_, unless, when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.IORef (modifyIORef', newIORef, readIORef, writeIORef)
import Data.List.NonEmpty (NonEmpty)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import GHC.Clock (getMonotonicTime)
import GHC.Stats (getRTSStats, max_mem_in_use_bytes)
import System.Exit (die)
import System.IO (hPutStrLn, stderr)
import System.Mem (performMajorGC)
import Tern
import Tern.Bench.Containers (comparedContainers, containers)
import Tern.Bench.Resident (residentPeak)
import Tern.Bench.Sighting (Sighting (..), sighting)
import Tern.Lab.Measure (Settings (..), Timing (..), defaultSettings, operation, timings)
import Tern.Stream
  ( Decoder,
    Sequence,
    Step (..),
    chunkSize,
    decoder,
    encodeLazy,
    encodeTo,
    foldStream,
    next,
    renderFault,
  )

-- | Send this number of @megabytes@ (of 10^6 bytes) through each sequence, and then
-- compare chunks with one string. A peak of 64 MB or more is a failure.
streams :: Int -> IO ()
streams megabytes = do
  forM_ [minBound .. maxBound] $ \order -> sent order =<< through order size
  containers peakHere megabytes
  figures <- forM [minBound .. maxBound] $ \order ->
    compared
      order
      (decoder order defaultLimits :: Decoder Sighting)
      (encodeLazy order (map sighting [1 .. 50000]))
  list <- strict (encodeJson (map sighting [1 .. 50000]))
  mapM_ T.putStrLn (concat figures <> list)
  comparedContainers
  where
    size = megabytes * 1000000
    sent order (count, seconds) = do
      peak <- peakHere
      T.putStrLn . T.concat $
        [ name
            order,
          ": ",
          number' count,
          " elements, ",
          number' megabytes,
          " MB made, encoded, decoded and encoded again in ",
          number' (round (seconds :: Double)),
          " s, peak ",
          number' (peak `quot` 1000000),
          " MB"
        ]
      when (peak >= 64000000) $ die "tern-bench: the peak is not below 64 MB"

number' :: Int -> Text
number' = T.pack . show

name :: Sequence -> Text
name = T.pack . show

-- | The most memory that this process has held, in bytes: the runtime's
-- account, or the kernel's where that is more.
peakHere :: IO Int
peakHere = do
  performMajorGC
  runtime <- fromIntegral . max_mem_in_use_bytes <$> getRTSStats
  maybe runtime (max runtime) <$> residentPeak "self"

-- | Send about @size@ bytes through a sequence: how many elements they were, and how many
-- seconds they took.
through :: Sequence -> Int -> IO (Int, Double)
through order size = do
  hPutStrLn stderr (T.unpack (T.concat ["tern-bench: ", name order]))
  start <- getMonotonicTime
  -- Chunks come out as they went in, for a chunk ends where it is full.
  expected <- newIORef ([] :: [ByteString])
  wrong <- newIORef False
  left <- newIORef (L.toChunks (encodeLazy order (map sighting [1 .. count])))
  let source =
        readIORef left >>= \case
          [] -> pure B.empty
          chunk : later -> do
            writeIORef left later
            modifyIORef' expected (<> [chunk])
            pure chunk
      consume chunk =
        readIORef expected >>= \case
          first : later | first == chunk -> writeIORef expected later
          _ -> writeIORef wrong True
  (found, fault) <- encodeTo order consume $ \put ->
    foldStream
      (\n value -> put value >> pure (n + 1))
      (0 :: Int)
      source
      (decoder order defaultLimits :: Decoder Sighting)
  forM_ fault $ \one -> die ("tern-bench: " <> T.unpack (renderFault one))
  bad <- readIORef wrong
  when (bad || found /= count) $ die "tern-bench: what came out is not what went in"
  end <- getMonotonicTime
  pure (found, end - start)
  where
    few = 10000
    -- Numbers have more digits later.
    count =
      max
        1
        ( size
            `quot` max
              1
              ( fromIntegral
                  ( L.length
                      ( encodeLazy
                          order
                          ( map
                              sighting
                              [size `quot` 100 .. size `quot` 100 + few - 1]
                          )
                      )
                  )
                  `quot` few
              )
        )

-- | Chunks of 32 KiB against one string, in the same rounds.
compared :: Sequence -> Decoder a -> L.ByteString -> IO [Text]
compared order from input = do
  let whole = L.toStrict input
      chunks = pieces whole
  unless (drained from chunks == drained from [whole]) $
    die "tern-bench: chunks do not hold what the string holds"
  times <-
    timings
      settings
      (const (pure ()))
      [ operation
          (drained from)
          (`seq` ())
          [whole],
        operation (drained from) (`seq` ()) chunks
      ]
  case map (median . cpuTimes) times of
    [one, many] ->
      pure
        [ T.concat
            [ name order,
              ": one string ",
              speed whole one,
              ", chunks of 32 KiB ",
              speed whole many,
              ", ",
              T.pack
                ( show
                    ( fromIntegral (round (1000 * many / one - 1000 :: Double) :: Int) / 10 ::
                        Double
                    )
                ),
              " % more"
            ]
        ]
    _ -> pure []

-- | One array as a list, for comparison.
strict :: ByteString -> IO [Text]
strict input = do
  times <-
    timings
      settings
      (const (pure ()))
      [ operation
          (either (const 0) total . decodeJson)
          (`seq` ())
          input
      ]
  pure
    [ T.concat ["the array as a list, by decodeJson: ", speed input (median (cpuTimes one))]
      | one <-
          times
    ]
  where
    total = foldr (\one n -> number one + n) 0 :: [Sighting] -> Int

settings :: Settings
settings = defaultSettings {rounds = 21, batch = 2e7}

speed :: ByteString -> Double -> Text
speed input nanoseconds =
  T.concat [number' (round (fromIntegral (B.length input) * 1000 / nanoseconds)), " MB/s"]

median :: NonEmpty Double -> Double
median samples = NonEmpty.sort samples NonEmpty.!! (NonEmpty.length samples `quot` 2)

-- | Chunks of their own.
pieces :: ByteString -> [ByteString]
pieces input
  | B.null input = []
  | otherwise = let (chunk, rest) = B.splitAt chunkSize input in B.copy chunk : pieces rest

-- | How many elements there are; below 0 where there is a fault.
drained :: Decoder a -> [ByteString] -> Int
drained = go 0
  where
    go !n d chunks = case next d of
      Element _ d' -> go (n + 1) d' chunks
      NeedMore feed -> case chunks of
        [] -> go n (feed B.empty) []
        chunk : later -> go n (feed chunk) later
      Damaged _ _ -> negate n - 1
      End -> n
