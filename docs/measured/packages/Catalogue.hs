-- | The catalogue of a museum in a file of elements: gone through once for what it says, read as a
-- tree, and looked through by name and by attribute.
module Main (main) where

import qualified Data.ByteString.Char8 as B
import qualified Data.List as List
import Xeno.DOM (Content (..), Node, attributes, children, contents, name, parse)
import Xeno.SAX (Process (..), fold, validate)

catalogue :: Int -> B.ByteString
catalogue n = B.concat (B.pack "<?xml version=\"1.0\"?>\n<catalogue year=\"1974\">\n" : map piece [1 .. n] ++ [B.pack "</catalogue>\n"])
  where
    piece k =
      B.pack . concat $
        [ "  <piece number=\"" ++ show k ++ "\" hall=\"" ++ show (k `mod` 12) ++ "\">\n",
          "    <title lang=\"en\">Bowl with " ++ show (k `mod` 7) ++ " handles &amp; a lid</title>\n",
          concat ["    <keeper name=\"keeper " ++ show (k * j `mod` 30) ++ "\"/>\n" | j <- [1 .. k `mod` 4]],
          "    <note><![CDATA[found < 1900]]></note>\n",
          "    <size><height>" ++ show (k `mod` 90) ++ "</height><width>" ++ show (k `mod` 40) ++ "</width></size>\n  </piece>\n"
        ]

data Count = Count {elements :: !Int, marks :: !Int, letters :: !Int}

counted :: B.ByteString -> Either String (Int, Int, Int)
counted = either (Left . show) (Right . told) . fold opened attributed ended texted closed cdata (Count 0 0 0)
  where
    opened c _ = c {elements = elements c + 1}
    attributed c _ _ = c {marks = marks c + 1}
    ended c _ = c
    texted c t = c {letters = letters c + B.length t}
    closed c _ = c
    cdata c t = c {letters = letters c + B.length t}
    told (Count a b d) = (a, b, d)

heights :: Node -> Int
heights root = sum [number t | p <- children root, s <- children p, name s == B.pack "size", h <- children s, name h == B.pack "height", Text t <- contents h]
  where
    number = List.foldl' (\v c -> v * 10 + fromEnum c - 48) 0 . B.unpack

keepers :: Node -> [B.ByteString]
keepers root = [v | p <- children root, k <- children p, name k == B.pack "keeper", (a, v) <- attributes k, a == B.pack "name"]

main :: IO ()
main = mapM_ one [1, 2, 3]
  where
    one k = do
      let text = catalogue (k * 1200)
      print (counted text, validate text)
      case parse text of
        Left problem -> print problem
        Right root -> print (heights root, length (keepers root), maximum (keepers root), length (children root))
