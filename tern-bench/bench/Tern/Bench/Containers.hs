{-# LANGUAGE OverloadedStrings #-}

-- | Containers of the native format: how much memory a long one takes, and what
-- reading one costs beside one document of the same values.
--
-- The idea is that of "Tern.Bench.Streams": each step asks for what it needs, nothing is
-- ever whole, and what comes out is compared with what went in.
--
-- Start at 'containers' and 'comparedContainers'.
module Tern.Bench.Containers
  ( containers,
    comparedContainers,
  )
where

import Control.Monad (unless, when)
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Lazy qualified as L
import Data.IORef (modifyIORef', newIORef, readIORef, writeIORef)
import Data.List.NonEmpty (NonEmpty)
import Data.List.NonEmpty qualified as NonEmpty
import Data.Maybe (isNothing)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import GHC.Clock (getMonotonicTime)
import System.Exit (die)
import Tern
import Tern.Bench.Sighting (Sighting, sighting)
import Tern.Container
  ( Decoder,
    Finding (..),
    Mark (..),
    Step (..),
    containerDecoder,
    defaultBlocks,
    defaultSettings,
    encodeContainer,
    encodeContainerTo,
    foldContainer,
    nextStep,
  )
import Tern.Lab.Measure (Settings (..), Timing (..), operation, timings)
import Tern.Lab.Measure qualified as Measure

sightings :: Decoder Sighting
sightings = containerDecoder defaultSettings

encoded :: [Sighting] -> L.ByteString
encoded = encodeContainer defaultBlocks (Mark 0x6e726574)

-- | Send this number of @megabytes@ (of 10^6 bytes) through a container. The action
-- tells the most memory that the process has held; 64 MB or more is a failure.
containers :: IO Int -> Int -> IO ()
containers peakHere megabytes = do
  start <- getMonotonicTime
  found <- through count
  end <- getMonotonicTime
  peak <- peakHere
  T.putStrLn . T.concat $
    [ "containers: ",
      number found,
      " elements, ",
      number megabytes,
      " MB made, encoded, decoded and encoded again in ",
      number (round (end - start)),
      " s, peak ",
      number (peak `quot` 1000000),
      " MB"
    ]
  when (peak >= 64000000) $ die "tern-bench: the peak is not below 64 MB"
  where
    few = 10000
    -- Numbers have more digits later.
    count =
      max
        1
        ( megabytes
            * 1000000
            `quot` max
              1
              ( fromIntegral
                  ( L.length
                      ( encoded
                          ( map
                              sighting
                              [10000 * megabytes .. 10000 * megabytes + few - 1]
                          )
                      )
                  )
                  `quot` few
              )
        )

-- | How many elements came through.
through :: Int -> IO Int
through count = do
  left <- newIORef (L.toChunks (encoded (map sighting [1 .. count])))
  sent <- newIORef (0 :: Int)
  let source =
        readIORef left >>= \case
          [] -> pure B.empty
          chunk : later -> chunk <$ writeIORef left later
      consume chunk = modifyIORef' sent (+ B.length chunk)
  (found, fault) <- encodeContainerTo defaultBlocks consume $ \put ->
    foldContainer
      ( \n value ->
          unless (value == sighting (n + 1)) (die "tern-bench: what came out is not what went in")
            >> put value
            >> pure (n + 1)
      )
      0
      source
      sightings
  unless (found == count && isNothing fault) $ die "tern-bench: what came out is not what went in"
  bytes <- readIORef sent
  when (bytes == 0) $ die "tern-bench: nothing was encoded"
  pure found

-- | One document of a list, one container as a string, and the same in chunks of 32 KiB.
comparedContainers :: IO ()
comparedContainers = do
  let values = map sighting [1 .. 50000]
      document = encodeNative values
      whole = L.toStrict (encoded values)
      chunks = pieces whole
  unless (drained [whole] == 50000 && drained chunks == 50000 && listed document == 50000) $
    die "tern-bench: chunks do not hold what the string holds"
  times <-
    timings
      settings
      (const (pure ()))
      [ operation
          listed
          (`seq` ())
          document,
        operation drained (`seq` ()) [whole],
        operation drained (`seq` ()) chunks
      ]
  case map (median . cpuTimes) times of
    [list, one, many] ->
      T.putStrLn
        ( T.concat
            [ "containers: one list ",
              speed document list,
              ", one container ",
              speed whole one,
              ", in chunks of 32 KiB ",
              speed whole many,
              " (",
              percent one many,
              " more)"
            ]
        )
    _ -> pure ()
  where
    listed = either (const 0) length . decodeNativeWith @[Sighting] defaultLimits
    drained = go (0 :: Int) sightings
    go !n d chunks = case nextStep d of
      Next (Elements _ as) later ->
        maybe (n + length as) (\d' -> go (n + length as) d' chunks) later
      Next _ _ -> negate n - 1
      NeedMore feed -> case chunks of
        [] -> go n (feed B.empty) []
        chunk : later -> go n (feed chunk) later
      End -> n
    percent a b =
      T.append
        ( T.pack
            ( show
                ( fromIntegral (round (1000 * b / a - 1000 :: Double) :: Int) / 10 ::
                    Double
                )
            )
        )
        " %"

settings :: Measure.Settings
settings = Measure.defaultSettings {rounds = 21, batch = 2e7}

speed :: ByteString -> Double -> Text
speed input nanoseconds =
  T.concat [number (round (fromIntegral (B.length input) * 1000 / nanoseconds)), " MB/s"]

number :: Int -> Text
number = T.pack . show

median :: NonEmpty Double -> Double
median samples = NonEmpty.sort samples NonEmpty.!! (NonEmpty.length samples `quot` 2)

-- | Chunks of their own.
pieces :: ByteString -> [ByteString]
pieces input
  | B.null input = []
  | otherwise = let (chunk, rest) = B.splitAt 32768 input in B.copy chunk : pieces rest
