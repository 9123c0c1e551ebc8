{-# LANGUAGE MagicHash #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE UnboxedTuples #-}

-- | The canonical form of JSON (RFC 8785): the same bytes for the same document, to sign
-- and to hash.
--
-- The idea: what two programs could read as two different documents has no canonical form
-- and is refused: what I-JSON (RFC 7493) cannot hold. The rest is sorted members, numbers
-- as ECMAScript writes them, and no white space.
module Tern.Json.Canonical
  ( canonical,
    NotCanonical (..),
    NotCanonicalReason (..),
    renderNotCanonical,

    -- * Parts
    ecmaNumber,
    compareUtf16,
  )
where

import Data.Bits ((.&.))
import Data.ByteString (ByteString)
import Data.ByteString.Builder (Builder)
import Data.ByteString.Builder qualified as Builder
import Data.ByteString.Lazy qualified as BL
import Data.Char (intToDigit, isDigit, ord)
import Data.List (intersperse, sortBy)
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Vector qualified as V
import GHC.Exts (Int (..), Word (..), word64ToWord#)
import GHC.Float (castDoubleToWord64)
import GHC.Word (Word64 (..))
import Tern.Error (Path, Segment (..), renderPath)
import Tern.Prim.Shortest qualified as Shortest
import Tern.Value
  ( Object,
    Value (..),
    byName,
    members,
    numberToDouble,
    numberToInteger,
    parseNumber,
    renderNumber,
  )

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Data.Either (fromRight)
-- >>> import Data.Text qualified as T
-- >>> import Tern.Json (decodeJson)
-- >>> import Tern.Value (Value (..))
-- >>> let json text = fromRight Null (decodeJson text)

-- | Why a document has no canonical form, and where.
data NotCanonical = NotCanonical
  { notCanonicalPath :: !Path,
    notCanonicalReason :: !NotCanonicalReason
  }
  deriving stock (Eq, Show)

-- | What has no canonical form by RFC 8785.
data NotCanonicalReason
  = -- | An object that has a name twice.
    RepeatedName !Text
  | -- | A number beyond the greatest double.
    TooGreat
  | -- | An integer that no double is, and that is not how one is written: its digits
    -- would be others.
    Inexact
  | -- | A code point that stands for no character and never will.
    Noncharacter !Char
  deriving stock (Eq, Show)

-- | The canonical bytes, or the first place in their order that has none. Time in
-- proportion to the size, with a logarithm for the members of an object.
--
-- >>> canonical (json "{\"b\": 1.50, \"a\": [1E2]}")
-- Right "{\"a\":[100],\"b\":1.5}"
-- >>> either renderNotCanonical (const "") (canonical (json "{\"a\": [1e400]}"))
-- "at $.a[0]: the number is beyond the greatest double"
canonical :: Value -> Either NotCanonical ByteString
canonical value = BL.toStrict . Builder.toLazyByteString <$> go [] value
  where
    -- The path is built from the inside.
    go path = \case
      Null -> Right "null"
      Bool b -> Right (if b then "true" else "false")
      Number n -> number path n
      String t -> string path t
      Array vs -> do
        parts <- traverse (\(i, v) -> go (Index i : path) v) (zip [0 ..] (V.toList vs))
        Right
          ( Builder.char7 '['
              <> mconcat (intersperse (Builder.char7 ',') parts)
              <> Builder.char7 ']'
          )
      Object o -> do
        mapM_ (failing path . RepeatedName) (repeated o)
        parts <- traverse (pair path) (sortBy (\(a, _) (b, _) -> compareUtf16 a b) (members o))
        Right
          ( Builder.char7 '{'
              <> mconcat (intersperse (Builder.char7 ',') parts)
              <> Builder.char7 '}'
          )
    pair path (name, v) = do
      key <- string (Key name : path) name
      rest <- go (Key name : path) v
      Right (key <> Builder.char7 ':' <> rest)
    number path n
      | isInfinite x || isNaN x = failing path TooGreat
      | Just i <- numberToInteger n,
        T.all (\c -> c == '-' || isDigit c) (renderNumber n),
        toInteger' x /= Just i,
        fmap Just (parseNumber digits) /= Just (Just n) =
          failing path Inexact
      | otherwise = Right (T.encodeUtf8Builder digits)
      where
        x = numberToDouble n
        digits = ecmaNumber x
        toInteger' d =
          if fromIntegral (truncate d :: Integer) == d
            then Just (truncate d :: Integer)
            else Nothing
    string path t = case T.find noncharacter t of
      Just c -> failing path (Noncharacter c)
      Nothing -> Right (Builder.char7 '"' <> escaped t <> Builder.char7 '"')
    failing path reason = Left (NotCanonical (reverse path) reason)

-- | The first name, in the document's order, that was there before.
repeated :: Object -> Maybe Text
repeated o
  | Map.size (byName o) == length pairs = Nothing
  | otherwise = again Map.empty (map fst pairs)
  where
    pairs = members o
    again seen = \case
      [] -> Nothing
      name : rest
        | Map.member name seen -> Just name
        | otherwise -> again (Map.insert name () seen) rest

-- | U+FDD0 to U+FDEF, and the last two of each plane.
noncharacter :: Char -> Bool
noncharacter c = ord c >= 0xfdd0 && (ord c <= 0xfdef || ord c .&. 0xfffe == 0xfffe)

-- | Section 3.2.2.2.
escaped :: Text -> Builder
escaped t = case T.break special t of
  (plain, rest) -> case T.uncons rest of
    Nothing -> T.encodeUtf8Builder plain
    Just (c, more) -> T.encodeUtf8Builder plain <> escape c <> escaped more
  where
    special c = c < ' ' || c == '"' || c == '\\'
    escape = \case
      '"' -> "\\\""
      '\\' -> "\\\\"
      '\b' -> "\\b"
      '\t' -> "\\t"
      '\n' -> "\\n"
      '\f' -> "\\f"
      '\r' -> "\\r"
      c ->
        "\\u00"
          <> Builder.char7 (intToDigit (ord c `div` 16))
          <> Builder.char7 (intToDigit (ord c `mod` 16))

-- | In the order of UTF-16's code units: characters beyond U+FFFF before those from U+E000
-- on.
--
-- >>> map (compareUtf16 "\xe000") ["\x10000", "\xffff", "a"]
-- [GT,LT,GT]
compareUtf16 :: Text -> Text -> Ordering
compareUtf16 a b = case T.commonPrefixes a b of
  Nothing -> first a b
  Just (_, restA, restB) -> first restA restB
  where
    first x y = compare (rank <$> T.uncons x) (rank <$> T.uncons y)
    rank (c, _) = (if c >= '\x10000' then 0xd800 else ord c, c)

-- | A finite double as ECMAScript writes it.
--
-- >>> map ecmaNumber [1, -0.0, 1e21, 123456789012345680000, 0.000001, 1e-7, 5e-324]
-- ["1","0","1e+21","123456789012345680000","0.000001","1e-7","5e-324"]
ecmaNumber :: Double -> Text
ecmaNumber x
  | x == 0 = "0"
  | x < 0 = "-" <> ecmaNumber (negate x)
  | n >= k && n <= 21 = digits <> T.replicate (n - k) "0"
  | n > 0 && n <= 21 = T.take n digits <> "." <> T.drop n digits
  | n > -6 && n <= 0 = "0." <> T.replicate (negate n) "0" <> digits
  | k == 1 = digits <> power
  | otherwise = T.take 1 digits <> "." <> T.drop 1 digits <> power
  where
    !(W64# bits) = castDoubleToWord64 x
    (coefficient, exponent10) = case Shortest.double (word64ToWord# bits) of
      (# d, e #) ->
        (W# d, I# e)
    allDigits = T.pack (show coefficient)
    digits = T.dropWhileEnd (== '0') allDigits
    k = T.length digits
    -- The number is 0.DIGITS * 10^n.
    n = exponent10 + T.length allDigits
    power = (if n - 1 >= 0 then "e+" else "e-") <> T.pack (show (abs (n - 1)))

-- | In words.
renderNotCanonical :: NotCanonical -> Text
renderNotCanonical (NotCanonical path reason) = T.concat ["at ", renderPath path, ": ", why]
  where
    why = case reason of
      RepeatedName name -> "the object has two members of the name " <> renderPath [Key name]
      TooGreat -> "the number is beyond the greatest double"
      Inexact -> "no double is this integer"
      Noncharacter c -> "U+" <> T.pack (hex (ord c)) <> " is no character"
    hex i = (if i < 16 then "" else hex (i `div` 16)) <> [intToDigit (i `mod` 16)]
