-- | The grammar that the values of HTTP's headers share: lists, tokens, strings and
-- parameters, as RFC 9110, section 5.6, has them.
--
-- The idea: a list is cut into its elements first, and then each is read alone, so that
-- a malformed element is left out and the others count. Every byte is looked at a fixed
-- number of times, whatever the header holds.
--
-- Start at 'elements', then 'parameters'.
module Tern.Negotiate.Header
  ( -- * Lists
    elements,
    elementsOfTags,

    -- * Words
    token,
    isToken,
    trimmed,
    folded,

    -- * Parameters
    Parameter,
    parameters,
    renderParameter,
  )
where

import Data.Bits (testBit, (.&.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Word (Word64, Word8)

-- $setup
-- >>> :set -XOverloadedStrings

-- * Lists

-- | The elements of a list, without the white space around them and without empty ones.
-- A comma within a string does not separate. A string begins with a quote after a name
-- and an equals sign, as it does in parameters, and ends with the next quote that has no backslash
-- before it; without such an end there is no string.
--
-- >>> elements "text/html;q=0.5 , , a/b;c=\"1,2\""
-- ["text/html;q=0.5","a/b;c=\"1,2\""]
-- >>> elements "a/b;c=\"1, text/html"
-- ["a/b;c=\"1","text/html"]
elements :: ByteString -> [ByteString]
elements = listOf (maybe False named . B.unsnoc) closing
  where
    named (before, b) = b == equals && maybe False (isTokenByte . snd) (B.unsnoc before)

-- | As 'elements', for a list of entity tags: a string begins an element or stands after
-- @W\/@, and a backslash in it is a character like others.
--
-- >>> elementsOfTags "\"a\\\", \"b,c\""
-- ["\"a\\\"","\"b,c\""]
elementsOfTags :: ByteString -> [ByteString]
elementsOfTags =
  listOf
    ( maybe True (\(_, b) -> isSpace b || b == slash)
        . B.unsnoc
    )
    (fmap (+ 1) . B.elemIndex quote)

-- | The functions say whether a quote begins a string, by what is before it in its
-- element, and how many bytes of what follows the quote belong to the string.
listOf :: (ByteString -> Bool) -> (ByteString -> Maybe Int) -> ByteString -> [ByteString]
listOf begins end = filter (not . B.null) . map trimmed . go 0
  where
    -- The first @n@ bytes belong to the first element.
    go n rest = case B.findIndex (\b -> b == comma || b == quote) (B.drop n rest) of
      Nothing -> [rest]
      Just i
        | B.index rest at == comma -> B.take at rest : go 0 (B.drop (at + 1) rest)
        | not (begins (B.take at rest)) -> go (at + 1) rest
        | Just size <- end (B.drop (at + 1) rest) -> go (at + 1 + size) rest
        -- Nothing that follows begins a string: every quote in it has a backslash before
        -- it, else it would end this one. The commas are all that is left to find.
        | otherwise -> case B.split comma (B.drop at rest) of
            [] -> [rest]
            first : others -> B.take (at + B.length first) rest : others
        where
          at = n + i

-- | How many bytes a string takes with its closing quote, if it has one.
closing :: ByteString -> Maybe Int
closing string = go 0
  where
    go n = case B.findIndex (\b -> b == quote || b == backslash) (B.drop n string) of
      Nothing -> Nothing
      Just i
        | B.index string (n + i) == quote -> Just (n + i + 1)
        | otherwise -> go (n + i + 2)

-- * Words

-- | The token at the start, which may be empty, and what follows it.
--
-- >>> token "gzip;q=1"
-- ("gzip",";q=1")
token :: ByteString -> (ByteString, ByteString)
token = B.span isTokenByte

-- | One token and nothing else?
isToken :: ByteString -> Bool
isToken word = not (B.null word) && B.all isTokenByte word

-- | RFC 9110, section 5.6.2.
isTokenByte :: Word8 -> Bool
isTokenByte b = b < 128 && testBit (if b < 64 then low else high) (fromIntegral b .&. 63)
  where
    -- The bytes below 64, and those from there on.
    low = 0x03ff6cfa00000000 :: Word64
    high = 0x57ffffffc7fffffe :: Word64
{-# INLINE isTokenByte #-}

-- | Without spaces and tabs at both ends.
trimmed :: ByteString -> ByteString
trimmed = B.dropWhileEnd isSpace . B.dropWhile isSpace

-- | With the letters of ASCII in lower case: for what is compared without regard to it.
-- What is in lower case is not copied.
folded :: ByteString -> ByteString
folded word
  | B.any isUpper word = B.map (\b -> if isUpper b then b + 32 else b) word
  | otherwise = word
  where
    isUpper b = b >= 65 && b <= 90

-- * Parameters

-- | A name in lower case, and a value without the quotes and backslashes that it may
-- have been written with.
type Parameter = (ByteString, ByteString)

-- | The parameters that are the whole of this, each after a semicolon.
--
-- >>> parameters "; Level=1 ;; note=\"a \\\"b\\\"\""
-- Just [("level","1"),("note","a \"b\"")]
-- >>> map parameters ["; level", "; level =1", "; =1", ";level=\"1"]
-- [Nothing,Nothing,Nothing,Nothing]
parameters :: ByteString -> Maybe [Parameter]
parameters text = case B.uncons (B.dropWhile isSpace text) of
  Nothing -> Just []
  Just (first, rest)
    | first /= semicolon -> Nothing
    | (name, after) <- token (B.dropWhile isSpace rest) ->
        if B.null name
          then parameters after
          else do
            (value, others) <- valueOf =<< B.stripPrefix (B.singleton equals) after
            ((folded name, value) :) <$> parameters others

-- | A token or a string, and what follows it.
valueOf :: ByteString -> Maybe (ByteString, ByteString)
valueOf text = case B.uncons text of
  Just (first, string) | first == quote -> do
    size <- closing string
    value <- unescaped (B.take (size - 1) string)
    Just (value, B.drop size string)
  _ | (value, rest) <- token text -> if B.null value then Nothing else Just (value, rest)

-- | What stands between quotes, unless it has a control character.
unescaped :: ByteString -> Maybe ByteString
unescaped string
  | B.any (\b -> (b < 32 && b /= tab) || b == 127) string = Nothing
  | otherwise = Just (B.concat (go string))
  where
    go rest = case B.elemIndex backslash rest of
      Nothing -> [rest]
      Just i -> B.take i rest : B.take 1 (B.drop (i + 1) rest) : go (B.drop (i + 2) rest)

-- | As it is written, with its semicolon.
--
-- >>> map renderParameter [("level", "1"), ("note", "a \"b\"")]
-- [";level=1",";note=\"a \\\"b\\\"\""]
renderParameter :: Parameter -> ByteString
renderParameter (name, value)
  | isToken value = B.concat [B.singleton semicolon, name, B.singleton equals, value]
  | otherwise =
      B.concat
        [ B.singleton
            semicolon,
          name,
          B.pack [equals, quote],
          B.concatMap escaped value,
          B.singleton quote
        ]
  where
    escaped b
      | b == quote || b == backslash = B.pack [backslash, b]
      | otherwise = B.singleton b

isSpace :: Word8 -> Bool
isSpace b = b == 32 || b == tab

tab, quote, comma, slash, semicolon, equals, backslash :: Word8
tab = 9
quote = 34
comma = 44
slash = 47
semicolon = 59
equals = 61
backslash = 92
