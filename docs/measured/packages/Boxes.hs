-- | A report of plain text: tables, paragraphs in columns, frames around them.
module Main (main) where

import Text.PrettyPrint.Boxes

table :: [[String]] -> Box
table rows = hsep 2 left (map column (columnsOf rows))
  where
    column (align', cells) = vcat align' (map text cells)
    columnsOf rs = zip (left : repeat right) (foldr (zipWith (:)) (repeat []) rs)

framed :: Box -> Box
framed b = vcat left [edge, hcat top [side, b, side], edge]
  where
    edge = text ('+' : replicate (cols b) '-' ++ "+")
    side = vcat left (replicate (rows b) (char '|'))

prose :: Int -> String
prose n = unwords [ws !! ((k * k + n) `mod` length ws) | k <- [1 .. 120]]
  where
    ws = words "the quick brown fox jumps over a lazy dog while somebody measures how wide it is"

report :: Int -> Box
report n =
  framed $
    vsep
      1
      left
      [ text ("Report " ++ show n),
        table
          [ [name, show (k * n `mod` 1000), show (k * k), show (fromIntegral k / 7 :: Double)]
            | (k, name) <- zip [1 :: Int .. 40] (cycle ["wood", "iron", "salt", "a very long name"])
          ],
        hsep 3 top (columns left 24 18 (prose n)),
        para right 60 (prose (n + 3)),
        punctuateH center1 (char ',') (map (text . show) [1 .. n `mod` 9 + 2])
      ]

main :: IO ()
main = do
  let pages = map report [1 .. 60]
      texts = map render pages
  putStrLn (unlines (take 12 (lines (head texts))))
  print (sum (map length texts))
  print (maximum (map cols pages), sum (map rows pages))
