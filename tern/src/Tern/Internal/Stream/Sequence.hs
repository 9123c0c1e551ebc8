-- | How the values of a stream follow each other.
module Tern.Internal.Stream.Sequence
  ( Sequence (..),
    Notation (..),
    notation,
  )
where

-- | A way to put values one after the other, so that each can be found without
-- reading those before it into values.
data Sequence
  = -- | One JSON value a line. Blank lines count for nothing, a carriage return
    -- before the line feed is allowed, and the last line feed may be missing. A
    -- damaged line costs itself alone.
    JsonLines
  | -- | JSON values one after the other, with white space between them or none.
    -- A number or a literal ends at white space, at a quote, a bracket, a comma
    -- or a colon, or where the input ends.
    JsonValues
  | -- | The elements of one JSON array, which is all of the input.
    JsonArray
  | -- | MessagePack values one after the other.
    MessagePackValues
  | -- | CBOR items one after the other: a CBOR sequence (RFC 8742).
    CborValues
  deriving stock (Bounded, Enum, Eq, Ord, Show)

-- | The format of a sequence's values.
data Notation = Json | MessagePack | Cbor
  deriving stock (Eq, Show)

-- | What a sequence's values are written in.
notation :: Sequence -> Notation
notation = \case
  JsonLines -> Json
  JsonValues -> Json
  JsonArray -> Json
  MessagePackValues -> MessagePack
  CborValues -> Cbor
{-# INLINE notation #-}
