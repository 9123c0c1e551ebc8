{-# LANGUAGE OverloadedStrings #-}

-- | Settings by layout: read, and written again.
module Main (main) where

import Config
import Data.Text (Text)
import qualified Data.Text as T

source :: Int -> Text
source n =
  T.unlines
    [ T.concat ["station-", shown n, ":"],
      T.concat ["  name: \"Gannet Rock ", shown n, "\" -- a lighthouse"],
      T.concat ["  height: ", shown (n * 13 `mod` 977), ".25e2"],
      "  readings:",
      T.concat [T.concat ["    * ", shown (k * n `mod` 8191), "\n"] | k <- [1 .. 12]],
      T.concat ["  place: {latitude: -", shown (n `mod` 90), ", longitude: 0x", shown (n `mod` 99), "}"],
      "  {- nothing more -}",
      "  kept: yes"
    ]
  where
    shown = T.pack . show

main :: IO ()
main = case parse (T.concat (map source [1 .. 600])) of
  Left problem -> print problem
  Right value -> do
    print (length (show (pretty value)))
