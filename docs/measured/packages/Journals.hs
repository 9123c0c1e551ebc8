-- | Journals of machines, as text: cut into parts, cleaned, escaped for a page,
-- counted by what they say, and compared with those of the day before.
module Main (main) where

import Data.Char (isDigit, isSpace)
import Data.List.Extra

journal :: Int -> String
journal n = unlines [entry k | k <- [1 .. 500 :: Int]]
  where
    entry k = intercalate " :: " ["2024-03-" ++ show (1 + k `mod` 28), "node" ++ show ((k * n) `mod` 17), level k, message k, "  took " ++ show (k * 7919 `mod` 997) ++ " ms  "]
    level k = ["info", "warning", "error"] !! (k * k `mod` 3)
    message k = ["opened <" ++ show (k `mod` 40) ++ "> & closed", "could not read \"part" ++ show (k `mod` 9) ++ ".dat\"", "user='guest" ++ show (k `mod` 25) ++ "' said\thello"] !! (k `mod` 3)

fields :: String -> [String]
fields = map trim . splitOn "::"

page :: [[String]] -> String
page rows = concat [replace "\n" "" (escapeHTML (intercalate " | " row)) ++ "<br>" | row <- rows]

main :: IO ()
main = mapM_ day [1 .. 8]
  where
    day n = do
      let rows = map fields (lines (journal n))
          before = map fields (lines (journal (n + 1)))
          html = page rows
          took = sumOn' (\r -> read (takeWhile isDigit (dropPrefix "took " (last r))) :: Int) rows
          hosts = groupSort [(r !! 1, r !! 3) | r <- rows]
      print (length rows, length html, took)
      print (length (unescapeHTML html), length (escapeJSON (concatMap concat rows)))
      print [(host, length said, length (nubOrd said)) | (host, said) <- take 3 hosts]
      print (length (nubSort (map (!! 3) rows)), maximumOn length (map (!! 3) rows))
      print (fmap (length . fst) (stripInfix "node16" html), length (snd (breakOnEnd "error" html)), length (filter (isSuffixOf "dat\"") (map (!! 3) rows)))
      print (length (merge (nubSort (map concat rows)) (nubSort (map concat before))), sum (map length (chunksOf 80 html)))
      print (sum [length (snd (spanEnd isSpace l)) + maybe 0 length (stripSuffix "ms  " l) | l <- lines (journal n)])
