{-# LANGUAGE OverloadedStrings #-}

-- | A page of articles read as HTML and as XML, searched, changed and written again.
module Main (main) where

import Blaze.ByteString.Builder (toByteString)
import qualified Data.ByteString as B
import Data.Maybe (mapMaybe)
import qualified Data.Text as T
import Data.Text.Encoding (encodeUtf8)
import Text.XmlHtml

article :: Int -> T.Text
article n =
  T.concat
    [ "<div class=\"article c",
      k,
      "\" id='a",
      k,
      "'>\n<h2>Article ",
      k,
      " &amp; more</h2>",
      "<p>Some <b>bold</b>, <i>italic</i> and <a href=\"http://example.org/?q=",
      k,
      "&amp;p=1\">linked</a> text &lt;here&gt;.</p>",
      "<ul><li>one</li><li title=\"Gannet Rock\">two &eacute;</li></ul><img src=\"x",
      k,
      ".png\" alt=\"\"/><br/>",
      "<!-- a comment --><script>if (a < b) { c = 'd' }</script></div>\n"
    ]
  where
    k = T.pack (show n)

page :: T.Text
page = T.concat (["<!DOCTYPE html>\n<html><head><title>Articles</title></head><body>\n"] ++ map article [1 .. 700] ++ ["</body></html>\n"])

xml :: T.Text
xml = T.concat (["<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<list>"] ++ map item [1 .. 1500 :: Int] ++ ["</list>"])
  where
    item n = T.concat ["<item key=\"", T.pack (show n), "\"><name>Skua</name><text><![CDATA[a < b]]> and &#233; so</text></item>\n"]

marked :: Node -> Node
marked node = case node of
  Element tag attributes children ->
    (if tag == "a" then setAttribute "rel" "nofollow" else id) (Element tag attributes (map marked children))
  _ -> node

main :: IO ()
main = do
  report (parseHTML "page" (encodeUtf8 page))
  report (parseXML "list" (encodeUtf8 xml))
  where
    report (Left e) = putStrLn e
    report (Right doc) = do
      let nodes = docContent doc
          below = concatMap descendantNodes nodes
          changed = doc {docContent = map marked nodes}
      print (length below, length (mapMaybe tagName below), T.length (T.concat (map nodeText nodes)))
      print (length (concatMap (descendantElementsTag "li") nodes), length (mapMaybe (getAttribute "href") below))
      print (B.length (toByteString (render changed)))
