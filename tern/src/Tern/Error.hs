{-# LANGUAGE OverloadedStrings #-}

-- | Why a document could not be decoded.
--
-- An 'Error' is data: the byte offset, the path from the root and an algebraic
-- 'Reason'. Prose is made by 'renderError' alone, which also finds the line
-- and the column and shows a bounded excerpt.
module Tern.Error
  ( Error (..),
    Segment (..),
    Path,
    Reason (..),
    Expected (..),
    Exceeded (..),
    renderError,
    renderBinaryError,
    renderPath,
    renderReason,
  )
where

import Data.Bits ((.&.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Char (GeneralCategory (..), generalCategory, isAlphaNum, ord)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Encoding.Error qualified as T
import Data.Word (Word8)
import Numeric (showHex)
import Tern.Internal.Error.Spelling (nearest)
import Tern.Internal.Error.Words (number)

-- $setup
-- >>> import Data.Text qualified as T

-- | A document that does not decode.
data Error = Error
  { -- | Bytes from the start of the input to what is wrong.
    errorOffset :: !Int,
    -- | Where in the value, from the root.
    errorPath :: !Path,
    errorReason :: !Reason
  }
  deriving stock (Eq, Show)

-- | From the root inwards.
type Path = [Segment]

-- | One step of a path: into an object's field or an array's element, counted
-- from 0.
data Segment
  = Key !Text
  | Index !Int
  deriving stock (Eq, Ord, Show)

-- | What is wrong at the offset.
data Reason
  = -- | Something else stands there.
    Unexpected !Expected
  | -- | The input ends there.
    UnexpectedEnd !Expected
  | -- | More follows after the value.
    TrailingInput
  | -- | A control character in a string, which must be escaped.
    ControlCharacter
  | -- | A backslash that begins no escape, or half of a surrogate pair.
    InvalidEscape
  | -- | Bytes that are not UTF-8.
    InvalidUtf8
  | -- | A number's digit after a zero that it begins with.
    LeadingZero
  | -- | A number that the type cannot hold.
    OutOfRange !Text
  | -- | A field that must be there.
    MissingField !Text
  | -- | A field that the type does not have, where that is not allowed, and those it has.
    UnknownField !Text ![Text]
  | -- | A constructor's name that the type does not have, and those it has.
    UnknownConstructor !Text ![Text]
  | -- | A header of a binary format that claims more than is there: how many bytes or
    -- values it claims, and how many bytes are left for them.
    Overclaimed !Int !Int
  | -- | An extension that is marked as a timestamp and is none.
    InvalidTimestamp
  | -- | A number of the native format in more bytes than it needs.
    Overlong
  | -- | A constructor's number, and how many constructors the type has.
    NoConstructor !Int !Int
  | -- | A chunk of more elements than a chunk may have, and how many it claims.
    ChunkTooLong !Int
  | -- | A key of a map or set that is not above the one before it.
    KeyOutOfOrder
  | -- | From there on the document is not written as deterministic CBOR has it.
    NotDeterministic
  | -- | None of a sum's alternatives, which have no tags: the name of each, how many bytes
    -- into the value it fails, and why. Of a sum within them it is not said again.
    NoAlternative ![(Text, Int, Reason)]
  | LimitExceeded !Exceeded
  | -- | The codec's own refusal, in its own words.
    Refused !Text
  deriving stock (Eq, Ord, Show)

-- | What should have stood there.
data Expected
  = AValue
  | ANull
  | ABool
  | ANumber
  | AnInteger
  | AString
  | AnArray
  | -- | An array of this number of elements.
    AnArrayOf !Int
  | AnObject
  | -- | An object with one field, which names the constructor.
    AnObjectOfOne
  | AKey
  | AColon
  | -- | A comma or the end of an array.
    CommaOrBracket
  | -- | A comma or the end of an object.
    CommaOrBrace
  | ADigit
  | -- | A string of one character.
    ACharacter
  | -- | A string of bytes that are no text.
    ABinary
  | -- | A map with keys of any type.
    AMap
  | -- | A map with one pair.
    AMapOfOne
  | -- | An extension of any type.
    AnExtension
  | ATimestamp
  | -- | Part of a text of a known format, as the month of a date.
    APart !Text
  | -- | A tag before a value.
    ATag
  | -- | A further chunk of a string without a length, or its end.
    AChunk
  deriving stock (Eq, Ord, Show)

-- | Which limit.
data Exceeded
  = TooManyBytes !Int
  | TooDeep !Int
  | TooManyDigits !Int
  deriving stock (Eq, Ord, Show)

-- | The error in words, with its line and column (both from 1, a column
-- counts characters) and the piece of input that it speaks of. The text has at
-- most some hundred characters, whatever the input.
--
-- >>> :{
-- putStrLn (T.unpack (renderError "{\"age\": tru}" (Error 8 [Key "age"] (Unexpected AnInteger))))
-- :}
-- line 1, column 9, at $.age: expected an integer, found "tru}"
renderError :: ByteString -> Error -> Text
renderError input (Error offset path reason) =
  T.concat
    [ "line ",
      number line,
      ", column ",
      number column,
      ", at ",
      renderPath path,
      ": ",
      renderReason reason,
      found
    ]
  where
    before = B.take offset input
    line = 1 + B.count newline before
    -- The line may be all of the input, and is not decoded.
    column = 1 + lastLine before
    rest = lenient (B.takeWhile (/= newline) (B.take 24 (B.drop offset input)))
    found = case reason of
      Unexpected _ | not (T.null rest) -> ", found " <> quoted rest
      TrailingInput -> ", found " <> quoted rest
      _ -> T.empty

-- | The same for a binary format, with the byte offset and the bytes there.
--
-- >>> :{
-- putStrLn (T.unpack (renderBinaryError "\x81\xa3\&age\xc3"
--   (Error 5 [Key "age"] (Unexpected AnInteger))))
-- :}
-- byte 5, at $.age: expected an integer, found c3
renderBinaryError :: ByteString -> Error -> Text
renderBinaryError input (Error offset path reason) =
  T.concat ["byte ", number offset, ", at ", renderPath path, ": ", renderReason reason, found]
  where
    rest = B.drop offset input
    excerpt =
      T.unwords (map hex (B.unpack (B.take 8 rest)))
        <> if B.length rest > 8
          then " …"
          else ""
    hex b = T.pack (drop 1 (showHex (0x100 + fromIntegral b :: Int) ""))
    found = case reason of
      Unexpected _ | not (B.null rest) -> ", found " <> excerpt
      TrailingInput -> ", found " <> excerpt
      _ -> T.empty

-- | How many bytes after the last line feed begin a character. A loop, since what
-- bytestring has for it allocates for each byte. Proof: "a fault at the end costs no more
-- memory than success".
lastLine :: ByteString -> Int
lastLine bytes = go (B.length bytes - 1) 0
  where
    go :: Int -> Int -> Int
    go !i !n
      | i < 0 || b == newline = n
      | b .&. 0xc0 == 0x80 = go (i - 1) n
      | otherwise = go (i - 1) (n + 1)
      where
        b = B.index bytes i

newline :: Word8
newline = 10

lenient :: ByteString -> Text
lenient = T.decodeUtf8With T.lenientDecode

-- | @$@ is the root; keys that are not plain names are quoted.
--
-- >>> renderPath [Key "statuses", Index 3, Key "user name"]
-- "$.statuses[3][\"user name\"]"
renderPath :: Path -> Text
renderPath path = T.concat ("$" : shorten (map segment path))
  where
    segment = \case
      Index i -> T.concat ["[", number i, "]"]
      Key k
        | not (T.null k), T.all (\c -> isAlphaNum c || c == '_') k, T.length k <= 40 -> "." <> k
        | otherwise -> T.concat ["[", quoted k, "]"]
    shorten segments
      | length (take 13 segments) > 12 =
          take 6 segments <> [" … "] <> reverse (take 4 (reverse segments))
      | otherwise = segments

-- | The reason alone.
--
-- >>> renderReason (MissingField "id")
-- "the field \"id\" is missing"
-- >>> renderReason (UnknownField "celcius" ["hour", "celsius"])
-- "the field \"celcius\" is not known here; did you mean \"celsius\"?"
-- >>> :{
-- renderReason (NoAlternative [("Code", 0, Unexpected AnInteger), ("Name", 0, Unexpected AString)])
-- :}
-- "no alternative fits: \"Code\": expected an integer; \"Name\": expected a string"
renderReason :: Reason -> Text
renderReason = \case
  Unexpected expected -> "expected " <> expectation expected
  UnexpectedEnd expected ->
    T.concat ["expected ", expectation expected, ", found the end of the input"]
  TrailingInput -> "expected the end of the input"
  ControlCharacter -> "a control character in a string must be escaped"
  InvalidEscape -> "not an escape that JSON has, or half of a surrogate pair"
  InvalidUtf8 -> "these bytes are not UTF-8"
  LeadingZero -> "a number cannot begin with a zero and another digit; leave the zero away"
  OutOfRange name -> T.concat ["the number does not fit ", name]
  MissingField name -> T.concat ["the field ", quoted name, " is missing"]
  UnknownField name names ->
    T.concat
      [ "the field ",
        quoted name,
        " is not known here",
        maybe
          ("; expected " <> oneOf names)
          ( \known ->
              T.concat ["; did you mean ", quoted known, "?"]
          )
          (nearest name names)
      ]
  UnknownConstructor name names ->
    T.concat ["the constructor ", quoted name, " is not known; expected ", oneOf names]
  Overclaimed claimed left ->
    T.concat
      [ "claims ",
        number claimed,
        " bytes or values, but only ",
        number left,
        " bytes are left"
      ]
  InvalidTimestamp -> "not a timestamp: 4, 8 or 12 bytes with less than a second of nanoseconds"
  Overlong -> "the number is not written in as few bytes as it could be"
  NoConstructor i n ->
    T.concat ["the type has no constructor ", number i, ", only 0 to ", number (n - 1)]
  ChunkTooLong n -> T.concat ["a chunk of ", number n, " elements; a chunk has at most 4096"]
  KeyOutOfOrder -> "the key is not above the one before it"
  NotDeterministic -> "deterministic CBOR would have other bytes here"
  NoAlternative [] -> "no alternative fits"
  NoAlternative attempts ->
    T.concat
      [ "no alternative fits: ",
        T.intercalate "; " (map attempted (take 7 attempts)),
        if null (drop 7 attempts) then T.empty else "; and others"
      ]
  LimitExceeded exceeded -> limit exceeded
  Refused text -> T.concatMap visible (T.take 200 text)

-- | Why an alternative does not fit.
attempted :: (Text, Int, Reason) -> Text
attempted (name, into, reason) =
  T.concat
    [ quoted name,
      if into <= 0 then T.empty else T.concat [", ", number into, " bytes on"],
      ": ",
      renderReason reason
    ]

oneOf :: [Text] -> Text
oneOf names
  | length (take 9 names) > 8 = T.intercalate ", " (map quoted (take 7 names)) <> " or another"
  | otherwise = case reverse names of
      [] -> "none"
      [name] -> quoted name
      name : rest -> T.concat [T.intercalate ", " (map quoted (reverse rest)), " or ", quoted name]

expectation :: Expected -> Text
expectation = \case
  AValue -> "a value"
  ANull -> "null"
  ABool -> "true or false"
  ANumber -> "a number"
  AnInteger -> "an integer"
  AString -> "a string"
  AnArray -> "an array"
  AnArrayOf n -> T.concat ["an array of ", number n, if n == 1 then " element" else " elements"]
  AnObject -> "an object"
  AnObjectOfOne -> "an object with one field"
  AKey -> "a field's name in quotes"
  AColon -> "a colon"
  CommaOrBracket -> "a comma or ]"
  CommaOrBrace -> "a comma or }"
  ADigit -> "a digit"
  ACharacter -> "a string of one character"
  ABinary -> "binary data"
  AMap -> "a map"
  AMapOfOne -> "a map with one pair"
  AnExtension -> "an extension"
  ATimestamp -> "a timestamp"
  APart part -> part
  ATag -> "a tag"
  AChunk -> "a chunk of the same string, or its end"

limit :: Exceeded -> Text
limit = \case
  TooManyBytes n -> T.concat ["the input has more than the ", number n, " bytes allowed (maxBytes)"]
  TooDeep n -> T.concat ["nested deeper than the ", number n, " levels allowed (maxDepth)"]
  TooManyDigits n ->
    T.concat ["the number has more than the ", number n, " digits allowed (maxDigits)"]

-- | In double quotes, at most 40 characters.
quoted :: Text -> Text
quoted text =
  T.concat
    [ "\"",
      T.concatMap escaped (T.take 40 text),
      if T.compareLength text 40 == GT
        then "…"
        else "",
      "\""
    ]
  where
    escaped c
      | c == '"' = "\\\""
      | c == '\\' = "\\\\"
      | otherwise = visible c

-- | A character as people see it. What has no look of its own is shown by its number:
-- controls, and what would turn the direction of the text around it, hide in it or break
-- its line.
visible :: Char -> Text
visible c = case generalCategory c of
  Control -> numbered
  Format -> numbered
  LineSeparator -> numbered
  ParagraphSeparator -> numbered
  Surrogate -> numbered
  PrivateUse -> numbered
  NotAssigned -> numbered
  _ -> T.singleton c
  where
    numbered = T.pack ("\\x" <> showHex (ord c) "")
