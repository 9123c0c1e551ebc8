{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The same service by Tern and by aeson on the same Warp, under the load of @wrk@.
--
-- The idea: one process has both services at different paths, and they are asked in
-- turn, round after round, so that whatever else the machine does falls on both. Each
-- answer is encoded anew.
--
-- > http [ROUNDS] [SECONDS]
--
-- It needs a quiet machine, and @wrk@ on the path.
module Main (main) where

import Control.Monad (forM, forM_, replicateM)
import Data.Aeson qualified as Aeson
import Data.List (sort, transpose)
import Data.Maybe (fromMaybe, listToMaybe, mapMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Network.HTTP.Types
import Network.Wai
import Network.Wai.Handler.Warp (withApplication)
import System.Directory (findExecutable)
import System.Environment (getArgs)
import System.Exit (die)
import System.IO (hFlush, stdout)
import System.Process (readProcess)
import Tern (Wire)
import Tern.Http
import Text.Printf (printf)
import Text.Read (readMaybe)

data Sighting = Sighting {species :: Text, place :: Text, count :: Int, weight :: Double, note :: Maybe Text}
  deriving stock (Generic)
  deriving anyclass (Wire, Aeson.ToJSON, Aeson.FromJSON)

-- | Bodies of about 200 bytes, 10 KB and 1 MB in JSON.
sizes :: [(String, [Sighting])]
sizes = [("200 B", sightings 2), ("10 KB", sightings 100), ("1 MB", sightings 10000)]
  where
    sightings n = [Sighting "Sterna paradisaea" "Gannet Rock, north side" k (fromIntegral k * 0.37 + 90) (if even k then Just "ringed" else Nothing) | k <- [1 .. n]]

main :: IO ()
main = do
  arguments <- getArgs
  let (rounds, seconds) = case mapMaybe readMaybe arguments of
        [r, s] -> (r, s)
        [r] -> (r, 5)
        _ -> (5, 5) :: (Int, Int)
  present <- findExecutable "wrk"
  wrk <- maybe (die "http: wrk is not installed; install it (Debian has it as wrk)") pure present
  withApplication (pure service) $ \port -> do
    printf "%-8s %-28s %12s %12s %12s %12s\n" ("body" :: String) ("answered by" :: String) ("requests/s" :: String) ("p50" :: String) ("p90" :: String) ("p99" :: String)
    forM_ (zip [0 :: Int ..] sizes) $ \(n, (name, _)) -> do
      -- In turn, round after round.
      measured <- replicateM rounds . forM kinds $ \(_, path, accept) ->
        figures <$> readProcess wrk ["-t1", "-c8", "-d" <> show seconds <> "s", "--latency", "-H", "Accept: " <> accept, "http://127.0.0.1:" <> show port <> path <> show n] ""
      forM_ (zip kinds (transpose measured)) $ \((kind, _, _), runs) -> do
        case map median (transpose runs) of
          [rate, p50, p90, p99] -> printf "%-8s %-28s %12.0f %9.3f ms %9.3f ms %9.3f ms\n" name kind rate p50 p90 p99
          _ -> die ("http: wrk did not say what was expected of it for " <> kind)
        hFlush stdout

-- | Who answers, where, and what is asked for.
kinds :: [(String, String, String)]
kinds = [("aeson, JSON", "/aeson/", "application/json"), ("Tern, JSON", "/tern/", "application/json"), ("Tern, MessagePack", "/tern/", "application/msgpack"), ("Tern, native", "/tern/", "application/vnd.tern.native")]

service :: Application
service request send = case pathInfo request of
  ["aeson", n] | Just values <- body n -> send (responseLBS ok200 [(hContentType, "application/json")] (Aeson.encode values))
  ["tern", n] | Just values <- body n -> exchange defaultSettings {settingsTags = False} ["GET"] (\x reply -> reply (respond x ok200 [] values)) request send
  _ -> send (responseLBS notFound404 [] "")
  where
    body n = snd <$> lookup n (zip (map (T.pack . show) [0 :: Int ..]) sizes)

-- | Requests a second, and milliseconds of the percentiles.
figures :: String -> [Double]
figures out = mapMaybe (\what -> listToMaybe (mapMaybe (value what) (lines out))) ["Requests/sec:", "50%", "90%", "99%"]
  where
    value what line = case words line of
      [name, number] | name == what -> milliseconds number
      _ -> Nothing
    milliseconds number = case reads number of
      [(n, "us")] -> Just (n / 1000)
      [(n, "ms")] -> Just n
      [(n, "s")] -> Just (n * 1000)
      [(n, "")] -> Just n
      _ -> Nothing

median :: [Double] -> Double
median xs = fromMaybe 0 (listToMaybe (drop (length xs `div` 2) (sort xs)))
