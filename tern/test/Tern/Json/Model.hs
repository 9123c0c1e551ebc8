{-# LANGUAGE TupleSections #-}

-- | A slow JSON, for Tern to be compared with.
--
-- The idea: every function is a sentence of RFC 8259, over lists of bytes and
-- characters, with no cleverness and nothing of Tern's. What the RFC leaves
-- open, Tern's rules decide (@docs\/spec\/json-mapping.md@).
--
-- Start at 'readDocument' and 'writeDocument'.
module Tern.Json.Model
  ( Document (..),
    Trouble (..),

    -- * Bytes
    readDocument,
    writeDocument,
    utf8,

    -- * Numbers
    numberValue,
    realDocument,
    notation,
    nearest,
  )
where

import Data.Bits (shiftR, (.&.), (.|.))
import Data.Char (chr, ord)
import Data.List (minimumBy)
import Data.Ord (comparing)
import Data.Ratio (denominator, numerator, (%))
import Data.Word (Word8)
import Numeric (readHex, showHex)

-- | A document: numbers as they are written, members in their order, repeated
-- ones too.
data Document
  = Null
  | Bool Bool
  | Number String
  | String String
  | Array [Document]
  | Object [(String, Document)]
  deriving stock (Eq, Show)

-- | What is wrong with one.
data Trouble
  = -- | Something stands there that cannot.
    Foreign
  | -- | The input ends there.
    Ends
  | -- | A control character in a string.
    Control
  | -- | No escape that there is, or half of a pair.
    Escape
  | -- | No UTF-8.
    Bytes
  | -- | One level more than there may be.
    Deep
  deriving stock (Eq, Show)

-- * Reading

-- | What is left of the input, and its offset.
type Rest = (Int, [Word8])

type Reading a = Rest -> Either (Int, Trouble) (a, Rest)

-- | A whole document of at most @levels@ levels.
readDocument :: Int -> [Word8] -> Either (Int, Trouble) Document
readDocument levels input = do
  (document, rest) <- readValue levels (0, input)
  case space rest of
    (_, []) -> Right document
    (at, _) -> Left (at, Foreign)

space :: Rest -> Rest
space (at, input) = (at + length blank, rest)
  where
    (blank, rest) = span (`elem` [0x20, 0x09, 0x0a, 0x0d]) input

-- | Something else stands here than what should, or nothing.
wrong :: Rest -> Either (Int, Trouble) a
wrong (at, rest) = Left (at, if null rest then Ends else Foreign)

ascii :: String -> [Word8]
ascii = map (fromIntegral . ord)

token :: Char -> Rest -> Maybe Rest
token c (at, input) = case input of
  b : rest | [b] == ascii [c] -> Just (at + 1, rest)
  _ -> Nothing

readValue :: Int -> Reading Document
readValue levels before
  | Just inside <- token '{' here =
      if levels == 0
        then Left (fst here, Deep)
        else readFrame '}' Object (readMember (levels - 1)) inside
  | Just inside <- token '[' here =
      if levels == 0
        then Left (fst here, Deep)
        else readFrame ']' Array (readValue (levels - 1)) inside
  | Just inside <- token '"' here = first' String <$> readString inside
  | Just rest <- literal "null" here = Right (Null, rest)
  | Just rest <- literal "true" here = Right (Bool True, rest)
  | Just rest <- literal "false" here = Right (Bool False, rest)
  | otherwise = readNumber here
  where
    here = space before

first' :: (a -> b) -> (a, c) -> (b, c)
first' f (a, c) = (f a, c)

literal :: String -> Rest -> Maybe Rest
literal word (at, input)
  | take (length word) input == ascii word = Just (at + length word, drop (length word) input)
  | otherwise = Nothing

-- | What stands between brackets: nothing, or elements with commas between
-- them.
readFrame :: Char -> ([a] -> Document) -> Reading a -> Reading Document
readFrame close make element inside = case token close (space inside) of
  Just rest -> Right (make [], rest)
  Nothing -> elements [] inside
  where
    elements before rest = do
      (a, after) <- element rest
      let here = space after
          all' = a : before
      case (token ',' here, token close here) of
        (Just more, _) -> elements all' more
        (_, Just end) -> Right (make (reverse all'), end)
        _ -> wrong here

readMember :: Int -> Reading (String, Document)
readMember levels before = case token '"' (space before) of
  Nothing -> wrong (space before)
  Just inside -> do
    (name, after) <- readString inside
    case token ':' (space after) of
      Nothing -> wrong (space after)
      Just rest -> first' (name,) <$> readValue levels rest

-- | From after the opening quote. First the end is looked for, then the bytes
-- are looked at, then the escapes.
readString :: Reading String
readString (start, input) = do
  body <- bodyOf 0 input
  characters <- decodeUtf8 start body
  text <- unescape characters
  Right (text, (start + length body + 1, drop (length body + 1) input))
  where
    bodyOf n rest = case rest of
      [] -> Left (start + n, Ends)
      0x22 : _ -> Right (take n input)
      [0x5c] -> Left (start + n + 1, Ends)
      0x5c : _ : more -> bodyOf (n + 2) more
      b : more
        | b < 0x20 -> Left (start + n, Control)
        | otherwise -> bodyOf (n + 1) more

-- | Characters with their offsets.
decodeUtf8 :: Int -> [Word8] -> Either (Int, Trouble) [(Int, Char)]
decodeUtf8 at input = case input of
  [] -> Right []
  b : _ -> case filter (fits b) shapes of
    (n, _, _, low) : _
      | length follow == n - 1,
        all (\f -> f .&. 0xc0 == 0x80) follow,
        c >= low,
        c <= 0x10ffff,
        c < 0xd800 || c > 0xdfff ->
          ((at, chr c) :) <$> decodeUtf8 (at + n) (drop n input)
      where
        follow = take (n - 1) (drop 1 input)
        own = fromIntegral b .&. (if n == 1 then 0x7f else 0xff `shiftR` (n + 1))
        c = foldl (\acc f -> acc * 64 + fromIntegral (f .&. 0x3f)) own follow
    _ -> Left (at, Bytes)
  where
    -- How long; the bits of the first byte and those that count; from where on.
    shapes =
      [ (1, 0x00, 0x80, 0),
        (2, 0xc0, 0xe0, 0x80),
        (3, 0xe0, 0xf0, 0x800),
        (4, 0xf0, 0xf8, 0x10000)
      ] ::
        [(Int, Word8, Word8, Int)]
    fits b (_, bits, mask, _) = b .&. mask == bits

unescape :: [(Int, Char)] -> Either (Int, Trouble) String
unescape = \case
  [] -> Right []
  (at, '\\') : rest -> case map snd (take 5 rest) of
    'u' : digits | Just c <- hex digits -> case c of
      _
        | c < 0xd800 || c > 0xdfff -> (chr c :) <$> unescape (drop 5 rest)
        | c < 0xdc00,
          '\\' : 'u' : digits' <- map snd (take 6 (drop 5 rest)),
          Just c' <- hex digits',
          c' >= 0xdc00,
          c' <= 0xdfff ->
            (chr (0x10000 + (c - 0xd800) * 0x400 + (c' - 0xdc00)) :) <$> unescape (drop 11 rest)
      _ -> Left (at, Escape)
    e : _ | Just c <- lookup e short -> (c :) <$> unescape (drop 1 rest)
    _ -> Left (at, Escape)
  (_, c) : rest -> (c :) <$> unescape rest
  where
    short =
      [ ('"', '"'),
        ('\\', '\\'),
        ('/', '/'),
        ('b', '\b'),
        ('f', '\f'),
        ('n', '\n'),
        ('r', '\r'),
        ('t', '\t')
      ]
    hex digits
      | length digits == 4,
        all (`elem` "0123456789abcdefABCDEF") digits,
        [(n, "")] <- readHex digits =
          Just n
      | otherwise = Nothing

-- | A sign, digits without a zero before others, a fraction, an exponent.
readNumber :: Reading Document
readNumber here = do
  (sign, afterSign) <- Right (optional "-" here)
  (whole, afterWhole) <- case afterSign of
    (at, 0x30 : rest) -> Right ("0", (at + 1, rest))
    -- Without a sign it is no number at all.
    _ -> digits afterSign
  (fraction, afterFraction) <- case optional "." afterWhole of
    ("", _) -> Right ("", afterWhole)
    (point, rest) -> first' (point <>) <$> digits rest
  (power, rest) <- case optional "eE" afterFraction of
    ("", _) -> Right ("", afterFraction)
    (e, afterE) -> do
      let (sign', afterSign') = optional "+-" afterE
      first' ((e <> sign') <>) <$> digits afterSign'
  Right (Number (sign <> whole <> fraction <> power), rest)
  where
    optional these (at, input) = case input of
      b : rest | [b] `elem` map (\c -> ascii [c]) these -> ([chr (fromIntegral b)], (at + 1, rest))
      _ -> ("", (at, input))
    digits (at, input) = case span (\b -> b >= 0x30 && b <= 0x39) input of
      ([], rest) -> wrong (at, rest)
      (ds, rest) -> Right (map (chr . fromIntegral) ds, (at + length ds, rest))

-- * Writing

-- | Compact, with short escapes where there are some.
writeDocument :: Document -> [Word8]
writeDocument = \case
  Null -> ascii "null"
  Bool True -> ascii "true"
  Bool False -> ascii "false"
  Number text -> ascii text
  String text -> writeString text
  Array elements -> ascii "[" <> separated (map writeDocument elements) <> ascii "]"
  Object members ->
    ascii "{"
      <> separated [writeString name <> ascii ":" <> writeDocument d | (name, d) <- members]
      <> ascii "}"
  where
    separated = \case
      [] -> []
      x : rest -> x <> concatMap (ascii "," <>) rest

writeString :: String -> [Word8]
writeString text = ascii "\"" <> concatMap character text <> ascii "\""
  where
    character c = case lookup
      c
      [ ('"', "\\\""),
        ('\\', "\\\\"),
        ('\n', "\\n"),
        ('\r', "\\r"),
        ('\t', "\\t"),
        ('\b', "\\b"),
        ('\f', "\\f")
      ] of
      Just escape -> ascii escape
      Nothing
        | c < ' ' -> ascii ("\\u" <> drop 1 (showHex (0x10000 + ord c) ""))
        | otherwise -> utf8 c

-- | A character's bytes.
utf8 :: Char -> [Word8]
utf8 char
  | c < 0x80 = [fromIntegral c]
  | c < 0x800 = [fromIntegral (0xc0 .|. c `shiftR` 6), follow 0]
  | c < 0x10000 = [fromIntegral (0xe0 .|. c `shiftR` 12), follow 6, follow 0]
  | otherwise = [fromIntegral (0xf0 .|. c `shiftR` 18), follow 12, follow 6, follow 0]
  where
    c = ord char
    follow n = fromIntegral (0x80 .|. (c `shiftR` n) .&. 0x3f)

-- * Numbers

-- | The exact value of a number as it is written; of one with a power of ten
-- beyond ten thousand, something that is as far from every other number.
numberValue :: String -> Rational
numberValue text =
  (if negative then negate else id)
    ( if power >= 0
        then fromInteger (mantissa * 10 ^ power)
        else mantissa % (10 ^ negate power)
    )
  where
    negative = take 1 text == "-"
    (before, after) = break (`elem` "eE") (dropWhile (== '-') text)
    (whole, fraction) = break (== '.') before
    mantissa = read (whole <> drop 1 fraction) :: Integer
    written = case drop 1 after of
      "" -> 0
      '+' : ds -> read ds
      ds -> read ds :: Integer
    power = max (-10000) (min 10000 (written - fromIntegral (length (drop 1 fraction))))

-- | The floating-point number nearest to a number as it is written.
nearest :: (RealFloat a) => String -> a
nearest text
  | take 1 text == "-" = negate (fromRational (abs (numberValue text)))
  | otherwise = fromRational (numberValue text)

-- | A floating-point number: with the fewest digits that read back, of these
-- the nearest; plain from 1e-5 up to 1e16.
realDocument :: (RealFloat a) => a -> Document
realDocument x
  | isNaN x = Null
  | isInfinite x = String (if x > 0 then "+inf" else "-inf")
  | isNegativeZero x = Number "-0.0"
  | x == 0 = Number "0.0"
  | x < 0 = Number ('-' : notation (shortest (negate x)))
  | otherwise = Number (notation (shortest x))

-- | @(digits, p)@ for @0.digits * 10^p@.
notation :: (String, Int) -> String
notation (digits, point)
  | point > 16 || point <= -5 =
      take 1 digits
        <> (if length digits > 1 then "." <> drop 1 digits else "")
        <> "e"
        <> show (point - 1)
  | point <= 0 = "0." <> replicate (negate point) '0' <> digits
  | length digits <= point = digits <> replicate (point - length digits) '0' <> ".0"
  | otherwise = take point digits <> "." <> drop point digits

shortest :: (RealFloat a) => a -> (String, Int)
shortest x = case concatMap candidates [1 .. 17] of
  best : _ -> best
  [] -> ("", 0)
  where
    exact = toRational x
    point =
      length (takeWhile (<= exact) (map (10 ^) [0 :: Int ..]))
        - length (takeWhile (> exact) [1 % (10 ^ n) | n <- [1 :: Int ..]])
    candidates n = case [ (distance d, odd d, d)
                          | d <-
                              [low, low + 1],
                            fromRational (value d) == x
                        ] of
      [] -> []
      some -> let (_, _, d) = minimumBy (comparing (\(a, b, _) -> (a, b))) some in [normal (show d)]
      where
        scale = tenTo (point - n)
        low = let q = exact / scale in numerator q `div` denominator q :: Integer
        value d = fromInteger d * scale
        distance d = abs (value d - exact)
        normal ds = (dropTrailing ds, point + length ds - n)
    dropTrailing = reverse . dropWhile (== '0') . reverse
    tenTo k = if k >= 0 then 10 ^ k else 1 % (10 ^ negate k) :: Rational
