{-# LANGUAGE OverloadedStrings #-}

-- | MessagePack as JSON and JSON as MessagePack, and what is lost on the way.
--
-- The idea: a conversion never fails and never keeps silent. What the other
-- format cannot say is said in the nearest way that it has, and each place
-- where that happened is listed: if the list is empty, converting back gives
-- what there was.
--
-- JSON has no binaries, extensions, times, infinities, single precision, or
-- keys but strings; MessagePack has no integers beyond 64 bits and no numbers
-- of more digits than a double has.
module Tern.MessagePack.Conversion
  ( toJson,
    fromJson,

    -- * Losses
    Loss (..),
    Lost (..),

    -- * Bytes as text
    base64,
  )
where

import Data.Bits (shiftL, shiftR, (.&.), (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.ByteString.Unsafe qualified as BU
import Data.Map.Strict qualified as Map
import Data.Text (Text)
import Data.Text qualified as T
import Data.Text.Encoding qualified as T
import Data.Vector qualified as V
import Data.Word (Word8)
import GHC.Float (float2Double)
import Tern.Error (Path, Segment (..))
import Tern.Json.Codec qualified as Json (floatW)
import Tern.Json.Document (encodeTextWith)
import Tern.MessagePack.Timestamp
import Tern.MessagePack.Value (Value)
import Tern.MessagePack.Value qualified as MessagePack
import Tern.Value qualified as Json

-- $setup
-- >>> :set -XOverloadedStrings -XOverloadedLists
-- >>> import Tern.MessagePack.Value (Value (..))
-- >>> import Tern.Value qualified as Json

-- | Something lost, and where: by the keys and indices of the JSON document.
data Loss = Loss {lossPath :: !Path, lossOf :: !Lost}
  deriving stock (Eq, Show)

-- | What was lost.
data Lost
  = -- | That a number was a float 32: its digits are those of a double now.
    SinglePrecision
  | -- | That an infinity is a number: it is @"+inf"@ or @"-inf"@ now.
    Infinity
  | -- | A number that is none: it is @null@ now.
    NotANumber
  | -- | That bytes are no text: they are a string in base 64 (RFC 4648) now.
    Binary
  | -- | That something is an extension: it is an object with @type@ and @data@
    -- in base 64 now.
    Extension
  | -- | That something is a time: it is an object with @seconds@ and
    -- @nanoseconds@ now.
    Time
  | -- | That a key is no string: it is the text of its JSON now.
    KeyType
  | -- | That two keys differ: both are this text now.
    KeyCollision !Text
  | -- | A number's value: it is the nearest double now. As it was written.
    Rounded !Text
  deriving stock (Eq, Show)

-- * To JSON

-- | The nearest JSON, and what was lost, in the order of the document. In time
-- linear in the document's size, but for maps, which are ordered.
--
-- >>> toJson (Map [(Str "id", Bin "\xff\x00")])
-- (Object (object [("id",String "/wA=")]),[Loss {lossPath = [Key "id"], lossOf = Binary}])
toJson :: Value -> (Json.Value, [Loss])
toJson value = asJson value [] []

-- | With the path, innermost first, and the losses behind.
asJson :: Value -> Path -> [Loss] -> (Json.Value, [Loss])
asJson value path rest = case value of
  MessagePack.Nil -> kept Json.Null
  MessagePack.Bool b -> kept (Json.Bool b)
  MessagePack.Int i -> kept (Json.Number (Json.numberFromInteger (toInteger i)))
  MessagePack.Word w -> kept (Json.Number (Json.numberFromInteger (toInteger w)))
  MessagePack.Float32 x -> case Json.parseNumber (encodeTextWith Json.floatW x) of
    Just n -> (Json.Number n, lost SinglePrecision : rest)
    Nothing -> case special (float2Double x) of (json, what) -> (json, lost SinglePrecision : lost what : rest)
  MessagePack.Float64 x -> case Json.numberFromDouble x of
    Just n -> kept (Json.Number n)
    Nothing -> case special x of (json, what) -> (json, lost what : rest)
  MessagePack.Str t -> kept (Json.String t)
  MessagePack.Bin b -> (Json.String (base64 b), lost Binary : rest)
  MessagePack.Array vs -> case elements 0 (V.toList vs) of
    (json, losses) -> (Json.Array (V.fromListN (V.length vs) json), losses)
  MessagePack.Map pairs -> case members Map.empty (V.toList pairs) of
    (json, losses) -> (Json.Object (Json.object json), losses)
  MessagePack.Ext kind b ->
    (Json.Object (Json.object [("type", whole kind), ("data", Json.String (base64 b))]), lost Extension : rest)
  MessagePack.Timestamp t ->
    (Json.Object (Json.object [("seconds", whole (seconds t)), ("nanoseconds", whole (nanoseconds t))]), lost Time : rest)
  where
    kept json = (json, rest)
    lost = Loss (reverse path)
    whole n = Json.Number (Json.numberFromInteger (toInteger n))
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
            changed = [Loss (reverse here) KeyType | not (isStr k)]
            collided = [Loss (reverse here) (KeyCollision name) | Just k' <- [Map.lookup name seen], k' /= k]
            (others, after) = members (Map.insertWith (\_ old -> old) name k seen) pairs
            (json, losses) = asJson v here after
         in ((name, json) : others, changed <> collided <> losses)
    isStr = \case
      MessagePack.Str _ -> True
      _ -> False

-- | Infinities and what is not a number.
special :: Double -> (Json.Value, Lost)
special x
  | isNaN x = (Json.Null, NotANumber)
  | x > 0 = (Json.String "+inf", Infinity)
  | otherwise = (Json.String "-inf", Infinity)

-- | A key as a string: strings as they are, others as the text of their JSON.
keyText :: Value -> Text
keyText = \case
  MessagePack.Str t -> t
  key -> case fst (toJson key) of
    Json.String t -> t
    json -> encodeTextWith Json.valueW json

-- | RFC 4648, section 4, with padding.
base64 :: ByteString -> Text
base64 bytes = T.decodeLatin1 (fst (B.unfoldrN (4 * groups) letter 0))
  where
    groups = (B.length bytes + 2) `quot` 3
    letter :: Int -> Maybe (Word8, Int)
    letter i
      | at + j > B.length bytes = Just (61, i + 1)
      | otherwise = Just (BU.unsafeIndex alphabet (group `shiftR` (18 - 6 * j) .&. 63), i + 1)
      where
        at = 3 * (i `quot` 4)
        j = i `rem` 4
        group = byteAt at `shiftL` 16 .|. byteAt (at + 1) `shiftL` 8 .|. byteAt (at + 2)
    byteAt k = if k < B.length bytes then fromIntegral (BU.unsafeIndex bytes k) else 0 :: Int
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

-- * From JSON

-- | The nearest MessagePack, and what was lost. A number that is written as an
-- integer and fits one becomes one; others become doubles. All else has its
-- like.
--
-- >>> fromJson (Json.Number (Json.numberFromInteger (2 ^ 64)))
-- (Float64 1.8446744073709552e19,[Loss {lossPath = [], lossOf = Rounded "18446744073709551616"}])
fromJson :: Json.Value -> (Value, [Loss])
fromJson json = asMessagePack json [] []

asMessagePack :: Json.Value -> Path -> [Loss] -> (Value, [Loss])
asMessagePack json path rest = case json of
  Json.Null -> (MessagePack.Nil, rest)
  Json.Bool b -> (MessagePack.Bool b, rest)
  Json.Number n -> case number n of
    (value, exact) -> (value, [Loss (reverse path) (Rounded (Json.renderNumber n)) | not exact] <> rest)
  Json.String t -> (MessagePack.Str t, rest)
  Json.Array vs -> case elements 0 (V.toList vs) of
    (values, losses) -> (MessagePack.Array (V.fromListN (V.length vs) values), losses)
  Json.Object o -> case members (Json.members o) of
    (pairs, losses) -> (MessagePack.Map (V.fromList pairs), losses)
  where
    elements :: Int -> [Json.Value] -> ([Value], [Loss])
    elements i = \case
      [] -> ([], rest)
      v : vs ->
        let (others, after) = elements (i + 1) vs
            (value, losses) = asMessagePack v (Index i : path) after
         in (value : others, losses)
    members = \case
      [] -> ([], rest)
      (k, v) : pairs ->
        let (others, after) = members pairs
            (value, losses) = asMessagePack v (Key k : path) after
         in ((MessagePack.Str k, value) : others, losses)

-- | A number, and whether its value is still what it was. A double stands for
-- the number that its shortest digits say.
number :: Json.Number -> (Value, Bool)
number n
  | isWhole, Just value <- Json.numberToInteger n >>= MessagePack.integer = (value, True)
  | otherwise = (MessagePack.Float64 x, Json.numberFromDouble x == Just n)
  where
    text = Json.renderNumber n
    x = Json.numberToDouble n
    -- @-0@ is an integer that only a double can say.
    isWhole = T.all (`notElem` (".eE" :: String)) text && text /= "-0"
