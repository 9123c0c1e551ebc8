{-# LANGUAGE OverloadedStrings #-}

-- | MessagePack as JSON and JSON as MessagePack, and what is lost on the way.
--
-- A conversion never fails and never keeps silent. What the other format cannot say is
-- said in the nearest way that it has, and each place where that happened is listed: if
-- the list is empty, converting back gives what there was.
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
  )
where

import GHC.Float (float2Double)
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
import Tern.Internal.Json.Codec qualified as Json (floatW)
import Tern.Internal.Json.Document (encodeTextWith)
import Tern.Internal.MessagePack.Value (Value (..))
import Tern.Internal.MessagePack.Value qualified as MessagePack
import Tern.Value qualified as Json

-- $setup
-- >>> :set -XOverloadedStrings -XOverloadedLists
-- >>> import Tern.MessagePack.Value
-- >>> import Tern.Value qualified as Json

-- | The nearest JSON, and what was lost, in the order of the document. In time
-- linear in the document's size, but for maps, which are ordered.
--
-- >>> toJson (Map [(Str "id", Bin "\xff\x00")])
-- (Object (object [("id",String "/wA=")]),[Loss {lossPath = [Key "id"], lossOf = Binary}])
toJson :: Value -> (Json.Value, [Loss])
toJson = toJsonBy seen

seen :: Value -> Seen Value
seen = \case
  Nil -> Leaf Json.Null []
  Bool b -> Leaf (Json.Bool b) []
  Int i -> Leaf (wholeNumber (toInteger i)) []
  Word w -> Leaf (wholeNumber (toInteger w)) []
  Float32 x -> case Json.parseNumber (encodeTextWith Json.floatW x) of
    Just n -> Leaf (Json.Number n) [SinglePrecision]
    Nothing -> case real (float2Double x) of (json, lost) -> Leaf json (SinglePrecision : lost)
  Float64 x -> uncurry Leaf (real x)
  Str t -> Characters t
  Bin b -> Leaf (binary b) [Binary]
  Array vs -> Elements vs
  Map pairs -> Pairs pairs
  Ext kind b ->
    Leaf
      ( Json.Object
          ( Json.object
              [ ("type", wholeNumber (toInteger kind)),
                ("data", binary b)
              ]
          )
      )
      [Extension]
  Timestamp t ->
    Leaf
      ( Json.Object
          ( Json.object
              [ ("seconds", wholeNumber (toInteger (MessagePack.seconds t))),
                ( "nanoseconds",
                  wholeNumber (toInteger (MessagePack.nanoseconds t))
                )
              ]
          )
      )
      [Time]

-- | The nearest MessagePack, and what was lost. A number that is written as an
-- integer and fits one becomes one; others become doubles. All else has its
-- like.
--
-- >>> fromJson (Json.Number (Json.numberFromInteger (2 ^ 64)))
-- (Float64 1.8446744073709552e19,[Loss {lossPath = [], lossOf = Rounded "18446744073709551616"}])
fromJson :: Json.Value -> (Value, [Loss])
fromJson =
  fromJsonBy
    Maker
      { makeNull = Nil,
        makeBool = Bool,
        makeText = Str,
        makeArray = Array,
        makeMap = Map,
        makeDouble = Float64,
        makeInteger = MessagePack.integer
      }
