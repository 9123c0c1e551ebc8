{-# LANGUAGE OverloadedStrings #-}

-- | CBOR for people to read: the diagnostic notation of RFC 8949, section 8.
--
-- The idea: it shows a document and not a value, so that it can say what a value
-- does not keep: which strings, arrays and maps went on to a break. (It does not say
-- how wide heads and floating-point numbers were, nor what is in a NaN.)
module Tern.Cbor.Diagnostic
  ( diagnostic,
    diagnosticWith,
    diagnosticValue,
  )
where

import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as BU
import Data.Char (intToDigit, isControl, ord)
import Data.List (intersperse)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Text.Lazy qualified as TL
import Data.Text.Lazy.Builder (Builder)
import Data.Text.Lazy.Builder qualified as Builder
import Data.Word (Word64)
import Numeric (showFFloat, showHex)
import Tern.Error (Error)
import Tern.Internal.Cbor.Document (decodeWith)
import Tern.Internal.Cbor.Format (Argument (..), Head (..), Major (..), headAt)
import Tern.Internal.Cbor.Read qualified as Read
import Tern.Internal.Cbor.Value (Value, encodeValue)
import Tern.Internal.Read (Reader (..))
import Tern.Limits (Limits, defaultLimits, unlimited)

-- $setup
-- >>> :set -XOverloadedStrings -XOverloadedLists
-- >>> import Tern.Cbor.Value

-- | A document in diagnostic notation, within 'defaultLimits'; or why it is none.
--
-- >>> diagnostic "\xbf\x61\x61\x9f\x01\xc1\xf9\x3c\x00\xff\x01\x42\x00\xff\xff"
-- Right "{_ \"a\": [_ 1, 1(1.0)], 1: h'00ff'}"
diagnostic :: ByteString -> Either Error Text
diagnostic = diagnosticWith defaultLimits

-- | As 'diagnostic', within the limits given. Linear time.
diagnosticWith :: Limits -> ByteString -> Either Error Text
diagnosticWith limits input = do
  decodeWith (Reader Read.skip) limits input
  Right (TL.toStrict (Builder.toLazyText (fst (item input))))

-- | A value in diagnostic notation.
--
-- >>> diagnosticValue (Map [(Text "x", Undefined), (Negative 4, Array [])])
-- "{\"x\": undefined, -5: []}"
diagnosticValue :: Value -> Text
diagnosticValue value = TL.toStrict (Builder.toLazyText (fst (item (encodeValue value))))

-- | The item that the input begins with, and what follows it. The input is
-- well-formed.
item :: ByteString -> (Builder, ByteString)
item input = case headAt input of
  Nothing -> ("", B.empty)
  Just (Head size major argument) ->
    let rest = BU.unsafeDrop size input
     in case (major, argument) of
          (Unsigned, Given n) -> (shown n, rest)
          (Negative, Given n) -> (shown (-1 - toInteger n), rest)
          (Bytes, Given n) -> cut n rest hexadecimal
          (Text, Given n) -> cut n rest quoted
          (Array, Given n) -> enclosed "[" "]" (several n item rest)
          (Map, Given n) -> enclosed "{" "}" (several n pair rest)
          (Tag, Given n) -> enclosed (shown n <> "(") ")" (several 1 item rest)
          (Simple, Given n) -> (simpleValue size n input, rest)
          (Bytes, Indefinite) -> chunked "''_" (open item rest)
          (Text, Indefinite) -> chunked "\"\"_" (open item rest)
          (Array, Indefinite) -> enclosed "[_ " "]" (open item rest)
          (Map, Indefinite) -> enclosed "{_ " "}" (open pair rest)
          (Unsigned, Indefinite) -> ("", B.empty)
          (Negative, Indefinite) -> ("", B.empty)
          (Tag, Indefinite) -> ("", B.empty)
          (Simple, Indefinite) -> ("", B.empty)
  where
    cut n rest render = let (body, after) = B.splitAt (fromIntegral n) rest in (render body, after)
    enclosed before after (parts, rest) =
      (before <> mconcat (intersperse ", " parts) <> after, rest)
    -- No chunk at all has a notation of its own.
    chunked empty = \case
      ([], rest) -> (empty, rest)
      found -> enclosed "(_ " ")" found

-- | A key and its value.
pair :: ByteString -> (Builder, ByteString)
pair input =
  let (key, rest) = item input
      (value, after) = item rest
   in (key <> ": " <> value, after)

-- | @n@ parts.
several :: Word64 -> (ByteString -> (Builder, ByteString)) -> ByteString -> ([Builder], ByteString)
several n part = go n []
  where
    go 0 acc rest = (reverse acc, rest)
    go k acc rest = case part rest of (one, after) -> go (k - 1) (one : acc) after

-- | Parts up to a break.
open :: (ByteString -> (Builder, ByteString)) -> ByteString -> ([Builder], ByteString)
open part = go []
  where
    go acc rest = case headAt rest of
      Just (Head size Simple Indefinite) -> (reverse acc, BU.unsafeDrop size rest)
      Just _ -> case part rest of (one, after) -> go (one : acc) after
      Nothing -> (reverse acc, B.empty)

shown :: (Show a) => a -> Builder
shown = Builder.fromString . show

hexadecimal :: ByteString -> Builder
hexadecimal body =
  "h'" <> B.foldr (\b rest -> digit (b `quot` 16) <> digit (b `rem` 16) <> rest) "'" body
  where
    digit = Builder.singleton . intToDigit . fromIntegral

-- | In double quotes, with JSON's escapes.
quoted :: ByteString -> Builder
quoted body = "\"" <> Builder.fromText (T.concatMap escaped (T.decodeUtf8Lenient body)) <> "\""
  where
    escaped = \case
      '"' -> "\\\""
      '\\' -> "\\\\"
      '\n' -> "\\n"
      '\r' -> "\\r"
      '\t' -> "\\t"
      c
        | isControl c -> "\\u" <> T.justifyRight 4 '0' (T.pack (showHex (ord c) ""))
        | otherwise -> T.singleton c

-- | A simple value or a floating-point number, from its head's size, its argument
-- and the input.
simpleValue :: Int -> Word64 -> ByteString -> Builder
simpleValue size n input
  | size > 2 = case decodeWith (Reader Read.double) unlimited (B.take size input) of
      Right x
        | isNaN x -> "NaN"
        | isInfinite x -> if x > 0 then "Infinity" else "-Infinity"
        | abs x >= 1.0e-3 && abs x < 1.0e21 -> Builder.fromString (showFFloat Nothing x "")
        | otherwise -> shown x
      Left _ -> ""
  | otherwise = case n of
      20 -> "false"
      21 -> "true"
      22 -> "null"
      23 -> "undefined"
      _ -> "simple(" <> shown n <> ")"
