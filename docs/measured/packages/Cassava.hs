{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import qualified Data.ByteString.Lazy as L
import Data.Csv
import qualified Data.Csv.Streaming as S
import Data.Foldable (toList)
import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Vector as V
import GHC.Generics (Generic)

data Reading = Reading {station :: !Text, hour :: !Int, celsius :: !Double, note :: !(Maybe Text)}
  deriving (Generic)

instance FromNamedRecord Reading

instance ToNamedRecord Reading

instance DefaultOrdered Reading

instance FromRecord Reading

-- | A table of readings, written, read by names and by places, and streamed.
main :: IO ()
main = do
  let written = encodeDefaultOrderedByName (map reading [1 .. 5000])
  print (L.length written)
  case decodeByName written of
    Left e -> putStrLn e
    Right (header, rows) -> do
      print (V.length header, V.sum (V.map hour rows), V.sum (V.map celsius rows))
      print (V.length (V.filter ((/= Nothing) . note) rows))
  case decode HasHeader written of
    Left e -> putStrLn e
    Right rows -> print (V.sum (V.map hour (rows :: V.Vector Reading)))
  print (sum (map third (toList (S.decode HasHeader written))))
  where
    reading i =
      Reading
        { station = T.pack ("Station \"" <> show (i `mod` 17) <> "\""),
          hour = i `mod` 24,
          celsius = fromIntegral (i * 37 `mod` 400) / 16,
          note = if i `mod` 3 == 0 then Just "fog, and rain" else Nothing
        }
    third :: (Text, Int, Double, Text) -> Double
    third (_, _, c, _) = c
