{-# LANGUAGE OverloadedStrings #-}

-- | CBOR as JSON and JSON as CBOR, and what is lost on the way; and as MessagePack.
--
-- The idea is that of "Tern.MessagePack.Conversion": a conversion never fails and
-- never keeps silent. If the list of losses is empty, converting back gives what there
-- was. JSON has no byte strings, tags, undefined, other simple values, infinities, or
-- keys but strings; an integer of any size is one in both.
module Tern.Cbor.Conversion
  ( toJson,
    fromJson,

    -- * Losses
    Loss (..),
    Lost (..),

    -- * MessagePack
    toMessagePack,
    fromMessagePack,
  )
where

import Data.Bifunctor (bimap)
import Data.Map.Strict qualified as Map
import Data.Maybe (fromMaybe)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Vector qualified as V
import GHC.Float (float2Double)
import Tern.Cbor.Simple
import Tern.Cbor.Value (Value)
import Tern.Cbor.Value qualified as Cbor
import Tern.Error (Path, Segment (..))
import Tern.Json.Document (encodeTextWith)
import Tern.MessagePack.Conversion (base64)
import Tern.MessagePack.Timestamp
import Tern.MessagePack.Value qualified as MessagePack
import Tern.Value qualified as Json

-- $setup
-- >>> :set -XOverloadedStrings -XOverloadedLists
-- >>> import Tern.Cbor.Value (Value (..))
-- >>> import Tern.Value qualified as Json

-- | Something lost, and where: by the keys and indices of the JSON document.
data Loss = Loss {lossPath :: !Path, lossOf :: !Lost}
  deriving stock (Eq, Show)

-- | What was lost.
data Lost
  = -- | That an infinity is a number: it is @"+inf"@ or @"-inf"@ now.
    Infinity
  | -- | A number that is none: it is @null@ now.
    NotANumber
  | -- | That bytes are no text: they are a string in base 64 (RFC 4648) now.
    Binary
  | -- | A tag: its content stands alone now.
    Tagged !Word
  | -- | That a value is undefined: it is @null@ now.
    IsUndefined
  | -- | A simple value without a name: it is its number now.
    IsSimple
  | -- | That a key is no string: it is the text of its JSON now.
    KeyType
  | -- | That two keys differ: both are this text now.
    KeyCollision !Text
  | -- | A number's value: it is the nearest double now. As it was written.
    Rounded !Text
  deriving stock (Eq, Show)

-- * To JSON

-- | The nearest JSON, and what was lost, in the order of the document.
--
-- >>> toJson (Map [(Text "id", Tag 37 (Bytes "\xff\x00"))])
-- (Object (object [("id",String "/wA=")]),[Loss {lossPath = [Key "id"], lossOf = Tagged 37},Loss {lossPath = [Key "id"], lossOf = Binary}])
toJson :: Value -> (Json.Value, [Loss])
toJson value = asJson value [] []

-- | With the path, innermost first, and the losses that follow.
asJson :: Value -> Path -> [Loss] -> (Json.Value, [Loss])
asJson value path rest = case value of
  Cbor.Unsigned n -> kept (whole (toInteger n))
  Cbor.Negative n -> kept (whole (-1 - toInteger n))
  Cbor.Float x
    | isNaN x -> (Json.Null, lost NotANumber : rest)
    | otherwise -> case Json.numberFromDouble x of
        Just n -> kept (Json.Number n)
        Nothing -> (Json.String (if x > 0 then "+inf" else "-inf"), lost Infinity : rest)
  Cbor.Bool b -> kept (Json.Bool b)
  Cbor.Null -> kept Json.Null
  Cbor.Undefined -> (Json.Null, lost IsUndefined : rest)
  Cbor.Simple v -> (whole (toInteger (simpleNumber v)), lost IsSimple : rest)
  Cbor.Bytes b -> (Json.String (base64 b), lost Binary : rest)
  Cbor.Text t -> kept (Json.String t)
  Cbor.Array vs -> case elements 0 (V.toList vs) of
    (json, losses) -> (Json.Array (V.fromListN (V.length vs) json), losses)
  Cbor.Map pairs -> case members Map.empty (V.toList pairs) of
    (json, losses) -> (Json.Object (Json.object json), losses)
  Cbor.Tag n v
    | Just k <- Cbor.asInteger value -> (whole k, [lost (Tagged n) | Cbor.integer k /= value] <> rest)
    | otherwise -> lost (Tagged n) `before` asJson v path rest
  where
    kept json = (json, rest)
    lost = Loss (reverse path)
    before loss (json, losses) = (json, loss : losses)
    whole n = Json.Number (Json.numberFromInteger n)
    elements :: Int -> [Value] -> ([Json.Value], [Loss])
    elements i = \case
      [] -> ([], rest)
      v : vs ->
        let (others, after) = elements (i + 1) vs
            (json, losses) = asJson v (Index i : path) after
         in (json : others, losses)
    -- With the keys that there were by their text.
    members seen = \case
      [] -> ([], rest)
      (k, v) : pairs ->
        let name = keyText k
            here = Key name : path
            changed = [Loss (reverse here) KeyType | not (isText k)]
            collided = [Loss (reverse here) (KeyCollision name) | Just k' <- [Map.lookup name seen], k' /= k]
            (others, after) = members (Map.insertWith (\_ old -> old) name k seen) pairs
            (json, losses) = asJson v here after
         in ((name, json) : others, changed <> collided <> losses)
    isText = \case
      Cbor.Text _ -> True
      _ -> False

-- | A key as a string: texts as they are, others as the text of their JSON.
keyText :: Value -> Text
keyText = \case
  Cbor.Text t -> t
  key -> case fst (toJson key) of
    Json.String t -> t
    json -> encodeTextWith Json.valueW json

-- * From JSON

-- | The nearest CBOR, and what was lost. A number that is written as an integer of at
-- most 4,096 digits becomes one; others become doubles. All else has its like.
--
-- >>> fromJson (Json.Number (Json.numberFromInteger (2 ^ 64)))
-- (Tag 2 (Bytes "\SOH\NUL\NUL\NUL\NUL\NUL\NUL\NUL\NUL"),[])
fromJson :: Json.Value -> (Value, [Loss])
fromJson json = asCbor json [] []

asCbor :: Json.Value -> Path -> [Loss] -> (Value, [Loss])
asCbor json path rest = case json of
  Json.Null -> (Cbor.Null, rest)
  Json.Bool b -> (Cbor.Bool b, rest)
  Json.Number n -> case number n of
    (value, exact) -> (value, [Loss (reverse path) (Rounded (Json.renderNumber n)) | not exact] <> rest)
  Json.String t -> (Cbor.Text t, rest)
  Json.Array vs -> case elements 0 (V.toList vs) of
    (values, losses) -> (Cbor.Array (V.fromListN (V.length vs) values), losses)
  Json.Object o -> case members (Json.members o) of
    (pairs, losses) -> (Cbor.Map (V.fromList pairs), losses)
  where
    elements :: Int -> [Json.Value] -> ([Value], [Loss])
    elements i = \case
      [] -> ([], rest)
      v : vs ->
        let (others, after) = elements (i + 1) vs
            (value, losses) = asCbor v (Index i : path) after
         in (value : others, losses)
    members = \case
      [] -> ([], rest)
      (k, v) : pairs ->
        let (others, after) = members pairs
            (value, losses) = asCbor v (Key k : path) after
         in ((Cbor.Text k, value) : others, losses)

-- | A number, and whether its value is still what it was. A double stands for the
-- number that its shortest digits say.
number :: Json.Number -> (Value, Bool)
number n
  | isWhole, Just value <- Json.numberToInteger n = (Cbor.integer value, True)
  | otherwise = (Cbor.Float x, Json.numberFromDouble x == Just n)
  where
    text = Json.renderNumber n
    x = Json.numberToDouble n
    -- @-0@ is an integer that only a double can say.
    isWhole = T.all (`notElem` (".eE" :: String)) text && text /= "-0"

-- * MessagePack

-- | The nearest MessagePack: tags are left away, undefined and simple values are nil,
-- and an integer beyond 64 bits is a double. Half floats are doubles.
toMessagePack :: Value -> MessagePack.Value
toMessagePack value = case value of
  Cbor.Unsigned n -> whole (toInteger n)
  Cbor.Negative n -> whole (-1 - toInteger n)
  Cbor.Float x -> MessagePack.Float64 x
  Cbor.Bool b -> MessagePack.Bool b
  Cbor.Null -> MessagePack.Nil
  Cbor.Undefined -> MessagePack.Nil
  Cbor.Simple _ -> MessagePack.Nil
  Cbor.Bytes b -> MessagePack.Bin b
  Cbor.Text t -> MessagePack.Str t
  Cbor.Array vs -> MessagePack.Array (V.map toMessagePack vs)
  Cbor.Map pairs -> MessagePack.Map (V.map (bimap toMessagePack toMessagePack) pairs)
  Cbor.Tag _ v -> maybe (toMessagePack v) whole (Cbor.asInteger value)
  where
    whole n = fromMaybe (MessagePack.Float64 (fromInteger n)) (MessagePack.integer n)

-- | The nearest CBOR: a timestamp is one with tag 1, in seconds, and an extension an
-- array of its type and its bytes.
fromMessagePack :: MessagePack.Value -> Value
fromMessagePack = \case
  MessagePack.Nil -> Cbor.Null
  MessagePack.Bool b -> Cbor.Bool b
  MessagePack.Int n -> Cbor.integer (toInteger n)
  MessagePack.Word n -> Cbor.Unsigned n
  MessagePack.Float32 x -> Cbor.Float (float2Double x)
  MessagePack.Float64 x -> Cbor.Float x
  MessagePack.Str t -> Cbor.Text t
  MessagePack.Bin b -> Cbor.Bytes b
  MessagePack.Array vs -> Cbor.Array (V.map fromMessagePack vs)
  MessagePack.Map pairs -> Cbor.Map (V.map (bimap fromMessagePack fromMessagePack) pairs)
  MessagePack.Ext kind b -> Cbor.Array (V.fromList [Cbor.integer (toInteger kind), Cbor.Bytes b])
  MessagePack.Timestamp t
    | nanoseconds t == 0 -> Cbor.Tag 1 (Cbor.integer (toInteger (seconds t)))
    | otherwise -> Cbor.Tag 1 (Cbor.Float (fromIntegral (seconds t) + fromIntegral (nanoseconds t) / 1000000000))
