{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import Data.Aeson
import qualified Data.Aeson.Key as K
import Data.JSONPath
import qualified Data.Text as T
import qualified Data.Text.IO as T
import Text.Megaparsec (eof, errorBundlePretty, parse)

-- | A shop: departments in departments, with books and what they cost.
department :: Int -> Int -> Value
department 0 n = toJSON [object ["title" .= T.pack ("book " ++ show k), "price" .= (k * 7 `mod` 40), "author" .= T.pack ("writer " ++ show (k `mod` 9)), "tags" .= [k, k + 1]] | k <- [n .. n + 12]]
department d n = object (("name" .= T.pack (show n)) : [K.fromString ("part" ++ show k) .= department (d - 1) (n * 3 + k) | k <- [1 .. 3 :: Int]])

queries :: [T.Text]
queries = ["$..price", "$..[?(@.price < 10)].title", "$.part1.part2..author", "$..[0,2].title", "$..[1:9:2]", "$.*.*.part3", "$..[?(@.price > 20 && @.author == 'writer 3')]", "$..tags[-1]"]

main :: IO ()
main = do
  let shop = department 6 1
      run q = case parse (jsonPath eof) "" q of
        Left e -> error (errorBundlePretty e)
        Right path -> executeJSONPath path shop
      parsed = [length path | Right path <- map (parse (jsonPath eof) "") (concat (replicate 300 queries))]
  print (sum parsed)
  mapM_ (\q -> T.putStrLn (T.concat [q, " ", T.pack (show (length (run q)))])) queries
