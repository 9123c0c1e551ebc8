{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE OverloadedStrings #-}

-- | The same handlers twice, by Tern and by aeson, on the same Warp.
--
-- The idea: a handler hands on values that are there and adds up values that come; all
-- else that it does is the library's. What it answers is made anew each time.
--
-- > GET  /load/N     values of the N-th size
-- > POST /load       values, answered by how many they are and the sum of their counts
-- > GET  /each/N     by Tern alone: the same, element by element
-- > POST /each
-- > GET  /article/N  N records of article 002
-- > GET  /            by Tern alone, for "Tern.Bench.Http.Attack": values of the first size
-- > POST /            values, added up
-- > GET  /numbers     an answer without an end
--
-- Start at 'service'.
module Tern.Bench.Http.Service
  ( Library (..),
    service,
    Sighting,
    Total (..),
    sizes,
    sightings,
    total,
    Record,
    records,
  )
where

import Data.Aeson qualified as Aeson
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.ByteString.Lazy qualified as BL
import Data.Coerce (coerce)
import Data.Text (Text)
import Data.Text qualified as T
import GHC.Generics (Generic)
import Network.HTTP.Types
import Network.Wai (Application, Request (..), ResponseReceived, responseLBS, strictRequestBody)
import Tern (Wire)
import Tern.Http
  ( Coding (..),
    Exchange (..),
    Settings (..),
    defaultSettings,
    exchange,
    receive,
    receiveEach,
    refuse,
    respond,
    respondEach,
  )
import Tern.Http.Coding (encoding)
import Tern.Lab.Sample.Deriving (ByTemplate)
import Tern.Lab.Sample.Everything (Everything, different)

-- | Whose codecs a service has.
data Library = Tern | Aeson
  deriving stock (Bounded, Enum, Eq, Show)

data Sighting = Sighting
  { species ::
      Text,
    place :: Text,
    count :: Int,
    weight :: Double,
    note :: Maybe Text
  }
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire, Aeson.ToJSON, Aeson.FromJSON)

-- | How many there were, and the sum of their counts.
data Total = Total {number :: !Int, sum' :: !Int}
  deriving stock (Eq, Generic, Show)
  deriving anyclass (Wire, Aeson.ToJSON, Aeson.FromJSON)

total :: [Sighting] -> Total
total those = Total (length those) (sum (map count those))

-- | Bodies of about 200 bytes, 10 KB and 1 MB in JSON, with their names.
sizes :: [(Text, [Sighting])]
sizes = [("200 B", sightings 2), ("10 KB", sightings 100), ("1 MB", sightings 10000)]

sightings :: Int -> [Sighting]
sightings n =
  [ Sighting
      "Sterna paradisaea"
      "Gannet Rock, north side"
      k
      (fromIntegral k * 0.37 + 90)
      (if even k then Just "ringed" else Nothing)
    | k <- [1 .. n]
  ]

type Record = Everything ByTemplate

-- | Different records of article 002's type.
records :: Int -> [Record]
records n = map (coerce . different) [1 .. n]

service :: Library -> Application
service library request send = case pathInfo request of
  ["load"] -> totals request send
  ["load", n] | Just values <- lookup n loads -> answers values request send
  ["each"] -> eachTotal request send
  ["each", n] | Just values <- lookup n loads -> eachAnswers values request send
  ["article", n] | Just values <- lookup n articles -> answers' values request send
  [] -> open request send
  ["numbers"] -> numbers request send
  _ -> send (responseLBS notFound404 [] "")
  where
    (answers, answers', totals) = case library of
      Tern -> (ternAnswers, ternAnswers, ternTotals)
      Aeson -> (aesonAnswers, aesonAnswers, aesonTotals)

loads :: [(Text, [Sighting])]
loads = [(T.pack (show n), values) | (n, (_, values)) <- zip [0 :: Int ..] sizes]

articles :: [(Text, [Record])]
articles = [(T.pack (show n), records n) | n <- [1, 1000 :: Int]]

-- * By Tern

-- | What aeson's service does not do is not done: entity tags. A short answer is
-- compressed where it is asked for, to show what it comes to.
settings :: Settings
settings = defaultSettings {settingsTags = False, settingsCompressFrom = 0}

ternAnswers :: (Wire a) => a -> Application
ternAnswers values = exchange settings ["GET"] (\x reply -> reply (respond x ok200 [] values))

ternTotals :: Application
ternTotals =
  exchange
    settings
    ["POST"]
    ( \x reply ->
        receive x >>= reply . either (refuse x) (respond x ok200 [] . total)
    )

-- | What anybody may ask, and what they may send.
open :: Application
open = exchange settings ["GET", "POST"] $ \x reply ->
  if requestMethod (exchangeRequest x) == methodPost
    then receive x >>= reply . either (refuse x) (respond x ok200 [] . total)
    else reply (respond x ok200 [] (sightings 2))

eachAnswers :: (Wire a) => [a] -> Application
eachAnswers values =
  exchange settings ["GET"] (\x reply -> reply (respondEach x ok200 [] (\put -> mapM_ put values)))

-- | A list of all numbers would be kept by the process, and collected again and again.
numbers :: Application
numbers = exchange settings ["GET"] $ \x reply ->
  reply . respondEach x ok200 [] $ \put -> let from n = put n >> from (n + 1) in from (1 :: Int)

eachTotal :: Application
eachTotal = exchange settings ["POST"] $ \x reply ->
  receiveEach x (\(Total n k) one -> pure $! Total (n + 1) (k + count one)) (Total 0 0)
    >>= reply . either (refuse x) (respond x ok200 [])

-- * By aeson

aesonAnswers :: (Aeson.ToJSON a) => a -> Application
aesonAnswers values request send
  | lookup "Accept-Encoding" (requestHeaders request) == Just "gzip" =
      whole [("Content-Encoding", "gzip")] (encoding Gzip (BL.toStrict (Aeson.encode values)))
  | otherwise = send (responseLBS ok200 [(hContentType, "application/json")] (Aeson.encode values))
  where
    whole :: ResponseHeaders -> ByteString -> IO ResponseReceived
    whole headers bytes =
      send
        ( responseLBS
            ok200
            ( (hContentType, "application/json")
                : (hContentLength, BC.pack (show (B.length bytes)))
                : headers
            )
            (BL.fromStrict bytes)
        )

aesonTotals :: Application
aesonTotals request send = do
  body <- strictRequestBody request
  send $ case Aeson.eitherDecode body of
    Left why -> responseLBS badRequest400 [] (BL.fromStrict (BC.pack why))
    Right values ->
      responseLBS ok200 [(hContentType, "application/json")] (Aeson.encode (total values))
