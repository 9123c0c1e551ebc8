{-# LANGUAGE OverloadedStrings #-}

-- | JSON pointers (RFC 6901): the way from a document's root to one of its values.
--
-- The idea: a pointer is its tokens. Whether a token is a name or an index is for the
-- value to say that it is used on. Start at 'parsePointer' and 'valueAt'.
module Tern.Json.Pointer
  ( Pointer (..),
    Token,

    -- * As text
    parsePointer,
    renderPointer,

    -- * Use
    valueAt,
    arrayIndex,
    pointerOf,
  )
where

import Data.Char (isDigit)
import Data.Either (fromRight)
import Data.String (IsString (..))
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import Tern.Error (Path, Segment (..))
import Tern.Value (Value (..), member)

-- $setup
-- >>> :set -XOverloadedStrings
-- >>> import Tern.Error
-- >>> import Tern.Json (decodeJson)

-- | From the root inwards; without tokens it is the root itself.
newtype Pointer = Pointer {pointerTokens :: [Token]}
  deriving stock (Eq, Ord)

-- | The name of a member or the digits of an index, without escapes.
type Token = Text

-- | As its text.
instance Show Pointer where
  showsPrec d = showsPrec d . renderPointer

-- | The pointer that a text is (section 3), or why it is none. Linear time.
--
-- >>> pointerTokens <$> parsePointer "/a~1b/0/m~0n"
-- Right ["a/b","0","m~n"]
-- >>> parsePointer "a/b"
-- Left "a pointer is empty or begins with a slash"
parsePointer :: Text -> Either Text Pointer
parsePointer text = case T.splitOn "/" text of
  "" : tokens -> Pointer <$> traverse unescape tokens
  _ -> Left "a pointer is empty or begins with a slash"
  where
    unescape token = case T.splitOn "~" token of
      first : rest -> T.concat . (first :) <$> traverse escape rest
      [] -> Right ""
    escape piece = case T.uncons piece of
      Just ('0', rest) -> Right (T.cons '~' rest)
      Just ('1', rest) -> Right (T.cons '/' rest)
      _ -> Left "a tilde in a pointer is followed by 0 or 1"

-- | The text of a pointer; 'parsePointer' reads it back.
--
-- >>> renderPointer (Pointer ["a/b", "0", "m~n"])
-- "/a~1b/0/m~0n"
renderPointer :: Pointer -> Text
renderPointer (Pointer tokens) = T.concat (concatMap (\token -> ["/", escape token]) tokens)
  where
    escape token
      | T.any (\c -> c == '~' || c == '/') token = T.replace "/" "~1" (T.replace "~" "~0" token)
      | otherwise = token

-- | The value that a pointer leads to (section 4). Of a repeated name it is the last
-- value. Time in proportion to the pointer's length, and logarithmic in the size of each
-- object.
--
-- >>> :{
-- valueAt (Pointer ["a", "1"]) =<< either (const Nothing) Just (decodeJson "{\"a\": [true, null]}")
-- :}
-- Just Null
valueAt :: Pointer -> Value -> Maybe Value
valueAt (Pointer tokens) = go tokens
  where
    go [] value = Just value
    go (token : rest) value = case value of
      Object o -> member token o >>= go rest
      Array vs -> arrayIndex token >>= (vs V.!?) >>= go rest
      Null -> Nothing
      Bool _ -> Nothing
      Number _ -> Nothing
      String _ -> Nothing

-- | The index that a token is: digits, without zeros before them, below 2^62. Time does
-- not grow with the token's length.
--
-- >>> map arrayIndex ["0", "10", "01", "-", "-1", ""]
-- [Just 0,Just 10,Nothing,Nothing,Nothing,Nothing]
arrayIndex :: Token -> Maybe Int
arrayIndex token
  | T.null token || T.compareLength token 18 == GT = Nothing
  | token == "0" = Just 0
  | T.isPrefixOf "0" token || not (T.all isDigit token) = Nothing
  | otherwise = Just (T.foldl' (\n c -> 10 * n + fromEnum c - 48) 0 token)

-- | The pointer to the place that an error speaks of.
--
-- >>> pointerOf [Key "a", Index 3]
-- "/a/3"
pointerOf :: Path -> Pointer
pointerOf path = Pointer (map token path)
  where
    token = \case
      Key name -> name
      Index i -> T.pack (show i)

-- | For pointers that stand in programs. What is no pointer is one token as it stands.
instance IsString Pointer where
  fromString string = fromRight (Pointer [text]) (parsePointer text)
    where
      text = T.pack string
