-- | Negotiation once more, slowly, from the text of RFC 9110: what the fast one is held
-- against.
--
-- The grammars are those of the text, over characters, by a parser that tries every way;
-- the rules of preference are its sentences. It shares nothing with the library.
module Tern.Negotiate.Model
  ( listElements,
    mediaType,
    typeQuality,
    chosenType,
    codingQuality,
    chosenCoding,
  )
where

import Data.Bifunctor (first)
import Data.Char (isDigit, ord, toLower)
import Data.List (isPrefixOf, isSuffixOf, nub)
import Data.Maybe (fromMaybe, mapMaybe)
import Text.ParserCombinators.ReadP
  ( ReadP,
    between,
    char,
    choice,
    count,
    many,
    munch,
    munch1,
    option,
    readP_to_S,
    satisfy,
    (+++),
    (<++),
  )

-- * 5.6: the grammar that headers share

-- | Section 5.6.1, and where a comma separates: not within a string, which parameters
-- alone have.
listElements :: String -> [String]
listElements = filter (not . null) . map trim . cut
  where
    cut text = case text of
      "" -> [""]
      ',' : rest -> "" : cut rest
      c : '=' : '"' : rest
        | isTokenChar c,
          Just (inside, rest') <- quoted rest ->
            (c : "=\"" <> inside) `before` cut rest'
      c : rest -> [c] `before` cut rest
    before start = \case
      next : others -> (start <> next) : others
      [] -> [start]
    -- Up to its closing quote, if there is one.
    quoted text = case text of
      "" -> Nothing
      '"' : rest -> Just ("\"", rest)
      '\\' : c : rest -> (\(inside, rest') -> ('\\' : c : inside, rest')) <$> quoted rest
      c : rest -> first (c :) <$> quoted rest

trim :: String -> String
trim = dropWhile space . reverse . dropWhile space . reverse
  where
    space c = c `elem` " \t"

-- | Section 5.6.2.
tokenP :: ReadP String
tokenP = munch1 isTokenChar

isTokenChar :: Char -> Bool
isTokenChar c =
  c `elem` "!#$%&'*+-.^_`|~" || isDigit c || c `elem` ['a' .. 'z'] || c `elem` ['A' .. 'Z']

-- | Section 5.6.4.
quotedP :: ReadP String
quotedP = between (char '"') (char '"') (many (qdtext <++ pair))
  where
    qdtext =
      satisfy
        ( \c ->
            c == '\t'
              || c == ' '
              || c == '!'
              || (ord c >= 0x23 && ord c <= 0x5b)
              || (ord c >= 0x5d && ord c <= 0x7e)
              || ord c >= 0x80
        )
    pair =
      char '\\'
        >> satisfy
          ( \c ->
              c == '\t' || c == ' ' || (ord c >= 0x21 && ord c <= 0x7e) || ord c >= 0x80
          )

-- | Section 5.6.6; names have no case.
parametersP :: ReadP [(String, String)]
parametersP = concat <$> many (ows >> char ';' >> ows >> option [] (pure <$> parameter))
  where
    ows = munch (`elem` " \t")
    parameter = (,) . map toLower <$> tokenP <* char '=' <*> (tokenP +++ quotedP)

only :: (Eq a) => ReadP a -> String -> Maybe a
only parser text = case nub [a | (a, "") <- readP_to_S parser text] of
  [a] -> Just a
  _ -> Nothing

-- * 12.4.2: weights

weightOf :: [(String, String)] -> Maybe (Rational, [(String, String)])
weightOf values = case [v | ("q", v) <- values] of
  [] -> Just (1, values)
  [v] | Just q <- only qvalue v -> Just (q, filter ((/= "q") . fst) values)
  _ -> Nothing

qvalue :: ReadP Rational
qvalue = zero +++ one
  where
    zero = char '0' >> option 0 (char '.' >> decimals <$> upTo3 (satisfy isDigit))
    one = char '1' >> option 1 (char '.' >> 1 <$ upTo3 (char '0'))
    upTo3 p = choice [count n p | n <- [0 .. 3]]
    decimals digits =
      sum [fromIntegral (ord d - ord '0') / 10 ^ n | (d, n) <- zip digits [1 :: Int ..]]

-- * 8.3.1 and 12.5.1: media types

type Media = (String, String, [(String, String)])

mediaType :: String -> Maybe Media
mediaType = only mediaP . trim

mediaP :: ReadP Media
mediaP = (,,) . map toLower <$> tokenP <* char '/' <*> (map toLower <$> tokenP) <*> parametersP

-- | The weight of a type, by a header: nothing where the header says nothing.
typeQuality :: Maybe String -> Media -> Maybe Rational
typeQuality header media = case mapMaybe range (maybe [] listElements header) of
  [] -> Nothing
  ranges ->
    Just $ case [ q
                  | (r, q) <-
                      ranges,
                    fits r media,
                    and [not (precedes r' r) | (r', _) <- ranges, fits r' media]
                ] of
      [] -> 0
      qs -> maximum qs
  where
    range text = do
      (kind, subtype, values) <- mediaType text
      (q, others) <- weightOf values
      Just ((kind, subtype, others), q)

-- | Is the type one of the range?
fits :: Media -> Media -> Bool
fits (kind, subtype, values) (kind', subtype', values') =
  like kind kind' && like subtype subtype' && all (`elem` values') values

like :: String -> String -> Bool
like "*" _ = True
like ('*' : '+' : suffix) name | ('+' : suffix) `isSuffixOf` name = True
like pattern' name = pattern' == name

-- | Is the first range more specific? First by the type, then the subtype, then by how
-- many parameters it has.
precedes :: Media -> Media -> Bool
precedes (a, b, c) (a', b', c')
  | level a /= level a' = level a > level a'
  | level b /= level b' = level b > level b'
  | otherwise = length c > length c'
  where
    level "*" = 0 :: Int
    level name
      | "*+" `isPrefixOf` name = 1
      | otherwise = 2

-- | The first of those with the highest weight above zero.
chosenType :: Maybe String -> [Media] -> Maybe Media
chosenType header those = best [(fromMaybe 1 (typeQuality header media), media) | media <- those]

best :: [(Rational, a)] -> Maybe a
best rated = case [a | (q, a) <- rated, q > 0, q == maximum (map fst rated)] of
  [] -> Nothing
  a : _ -> Just a

-- * 12.5.3: codings

-- | The weight of a coding, by a header: what is not mentioned and acceptable has less
-- than any weight has.
codingQuality :: Maybe String -> String -> Rational
codingQuality header name = case header of
  Nothing -> if wanted == "identity" then 1 else unmentioned
  Just text ->
    let said = mapMaybe coding (listElements text)
        named = [q | (n, q) <- said, n == wanted]
        starred = [q | ("*", q) <- said]
     in if not (null named)
          then maximum named
          else
            if not (null starred)
              then maximum starred
              else if wanted == "identity" then unmentioned else 0
  where
    wanted = alias (map toLower name)
    unmentioned = 1 / 1000000
    alias n = if n `elem` ["x-gzip", "x-compress"] then drop 2 n else n
    coding text = do
      (n, values) <- only ((,) <$> tokenP <*> parametersP) text
      (q, _) <- weightOf values
      Just (alias (map toLower n), q)

chosenCoding :: Maybe String -> [String] -> Maybe String
chosenCoding header those = best [(codingQuality header name, name) | name <- those]
