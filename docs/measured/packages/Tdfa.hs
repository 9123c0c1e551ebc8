module Main (main) where

import qualified Data.ByteString.Char8 as B
import Text.Regex.TDFA

-- | A log of a service, searched for addresses, times and long requests.
main :: IO ()
main = do
  print (length (getAllMatches (packed =~ address) :: [(Int, Int)]))
  print (sum [length fields | line <- take 600 rows, fields <- line =~ request :: [[String]]])
  print (length (filter (matchTest word) rows))
  print (length (filter (\line -> matchTest (makeRegex slow :: Regex) line) (take 60 rows)))
  where
    address = "[a-z0-9._]+@[a-z0-9]+(\\.[a-z]+)+"
    request = "^([0-9]+)-([0-9]+)-([0-9]+) (GET|POST|DELETE) (/[^ ]*) .* ([0-9]+)ms$"
    word = makeRegex "(error|warning|refused|timed out)" :: Regex
    slow = "[0-9]{4,}ms$"
    packed = B.pack (unlines rows)

rows :: [String]
rows =
  [ unwords [date i, verb i, path i, "by user" <> show (i `mod` 97) <> "@host" <> show (i `mod` 7) <> ".example.org", said i, show (i * 7919 `mod` 2000) <> "ms"]
    | i <- [1 .. 3000 :: Int]
  ]
  where
    date i = "2024-" <> show (i `mod` 12 + 1) <> "-" <> show (i `mod` 28 + 1)
    verb i = ["GET", "POST", "DELETE"] !! (i `mod` 3)
    path i = "/things/" <> show (i * 31 `mod` 1009) <> "/parts?page=" <> show (i `mod` 11)
    said i = ["done", "done", "refused", "done", "timed out", "done", "warning: slow disk"] !! (i `mod` 7)
