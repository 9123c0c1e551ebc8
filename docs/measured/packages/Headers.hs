module Main (main) where

import qualified Data.ByteString.Char8 as B
import Data.Maybe (mapMaybe)
import qualified Data.Text as T
import Network.HTTP.Link
import Network.URI (URI)

-- | What an interface with pages says of where the others are.
header :: Int -> B.ByteString
header i =
  B.pack
    ( concat
        [ "<https://api.example.org/birds?page=" ++ show (i + 1) ++ ">; rel=\"next\"; title=\"Page " ++ show i ++ " of birds\",",
          " </birds?page=" ++ show (i - 1) ++ "&per_page=50>; rel=\"prev\"; type=\"application/json\",",
          " <https://api.example.org/birds?page=1>; rel=first; hreflang=\"en\"; title=\"The \\\"first\\\" page\",",
          " <https://example.org/terms%20of%20use>; rel=\"license terms-of-service\"; anchor=\"#foo\""
        ]
    )

main :: IO ()
main = do
  let links = mapMaybe (parseLinkHeaderBS . header) [1 .. 4000] :: [[Link URI]]
      plain = mapMaybe (parseLinkHeaderBS . header) [1 .. 4000] :: [[Link T.Text]]
      written = map writeLinkHeader links
  print (length links, sum (map T.length written))
  print (sum (map (T.length . writeLinkHeader) plain))
  print (length [() | ls <- links, l <- ls, Just r <- [lookup Rel (linkParams l)], r == T.pack "next"])
  print (take 1 written)
