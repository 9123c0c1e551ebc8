-- | Documents, spelled in every way that JSON allows, and spoiled.
module Tern.Json.Noise
  ( -- * Documents
    document,
    numberText,

    -- * Spellings
    noisy,
    shuffled,
    ascii,
    quotes,
    stringPiece,

    -- * Faults
    mutated,
    cut,
    likely,
  )
where

import Data.Char (ord, toUpper)
import Data.Word (Word8)
import Numeric (showHex)
import Tern.Json.Model (Document (..), utf8)
import Test.QuickCheck

ascii :: String -> [Word8]
ascii = map (fromIntegral . ord)

quotes :: [[Word8]] -> [Word8]
quotes pieces = ascii "\"" <> concat pieces <> ascii "\""

-- * Documents

document :: Gen Document
document = sized (go . min 30)
  where
    go :: Int -> Gen Document
    go n =
      frequency
        ( [ (1, pure Null),
            (1, Bool <$> arbitrary),
            (4, Number <$> numberText),
            (4, String <$> text)
          ]
            <> if n > 0
              then
                [ (3, Array <$> some n (go (n `div` 3))),
                  (4, Object <$> some n ((,) <$> key <*> go (n `div` 3)))
                ]
              else []
        )
    some n g = choose (0, min 6 n) >>= \k -> vectorOf k g
    -- Few names, so that some are repeated.
    key = oneof [elements ["", "a", "b", "\n", "key"], text]

text :: Gen String
text =
  resize
    12
    ( listOf
        ( oneof
            [ choose
                ('a', 'z'),
              elements "\"\\/\b\f\n\r\t\0\x1f\x7f\x80\x7ff\x800\xd7ff\xe000\xffff\x10000\x10ffff",
              filterSurrogates
            ]
        )
    )
  where
    filterSurrogates = arbitrary `suchThat` \c -> c < '\xd800' || c > '\xdfff'

-- | Numbers of the grammar, most of them at an edge of something.
numberText :: Gen String
numberText = (<>) <$> elements ["", "-"] <*> oneof [plain, spelled, bounds, runs, long]
  where
    plain = show <$> (choose (0, 1000) :: Gen Int)
    spelled = do
      whole <- oneof [pure "0", leading =<< resize 25 (listOf1 digit)]
      fraction <- oneof [pure "", ('.' :) <$> resize 25 (listOf1 digit)]
      power <- oneof [pure "", exponent']
      pure (whole <> fraction <> power)
    bounds = do
      n <-
        elements
          ( concat
              [ [b - 1, b, b + 1]
                | b <-
                    [2 ^ k | k <- [7, 8, 15, 16, 31, 32, 53, 63, 64 :: Int]]
                      <> [10 ^ k | k <- [15 .. 22 :: Int]]
              ]
          ) ::
          Gen Integer
      suffix <- elements ["", ".0", "e0", ".5", "e-1", "0e-1", "00E-2", "e1"]
      pure (show n <> suffix)
    runs = do
      n <- choose (1, 60)
      d <- elements "09"
      m <- choose (0, 60)
      d' <- elements "019"
      power <- oneof [pure "", exponent']
      pure ("1" <> replicate n d <> (if m > 0 then '.' : replicate m d' else "") <> power)
    -- The edges of double and float, in few digits and many.
    long =
      elements
        [ "1.7976931348623157e308",
          "1.7976931348623158e308",
          "1.7976931348623159e308",
          "1e308",
          "1e309",
          "2.2250738585072014e-308",
          "2.225073858507201e-308",
          "4.9406564584124654e-324",
          "2.4703282292062327e-324",
          "2.4703282292062328e-324",
          "1e-323",
          "1e-324",
          "1e-400",
          "3.4028235e38",
          "3.4028236e38",
          "3.40282357e38",
          "1.17549435e-38",
          "1.4e-45",
          "7.006492321624085e-46",
          "7.0064923216240854e-46",
          "7e-46",
          "0e99999999999999999999",
          "0.0e-99999999999999999999",
          "1e99999999999999999999",
          "1e-99999999999999999999",
          "9007199254740993",
          "9007199254740992.99999999999999999",
          "9007199254740993.00000000000000001"
        ]
    exponent' = do
      e <- elements "eE"
      sign <- elements ["", "+", "-"]
      zeros <- elements ["", "", "000"]
      n <- oneof [choose (0, 25), choose (290, 330), choose (0, 60)] :: Gen Int
      pure (e : sign <> zeros <> show n)
    digit = elements "0123456789"
    leading ds = pure (case dropWhile (== '0') ds of "" -> "0"; rest -> rest)

-- * Spellings

-- | The document in any white space and with any escapes.
noisy :: Document -> Gen [Word8]
noisy d = (\before body after -> before <> body <> after) <$> blank <*> spelled d <*> blank
  where
    spelled = \case
      Null -> pure (ascii "null")
      Bool b -> pure (ascii (if b then "true" else "false"))
      Number n -> pure (ascii n)
      String s -> string s
      Array ds -> framed "[" "]" <$> mapM between ds <*> blank
      Object members -> framed "{" "}" <$> mapM member members <*> blank
    between x = (\a b c -> a <> b <> c) <$> blank <*> spelled x <*> blank
    member (name, x) =
      (\a b c rest -> a <> b <> c <> ascii ":" <> rest)
        <$> blank
        <*> string name
        <*> blank
        <*> between x
    framed open close inside empty =
      ascii open <> (if null inside then empty else commas inside) <> ascii close
    commas = \case
      [] -> []
      x : rest -> x <> concatMap (ascii "," <>) rest

-- | The members of all objects in any order.
shuffled :: Document -> Gen Document
shuffled = \case
  Array ds -> Array <$> mapM shuffled ds
  Object members -> Object <$> (shuffle =<< mapM (traverse shuffled) members)
  d -> pure d

blank :: Gen [Word8]
blank =
  frequency
    [ (6, pure []),
      (2, pure (ascii " ")),
      ( 1,
        concat
          <$> resize 6 (listOf (elements (map ascii [" ", "\t", "\n", "\r", "         "])))
      )
    ]

string :: String -> Gen [Word8]
string s = quotes <$> mapM character s

-- | A character in one of its spellings.
character :: Char -> Gen [Word8]
character c =
  frequency
    ( [(if must then 0 else 6, pure (utf8 c)), (1, hexes)]
        <> [(3, pure (ascii ['\\', e])) | Just e <- [lookup c short]]
    )
  where
    must = c < ' ' || c == '"' || c == '\\'
    short =
      [ ('"', '"'),
        ('\\', '\\'),
        ('/', '/'),
        ('\b', 'b'),
        ('\f', 'f'),
        ('\n', 'n'),
        ('\r', 'r'),
        ('\t', 't')
      ]
    hexes = do
      upper <- arbitrary
      pure
        ( ascii
            ( concatMap
                ( \u ->
                    "\\u" <> map (if upper then toUpper else id) (drop 1 (showHex (0x10000 + u) ""))
                )
                units
            )
        )
    units
      | ord c < 0x10000 = [ord c]
      | otherwise =
          let (high, low) = (ord c - 0x10000) `divMod` 0x400 in [0xd800 + high, 0xdc00 + low]

-- | A piece of a string's inside that may or may not be allowed there.
stringPiece :: Gen [Word8]
stringPiece =
  frequency
    [ (6, character =<< arbitrary `suchThat` \c -> c < '\xd800' || c > '\xdfff'),
      (3, pure (ascii "abcdefghijkl")),
      ( 1,
        ascii
          <$> elements
            [ "\\u",
              "\\u12",
              "\\u12g4",
              "\\ud800",
              "\\udc00",
              "\\ud83d\\ude00",
              "\\udbff\\udfff",
              "\\ud800\\u0041",
              "\\ud800\\ud800",
              "\\ud800\\n",
              "\\U0041",
              "\\x",
              "\\",
              "\\'",
              "\\0",
              "\DEL",
              "\n",
              "\t",
              "\0",
              "\\uDC00\\uD800"
            ]
      ),
      ( 1,
        elements
          [ [0x80],
            [0xc0, 0x80],
            [0xc2],
            [0xe0, 0x80, 0x80],
            [0xed, 0xa0, 0x80],
            [0xed, 0x9f, 0xbf],
            [0xf0, 0x80, 0x80, 0x80],
            [0xf4, 0x90, 0x80, 0x80],
            [0xf4, 0x8f, 0xbf, 0xbf],
            [0xf5, 0x80, 0x80, 0x80],
            [0xff],
            [0xe2, 0x82],
            [0xf0, 0x9f, 0x98],
            [0xef, 0xbb, 0xbf]
          ]
      )
    ]

-- * Faults

-- | A few bytes changed, taken out, put in or said twice.
mutated :: [Word8] -> Gen [Word8]
mutated bytes = do
  count <- choose (1, 3) :: Gen Int
  go count bytes
  where
    go 0 now = pure now
    go n now = do
      at <- choose (0, length now)
      b <- likely
      let (before, after) = splitAt at now
      next <-
        elements
          [ before <> (b : after),
            before <> drop 1 after,
            before <> (b : drop 1 after),
            before <> take 3 after <> after
          ]
      go (n - 1) next

cut :: [Word8] -> Gen [Word8]
cut bytes = (`take` bytes) <$> choose (0, length bytes)

-- | A byte that JSON has a use for, or any other.
likely :: Gen Word8
likely =
  frequency
    [ (8, elements (ascii "{}[]:,\"\\ 0123456789-+.eEtfnu")),
      (1, arbitrary),
      (1, elements (ascii "ralsnul/b"))
    ]
