{-# LANGUAGE OverloadedStrings #-}

-- | Names of many languages, sorted by four collations.
module Main (main) where

import Data.List (sortBy)
import Data.Text (Text)
import qualified Data.Text as T
import Text.Collate

names :: Int -> [Text]
names n =
  [ T.unwords [pick k given, pick (k * k) family, T.pack (show (k `mod` 17))]
    | k <- [1 .. n]
  ]
  where
    pick k from = from !! (k `mod` length from)
    given = ["Åsa", "Zoë", "Ángel", "Łukasz", "Émile", "anna", "Ötzi", "Chiara", "Ñuño", "Çelik", "Ana-María"]
    family = ["Strauß", "Sørensen", "Côté", "Cote", "côte", "Müller", "Mueller", "Llorca", "Čapek", "Dvořák", "d'Arc", "Đặng", "Ōe"]

main :: IO ()
main = mapM_ sorted ["en", "de-u-co-phonebk", "sv", "es-u-co-trad"]
  where
    sorted language = do
      let inOrder = sortBy (collate (collatorFor language)) (names 3000)
      print (T.length (T.concat inOrder), take 3 inOrder, inOrder !! 1500)
      print (sum [T.length (T.pack (renderSortKey (sortKey (collatorFor language) name))) | name <- names 500])
