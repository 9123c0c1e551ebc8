{-# LANGUAGE DeriveAnyClass #-}

-- | Load on a server by the program @wrk@, and what it says of it.
--
-- Start at 'load'.
module Tern.Bench.Http.Load
  ( Load (..),
    Ask (..),
    load,
    figures,
  )
where

import Data.List (isInfixOf)
import Data.Maybe (listToMaybe, mapMaybe)
import GHC.Generics (Generic)
import System.IO.Temp (withSystemTempDirectory)
import System.Process (readProcess)
import Tern (Wire)

-- | What is asked for.
data Ask = Ask
  { askPath :: !String,
    askAccept :: !String,
    -- | The coding of the answer.
    askCoding :: !(Maybe String),
    -- | A file that is posted, and its media type; else it is a @GET@.
    askPosts :: !(Maybe (FilePath, String))
  }

-- | Requests a second, and milliseconds of percentiles.
data Load = Load {loadRate :: !Double, load50 :: !Double, load90 :: !Double, load99 :: !Double}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire)

-- | The load that @connections@ keep up for @seconds@ on a port; or what is wrong.
--
-- >>> :{
-- let said = ["  Latency Distribution", "     50%  480.00us", "     75%    1.02ms",
--       "     90%    1.50ms", "     99%    1.20s", "Requests/sec:  12345.67"]
-- :}
-- >>> figures (unlines said)
-- Right (Load {loadRate = 12345.67, load50 = 0.48, load90 = 1.5, load99 = 1200.0})
load :: FilePath -> Int -> Int -> Int -> Ask -> IO (Either String Load)
load wrk connections seconds port ask = withSystemTempDirectory "tern-wrk" $ \folder -> do
  let script = folder <> "/post.lua"
  writeFile
    script
    ( unlines
        [ "function init(args)",
          "  local file = io.open(args[1], \"rb\")",
          "  wrk.method = \"POST\"",
          "  wrk.body = file:read(\"*a\")",
          "  wrk.headers[\"Content-Type\"] = args[2]",
          "end"
        ]
    )
  figures
    <$> readProcess
      wrk
      ( [ "-t1",
          "-c"
            <> show connections,
          "-d" <> show seconds <> "s",
          "--timeout",
          "30s",
          "--latency",
          "-H",
          "Accept: " <> askAccept ask
        ]
          <> concat [["-H", "Accept-Encoding: " <> coding] | Just coding <- [askCoding ask]]
          <> concat [["-s", script] | Just _ <- [askPosts ask]]
          <> ["http://127.0.0.1:" <> show port <> askPath ask]
          <> concat [["--", file, kind] | Just (file, kind) <- [askPosts ask]]
      )
      ""

-- | What @wrk@ said.
figures :: String -> Either String Load
figures out
  | any (`isInfixOf` out) ["Non-2xx", "Socket errors"] =
      Left ("not all requests were answered:\n" <> out)
  | Just [rate, p50, p90, p99] <- mapM value ["Requests/sec:", "50%", "90%", "99%"] =
      Right (Load rate p50 p90 p99)
  | otherwise = Left ("wrk did not say what was expected of it:\n" <> out)
  where
    value what = listToMaybe (mapMaybe (found what . words) (lines out))
    found what = \case
      [name, number] | name == what -> milliseconds number
      _ -> Nothing
    milliseconds number = case reads number of
      [(n, "us")] -> Just (n / 1000)
      [(n, "ms")] -> Just n
      [(n, "s")] -> Just (n * 1000)
      [(n, "m")] -> Just (n * 60000)
      [(n, "")] -> Just n
      _ -> Nothing
