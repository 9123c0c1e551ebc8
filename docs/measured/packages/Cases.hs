{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import qualified Data.Text as T
import Data.Text.Manipulate

-- | Names of a program's functions, in all manners.
name :: Int -> T.Text
name n = T.concat [T.pack (["readThe", "write_all_", "Parse-some-", "HTML5 page "] !! (n `mod` 4)), "ofManyThings", T.pack (show (n `mod` 1000)), "InOneGo"]

main :: IO ()
main = do
  let names = map name [1 .. 12000]
  print (sum (map (T.length . toSnake) names), sum (map (T.length . toCamel) names), sum (map (T.length . toTitle) names))
  print (sum (map (length . splitWords) names), length (filter (/= Nothing) (map toAcronym names)))
  print (sum (map (T.length . indentLines 4 . T.unlines . splitWords) names), sum (map (T.length . toOrdinal) [1 .. 12000 :: Int]))
