-- | A shop's list as pages: tables, links and forms, put together and written.
module Main (main) where

import Text.Html

row :: Int -> [Html]
row k =
  [ toHtml (show k),
    bold << ("Lamp & wick no. " ++ show k),
    toHtml (hotlink ("lamp.html?k=" ++ show k) [toHtml "more"]),
    font ! [color "red"] << toHtml ("<" ++ show (k * 3) ++ ">")
  ]

page :: Int -> Html
page n =
  header
    << thetitle
    << ("Page " ++ show n)
    +++ body
    << ( h1
           << "Lamps"
           +++ simpleTable [border 1] [align "left"] (map row [n * 50 .. n * 50 + 49])
           +++ ulist
           << map ((li <<) . ("item " ++) . show) [1 .. 20 :: Int]
           +++ (above (td << "north") (beside (td << "west") (td << "east")) `seq` paragraph << "end")
       )

main :: IO ()
main = do
  print (sum [length (renderHtml (page n)) | n <- [1 .. 40]])
  print (sum [length (prettyHtml (page n)) | n <- [1 .. 10]])
