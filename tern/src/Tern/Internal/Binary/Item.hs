-- | What begins at a place of a document in a binary format, as far as it takes
-- to find what stands after it.
--
-- The idea: one slow and obvious view, for whoever explains a document and does
-- not hurry. Each format says what its bytes are in it ("Tern.Internal.MessagePack.Format",
-- "Tern.Internal.Cbor.Format").
module Tern.Internal.Binary.Item
  ( Item (..),
    claim,
  )
where

-- | An item: a scalar with all its bytes, or what stands before other values.
data Item
  = -- | Bytes of header and of body.
    Scalar !Int !Int
  | -- | Bytes of header, and elements.
    ArrayFrame !Int !Int
  | -- | Bytes of header, and pairs.
    MapFrame !Int !Int
  | -- | Bytes before a value that they belong to: a tag.
    Prefix !Int
  | -- | Bytes of header; the elements go on to a 'Break'.
    OpenArray !Int
  | -- | Bytes of header; the pairs go on to a 'Break'.
    OpenMap !Int
  | -- | The end of an open frame, and how many bytes it has.
    Break !Int
  deriving stock (Eq, Show)

-- | How many bytes a header has, and what it claims to be followed by: bytes of
-- a scalar, or values of a frame (each pair is two), of which each has at least
-- a byte. At most 'maxBound'.
claim :: Item -> (Int, Int)
claim = \case
  Scalar header n -> (header, n)
  ArrayFrame header n -> (header, n)
  MapFrame header n -> (header, if n > maxBound `quot` 2 then maxBound else 2 * n)
  Prefix header -> (header, 1)
  OpenArray header -> (header, 1)
  OpenMap header -> (header, 1)
  Break header -> (header, 0)
