{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import qualified Data.ByteString.Lazy as L
import Data.Text (Text)
import qualified Data.Text as T
import Text.XML.Generator

-- | A feed of articles, each with a text of some sentences.
feed :: Int -> Xml Doc
feed n =
  doc defaultDocInfo $
    xelem "feed" $
      xattr "version" "2.0" <#> xelems (map entry [1 .. n])

entry :: Int -> Xml Elem
entry i =
  xelem "entry" $
    (xattr "id" (number i) <> xattr "lang" (if even i then "en" else "de"))
      <#> xelems
        [ xelem "title" (xtext (T.concat ["Birds & waves, part ", number i])),
          xelem "author" (xelems [xelemWithText "name" "Editors", xelemQ dc "rights" (xtext "free")]),
          xelem "content" (xtext (T.replicate 6 (T.concat ["It is said that \"", number i, "\" < ", number (i + 1), ", and more of them came. "])))
        ]
  where
    dc = namespace "dc" "http://purl.org/dc/elements/1.1/"

number :: Int -> Text
number = T.pack . show

main :: IO ()
main = do
  let written = xrender (feed 1500) :: L.ByteString
  print (L.length written)
  L.putStr (L.take 300 written)
