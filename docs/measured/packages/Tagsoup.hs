module Main (main) where

import Text.HTML.TagSoup

main :: IO ()
main = do
  let row i = "<tr class='r" ++ show i ++ "'><td><a href=\"/x/" ++ show i ++ "?a=1&amp;b=2\">link " ++ show i ++ "</a></td><td>&lt;" ++ show i ++ "</td></tr>\n"
      tags = parseTags (concatMap row [1 .. 3000 :: Int])
  print (length tags)
  print (length (filter (~== (TagOpen "a" [] :: Tag String)) tags), length (filter (~== "</td>") tags))
  print (length (renderTags tags))
  print (sum [length (fromAttrib "href" t) | t <- tags, isTagOpenName "a" t])
