-- | MessagePack whose shape is not declared: a tree that keeps every distinction of the format,
-- and its documents as JSON and back.
--
-- Import it qualified. A document becomes a tree by 'decodeValue', and the tree JSON, with what is
-- lost on the way, by 'toJson'.
module Tern.MessagePack.Value
  ( Value (..),
    integer,

    -- * Times
    Timestamp,
    timestamp,
    seconds,
    nanoseconds,

    -- * Documents
    encodeValue,
    decodeValue,
    decodeValueWith,

    -- * JSON

    -- | A conversion never fails and never keeps silent. If the list of losses is empty,
    -- converting back gives what there was. JSON has no binaries, extensions, times, infinities,
    -- single precision, or keys but strings; MessagePack has no integers beyond 64 bits and no
    -- numbers of more digits than a double has.
    toJson,
    fromJson,
    Loss (..),
    Lost (..),

    -- * Codecs
    valueW,
    valueR,
  )
where

import Tern.Internal.MessagePack.Value
import Tern.MessagePack.Conversion
