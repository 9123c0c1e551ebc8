-- | Settings in TOML: read, changed into values and written again.
module Main (main) where

import qualified Data.Map.Strict as Map
import Toml

source :: Int -> String
source n =
  unlines
    [ "[[station]]",
      "name = \"Gannet Rock " ++ show n ++ "\"  # a lighthouse",
      "height = " ++ show (n * 13 `mod` 977) ++ ".25",
      "readings = [" ++ concatMap (\k -> show (k * n `mod` 8191) ++ ", ") [1 .. 12] ++ "]",
      "since = 1970-01-0" ++ show (1 + n `mod` 9) ++ "T12:30:00Z",
      "place = { latitude = -" ++ show (n `mod` 90) ++ ".5, longitude = 0x" ++ show (n `mod` 99) ++ " }",
      "station.\"odd name\" = true"
    ]

main :: IO ()
main = case parse ("title = \"stations\"\n" ++ concatMap source [1 .. 600]) of
  Left problem -> putStrLn problem
  Right table -> do
    print (Map.size table)
    print (length (show (prettyToml table)))
