-- | What @show@ gave of a program's state, read as values, laid out and written as a page.
module Main (main) where

import qualified Data.Map as Map
import Text.Show.Pretty

data Item = Item {itemName :: String, itemPrice :: Double, itemTags :: [Tag], itemNext :: Maybe Item}
  deriving (Show)

data Tag = Tag Int String | Pair (Int, Bool) | Int :/: Int
  deriving (Show)

item :: Int -> Item
item k =
  Item
    { itemName = "lamp \"" ++ show k ++ "\"",
      itemPrice = fromIntegral k / 8 - 3,
      itemTags = [Tag k "new", Pair (k * 7, even k), k :/: (k + 1)],
      itemNext = if k `mod` 4 == 0 then Nothing else Just (item (k `div` 2))
    }

state :: Int -> (Map.Map Int Item, [(String, [Int])])
state n = (Map.fromList [(k, item k) | k <- [n .. n + 9]], [(show k, [k .. k + 12]) | k <- [1 .. 5]])

main :: IO ()
main = do
  print (sum [length (ppShow (state n)) | n <- [1 .. 40]])
  print (sum [maybe 0 (length . valToHtmlPage defaultHtmlOpts) (reify (state n)) | n <- [1 .. 15]])
  print (sum [length (ppShow (ppHide (== "Tag") (state n))) | n <- [1 .. 15]])
  putStrLn (take 200 (ppShow (item 5)))
