-- | A table read and written.
module Main (main) where

import Text.CSV

main :: IO ()
main = do
  let table = map row [1 .. 3000 :: Int]
      row i = [show i, "name " ++ show i, "a \"quoted\", text", show (i * i)]
      written = printCSV table
  print (length written)
  case parseCSV "table" written of
    Right rows -> print (sum (map length rows))
    Left e -> print e
