-- | A page of XHTML read with its DTD and validated, searched by XPath, changed and written again.
module Main (main) where

import Data.Char (isAsciiLower)
import Text.XML.HXT.Core
import Text.XML.HXT.XPath

main :: IO ()
main = do
  [page] <- runX (readDocument [withValidate yes, withRemoveWS yes, withCheckNamespaces yes] "xhtml/xhtml.xml")
  let ask path = runLA (getXPathTrees path) page
  mapM_
    (\path -> putStrLn (path ++ ": " ++ show (length (ask path))))
    ["//a[@href]", "//h2/following::p", "//ul/li[position() mod 2 = 0]", "//*[@class='x']//a", "//p[contains(., 'XML')]", "count(//a)"]
  let links = runLA (deep (hasName "a" >>> getAttrValue "href" >>> isA (not . null))) page
  print (length links, sum (map length links))
  let changed = runLA processAttributes page
  written <- runX (constL changed >>> writeDocumentToString [withIndent yes])
  print (map length written)
  where
    processAttributes = processTopDown (processAttrl (changeAttrValue (map upper)) `when` isElem)
    upper c = if isAsciiLower c then toEnum (fromEnum c - 32) else c
