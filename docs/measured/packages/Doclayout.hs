{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import Data.Text (Text)
import qualified Data.Text as T
import Text.DocLayout

-- | A long document with lists, quotes and a table, set in 72 columns.
main :: IO ()
main = do
  print (T.length (render (Just 72) document))
  print (T.length (render Nothing document))
  where
    document :: Doc Text
    document = vsep (map section [1 .. 150 :: Int])
    section i = vsep [hang 4 (text (show i <> ". ")) (title i), para i, prefixed "> " (para (i + 7)), items i, row i]
    title i = literal (T.concat ["Section ", T.pack (show i), " — wörter 漢字"])
    para i = hsep (map (\k -> literal (T.replicate (1 + (i * k) `mod` 9) "ab")) [1 .. 60])
    items i = vcat [hang 2 "- " (nest 2 (para k)) | k <- [i .. i + 3]]
    row i = lblock 20 (para i) <> cblock 12 "centre" <> rblock 20 (literal (T.pack (show (i * i))))
