-- | Work that goes through lists of characters.
module Strings (runs) where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Builder (Builder)
import Data.ByteString.Builder qualified as Builder
import Data.ByteString.Builder.Extra qualified as Builder
import Data.ByteString.Char8 qualified as C
import Data.ByteString.Lazy qualified as L
import Data.Char (digitToInt, isSpace, toUpper)
import Data.List (foldl', sort)
import Data.Map.Strict (Map)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.IO qualified as T
import Data.Text.Read qualified as T
import Data.Vector.Unboxed qualified as U
import Data.Word (Word8)
import System.FilePath (splitDirectories, takeBaseName)
import System.IO
import Text.Parsec (anyChar, char, digit, many, many1, manyTill, noneOf, parse)
import Text.Parsec.String (Parser)
import Text.Printf

runs :: [(String, IO ())]
runs =
  [ ("raised", print (T.length (raised long))),
    ("raisedCured", print (T.length (raisedCured long))),
    ("turned", print (T.length (turned long))),
    ("turnedCured", print (T.length (turnedCured long))),
    ("parsed", print (parsed (map show [1 .. 500 :: Int]))),
    ("parsedCured", print (parsedCured (map show [1 .. 500 :: Int]))),
    ("parsedText", print (parsedText (map (T.pack . show) [1 .. 500 :: Int]))),
    ("parsedTextCured", print (parsedTextCured (map (T.pack . show) [1 .. 500 :: Int]))),
    ("stems", print (stems paths)),
    ("stemsCured", print (stemsCured paths)),
    ("framed", print (L.length (framed [1 .. 500]))),
    ("framedCured", print (L.length (framedCured [1 .. 500]))),
    ("whole", print (L.length (whole [1 .. 500]))),
    ("digits", print (digits 5000)),
    ("digitsCured", print (digitsCured 5000)),
    ("keyed", print (Map.size (keyed [1 .. 500]))),
    ("keyedCured", print (Map.size (keyedCured [1 .. 500]))),
    ("table", table [1 .. 300]),
    ("tableCured", tableCured [1 .. 300]),
    ("cells", putStr (cells [1 .. 300])),
    ("cellsCured", putStr (cellsCured [1 .. 300])),
    ("sorted", print (U.length (sorted (U.enumFromTo 1 1000)))),
    ("sortedCured", print (U.length (sortedCured (U.enumFromTo 1 1000)))),
    ("escaped", print (T.length (escaped long))),
    ("escapedCured", print (T.length (escapedCured long))),
    ("percent", print (L.length (Builder.toLazyByteString (percent bytes)))),
    ("percentCured", print (L.length (Builder.toLazyByteString (percentCured bytes)))),
    ("quoted", print (length <$> parse quoted "" quotation)),
    ("quotedCured", print (length <$> parse quotedCured "" quotation)),
    ("spelt", print (L.length (Builder.toLazyByteString (spelt (replicate 5000 9))))),
    ("worded", print (L.length (Builder.toLazyByteString (worded long)))),
    ("doubled", print (T.length (doubled long))),
    ("listed", print (length <$> parse listed "" "[1,2,3,]")),
    ("shouted", shouted (T.pack "a name")),
    ("lined", lined [1 .. 10]),
    ("asked", print (asked "12")),
    ("told", told 3),
    ("spaced", T.putStrLn (spaced (T.pack "a/b")))
  ]

long :: Text
long = T.replicate 1000 (T.pack "some text ")
{-# NOINLINE long #-}

paths :: [Text]
paths = [T.pack ("places/number" <> show i <> "/a-long-name" <> show i <> ".hs") | i <- [1 .. 300 :: Int]]
{-# NOINLINE paths #-}

-- Found: through-string
raised :: Text -> Text
raised t = T.pack (map toUpper (T.unpack t))
{-# NOINLINE raised #-}

-- Healthy
raisedCured :: Text -> Text
raisedCured = T.map toUpper
{-# NOINLINE raisedCured #-}

-- Found: through-string
turned :: Text -> Text
turned = T.pack . reverse . dropWhile isSpace . T.unpack
{-# NOINLINE turned #-}

-- Healthy
turnedCured :: Text -> Text
turnedCured = T.reverse . T.stripStart
{-# NOINLINE turnedCured #-}

-- Found: read
parsed :: [String] -> Int
parsed = foldl' (\n s -> n + read s) 0
{-# NOINLINE parsed #-}

-- Healthy
parsedCured :: [String] -> Int
parsedCured = foldl' (\n s -> n + foldl' (\a c -> 10 * a + digitToInt c) 0 s) 0
{-# NOINLINE parsedCured #-}

-- Found: read
parsedText :: [Text] -> Int
parsedText ts = sum (map (read . T.unpack) ts)
{-# NOINLINE parsedText #-}

-- Healthy
parsedTextCured :: [Text] -> Int
parsedTextCured ts = sum (map (either (const 0) fst . T.decimal) ts)
{-# NOINLINE parsedTextCured #-}

-- Found: show
digits :: Int -> Int
digits n = sum (map (\i -> sum (map digitToInt (show i))) [1 .. n])
{-# NOINLINE digits #-}

-- Healthy
digitsCured :: Int -> Int
digitsCured n = sum (map (\i -> go 0 i) [1 .. n])
  where
    go :: Int -> Int -> Int
    go !acc i = if i == 0 then acc else go (acc + i `rem` 10) (i `quot` 10)
{-# NOINLINE digitsCured #-}

-- Found: show
keyed :: [Int] -> Map String Int
keyed = foldl' (\m i -> Map.insertWith (+) (show i) i m) Map.empty
{-# NOINLINE keyed #-}

-- Healthy
keyedCured :: [Int] -> Map Int Int
keyedCured = foldl' (\m i -> Map.insertWith (+) i i m) Map.empty
{-# NOINLINE keyedCured #-}

-- Found: printf
table :: [Int] -> IO ()
table = mapM_ (\i -> printf "%d: %d\n" i (i * i))
{-# NOINLINE table #-}

-- Healthy
tableCured :: [Int] -> IO ()
tableCured = mapM_ (\i -> putStrLn (show i <> ": " <> show (i * i)))
{-# NOINLINE tableCured #-}

-- Found: printf
cells :: [Int] -> String
cells = concatMap (\i -> printf "%d;" i)
{-# NOINLINE cells #-}

-- Healthy
cellsCured :: [Int] -> String
cellsCured = concatMap (\i -> show i <> ";")
{-# NOINLINE cellsCured #-}

-- Found: through-list
sorted :: U.Vector Int -> U.Vector Int
sorted v = U.fromList (map (+ 1) (U.toList v))
{-# NOINLINE sorted #-}

-- Healthy
sortedCured :: U.Vector Int -> U.Vector Int
sortedCured = U.map (+ 1)
{-# NOINLINE sortedCured #-}

-- What takes a String must be given one.
-- Healthy
shouted :: Text -> IO ()
shouted t = hPutStrLn stdout (T.unpack t) >> T.putStrLn t
{-# NOINLINE shouted #-}

-- What is shown to people is shown.
-- Healthy
lined :: [Int] -> IO ()
lined = mapM_ (\i -> putStrLn (show i))
{-# NOINLINE lined #-}

-- Healthy
asked :: String -> Int
asked s = length (sort [read s, 3 :: Int])
{-# NOINLINE asked #-}

-- Healthy
told :: Int -> IO ()
told n = printf "%d in all\n" n
{-# NOINLINE told #-}

bytes :: ByteString
bytes = B.concat (replicate 1000 (C.pack "some bytes"))
{-# NOINLINE bytes #-}

quotation :: String
quotation = "\"" ++ concat (replicate 500 "what was said ") ++ "\""
{-# NOINLINE quotation #-}

-- Found: single-characters
escaped :: Text -> Text
escaped = T.concatMap one
  where
    one '<' = T.pack "&lt;"
    one c = T.singleton c
{-# NOINLINE escaped #-}

-- Healthy
escapedCured :: Text -> Text
escapedCured = T.intercalate (T.pack "&lt;") . T.splitOn (T.pack "<")
{-# NOINLINE escapedCured #-}

-- Found: single-characters
percent :: ByteString -> Builder
percent = mconcat . map one . B.unpack
  where
    one w
      | w == 32 = Builder.byteString (C.pack "%20")
      | otherwise = Builder.word8 w
{-# NOINLINE percent #-}

-- Healthy
percentCured :: ByteString -> Builder
percentCured b = case B.break (== 32) b of
  (plain, rest)
    | B.null rest -> Builder.byteString plain
    | otherwise ->
        Builder.byteString plain
          <> Builder.byteString (C.pack "%20")
          <> percentCured (B.drop 1 rest)
{-# NOINLINE percentCured #-}

-- They were never packed.
-- Healthy
spelt :: [Word8] -> Builder
spelt = mconcat . map Builder.word8
{-# NOINLINE spelt #-}

-- A builder is made of each word.
-- Healthy
worded :: Text -> Builder
worded = mconcat . map Builder.stringUtf8 . words . T.unpack
{-# NOINLINE worded #-}

-- Of each character two are made.
-- Healthy
doubled :: Text -> Text
doubled = T.concatMap (\c -> T.replicate 2 (T.pack [c]))
{-# NOINLINE doubled #-}

-- Found: tries-end
quoted :: Parser String
quoted = char '"' *> manyTill anyChar (char '"')
{-# NOINLINE quoted #-}

-- Healthy
quotedCured :: Parser String
quotedCured = char '"' *> many (noneOf "\"") <* char '"'
{-# NOINLINE quotedCured #-}

-- A number is more than its end.
-- Healthy
listed :: Parser [Int]
listed = char '[' *> manyTill (length <$> many1 digit <* char ',') (char ']')
{-# NOINLINE listed #-}

-- Another package's function makes a string of a string.
-- Found: through-string
stems :: [Text] -> Int
stems = foldl' (\n t -> n + T.length (T.pack (takeBaseName (T.unpack t)))) 0
{-# NOINLINE stems #-}

-- Healthy
stemsCured :: [Text] -> Int
stemsCured = foldl' (\n t -> n + T.length (T.takeWhile (/= '.') (T.takeWhileEnd (/= '/') t))) 0
{-# NOINLINE stemsCured #-}

-- It is taken apart by another package's rules.
-- Healthy
spaced :: Text -> Text
spaced t = T.pack (unwords (splitDirectories (T.unpack t)))
{-# NOINLINE spaced #-}

-- How small the pieces are only a run can tell.
-- Healthy
framed :: [Int] -> L.ByteString
framed = L.concat . map (measured . Builder.toLazyByteString . Builder.intDec)
{-# NOINLINE framed #-}

-- Healthy
framedCured :: [Int] -> L.ByteString
framedCured = L.concat . map (measured . short . Builder.intDec)
  where
    short = Builder.toLazyByteStringWith (Builder.safeStrategy 32 4096) L.empty
{-# NOINLINE framedCured #-}

measured :: L.ByteString -> L.ByteString
measured piece = L.append (L.singleton (fromIntegral (L.length piece))) piece

-- The builder is run once.
-- Healthy
whole :: [Int] -> L.ByteString
whole = Builder.toLazyByteString . foldMap Builder.intDec
{-# NOINLINE whole #-}
