-- | A slow MessagePack, for Tern to be compared with.
--
-- The idea: the specification's table, over lists of bytes. A value has many
-- encodings, and 'encodings' lists them all, the shortest first; reading tries
-- one format after the other.
--
-- Start at 'readDocument' and 'encodings'.
module Tern.MessagePack.Model
  ( Item (..),
    readDocument,
    encodings,
    shortest,
    spelled,
    signed,
  )
where

import Data.Char (chr)
import Data.List (sortOn)
import Data.Word (Word8)
import Tern.Json.Model (utf8)
import Test.QuickCheck (Gen, elements)

-- | A value. Floats are their bits.
data Item
  = Nil
  | Bool Bool
  | Integer Integer
  | Single Integer
  | Double Integer
  | Str String
  | Bin [Word8]
  | Array [Item]
  | Map [(Item, Item)]
  | Ext Integer [Word8]
  | -- | Seconds and nanoseconds.
    Time Integer Integer
  deriving stock (Eq, Show)

-- * Numbers as bytes

unsigned :: [Word8] -> Integer
unsigned = foldl (\n b -> n * 256 + toInteger b) 0

signed :: [Word8] -> Integer
signed bytes
  | n >= half = n - 2 * half
  | otherwise = n
  where
    n = unsigned bytes
    half = 2 ^ (8 * length bytes - 1)

-- | @width@ bytes, the highest first, of a number of any sign.
big :: Int -> Integer -> [Word8]
big width n = [fromInteger (n `div` 256 ^ k) | k <- reverse [0 .. width - 1]]

-- * Reading

-- | A whole document of at most @levels@ levels.
readDocument :: Int -> [Word8] -> Maybe Item
readDocument levels bytes = case readItem levels bytes of
  Just (item, []) -> Just item
  _ -> Nothing

-- | The value at the front and what follows it.
readItem :: Int -> [Word8] -> Maybe (Item, [Word8])
readItem levels input = case input of
  [] -> Nothing
  b : rest
    | b <= 0x7f -> Just (Integer (toInteger b), rest)
    | b <= 0x8f -> pairs (toInteger b - 0x80) rest
    | b <= 0x9f -> elements' (toInteger b - 0x90) rest
    | b <= 0xbf -> string (toInteger b - 0xa0) rest
    | b >= 0xe0 -> Just (Integer (toInteger b - 256), rest)
  0xc0 : rest -> Just (Nil, rest)
  0xc2 : rest -> Just (Bool False, rest)
  0xc3 : rest -> Just (Bool True, rest)
  0xc4 : rest -> counted 1 binary rest
  0xc5 : rest -> counted 2 binary rest
  0xc6 : rest -> counted 4 binary rest
  0xc7 : rest -> counted 1 extension rest
  0xc8 : rest -> counted 2 extension rest
  0xc9 : rest -> counted 4 extension rest
  0xca : rest -> bytes 4 rest (Just . Single . unsigned)
  0xcb : rest -> bytes 8 rest (Just . Double . unsigned)
  0xcc : rest -> bytes 1 rest (Just . Integer . unsigned)
  0xcd : rest -> bytes 2 rest (Just . Integer . unsigned)
  0xce : rest -> bytes 4 rest (Just . Integer . unsigned)
  0xcf : rest -> bytes 8 rest (Just . Integer . unsigned)
  0xd0 : rest -> bytes 1 rest (Just . Integer . signed)
  0xd1 : rest -> bytes 2 rest (Just . Integer . signed)
  0xd2 : rest -> bytes 4 rest (Just . Integer . signed)
  0xd3 : rest -> bytes 8 rest (Just . Integer . signed)
  0xd4 : rest -> extension 1 rest
  0xd5 : rest -> extension 2 rest
  0xd6 : rest -> extension 4 rest
  0xd7 : rest -> extension 8 rest
  0xd8 : rest -> extension 16 rest
  0xd9 : rest -> counted 1 string rest
  0xda : rest -> counted 2 string rest
  0xdb : rest -> counted 4 string rest
  0xdc : rest -> counted 2 elements' rest
  0xdd : rest -> counted 4 elements' rest
  0xde : rest -> counted 2 pairs rest
  0xdf : rest -> counted 4 pairs rest
  _ -> Nothing
  where
    bytes :: Integer -> [Word8] -> ([Word8] -> Maybe a) -> Maybe (a, [Word8])
    bytes n rest make
      | n > toInteger (length rest) = Nothing
      | otherwise = do
          a <- make (take (fromInteger n) rest)
          Just (a, drop (fromInteger n) rest)
    counted width body rest = do
      (n, rest') <- bytes width rest (Just . unsigned)
      body n rest'
    binary n rest = bytes n rest (Just . Bin)
    string n rest = bytes n rest (fmap Str . readUtf8)
    extension n rest = do
      (kind, rest') <- bytes 1 rest (Just . signed)
      bytes n rest' (if kind == -1 then time else Just . Ext kind)
    elements' n rest
      | levels == 0 = Nothing
      | otherwise = do
          (items, rest') <- several n rest
          Just (Array items, rest')
    pairs n rest
      | levels == 0 = Nothing
      | otherwise = do
          (items, rest') <- several (2 * n) rest
          Just (Map (paired items), rest')
    several :: Integer -> [Word8] -> Maybe ([Item], [Word8])
    several 0 rest = Just ([], rest)
    several n rest = do
      (item, rest') <- readItem (levels - 1) rest
      (items, rest'') <- several (n - 1) rest'
      Just (item : items, rest'')

paired :: [a] -> [(a, a)]
paired = \case
  a : b : rest -> (a, b) : paired rest
  _ -> []

time :: [Word8] -> Maybe Item
time body
  | [n, s] <- parts, n < 1000000000 = Just (Time s n)
  | otherwise = Nothing
  where
    parts = case length body of
      4 -> [0, unsigned body]
      8 -> [unsigned body `div` 2 ^ (34 :: Int), unsigned body `mod` 2 ^ (34 :: Int)]
      12 -> [unsigned (take 4 body), signed (drop 4 body)]
      _ -> []

-- | Characters whose own bytes are those that there are.
readUtf8 :: [Word8] -> Maybe String
readUtf8 = \case
  [] -> Just ""
  bytes@(b : _)
    | c <= 0x10ffff,
      c < 0xd800 || c > 0xdfff,
      utf8 (chr c) == take n bytes ->
        (chr c :) <$> readUtf8 (drop n bytes)
    | otherwise -> Nothing
    where
      n
        | b < 0xc0 = 1
        | b < 0xe0 = 2
        | b < 0xf0 = 3
        | otherwise = 4
      c =
        foldl
          (\acc f -> acc * 64 + fromIntegral f `mod` 64)
          ( if n == 1
              then fromIntegral b
              else fromIntegral b `mod` 2 ^ (7 - n)
          )
          (take (n - 1) (drop 1 bytes)) ::
          Int

-- * Writing

-- | What precedes the values within, in every format that can say it, the
-- shortest first, and of two as short the unsigned one; and those values.
headers :: Item -> ([[Word8]], [Item])
headers = \case
  Nil -> ([[0xc0]], [])
  Bool False -> ([[0xc2]], [])
  Bool True -> ([[0xc3]], [])
  Integer n -> (integers n, [])
  Single bits -> ([0xca : big 4 bits], [])
  Double bits -> ([0xcb : big 8 bits], [])
  Str text ->
    let body =
          concatMap utf8 text
     in ( map
            (<> body)
            ( lengths
                (length body)
                (Just (0xa0, 32))
                [(1, 0xd9), (2, 0xda), (4, 0xdb)]
            ),
          []
        )
  Bin body -> (map (<> body) (lengths (length body) Nothing [(1, 0xc4), (2, 0xc5), (4, 0xc6)]), [])
  Array items -> (lengths (length items) (Just (0x90, 16)) [(2, 0xdc), (4, 0xdd)], items)
  Map items ->
    ( lengths
        (length items)
        (Just (0x80, 16))
        [(2, 0xde), (4, 0xdf)],
      concat [[k, v] | (k, v) <- items]
    )
  Ext kind body ->
    ( map
        (<> (big 1 kind <> body))
        ( [[first] | (n, first) <- zip [1, 2, 4, 8, 16] [0xd4 ..], n == length body]
            <> lengths (length body) Nothing [(1, 0xc7), (2, 0xc8), (4, 0xc9)]
        ),
      []
    )
  Time s n ->
    ( [[0xd6, 0xff] <> big 4 s | n == 0, s >= 0, s < 2 ^ (32 :: Int)]
        <> [[0xd7, 0xff] <> big 8 (n * 2 ^ (34 :: Int) + s) | s >= 0, s < 2 ^ (34 :: Int)]
        <> [[0xc7, 12, 0xff] <> big 4 n <> big 8 s],
      []
    )
  where
    integers n =
      sortOn length $
        [big 1 n | n >= -32, n < 128]
          <> [ first : big width n | n >= 0, (width, first) <-
                                               zip [1, 2, 4, 8] [0xcc ..], n < 256 ^ width
             ]
          <> [ first : big width n
               | (width, first) <-
                   zip [1, 2, 4, 8] [0xd0 ..],
                 2 * n >= negate (256 ^ width),
                 2 * n < 256 ^ width
             ]
    lengths n fix forms =
      [[first + fromIntegral n] | Just (first, limit) <- [fix], n < limit]
        <> [first : big width (toInteger n) | (width, first) <- forms, toInteger n < 256 ^ width]

-- | Every way to write an item whose inner values are written the shortest way.
encodings :: Item -> [[Word8]]
encodings item = case headers item of
  (ways, items) -> map (<> concatMap shortest items) ways

-- | The shortest way.
shortest :: Item -> [Word8]
shortest item = case encodings item of
  bytes : _ -> bytes
  [] -> []

-- | Any way, inside as well.
spelled :: Item -> Gen [Word8]
spelled item = case headers item of
  (ways, items) -> (<>) <$> elements ways <*> (concat <$> mapM spelled items)
