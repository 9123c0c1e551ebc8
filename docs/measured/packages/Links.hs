module Main (main) where

import Data.Maybe (mapMaybe)
import Network.URI

-- | The links of some pages.
links :: [String]
links =
  concat
    [ [ "http://user@www.example.org:8080/a/b" ++ show i ++ "/../c/./d%7Ee/index.html?q=" ++ show (i * i) ++ "&lang=en#part" ++ show i,
        "../pictures/tern" ++ show i ++ ".png",
        "//static.example.net/style.css?v=" ++ show i,
        "https://[2001:db8::" ++ show (i `mod` 9) ++ "]/x;y=1",
        "mailto:tern" ++ show i ++ "@example.org",
        "#top"
      ]
      | i <- [1 .. 1500 :: Int]
    ]

main :: IO ()
main = do
  let Just base = parseURI "http://www.example.org/birds/sea/tern.html"
      parsed = mapMaybe parseURIReference links
      absolute = map (`relativeTo` base) parsed
      written = map (\u -> uriToString id u "") absolute
  print (length parsed, sum (map length written))
  print (sum (map (length . normalizePathSegments . normalizeEscape . normalizeCase) written))
  print (sum [length (show (relativeFrom u base)) | u <- absolute])
  print (length (filter isURI written), sum (map (length . unEscapeString . escapeURIString isUnreserved) written))
