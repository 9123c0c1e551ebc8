module Main (main) where

import Data.ByteString.Builder
import Data.ByteString.Lazy qualified as L
import Data.Map.Strict qualified as Map

data Colour = Red | Green | Blue
  deriving (Eq, Ord, Show, Read, Enum, Bounded)

data Item = Item {itemColour :: !Colour, itemCount :: !Int, itemNames :: [String]}
  deriving (Eq, Ord, Show, Read)

table :: Map.Map Colour Int
table = Map.fromList (zip [minBound ..] [1 ..])

price :: Item -> Int
price item = itemCount item * Map.findWithDefault 0 (itemColour item) table

encode :: Item -> L.ByteString
encode item = toLazyByteString (intDec (price item) <> char7 '\n')

main :: IO ()
main = do
  let items = [Item colour n ["a"] | colour <- [minBound ..], n <- [1 .. 3]]
  print (maximum items)
  mapM_ (L.putStr . encode) items
