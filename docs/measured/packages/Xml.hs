module Main (main) where

import Text.XML.Light

main :: IO ()
main = do
  let row i = "<row id=\"" ++ show i ++ "\"><a:cell xmlns:a=\"urn:x\">" ++ show i ++ "</a:cell><b>text &amp; more</b></row>"
      flat = "<t>" ++ concatMap row [1 .. 2000 :: Int] ++ "</t>"
      deep = concatMap (\i -> "<n" ++ show i ++ ">") [1 .. 400 :: Int] ++ "<leafs>" ++ concat (replicate 500 "<leaf/>") ++ "</leafs>" ++ concatMap (\i -> "</n" ++ show i ++ ">") (reverse [1 .. 400 :: Int])
  print (fmap (length . filterElementsName ((== "row") . qName)) (parseXMLDoc flat))
  print (fmap (length . filterElementsName ((== "leaf") . qName)) (parseXMLDoc deep))
  print (fmap (length . showElement) (parseXMLDoc flat))
