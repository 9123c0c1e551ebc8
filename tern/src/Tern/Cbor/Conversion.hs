-- | CBOR as JSON and JSON as CBOR, and what is lost on the way; and as MessagePack.
--
-- The idea is that of "Tern.MessagePack.Value": a conversion never fails and
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
import Data.Maybe (fromMaybe)
import Data.Vector qualified as V
import GHC.Float (float2Double)
import Tern.Internal.Cbor.Value (Value)
import Tern.Internal.Cbor.Value qualified as Cbor
import Tern.Internal.Conversion
  ( Loss (..),
    Lost (..),
    Maker (..),
    Seen (..),
    binary,
    fromJsonBy,
    real,
    toJsonBy,
    wholeNumber,
  )
import Tern.Internal.MessagePack.Value (nanoseconds, seconds)
import Tern.Internal.MessagePack.Value qualified as MessagePack
import Tern.Value qualified as Json

-- $setup
-- >>> :set -XOverloadedStrings -XOverloadedLists
-- >>> import Tern.Cbor.Value
-- >>> import Tern.Value qualified as Json

-- * To JSON

-- | The nearest JSON, and what was lost, in the order of the document.
--
-- >>> toJson (Map [(Text "id", Tag 37 (Bytes "\xff\x00"))])
-- (Object (object [("id",String "/wA=")]),[Loss {lossPath = [Key "id"], lossOf = Tagged 37},Loss
-- {lossPath = [Key "id"], lossOf = Binary}])
toJson :: Value -> (Json.Value, [Loss])
toJson = toJsonBy seen

seen :: Value -> Seen Value
seen value = case value of
  Cbor.Unsigned n -> Leaf (wholeNumber (toInteger n)) []
  Cbor.Negative n -> Leaf (wholeNumber (-1 - toInteger n)) []
  Cbor.Float x -> uncurry Leaf (real x)
  Cbor.Bool b -> Leaf (Json.Bool b) []
  Cbor.Null -> Leaf Json.Null []
  Cbor.Undefined -> Leaf Json.Null [IsUndefined]
  Cbor.Simple v -> Leaf (wholeNumber (toInteger (Cbor.simpleNumber v))) [IsSimple]
  Cbor.Bytes b -> Leaf (binary b) [Binary]
  Cbor.Text t -> Characters t
  Cbor.Array vs -> Elements vs
  Cbor.Map pairs -> Pairs pairs
  Cbor.Tag n v
    | Just k <- Cbor.asInteger value -> Leaf (wholeNumber k) [Tagged n | Cbor.integer k /= value]
    | otherwise -> Around (Tagged n) v

-- * From JSON

-- | The nearest CBOR, and what was lost. A number that is written as an integer of at
-- most 4,096 digits becomes one; others become doubles. All else has its like.
--
-- >>> fromJson (Json.Number (Json.numberFromInteger (2 ^ 64)))
-- (Tag 2 (Bytes "\SOH\NUL\NUL\NUL\NUL\NUL\NUL\NUL\NUL"),[])
fromJson :: Json.Value -> (Value, [Loss])
fromJson =
  fromJsonBy
    Maker
      { makeNull = Cbor.Null,
        makeBool = Cbor.Bool,
        makeText = Cbor.Text,
        makeArray = Cbor.Array,
        makeMap = Cbor.Map,
        makeDouble = Cbor.Float,
        makeInteger = Just . Cbor.integer
      }

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
    | otherwise ->
        Cbor.Tag
          1
          ( Cbor.Float
              ( fromIntegral (seconds t)
                  + fromIntegral (nanoseconds t)
                    / 1000000000
              )
          )
