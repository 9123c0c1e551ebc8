-- | A log read by regular expressions that make values: times, levels, numbers; and texts
-- replaced in it.
module Main (main) where

import Data.Char (isAlpha, isDigit, isSpace)
import qualified Data.Map.Strict as Map
import Data.Maybe (mapMaybe)
import Text.Regex.Applicative
import Text.Regex.Applicative.Common (decimal, signed)

data Level = Info | Warning | Failure
  deriving (Eq, Ord, Show)

data Entry = Entry {entryTime :: Time, entryLevel :: Level, entryWho :: String, entryWhat :: String}
  deriving (Show)

data Time = Time !Int !Int !Int
  deriving (Eq, Ord, Show)

time :: RE Char Time
time = Time <$> decimal <* sym ':' <*> decimal <* sym ':' <*> decimal

level :: RE Char Level
level = Info <$ string "INFO" <|> Warning <$ string "WARN" <|> Failure <$ string "ERROR"

entry :: RE Char Entry
entry =
  Entry
    <$> time
    <* some (psym isSpace)
    <*> level
    <* sym ' '
    <*> (sym '[' *> many (psym isAlpha) <* sym ']')
    <* some (psym isSpace)
    <*> many anySym

milliseconds :: RE Char Int
milliseconds = string "took " *> signed decimal <* string " ms"

row :: Int -> String
row n =
  concat
    [ two (n `div` 3600 `mod` 24) ++ ":" ++ two (n `div` 60 `mod` 60) ++ ":" ++ two (n `mod` 60),
      "  ",
      ["INFO", "WARN", "INFO", "ERROR"] !! (n `mod` 4),
      " [",
      ["store", "web", "mail"] !! (n `mod` 3),
      "]  request ",
      show n,
      " took ",
      show (n * 37 `mod` 900),
      " ms at node-",
      show (n `mod` 7)
    ]
  where
    two k = if k < 10 then '0' : show k else show k

main :: IO ()
main = do
  let rows = map row [1, 18 .. 12000]
      entries = mapMaybe (=~ entry) rows
  print (length entries)
  print (Map.toList (Map.fromListWith (+) [(entryLevel e, 1 :: Int) | e <- entries]))
  print (maximum (map entryTime entries))
  let times = [ms | e <- entries, Just (_, ms, _) <- [findFirstInfix milliseconds (entryWhat e)]]
  print (length times, sum times)
  let hidden = map (replace ("#" <$ some (psym isDigit))) (take 200 rows)
  mapM_ putStrLn (take 2 hidden)
  print (sum (map length hidden))
  print (findLongestPrefix (many (psym (/= '['))) (head rows))
