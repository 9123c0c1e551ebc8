-- | The 37 formats of MessagePack, as its specification lists them, and how
-- far an item of each reaches.
--
-- The idea: one slow and obvious table, for whoever explains a document and
-- does not hurry. Readers and writers have the same knowledge in their code.
module Tern.Internal.MessagePack.Format
  ( Format (..),
    formatOf,
    formatName,

    -- * Items
    itemAt,
    claimAt,
  )
where

import Data.Bits (shiftL, (.&.), (.|.))
import Data.ByteString (ByteString)
import Data.ByteString qualified as B
import Data.Char (toLower)
import Data.Text (Text)
import Data.Text qualified as T
import Data.Word (Word8)
import Tern.Internal.Binary.Item (Item (..), claim)

-- $setup
-- >>> :set -XOverloadedStrings

-- | What the first byte of an item says that it is.
data Format
  = PositiveFixint
  | FixMap
  | FixArray
  | FixStr
  | Nil
  | NeverUsed
  | False_
  | True_
  | Bin8
  | Bin16
  | Bin32
  | Ext8
  | Ext16
  | Ext32
  | Float32
  | Float64
  | Uint8
  | Uint16
  | Uint32
  | Uint64
  | Int8
  | Int16
  | Int32
  | Int64
  | FixExt1
  | FixExt2
  | FixExt4
  | FixExt8
  | FixExt16
  | Str8
  | Str16
  | Str32
  | Array16
  | Array32
  | Map16
  | Map32
  | NegativeFixint
  deriving stock (Bounded, Enum, Eq, Ord, Show)

-- | The format that begins with a byte.
formatOf :: Word8 -> Format
formatOf b
  | b < 0x80 = PositiveFixint
  | b < 0x90 = FixMap
  | b < 0xa0 = FixArray
  | b < 0xc0 = FixStr
  | b >= 0xe0 = NegativeFixint
  | otherwise = toEnum (fromEnum Nil + fromIntegral b - 0xc0)

-- | As the specification writes it.
--
-- >>> formatName (formatOf 0xd5)
-- "fixext 2"
formatName :: Format -> Text
formatName = \case
  PositiveFixint -> T.pack "positive fixint"
  NegativeFixint -> T.pack "negative fixint"
  NeverUsed -> T.pack "(never used)"
  format -> T.pack (spaced (show format))
  where
    spaced name = case span (`notElem` "0123456789_") name of
      (word, "_") -> lower word
      (word, "") -> lower word
      (word, digits) -> lower word <> " " <> digits
    lower = map toLower

-- | The item whose header the input begins with, as it claims to be; 'Nothing'
-- where the header is cut off or no format.
--
-- >>> itemAt "\x82\xa1\x61\x01"
-- Just (MapFrame 1 2)
itemAt :: ByteString -> Maybe Item
itemAt input = do
  (b, rest) <- B.uncons input
  let low mask = fromIntegral (b .&. mask)
      -- A length of @width@ bytes.
      counted width extra make
        | B.length rest >= width + extra =
            Just (make (1 + width + extra) (bigEndian (B.take width rest)))
        | otherwise = Nothing
  case formatOf b of
    NeverUsed -> Nothing
    FixMap -> Just (MapFrame 1 (low 0x0f))
    FixArray -> Just (ArrayFrame 1 (low 0x0f))
    FixStr -> Just (Scalar 1 (low 0x1f))
    Bin8 -> counted 1 0 Scalar
    Bin16 -> counted 2 0 Scalar
    Bin32 -> counted 4 0 Scalar
    Ext8 -> counted 1 1 Scalar
    Ext16 -> counted 2 1 Scalar
    Ext32 -> counted 4 1 Scalar
    Float32 -> Just (Scalar 1 4)
    Float64 -> Just (Scalar 1 8)
    Uint8 -> Just (Scalar 1 1)
    Uint16 -> Just (Scalar 1 2)
    Uint32 -> Just (Scalar 1 4)
    Uint64 -> Just (Scalar 1 8)
    Int8 -> Just (Scalar 1 1)
    Int16 -> Just (Scalar 1 2)
    Int32 -> Just (Scalar 1 4)
    Int64 -> Just (Scalar 1 8)
    FixExt1 -> Just (Scalar 2 1)
    FixExt2 -> Just (Scalar 2 2)
    FixExt4 -> Just (Scalar 2 4)
    FixExt8 -> Just (Scalar 2 8)
    FixExt16 -> Just (Scalar 2 16)
    Str8 -> counted 1 0 Scalar
    Str16 -> counted 2 0 Scalar
    Str32 -> counted 4 0 Scalar
    Array16 -> counted 2 0 ArrayFrame
    Array32 -> counted 4 0 ArrayFrame
    Map16 -> counted 2 0 MapFrame
    Map32 -> counted 4 0 MapFrame
    PositiveFixint -> Just (Scalar 1 0)
    Nil -> Just (Scalar 1 0)
    False_ -> Just (Scalar 1 0)
    True_ -> Just (Scalar 1 0)
    NegativeFixint -> Just (Scalar 1 0)

bigEndian :: ByteString -> Int
bigEndian = B.foldl' (\n b -> n `shiftL` 8 .|. fromIntegral b) 0

-- | How many bytes a header has, and what it claims.
claimAt :: ByteString -> Maybe (Int, Int)
claimAt input = claim <$> itemAt input
