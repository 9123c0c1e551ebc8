{-# LANGUAGE OverloadedStrings #-}

-- | A document that a shape accepts, as small as may be.
module Tern.Internal.Json.Sample (sampleOf) where

import Control.Applicative (Alternative (..))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Char8 qualified as BC
import Data.List (sortOn)
import Data.Text (Text)
import Tern.Internal.Json.Codec qualified as Json
import Tern.Internal.Write (runWriter)
import Tern.Shape (Body, Constructor (..), Field (..), Layout (..), Shape)
import Tern.Shape qualified as Shape

-- $setup
-- >>> import Tern.Shape qualified as Shape

-- | Some value of a shape, as JSON; none where nobody knows one: of a codec by hand that
-- says no more than a name, of a format that is not known here, of a type whose every value
-- holds another.
--
-- >>> :{
-- sampleOf (Shape.Tuple [Shape.Text, Shape.Optional Shape.Text, Shape.Integer (Just 3) Nothing])
-- :}
-- Just "[\"\",null,3]"
sampleOf :: Shape -> Maybe ByteString
sampleOf = sample 12

-- | No more than @left@ levels inwards.
sample :: Int -> Shape -> Maybe ByteString
sample left shape
  | left <= 0 = Nothing
  | otherwise = case shape of
      Shape.Boolean -> Just "false"
      Shape.Integer least most
        | maybe True (<= 0) least && maybe True (>= 0) most -> Just "0"
        | otherwise -> BC.pack . show <$> (least <|> most)
      Shape.IntegerIn _ least most -> sample left (Shape.Integer (Just least) (Just most))
      Shape.Floating _ -> Just "0"
      Shape.Text -> Just "\"\""
      Shape.Character -> Just "\"a\""
      Shape.Unit -> Just "[]"
      Shape.Anything -> Just "null"
      Shape.Binary -> Just "\"\""
      Shape.BinaryOf n ->
        Just (B.concat ["\"", B.take ((4 * n + 2) `div` 3) (BC.replicate (2 * n + 2) 'A'), "\""])
      Shape.Formatted Shape.InNumber _ _ -> Just "0"
      Shape.Formatted Shape.InText name s -> formatted name s
      Shape.Opaque _ -> Nothing
      Shape.List n s
        | n <= 0 -> Just "[]"
        | otherwise -> array . replicate (min 64 n) <$> sample (left - 1) s
      Shape.SetOf _ -> Just "[]"
      Shape.Optional _ -> Just "null"
      Shape.Mapping k _
        | Just _ <- Shape.keyNotation k -> Just "{}"
        | otherwise -> Just "[]"
      Shape.Tuple ss -> array <$> traverse (sample (left - 1)) ss
      Shape.Described _ s -> sample left s
      Shape.Declared _ definition -> case definition of
        Shape.Bare _ b -> body b
        Shape.Names (name : _) -> Just (text name)
        Shape.Names [] -> Nothing
        Shape.Sum layout constructors ->
          foldr ((<|>) . alternative layout) Nothing (sortOn weight constructors)
  where
    weight c = case constructorBody c of
      Shape.Nullary -> 0 :: Int
      Shape.Value _ -> 1
      Shape.Array ss -> length ss
      Shape.Record fields -> length (filter (not . fieldOptional) fields)
    alternative layout (Constructor name _ b) = case layout of
      Tagged tag contents -> case b of
        Shape.Nullary -> Just (object [(tag, text name)])
        Shape.Record fields -> object . ((tag, text name) :) <$> record fields
        _ -> (\inner -> object [(tag, text name), (contents, inner)]) <$> body b
      SingleField -> (\inner -> object [(name, inner)]) <$> body b
      TwoElements -> (\inner -> array [text name, inner]) <$> body b
      Untagged -> case b of
        Shape.Nullary -> Just (text name)
        _ -> body b
    body :: Body -> Maybe ByteString
    body = \case
      Shape.Nullary -> Just "[]"
      Shape.Value s -> sample (left - 1) s
      Shape.Array ss -> array <$> traverse (sample (left - 1)) ss
      Shape.Record fields -> object <$> record fields
    record fields =
      traverse
        ( \f ->
            (,) (fieldName f) <$> sample (left - 1) (fieldShape f)
        )
        (filter (not . fieldOptional) fields)

formatted :: Text -> Shape -> Maybe ByteString
formatted name shape = case (name, shape) of
  ("date-time", _) -> Just "\"1970-01-01T00:00:00Z\""
  ("date", _) -> Just "\"1970-01-01\""
  ("time", _) -> Just "\"00:00:00\""
  ("uuid", _) -> Just "\"00000000-0000-0000-0000-000000000000\""
  (_, Shape.Binary) -> Just "\"\""
  _ -> Nothing

array :: [ByteString] -> ByteString
array elements = B.concat ["[", B.intercalate "," elements, "]"]

object :: [(Text, ByteString)] -> ByteString
object fields =
  B.concat
    [ "{",
      B.intercalate
        ","
        [ B.concat [text name, ":", value]
          | (name, value) <-
              fields
        ],
      "}"
    ]

text :: Text -> ByteString
text = runWriter Json.textW
