{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import qualified Data.ByteString.Lazy as L
import qualified Data.Map as Map
import qualified Data.Text as T
import Data.YAML
import qualified Data.YAML.Event as E

data Song = Song {title :: T.Text, minutes :: Double, tags :: [T.Text], track :: Int}

instance FromYAML Song where
  parseYAML = withMap "song" (\m -> Song <$> m .: "title" <*> m .: "minutes" <*> m .:? "tags" .!= [] <*> m .: "track")

instance ToYAML Song where
  toYAML s = mapping ["title" .= title s, "minutes" .= minutes s, "tags" .= tags s, "track" .= track s]

-- | A list of songs, written, read and written again, and its events counted.
main :: IO ()
main = do
  let text = encode1 (map song [1 .. 400])
  print (L.length text)
  case decode1 text of
    Left (_, e) -> error e
    Right songs -> do
      print (sum (map track songs), sum (map minutes songs), sum (map (length . tags) songs))
      print (L.length (encode1 (Map.fromList [(title s, s) | s <- songs :: [Song]])))
  print (length [() | Right _ <- E.parseEvents text])
  where
    song i =
      Song
        { title = T.concat ["Song no. ", T.pack (show i), ": \"a quoted\" one"],
          minutes = fromIntegral i / 8,
          tags = ["folk", "live", T.pack ("year-" <> show (1950 + i `mod` 60))],
          track = i
        }
