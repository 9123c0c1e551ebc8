module Main (main) where

import qualified Data.Text.Lazy as L
import Text.PrettyPrint.Annotated.WL

data Json = Null | Number Int | Words String | List [Json] | Object [(String, Json)]

value :: Int -> Json
value 0 = Null
value n =
  Object
    [ ("name", Words ("tern " ++ show n)),
      ("rings", List (map Number [n .. n + 14])),
      ("nest", Object [("place", Words "dune"), ("eggs", List [Number 2, Number n])]),
      ("rest", if n `mod` 40 == 0 then Null else value (n - 1))
    ]

data Kind = Key | Literal

pretty' :: Json -> Doc Kind
pretty' j = case j of
  Null -> annotate Literal (text "null")
  Number n -> annotate Literal (text (show n))
  Words s -> dquotes (text s)
  List js -> group (encloseSep lbracket rbracket comma (map pretty' js))
  Object fs -> braces (nest 2 (linebreak <> align (vsep (punctuate comma [annotate Key (dquotes (text k)) <> colon <+> pretty' v | (k, v) <- fs]))))

prose :: Int -> Doc Kind
prose n = fillSep (map text (take n (cycle (words "the tern flies far over the sea and comes back in spring with many others"))))

main :: IO ()
main = do
  let document = vsep (map (pretty' . value) (take 60 (iterate (+ 1) 30)))
  print (L.length (displayT (renderPretty 0.6 100 document)))
  print (length (display (renderSmart 80 document)))
  print (length (display (renderCompact document)))
  print (length (display (renderPretty 1.0 72 (prose 20000))))
  print (length (displayDecorated (tag "<") (tag "</") id (renderPrettyDefault document)))
  where
    tag start kind = start ++ (case kind of Key -> "b>"; Literal -> "i>")
