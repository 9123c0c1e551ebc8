{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import qualified Data.Text as T
import Text.Regex.XMLSchema.Generic

-- | A log split into words, matched, taken apart and changed, by regular expressions of XML Schema.
main :: IO ()
main = do
  print (length (tokenize "[a-z]+|[0-9]+(\\.[0-9]+)?" page))
  print (length (filter (match "[0-9]{4}-[0-9]{2}-[0-9]{2} (GET|POST) /.*[0-9]+ms") rows))
  print (sum (map (length . matchSubex "({y}[0-9]{4})-({m}[0-9]{2})-({d}[0-9]{2}) .*") rows))
  print (T.length (sed (T.map succ) "user[0-9]+" page))
  where
    page = T.unlines (take 150 rows)
    rows =
      [ T.concat ["2024-0", n (1 + i `mod` 9), "-1", n (i `mod` 10), if even i then " GET " else " POST ", "/things/", n i, " by user", n (i * 7), " in ", n (i * 7919 `mod` 900), "ms"]
        | i <- [1 .. 400 :: Int]
      ]
    n = T.pack . show
