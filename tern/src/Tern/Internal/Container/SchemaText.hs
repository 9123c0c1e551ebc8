{-# LANGUAGE OverloadedStrings #-}

-- | A schema as a text file that is kept beside a program's source, so that what
-- changes in it is seen in a review, and held against in a check.
--
-- The idea: the words are for people, and the bytes that follow are what is read. Both
-- say the same, or the file is refused: who edits the words, or merges two versions,
-- is told so instead of being understood in part.
--
-- > Tern schema 1, fingerprint 26b13f874bf967fb
-- >
-- > [integer 0..255]
-- >
-- > 08000101000181fe00
--
-- Start at 'schemaText' and 'readSchemaText'. The words are 'renderShape's, the bytes
-- 'schemaBytes' in hexadecimal digits.
module Tern.Internal.Container.SchemaText
  ( schemaText,
    readSchemaText,

    -- * What may be wrong
    SchemaFault (..),
    renderSchemaFault,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.Char (digitToInt, intToDigit, isHexDigit)
import Data.List qualified as List
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Word (Word8)
import Numeric (showHex)
import Tern.Error (Error (..), renderReason)
import Tern.Internal.Container.Schema (readSchema, schemaBytes)
import Tern.Limits (Limits)
import Tern.Shape (Shape, fingerprint, renderShape)

-- $setup
-- >>> import Data.ByteString.Char8 qualified as BC
-- >>> import Data.Text qualified as T
-- >>> import Tern.Limits
-- >>> import Tern.Shape

-- | The file's contents. Equal shapes give equal files.
--
-- >>> BC.lines (schemaText (List 0 (Integer (Just 0) (Just 255))))
-- ["Tern schema 1, fingerprint 26b13f874bf967fb","","[integer 0..255]","","08000101000181fe00"]
schemaText :: Shape -> ByteString
schemaText shape =
  BC.unlines $
    [BC.concat [title, "1, fingerprint ", BC.pack (sixteen (fingerprint shape))], ""]
      <> BC.lines (T.encodeUtf8 (renderShape shape))
      <> [""]
      <> rows (BC.pack (concatMap digits (B.unpack (schemaBytes shape))))
  where
    sixteen w = drop 1 (showHex (toInteger w + 0x10000000000000000) "")
    digits b = map (intToDigit . fromIntegral) [b `quot` 16, b `rem` 16]
    rows hex = case B.splitAt 96 hex of
      (row, rest) -> row : if B.null rest then [] else rows rest

title :: ByteString
title = "Tern schema "

-- | What is wrong with such a file. Lines count from 1.
data SchemaFault
  = -- | It does not begin as such files do.
    NoSchemaText
  | -- | It is of another version.
    SchemaTextVersion !Text
  | -- | A line that should be of hexadecimal digits; and how it begins.
    NoDigits !Int !Text
  | -- | There are no bytes, or half of one is missing.
    BytesCutOff
  | -- | The bytes are no schema.
    BadSchema !Error
  | -- | The first line that is not what the bytes say, and what they say.
    WordsDiffer !Int !Text
  deriving stock (Eq, Show)

-- | The shape that a file is of. Its lines may end as Windows has them end. Time and
-- memory are linear in it.
--
-- >>> readSchemaText defaultLimits (schemaText Boolean)
-- Right "boolean"
-- >>> :{
-- readSchemaText defaultLimits (BC.map
--   (\c -> if c == '[' then '(' else c) (schemaText (List 0 Text)))
-- :}
-- Left (WordsDiffer 3 "[text]")
readSchemaText :: Limits -> ByteString -> Either SchemaFault Shape
readSchemaText limits bytes
  | not (title `B.isPrefixOf` bytes) = Left NoSchemaText
  | version /= "1" = Left (SchemaTextVersion (excerpt version))
  | otherwise = do
      schema <- unhex =<< traverse hexadecimal (reverse hex)
      shape <- either (Left . BadSchema) Right (readSchema limits schema)
      case List.find
        differs
        ( zip3
            [1 ..]
            (map Just given <> repeat Nothing)
            (paired (BC.lines (schemaText shape)) given)
        ) of
        Just (n, _, expected) -> Left (WordsDiffer n (maybe "no more" excerpt expected))
        Nothing -> Right shape
  where
    given = map (\line -> if BC.isSuffixOf "\r" line then B.init line else line) (BC.lines bytes)
    version = BC.takeWhile (`notElem` (", \r\n" :: String)) (B.drop (B.length title) bytes)
    -- The lines after the last empty one.
    hex = takeWhile (not . B.null . snd) (reverse (zip [1 ..] given))
    -- As long as either has lines.
    paired expected lines' =
      take (max (length expected) (length lines')) (map Just expected <> repeat Nothing)
    differs (_, line, expected) = line /= expected

hexadecimal :: (Int, ByteString) -> Either SchemaFault ByteString
hexadecimal (n, line)
  | BC.all isHexDigit line = Right line
  | otherwise = Left (NoDigits n (excerpt line))

unhex :: [ByteString] -> Either SchemaFault ByteString
unhex rows
  | B.null hex || odd (B.length hex) = Left BytesCutOff
  | otherwise = Right (fst (B.unfoldrN (B.length hex `quot` 2) byte 0))
  where
    hex = B.concat rows
    byte i = Just (digit i * 16 + digit (i + 1), i + 2)
    digit :: Int -> Word8
    digit i = fromIntegral (digitToInt (BC.index hex i))

-- | The beginning of a line, as text.
excerpt :: ByteString -> Text
excerpt line = if B.length line > 60 then T.take 60 text <> "…" else text
  where
    text = T.decodeUtf8Lenient (B.take 240 line)

-- | In one line.
--
-- >>> putStrLn (T.unpack (renderSchemaFault (NoDigits 7 "<<<<<<< HEAD")))
-- line 7: expected hexadecimal digits, found "<<<<<<< HEAD"; save the schema again
renderSchemaFault :: SchemaFault -> Text
renderSchemaFault = \case
  NoSchemaText -> "line 1: expected \"Tern schema 1\""
  SchemaTextVersion version ->
    T.concat
      [ "line 1: a schema file of version ",
        shown version,
        ", expected 1; read it with a newer Tern"
      ]
  NoDigits n found ->
    T.concat
      [ "line ",
        number n,
        ": expected hexadecimal digits, found ",
        shown found,
        "; save the schema again"
      ]
  BytesCutOff ->
    "the last lines: expected the schema's bytes in hexadecimal digits, two each; save the \
    \schema again"
  BadSchema (Error offset _ reason) ->
    T.concat
      [ "byte ",
        number offset,
        " of the schema in its last lines: ",
        renderReason reason,
        "; save the schema again"
      ]
  WordsDiffer n expected ->
    T.concat
      [ "line ",
        number n,
        " does not say what the bytes in the last lines do, which is ",
        shown expected,
        "; save the schema again"
      ]
  where
    shown = T.pack . show . T.unpack
    number = T.pack . show
