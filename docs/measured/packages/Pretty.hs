module Main (main) where

import Data.Aeson
import Data.Aeson.Encode.Pretty
import qualified Data.ByteString.Lazy as L
import qualified Data.Text as T

-- | A bird that was seen, with where and by whom.
sighting :: Int -> Value
sighting i =
  object
    [ "id" .= i,
      "bird" .= object ["name" .= name, "latin" .= T.reverse name, "rings" .= [i, i + 1, i + 2]],
      "at" .= object ["longitude" .= (fromIntegral i / 7 :: Double), "latitude" .= (54.5 :: Double)],
      "observers" .= [object ["name" .= T.pack ("observer " ++ show k), "new" .= even k] | k <- [1 .. 4 :: Int]],
      "remark" .= if even i then Null else String "said \"nothing\"\n"
    ]
  where
    name = T.pack ("tern number " ++ show i)

main :: IO ()
main = do
  let seen = map sighting [1 .. 900]
      sorted = defConfig {confCompare = keyOrder ["id", "bird"] <> compare, confIndent = Spaces 2}
  print (L.length (encodePretty seen))
  print (L.length (encodePretty' sorted seen))
  print (L.length (encodePretty' defConfig {confIndent = Tab, confNumFormat = Decimal} (toJSON seen)))
