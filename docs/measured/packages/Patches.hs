-- | Versions of a text, compared with the one before each.
module Main (main) where

import Patience (Item (..), diff)

version :: Int -> [String]
version n = concatMap line [1 .. 1500]
  where
    line k
      | k * 7 `mod` 97 == n = []
      | k * 11 `mod` 89 == n = ["a new line " ++ show k, "and one more"]
      | k `mod` 10 == 0 = [""]
      | (k + n) `mod` 31 == 0 = ["changed in " ++ show n ++ " at " ++ show k]
      | otherwise = ["line " ++ show k ++ " of the text"]

shown :: Item String -> String
shown i = case i of
  Old x -> '-' : x
  New x -> '+' : x
  Both x _ -> ' ' : x

main :: IO ()
main = mapM_ one (zip versions (drop 1 versions))
  where
    versions = map version [1 .. 25]
    one (old, new) = do
      let items = diff old new
      print (length items, length (filter ((/= ' ') . head) (map shown items)))
