module Main (main) where

import Text.PrettyPrint.HughesPJ (render)
import Text.XML.HaXml.Combinators
import Text.XML.HaXml.Parse (xmlParse)
import Text.XML.HaXml.Posn (noPos)
import qualified Text.XML.HaXml.Pretty as P
import Text.XML.HaXml.Types
import Text.XML.HaXml.Util (docContent)
import Text.XML.HaXml.Verbatim (verbatim)
import Text.XML.HaXml.Xtract.Parse (xtract)

-- | A catalogue: read, searched by combinators and by a path, changed, written in two ways.
main :: IO ()
main = do
  let document = xmlParse "catalogue" source
      root = docContent noPos document
  print (length (xtract id "//title" root))
  print (length (verbatim (deep (tag "price" /> txt) root)))
  let changed = foldXml (mkReplaced `when` tag "title") root
  print (length (concatMap verbatim changed))
  print (length (render (P.document document)))
  where
    when f p = p ?> f :> keep
    mkReplaced = mkElem "b" [children]

source :: String
source =
  concat
    ( ["<?xml version=\"1.0\"?>\n<catalogue>\n"]
        ++ [ concat
               [ "<book id=\"b" ++ show i ++ "\" lang=\"en\">",
                 "<title>Volume " ++ show i ++ " &amp; more</title>",
                 "<author>Author " ++ show (i `mod` 17) ++ "</author>",
                 "<price currency=\"EUR\">" ++ show (i * 7 `mod` 93) ++ ".95</price>",
                 "<!-- in print --><note><![CDATA[ a < b ]]></note></book>\n"
               ]
             | i <- [1 .. 700 :: Int]
           ]
        ++ ["</catalogue>\n"]
    )
