-- | A mirror of packages: what they need is read from their control files,
-- sums are made, remarks are unpacked, and all are laid on discs and listed.
module Main (main) where

import qualified Codec.Compression.Zlib.Raw as Z
import Data.BinPacking
import qualified Data.ByteString.Lazy.Char8 as L
import Data.CSV
import Data.Compression.Inflate (inflate_string)
import Data.Either (rights)
import Data.Hash.MD5
import Data.List.Utils
import Data.Quantity
import System.Debian.ControlParser
import Text.ParserCombinators.Parsec (parse)

stanza :: Int -> String
stanza n =
  unlines
    [ "Package: " ++ name n,
      "Version: " ++ show (n `mod` 7) ++ "." ++ show (n `mod` 13) ++ "-" ++ show (1 + n `mod` 3),
      "Installed-Size: " ++ show (40 + n * 7919 `mod` 9000),
      "Depends: " ++ join ", " [name (n * k `mod` 400) ++ " (>= " ++ show k ++ ".2)" | k <- [2 .. 6]] ++ ", libc6",
      "Architecture: any",
      "Description: the package number " ++ show n ++ ", with \"quotes\" and, commas",
      " A longer text about it, which goes over a line",
      " and one more, as descriptions do."
    ]

name :: Int -> String
name k = "lib" ++ concat (replicate (1 + k `mod` 3) "part") ++ show k ++ "-dev"

remarks :: [String]
remarks = [concat [name (k * j) ++ " was built again on host " ++ show (j `mod` 5) ++ "; " | j <- [1 .. 12]] | k <- [1 .. 6]]

packed :: String -> String
packed = L.unpack . Z.compress . L.pack

main :: IO ()
main = do
  let stanzas = map stanza [1 .. 400]
      parsed = rights (map (parse control "control") stanzas)
      depends = [either (const 0) (\(p, v, _) -> length p + maybe 0 (length . snd) v) (parse depPart "depends" part) | Just ds <- map (lookup "Depends") parsed, part <- split ", " (replace "\n" "" ds)]
      sizes = [read size | Just size <- map (lookup "Installed-Size") parsed] :: [Int]
      sums = map (md5s . Str) (take 120 stanzas)
      table = genCsvFile [[get "Package" f, get "Version" f, get "Description" f] | f <- parsed]
      get k f = maybe "" (replace "\n" " ") (lookup k f)
  print (length parsed, sum depends)
  print (hash sums, length table)
  case parse csvFile "table" table of
    Left e -> print e
    Right rows -> print (length rows, sum (map (length . concat) rows))
  print (map (\r -> sum (map fromEnum (inflate_string (packed r)))) remarks)
  print (countElem 'e' table, subIndex "number 399" table, length (uniq (concatMap words stanzas)))
  putStrLn (unwords (map (renderNum binaryOpts 1 . (* 1024)) (take 40 sizes)))
  case packLargeFirst (repeat 40000) (zip sizes (map (get "Package") parsed)) of
    Left e -> print e
    Right bins -> print (length bins, map length bins)
  where
    hash = sum . map length
