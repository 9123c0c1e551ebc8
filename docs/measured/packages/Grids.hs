module Main (main) where

import Text.Tabular
import qualified Text.Tabular.AsciiArt as Ascii
import qualified Text.Tabular.Latex as Latex
import qualified Text.Tabular.SimpleText as Simple

-- | A month's hours of a firm: who worked for which project.
hours :: Int -> Table String String Int
hours n =
  Table
    (Group SingleLine [Group NoLine [Header ("worker " ++ show (10 * g + w)) | w <- [1 .. 10]] | g <- [1 .. n]])
    (Group DoubleLine [Group SingleLine [Header ("project " ++ show p) | p <- [1 .. 8 :: Int]], Header "all"])
    [row' w ++ [sum (row' w)] | w <- [1 .. 10 * n]]
  where
    row' w = [(w * 37 + p * 11) `mod` 41 | p <- [1 .. 8]]

-- | The same, piece by piece.
grown :: Int -> Table String String Int
grown n =
  foldl
    (\t r -> (if r `mod` 10 == 0 then (+----+) else (+.+)) t (row ("day " ++ show r) [r `mod` 7, r `mod` 11, r `mod` 13]))
    (empty ^..^ colH "north" ^|^ colH "south" ^||^ colH "sea")
    [1 .. n]

main :: IO ()
main = do
  let report = Ascii.render id id show (hours 800)
  putStrLn (unlines (take 8 (lines report)))
  print (length report)
  print (length (Latex.render id id show (hours 800)))
  print (length (Simple.render "\t" id id show (hours 800)))
  print (length (Ascii.render id id show (grown 2500)))
