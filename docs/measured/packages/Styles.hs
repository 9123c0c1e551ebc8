{-# LANGUAGE OverloadedStrings #-}

module Main (main) where

import Data.Text (Text)
import qualified Data.Text as T
import qualified Data.Text.Lazy as L
import Data.Text.Lazy.Builder (toLazyText)
import Text.CSS.Parse
import Text.CSS.Render

-- | The style of a site with many pages.
style :: Int -> Text
style n = T.concat (map block [1 .. n])
  where
    block i =
      T.concat
        [ "/* the page ",
          number i,
          " */\n.page",
          number i,
          " > h2, .page",
          number i,
          " p.first {\n  color: #",
          number (100 + i `mod` 900),
          ";\n  margin: ",
          number (i `mod` 20),
          "px auto;\n  border-left : 1px solid black;\n  font: bold 12px/30px Georgia, serif;\n}\n"
        ]

number :: Int -> Text
number = T.pack . show

-- | For small screens.
media :: Int -> Text
media i = T.concat ["@media screen and (max-width: ", number (600 + i), "px) {\n  #menu", number i, " { display : none ; }\n  .page { width: 100% }\n}\n"]

main :: IO ()
main = do
  let source = style 12000
      blocks = either error id (parseBlocks source)
      nested = either error id (parseNestedBlocks (T.append source (media 7)))
  print (T.length source, length blocks, length nested)
  print (sum (map (length . snd) blocks), sum [length attributes | LeafBlock (_, attributes) <- nested])
  print (L.length (toLazyText (renderBlocks blocks)), L.length (toLazyText (renderNestedBlocks nested)))
