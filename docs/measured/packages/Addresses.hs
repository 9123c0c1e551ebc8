{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import qualified Data.ByteString as B
import qualified Data.ByteString.Char8 as C
import Data.Either (rights)
import qualified Data.Map.Strict as M
import URI.ByteString

-- | Links of a crawl.
link :: Int -> B.ByteString
link n =
  B.concat
    [ if even n then "HTTP" else "https",
      "://",
      if n `mod` 7 == 0 then "me:secret@" else "",
      "Host",
      number (n `mod` 200),
      ".Example.org",
      if n `mod` 3 == 0 then ":8080" else "",
      "/a/./b/../",
      "articles/",
      number n,
      "/a%20title%20of%20the%20",
      number (n `mod` 60),
      "//",
      "?q=one+two%26three&page=",
      number (n `mod` 9),
      "&lang=en&sort=by%2Fname",
      if n `mod` 4 == 0 then "#part" else ""
    ]
  where
    number = C.pack . show

main :: IO ()
main = do
  let parsed = rights (map (parseURI strictURIParserOptions . link) [1 .. 20000])
      normal = map (normalizeURIRef' aggressiveNormalization) parsed
      plain = map serializeURIRef' parsed
      hosts = M.fromListWith (+) [(hostBS (authorityHost a), 1 :: Int) | Just a <- map uriAuthority parsed]
  print (length parsed, sum (map B.length normal), sum (map B.length plain))
  print (M.size hosts, sum [length (queryPairs (uriQuery u)) | u <- parsed])
  mapM_ C.putStrLn (take 1 normal)
